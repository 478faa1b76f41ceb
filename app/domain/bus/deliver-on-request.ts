// Delivery requested over HTTP: by a remote backend that transformed the event, or by an operator (SPEC
// "/events/deliver"). A row in our queue follows the same rules as in the worker. A message without
// a row is delivered once, and the sender is responsible for retries.
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import type { Columns, IntegrationQueue } from "../../db.server.ts";
import { AppError, OutboundError } from "../../runtime/errors.ts";
import { newRecording } from "../../runtime/outbound/exchange-recorder.ts";
import { activeTraceParent } from "../../runtime/telemetry/tracing.ts";
import { KEYS } from "../../runtime/database/kv-keys.ts";
import { findKey } from "../../runtime/database/kv.ts";
import { withLease } from "../../runtime/database/queue/lease.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { awaitDeliveries } from "./await-deliveries.ts";
import { findChannel, type Channel, type DeliveryMessage, type QueueItem } from "./channel.ts";
import { findOpenUntil } from "./circuit.ts";
import { claimOne, REQUEST_LEASE_SECONDS } from "./claims/claim.ts";
import { REQUEST_HOLDER } from "./claims/leases.ts";
import { countFailure, deliver, describeFailure, send, type DeliveryLog } from "./deliver.ts";
import { sealExchange } from "./exchanges/exchange.ts";
import { findDelivered, recordAttempt, writeAttempt } from "./log/delivery-log.ts";
import { DestinationName } from "./message-archive.ts";
import { isOpenTo, isWarehouseEvent } from "./routing.ts";
import { settlerOf } from "./settle.ts";

/** Database drivers read large integers as text. */
const QueueId = z.union([
  z.number().int().min(0),
  z
    .string()
    .regex(/^\d{1,16}$/)
    .transform(Number)
    .pipe(z.number().int()),
]);

/**
 * Ours are UUIDs. The id of a backend's own event may be any text that is safe as the name of a file.
 */
const EventId = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$/, "may hold 100 letters, digits and . _ : -")
  .transform((id) => (z.guid().safeParse(id).success ? id.toLowerCase() : id));

const NO_CONFIG = { method: "POST", endpoint: "", credentials_key: null };
/** A backend that writes every field has null where it has no value. */
const DeliveryConfig = z.looseObject({
  method: z
    .string()
    .max(20)
    .nullish()
    .transform((method) => method ?? NO_CONFIG.method),
  endpoint: z
    .string()
    .max(2_000)
    .nullish()
    .transform((endpoint) => endpoint ?? NO_CONFIG.endpoint),
  credentials_key: z.string().max(100).nullable().default(null),
});

/** SPEC "Delivery message". */
export const RequestedDelivery = z.object({
  queue_id: QueueId,
  event_id: EventId,
  channel: DestinationName,
  transformed_payload: z.record(z.string(), z.unknown()).default({}),
  delivery_config: DeliveryConfig.nullish().transform((config) => config ?? NO_CONFIG),
});
export type RequestedDelivery = z.output<typeof RequestedDelivery>;

/** A slower attempt has failed, and is settled while the lease still holds. */
const ATTEMPT_MS = (REQUEST_LEASE_SECONDS - 5) * 1_000;
/** How long a caller waits for the outcome of another worker's attempt. */
const UNDER_WAY_MS = 20_000;
const UNDER_WAY_POLL_MS = 100;

type Row = Columns<
  IntegrationQueue,
  | "id"
  | "status"
  | "retry_count"
  | "last_error"
  | "source"
  | "event_type"
  | "entity_type"
  | "entity_id"
  | "created_at"
  | "priority"
  | "max_retries"
>;

const FIND_ROW = `SELECT id, status, retry_count, last_error, source, event_type, entity_type,
  entity_id, created_at, priority, max_retries FROM integration_queue WHERE shop = $1
  AND event_id = $2 AND channel = $3`;

export async function deliverOnRequest(
  ctx: Ctx,
  tenant: Tenant,
  request: RequestedDelivery,
  { attemptMs = ATTEMPT_MS }: { attemptMs?: number } = {},
): Promise<DeliveryLog> {
  const { sql } = dataOf(ctx, tenant);
  const openUntil = await findOpenUntil(sql, request.channel);
  const [row] = await sql<Row>(FIND_ROW, [request.event_id, request.channel]);
  if (row?.status === "delivered") return settledLog(row);
  if (openUntil) return circuitOpenLog(row?.retry_count ?? 0);
  if (!row) {
    if (isEmpty(request))
      throw new AppError("invalid_request", {
        fields: { transformed_payload: "is required: the event is not in this queue" },
      });
    return deliverForeign(ctx, tenant, request);
  }
  if (row.status === "dead_letter") return settledLog(row);

  const holder = `${REQUEST_HOLDER}${ctx.random.uuid().slice(0, 8)}`;
  const item = await claimOne(sql, { eventId: request.event_id, channel: request.channel, holder });
  // An empty message counts as none: the channel then builds the message as in the worker.
  const given = isEmpty(request) || item?.isArchiveOnly ? undefined : messageOf(request);
  if (item) {
    const settler = settlerOf(ctx.regions.get(tenant.region));
    return deliver(ctx, settler, item, {
      limitMs: attemptMs,
      ...(given && { backendMessage: given }),
    });
  }
  // A worker holds the row: the response reports its outcome.
  await awaitDeliveries(sql, request.event_id, [request.channel], UNDER_WAY_MS);
  const [later] = await sql<Row>(FIND_ROW, [request.event_id, request.channel]);
  return settledLog(later ?? row);
}

