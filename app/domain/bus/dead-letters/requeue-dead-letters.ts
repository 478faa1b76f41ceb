// Returns dead letters to the queue: by a replay of the merchant's or an operator's, or by the scheduled sweep after 1 h,
// 2 h and 4 h.
import type { Ctx } from "../../../context.server.ts";
import type { Columns, IntegrationQueue, TenantSql } from "../../../db.server.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { QUEUE_NOTIFICATION } from "../enqueue.ts";
import { DEAD_SINCE, IS_DEAD } from "../outcome.ts";

const MAX_SWEEPS = 3;
const MAX_SWEPT_AT_ONCE = 1_000;

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

/**
 * The statements of a requeue. `isChosen`: SQL of the rows, whose values start at $3. `$2` is the most rows of `slice` and
 * `left`, and the id of `one`.
 *
 * `slice` locks its rows and skips those that another transaction holds: two statements that wait for rows in different
 * orders end in a deadlock. What it skipped is `left`, and each of those is requeued by `one`, which waits: it holds no
 * other row. A requeued row is no longer dead, so all are safe to repeat.
 */
function requeueing(isChosen: string, set: string) {
  const requeue = (oneOrMany: string) => `
    WITH chosen AS (
      SELECT id FROM integration_queue WHERE shop = $1 AND ${IS_DEAD} AND ${isChosen} ${oneOrMany}
    ),
    requeued AS (UPDATE integration_queue q SET ${REQUEUE_SET}, ${set}
      FROM chosen WHERE q.shop = $1 AND q.id = chosen.id RETURNING q.channel),
    notified AS (SELECT pg_notify('${QUEUE_NOTIFICATION}', channel) FROM (SELECT DISTINCT channel FROM requeued) c)
    SELECT count(*)::int AS rows, (SELECT count(*) FROM notified) AS notified FROM requeued`;
  const oldest = "ORDER BY dead_lettered_at, id LIMIT $2";
  return {
    slice: requeue(`${oldest} FOR UPDATE SKIP LOCKED`),
    left: `SELECT id FROM integration_queue WHERE shop = $1 AND ${IS_DEAD} AND ${isChosen} ${oldest}`,
    one: requeue("AND id = $2 FOR UPDATE"),
  };
}

/**
 * Requeues the oldest of the chosen rows, at most `limit`. A row that is held for a moment, as by its alert or its copy in
 * the archive, is waited for. @returns how many.
 */
async function requeueOldest(
  sql: TenantSql,
  { slice, left, one }: ReturnType<typeof requeueing>,
  limit: number,
  values: readonly unknown[] = [],
): Promise<number> {
  const requeue = async (text: string, limitOrId: number) => {
    const [answer] = await sql<{ rows: number }>(text, [limitOrId, ...values]);
    return answer?.rows ?? 0;
  };
  let requeued = await requeue(slice, limit);
  if (requeued >= limit) return requeued;
  const rows = await sql<Columns<IntegrationQueue, "id">>(left, [limit - requeued, ...values]);
  for (const { id } of rows) requeued += await requeue(one, id);
  return requeued;
}

// A row without the time of its death was written by another program: the service itself always sets it.
const REQUEUE_ROWS = requeueing(
  `(dead_lettered_at IS NULL OR dead_lettered_at <= $5::timestamptz) AND ($3::bigint[] IS NULL OR id = ANY($3))
    AND ($4::text IS NULL OR channel = $4)`,
  "sweep_count = 0, is_sweepable = true",
);

/** Requeues the oldest rows that were dead by `until`, at most `limit`. @returns how many. */
export const requeueRows = (
  sql: TenantSql,
  {
    ids,
    channel,
    until,
    limit,
  }: { ids: readonly number[] | null; channel: string | null; until: string; limit: number },
): Promise<number> => requeueOldest(sql, REQUEUE_ROWS, limit, [ids, channel, until]);

const SWEEP = requeueing(
  `is_sweepable AND sweep_count < ${MAX_SWEEPS}
    AND ${DEAD_SINCE} <= clock_timestamp() - interval '1 hour' * power(2, sweep_count)`,
  "sweep_count = sweep_count + 1",
);

/**
 * Automatic retries after one, two and four hours. Rows that need a change by a person are not
 * retried.
 */
export const sweepDeadLetters = (ctx: Ctx, tenant: Tenant): Promise<number> =>
  requeueOldest(dataOf(ctx, tenant).sql, SWEEP, MAX_SWEPT_AT_ONCE);
