// Settles claimed rows. Every statement checks the fence token, so a worker that lost its lease
// changes nothing. Concurrent settlements of one region share a commit.
import type { Columns, Database, IntegrationQueue } from "../../db.server.ts";
import { jsonbArray, textArray, unnestBatch } from "../../runtime/database/array-parameters.ts";
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
const ATTEMPT_STATUS = {
  delivered: "delivered",
  retry: "failed",
  dead_letter: "failed",
  deferred: null,
} as const;

// One statement for the row, its attempt with its exchange, and the minute's count, so that a settled
// row always has its log entry. Two batches lock the minutes in the same order.
const SETTLE = `
  WITH input AS (
    SELECT * FROM ${unnestBatch("text", "bigint", "uuid", "text", "int", "float8", "text", "int", "int", "text", "int", "boolean", "boolean", "timestamptz", "text")}
      AS i(shop, id, token, status, counted_attempts, delay_ms, error, http_status, latency_ms, attempt_status,
        attempt, is_archived, is_sweepable, past, exchange)
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

// A crash of the database may forget it: the next worker that claims the row transforms it again. What
// is settled was ready before, and its commit waits for both.
const READY = `
  WITH input AS MATERIALIZED (
    SELECT * FROM ${unnestBatch("text", "bigint", "uuid", "jsonb", "jsonb")} AS i(shop, id, token, payload, config)
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

/**
 * A response may contain NUL, which the database rejects; the settlement must not fail because of
 * it.
 */
const storable = (error: string) => error.replaceAll("\u0000", "").slice(0, MAX_ERROR_LENGTH);

const keyOf = (row: { shop: string; id: number }) => `${row.shop}/${row.id}`;

const settlers = new WeakMap<Database, Settler>();

/** All settlements of a database in this process share its commits. */
export function settlerOf(database: Database): Settler {
  const settler = settlers.get(database) ?? createSettler(database);
  settlers.set(database, settler);
  return settler;
}

function createSettler(database: Database): Settler {
  const readying = createGroupCommit<{ item: QueueItem; message: DeliveryMessage }, Readied>(
    async (batch) => {
      const rows = await database.acrossTenants<
        Columns<IntegrationQueue, "shop" | "id"> & { open_for_ms: number | null }
      >(
        READY,
        [
          textArray(batch.map(({ item }) => item.shop)),
          batch.map(({ item }) => item.queueId),
          batch.map(({ item }) => item.attemptToken),
          jsonbArray(batch.map(({ message }) => JSON.stringify(message.transformed_payload))),
          jsonbArray(batch.map(({ message }) => JSON.stringify(message.delivery_config))),
        ],
        "ready",
      );
      const held = new Map(rows.map((row) => [keyOf(row), row]));
      return batch.map(({ item }) => {
        const row = held.get(keyOf({ shop: item.shop, id: item.queueId }));
        return { held: row !== undefined, openForMs: row?.open_for_ms ?? null };
      });
    },
  );

  const settling = createGroupCommit<Settling, boolean>(async (batch) => {
    const column = <T>(of: (settling: Settling) => T) => batch.map(of);
    const rows = await database.acrossTenants<Columns<IntegrationQueue, "shop" | "id">>(
      SETTLE,
      [
        textArray(column(({ item }) => item.shop)),
        column(({ item }) => item.queueId),
        column(({ item }) => item.attemptToken),
        textArray(
          column(({ settlement: s }) =>
            s.to === "delivered" || s.to === "dead_letter" ? s.to : "pending",
          ),
        ),
        column(({ settlement: s }) => (s.to === "retry" || s.to === "dead_letter" ? 1 : 0)),
        column(({ settlement: s }) => ("delayMs" in s ? s.delayMs : 0)),
        textArray(
          column(({ settlement: s }) =>
            "error" in s ? storable(s.error) : s.to === "delivered" ? s.note : null,
          ),
        ),
        column(({ settlement: s }) => ("httpStatus" in s ? s.httpStatus : null)),
        column(({ settlement: s }) => ("latencyMs" in s ? s.latencyMs : 0)),
        textArray(column(({ settlement: s }) => ATTEMPT_STATUS[s.to])),
        column(({ item }) => item.retryCount + 1),
        column(({ settlement: s }) => s.to === "delivered" && s.isArchived),
        column(({ settlement: s }) => s.to !== "dead_letter" || s.isSweepable),
        column(({ at }) => at ?? null),
        textArray(column(({ exchange = null }) => exchange)),
      ],
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
