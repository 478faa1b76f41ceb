// Claims queue rows: FOR UPDATE SKIP LOCKED, a lease, a fence token per row. Only the database's
// clock decides what is due and which lease has expired. Measurements:
// docs/decisions/003-queue-is-the-row.md.
import type {
  Columns,
  Database,
  IntegrationQueue,
  NullableColumns,
  TenantSql,
} from "../../../db.server.ts";
import { KEYS } from "../../../runtime/database/kv-keys.ts";
import { anyLength, unnestBatch } from "../../../runtime/database/array-parameters.ts";
import { NO_WAIT_FOR_DISK } from "../../../runtime/database/no-wait-for-disk.ts";
import { NOW_ONCE } from "../../../runtime/database/queue/now-once.ts";
import { isNotHeld } from "../../../runtime/database/cells/held-stores.ts";
import { ARCHIVE_CHANNEL, ARCHIVE_METHOD, type QueueItem } from "../channel.ts";
import { LEASE_SECONDS } from "./leases.ts";

const TENANTS_PER_CLAIM = 200;
/** A request's lease is not renewed: its attempt ends before. */
export const REQUEST_LEASE_SECONDS = 30;

const CLAIMED = `q.shop, q.id, q.event_id, q.channel, q.source, q.event_type, q.entity_type,
  q.entity_id, q.payload, q.priority, q.retry_count, q.max_retries, q.created_at, q.lease_lost,
  q.is_quarantined, q.lost_alone, q.trace_parent,
  coalesce((SELECT l.occurred_at FROM event_ledger l WHERE l.shop = q.shop
    AND l.event_id = q.event_id), q.created_at) AS occurred_at,
  q.attempt_token, coalesce(q.delivery_config->>'method' = '${ARCHIVE_METHOD}', false)
    AND q.channel <> '${ARCHIVE_CHANNEL}' AS is_archive_only`;

/**
 * Null: the channel has no further shop with pending rows. In the order of the pending rows' index, channel first: by
 * shop alone the planner may take another index while most rows are of one channel, and a claim for the others then
 * reads all of them.
 */
const nextShop = (channel: string, comparison: ">" | ">=", shop: string): string =>
  `(SELECT CASE WHEN q.channel = ${channel} THEN q.shop END FROM integration_queue q WHERE q.status = 'pending'
      AND (q.channel, q.shop) ${comparison} (${channel}, ${shop}) ORDER BY q.channel, q.shop LIMIT 1)`;

