// The log of delivery attempts, newest first, for operators.
import type { Ctx } from "../../context.server.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";

export type DeliveryLogEntry = {
  event_id: string; queue_id: number; channel: string; status: string; http_status: number | null;
  latency_ms: number; attempt: number; error: string | null; created_at: string;
};

/** `before`: the position a former page ended at. Answers the position of the next page, null at the end. */
export async function listDeliveryAttempts(ctx: Ctx, tenant: Tenant, options: { channel?: string | undefined; limit: number; before: number | null }): Promise<{ entries: DeliveryLogEntry[]; next: number | null }> {
  const rows = await dataOf(ctx, tenant).prisma.deliveryAttempt.findMany({
    where: { ...(options.channel !== undefined && { channel: options.channel }), ...(options.before !== null && { id: { lt: BigInt(options.before) } }) },
    orderBy: { id: "desc" },
    take: options.limit + 1,
  });
  const page = rows.slice(0, options.limit);
  const entries = page.map((row) => ({
    event_id: row.event_id, queue_id: Number(row.queue_id), channel: row.channel, status: row.status, http_status: row.http_status,
    latency_ms: row.latency_ms, attempt: row.attempt, error: row.error, created_at: row.created_at.toISOString(),
  }));
  return { entries, next: rows.length > options.limit ? Number(page.at(-1)?.id) : null };
}
