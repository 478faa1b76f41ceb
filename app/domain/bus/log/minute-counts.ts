// The minute's counts of one channel, written in the statement that logs the attempts. What was
// skipped is counted apart. How long it took is not counted, nor what was not measured (0).
import { isSkipped } from "../outcome.ts";
import { addLatencies, countLatencies, latencyRange } from "./latency-histogram.ts";

/**
 * SQL that adds attempts to their minute. `attempts` is a query of `shop`, `channel`, `status`,
 * `error`, `latency_ms` and `at`. Writers lock the minutes in the same order, so no two wait for each other.
 */
export const countMinutes = (attempts: string) => `
  INSERT INTO channel_minutes AS m (shop, channel, minute, slot, delivered, failed, skipped,
    latency_ms_sum, latencies)
  SELECT shop, channel, date_trunc('minute', at), (SELECT floor(random() * 8)),
    count(*) FILTER (WHERE is_sent AND status = 'delivered'),
    count(*) FILTER (WHERE status = 'failed'),
    count(*) FILTER (WHERE NOT is_sent),
    coalesce(sum(latency_ms) FILTER (WHERE is_sent), 0),
    ${countLatencies("latency_range", "is_sent AND latency_ms > 0")}
  FROM (
    SELECT shop, channel, status, latency_ms, at, NOT coalesce(${isSkipped("attempt")}, false) AS is_sent,
      ${latencyRange("latency_ms")} AS latency_range
    FROM (${attempts}) AS attempt
  ) AS measured
  GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
  ON CONFLICT (shop, channel, minute, slot) DO UPDATE
    SET delivered = m.delivered + excluded.delivered, failed = m.failed + excluded.failed,
    skipped = m.skipped + excluded.skipped,
    latency_ms_sum = m.latency_ms_sum + excluded.latency_ms_sum,
    latencies = ${addLatencies("m.latencies", "excluded.latencies")}`;
