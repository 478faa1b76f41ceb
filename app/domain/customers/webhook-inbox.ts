// The inbox of storefront webhooks: stored before they are answered, worked afterwards.
//
//   pending -> processing -> done | pending (later) | failed
//
// The platform waits 5 s, repeats 8 times and then deletes the subscription, so nothing but one durable row stands
// between the signature and the 200. The body is emptied once it is done: it is personal data.
import { hash } from "node:crypto";
import type { Ctx } from "../../context.server.ts";
import type { Database } from "../../runtime/database.ts";
import { createGroupCommit, type GroupCommit } from "../../runtime/group-commit.ts";
import {
  currentShops,
  requireCurrentAway,
  StaleTenant,
  versionValues,
  type Tenant,
} from "../tenants/tenant.ts";
import type { WebhookTopic } from "../tenants/webhook-topics.ts";

export const INBOX_NOTIFICATION = "webhook_inbox";
export const INBOX_LEASE_SECONDS = 10;
const RETRY_SECONDS = [10, 30, 120, 600, 1_800];

type Arrival = {
  tenant: Tenant;
  deliveryId: string;
  topic: WebhookTopic;
  body: string;
  triggeredAt: Date | null;
};

/** `eventId`: the bus event that came with it, whose rows wait for this work. */
export type InboxItem = {
  shop: string;
  id: number;
  eventId: string | null;
  deliveryId: string;
  topic: WebhookTopic;
  body: string;
  triggeredAt: Date | null;
  receivedAt: Date;
  attempts: number;
  token: string;
};

// Sorted, so that two batches with the same deliveries in another order wait for each other instead of deadlocking.
// Safe to repeat: a delivery that is known adds nothing.
const insertInto = (region: string) => `
  WITH current AS (${currentShops(region, "$6", "$7", "$8")}),
  stored AS (
    INSERT INTO webhook_inbox (shop, delivery_id, topic, body, triggered_at)
    SELECT DISTINCT ON (shop, delivery_id) * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::timestamptz[]) AS a(shop, delivery_id, topic, body, triggered_at)
    WHERE shop IN (SELECT shop FROM current)
    ORDER BY shop, delivery_id
    ON CONFLICT (shop, delivery_id) DO NOTHING
    RETURNING shop, delivery_id
  )
  SELECT current.shop, stored.delivery_id FROM current LEFT JOIN stored ON stored.shop = current.shop`;

type Received = "new" | "known" | "stale_tenant";
const inboxes = new WeakMap<Database, GroupCommit<Arrival, Received>>();

function inboxOf(database: Database): GroupCommit<Arrival, Received> {
  const known = inboxes.get(database);
  if (known) return known;
  const statement = insertInto(database.region);
  const made = createGroupCommit<Arrival, Received>(async (batch) => {
    const rows = await database.acrossTenants<{ shop: string; delivery_id: string | null }>(
      statement,
      [
        batch.map((arrival) => arrival.tenant.shop),
        batch.map((arrival) => arrival.deliveryId),
        batch.map((arrival) => arrival.topic),
        batch.map((arrival) => arrival.body),
        batch.map((arrival) => arrival.triggeredAt),
        ...versionValues(batch.map((arrival) => arrival.tenant)),
      ],
      `receive_webhook_${database.region}`,
    );
    const current = new Set(rows.map((row) => row.shop));
    // Of two in one batch that are the same delivery the first is the new one.
    const stored = new Set(rows.map((row) => `${row.shop}/${row.delivery_id}`));
    return batch.map(({ tenant: { shop }, deliveryId }) =>
      stored.delete(`${shop}/${deliveryId}`) ? "new" : current.has(shop) ? "known" : "stale_tenant",
    );
  });
  inboxes.set(database, made);
  return made;
}

/** Resolves once the delivery is on disk. A repetition of a delivery is `false` and changes nothing. Throws StaleTenant. */
export async function receiveWebhook(
  ctx: Ctx,
  tenant: Tenant,
  arrival: {
    deliveryId: string | undefined;
    topic: WebhookTopic;
    body: string;
    triggeredAt: Date | null;
  },
): Promise<boolean> {
  await requireCurrentAway(ctx, tenant);
  const received = await inboxOf(ctx.regions.get(tenant.region)).add({
    ...arrival,
    tenant,
    deliveryId: deliveryIdOf(arrival),
  });
  if (received === "stale_tenant") throw new StaleTenant();
  return received === "new";
}

/** A sender that names no delivery is known by what it sent. */
export function deliveryIdOf(arrival: {
  deliveryId: string | undefined;
  topic: string;
  body: string;
}): string {
  return (
    arrival.deliveryId?.slice(0, 200) ??
    `sha256:${hash("sha256", `${arrival.topic}\n${arrival.body}`)}`
  );
}

