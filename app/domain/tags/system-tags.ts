// Keeps the tags of the rules true, inside the transaction that changed a fact (DECISIONS 8). A tag is
// set only when the store's catalog has it: a store without the tag system pays one statement.
import type { Ctx } from "../../context.server.ts";
import type { Columns, CrmTag, StorefrontUser, TenantSql, UserClaims } from "../../db.server.ts";
import { anyLength } from "../../runtime/database/array-parameters.ts";
import { flowChannels } from "../bus/channel.ts";
import { enqueueMany, type ManyEvents } from "../bus/enqueue.ts";
import type { Priority } from "../bus/retry-policy.ts";
import { channelsFor } from "../inventory/write-matrix.ts";
import type { Tenant } from "../tenants/tenant.ts";
import {
  nextChangeAt,
  SYSTEM_TAGS,
  systemTagsOf,
  toSystemTagChange,
  type CustomerFacts,
  type HeldTags,
} from "./system-tag-rules.ts";

type FactRow = Columns<
  StorefrontUser,
  | "id"
  | "number_of_orders"
  | "amount_spent"
  | "email_subscription_status"
  | "sms_subscription_status"
  | "tags_due_at"
> & {
  [Flag in "consent_tos" | "consent_privacy" | "consent_cookie"]: UserClaims[Flag] | null;
} & {
  is_waiting: boolean;
  first_seen_at: Date;
  last_active_at: Date;
  marketing: CustomerFacts["marketing"];
  system: string[];
  by_shopper: string[];
  by_hand: string[];
};

export type TaggedCustomer = {
  id: number;
  facts: CustomerFacts;
  held: HeldTags;
  dueAt: Date | null;
};

const held = (source: string) => `ARRAY(
  SELECT t.slug FROM user_tag_map m JOIN crm_tags t ON t.shop = m.shop AND t.id = m.tag_id
  WHERE m.shop = u.shop AND m.user_id = u.id AND m.source ${source} ORDER BY m.id)`;

/** Over `storefront_users u`; an index has it as it stands. */
export const LAST_ACTIVE_AT =
  "coalesce(greatest(u.last_login_at, u.last_active_at), u.storefront_updated_at, u.created_at)";

/**
 * Over `storefront_users u`: an address that somebody entered in a form, of which its owner has confirmed nothing,
 * that nobody can sign in with and that the store has no customer of. Anybody can enter any address, so it gets no
 * tags and goes to no system. No EXISTS, which a planner may answer from the whole table for each page of customers.
 */
export const IS_CONTACT = `(NOT u.email_verified AND u.storefront_customer_gid IS NULL
    AND u.password_hash = '' AND u.federated_sub IS NULL AND coalesce(
      (SELECT e.is_contact FROM user_extras e WHERE e.shop = u.shop AND e.user_id = u.id), false))`;

// Locks the customers in the order of their ids; the head of the consent log is locked after them. No
// row when the catalog has no tag of the rules.
const LOCK_FACTS = `
  SELECT u.id, (u.unproven_email IS NOT NULL OR ${IS_CONTACT}) AS is_waiting, u.number_of_orders, u.amount_spent,
    u.email_subscription_status, u.sms_subscription_status, u.tags_due_at,
    least(u.created_at, u.storefront_created_at) AS first_seen_at,
    ${LAST_ACTIVE_AT} AS last_active_at,
    c.consent_tos, c.consent_privacy, c.consent_cookie,
    (SELECT r.action FROM consent_records r WHERE r.shop = u.shop AND r.user_id = u.id
      AND r.consent_type = 'marketing' AND r.action IN ('granted', 'revoked')
      ORDER BY r.seq DESC LIMIT 1) AS marketing,
    ${held("= 'system'")} AS system, ${held("= 'ucp'")} AS by_shopper,
    ${held("NOT IN ('system', 'ucp')")} AS by_hand
  FROM storefront_users u LEFT JOIN user_claims c ON c.shop = u.shop AND c.user_id = u.id
  WHERE u.shop = $1 AND u.id = ANY(${anyLength(2, "int")}::int[]) AND u.status <> 'deleted'
    AND EXISTS (SELECT 1 FROM crm_tags WHERE shop = $1 AND slug = ANY(${anyLength(3, "text")}::text[]))
  ORDER BY u.id FOR NO KEY UPDATE OF u`;

/**
 * Locks the customers and returns those that are not deleted, each with its `sessions_valid_after`.
 *
 * Call it before `lockTaggedCustomers` when the transaction changes consents or tags but no customer row: a
 * statement that waited for a lock still sees other tables as of its start, so a second statement reads the facts.
 */
