// Waits for an event's rows to settle, for callers who are promised an answer about them. Any process may deliver.
import { setTimeout as delay } from "node:timers/promises";
import type { TenantSql } from "../../runtime/database.ts";

/** `ok`: delivered; `queued`: under way or waiting for a retry; `failed`: a dead letter, to be replayed. */
export type DeliveryState = "ok" | "queued" | "failed";

const FIRST_POLL_MS = 25;
const LONGEST_POLL_MS = 200;

const STATES: Record<string, DeliveryState> = { delivered: "ok", dead_letter: "failed" };

type RowState = { channel: string; status: string; is_settled: boolean };

/** The state of these channels' rows once all are settled, or after `timeoutMs`. A row whose retry lies beyond is not waited for. */
export async function awaitDeliveries(
  sql: TenantSql,
  eventId: string,
  channels: readonly string[],
  timeoutMs: number,
): Promise<Map<string, DeliveryState>> {
  const deadline = performance.now() + timeoutMs;
  for (let pause = FIRST_POLL_MS; ; pause = Math.min(pause * 1.5, LONGEST_POLL_MS)) {
    const left = deadline - performance.now();
    const rows = await sql<RowState>(
      `SELECT channel, status, status IN ('delivered', 'dead_letter') OR (status = 'pending' AND next_attempt_at > clock_timestamp() + make_interval(secs => $3::float8)) AS is_settled
       FROM integration_queue WHERE shop = $1 AND event_id = $2 AND channel = ANY($4::text[])`,
      [eventId, Math.max(0, left) / 1_000, channels],
    );
    if (left <= 0 || rows.every((row) => row.is_settled))
      return new Map(rows.map(({ channel, status }) => [channel, STATES[status] ?? "queued"]));
    await delay(Math.min(pause, left));
  }
}
