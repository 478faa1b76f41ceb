// What another system says of a delivery (SPEC "PATCH /events/{id}/status"): `failed` is a failed delivery like any other.
import { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import { AppError, OutboundError } from "../../runtime/errors.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { claimOne } from "./claim.ts";
import { countFailure } from "./deliver.ts";
import { nextRetryMs } from "./retry-policy.ts";
import { settlerOf, type Settlement } from "./settle.ts";

export const StatusReport = z.object({
  status: z.enum(["delivered", "failed"], "must be delivered or failed"),
  channel: z.string().max(40).optional(),
  error: z.string().max(2_000).optional(),
});
export type StatusReport = z.output<typeof StatusReport>;

/** Moves the event's waiting rows, of one channel or all. Rows that are settled, or under way here, stay as they are. */
export async function reportStatus(
  ctx: Ctx,
  tenant: Tenant,
  eventId: string,
  report: StatusReport,
): Promise<{ updated: number }> {
  const { sql } = dataOf(ctx, tenant);
  const rows = await sql<{ channel: string }>(
    "SELECT channel FROM integration_queue WHERE shop = $1 AND event_id = $2",
    [eventId],
  );
  const channels = rows
    .map(({ channel }) => channel)
    .filter((channel) => report.channel === undefined || channel === report.channel);
  // Rows that a remote backend keeps stand in our ledger alone.
  const isKnown =
    channels.length > 0 ||
    (
      await sql(
        "SELECT 1 FROM event_ledger WHERE shop = $1 AND event_id = $2 AND ($3::text IS NULL OR destinations ? $3)",
        [eventId, report.channel ?? null],
      )
    ).length > 0;
  if (!isKnown)
    throw new AppError("not_found", { message: "No such event, or it has no such channel." });

  const settler = settlerOf(ctx.regions.get(tenant.region));
  let updated = 0;
  for (const channel of channels) {
    const item = await claimOne(sql, { eventId, channel, holder: "status-report" });
    if (!item) continue;
    if (report.status === "failed")
      await countFailure(ctx, tenant, channel, new OutboundError(channel, "network"));
    if (await settler.settle(item, toSettlement(report, nextRetryMs(item, Math.random()))))
      updated += 1;
  }
  ctx.log.done("delivery.reported", {
    shop: tenant.shop,
    event_id: eventId,
    status: report.status,
    updated,
  });
  return { updated };
}

function toSettlement(report: StatusReport, delayMs: number | null): Settlement {
  const told = { httpStatus: null, latencyMs: 0 };
  if (report.status === "delivered")
    return { to: "delivered", note: "reported by the backend", isFiled: true, ...told };
  const error = report.error ?? "reported as failed";
  return delayMs === null
    ? { to: "dead_letter", isSweepable: true, error, ...told }
    : { to: "retry", delayMs, error, ...told };
}
