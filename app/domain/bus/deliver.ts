// Takes one claimed row from transformation to settlement:
//
//   processing -> ready -> delivered | pending (later) | dead_letter
import type { Ctx } from "../../context.server.ts";
import { isDatabaseAway } from "../../runtime/database/postgres-errors.ts";
import { orFailAfter } from "../../runtime/deadlines/or-fail-after.ts";
import { isAppError, OutboundError } from "../../runtime/errors.ts";
import {
  newRecording,
  recordCalls,
  type Recording,
} from "../../runtime/outbound/exchange-recorder.ts";
import {
  circuitsOpened,
  deliveryDuration,
  eventDuration,
} from "../../runtime/telemetry/metrics.ts";
import { inSpan, SpanKind } from "../../runtime/telemetry/tracing.ts";
import { dataOf, findTenant, type Tenant } from "../tenants/tenant.ts";
import {
  ARCHIVE_CHANNEL,
  ARCHIVE_METHOD,
  ConsentMissing,
  Deferred,
  findChannel,
  PermanentFailure,
  type Channel,
  type DeliveryMessage,
  type DeliveryResult,
  type QueueItem,
} from "./channel.ts";
import { recordFailure } from "./circuit.ts";
import { sealExchange } from "./exchanges/exchange.ts";
import { writeAttempt } from "./log/delivery-log.ts";
import { archiveMessage, copyMessage } from "./message-archive.ts";
import { nextRetryMs } from "./retry-policy.ts";
import type { Settlement, Settler } from "./settle.ts";

/** The result of an attempt for its tenant channel; the worker adjusts its concurrency by it. */
export type Outcome =
  "delivered" | "failed" | "dead_letter" | "deferred" | "circuit_open" | "lease_lost";

/** DECISIONS 12 `delivery_log`. */
export type DeliveryLog = {
  status: Outcome;
  http_status: number | null;
  latency_ms: number;
  attempt: number;
  error: string | null;
};

/**
 * Above what a slow system takes, whose calls have limits of their own. Without it the lease of a
 * delivery that never ends would be renewed for ever.
 */
export const DELIVERY_MS = 120_000;

type DeliverOptions = {
  /** The message of a remote backend that already transformed the event. */
  backendMessage?: DeliveryMessage;
  /** A delivery that takes longer is a failed attempt. */
  limitMs?: number;
};

/** Delivers a claimed row. */
export const deliver = (
  ctx: Ctx,
  settler: Settler,
  item: QueueItem,
  { backendMessage, limitMs = DELIVERY_MS }: DeliverOptions = {},
): Promise<DeliveryLog> =>
  inSpan(
    `deliver ${item.channel}`,
    {
      kind: SpanKind.CONSUMER,
      parent: item.traceParent,
      attributes: {
        "store.domain": item.shop,
        "messaging.message.id": item.eventId,
        "messaging.destination.name": item.channel,
        "messaging.delivery.attempt": item.retryCount + 1,
      },
    },
    async (span) => {
      const recording = newRecording(item.shop, item.eventId);
      const attempt = { ctx, settler, item, recording, startedAt: performance.now() };
      const log = await makeAttempt(attempt, backendMessage, limitMs);
      span?.setAttribute("messaging.delivery.outcome", log.status);
      return log;
    },
  );

type Attempt = {
  ctx: Ctx;
  settler: Settler;
  item: QueueItem;
  recording: Recording;
  /** By `performance.now()`. */
  startedAt: number;
};

async function makeAttempt(
  attempt: Attempt,
  backendMessage: DeliveryMessage | undefined,
  limitMs: number,
): Promise<DeliveryLog> {
  const { item } = attempt;
  try {
    const end = await orFailAfter(limitMs, prepareAndSend(attempt, backendMessage), () =>
      tooLate(item, limitMs),
    );
    if (end === null) return toLog(item, null, "lease_lost");
    return await finish(attempt, end.settlement, end.outcome);
  } catch (error) {
    // Without the database the row cannot be settled: the lease expires and another worker starts again.
    if (isDatabaseAway(error)) return toLog(item, null, "lease_lost");
    if (error instanceof Deferred)
      return await finish(attempt, { to: "deferred", delayMs: error.delayMs });
    return await finish(attempt, await toFailure(attempt, error));
  }
}