const isEmpty = ({ transformed_payload: message }: RequestedDelivery): boolean =>
  Object.keys(message).length === 0;

const messageOf = (request: RequestedDelivery): DeliveryMessage => ({
  transformed_payload: request.transformed_payload,
  delivery_config: request.delivery_config,
  isMadeElsewhere: true,
});

const circuitOpenLog = (attempts: number): DeliveryLog => ({
  status: "circuit_open",
  http_status: null,
  latency_ms: 0,
  attempt: attempts + 1,
  error: "circuit_open",
});

function settledLog(row: Row): DeliveryLog {
  const status = row.status === "delivered" || row.status === "dead_letter" ? row.status : "failed";
  return {
    status,
    http_status: null,
    latency_ms: 0,
    attempt: Math.max(1, row.retry_count),
    error:
      status === "delivered"
        ? (row.last_error ?? "delivered before")
        : (row.last_error ?? "under way"),
  };
}

/**
 * The row is in another system. Allows one delivery of an event and channel at a time, and none
 * after a success: another request waits for the outcome.
 */
async function deliverForeign(
  ctx: Ctx,
  tenant: Tenant,
  request: RequestedDelivery,
): Promise<DeliveryLog> {
  const { sql } = dataOf(ctx, tenant);
  const lease = `deliver:${request.event_id}:${request.channel}`;
  const deadline = performance.now() + UNDER_WAY_MS;
  for (;;) {
    const held = await withLease(sql, lease, () => deliverOnce(ctx, tenant, request));
    if (held) return held.result;
    // A try for the lease writes, a look at it does not.
    while (await findKey(sql, KEYS.lease(lease))) {
      if (performance.now() > deadline)
        throw new AppError("conflict", { message: "This delivery is under way already." });
      await delay(UNDER_WAY_POLL_MS);
    }
  }
}

async function deliverOnce(
  ctx: Ctx,
  tenant: Tenant,
  request: RequestedDelivery,
): Promise<DeliveryLog> {
  const { sql, prisma } = dataOf(ctx, tenant);
  const earlier = await findDelivered(prisma, request.event_id, request.channel);
  if (earlier.isDelivered)
    return {
      status: "delivered",
      http_status: null,
      latency_ms: 0,
      attempt: earlier.attempts,
      error: "delivered before",
    };
  // Asked again: the attempts that this one waited for may have opened it.
  if (await findOpenUntil(sql, request.channel)) return circuitOpenLog(earlier.attempts);
  const item = await foreignItem(ctx, tenant, request, earlier.attempts);
  return attempt(ctx, tenant, item, messageOf(request));
}

async function attempt(
  ctx: Ctx,
  tenant: Tenant,
  item: QueueItem,
  message: DeliveryMessage,
): Promise<DeliveryLog> {
  const started = performance.now();
  const base = () => ({
    latency_ms: Math.round(performance.now() - started),
    attempt: item.retryCount + 1,
  });
  let log: DeliveryLog;
  const recording = newRecording(item.shop, item.eventId);
  try {
    const channel = findOpenChannel(ctx, tenant, item);
    const sent = await send(ctx, tenant, { item, message, channel, recording });
    log = {
      status: "delivered",
      http_status: sent.httpStatus,
      error: sent.skipped ?? null,
      ...base(),
    };
  } catch (error) {
    await countFailure(ctx, tenant, item.channel, error);
    log = {
      status: "failed",
      http_status: error instanceof OutboundError ? (error.status ?? null) : null,
      error: describeFailure(ctx, item, error),
      ...base(),
    };
  }
  const exchange = sealExchange(ctx, item, recording);
  await recordAttempt(dataOf(ctx, tenant).sql, item, log, exchange);
  writeAttempt(ctx, item, log);
  return log;
}

/**
 * A message from outside cannot reach a channel that is closed to events from outside, and
 * warehouse events cannot reach a marketing system.
 */
function findOpenChannel(ctx: Ctx, tenant: Tenant, item: QueueItem): Channel | undefined {
  const channel = isOpenTo(ctx, tenant, item.channel) ? findChannel(ctx, item.channel) : undefined;
  const isClosed = channel?.marketing && isWarehouseEvent(item.source, item.eventType);
  return isClosed ? undefined : channel;
}

/** The ledger's data of the event. An event that is not in the ledger has only its message. */
async function foreignItem(
  ctx: Ctx,
  tenant: Tenant,
  request: RequestedDelivery,
  attempts: number,
): Promise<QueueItem> {
  const now = ctx.clock.now();
  const known = await dataOf(ctx, tenant).prisma.eventLedger.findUnique({
    where: { shop_event_id: { shop: tenant.shop, event_id: request.event_id } },
  });
  return {
    shop: tenant.shop,
    queueId: request.queue_id,
    eventId: request.event_id,
    channel: request.channel,
    source: known?.source ?? "backend",
    eventType: known?.event_type ?? "event.delivered",
    entityType: known?.entity_type ?? "",
    entityId: known?.entity_id ?? "",
    payload: request.transformed_payload,
    priority: known?.priority ?? 5,
    retryCount: attempts,
    maxRetries: attempts + 1,
    createdAt: known?.received_at ?? now,
    occurredAt: known?.occurred_at ?? now,
    isArchiveOnly: false,
    attemptToken: ctx.random.uuid(),
    traceParent: activeTraceParent(),
  };
}
