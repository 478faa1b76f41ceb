// What the service stores, once: every table of prisma/schema.prisma and every kind of archive
// object, what it holds, of whom, how long, and what deletes it. The purpose of each set stands in
// app/locales/*/embeds/privacy.json, for the people who read it.
import type { DataSet } from "./data-set.ts";
import { EVENTS } from "./event-data.ts";

const ACCOUNTS: DataSet = {
  tables: {
    storefront_users: {
      holds:
        "the shopper's account: email address, name, picture address, language, country, password hash, ids in the store and the CMS, number of orders, amount spent; name, address and numbers once more as the text that a search compares; the phone number only as a keyed hash",
      people: ["shoppers"],
      end: "account",
    },
    user_claims: {
      holds: "the current consents, the sign-in provider, the encrypted customer access token",
      people: ["shoppers"],
      end: "account",
    },
    user_extras: {
      holds:
        "the analytics id of the shopper's first known browser, and whether the address was entered in a form",
      people: ["shoppers"],
      end: "account",
    },
    identity_links: {
      holds: "the shopper's ids at sign-in providers",
      people: ["shoppers"],
      end: "account",
    },
    customer_days: {
      holds: "how many customers came and how many signed up, per day",
      people: ["none"],
      end: "store",
    },
    customer_tombstones: {
      holds: "keyed hashes that keep a deleted customer from being created again",
      people: ["shoppers"],
      end: "store",
    },
  },
};

const CONSENT: DataSet = {
  tables: {
    consent_records: {
      holds:
        "every consent decision: type, action, method, time, policy version, browser; the account or the visitor by number, pseudonymous after an erasure",
      people: ["shoppers", "visitors"],
      end: "log",
    },
    consent_days: {
      holds: "how many consents were granted, declined and withdrawn per day, counted",
      people: ["none"],
      end: "store",
    },
    consent_chain_heads: {
      holds: "the newest hash of the consent log",
      people: ["none"],
      end: "store",
    },
    consent_policies: {
      holds: "the texts of the policies that were agreed to",
      people: ["none"],
      end: "store",
    },
    banner_drafts: {
      holds: "the consent banner that the store is working on, and who saved it last, by number",
      people: ["staff"],
      end: "store",
    },
    banner_versions: {
      holds: "every consent banner that the store published, when, and by whom, by number",
      people: ["staff"],
      end: "store",
    },
    banner_days: {
      holds:
        "how often the banner was shown and how it was answered per day, counted, and the same by region, by device and by language; no browser or person",
      people: ["none"],
      rules: [
        {
          rows: "banner_counts",
          sweep: "region",
          column: "day",
          where: "true",
          after: 800,
        },
      ],
      end: null,
    },
  },
  objects: [
    {
      path: "consent/checkpoints/{shop}/",
      holds: "signed hashes of the consent log",
      people: ["none"],
      end: "store",
    },
  ],
};

const TAGS: DataSet = {
  tables: {
    crm_tags: { holds: "the store's tags", people: ["none"], end: "store" },
    user_tag_map: { holds: "which shopper has which tag", people: ["shoppers"], end: "account" },
    segments: {
      holds: "the store's segments: names, filters, and how many customers each had when counted",
      people: ["none"],
      end: "store",
    },
    tag_runs: {
      holds:
        "bulk changes of customers: kind, tags, counts, the filter without searched words, who of the staff started it, by number, and until one is done the encrypted name of its segment",
      people: ["shoppers", "staff"],
      rules: [
        {
          rows: "finished_tag_runs",
          sweep: "store",
          column: "coalesce(finished_at, created_at)",
          where: "state IN ('done', 'failed', 'cancelled')",
          after: "tag_run_retention_days",
        },
      ],
      end: "settled",
    },
    tag_run_members: {
      holds: "which shoppers a bulk change means, until it is done",
      people: ["shoppers"],
      end: "settled",
    },
    tag_run_refusals: {
      holds: "which shoppers a bulk change left as they were, by number, and why",
      people: ["shoppers"],
      rules: [
        {
          rows: "refused_customers",
          sweep: "store",
          column: "created_at",
          where: "true",
          after: "tag_run_retention_days",
        },
      ],
      end: "account",
    },
  },
};

