// The log of delivery attempts: what the worker settles stands there by its own statement (settle.ts), the rest comes
// through here; operators read it newest first.
import type { Ctx } from "../../context.server.ts";
import type { TenantSql } from "../../runtime/database.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import type { QueueItem } from "./channel.ts";
import type { DeliveryLog } from "./deliver.ts";

export type DeliveryLogEntry = {
  event_id: string;
  queue_id: number;
  channel: string;
  status: string;
  http_status: number | null;
  latency_ms: number;
  attempt: number;
  error: string | null;
  created_at: string;
};

/** `before`: the position a former page ended at. Answers the position of the next page, null at the end. */
export async function listDeliveryAttempts(
  ctx: Ctx,
  tenant: Tenant,
  options: { channel?: string | undefined; limit: number; before: number | null },
): Promise<{ entries: DeliveryLogEntry[]; next: number | null }> {
  const rows = await dataOf(ctx, tenant).prisma.deliveryAttempt.findMany({
    where: {
      ...(options.channel !== undefined && { channel: options.channel }),
      ...(options.before !== null && { id: { lt: BigInt(options.before) } }),
    },
    orderBy: { id: "desc" },
    take: options.limit + 1,
  });
  const page = rows.slice(0, options.limit);
  const entries = page.map((row) => ({
    event_id: row.event_id,
    queue_id: Number(row.queue_id),
    channel: row.channel,
    status: row.status,
    http_status: row.http_status,
    latency_ms: row.latency_ms,
    attempt: row.attempt,
    error: row.error,
    created_at: row.created_at.toISOString(),
  }));
  return { entries, next: rows.length > options.limit ? Number(page.at(-1)?.id) : null };
}

/** One attempt that moved no row of ours, and its minute's count. */
export async function recordAttempt(
  sql: TenantSql,
  item: QueueItem,
  log: DeliveryLog,
): Promise<void> {
  const status = log.status === "delivered" ? "delivered" : "failed";
  await sql(
    `WITH attempt AS (
       INSERT INTO delivery_attempts (shop, queue_id, event_id, channel, attempt, status, http_status, latency_ms, error) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     )
     INSERT INTO channel_minutes AS m (shop, channel, minute, slot, delivered, failed, latency_ms_sum)
     SELECT $1, $4, date_trunc('minute', clock_timestamp()), floor(random() * 8), ($6 = 'delivered')::int, ($6 = 'failed')::int, $8
     ON CONFLICT (shop, channel, minute, slot) DO UPDATE SET delivered = m.delivered + excluded.delivered, failed = m.failed + excluded.failed, latency_ms_sum = m.latency_ms_sum + excluded.latency_ms_sum`,
    [
      item.queueId,
      item.eventId,
      item.channel,
      log.attempt,
      status,
      log.http_status,
      log.latency_ms,
      log.error,
    ],
  );
}

/** Whether an event reached a channel before, and how often that was tried. */
export async function findDelivered(
  sql: TenantSql,
  eventId: string,
  channel: string,
): Promise<{ isDelivered: boolean; attempts: number }> {
  const [row] = await sql<{ is_delivered: boolean | null; attempts: number }>(
    "SELECT bool_or(status = 'delivered') AS is_delivered, count(*)::int AS attempts FROM delivery_attempts WHERE shop = $1 AND event_id = $2 AND channel = $3",
    [eventId, channel],
  );
  return { isDelivered: row?.is_delivered ?? false, attempts: row?.attempts ?? 0 };
}
