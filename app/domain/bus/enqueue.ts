// Puts an event on the bus in the transaction of its cause: its ledger row and one queue row per
// channel.
import type { Columns, IntegrationQueue, TenantSql } from "../../db.server.ts";
import { hash } from "node:crypto";
import { anyLength } from "../../runtime/database/array-parameters.ts";
import type { HistoricTime } from "../../runtime/historic-time.ts";
import { activeTraceParent } from "../../runtime/telemetry/tracing.ts";
import { defaultPriority, maxRetries, type Priority } from "./retry-policy.ts";
import { IS_PLACEHOLDER } from "./placeholder-rows.ts";

/** The workers listen on it; the notification's payload is the channel. */
export const QUEUE_NOTIFICATION = "integration_queue";

export type BusEvent = {
  eventId: string;
  source: string;
  eventType: string;
  entityType: string;
  entityId: string;
  /** A reference, never a copy of personal data: channels read the current state when they run. */
  payload: Record<string, unknown>;
  occurredAt: Date;
  destinations: readonly string[];
  priority?: number;
  idempotencyKey?: string;
  /**
   * Marks of the people that the payload names, if it is more than a reference
   * (ledger-subjects.ts).
   */
  subjects?: readonly string[];
  /** When it arrived, in the history of the demo store. */
  receivedAt?: HistoricTime;
  /** The trace of its cause, where several causes share this transaction; by default the current one. */
  traceParent?: string | null;
};

/** SPEC "Event envelope": the identity of an event. */
export function idempotencyKeyOf(
  event: Pick<BusEvent, "source" | "entityId" | "eventType" | "occurredAt">,
): string {
  return hash(
    "sha256",
    `${event.source}:${event.entityId}:${event.eventType}:${event.occurredAt.toISOString()}`,
  );
}

/**
 * An event id by the SHA-256 of the text: the same text has the same id, so an event that is made again adds
 * nothing. Each caller keeps its UUID version, because another version would be another id.
 */
export function derivedEventId(version: 5 | 8, text: string): string {
  const digits = hash("sha256", text);
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `${version}${digits.slice(13, 16)}`,
    `8${digits.slice(17, 20)}`,
    digits.slice(20, 32),
  ].join("-");
}

// One statement, so that the ledger and the queue rows commit together. Safe to repeat: the same
// event id adds nothing. The insert trigger wakes the workers, after the commit;
// placeholder rows (placeholder-rows.ts) are updated, which no trigger announces.
const ENQUEUE = `
  WITH ledger AS (
    INSERT INTO event_ledger (shop, event_id, idempotency_key, source, event_type, entity_type,
      entity_id, destinations, priority, payload_sha256, occurred_at, subjects, received_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, to_jsonb($8::text[]), $9, $10, $11, $14::text[],
      coalesce($15::timestamptz, now()))
    ON CONFLICT (shop, event_id) DO NOTHING
  ),
  queued AS (
    INSERT INTO integration_queue AS q (shop, event_id, channel, source, event_type, entity_type,
      entity_id, payload, priority, max_retries, created_at, trace_parent)
    SELECT $1, $2, channel, $4, $5, $6, $7, $12::jsonb, $9, $13, coalesce($15::timestamptz, now()), $16::text
      FROM unnest(${anyLength(8, "text")}) AS channel
    ON CONFLICT (shop, event_id, channel) DO UPDATE
      SET payload = excluded.payload, next_attempt_at = clock_timestamp(),
      trace_parent = coalesce(excluded.trace_parent, q.trace_parent),
      updated_at = clock_timestamp() WHERE ${IS_PLACEHOLDER}
    RETURNING q.shop, q.id, q.channel, q.xmax <> 0 AS was_placeholder
  )
  SELECT id, CASE WHEN was_placeholder THEN wake_workers('${QUEUE_NOTIFICATION}', channel)::text END FROM queued
    WHERE shop = $1`;

/** @returns the ids of the rows that are new or were placeholders. */
export async function enqueue(sql: TenantSql, event: BusEvent): Promise<number[]> {
  const priority = event.priority ?? defaultPriority(event.entityType, event.eventType);
  const payload = JSON.stringify(event.payload);
  const values = [
    event.eventId,
    event.idempotencyKey ?? idempotencyKeyOf(event),
    event.source,
    event.eventType,
    event.entityType,
    event.entityId,
    event.destinations,
    priority,
    hash("sha256", payload),
    event.occurredAt,
    payload,
    maxRetries(priority),
    event.subjects ?? [],
    event.receivedAt ?? null,
    event.traceParent === undefined ? activeTraceParent() : event.traceParent,
  ];
  const rows = await sql<Columns<IntegrationQueue, "id">>(ENQUEUE, values, "enqueue");
  return rows.map((row) => row.id);
}

// The same for many events of one kind in one statement.
const ENQUEUE_MANY = `
  WITH event AS (
    SELECT * FROM jsonb_to_recordset($2::jsonb) AS e(event_id text, idempotency_key text,
      event_type text, entity_id text, payload jsonb, payload_sha256 text, occurred_at timestamptz)
  ),
  ledger AS (
    INSERT INTO event_ledger (shop, event_id, idempotency_key, source, event_type, entity_type,
      entity_id, destinations, priority, payload_sha256, occurred_at)
    SELECT $1, event_id, idempotency_key, $3, event_type, $4, entity_id, to_jsonb($5::text[]), $6,
      payload_sha256, occurred_at FROM event
    ON CONFLICT (shop, event_id) DO NOTHING
  )
  INSERT INTO integration_queue (shop, event_id, channel, source, event_type, entity_type,
    entity_id, payload, priority, max_retries, trace_parent)
  SELECT $1, event_id, channel, $3, event_type, $4, entity_id, payload, $6, $7, $8::text FROM event CROSS
    JOIN unnest($5::text[]) AS channel
  ON CONFLICT (shop, event_id, channel) DO NOTHING`;

export type ManyEvents = {
  source: string;
  entityType: string;
  destinations: readonly string[];
  /** The default is the priority of the entity type. */
  priority?: Priority | undefined;
  events: readonly {
    eventId: string;
    eventType: string;
    entityId: string;
    payload: Record<string, unknown>;
    occurredAt: Date;
  }[];
};

export async function enqueueMany(
  sql: TenantSql,
  { source, entityType, destinations, priority: asked, events }: ManyEvents,
): Promise<void> {
  if (events.length === 0) return;
  const priority = asked ?? defaultPriority(entityType);
  const rows = events.map((event) => ({
    event_id: event.eventId,
    idempotency_key: idempotencyKeyOf({ ...event, source }),
    event_type: event.eventType,
    entity_id: event.entityId,
    payload: event.payload,
    payload_sha256: hash("sha256", JSON.stringify(event.payload)),
    occurred_at: event.occurredAt,
  }));
  await sql(ENQUEUE_MANY, [
    JSON.stringify(rows),
    source,
    entityType,
    destinations,
    priority,
    maxRetries(priority),
    activeTraceParent(),
  ]);
}
