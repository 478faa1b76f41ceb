// The inbox of storefront webhooks: stored before the response, processed afterwards.
//
//   pending -> processing -> done | pending (later) | failed
//
// The platform waits 5 s, retries 8 times and then deletes the subscription, so the request only
// verifies the signature and stores one row. The body is emptied after processing, because it is
// personal data.
import { hash } from "node:crypto";
import { z } from "zod";
import type { Ctx } from "../../../context.server.ts";
import {
  NumberedPayload,
  parseWithExactIds,
} from "../../../integrations/storefront/payload-ids.ts";
import type { Columns, WebhookInbox } from "../../../db.server.ts";
import { batchColumns } from "../../../runtime/database/batch-columns.ts";
import type { Database } from "../../../runtime/database/database.ts";
import { createGroupCommit, type GroupCommit } from "../../../runtime/database/group-commit.ts";
import type { Turns } from "../../../runtime/database/queue/claim-in-turns.ts";
import { LeaseLost } from "../../../runtime/database/queue/lease.ts";
import { leasedTable, type LeasedRow } from "../../../runtime/database/queue/leased-table.ts";
import { activeTraceParent } from "../../../runtime/telemetry/tracing.ts";
import { derivedEventId } from "../../bus/enqueue.ts";
import { notFarAhead } from "../customer-change.ts";
import {
  currentShops,
  assertCurrentInRegion,
  StaleTenantError,
  versionValues,
  type Tenant,
} from "../../tenants/tenant.ts";
import type { WebhookTopic } from "../../tenants/storefront/webhook-topics.ts";

export const INBOX_NOTIFICATION = "webhook_inbox";
export const INBOX_LEASE_SECONDS = 10;
/** In work at a time in one process. A store whose admin is silent keeps its slots for 15 s with each. */
export const INBOX_CONCURRENCY = 48;
const MAX_PER_STORE = 12;
const RETRY_SECONDS = [10, 30, 120, 600, 1_800];

/**
 * The identity of a delivery. Two subscriptions for a topic send two deliveries of one event with
 * different delivery ids (shopify.dev "Ignore duplicate webhooks"), so the event id and what the
 * payload is about decide; the delivery id only when there is no event id.
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
  traceParent: string | null;
};

/** `eventId`: the bus event of the same delivery, whose rows wait for this work. */
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
  traceParent: string | null;
};

const ARRIVALS = batchColumns<Arrival>({
  shop: ["text", ({ tenant }) => tenant.shop],
  delivery_id: ["text", ({ deliveryId }) => deliveryId],
  topic: ["text", ({ topic }) => topic],
  storefront_event_id: ["text", ({ storefrontEventId }) => storefrontEventId],
  body: ["text", ({ body }) => body],
  triggered_at: ["timestamptz", ({ triggeredAt }) => triggeredAt],
  trace_parent: ["text", ({ traceParent }) => traceParent],
});

// Sorted, so that two batches with the same deliveries in another order wait for each other instead
// of deadlocking. Safe to repeat: a known delivery or event adds nothing.
const insertInto = (region: string) => `
  WITH current AS (${currentShops(region, "$1", "$2", "$3")}),
  arrived AS (
    SELECT DISTINCT ON (shop, identity) *
      FROM unnest(${ARRIVALS.arrays(4)}) WITH ORDINALITY AS a(${ARRIVALS.names}, place),
      LATERAL (SELECT CASE WHEN storefront_event_id IS NULL THEN 'delivery ' || delivery_id
        ELSE 'event ' || topic || ' ' || storefront_event_id END AS identity) AS known_by
    WHERE shop IN (SELECT shop FROM current)
    ORDER BY shop, identity, place
  ),
  stored AS (
    INSERT INTO webhook_inbox (${ARRIVALS.names})
    SELECT ${ARRIVALS.names} FROM arrived
    ORDER BY shop, identity
    ON CONFLICT DO NOTHING
    RETURNING shop, delivery_id, topic, storefront_event_id
  )
  SELECT current.shop, stored.delivery_id, stored.topic, stored.storefront_event_id FROM current
    LEFT JOIN stored ON stored.shop = current.shop`;

