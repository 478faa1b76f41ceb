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

/**
 * What a delivery is known by. Two subscriptions for a topic are two deliveries of one event, under ids of their own
 * (shopify.dev "Ignore duplicate webhooks"): the event counts, and the delivery only where no event is named.
 */
export type DeliveryIdentity = {
  topic: string;
  deliveryId: string;
  storefrontEventId: string | null;
};

type Arrival = DeliveryIdentity & {
  tenant: Tenant;
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
// Safe to repeat: a delivery or an event that is known adds nothing.
const insertInto = (region: string) => `
  WITH current AS (${currentShops(region, "$7", "$8", "$9")}),
  arrived AS (
    SELECT DISTINCT ON (shop, identity) * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[]) WITH ORDINALITY AS a(shop, delivery_id, topic, storefront_event_id, body, triggered_at, place),
      LATERAL (SELECT CASE WHEN storefront_event_id IS NULL THEN 'delivery ' || delivery_id ELSE 'event ' || topic || ' ' || storefront_event_id END AS identity) AS known_by
    WHERE shop IN (SELECT shop FROM current)
    ORDER BY shop, identity, place
  ),
  stored AS (
    INSERT INTO webhook_inbox (shop, delivery_id, topic, storefront_event_id, body, triggered_at)
    SELECT shop, delivery_id, topic, storefront_event_id, body, triggered_at FROM arrived ORDER BY shop, identity
    ON CONFLICT DO NOTHING
    RETURNING shop, delivery_id, topic, storefront_event_id
  )
  SELECT current.shop, stored.delivery_id, stored.topic, stored.storefront_event_id FROM current LEFT JOIN stored ON stored.shop = current.shop`;

type Received = "new" | "known" | "stale_tenant";
/** All but the shop is null for a current shop of which nothing was stored. */
type StoredRow = {
  shop: string;
  delivery_id: string;
  topic: string;
  storefront_event_id: string | null;
};

/** One text per identity within a batch. */
export const identityKey = (
  shop: string,
  { topic, deliveryId, storefrontEventId }: DeliveryIdentity,
): string =>
  storefrontEventId === null
    ? `${shop} delivery ${deliveryId}`
    : `${shop} event ${topic} ${storefrontEventId}`;
const inboxes = new WeakMap<Database, GroupCommit<Arrival, Received>>();

function inboxOf(database: Database): GroupCommit<Arrival, Received> {
  const known = inboxes.get(database);
  if (known) return known;
  const statement = insertInto(database.region);
  const made = createGroupCommit<Arrival, Received>(async (batch) => {
    const rows = await database.acrossTenants<StoredRow>(
      statement,
      [
        batch.map((arrival) => arrival.tenant.shop),
        batch.map((arrival) => arrival.deliveryId),
        batch.map((arrival) => arrival.topic),
        batch.map((arrival) => arrival.storefrontEventId),
        batch.map((arrival) => arrival.body),
        batch.map((arrival) => arrival.triggeredAt),
        ...versionValues(batch.map((arrival) => arrival.tenant)),
      ],
      `receive_webhook_${database.region}`,
    );
    const current = new Set(rows.map((row) => row.shop));
    // Of two in one batch that are the same delivery the first is the new one.
    const stored = new Set(
      rows.map(({ shop, delivery_id: deliveryId, storefront_event_id: storefrontEventId, topic }) =>
        identityKey(shop, { deliveryId, storefrontEventId, topic }),
      ),
    );
    return batch.map((arrival) => {
      const { shop } = arrival.tenant;
      if (stored.delete(identityKey(shop, arrival))) return "new";
      return current.has(shop) ? "known" : "stale_tenant";
    });
  });
  inboxes.set(database, made);
  return made;
}

/** Resolves once the delivery is on disk. A repetition of a delivery is `false` and changes nothing. Throws StaleTenant. */
export async function receiveWebhook(
  ctx: Ctx,
  tenant: Tenant,
  arrival: Omit<Arrival, "tenant">,
): Promise<boolean> {
  await requireCurrentAway(ctx, tenant);
  const received = await inboxOf(ctx.regions.get(tenant.region)).add({ ...arrival, tenant });
  if (received === "stale_tenant") throw new StaleTenant();
  return received === "new";
}

const MAX_ID = 200;

/** From what the headers of a delivery say; one that names nothing is known by what it says. */
export function toDeliveryIdentity(
  topic: string,
  body: string,
  named: { deliveryId: string | undefined; storefrontEventId: string | undefined },
): DeliveryIdentity {
  return {
    topic,
    deliveryId:
      named.deliveryId?.slice(0, MAX_ID) ?? `sha256:${hash("sha256", `${topic}\n${body}`)}`,
    storefrontEventId: named.storefrontEventId?.slice(0, MAX_ID) || null,
  };
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
