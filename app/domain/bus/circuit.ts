// One circuit per tenant and channel, under `circuit:{channel}` in the tenant's namespace:
//
//   closed -> (5 failures within 10 minutes) -> open for 5 minutes -> closed
import type { Columns, Kv, TenantSql } from "../../db.server.ts";
import { KEYS } from "../../runtime/database/kv-keys.ts";
import type { QueueItem } from "./channel.ts";

export const FAILURES_TO_OPEN = 5;
const WINDOW = "interval '10 minutes'";
const OPEN_FOR = "interval '5 minutes'";

/** SPEC's circuit record; `recent` holds the times of its failures, which another program may leave out. */
export type CircuitRecord = {
  failures: number;
  last_failure: string;
  open_until: string | null;
  recent: string[];
};

// One upsert decides and writes under the row's lock, so 5 failures from 8 workers open the circuit
// exactly once. A failure of an attempt that started before the circuit opened changes nothing, and
// no row is returned. After the cooldown the count starts at zero. SPEC's fields take precedence over
// `recent`: there are `failures` in all, none later than `last_failure`, and one without a time of its
// own counts as of `last_failure`.
const RECORD_FAILURE = `
  INSERT INTO kv (shop, key, value)
  SELECT $1, $2, jsonb_build_object('failures', 1, 'last_failure', clock_timestamp(), 'open_until',
    NULL, 'recent', jsonb_build_array(clock_timestamp()))
  WHERE $3::bigint IS NULL OR EXISTS (SELECT 1 FROM integration_queue q
    WHERE q.shop = $1 AND q.id = $3 AND q.attempt_token = $4::uuid)
  ON CONFLICT (shop, key) DO UPDATE SET
    version = kv.version + 1, updated_at = clock_timestamp(),
    value = (
      SELECT jsonb_build_object(
        'failures', count(*), 'last_failure', clock_timestamp(), 'recent', jsonb_agg(at ORDER BY at),
        'open_until', CASE WHEN count(*) >= ${FAILURES_TO_OPEN} THEN clock_timestamp() + ${OPEN_FOR} END)
      FROM (
        SELECT known.at FROM generate_series(0, least((kv.value->>'failures')::int, ${FAILURES_TO_OPEN}) - 1) AS n
        CROSS JOIN LATERAL (SELECT least((kv.value->'recent'->>n)::timestamptz,
          (kv.value->>'last_failure')::timestamptz) AS at) known
        WHERE known.at > clock_timestamp() - ${WINDOW} AND (kv.value->>'open_until' IS NULL)
        UNION ALL SELECT clock_timestamp()
      ) counted
    )
    WHERE coalesce((kv.value->>'open_until')::timestamptz <= clock_timestamp(), true)
  RETURNING value, value->>'open_until' IS NOT NULL AS has_opened`;

/**
 * `attempt`: of a claimed row. Nothing is counted when its lease was lost: a process that was suspended sees its calls as
 * timed out, although the system may have answered.
 *
 * @returns whether this failure opened the circuit, and how many failures count.
 */
export async function recordFailure(
  sql: TenantSql,
  channel: string,
  attempt?: Pick<QueueItem, "queueId" | "attemptToken">,
): Promise<{ hasOpened: boolean; failures: number }> {
  const [row] = await sql<Columns<Kv, "value"> & { value: CircuitRecord; has_opened: boolean }>(
    RECORD_FAILURE,
    [KEYS.circuit(channel), attempt?.queueId ?? null, attempt?.attemptToken ?? null],
  );
  return row
    ? { hasOpened: row.has_opened, failures: row.value.failures }
    : { hasOpened: false, failures: FAILURES_TO_OPEN };
}

/** When the channel may be tried again; null while its circuit is closed. */
export async function findOpenUntil(sql: TenantSql, channel: string): Promise<Date | null> {
  const [row] = await sql<{ open_until: Date }>(
    `SELECT (value->>'open_until')::timestamptz AS open_until FROM kv WHERE shop = $1 AND key = $2
      AND (value->>'open_until')::timestamptz > clock_timestamp()`,
    [KEYS.circuit(channel)],
  );
  return row?.open_until ?? null;
}