// One statement claims for all channels that have work: a statement and its commit cost more than the rows.
//
//   wanted   $1-$4: per channel its name, the first shop, the row limit, the row limit per shop
//   busy     $5-$7: the remaining limit of shops that already have rows in flight
//   tenants  loose index scan: one look-up per shop with pending rows
//   due      each shop's most urgent rows; shops that are held or have an open circuit are left out
//   chosen   the most urgent of the channel, one shop after the other
//
// Each channel is scanned separately: a filter "channel not open" would walk every parked row.
// Locks the rows that it reads (SKIP LOCKED); two claims never return the same row.
// anyLength hides the array lengths from the planner, so that the plan is made once. The LIMIT in `chosen`
// changes no result: without it the planner expects many rows and reads the whole table.
export const CLAIM = `
  WITH RECURSIVE wanted AS MATERIALIZED (
    SELECT * FROM ${unnestBatch("text", "text", "int", "int")} AS w(channel, start_at, row_limit, row_limit_per_shop)
    WHERE ${NO_WAIT_FOR_DISK}
  ),
  busy AS MATERIALIZED (
    SELECT * FROM unnest(${anyLength(5, "text")}, ${anyLength(6, "text")}, ${anyLength(7, "int")})
      AS b(channel, shop, row_limit)
  ),
  tenants AS (
    SELECT w.channel, ${nextShop("w.channel", ">=", "w.start_at")} AS shop, 1 AS n FROM wanted w
    UNION ALL
    SELECT t.channel, ${nextShop("t.channel", ">", "t.shop")}, t.n + 1 FROM tenants t WHERE t.shop IS NOT NULL AND t.n < ${TENANTS_PER_CLAIM}
  ),
  due AS (
    SELECT t.channel, w.row_limit, picked.*, row_number() OVER (PARTITION BY t.channel, picked.shop
      ORDER BY picked.priority, picked.next_attempt_at, picked.id) AS place
    FROM tenants t
    JOIN wanted w ON w.channel = t.channel
    LEFT JOIN busy b ON b.channel = t.channel AND b.shop = t.shop
    CROSS JOIN LATERAL (
      SELECT q.shop, q.id, q.priority, q.next_attempt_at FROM integration_queue q
      WHERE q.status = 'pending' AND q.channel = t.channel AND q.shop = t.shop AND q.next_attempt_at <= ${NOW_ONCE}
      ORDER BY q.priority, q.next_attempt_at, q.id LIMIT least(w.row_limit, coalesce(b.row_limit, w.row_limit_per_shop))
        FOR UPDATE SKIP LOCKED
    ) picked
    WHERE t.shop IS NOT NULL AND ${isNotHeld("t.shop")} AND NOT EXISTS (
      SELECT 1 FROM kv WHERE kv.shop = t.shop AND kv.key = '${KEYS.circuit("")}' || t.channel
        AND (kv.value->>'open_until')::timestamptz > clock_timestamp()
    )
  ),
  ordered AS (
    SELECT shop, id, row_limit, row_number() OVER (PARTITION BY channel
      ORDER BY priority, place, next_attempt_at) AS turn FROM due
  ),
  chosen AS (
    SELECT shop, id FROM ordered WHERE turn <= row_limit LIMIT (SELECT sum(row_limit) FROM wanted)
  ),
  claimed AS (
    UPDATE integration_queue q
    SET status = 'processing', locked_by = $8,
      locked_until = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS}),
      attempt_token = gen_random_uuid(), updated_at = clock_timestamp()
    FROM chosen WHERE q.shop = chosen.shop AND q.id = chosen.id
    RETURNING ${CLAIMED}
  )
  SELECT claimed.*, reached.channel AS wanted_channel, reached.shop AS reached
    FROM (SELECT channel, max(shop) FILTER (WHERE n = ${TENANTS_PER_CLAIM}) AS shop FROM tenants
      GROUP BY channel) reached
    LEFT JOIN claimed ON claimed.channel = reached.channel`;

type Row = Columns<
  IntegrationQueue,
  | "id"
  | "event_id"
  | "channel"
  | "source"
  | "event_type"
  | "entity_type"
  | "entity_id"
  | "payload"
  | "priority"
  | "retry_count"
  | "max_retries"
  | "created_at"
  | "lease_lost"
  | "is_quarantined"
  | "lost_alone"
  | "attempt_token"
  | "trace_parent"
> & {
  shop: string;
  payload: Record<string, unknown>;
  occurred_at: Date;
  attempt_token: string;
  is_archive_only: boolean;
};
/**
 * `reached` is the last tenant scanned when there are more behind it; `id` is null when nothing was
 * claimed for the channel.
 */
type ClaimedRow = Row & { wanted_channel: string; reached: string | null };
type MaybeClaimed = Omit<ClaimedRow, "id"> & NullableColumns<IntegrationQueue, "id">;

export type ClaimedItem = QueueItem & {
  /** How many workers died while they held the row, started or not. */
  losses: number;
  /** The row runs alone, because a worker died after it had started the row. */
  isQuarantined: boolean;
  /** How many workers died while this was the only row that they had started. */
  lossesAlone: number;
};

const toItem = (row: Row): ClaimedItem => ({
  shop: row.shop,
  queueId: row.id,
  eventId: row.event_id,
  channel: row.channel,
  source: row.source,
  eventType: row.event_type,
  entityType: row.entity_type,
  entityId: row.entity_id,
  payload: row.payload,
  priority: row.priority,
  retryCount: row.retry_count,
  maxRetries: row.max_retries,
  createdAt: row.created_at,
  occurredAt: row.occurred_at,
  losses: row.lease_lost,
  isQuarantined: row.is_quarantined,
  lossesAlone: row.lost_alone,
  isArchiveOnly: row.is_archive_only,
  attemptToken: row.attempt_token,
  traceParent: row.trace_parent,
});

/** What to claim of one channel. */
export type ChannelClaim = {
  channel: string;
  limit: number;
  /** Rotates, so that tenants late in the alphabet are not always last. */
  fromShop: string;
  /** How many rows may be claimed per shop, and of a shop without an entry. */
  limits: ReadonlyMap<string, number>;
  perShop: number;
  /** Whether the scan has been at the start of the alphabet; by default, whether `fromShop` is it. */
  hasWrapped?: boolean;
};

