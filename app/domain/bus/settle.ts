// Settles claimed rows. Every statement checks the fence token, so a worker that lost its lease
// changes nothing. Concurrent settlements of one region share a commit.
import type { Columns, Database, IntegrationQueue } from "../../db.server.ts";
import { unnestBatch } from "../../runtime/database/array-parameters.ts";
import { batchColumns } from "../../runtime/database/batch-columns.ts";
import { createGroupCommit } from "../../runtime/database/group-commit.ts";
import { KEYS } from "../../runtime/database/kv-keys.ts";
import { NO_WAIT_FOR_DISK } from "../../runtime/database/no-wait-for-disk.ts";
import type { HistoricTime } from "../../runtime/historic-time.ts";
import type { DeliveryMessage, QueueItem } from "./channel.ts";
import { countMinutes } from "./log/minute-counts.ts";

export type Settlement =
  /**
   * `isArchived`: the archive has the message, or there was none; otherwise it is archived later.
   */
  | {
      to: "delivered";
      httpStatus: number | null;
      latencyMs: number;
      note: string | null;
      isArchived: boolean;
    }
  | { to: "retry"; delayMs: number; httpStatus: number | null; latencyMs: number; error: string }
  | {
      to: "dead_letter";
      isSweepable: boolean;
      httpStatus: number | null;
      latencyMs: number;
      error: string;
    }
  /** Returns the row to the queue; no attempt is counted. */
  | { to: "deferred"; delayMs: number };

type SettleOptions = {
  /** What was sent and answered, sealed. */
  exchange?: string | null;
  /** In the history of the demo store. */
  at?: HistoricTime;
};
type Settling = { item: QueueItem; settlement: Settlement } & SettleOptions;

const MAX_ERROR_LENGTH = 2_000;
const ROW_STATUS = {
  delivered: "delivered",
  retry: "pending",
  dead_letter: "dead_letter",
  deferred: "pending",
} as const;
const ATTEMPT_STATUS = {
  delivered: "delivered",
  retry: "failed",
  dead_letter: "failed",
  deferred: null,
} as const;

/**
 * A response may contain NUL, which the database rejects; the settlement must not fail because of
 * it.
 */
const storable = (error: string) => error.replaceAll("\u0000", "").slice(0, MAX_ERROR_LENGTH);

/** A delivered attempt has its note where a failed one has its error. */
function errorOf(settlement: Settlement): string | null {
  if ("error" in settlement) return storable(settlement.error);
  return settlement.to === "delivered" ? settlement.note : null;
}

const SETTLED = batchColumns<Settling>({
  shop: ["text", ({ item }) => item.shop],
  id: ["bigint", ({ item }) => item.queueId],
  token: ["uuid", ({ item }) => item.attemptToken],
  status: ["text", ({ settlement: s }) => ROW_STATUS[s.to]],
  counted_attempts: ["int", ({ settlement: s }) => (ATTEMPT_STATUS[s.to] === "failed" ? 1 : 0)],
  delay_ms: ["float8", ({ settlement: s }) => ("delayMs" in s ? s.delayMs : 0)],
  error: ["text", ({ settlement: s }) => errorOf(s)],
  http_status: ["int", ({ settlement: s }) => ("httpStatus" in s ? s.httpStatus : null)],
  latency_ms: ["int", ({ settlement: s }) => ("latencyMs" in s ? s.latencyMs : 0)],
  attempt_status: ["text", ({ settlement: s }) => ATTEMPT_STATUS[s.to]],
  attempt: ["int", ({ item }) => item.retryCount + 1],
  is_archived: ["boolean", ({ settlement: s }) => s.to === "delivered" && s.isArchived],
  is_sweepable: ["boolean", ({ settlement: s }) => s.to !== "dead_letter" || s.isSweepable],
  past: ["timestamptz", ({ at }) => at ?? null],
  exchange: ["text", ({ exchange }) => exchange ?? null],
});