const COMMERCE: DataSet = {
  tables: {
    mandates: {
      holds: "a shopper's signed permission for an agent to spend up to an amount",
      people: ["shoppers"],
      rules: [
        {
          rows: "expired_mandates",
          sweep: "store",
          column: "expires_at",
          where: "reservations = 0",
          after: 400,
        },
      ],
      end: "settled",
    },
    checkout_sessions: {
      holds:
        "checkouts: articles, amounts, the delivery option without its address, the account, the orders they became",
      people: ["shoppers"],
      rules: [
        {
          rows: "canceled_checkouts",
          sweep: "region",
          column: "created_at",
          where: "status = 'canceled'",
          after: 30,
        },
        // Kept for questions about a purchase.
        {
          rows: "completed_checkouts",
          sweep: "region",
          column: "created_at",
          where: "status = 'completed'",
          after: 400,
        },
      ],
      end: "settled",
    },
    return_cases: {
      holds: "returns: units by serial number, the order and the account",
      people: ["shoppers"],
      end: "account",
    },
    firmware_registry: { holds: "firmware versions by model", people: ["none"], end: "store" },
    firmware_ledger: { holds: "the firmware of shipped units", people: ["none"], end: "store" },
  },
};

const AGENTS: DataSet = {
  tables: {
    oauth_clients: {
      holds: "agents that registered themselves",
      people: ["none"],
      end: "store",
    },
    oauth_grants: {
      holds: "which agent may act for which shopper",
      people: ["shoppers"],
      rules: [
        {
          rows: "ended_grants",
          sweep: "store",
          column: "ended_at",
          where: "true",
          after: 400,
        },
      ],
      end: "account",
    },
    oauth_tokens: {
      holds: "hashes of an agent's codes and tokens",
      people: ["shoppers"],
      rules: [
        // Longer than any token lives: until then a reused refresh token reveals a theft.
        {
          rows: "used_tokens",
          sweep: "region",
          column: "created_at",
          where: "expires_at < now()",
          after: 40,
        },
      ],
      end: null,
    },
    agent_activity: {
      holds:
        "what agents requested and with what result, counted by the minute: agent and customer by their ids, the operation, the reason of a refusal, amount and mandate; no search words, no articles; unknown callers only as numbers per hour",
      people: ["shoppers"],
      rules: [
        {
          rows: "agent_calls",
          sweep: "id",
          column: "started_at",
          where: "true",
          after: "agent_activity_retention_days",
        },
      ],
      end: "account",
    },
  },
};

const REQUESTS: DataSet = {
  tables: {
    privacy_requests: {
      holds:
        "requests for a copy or an erasure: kind, times, the customers' numbers, the steps in each system and evidence without personal data, a keyed hash; the person's encrypted identifiers until the request is done",
      people: ["shoppers"],
      rules: [
        {
          rows: "finished_requests",
          sweep: "store",
          column: "coalesce(completed_at, due_by)",
          where: "state IN ('done', 'retained')",
          after: "privacy_request_retention_days",
        },
      ],
      end: "settled",
    },
    access_log: {
      holds:
        "who viewed, exported, changed or erased a customer's data: ids of the staff member, agent and customer, the place and the time",
      people: ["shoppers", "staff"],
      rules: [
        {
          rows: "accesses",
          sweep: "id",
          column: "created_at",
          where: "true",
          after: "access_log_retention_days",
        },
      ],
      end: null,
    },
  },
  objects: [
    {
      path: "gdpr/{shop}/",
      holds: "the copy of a person's data that the merchant was asked for",
      people: ["shoppers"],
      rule: { objects: "data_exports", after: "data_export_retention_days" },
      end: "settled",
    },
  ],
};

const STORE: DataSet = {
  tables: {
    kv: {
      holds:
        "the store's settings with its encrypted credentials and its staff's addresses, the last test of each connection, the last check of the storefront and its schedule, and short-lived keys: sign-ins under way, one-time links, rate limits, idempotency markers, an agent's messages and their answers over A2A without buyer and address",
      people: ["shoppers", "staff"],
      end: "expiry",
    },
    store_moves: {
      holds: "the store's moves between databases: from where to where, how far, when",
      people: ["none"],
      end: "store",
    },
    held_stores: {
      holds: "that the store is being moved to or from this database",
      people: ["none"],
      end: "store",
    },
    cookie_entries: {
      holds: "what the merchant added to the list of cookies, changed in it or hid",
      people: ["none"],
      end: "store",
    },
    public_hosts: { holds: "the store's host names", people: ["none"], end: "store" },
    integration_mappings: { holds: "field mappings of the ERP", people: ["none"], end: "store" },
    product_upc_mapping: { holds: "bar codes of products", people: ["none"], end: "store" },
  },
};

/** In the order of the privacy page. */
const DATA_SETS = {
  accounts: ACCOUNTS,
  consent: CONSENT,
  tags: TAGS,
  events: EVENTS,
  commerce: COMMERCE,
  agents: AGENTS,
  requests: REQUESTS,
  store: STORE,
} as const satisfies Record<string, DataSet>;

export type DataSetName = keyof typeof DATA_SETS;
export const dataSetNames = Object.keys(DATA_SETS) as DataSetName[];
export const dataSet = (name: DataSetName): DataSet => DATA_SETS[name];