export async function lockCustomers(
  sql: TenantSql,
  userIds: readonly number[],
): Promise<ReadonlyMap<number, Date | null>> {
  if (userIds.length === 0) return new Map();
  const rows = await sql<Columns<StorefrontUser, "id" | "sessions_valid_after">>(
    `SELECT id, sessions_valid_after FROM storefront_users WHERE shop = $1 AND id = ANY($2::int[]) AND status <> 'deleted'
      ORDER BY id FOR NO KEY UPDATE`,
    [userIds],
  );
  return new Map(rows.map(({ id, sessions_valid_after: since }) => [id, since]));
}

/** Locks the customers; empty for a store whose catalog has no tag of the rules. */
export async function lockTaggedCustomers(
  sql: TenantSql,
  userIds: readonly number[],
): Promise<TaggedCustomer[]> {
  if (userIds.length === 0) return [];
  const rows = await sql<FactRow>(LOCK_FACTS, [userIds, SYSTEM_TAGS], "lock_tag_facts");
  return rows.map((row) => ({
    id: row.id,
    facts: {
      isWaiting: row.is_waiting,
      orders: row.number_of_orders,
      spent: row.amount_spent,
      firstSeenAt: row.first_seen_at,
      lastActiveAt: row.last_active_at,
      marketing: row.marketing,
      tos: row.consent_tos ?? false,
      privacy: row.consent_privacy ?? false,
      cookie: row.consent_cookie ?? false,
      emailSubscription: row.email_subscription_status?.toLowerCase() ?? null,
      smsSubscription: row.sms_subscription_status?.toLowerCase() ?? null,
    },
    held: { system: row.system, byShopper: row.by_shopper, byHand: row.by_hand },
    dueAt: row.tags_due_at,
  }));
}

/** Each change of one customer's tag; `isAdded` false: it was removed. */
type Written = Columns<CrmTag, "slug"> & { user_id: number; is_added: boolean };

// Safe to repeat: what is assigned stays, and only assignments of the rules and of the shopper are removed.
const WRITE = `
  WITH made AS (
    INSERT INTO user_tag_map (shop, user_id, tag_id, source)
    SELECT $1, wanted.user_id, t.id, 'system'
      FROM unnest($2::int[], $3::text[]) WITH ORDINALITY AS wanted(user_id, slug, place)
      JOIN crm_tags t ON t.shop = $1 AND t.slug = wanted.slug ORDER BY wanted.place
    ON CONFLICT (shop, user_id, tag_id) DO NOTHING RETURNING user_id, tag_id
  ), gone AS (
    DELETE FROM user_tag_map m USING unnest($4::int[], $5::text[]) AS ended(user_id, slug), crm_tags t
     WHERE m.shop = $1 AND m.user_id = ended.user_id AND m.source IN ('system', 'ucp')
       AND t.shop = $1 AND t.slug = ended.slug AND m.tag_id = t.id
    RETURNING m.user_id, m.tag_id
  )
  SELECT changed.user_id, t.slug, changed.is_added FROM (
    SELECT user_id, tag_id, true AS is_added FROM made
    UNION ALL SELECT user_id, tag_id, false FROM gone
  ) AS changed JOIN crm_tags t ON t.shop = $1 AND t.id = changed.tag_id`;

// From the row's newest state, so that a tag that was changed meanwhile is kept.
const MIRROR = `
  UPDATE storefront_users u SET tags_due_at = changed.due,
    tags = (u.tags - changed.removed) || (SELECT coalesce(jsonb_agg(slug), '[]') FROM
      unnest(changed.added) AS slug WHERE NOT u.tags ? slug),
    updated_at = CASE WHEN changed.added || changed.removed = '{}' THEN u.updated_at ELSE now() END
  FROM jsonb_to_recordset($2::jsonb)
    AS changed(id int, added text[], removed text[], due timestamptz)
  WHERE u.shop = $1 AND u.id = changed.id`;

/**
 * Who gets each tag change as an event of its own. `flow_only`, where the caller's own event takes the tags to
 * the systems; `nobody`, where Shopify Flow itself made the change.
 */
type Announce = "every_system" | "storefront" | "flow_only" | "nobody";

type TagRulesOptions = {
  announce: Announce;
  /** A run over all customers stays behind what happens now. */
  priority?: Priority | undefined;
};

