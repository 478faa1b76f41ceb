// A configured store with a running worker, and each channel's system in the sandbox.
import { randomUUID } from "node:crypto";
import { enqueue } from "../../../app/domain/bus/enqueue.ts";
import { startWorker, type Worker } from "../../../app/domain/bus/worker.ts";
import { SYSTEM_NAMES, type SystemName } from "../../../app/sandbox/faults.ts";
import type { Sandbox } from "../../../app/sandbox/server.ts";
import { eventually, SHOP, startService, type Service } from "../service.ts";
import { connectStore } from "../storefront/storefront.ts";
import { letRetriesComeDue } from "./queue.ts";

export const SECRETS: Record<string, string> = {
  cms_api_token: "cms-secret-0123456789",
  analytics_api_secret: "analytics-secret-0123456789",
  profile_platform_token: "profile-secret-0123456789",
  email_api_key: "email-secret-0123456789",
  erp_password: "erp-secret-0123456789",
  retail_analytics_b_token: "retail-secret-0123456789",
};

/** The signature in the drop's address. */
const DROP_SIGNATURE = "drop-signature-0123456789";

/** The settings of every system of a store, in the sandbox. */
export const storeFields = ({ addresses }: Sandbox): Record<string, unknown> => ({
  ...SECRETS,
  email_from: "Test Store <hello@test-store.example>",
  erp_base_url: addresses.erpBaseUrl,
  erp_username: "crm",
  erp_defaults: { bukrs: "1000", vkorg: "1010", vtweg: "10" },
  retail_analytics_a_url: `${addresses.retailAnalyticsAUrl}/drops?sig=${DROP_SIGNATURE}`,
  retail_analytics_b_url: addresses.retailAnalyticsBUrl,
  flow_enabled: true,
});

/**
 * The calls of a delivery of a new customer and of a rejected one. `work` is the path of the calls
 * that do the work, where the system receives others too. `withoutPerson`: a missing person counts
 * as a missing consent.
 */
export type Wired = {
  system: SystemName;
  calls: number;
  refused: Record<400 | 401 | 403, number>;
  withoutSettings: RegExp;
  work?: string;
  withoutPerson?: RegExp;
  /** The event that makes the channel send something about a customer of the store. */
  event?: { type: string; payload: Record<string, unknown> };
};
/**
 * Delivers inside the service: no address, no credentials, cannot be disabled. `says` is its log
 * note for a customer.
 */
export type Unwired = { system: null; says: string | null };
export type Expected = Wired | Unwired;
const ONE_CALL = {
  calls: 1,
  refused: { 400: 1, 401: 1, 403: 1 },
  withoutSettings: /not set|not enabled/,
};

export const isWired = (name: string): boolean => EXPECTED[name]?.system !== null;

export const EXPECTED: Record<string, Expected> = {
  archive: { system: null, says: null },
  backend: { system: null, says: "customer.updated changes nothing in the built-in backend" },
  cms: { system: "cms", ...ONE_CALL },
  web_analytics: { system: "analytics", ...ONE_CALL },
  profile_platform: { system: "profilePlatform", ...ONE_CALL },
  email: { system: "email", ...ONE_CALL },
  erpsys: { system: "erp", ...ONE_CALL },
  erp_generic: { system: "erp", ...ONE_CALL },
  retail_analytics_a: {
    system: "retailAnalyticsA",
    ...ONE_CALL,
    withoutPerson: /^consent_missing: analytics_partners$/,
  },
  retail_analytics_b: {
    system: "retailAnalyticsB",
    ...ONE_CALL,
    withoutPerson: /^consent_missing: analytics_partners$/,
  },
  // Look-up, creation, update. A 401 counts only after a token refresh and another attempt.
  storefront: {
    system: "storefront",
    calls: 3,
    refused: { 400: 1, 401: 3, 403: 1 },
    withoutSettings: /No storefront token is stored/,
    work: "/graphql.json",
  },
  // A 401 counts only after a token refresh and another attempt.
  flow: {
    system: "storefront",
    calls: 1,
    refused: { 400: 1, 401: 3, 403: 1 },
    withoutSettings: /not enabled/,
    work: "/graphql.json",
    event: { type: "customer.tags_changed", payload: { tags_added: ["vip"] } },
  },
};

