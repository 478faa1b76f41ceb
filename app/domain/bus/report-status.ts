// Another system reports the outcome of a delivery (SPEC "PATCH /events/{id}/status"): `failed`
// counts as a failed delivery.
import { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import { AppError, OutboundError } from "../../runtime/errors.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { claimOne } from "./claims/claim.ts";
import { countFailure } from "./deliver.ts";
import { REPORTED_BY_BACKEND } from "./outcome.ts";
import { nextRetryMs } from "./retry-policy.ts";
import { settlerOf, type Settlement } from "./settle.ts";

/** Null says as little as an absent field. */
const optionalText = (max: number) =>
  z
    .string()
    .max(max)
    .nullish()
    .transform((text) => text ?? undefined);

export const StatusReport = z.object({
  status: z.enum(["delivered", "failed"], "must be delivered or failed"),
  channel: optionalText(40),
  error: optionalText(2_000),
});
export type StatusReport = z.output<typeof StatusReport>;

/**
 * Settles the event's pending rows, of one channel or all. Rows that are settled or in progress
 * here do not change.
 */
export async function reportStatus(
  ctx: Ctx,
  tenant: Tenant,
  eventId: string,
  report: StatusReport,
): Promise<{ updated: number }> {
  const data = dataOf(ctx, tenant);
  const rows = await data.prisma.integrationQueue.findMany({
    select: { channel: true },
    where: { event_id: eventId },
  });
  const channels = rows
    .map(({ channel }) => channel)
    .filter((channel) => report.channel === undefined || channel === report.channel);
  // Rows in a remote backend's queue have only a ledger entry here.
  if (channels.length === 0 && !(await isInLedger(ctx, tenant, eventId, report.channel)))
    throw new AppError("not_found", { message: "No such event, or it has no such channel." });

  const settler = settlerOf(ctx.regions.get(tenant.region));
  let updated = 0;
  for (const channel of channels) {
    const item = await claimOne(data.sql, { eventId, channel, holder: "status-report" });
    if (!item) continue;
    if (report.status === "failed")
      await countFailure(ctx, tenant, channel, new OutboundError(channel, "network"));
    if (await settler.settle(item, toSettlement(report, nextRetryMs(item, Math.random()))))
      updated += 1;
  }
  ctx.log.info("delivery.reported", {
    shop: tenant.shop,
    event_id: eventId,
    status: report.status,
    updated,
  });
  return { updated };
}

async function isInLedger(
  ctx: Ctx,
  tenant: Tenant,
  eventId: string,
  channel: string | undefined,
): Promise<boolean> {
  const ofChannel = channel !== undefined && { destinations: { array_contains: [channel] } };
  const where = { event_id: eventId, ...ofChannel };
  return (await dataOf(ctx, tenant).prisma.eventLedger.count({ where })) > 0;
}

function toSettlement(report: StatusReport, delayMs: number | null): Settlement {
  const noMeasurement = { httpStatus: null, latencyMs: 0 };
  if (report.status === "delivered")
    return { to: "delivered", note: REPORTED_BY_BACKEND, isArchived: true, ...noMeasurement };
  const error = report.error ?? "reported as failed";
  return delayMs === null
    ? { to: "dead_letter", isSweepable: true, error, ...noMeasurement }
    : { to: "retry", delayMs, error, ...noMeasurement };
}