type ClaimedRow = {
  shop: string;
  id: number;
  event_id: string | null;
  delivery_id: string;
  topic: WebhookTopic;
  body: string;
  triggered_at: Date | null;
  received_at: Date;
  attempts: number;
  attempt_token: string;
};

/** Claims what is due, and what a dead worker held. Two claims never return the same row. */
export async function claimWebhooks(database: Database, limit: number): Promise<InboxItem[]> {
  const rows = await database.acrossTenants<ClaimedRow>(
    `WITH due AS (
       SELECT shop, id FROM webhook_inbox WHERE status = 'pending' AND next_attempt_at <= clock_timestamp() ORDER BY next_attempt_at, id LIMIT $1 FOR UPDATE SKIP LOCKED
     ),
     lost AS (
       SELECT shop, id FROM webhook_inbox WHERE status = 'processing' AND locked_until < clock_timestamp() ORDER BY locked_until LIMIT $1 FOR UPDATE SKIP LOCKED
     ),
     chosen AS (SELECT * FROM due UNION ALL SELECT * FROM lost LIMIT $1)
     UPDATE webhook_inbox w SET status = 'processing', locked_until = clock_timestamp() + make_interval(secs => ${INBOX_LEASE_SECONDS}), attempt_token = gen_random_uuid()
     FROM chosen WHERE w.shop = chosen.shop AND w.id = chosen.id
     RETURNING w.shop, w.id, w.event_id, w.delivery_id, w.topic, w.body, w.triggered_at, w.received_at, w.attempts, w.attempt_token`,
    [limit],
  );
  return rows
    .map((row) => ({
      shop: row.shop,
      id: row.id,
      eventId: row.event_id,
      deliveryId: row.delivery_id,
      topic: row.topic,
      body: row.body,
      triggeredAt: row.triggered_at,
      receivedAt: row.received_at,
      attempts: row.attempts,
      token: row.attempt_token,
    }))
    .sort((a, b) => a.id - b.id);
}

export async function finishWebhook(database: Database, item: InboxItem): Promise<void> {
  await database
    .forTenant(item.shop)
    .sql(
      "UPDATE webhook_inbox SET status = 'done', body = '', processed_at = clock_timestamp(), attempt_token = NULL, locked_until = NULL, last_error = NULL WHERE shop = $1 AND id = $2 AND attempt_token = $3",
      [item.id, item.token],
    );
}

/** Back to the inbox for later, or `failed` when it has been tried often enough: then the catch-up sync heals it. */
export async function postponeWebhook(
  database: Database,
  item: InboxItem,
  error: string,
): Promise<"pending" | "failed"> {
  const delaySeconds = RETRY_SECONDS[item.attempts];
  const status = delaySeconds === undefined ? "failed" : "pending";
  await database.forTenant(item.shop).sql(
    `UPDATE webhook_inbox SET status = $4, attempts = attempts + 1, last_error = $5, attempt_token = NULL, locked_until = NULL, next_attempt_at = clock_timestamp() + make_interval(secs => $6)
     WHERE shop = $1 AND id = $2 AND attempt_token = $3`,
    [item.id, item.token, status, error.slice(0, 2_000), delaySeconds ?? 0],
  );
  return status;
}

/** Extends the leases that are still ours; safe to repeat. */
export async function renewWebhookLeases(
  database: Database,
  items: readonly InboxItem[],
): Promise<void> {
  await database.acrossTenants(
    `UPDATE webhook_inbox w SET locked_until = clock_timestamp() + make_interval(secs => ${INBOX_LEASE_SECONDS})
     FROM unnest($1::text[], $2::bigint[], $3::uuid[]) AS held(shop, id, token) WHERE w.shop = held.shop AND w.id = held.id AND w.attempt_token = held.token`,
    [items.map((item) => item.shop), items.map((item) => item.id), items.map((item) => item.token)],
  );
}

/** Gives rows back untouched when the process stops. */
export async function releaseWebhooks(
  database: Database,
  items: readonly InboxItem[],
): Promise<void> {
  await database.acrossTenants(
    `UPDATE webhook_inbox w SET status = 'pending', attempt_token = NULL, locked_until = NULL
     FROM unnest($1::text[], $2::bigint[], $3::uuid[]) AS held(shop, id, token) WHERE w.shop = held.shop AND w.id = held.id AND w.attempt_token = held.token`,
    [items.map((item) => item.shop), items.map((item) => item.id), items.map((item) => item.token)],
  );
}
