// One claimed row, from transformation to settlement:
//
//   processing -> ready -> delivered | pending (later) | dead_letter
import type { Ctx } from "../../context.server.ts";
import { isDatabaseAway } from "../../runtime/database.ts";
import { isAppError, OutboundError } from "../../runtime/errors.ts";
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
import { fileMessage } from "./message-archive.ts";
import { nextRetryMs } from "./retry-policy.ts";
import type { Settlement, Settler } from "./settle.ts";

/** What an attempt did to the pair of tenant and channel; the worker paces itself by it. */
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

/** Delivers a claimed row. `given`: somebody else transformed it already (a remote backend). */
export async function deliver(
  ctx: Ctx,
  settler: Settler,
  item: QueueItem,
  given?: DeliveryMessage,
): Promise<DeliveryLog> {
  const started = performance.now();
  const latency = () => Math.round(performance.now() - started);
  try {
    const tenant = await findTenant(ctx, item.shop);
    if (!tenant) throw new PermanentFailure("unknown_tenant");
    const channel = item.isArchiveOnly ? undefined : findChannel(ctx, item.channel);
    const message =
      given ?? (channel ? await channel.transform(ctx, item, tenant) : toArchiveMessage(item));
    const { held, openForMs } = await settler.ready(item, message);
    if (!held) return toLog(item, null, "lease_lost");
    // The circuit is looked at before every attempt; while it is open none is made and none is counted.
    if (openForMs !== null)
      return await finish(
        ctx,
        settler,
        item,
        { to: "deferred", delayMs: openForMs },
        "circuit_open",
      );
    const sent = await send(ctx, item, message, tenant, channel);
    return await finish(
      ctx,
      settler,
      item,
      {
        to: "delivered",
        httpStatus: sent.httpStatus,
        latencyMs: latency(),
        note: sent.skipped ?? null,
        isFiled: sent.isFiled,
      },
      "delivered",
    );
  } catch (error) {
    // Without the database nothing can be settled: the lease runs out and another worker starts afresh.
    if (isDatabaseAway(error)) return toLog(item, null, "lease_lost");
    if (error instanceof Deferred)
      return await finish(
        ctx,
        settler,
        item,
        { to: "deferred", delayMs: error.delayMs },
        "deferred",
      );
    const settlement = await toFailure(ctx, item, error, latency());
    return await finish(
      ctx,
      settler,
      item,
      settlement,
      settlement.to === "retry" ? "failed" : "dead_letter",
    );
  }
}

/** A destination that nobody here serves, or that the store has not enabled, is kept in the archive. */
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

/** One attempt, the archive's copy beside it. An archive that is unwell holds up nobody: what it missed is filed later. */
export async function send(
  ctx: Ctx,
  item: QueueItem,
  message: DeliveryMessage,
  tenant: Tenant,
  channel: Channel | undefined,
): Promise<DeliveryResult & { isFiled: boolean }> {
  if (message.isMadeElsewhere && channel) requireDeliverable(channel, message);
  if (!channel) {
    await fileMessage(ctx, item, message);
    return {
      httpStatus: null,
      skipped: `archived only: ${item.channel} is not an enabled destination`,
      isFiled: true,
    };
  }
  // The archive's own delivery is the filing. A message about nothing is filed like any other: it says why nothing came.
  const isFiledElsewhere = channel.name === ARCHIVE_CHANNEL;
  const filing = isFiledElsewhere
    ? Promise.resolve(true)
    : fileMessage(ctx, item, message).then(
        () => true,
        () => false,
      );
  // Awaited in both cases: a retry must not overtake the copy of the attempt before.
  const [sent, isFiled] = await Promise.allSettled([
    channel.deliver(ctx, item, message, tenant),
    filing,
  ]);
  if (sent.status === "rejected") throw sent.reason;
  return { ...sent.value, isFiled: isFiled.status === "fulfilled" && isFiled.value };
}

