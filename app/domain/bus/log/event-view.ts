// One event for the merchant: its envelope without its payload, its deliveries, and every attempt.
// Contains no personal data.
import type { Ctx } from "../../../context.server.ts";
import type { EventLedger, IntegrationQueue } from "../../../db.server.ts";
import { AppError } from "../../../runtime/errors.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { toListed, type ListedAttempt } from "./attempt-list.ts";
import { toFailure, type Failure } from "./failure-kind.ts";

type Envelope = Pick<
  EventLedger,
  "source" | "event_type" | "entity_type" | "entity_id" | "priority" | "received_at"
> & {
  destinations: string[];
  occurred_at: Date | null;
  payload_sha256: string | null;
};
type QueueRow = Omit<IntegrationQueue, "payload" | "transformed_payload" | "delivery_config">;

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
  /** Null when the sender used an address in place of an id. */
  entity_id: string | null;
  priority: number;
  destinations: string[];
  occurred_at: string | null;
  received_at: string;
  payload_sha256: string | null;
  deliveries: EventDelivery[];
  attempts: ListedAttempt[];
};

const MAX_ATTEMPTS = 200;

/** Throws `not_found`. Every read uses a key. */
export async function getEvent(ctx: Ctx, tenant: Tenant, eventId: string): Promise<EventView> {
  const data = dataOf(ctx, tenant);
  const [ledger, rows, attempts] = await Promise.all([
    data.prisma.eventLedger.findUnique({
      where: { shop_event_id: { shop: tenant.shop, event_id: eventId } },
    }),
    data.prisma.integrationQueue.findMany({
      omit: { payload: true, transformed_payload: true, delivery_config: true },
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
  // Rows that another program inserted have no ledger entry.
  const event: Envelope | null = ledger
    ? { ...ledger, destinations: ledger.destinations as string[] }
    : first
      ? {
          ...first,
          destinations: rows.map(({ channel }) => channel),
          occurred_at: null,
          received_at: first.created_at,
          payload_sha256: null,
        }
      : null;
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
    attempts: attempts.map(({ shop: _shop, queue_id: _queueId, id, ...row }) =>
      toListed({ ...row, id: Number(id), event_type: null }),
    ),
  };
}

const toDelivery = (row: QueueRow, httpStatus: number | null): EventDelivery => ({
  queue_id: Number(row.id),
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
