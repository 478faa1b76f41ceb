// Returns dead letters to the queue: by a replay of the merchant's or an operator's, or by the scheduled sweep after 1 h,
// 2 h and 4 h.
import type { Ctx } from "../../../context.server.ts";
import type { Columns, IntegrationQueue, TenantSql } from "../../../db.server.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { QUEUE_NOTIFICATION } from "../enqueue.ts";
import { DEAD_SINCE, IS_DEAD } from "../outcome.ts";

const MAX_SWEEPS = 3;

const REQUEUE_SET =
  "status = 'pending', retry_count = 0, lease_lost = 0, lost_alone = 0, next_attempt_at = clock_timestamp(), dead_lettered_at = NULL, archived_at = NULL, alerted_at = NULL, updated_at = clock_timestamp()";

/**
 * Returns dead letters to the queue, those of every reason but an erasure. A concurrent second replay finds none
 * left.
 */
export async function replay(
  ctx: Ctx,
  tenant: Tenant,
  eventIds: readonly string[],
): Promise<{ requeued: number; not_found: string[] }> {
  const { sql, prisma } = dataOf(ctx, tenant);
  const known = await prisma.integrationQueue.groupBy({
    by: "event_id",
    where: { event_id: { in: [...eventIds] } },
  });
  const rows = await sql<Columns<IntegrationQueue, "channel">>(
    `WITH requeued AS (
       UPDATE integration_queue SET ${REQUEUE_SET}, sweep_count = 0, is_sweepable = true WHERE shop = $1
         AND event_id = ANY($2::text[]) AND ${IS_DEAD} RETURNING channel
     ), notified AS (SELECT pg_notify('${QUEUE_NOTIFICATION}', channel)
       FROM (SELECT DISTINCT channel FROM requeued) c)
     SELECT channel FROM requeued, (SELECT count(*) FROM notified) AS notified`,
    [eventIds],
  );
  const found = new Set(known.map((row) => row.event_id));
  ctx.log.info("dead_letters.replayed", { shop: tenant.shop, requeued: rows.length });
  return {
    requeued: rows.length,
    not_found: [...new Set(eventIds)].filter((id) => !found.has(id)),
  };
}

// Locks the rows of its slice and skips locked ones. A requeued row is no longer dead, so it is
// safe to repeat.
const REQUEUE_ROWS = `
  WITH chosen AS (
    SELECT id FROM integration_queue WHERE shop = $1 AND ${IS_DEAD}
      AND dead_lettered_at <= $4::timestamptz AND ($2::bigint[] IS NULL OR id = ANY($2))
      AND ($3::text IS NULL OR channel = $3)
    ORDER BY dead_lettered_at, id LIMIT $5 FOR UPDATE SKIP LOCKED
  ),
  requeued AS (UPDATE integration_queue q SET ${REQUEUE_SET}, sweep_count = 0, is_sweepable = true
    FROM chosen WHERE q.shop = $1 AND q.id = chosen.id RETURNING q.channel),
  notified AS (SELECT pg_notify('${QUEUE_NOTIFICATION}', channel) FROM (SELECT DISTINCT channel FROM requeued) c)
  SELECT count(*)::int AS rows, (SELECT count(*) FROM notified) AS notified FROM requeued`;

/** Requeues the oldest rows that were dead by `until`, at most `limit`. @returns how many. */
export async function requeueRows(
  sql: TenantSql,
  {
    ids,
    channel,
    until,
    limit,
  }: { ids: readonly number[] | null; channel: string | null; until: string; limit: number },
): Promise<number> {
  const [answer] = await sql<{ rows: number }>(REQUEUE_ROWS, [ids, channel, until, limit]);
  return answer?.rows ?? 0;
}

/**
 * Automatic retries after one, two and four hours. Rows that need a change by a person are not
 * retried.
 */
export async function sweepDeadLetters(ctx: Ctx, tenant: Tenant): Promise<number> {
  const rows = await dataOf(ctx, tenant).sql(
    `UPDATE integration_queue SET ${REQUEUE_SET}, sweep_count = sweep_count + 1
     WHERE shop = $1 AND (shop, id) IN (
       SELECT shop, id FROM integration_queue WHERE shop = $1 AND ${IS_DEAD}
         AND is_sweepable AND sweep_count < ${MAX_SWEEPS}
         AND ${DEAD_SINCE} <= clock_timestamp() - interval '1 hour' * power(2, sweep_count)
           ORDER BY dead_lettered_at LIMIT 1000 FOR UPDATE SKIP LOCKED
     ) RETURNING 1`,
  );
  return rows.length;
}
