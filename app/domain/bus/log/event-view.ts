// One event for the merchant: its envelope without its payload, its deliveries, and every attempt.
// Contains no personal data.
import type { Ctx } from "../../../context.server.ts";
import type { DeliveryAttempt, EventLedger, IntegrationQueue } from "../../../db.server.ts";
import { AppError } from "../../../runtime/errors.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { isPersonalId } from "../ledger-subjects.ts";
import { toListed } from "./attempt-list.ts";
import { isErasedLetter, SKIPPED_AS_ERASED, toSkip, type Skip } from "../outcome.ts";
import { toFailure, type Failure } from "./failure-kind.ts";
import { toTimeline, type TimelineStep } from "./timeline.ts";

type Envelope = Pick<
  EventLedger,
  "source" | "event_type" | "entity_type" | "entity_id" | "priority" | "received_at"
> & {
  destinations: string[];
  occurred_at: Date | null;
  payload_sha256: string | null;
};
type QueueRow = Omit<IntegrationQueue, "transformed_payload" | "delivery_config">;

export type EventDelivery = {
  /** Null for a delivery whose row is in another system, or was deleted after its time. */
  queue_id: number | null;
  channel: string;
  status: string;
  /** Made since the event arrived, replays included. */
  attempts: number;
  next_attempt_at: string | null;
  delivered_at: string | null;
  dead_since: string | null;
  failure: Failure | null;
  /** Set when nothing was sent, or nothing is left to send. */
  skip: Skip | null;
  timeline: TimelineStep[];
};
export type EventView = {
  event_id: string;
  source: string;
  event_type: string;
  entity_type: string;
  /** Null when the sender used an address in place of an id. */
  entity_id: string | null;
  priority: number;
  destinations: string[];
  occurred_at: string | null;
  received_at: string;
  payload_sha256: string | null;
  deliveries: EventDelivery[];
};

const MAX_ATTEMPTS = 200;

/** The event, and what its sender wrote, which is for finding the person and not for showing. */
export type StoredEvent = { event: EventView; entityId: string; payload: Record<string, unknown> };

/** Throws `not_found`. */
export const getEvent = async (ctx: Ctx, tenant: Tenant, eventId: string): Promise<EventView> =>
  (await getStoredEvent(ctx, tenant, eventId)).event;

/** Rebuilds the envelope of an event without a ledger entry, whose rows another program inserted. */
function findEnvelope(rows: readonly QueueRow[]): Envelope | null {
  const [first] = rows;
  if (!first) return null;
  return {
    ...first,
    destinations: rows.map(({ channel }) => channel),
    occurred_at: null,
    received_at: first.created_at,
    payload_sha256: null,
  };
}

/** Throws `not_found`. Every read uses a key. */
export async function getStoredEvent(
  ctx: Ctx,
  tenant: Tenant,
  eventId: string,
): Promise<StoredEvent> {
  const data = dataOf(ctx, tenant);
  const [ledger, rows, attempts] = await Promise.all([
    data.prisma.eventLedger.findUnique({
      where: { shop_event_id: { shop: tenant.shop, event_id: eventId } },
    }),
    data.prisma.integrationQueue.findMany({
      omit: { transformed_payload: true, delivery_config: true },
      where: { event_id: eventId },
      orderBy: { id: "asc" },
    }),
    data.prisma.deliveryAttempt.findMany({
      where: { event_id: eventId },
      orderBy: { id: "desc" },
      take: MAX_ATTEMPTS,
    }),
  ]);
  const [first] = rows;
  const event: Envelope | null = ledger
    ? { ...ledger, destinations: ledger.destinations as string[] }
    : findEnvelope(rows);
  if (!event) throw new AppError("not_found");
  const { source, event_type, entity_type, priority, destinations, payload_sha256 } = event;
  const view: EventView = {
    event_id: eventId,
    source,
    event_type,
    entity_type,
    priority,
    destinations,
    payload_sha256,
    entity_id: isPersonalId(event.entity_id) ? null : event.entity_id,
    occurred_at: event.occurred_at?.toISOString() ?? null,
    received_at: event.received_at.toISOString(),
    deliveries: toDeliveries(event.received_at.toISOString(), rows, attempts),
  };
  return {
    event: view,
    entityId: first?.entity_id ?? view.entity_id ?? "",
    payload: (first?.payload ?? {}) as Record<string, unknown>,
  };
}

/** One per row, and one per channel that only the log knows. */
function toDeliveries(
  receivedAt: string,
  rows: readonly QueueRow[],
  attempts: readonly DeliveryAttempt[],
): EventDelivery[] {
  const channels = [...new Set([...rows, ...attempts].map(({ channel }) => channel))];
  return channels.map((channel) => {
    const row = rows.find((one) => one.channel === channel);
    const made = attempts.filter((one) => one.channel === channel);
    const delivery = row ? ofRow(row, made) : ofLog(channel, made);
    const listed = made.map(({ shop: _shop, queue_id: _queueId, id, ...attempt }) =>
      toListed({ ...attempt, id: Number(id), event_type: null }),
    );
    return { ...delivery, timeline: toTimeline(receivedAt, delivery, listed) };
  });
}

type WithoutTimeline = Omit<EventDelivery, "timeline">;

/** The same rule as DEAD_SINCE in SQL. */
const deadSince = (row: QueueRow): Date | null =>
  row.dead_lettered_at ?? (row.status === "dead_letter" ? row.updated_at : null);

/** `made`: the delivery's logged attempts, newest first. Older ones may be beyond the retention. */
function ofRow(row: QueueRow, made: readonly DeliveryAttempt[]): WithoutTimeline {
  const [last] = made;
  const isErased = isErasedLetter(row);
  const isFailed = row.status !== "delivered" && !isErased;
  return {
    queue_id: Number(row.id),
    channel: row.channel,
    status: row.status,
    attempts: Math.max(made.length, row.retry_count),
    next_attempt_at: row.status === "pending" ? row.next_attempt_at.toISOString() : null,
    delivered_at: row.delivered_at?.toISOString() ?? null,
    dead_since: deadSince(row)?.toISOString() ?? null,
    failure:
      isFailed && row.last_error !== null
        ? toFailure({ error: row.last_error, http_status: last?.http_status ?? null })
        : null,
    // A delivered row has its reason in the log; one without an attempt has it itself.
    skip: isErased
      ? SKIPPED_AS_ERASED
      : toSkip({ status: row.status, error: last ? last.error : row.last_error }),
  };
}

function ofLog(channel: string, made: readonly DeliveryAttempt[]): WithoutTimeline {
  const last = made[0] as DeliveryAttempt;
  return {
    queue_id: null,
    channel,
    status: last.status,
    attempts: made.length,
    next_attempt_at: null,
    delivered_at: null,
    dead_since: null,
    failure: last.status === "failed" ? toFailure(last) : null,
    skip: toSkip(last),
  };
}