/**
 * Claims rows for each channel; the most urgent come first. `remaining`: what to claim next, because
 * nothing was claimed of a channel and it was not scanned to its end.
 */
export async function claim(
  database: Database,
  worker: string,
  wanted: readonly ChannelClaim[],
): Promise<{ items: ClaimedItem[]; remaining: ChannelClaim[] }> {
  const busy = wanted.flatMap(({ channel, limits }) =>
    [...limits].map(([shop, rowLimit]) => ({ channel, shop, rowLimit })),
  );
  const rows = await database.acrossTenants<MaybeClaimed>(
    CLAIM,
    [
      wanted.map(({ channel }) => channel),
      wanted.map(({ fromShop }) => fromShop),
      wanted.map(({ limit }) => limit),
      wanted.map(({ perShop }) => perShop),
      busy.map(({ channel }) => channel),
      busy.map(({ shop }) => shop),
      busy.map(({ rowLimit }) => rowLimit),
      worker,
    ],
    "claim",
  );
  const byChannel = new Map(rows.map((row) => [row.wanted_channel, row]));
  const remaining = wanted.flatMap((asked) => {
    const row = byChannel.get(asked.channel);
    return row && row.id === null ? remainingScan(asked, row.reached) : [];
  });
  const items = rows.filter((row): row is ClaimedRow => row.id !== null).map(toItem);
  return {
    items: items.sort((a, b) => a.priority - b.priority || a.queueId - b.queueId),
    remaining,
  };
}

/**
 * Tenants that only wait must not hide the ones behind them: the scan continues to the end of the
 * alphabet, and once from its start.
 */
function remainingScan(asked: ChannelClaim, reached: string | null): ChannelClaim[] {
  const { hasWrapped = asked.fromShop === "" } = asked;
  if (reached !== null) return [{ ...asked, fromShop: `${reached}\u0001`, hasWrapped }];
  return hasWrapped ? [] : [{ ...asked, fromShop: "", hasWrapped: true }];
}

/**
 * Claims one event's row for a channel on request, due or not. Null when the row is not pending: in
 * progress, delivered, dead, or missing.
 */
export async function claimOne(
  sql: TenantSql,
  target: { eventId: string; channel: string; holder: string },
): Promise<QueueItem | null> {
  const [row] = await sql<Row>(
    `UPDATE integration_queue q
     SET status = 'processing', locked_by = $4,
       locked_until = clock_timestamp() + make_interval(secs => ${REQUEST_LEASE_SECONDS}),
       attempt_token = gen_random_uuid(), updated_at = clock_timestamp()
     WHERE q.shop = $1 AND q.event_id = $2 AND q.channel = $3 AND q.status = 'pending'
       AND ${isNotHeld("q.shop")} RETURNING ${CLAIMED}`,
    [target.eventId, target.channel, target.holder],
  );
  return row ? toItem(row) : null;
}

/** Claims every pending row of these events, due or not, in the transaction that enqueued them. */
export async function claimEvents(
  sql: TenantSql,
  target: { eventIds: readonly string[]; holder: string },
): Promise<QueueItem[]> {
  const rows = await sql<Row>(
    `UPDATE integration_queue q
     SET status = 'processing', locked_by = $3,
       locked_until = clock_timestamp() + make_interval(secs => ${REQUEST_LEASE_SECONDS}),
       attempt_token = gen_random_uuid(), updated_at = clock_timestamp()
     WHERE q.shop = $1 AND q.event_id = ANY($2::text[]) AND q.status = 'pending'
       AND ${isNotHeld("q.shop")} RETURNING ${CLAIMED}`,
    [target.eventIds, target.holder],
  );
  return rows.map(toItem);
}

/**
 * The channels with pending rows, known to this service or not: a loose scan of one partial index.
 */
export async function listPendingChannels(database: Database): Promise<string[]> {
  const rows = await database.acrossTenants<Columns<IntegrationQueue, "channel">>(
    `WITH RECURSIVE waiting AS (
       (SELECT channel FROM integration_queue WHERE status = 'pending' ORDER BY channel LIMIT 1)
       UNION ALL
       SELECT (SELECT q.channel FROM integration_queue q WHERE q.status = 'pending'
         AND q.channel > waiting.channel ORDER BY q.channel LIMIT 1) FROM waiting WHERE waiting.channel IS NOT NULL
     ) SELECT channel FROM waiting WHERE channel IS NOT NULL`,
  );
  return rows.map((row) => row.channel);
}