/**
 * A message that was made elsewhere is not made anew, but what would tell a marketing system who a person is does not leave
 * (SPEC: hashed addresses only). Throws PermanentFailure.
 */
function requireDeliverable(channel: Channel, { transformed_payload: document }: DeliveryMessage) {
  if (Object.keys(document).length === 0) throw new PermanentFailure("the message is empty");
  if (channel.marketing && CLEAR_ADDRESS.test(JSON.stringify(document)))
    throw new PermanentFailure(
      `the message holds an e-mail address in the clear, and ${channel.name} takes none`,
    );
}

const CLEAR_ADDRESS = /[^\s@"]@[^\s@"]{1,255}\.[a-z]{2}/i;

/** Counts a failure towards the circuit when it says that the system itself is unwell. */
export async function countFailure(
  ctx: Ctx,
  tenant: Tenant,
  channel: string,
  error: unknown,
): Promise<void> {
  if (!(error instanceof OutboundError) || !error.countsForCircuit) return;
  const { isOpen, failures } = await recordFailure(dataOf(ctx, tenant).sql, channel);
  if (isOpen) ctx.log.troubled("circuit.opened", { shop: tenant.shop, channel, failures });
}

async function toFailure(
  ctx: Ctx,
  item: QueueItem,
  error: unknown,
  latencyMs: number,
): Promise<Extract<Settlement, { to: "retry" | "dead_letter" }>> {
  const outbound = error instanceof OutboundError ? error : null;
  const base = {
    httpStatus: outbound?.status ?? null,
    latencyMs,
    error: describeFailure(ctx, item, error),
  };
  const tenant = outbound && (await findTenant(ctx, item.shop));
  if (tenant) await countFailure(ctx, tenant, item.channel, outbound);
  const isPermanent =
    error instanceof PermanentFailure || (outbound !== null && !outbound.retryable);
  const delayMs = isPermanent ? null : nextRetryMs(item, Math.random(), outbound?.retryAfterMs);
  return delayMs === null
    ? { to: "dead_letter", isSweepable: !(error instanceof ConsentMissing), ...base }
    : { to: "retry", delayMs, ...base };
}

/** What the log and the row say of it; our own mistakes are logged whole and told to nobody. */
export function describeFailure(
  ctx: Ctx,
  item: Pick<QueueItem, "shop" | "eventId" | "channel">,
  error: unknown,
): string {
  if (error instanceof OutboundError)
    return error.body ? `${error.message}: ${error.body.slice(0, 300)}` : error.message;
  if (error instanceof PermanentFailure || isAppError(error)) return error.message;
  ctx.log.failed("delivery.crashed", error, {
    shop: item.shop,
    event_id: item.eventId,
    channel: item.channel,
  });
  return "internal_error";
}

async function finish(
  ctx: Ctx,
  settler: Settler,
  item: QueueItem,
  settlement: Settlement,
  outcome: Outcome,
): Promise<DeliveryLog> {
  const held = await settler.settle(item, settlement);
  const log = toLog(item, settlement, held ? outcome : "lease_lost");
  ctx.log.done("delivery.attempted", {
    shop: item.shop,
    event_id: item.eventId,
    queue_id: item.queueId,
    channel: item.channel,
    outcome: log.status,
    attempt: log.attempt,
    status: log.http_status,
    ms: log.latency_ms,
    ...(log.error !== null && { reason: log.error }),
  });
  return log;
}

function toLog(item: QueueItem, settlement: Settlement | null, status: Outcome): DeliveryLog {
  const told = settlement && "httpStatus" in settlement ? settlement : null;
  const error =
    told === null
      ? status === "circuit_open"
        ? status
        : null
      : told.to === "delivered"
        ? told.note
        : told.error;
  return {
    status,
    http_status: told?.httpStatus ?? null,
    latency_ms: told?.latencyMs ?? 0,
    attempt: item.retryCount + 1,
    error,
  };
}
