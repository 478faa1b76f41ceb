// Dead letters for the merchant, newest first. A cursor is a time and a row id, because a row that
// is replayed meanwhile loses its time.
import { z } from "zod";
import type { Ctx } from "../../../context.server.ts";
import type { Columns, DeliveryAttempt, IntegrationQueue } from "../../../db.server.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { DEAD_SINCE, IS_DEAD } from "../outcome.ts";
import { toFailure, type Failure } from "./failure-kind.ts";

export const DeadLetterFilters = z.object({
  channel: z
    .string()
    .max(40)
    .transform((channel) => channel || undefined)
    .optional()
    .catch(undefined),
});

export type DeadLetter = {
  queue_id: number;
  event_id: string;
  event_type: string;
  entity_type: string;
  channel: string;
  /** Made since the event arrived, replays included. */
  attempts: number;
  dead_since: string;
  failure: Failure;
};

type Row = Columns<
  IntegrationQueue,
  "id" | "event_id" | "event_type" | "entity_type" | "channel" | "retry_count" | "last_error"
> &
  Columns<DeliveryAttempt, "http_status"> & { dead_since: Date; at: string; logged: number };

// Both read integration_queue_dead_idx, which contains dead letters only; the last HTTP status is
// in the log. In its order those without a time come first: 'infinity' is their place in a cursor.
const LIST = `
  SELECT q.id, q.event_id, q.event_type, q.entity_type, q.channel, q.retry_count, q.last_error,
    ${DEAD_SINCE} AS dead_since, coalesce(dead_lettered_at, 'infinity')::text AS at, a.http_status, coalesce(a.logged, 0)::int AS logged
  FROM (
    SELECT * FROM integration_queue WHERE shop = $1 AND ${IS_DEAD} AND ($2::text IS NULL
      OR channel = $2)
      AND ($3::timestamptz IS NULL OR (dead_lettered_at, id) < ($3::timestamptz, $4::bigint)
        OR ($3::timestamptz = 'infinity' AND dead_lettered_at IS NULL AND id < $4::bigint))
    ORDER BY dead_lettered_at DESC, id DESC LIMIT $5
  ) q LEFT JOIN LATERAL (
    SELECT (array_agg(http_status ORDER BY id DESC))[1] AS http_status, count(*) AS logged
    FROM delivery_attempts WHERE shop = $1 AND event_id = q.event_id AND channel = q.channel
  ) a ON true ORDER BY q.dead_lettered_at DESC, q.id DESC`;

/** `after`: the end of the previous page. */
export async function listDeadLetters(
  ctx: Ctx,
  tenant: Tenant,
  { channel, limit, after }: { channel?: string | undefined; limit: number; after: string | null },
): Promise<{ letters: DeadLetter[]; next: string | null }> {
  const [at = null, id = null] = after?.split("|") ?? [];
  const rows = await dataOf(ctx, tenant).sql<Row>(LIST, [channel ?? null, at, id, limit + 1]);
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    letters: page.map(toLetter),
    next: rows.length > limit && last ? `${last.at}|${last.id}` : null,
  };
}

const toLetter = (row: Row): DeadLetter => ({
  queue_id: row.id,
  event_id: row.event_id,
  event_type: row.event_type,
  entity_type: row.entity_type,
  channel: row.channel,
  // Older attempts may be beyond the log's retention.
  attempts: Math.max(row.retry_count, row.logged),
  dead_since: row.dead_since.toISOString(),
  failure: toFailure({ error: row.last_error, http_status: row.http_status }),
});

export async function countDeadLetters(ctx: Ctx, tenant: Tenant): Promise<Map<string, number>> {
  const rows = await dataOf(ctx, tenant).sql<
    Columns<IntegrationQueue, "channel"> & { dead: number }
  >(
    `SELECT channel, count(*)::int AS dead FROM integration_queue WHERE shop = $1 AND ${IS_DEAD} GROUP BY channel`,
  );
  return new Map(rows.map(({ channel, dead }) => [channel, dead]));
}
