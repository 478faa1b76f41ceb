// One claimed row, from transformation to settlement:
//
//   processing -> ready -> delivered | pending (later) | dead_letter
import type { Ctx } from "../../context.server.ts";
import { isDatabaseAway } from "../../runtime/database.ts";
import { isAppError, OutboundError } from "../../runtime/errors.ts";
import { dataOf, findTenant, type Tenant } from "../tenants/tenant.ts";
import { Deferred, findChannel, PermanentFailure, type Channel, type DeliveryResult, type QueueItem } from "./channel.ts";
import { recordFailure } from "./circuit.ts";
import { nextRetryMs } from "./retry-policy.ts";
import type { Settlement, Settler } from "./settle.ts";

/** What an attempt did to the pair of tenant and channel; the worker paces itself by it. */
export type Outcome = "delivered" | "failed" | "dead_letter" | "deferred" | "circuit_open" | "lease_lost";

export async function deliver(ctx: Ctx, settler: Settler, item: QueueItem): Promise<Outcome> {
  const started = performance.now();
  const latency = () => Math.round(performance.now() - started);
  try {
    const { channel, tenant } = await findParties(ctx, item);
    const message = await channel.transform(ctx, item, tenant);
    const { held, openForMs } = await settler.ready(item, message);
    if (!held) return "lease_lost";
    // The circuit is looked at before every attempt; while it is open none is made and none is counted.
    if (openForMs !== null) return await finish(ctx, settler, item, { to: "deferred", delayMs: openForMs }, "circuit_open");
    const result = await channel.deliver(ctx, item, message, tenant);
    return await finish(ctx, settler, item, toDelivered(result, latency()), "delivered");
  } catch (error) {
    // Without the database nothing can be settled: the lease runs out and another worker starts afresh.
    if (isDatabaseAway(error)) return "lease_lost";
    if (error instanceof Deferred) return await finish(ctx, settler, item, { to: "deferred", delayMs: error.delayMs }, "deferred");
    const settlement = await toFailure(ctx, item, error, latency());
    return await finish(ctx, settler, item, settlement, settlement.to === "retry" ? "failed" : "dead_letter");
  }
}

async function findParties(ctx: Ctx, item: QueueItem): Promise<{ channel: Channel; tenant: Tenant }> {
  const channel = findChannel(ctx, item.channel);
  if (!channel) throw new PermanentFailure(`unknown_channel: ${item.channel}`);
  const tenant = await findTenant(ctx, item.shop);
  if (!tenant) throw new PermanentFailure("unknown_tenant");
  return { channel, tenant };
}

function toDelivered(result: DeliveryResult, latencyMs: number): Settlement {
  return { to: "delivered", httpStatus: result.httpStatus, latencyMs, note: result.skipped ?? null };
}

async function toFailure(ctx: Ctx, item: QueueItem, error: unknown, latencyMs: number): Promise<Extract<Settlement, { to: "retry" | "dead_letter" }>> {
  const outbound = error instanceof OutboundError ? error : null;
  const told = outbound ?? (error instanceof PermanentFailure || isAppError(error) ? (error) : null);
  if (!told) ctx.log.failed("delivery.crashed", error, { shop: item.shop, event_id: item.eventId, channel: item.channel });
  const base = { httpStatus: outbound?.status ?? null, latencyMs, error: told ? describe(told) : "internal_error" };

  if (outbound?.countsForCircuit) {
    const tenant = await findTenant(ctx, item.shop);
    if (tenant) {
      const { isOpen, failures } = await recordFailure(dataOf(ctx, tenant).sql, item.channel);
      if (isOpen) ctx.log.troubled("circuit.opened", { shop: item.shop, channel: item.channel, failures });
    }
  }
  const isPermanent = error instanceof PermanentFailure || (outbound !== null && !outbound.retryable);
  const delayMs = isPermanent ? null : nextRetryMs(item, Math.random(), outbound?.retryAfterMs);
  return delayMs === null ? { to: "dead_letter", countsAsTry: true, ...base } : { to: "retry", delayMs, ...base };
}

function describe(error: Error): string {
  return error instanceof OutboundError && error.body ? `${error.message}: ${error.body.slice(0, 300)}` : error.message;
}

async function finish(ctx: Ctx, settler: Settler, item: QueueItem, settlement: Settlement, outcome: Outcome): Promise<Outcome> {
  const held = await settler.settle(item, settlement);
  ctx.log.done("delivery.attempted", {
    shop: item.shop,
    event_id: item.eventId,
    queue_id: item.queueId,
    channel: item.channel,
    outcome: held ? outcome : "lease_lost",
    attempt: item.retryCount + 1,
    ...("httpStatus" in settlement && { status: settlement.httpStatus, ms: settlement.latencyMs }),
    ...("error" in settlement && { reason: settlement.error }),
  });
  return held ? outcome : "lease_lost";
}
