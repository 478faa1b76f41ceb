// The log of delivery attempts. The worker's own statement logs what it settles (settle.ts); other
// attempts are logged here. Operators read it newest first.
import type { Ctx } from "../../../context.server.ts";
import type { TenantPrisma, TenantSql } from "../../../db.server.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import type { QueueItem } from "../channel.ts";
import type { DeliveryLog } from "../deliver.ts";
import { countMinutes } from "./minute-counts.ts";

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

/**
 * `before`: the end of the previous page. Returns the position of the next page, null at the end.
 */
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

/** Logs an attempt without a queue row, its sealed exchange, and its minute's count. */
export async function recordAttempt(
  sql: TenantSql,
  item: QueueItem,
  log: DeliveryLog,
  exchange: string | null,
): Promise<void> {
  const status = log.status === "delivered" ? "delivered" : "failed";
  await sql(
    `WITH attempt AS (
       INSERT INTO delivery_attempts (shop, queue_id, event_id, channel, attempt, status,
         http_status, latency_ms, error) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
       RETURNING shop, id, event_id, channel, status, error, latency_ms
     ),
     exchange AS (
       INSERT INTO delivery_exchanges (shop, event_id, attempt_id, token, sealed)
       SELECT shop, event_id, id, $10::uuid, $11 FROM attempt WHERE $11::text IS NOT NULL
     )
     ${countMinutes("SELECT *, clock_timestamp() AS at FROM attempt WHERE shop = $1")}`,
    [
      item.queueId,
      item.eventId,
      item.channel,
      log.attempt,
      status,
      log.http_status,
      log.latency_ms,
      log.error,
      item.attemptToken,
      exchange,
    ],
  );
}

/** The service's own log line of an attempt. */
export function writeAttempt(ctx: Ctx, item: QueueItem, log: DeliveryLog): void {
  ctx.log.info("delivery.attempted", {
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
}

/** Whether an event was delivered to a channel earlier, and after how many attempts. */
export async function findDelivered(
  prisma: TenantPrisma,
  eventId: string,
  channel: string,
): Promise<{ isDelivered: boolean; attempts: number }> {
  const attempts = await prisma.deliveryAttempt.groupBy({
    by: "status",
    where: { event_id: eventId, channel },
    _count: true,
  });
  return {
    isDelivered: attempts.some(({ status }) => status === "delivered"),
    attempts: attempts.reduce((sum, { _count }) => sum + _count, 0),
  };
}
