// Table rows as work that one worker holds at a time: claim, lease, fence token, retry.
//
//   waiting -> running (locked_until, attempt_token) -> waiting (later) | any final state
//      ^------ claimed again when its lease expired: the holder died
//
// A row that ends its process each time must not end the queue: `lease_lost` counts its lost leases, and from
// the third on it waits longer and longer. Nothing is given up.
import { unnestBatch } from "../array-parameters.ts";
import type { Database, Row, TenantSql } from "../database.ts";
import { isNotHeld } from "../cells/held-stores.ts";
import { NO_WAIT_FOR_DISK } from "../no-wait-for-disk.ts";
import { NOW_ONCE } from "./now-once.ts";
import { claimInTurns, type Turns } from "./claim-in-turns.ts";
import { LeaseLost } from "./lease.ts";

/** Restarts of the process take one lease each, and cost a row no time. */
const FREE_LOSSES = 3;
/** The column is a smallint. */
const MAX_COUNTED_LOSSES = 1_000;
const MIN_WAIT_SECONDS = 60;
const MAX_WAIT_SECONDS = 3_600;
/**
 * How long a row waits after its lease ended. Rows that one process held wait for different times, by up to a half:
 * so the row that ended it comes back alone.
 */
const WAIT_AFTER_LOSSES = `CASE WHEN lease_lost < ${FREE_LOSSES} THEN interval '0' ELSE make_interval(secs =>
  least(${MAX_WAIT_SECONDS}, ${MIN_WAIT_SECONDS} * 4 ^ least(lease_lost - ${FREE_LOSSES}, 10))
    * (1 - (hashtext(id::text) & 1023) / 2046.0)) END`;

/** SQL of a lease that its holder ended itself. */
const LEASE_ENDED = "attempt_token = NULL, locked_until = NULL, lease_lost = 0";

export type LeasedRow = Row & { shop: string; id: number | string; attempt_token: string };

type LeasedTableOptions = {
  table: string;
  idType: "bigint" | "int" | "uuid";
  stateColumn: "state" | "status";
  waiting: string;
  running: string;
  /** With `next_attempt_at` a row is due at its time; with `created_at` the oldest goes first. */
  orderBy: "next_attempt_at" | "created_at";
  /**
   * SQL of the due rows that are claimed after all others. Where it is set the stores take turns, too, so that none waits
   * behind all rows of another. Each claim then sorts what is due.
   */
  isLast?: string;
  /**
   * How many rows of one store a process works at a time, for `claimInTurns`. Needs an index of the waiting rows by shop,
   * `orderBy` and id.
   */
  maxPerStore?: number;
  leaseSeconds: number;
  columns: readonly string[];
  /** Values of the column `kind` that are claimed. A row of another kind waits for a process of its version. */
  kinds?: readonly string[];
  /** Rows of stores that are held here are claimed too. */
  isOfHeldStores?: boolean;
};

export type LeasedTable<Claimed extends LeasedRow> = {
  table: string;
  leaseSeconds: number;
  /**
   * Claims at most `limit` rows: those with an expired lease, then those that are due. `lastShop`: the store that had the
   * last turn, where they take turns.
   */
  claim(database: Database, limit: number, lastShop?: string): Promise<Claimed[]>;
  /**
   * As `claim`, one store after the other: it reads a row of each store, however many wait. Moves `turns` on. A store
   * gets `maxPerStore` rows at most, with those that it has in work.
   */
  claimInTurns(database: Database, limit: number, turns: Turns): Promise<Claimed[]>;
  /** Extends the leases that are still held. Returns their number. */
  renew(database: Database, rows: readonly Held[]): Promise<number>;
  /** Releases rows unprocessed for the next worker. */
  release(database: Database, rows: readonly Held[]): Promise<void>;
  /**
   * Changes a held row and keeps its lease. `assignments` is SQL whose values start at $4. Throws
   * LeaseLost when another worker holds the row: then the caller's transaction must not commit.
   */
  update(sql: TenantSql, row: Held, assignments: string, values?: readonly unknown[]): Promise<Row>;
  /** Does what `update` does, and ends the lease. */
  settle(sql: TenantSql, row: Held, assignments: string, values?: readonly unknown[]): Promise<Row>;
  /**
   * Settles many rows alike in one commit, always with the same `assignments`. False for each row
   * that another worker holds.
   */
  settleMany(database: Database, rows: readonly Held[], assignments: string): Promise<boolean[]>;
  /** How many rows lost so many leases in a row that they wait between two of them. */
  countLosing(database: Database): Promise<number>;
};

/** A claimed row with its fence token. */
export type Held = { shop: string; id: number | string; token: string };