/** Counts for the circuit: whatever hangs there will hang again. */
const tooLate = ({ channel }: QueueItem, limitMs: number) =>
  new OutboundError(channel, "timeout", {
    message: `the delivery did not end within ${limitMs / 1_000} s`,
  });

type End = { settlement: Settlement; outcome?: Outcome };

/** Null when the lease was lost. */
async function prepareAndSend(
  { ctx, settler, item, recording, startedAt }: Attempt,
  backendMessage: DeliveryMessage | undefined,
): Promise<End | null> {
  const tenant = await findTenant(ctx, item.shop);
  if (!tenant) throw new PermanentFailure("unknown_tenant");
  const channel = item.isArchiveOnly ? undefined : findChannel(ctx, item.channel);
  const message =
    backendMessage ??
    (channel ? await channel.transform(ctx, tenant, item) : toArchiveMessage(item));
  const { held, openForMs } = await settler.ready(item, message);
  if (!held) return null;
  // The circuit is checked before every attempt; while it is open no attempt is made or counted.
  if (openForMs !== null)
    return { settlement: { to: "deferred", delayMs: openForMs }, outcome: "circuit_open" };
  const sent = await send(ctx, tenant, { item, message, channel, recording });
  return {
    settlement: {
      to: "delivered",
      httpStatus: sent.httpStatus,
      latencyMs: latencyOf({ startedAt }),
      note: sent.skipped ?? null,
      isArchived: sent.isArchived,
    },
  };
}

const latencyOf = ({ startedAt }: Pick<Attempt, "startedAt">) =>
  Math.round(performance.now() - startedAt);

/** A message for an unknown or disabled destination goes to the archive only. */
function toArchiveMessage(item: Pick<QueueItem, "channel" | "payload">): DeliveryMessage {
  return {
    transformed_payload: item.payload,
    delivery_config: {
      method: ARCHIVE_METHOD,
      endpoint: `events/${item.channel}`,
      credentials_key: null,
    },
  };
}

/** `channel` undefined: an unknown or disabled destination, whose message is archived only. */
type Dispatch = {
  item: QueueItem;
  message: DeliveryMessage;
  channel: Channel | undefined;
  recording: Recording;
};

/**
 * One attempt, with the archive's copy in parallel. A failing archive delays no delivery: the copy
 * is written later.
 */
export async function send(
  ctx: Ctx,
  tenant: Tenant,
  { item, message, channel, recording }: Dispatch,
): Promise<DeliveryResult & { isArchived: boolean }> {
  if (message.isMadeElsewhere && channel) requireDeliverable(channel, message);
  if (!channel) {
    await archiveMessage(ctx, item, message);
    return {
      httpStatus: null,
      skipped: `archived only: ${item.channel} is not an enabled destination`,
      isArchived: true,
    };
  }
  // The archive channel's delivery is the copy itself. An empty message is archived too, because it
  // contains the reason.
  const isArchiveItself = channel.name === ARCHIVE_CHANNEL;
  const archiving = isArchiveItself ? Promise.resolve(true) : copyMessage(ctx, item, message);
  // Awaited in both cases: a retry must not overtake the copy of the attempt before.
  const [sent, copied] = await Promise.allSettled([
    isRecorded(channel, item)
      ? recordCalls(recording, () => channel.deliver(ctx, tenant, item, message))
      : channel.deliver(ctx, tenant, item, message),
    archiving,
  ]);
  if (sent.status === "rejected") throw sent.reason;
  return { ...sent.value, isArchived: copied.status === "fulfilled" && copied.value };
}

const isRecorded = (channel: Channel, item: QueueItem) => channel.isRecorded?.(item) ?? true;

/**
 * A message of a remote backend is delivered unchanged, but plain personal identifiers for a
 * marketing system are rejected (SPEC: hashed addresses only). Throws PermanentFailure.
 */
function requireDeliverable(channel: Channel, { transformed_payload: document }: DeliveryMessage) {
  if (channel.marketing && !channel.takesAddresses && CLEAR_ADDRESS.test(JSON.stringify(document)))
    throw new PermanentFailure(
      `the message holds an email address in the clear, and ${channel.name} takes none`,
    );
}