export type ChannelApp = {
  service: Service;
  /** Every secret of the store, including the storefront's token pair. */
  secrets(): string[];
  /** Empties everything, configures the store and starts a new worker. */
  reset(): Promise<void>;
  /** The person's latest decision about the retail partners in the consent log. */
  consentToRetail(userId: number, action?: "granted" | "revoked", shop?: string): Promise<void>;
  /** Sends one event to one channel; returns its id. */
  send(channel: string, userId: number, options?: { shop?: string }): Promise<string>;
  settled(eventId: string, withinMs?: number): Promise<SettledRow>;
  /** Makes a retry due and waits until the row is settled. */
  retry(eventId: string): Promise<SettledRow>;
  calls(channel: string): number;
  stop(): Promise<void>;
};

type SettledRow = {
  status: string;
  retry_count: number;
  last_error: string | null;
  transformed_payload: Record<string, unknown> | null;
  delivery_config: Record<string, unknown> | null;
  due_in: number;
};

export async function startChannelApp(): Promise<ChannelApp> {
  const service = await startService({ env: { EMAIL_API_KEY: "", EMAIL_FROM: "" } });
  const { database, sandbox } = service;
  let worker: Worker | null = null;
  let generation = 0;
  let secrets: string[] = [];

  const settled = (eventId: string, withinMs?: number) =>
    eventually(
      "the row to settle",
      async () => {
        const [row] = await database.query<SettledRow & { was_tried: boolean }>(
          `SELECT status, retry_count, last_error, transformed_payload, delivery_config,
            extract(epoch FROM next_attempt_at - clock_timestamp())::float8 AS due_in,
           status IN ('delivered', 'dead_letter') OR (status = 'pending' AND retry_count > 0
             AND next_attempt_at > clock_timestamp()) AS was_tried
         FROM integration_queue WHERE event_id = $1`,
          [eventId],
        );
        return row?.was_tried && row;
      },
      withinMs,
    );

  return {
    service,
    settled,
    secrets: () => secrets,
    async reset() {
      await worker?.stop();
      await database.truncate();
      // The sandbox keeps its contents: people of different tests must not have the same ids.
      await database.query("SELECT setval('storefront_users_id_seq', $1)", [(generation += 1_000)]);
      sandbox.clearFaults();
      sandbox.email.clearInbox();
      const pair = await connectStore(service, SHOP, storeFields(sandbox));
      secrets = [...Object.values(SECRETS), DROP_SIGNATURE, pair.accessToken, pair.refreshToken];
      await database.query(
        `INSERT INTO integration_mappings (shop, channel, entity_type, mapping)
          SELECT shop, 'erp_generic', 'customer', $2 FROM unnest($1::text[]) AS shop`,
        [
          [SHOP, "bare-store.myshopify.com"],
          JSON.stringify({
            fields: { mail: "email", "name.first": "first_name" },
            required: ["mail"],
          }),
        ],
      );
      worker = await startWorker(service.ctx, service.ctx.home);
    },
    async consentToRetail(userId, action = "granted", shop = SHOP) {
      await database.query(
        `INSERT INTO consent_records (shop, user_id, consent_type, action, method, consent_id, seq, prev_hash, hash)
         SELECT $1, $2, 'analytics_partners', $3, 'test', gen_random_uuid()::text,
           coalesce(max(seq), 0) + 1, '', '' FROM consent_records WHERE shop = $1`,
        [shop, userId, action],
      );
    },
    async send(channel, userId, { shop = SHOP } = {}) {
      const eventId = randomUUID();
      const expected = EXPECTED[channel];
      const event = expected && "event" in expected ? expected.event : undefined;
      if (event)
        await database.query(
          `UPDATE storefront_users SET storefront_customer_gid = 'gid://shopify/Customer/' || id
            WHERE shop = $1 AND id = $2`,
          [shop, userId],
        );
      await enqueue(service.ctx.home.forTenant(shop).sql, {
        eventId,
        source: "storefront",
        eventType: event?.type ?? "customer.updated",
        entityType: "customer",
        entityId: String(userId),
        payload: {
          user_id: userId,
          ...(channel === "email" && { template: "welcome" }),
          ...event?.payload,
        },
        occurredAt: new Date(),
        destinations: [channel],
      });
      return eventId;
    },
    async retry(eventId) {
      await letRetriesComeDue(database, eventId);
      return settled(eventId);
    },
    calls(channel) {
      const { system } = EXPECTED[channel] as Expected;
      return system === null
        ? SYSTEM_NAMES.reduce((sum, name) => sum + sandbox.requests(name).length, 0)
        : sandbox.requests(system).length;
    },
    async stop() {
      await worker?.stop();
      await service.stop();
    },
  };
}