export function leasedTable<Claimed extends LeasedRow>({
  table,
  idType,
  stateColumn: state,
  waiting,
  running,
  orderBy,
  isLast,
  maxPerStore = 1,
  leaseSeconds,
  columns,
  kinds,
  isOfHeldStores = false,
}: LeasedTableOptions): LeasedTable<Claimed> {
  const lease = `clock_timestamp() + make_interval(secs => ${leaseSeconds})`;
  const isDue = orderBy === "next_attempt_at" ? `AND next_attempt_at <= ${NOW_ONCE}` : "";
  const isKnown = kinds ? `kind IN (${kinds.map((kind) => `'${kind}'`).join(", ")})` : "true";
  const isClaimed = isOfHeldStores ? isKnown : `${isKnown} AND ${isNotHeld("shop")}`;
  const order = isLast ? `${isLast}, shop <= $2, shop, ${orderBy}, id` : `${orderBy}, id`;
  const claimedColumns = ["shop", "id", "attempt_token", ...columns];
  // Lost rows first: they were claimed before what is due, and would wait as long as anything newer is.
  const CHOSEN = `
    lost AS (
      SELECT shop, id FROM ${table} WHERE ${state} = '${running}' AND locked_until < clock_timestamp()
        AND locked_until + ${WAIT_AFTER_LOSSES} < clock_timestamp() AND ${isClaimed}
      ORDER BY locked_until LIMIT $1 FOR UPDATE SKIP LOCKED
    ),
    chosen AS (SELECT *, 1 AS loss FROM lost UNION ALL SELECT *, 0 FROM due LIMIT $1)`;
  const TAKE_CHOSEN = `
    UPDATE ${table} w SET ${state} = '${running}', locked_until = ${lease}, attempt_token = gen_random_uuid(),
      lease_lost = least(w.lease_lost + chosen.loss, ${MAX_COUNTED_LOSSES})
    FROM chosen WHERE w.shop = chosen.shop AND w.id = chosen.id
    RETURNING ${claimedColumns.map((column) => `w.${column}`).join(", ")}`;
  // Locks the returned rows for one statement and skips locked ones, so that two claims never
  // return the same row.
  const CLAIM = `
    WITH due AS (
      SELECT shop, id FROM ${table} WHERE ${state} = '${waiting}' ${isDue} AND ${isClaimed}
        AND ${NO_WAIT_FOR_DISK}
      ORDER BY ${order} LIMIT $1 FOR UPDATE SKIP LOCKED
    ), ${CHOSEN} ${TAKE_CHOSEN}`;
  const claimFairly = claimInTurns<Claimed>({
    name: `claim_${table}_in_turns`,
    table,
    waiting: `${state} = '${waiting}' AND ${isKnown}`,
    orderBy,
    chosen: CHOSEN,
    take: TAKE_CHOSEN,
    maxPerStore,
  });

  // Locked in one order, so that a renewal and a settlement of several rows wait for each other
  // instead of deadlocking.
  const HELD_ROWS = `FROM (
      SELECT h.shop, h.id FROM ${unnestBatch("text", idType, "uuid")} AS h(shop, id, token)
      JOIN ${table} t ON t.shop = h.shop AND t.id = h.id AND t.attempt_token = h.token
      ORDER BY h.shop, h.id FOR UPDATE OF t
    ) AS held WHERE w.shop = held.shop AND w.id = held.id`;
  const RENEW = `UPDATE ${table} w SET locked_until = ${lease} ${HELD_ROWS} RETURNING w.id`;
  const RELEASE = `UPDATE ${table} w SET ${state} = '${waiting}', ${LEASE_ENDED} ${HELD_ROWS}`;
  const COUNT_LOSING = `SELECT count(*)::int AS count FROM ${table} WHERE ${state} = '${running}' AND lease_lost >= ${FREE_LOSSES}`;
  const byColumn = (rows: readonly Held[]) => [
    rows.map(({ shop }) => shop),
    rows.map(({ id }) => id),
    rows.map(({ token }) => token),
  ];

  async function change(
    sql: TenantSql,
    { id, token }: Held,
    assignments: string,
    values: readonly unknown[],
  ): Promise<Row> {
    const [row] = await sql(
      `UPDATE ${table} SET ${assignments} WHERE shop = $1 AND id = $2 AND attempt_token = $3
        AND ${state} = '${running}' RETURNING ${state} AS state`,
      [id, token, ...values],
    );
    if (!row) throw new LeaseLost(`${table} ${id}`);
    return row;
  }

  return {
    table,
    leaseSeconds,
    claim: (database, limit, lastShop = "") =>
      database.acrossTenants<Claimed>(
        CLAIM,
        isLast ? [limit, lastShop] : [limit],
        `claim_${table}`,
      ),
    claimInTurns: claimFairly,
    renew: async (database, rows) => (await database.acrossTenants(RENEW, byColumn(rows))).length,
    async settleMany(database, rows, assignments) {
      const settled = await database.acrossTenants<LeasedRow>(
        `UPDATE ${table} w SET ${LEASE_ENDED}, ${assignments} ${HELD_ROWS}
         RETURNING w.shop, w.id`,
        byColumn(rows),
        `settle_${table}`,
      );
      const found = new Set(settled.map(({ shop, id }) => `${shop}/${id}`));
      return rows.map(({ shop, id }) => found.has(`${shop}/${id}`));
    },
    async countLosing(database) {
      const [row] = await database.acrossTenants<{ count: number }>(COUNT_LOSING);
      return row?.count ?? 0;
    },
    async release(database, rows) {
      await database.acrossTenants(RELEASE, byColumn(rows));
    },
    update: (sql, row, assignments, values = []) => change(sql, row, assignments, values),
    settle: (sql, row, assignments, values = []) =>
      change(sql, row, `${LEASE_ENDED}, ${assignments}`, values),
  };
}