// One statement for the row, its attempt with its exchange, and the minute's count, so that a settled
// row always has its log entry. Two batches lock the minutes in the same order.
const SETTLE = `
  WITH input AS (
    SELECT * FROM ${unnestBatch(...SETTLED.types)} AS i(${SETTLED.names})
  ),
  settled AS (
    UPDATE integration_queue q SET
      status = i.status,
      retry_count = q.retry_count + i.counted_attempts,
      next_attempt_at = CASE WHEN i.status = 'pending'
        THEN clock_timestamp() + make_interval(secs => i.delay_ms / 1000) ELSE q.next_attempt_at END,
      last_error = CASE WHEN i.status = 'delivered' THEN NULL ELSE coalesce(i.error, q.last_error) END,
      delivered_at = CASE WHEN i.status = 'delivered' THEN coalesce(i.past, clock_timestamp()) END,
      dead_lettered_at = CASE WHEN i.status = 'dead_letter' THEN coalesce(i.past, clock_timestamp()) END,
      archived_at = CASE WHEN i.is_archived THEN coalesce(i.past, clock_timestamp()) END,
      is_sweepable = i.is_sweepable,
      lease_lost = CASE WHEN i.counted_attempts > 0 THEN 0 ELSE q.lease_lost END,
      is_quarantined = q.is_quarantined AND i.counted_attempts = 0,
      lost_alone = CASE WHEN i.counted_attempts > 0 THEN 0 ELSE q.lost_alone END,
      attempt_token = NULL, locked_by = NULL, locked_until = NULL,
      updated_at = coalesce(i.past, clock_timestamp())
    FROM input i
    WHERE q.shop = i.shop AND q.id = i.id AND q.attempt_token = i.token
    RETURNING q.shop, q.id, q.event_id, q.channel
  ),
  attempts AS (
    INSERT INTO delivery_attempts (shop, queue_id, event_id, channel, attempt, status, http_status,
      latency_ms, error, created_at)
    SELECT s.shop, s.id, s.event_id, s.channel, i.attempt, i.attempt_status, i.http_status,
      i.latency_ms, i.error, coalesce(i.past, now())
    FROM settled s JOIN input i ON i.shop = s.shop AND i.id = s.id
    WHERE i.attempt_status IS NOT NULL
    RETURNING shop, id, queue_id, event_id
  ),
  exchanges AS (
    INSERT INTO delivery_exchanges (shop, event_id, attempt_id, token, sealed)
    SELECT a.shop, a.event_id, a.id, i.token, i.exchange
    FROM attempts a JOIN input i ON i.shop = a.shop AND i.id = a.queue_id
    WHERE i.exchange IS NOT NULL
  ),
  minutes AS (${countMinutes(`
    SELECT s.shop, s.channel, i.attempt_status AS status, i.error, i.latency_ms,
      coalesce(i.past, clock_timestamp()) AS at
    FROM settled s JOIN input i ON i.shop = s.shop AND i.id = s.id
    WHERE i.attempt_status IS NOT NULL`)}
  )
  SELECT shop, id FROM settled`;

type Readying = { item: QueueItem; message: DeliveryMessage };

const READIED = batchColumns<Readying>({
  shop: ["text", ({ item }) => item.shop],
  id: ["bigint", ({ item }) => item.queueId],
  token: ["uuid", ({ item }) => item.attemptToken],
  payload: ["jsonb", ({ message }) => JSON.stringify(message.transformed_payload)],
  config: ["jsonb", ({ message }) => JSON.stringify(message.delivery_config)],
});

// A crash of the database may lose this write: the next worker that claims the row transforms it again.
// The settlement that follows waits for the disk, and so for this write too.
const READY = `
  WITH input AS MATERIALIZED (
    SELECT * FROM ${unnestBatch(...READIED.types)} AS i(${READIED.names})
    WHERE ${NO_WAIT_FOR_DISK}
  )
  UPDATE integration_queue q SET status = 'ready', transformed_payload = i.payload,
    delivery_config = i.config, updated_at = clock_timestamp()
  FROM input i
  WHERE q.shop = i.shop AND q.id = i.id AND q.attempt_token = i.token
  RETURNING q.shop, q.id, (
    SELECT extract(epoch FROM (kv.value->>'open_until')::timestamptz - clock_timestamp())::float8 * 1000 FROM kv
    WHERE kv.shop = q.shop AND kv.key = '${KEYS.circuit("")}' || q.channel
      AND (kv.value->>'open_until')::timestamptz > clock_timestamp()
  ) AS open_for_ms`;

type Readied = { held: boolean; openForMs: number | null };

export type Settler = {
  /**
   * Stores the message. `held` is false when the lease was lost; `openForMs` is set when the
   * circuit opened meanwhile.
   */
  ready(item: QueueItem, message: DeliveryMessage): Promise<Readied>;
  /**
   * False when the lease was lost; then nothing changed.
   */
  settle(item: QueueItem, settlement: Settlement, options?: SettleOptions): Promise<boolean>;
};

const keyOf = (row: { shop: string; id: number }) => `${row.shop}/${row.id}`;

const settlers = new WeakMap<Database, Settler>();

/** All settlements of a database in this process share its commits. */
export function settlerOf(database: Database): Settler {
  const settler = settlers.get(database) ?? createSettler(database);
  settlers.set(database, settler);
  return settler;
}

function createSettler(database: Database): Settler {
  const readying = createGroupCommit<Readying, Readied>(async (batch) => {
    const rows = await database.acrossTenants<
      Columns<IntegrationQueue, "shop" | "id"> & { open_for_ms: number | null }
    >(READY, READIED.values(batch), "ready");
    const held = new Map(rows.map((row) => [keyOf(row), row]));
    return batch.map(({ item }) => {
      const row = held.get(keyOf({ shop: item.shop, id: item.queueId }));
      return { held: row !== undefined, openForMs: row?.open_for_ms ?? null };
    });
  });

  const settling = createGroupCommit<Settling, boolean>(async (batch) => {
    const rows = await database.acrossTenants<Columns<IntegrationQueue, "shop" | "id">>(
      SETTLE,
      SETTLED.values(batch),
      "settle",
    );
    const settled = new Set(rows.map(keyOf));
    return batch.map(({ item }) => settled.has(keyOf({ shop: item.shop, id: item.queueId })));
  });

  return {
    ready: (item, message) => readying.add({ item, message }),
    settle: (item, settlement, options) => settling.add({ item, settlement, ...options }),
  };
}
