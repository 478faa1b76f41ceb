// The inbox of storefront webhooks: stored before the response (receive-webhook.ts), processed afterwards.
//
//   pending -> processing -> done | pending (later) | failed
//
// The body is emptied after processing, because it is personal data.
import type { Columns, WebhookInbox } from "../../../db.server.ts";
import type { Database } from "../../../runtime/database/database.ts";
import { createGroupCommit, type GroupCommit } from "../../../runtime/database/group-commit.ts";
import type { Turns } from "../../../runtime/database/queue/claim-in-turns.ts";
import { LeaseLost } from "../../../runtime/database/queue/lease.ts";
import { leasedTable, type LeasedRow } from "../../../runtime/database/queue/leased-table.ts";
import type { WebhookTopic } from "../../tenants/storefront/webhook-topics.ts";
import { notFarAhead } from "../customer-change.ts";

export const INBOX_NOTIFICATION = "webhook_inbox";
export const INBOX_LEASE_SECONDS = 10;
/** In work at a time in one process. A store whose admin is silent keeps its slots for 15 s with each. */
export const INBOX_CONCURRENCY = 48;
const MAX_PER_STORE = 12;
const RETRY_SECONDS = [10, 30, 120, 600, 1_800];

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
