// Waits until the queue rows of an event are settled, for callers whose response reports the
// outcome. Any process may deliver the rows.
import type { Columns, IntegrationQueue, TenantSql } from "../../db.server.ts";
import { setTimeout as delay } from "node:timers/promises";

/**
 * `ok`: delivered; `queued`: in progress or scheduled for a retry; `failed`: a dead letter that
 * needs a replay.
 */
export type DeliveryState = "ok" | "queued" | "failed";

const FIRST_POLL_MS = 25;
const MAX_POLL_MS = 200;

const STATES: Record<string, DeliveryState> = { delivered: "ok", dead_letter: "failed" };

type RowState = Columns<IntegrationQueue, "channel" | "status"> & { is_settled: boolean };

/**
 * Returns the state of the rows once all are settled, or after `timeoutMs`. Returns early when the
 * next retry is later than that.
 */
export async function awaitDeliveries(
  sql: TenantSql,
  eventId: string,
  channels: readonly string[],
  timeoutMs: number,
): Promise<Map<string, DeliveryState>> {
  const deadline = performance.now() + timeoutMs;
  for (let pause = FIRST_POLL_MS; ; pause = Math.min(pause * 1.5, MAX_POLL_MS)) {
    const left = deadline - performance.now();
    const rows = await sql<RowState>(
      `SELECT channel, status, status IN ('delivered', 'dead_letter') OR (status = 'pending'
        AND next_attempt_at > clock_timestamp() + make_interval(secs => $3::float8)) AS is_settled
       FROM integration_queue WHERE shop = $1 AND event_id = $2 AND channel = ANY($4::text[])`,
      [eventId, Math.max(0, left) / 1_000, channels],
    );
    if (left <= 0 || rows.every((row) => row.is_settled))
      return new Map(rows.map(({ channel, status }) => [channel, STATES[status] ?? "queued"]));
    await delay(Math.min(pause, left));
  }
}