const CLEAR_ADDRESS = /[^\s@"]@[^\s@"]{1,255}\.[a-z]{2}/i;

/**
 * Counts a failure towards the circuit only when it shows that the system itself is failing. `attempt`: of a claimed row.
 */
export async function countFailure(
  ctx: Ctx,
  tenant: Tenant,
  channel: string,
  error: unknown,
  attempt?: Pick<QueueItem, "queueId" | "attemptToken">,
): Promise<void> {
  if (!(error instanceof OutboundError) || !error.countsForCircuit) return;
  const { sql } = dataOf(ctx, tenant);
  const { hasOpened, failures } = await recordFailure(sql, channel, attempt);
  if (!hasOpened) return;
  circuitsOpened.inc({ channel });
  ctx.log.warn("circuit.opened", { shop: tenant.shop, channel, failures });
}

async function toFailure(
  attempt: Attempt,
  error: unknown,
): Promise<Extract<Settlement, { to: "retry" | "dead_letter" }>> {
  const { ctx, item } = attempt;
  const outbound = error instanceof OutboundError ? error : null;
  const base = {
    httpStatus: outbound?.status ?? null,
    latencyMs: latencyOf(attempt),
    error: describeFailure(ctx, item, error),
  };
  const tenant = outbound && (await findTenant(ctx, item.shop));
  if (tenant) await countFailure(ctx, tenant, item.channel, outbound, item);
  const isPermanent =
    error instanceof PermanentFailure || (outbound !== null && !outbound.retryable);
  const delayMs = isPermanent ? null : nextRetryMs(item, Math.random(), outbound?.retryAfterMs);
  return delayMs === null
    ? { to: "dead_letter", isSweepable: !(error instanceof ConsentMissing), ...base }
    : { to: "retry", delayMs, ...base };
}

/**
 * The error text for the log and the row. Bugs on our side are logged in full and not shown to
 * callers.
 */
export function describeFailure(
  ctx: Ctx,
  item: Pick<QueueItem, "shop" | "eventId" | "channel">,
  error: unknown,
): string {
  if (error instanceof OutboundError)
    return error.body ? `${error.message}: ${error.body.slice(0, 300)}` : error.message;
  if (error instanceof PermanentFailure || isAppError(error)) return error.message;
  ctx.log.error("delivery.crashed", error, {
    shop: item.shop,
    event_id: item.eventId,
    channel: item.channel,
  });
  return "internal_error";
}

const OUTCOME = {
  delivered: "delivered",
  retry: "failed",
  dead_letter: "dead_letter",
  deferred: "deferred",
} as const satisfies Record<Settlement["to"], Outcome>;

async function finish(
  { ctx, settler, item, recording }: Attempt,
  settlement: Settlement,
  outcome: Outcome = OUTCOME[settlement.to],
): Promise<DeliveryLog> {
  // A deferred row has no attempt that the exchange could belong to.
  const exchange = settlement.to === "deferred" ? null : sealExchange(ctx, item, recording);
  const held = await settler.settle(item, settlement, { exchange });
  const log = toLog(item, settlement, held ? outcome : "lease_lost");
  const channel = labelOf(ctx, item.channel);
  deliveryDuration.observe({ channel, outcome: log.status }, log.latency_ms / 1_000);
  if (log.status === "delivered")
    eventDuration.observe({ channel }, (Date.now() - item.createdAt.getTime()) / 1_000);
  writeAttempt(ctx, item, log);
  return log;
}

/** A source may name any destination. */
const labelOf = (ctx: Ctx, channel: string): string => findChannel(ctx, channel)?.name ?? "unknown";

function toLog(item: QueueItem, settlement: Settlement | null, status: Outcome): DeliveryLog {
  const attempt = item.retryCount + 1;
  if (settlement === null || settlement.to === "deferred") {
    const error = status === "circuit_open" ? status : null;
    return { status, http_status: null, latency_ms: 0, attempt, error };
  }
  const { httpStatus, latencyMs } = settlement;
  const error = settlement.to === "delivered" ? settlement.note : settlement.error;
  return { status, http_status: httpStatus, latency_ms: latencyMs, attempt, error };
}
