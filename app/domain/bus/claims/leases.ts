// The leases of claimed rows: renewed while their worker lives, and taken back after its death. Only the
// database's clock decides which lease has expired.
import type { Columns, Database, IntegrationQueue } from "../../../db.server.ts";
import { isAtHome } from "../../../runtime/database/cells/held-stores.ts";
import type { QueueItem } from "../channel.ts";

/**
 * Renewed every third of this time. The rows of a dead worker return after at most this time and
 * one sweep.
 */
export const LEASE_SECONDS = 10;
const LOSSES_ALONE_BEFORE_DEAD = 3;
/** The suffix of the holder's name, set when the row was started. */
export type StartMark = "begun" | "alone";
/** The same holder lost other rows before this one, so this row did not run alone. */
const BESIDE = " beside";
/** The prefix of a holder that is a request and not a worker. */
export const REQUEST_HOLDER = "request-";

/**
 * Extends the leases that this worker still holds; safe to repeat. It skips locked rows: a batch
 * that is settling some of them locks them in another order, and waiting would end in a deadlock.
 * The next renewal covers them.
 */
export async function renewLeases(database: Database, items: readonly QueueItem[]): Promise<void> {
  await database.acrossTenants(
    `WITH held AS (
       SELECT q.shop, q.id FROM unnest($1::text[], $2::bigint[], $3::uuid[]) AS h(shop, id, token)
       JOIN integration_queue q ON q.shop = h.shop AND q.id = h.id AND q.attempt_token = h.token
         FOR UPDATE OF q SKIP LOCKED
     )
     UPDATE integration_queue q
       SET locked_until = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS}) FROM held
       WHERE q.shop = held.shop AND q.id = held.id`,
    [
      items.map((item) => item.shop),
      items.map((item) => item.queueId),
      items.map((item) => item.attemptToken),
    ],
  );
}

/**
 * Records that a row starts, and whether it runs alone, before any work is done. False when the
 * lease was lost.
 */
export async function markStarted(
  database: Database,
  item: QueueItem,
  mark: StartMark,
): Promise<boolean> {
  const rows = await database.acrossTenants(
    `UPDATE integration_queue SET locked_by = locked_by || ' ' || $4::text WHERE shop = $1
      AND id = $2 AND attempt_token = $3 AND status = 'processing' RETURNING 1`,
    [item.shop, item.queueId, item.attemptToken, mark],
  );
  return rows.length > 0;
}

// A row may kill every worker that starts it. Most rows of a dead worker are innocent: they were waiting
// there, or ran beside the one that killed it. What the loss of a row's worker shows:
//
//   the row had not started       nothing. From now on its start is recorded.
//   it had started beside others  it may be the one: from now on it runs alone (run-claimed-row.ts)
//   it alone had started          it is very likely the one: the third such loss makes it a dead letter
//
// A start is a write, so only rows with a loss record it. A row without a loss was the only one started
// when its worker had no other row. The leases of one worker expire at different times, so its remaining
// rows are marked as not alone.
//
// A row without a lease was put into its state by another program: nobody works on it, and nobody died of it.
const HOLDER = "split_part(q.locked_by, ' ', 1)";
const RECLAIM = `
  WITH expired AS (
    SELECT q.shop, q.id, ${HOLDER} AS holder, q.status = 'ready'
      OR q.locked_by ~ ' (begun|alone)' AS is_started, q.locked_by LIKE '% alone' AS is_marked_alone,
      q.locked_by LIKE '%${BESIDE}' AS is_beside
    FROM integration_queue q WHERE q.status IN ('processing', 'ready')
      AND q.locked_until < clock_timestamp() AND ${isAtHome("q.shop")}
    ORDER BY q.locked_until LIMIT 1000 FOR UPDATE SKIP LOCKED
  ),
  held AS (
    SELECT ${HOLDER} AS holder, count(*) AS count FROM integration_queue q
    WHERE q.status IN ('processing', 'ready') AND ${HOLDER} IN (SELECT holder FROM expired) GROUP BY 1
  ),
  later AS (
    SELECT q.shop, q.id FROM integration_queue q
    WHERE q.status IN ('processing', 'ready') AND ${HOLDER} IN (SELECT holder FROM expired)
      AND q.locked_by NOT LIKE '%${BESIDE}' AND NOT EXISTS (SELECT 1 FROM expired e
      WHERE e.shop = q.shop AND e.id = q.id)
    FOR UPDATE SKIP LOCKED
  ),
  marked AS (UPDATE integration_queue q SET locked_by = q.locked_by || '${BESIDE}' FROM later
    WHERE q.shop = later.shop AND q.id = later.id),
  lost AS (
    SELECT e.shop, e.id, e.is_started, e.is_marked_alone OR (held.count = 1 AND NOT e.is_beside
      AND e.holder NOT LIKE '${REQUEST_HOLDER}%') AS is_only_one
    FROM expired e JOIN held ON held.holder = e.holder
  ),
  judged AS (
    SELECT q.shop, q.id, q.is_quarantined OR lost.is_started
      OR counted.is_alone AS is_quarantined, q.lost_alone + counted.is_alone::int AS lost_alone,
      q.lost_alone + counted.is_alone::int >= ${LOSSES_ALONE_BEFORE_DEAD} AS is_dead
    FROM lost JOIN integration_queue q ON q.shop = lost.shop AND q.id = lost.id
    CROSS JOIN LATERAL (SELECT lost.is_only_one AND (q.lease_lost = 0 OR lost.is_started) AS is_alone) counted
  ),
  returned AS (UPDATE integration_queue q SET
    lease_lost = q.lease_lost + 1, is_quarantined = judged.is_quarantined, lost_alone = judged.lost_alone,
    status = CASE WHEN judged.is_dead THEN 'dead_letter' ELSE 'pending' END,
    dead_lettered_at = CASE WHEN judged.is_dead THEN clock_timestamp() END,
    last_error = CASE WHEN judged.is_dead THEN 'worker_lost' ELSE q.last_error END,
    attempt_token = NULL, locked_by = NULL, locked_until = NULL, updated_at = clock_timestamp()
  FROM judged WHERE q.shop = judged.shop AND q.id = judged.id
  RETURNING q.channel, q.status),
  unleased AS (
    UPDATE integration_queue q SET status = 'pending', attempt_token = NULL, locked_by = NULL,
      updated_at = clock_timestamp()
    WHERE (q.shop, q.id) IN (
      SELECT o.shop, o.id FROM integration_queue o WHERE o.status IN ('processing', 'ready')
        AND o.locked_until IS NULL AND ${isAtHome("o.shop")} LIMIT 1000 FOR UPDATE SKIP LOCKED
    )
    RETURNING q.channel, q.status
  )
  SELECT channel, status FROM returned UNION ALL SELECT channel, status FROM unleased`;

/**
 * Returns the rows of dead workers to the queue. The loss does not count as an attempt, but a row
 * that three workers died of becomes a dead letter. Locks the rows it returns and skips locked
 * ones; safe to repeat. @returns the channels with due rows.
 */
export async function reclaimLostLeases(
  database: Database,
): Promise<{ channels: string[]; returned: number; dead: number }> {
  const rows =
    await database.acrossTenants<Columns<IntegrationQueue, "channel" | "status">>(RECLAIM);
  const returned = rows.filter((row) => row.status === "pending");
  return {
    channels: [...new Set(returned.map((row) => row.channel))],
    returned: returned.length,
    dead: rows.length - returned.length,
  };
}