type Received = "new" | "known" | "stale_tenant";
/** All fields but the shop are null for a current shop without a stored delivery. */
type StoredRow = Columns<WebhookInbox, "shop" | "delivery_id" | "topic" | "storefront_event_id">;

/** One text per identity within a batch. */
export const identityKey = (
  shop: string,
  { topic, deliveryId, storefrontEventId }: DeliveryIdentity,
): string =>
  storefrontEventId === null
    ? `${shop} delivery ${deliveryId}`
    : `${shop} event ${topic} ${storefrontEventId}`;

/**
 * The bus event that a delivery to `/webhooks/*` makes. `whole`: the complete change of this webhook;
 * `payload`: its own part, until the rest can be fetched.
 */
export type InboxStep = "whole" | "payload" | "order";
export const inboxEventId = (shop: string, deliveryId: string, step: InboxStep): string =>
  derivedEventId(5, `${shop}\n${deliveryId}\n${step}`);

const inboxes = new WeakMap<Database, GroupCommit<Arrival, Received>>();

function inboxOf(database: Database): GroupCommit<Arrival, Received> {
  const known = inboxes.get(database);
  if (known) return known;
  const statement = insertInto(database.region);
  const made = createGroupCommit<Arrival, Received>(async (batch) => {
    const rows = await database.acrossTenants<StoredRow>(
      statement,
      [...versionValues(batch.map((arrival) => arrival.tenant)), ...ARRIVALS.values(batch)],
      `receive_webhook_${database.region}`,
    );
    const current = new Set(rows.map((row) => row.shop));
    // When one batch contains a delivery twice, the first counts as new.
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

/**
 * Resolves once the delivery is committed. A repeated delivery is `false` and changes nothing.
 * Throws StaleTenantError.
 */
export async function receiveWebhook(
  ctx: Ctx,
  tenant: Tenant,
  arrival: Omit<Arrival, "tenant" | "traceParent">,
): Promise<boolean> {
  await assertCurrentInRegion(ctx, tenant);
  const received = await inboxOf(ctx.regions.get(tenant.region)).add({
    ...arrival,
    tenant,
    traceParent: activeTraceParent(),
  });
  if (received === "stale_tenant") throw new StaleTenantError();
  return received === "new";
}

const MAX_ID = 200;

/** A delivery's content as it was sent, and as it was parsed. */
export type DeliveryContent = { text: string; body: unknown };

/**
 * Reads the identity from the delivery's headers. Without ids, the hash of the content is the
 * identity.
 */
export function toDeliveryIdentity(
  topic: string,
  content: DeliveryContent,
  named: { deliveryId: string | undefined; storefrontEventId: string | undefined },
): DeliveryIdentity {
  return {
    topic,
    deliveryId:
      named.deliveryId?.slice(0, MAX_ID) ?? `sha256:${hash("sha256", `${topic}\n${content.text}`)}`,
    storefrontEventId: named.storefrontEventId
      ? `${named.storefrontEventId.slice(0, MAX_ID)}${subjectOf(content)}`
      : null,
  };
}

const GID = z.string().regex(/^gid:\/\/shopify\/\w+\/\d{1,20}$/);
const Subject = z.object({
  admin_graphql_api_customer_deleted_id: GID.optional().catch(undefined),
  admin_graphql_api_id: GID.optional().catch(undefined),
  customerId: GID.optional().catch(undefined),
});

/**
 * One action of a merchant's on several customers or orders has one event id (shopify.dev "Webhook
 * headers"), so the number that the payload is about belongs to the event's identity. Two subscriptions
 * may name it differently, by gid or number.
 */
function subjectOf({ text, body }: DeliveryContent): string {
  const { data } = Subject.safeParse(body);
  const gid =
    data?.admin_graphql_api_customer_deleted_id ?? data?.admin_graphql_api_id ?? data?.customerId;
  if (gid) return `/${gid.slice(gid.lastIndexOf("/") + 1)}`;
  const named = NumberedPayload.parse(parseWithExactIds(text));
  const number = named.id ?? named.customer_id ?? named.customerId;
  return number ? `/${number}` : "";
}

/** The inbox as a leased table. A dead worker's rows are claimed again when their lease expires. */
export const webhookInbox = leasedTable<LeasedRow & ClaimedRow>({
  table: "webhook_inbox",
  idType: "bigint",
  stateColumn: "status",
  waiting: "pending",
  running: "processing",
  orderBy: "next_attempt_at",
  maxPerStore: MAX_PER_STORE,
  leaseSeconds: INBOX_LEASE_SECONDS,
  columns: [
    "event_id",
    "delivery_id",
    "topic",
    "body",
    "triggered_at",
    "received_at",
    "attempts",
    "trace_parent",
  ],
});

type ClaimedRow = Columns<
  WebhookInbox,
  | "id"
  | "event_id"
  | "delivery_id"
  | "topic"
  | "body"
  | "triggered_at"
  | "received_at"
  | "attempts"
  | "trace_parent"
> & { topic: WebhookTopic };

/**
 * Claims rows with an expired lease and due rows, one store after the other, those of a store in the order of arrival.
 * Moves `turns` on.
 */
export async function claimWebhooks(
  database: Database,
  limit: number,
  turns: Turns,
): Promise<InboxItem[]> {
  const rows = await webhookInbox.claimInTurns(database, limit, turns);
  return rows
    .map((row) => ({
      shop: row.shop,
      id: row.id,
      eventId: row.event_id,
      deliveryId: row.delivery_id,
      topic: row.topic,
      body: row.body,
      // The header is not signed.
      triggeredAt: row.triggered_at && notFarAhead(row.triggered_at, row.received_at),
      receivedAt: row.received_at,
      attempts: row.attempts,
      token: row.attempt_token,
      traceParent: row.trace_parent,
    }))
    .sort((a, b) => a.id - b.id);
}

export const renewWebhookLeases = (database: Database, items: readonly InboxItem[]) =>
  webhookInbox.renew(database, items);

/** Releases rows unprocessed when the process stops. */
export const releaseWebhooks = (database: Database, items: readonly InboxItem[]) =>
  webhookInbox.release(database, items);

const FINISHED = "status = 'done', body = '', processed_at = clock_timestamp(), last_error = NULL";
const finishers = new WeakMap<Database, GroupCommit<InboxItem, boolean>>();

/** Webhooks of any store that are finished at the same time share a commit. */
function finisherOf(database: Database): GroupCommit<InboxItem, boolean> {
  const known = finishers.get(database);
  if (known) return known;
  const made = createGroupCommit<InboxItem, boolean>((items) =>
    webhookInbox.settleMany(database, items, FINISHED),
  );
  finishers.set(database, made);
  return made;
}

/** Throws LeaseLost when another worker holds the row. */
export async function finishWebhook(database: Database, item: InboxItem): Promise<void> {
  const isHeld = await finisherOf(database).add(item);
  if (!isHeld) throw new LeaseLost(`webhook_inbox ${item.id}`);
}

/**
 * Schedules a retry, or marks the row `failed` when no retries are left: the catch-up sync then
 * repairs the customer. Throws LeaseLost.
 */
export async function postponeWebhook(
  database: Database,
  item: InboxItem,
  error: string,
): Promise<"pending" | "failed"> {
  const delaySeconds = RETRY_SECONDS[item.attempts];
  const status = delaySeconds === undefined ? "failed" : "pending";
  await webhookInbox.settle(
    database.forTenant(item.shop).sql,
    item,
    `status = $4, attempts = attempts + 1, last_error = $5,
     next_attempt_at = clock_timestamp() + make_interval(secs => $6)`,
    [status, error.slice(0, 2_000), delaySeconds ?? 0],
  );
  return status;
}