/** The storefront alone of the systems that a change of tags is written to. */
export const storefrontOf = (ctx: Ctx, tenant: Tenant): string[] =>
  channelsFor("tag_change", tenant, ctx.channels).filter((name) => name === "storefront");

function destinationsOf(ctx: Ctx, tenant: Tenant, announce: Announce): string[] {
  switch (announce) {
    case "every_system":
      // Shopify Flow is one of them.
      return channelsFor("tag_change", tenant, ctx.channels);
    case "storefront":
      return [...storefrontOf(ctx, tenant), ...flowChannels(ctx, tenant)];
    case "flow_only":
      return flowChannels(ctx, tenant);
    case "nobody":
      return [];
  }
}

/**
 * Sets and removes the tags of the rules on locked customers, and enqueues each change. Returns the
 * number of customers who changed. Safe to repeat.
 */
export async function applyTagRules(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  customers: readonly TaggedCustomer[],
  options: TagRulesOptions,
): Promise<number> {
  const rules = tenant.config.tag_rules;
  const now = ctx.clock.now();
  const planned = customers.map(({ id, facts, held: before, dueAt }) => ({
    id,
    dueAt,
    nextAt: nextChangeAt(facts, rules, now),
    ...toSystemTagChange(systemTagsOf(facts, rules, now), before),
  }));
  const written = await writeTags(sql, planned);
  const slugsOf = (userId: number, isAdded: boolean) =>
    written
      .filter((row) => row.user_id === userId && row.is_added === isAdded)
      .map(({ slug }) => slug);
  const changes = planned.map((plan) => ({
    id: plan.id,
    added: slugsOf(plan.id, true),
    removed: slugsOf(plan.id, false),
    due: plan.nextAt,
    isDueMoved: isEarlier(plan.nextAt, plan.dueAt, now),
  }));
  const hasChanged = ({ added, removed }: { added: string[]; removed: string[] }) =>
    added.length + removed.length > 0;
  const changed = changes.filter(hasChanged);
  const stored = changes.filter((change) => hasChanged(change) || change.isDueMoved);
  if (stored.length > 0) await sql(MIRROR, [JSON.stringify(stored)]);
  await enqueueChanges(ctx, sql, changed, {
    destinations: destinationsOf(ctx, tenant, options.announce),
    priority: options.priority,
  });
  return changed.length;
}

type PlannedTags = { id: number; add: readonly string[]; remove: readonly string[] };

/** Returns what was written: a tag that is not in the store's catalog is left out. */
async function writeTags(sql: TenantSql, planned: readonly PlannedTags[]): Promise<Written[]> {
  const pairsOf = (list: "add" | "remove") =>
    planned.flatMap((plan) => plan[list].map((slug) => ({ id: plan.id, slug })));
  const [add, remove] = [pairsOf("add"), pairsOf("remove")];
  if (add.length + remove.length === 0) return [];
  return sql<Written>(WRITE, [
    add.map(({ id }) => id),
    add.map(({ slug }) => slug),
    remove.map(({ id }) => id),
    remove.map(({ slug }) => slug),
  ]);
}

/** A later time needs no write: the customer is looked at once too often, and gets the new time then. */
const isEarlier = (next: Date | null, stored: Date | null, now: Date): boolean =>
  stored === null ? next !== null : stored <= now || (next !== null && next < stored);

async function enqueueChanges(
  ctx: Ctx,
  sql: TenantSql,
  changed: readonly { id: number; added: string[]; removed: string[] }[],
  { destinations, priority }: Pick<ManyEvents, "destinations" | "priority">,
): Promise<void> {
  if (changed.length === 0 || destinations.length === 0) return;
  await enqueueMany(sql, {
    source: "backend",
    entityType: "customer",
    destinations,
    priority,
    events: changed.map(({ id, added, removed }) => ({
      eventId: ctx.random.orderedUuid(),
      eventType: "customer.tags_changed",
      entityId: String(id),
      payload: { user_id: id, cause: "tag_change", tags_added: added, tags_removed: removed },
      occurredAt: ctx.clock.now(),
    })),
  });
}

/** The same for customers whose facts the caller's transaction has changed. */
export async function updateSystemTags(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  userIds: readonly number[],
  options: TagRulesOptions,
): Promise<number> {
  const customers = await lockTaggedCustomers(sql, userIds);
  return applyTagRules(ctx, tenant, sql, customers, options);
}

/** The priority of background changes: a run over all customers, and tags that change by time alone. */
export const BACKGROUND_PRIORITY: Priority = 4;
