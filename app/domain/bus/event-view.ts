// One event as the merchant sees it: its envelope without its payload, where it went, and every attempt. No person stands here.
import type { Ctx } from "../../context.server.ts";
import { AppError } from "../../runtime/errors.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { toListed, type ListedAttempt } from "./attempt-list.ts";
import { toFailure, type Failure } from "./failure-kind.ts";

type Envelope = {
  source: string;
  event_type: string;
  entity_type: string;
  entity_id: string;
  priority: number;
  destinations: string[];
  occurred_at: Date | null;
  received_at: Date;
  payload_sha256: string | null;
};
type QueueRow = {
  id: number;
  channel: string;
  status: string;
  retry_count: number;
  max_retries: number;
  next_attempt_at: Date;
  created_at: Date;
  delivered_at: Date | null;
  dead_lettered_at: Date | null;
  last_error: string | null;
} & Pick<Envelope, "source" | "event_type" | "entity_type" | "entity_id" | "priority">;

type EventDelivery = {
  queue_id: number;
  channel: string;
  status: string;
  retry_count: number;
  max_retries: number;
  next_attempt_at: string | null;
  delivered_at: string | null;
  dead_since: string | null;
  failure: Failure | null;
};
export type EventView = {
  event_id: string;
  source: string;
  event_type: string;
  entity_type: string;
  /** Null where the sender used an address in place of an id. */
  entity_id: string | null;
  priority: number;
  destinations: string[];
  occurred_at: string | null;
  received_at: string;
  payload_sha256: string | null;
  deliveries: EventDelivery[];
  attempts: ListedAttempt[];
};

const MOST_ATTEMPTS = 200;

/** Throws `not_found`. Every read is one of a key. */
export async function getEvent(ctx: Ctx, tenant: Tenant, eventId: string): Promise<EventView> {
  const { sql } = dataOf(ctx, tenant);
  const [[ledger], rows, attempts] = await Promise.all([
    sql<Envelope>(
      "SELECT source, event_type, entity_type, entity_id, priority, destinations, occurred_at, received_at, payload_sha256 FROM event_ledger WHERE shop = $1 AND event_id = $2",
      [eventId],
    ),
    sql<QueueRow>(
      "SELECT id, channel, status, retry_count, max_retries, next_attempt_at, created_at, delivered_at, dead_lettered_at, last_error, source, event_type, entity_type, entity_id, priority FROM integration_queue WHERE shop = $1 AND event_id = $2 ORDER BY id",
      [eventId],
    ),
    sql<Parameters<typeof toListed>[0]>(
      `SELECT id, event_id, NULL AS event_type, channel, status, http_status, latency_ms, attempt, error, created_at FROM delivery_attempts WHERE shop = $1 AND event_id = $2 ORDER BY id DESC LIMIT ${MOST_ATTEMPTS}`,
      [eventId],
    ),
  ]);
  const [first] = rows;
  // What another program put into the queue stands in no ledger.
  const event: Envelope | null =
    ledger ??
    (first
      ? {
          ...first,
          destinations: rows.map(({ channel }) => channel),
          occurred_at: null,
          received_at: first.created_at,
          payload_sha256: null,
        }
      : null);
  if (!event) throw new AppError("not_found");
  const { source, event_type, entity_type, priority, destinations, payload_sha256 } = event;
  return {
    event_id: eventId,
    source,
    event_type,
    entity_type,
    priority,
    destinations,
    payload_sha256,
    entity_id: event.entity_id.includes("@") ? null : event.entity_id,
    occurred_at: event.occurred_at?.toISOString() ?? null,
    received_at: event.received_at.toISOString(),
    deliveries: rows.map((row) =>
      toDelivery(row, attempts.find(({ channel }) => channel === row.channel)?.http_status ?? null),
    ),
    attempts: attempts.map(toListed),
  };
}

const toDelivery = (row: QueueRow, httpStatus: number | null): EventDelivery => ({
  queue_id: row.id,
  channel: row.channel,
  status: row.status,
  retry_count: row.retry_count,
  max_retries: row.max_retries,
  next_attempt_at: row.status === "pending" ? row.next_attempt_at.toISOString() : null,
  delivered_at: row.delivered_at?.toISOString() ?? null,
  dead_since: row.dead_lettered_at?.toISOString() ?? null,
  failure:
    row.status !== "delivered" && row.last_error !== null
      ? toFailure({ error: row.last_error, http_status: httpStatus })
      : null,
});
