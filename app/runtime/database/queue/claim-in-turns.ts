// Claims the rows of a leased table one store after the other. In the order of arrival a store whose system is
// silent, or with ten thousand rows, would keep every slot of the process, and all others would wait.
import { anyLength } from "../array-parameters.ts";
import { isNotHeld } from "../cells/held-stores.ts";
import type { Database, Row } from "../database.ts";
import { NO_WAIT_FOR_DISK } from "../no-wait-for-disk.ts";
import { NOW_ONCE } from "./now-once.ts";

/** Kept by the process between two claims. */
export type Turns = {
  /** The store that had the last turn; empty at the start of the alphabet. */
  lastShop: string;
  /** How many rows each store has in work here. */
  inWork: ReadonlyMap<string, number>;
};

/** Stores that one statement looks at: those that only wait for a time, or have enough in work, have no turn. */
const STORES_PER_CLAIM = 200;

type Parts = {
  /** The name of the prepared statement. */
  name: string;
  table: string;
  /** Condition of a waiting row. */
  waiting: string;
  orderBy: string;
  /** CTEs: `chosen` of `due` and what else is to be claimed. */
  chosen: string;
  /** The UPDATE of `chosen`, returning the claimed rows. */
  take: string;
  maxPerStore: number;
};

type Scanned<Claimed> = Claimed & { reached: string | null };

export function claimInTurns<Claimed extends Row & { id: unknown }>({
  name,
  table,
  waiting,
  orderBy,
  chosen,
  take,
  maxPerStore,
}: Parts) {
  const isDue = (row: string) =>
    orderBy === "next_attempt_at" ? `${row}.next_attempt_at <= ${NOW_ONCE}` : "true";
  // stores  loose index scan: the first waiting row of each store after $2, until $1 of them have a turn
  // due     the first rows of these stores, a row of each before the second of any
  // Locks what it reads of `due` (SKIP LOCKED), for one statement: two claims never return the same row.
  const STATEMENT = `
    WITH RECURSIVE busy AS MATERIALIZED (
      SELECT * FROM unnest(${anyLength(3, "text")}, ${anyLength(4, "int")}) AS b(shop, room)
    ),
    stores AS (
      SELECT $2::text AS shop, 0 AS n, 0 AS turns
      UNION ALL
      SELECT first.shop, s.n + 1, s.turns + (first.is_due
        AND coalesce((SELECT b.room FROM busy b WHERE b.shop = first.shop), 1) > 0)::int
      FROM stores s CROSS JOIN LATERAL (
        SELECT t.shop, ${isDue("t")} AS is_due FROM ${table} t WHERE t.${waiting} AND t.shop > s.shop
        ORDER BY t.shop, t.${orderBy}, t.id LIMIT 1
      ) first
      WHERE s.n < ${STORES_PER_CLAIM} AND s.turns < $1
    ),
    picked AS (
      SELECT p.*, row_number() OVER (PARTITION BY p.shop ORDER BY p.at, p.id) AS place
      FROM stores s LEFT JOIN busy b ON b.shop = s.shop
      CROSS JOIN LATERAL (
        SELECT t.shop, t.id, t.${orderBy} AS at FROM ${table} t
        WHERE t.${waiting} AND t.shop = s.shop AND ${isDue("t")}
        ORDER BY t.${orderBy}, t.id LIMIT least($1, coalesce(b.room, ${maxPerStore})) FOR UPDATE SKIP LOCKED
      ) p
      WHERE s.n > 0 AND ${isNotHeld("s.shop")} AND ${NO_WAIT_FOR_DISK}
    ),
    due AS (SELECT shop, id FROM picked ORDER BY place, at, id LIMIT $1), ${chosen},
    claimed AS (${take})
    SELECT claimed.*, scan.reached FROM (
      SELECT max(shop) FILTER (WHERE n = ${STORES_PER_CLAIM} OR turns >= $1) AS reached FROM stores
    ) scan LEFT JOIN claimed ON true`;

  return async (database: Database, limit: number, turns: Turns): Promise<Claimed[]> => {
    const claimed: Claimed[] = [];
    const inWork = new Map(turns.inWork);
    // Walks the stores to the end of the alphabet, and once more from its start.
    for (let isFromStart = turns.lastShop === ""; claimed.length < limit;) {
      const rows = await database.acrossTenants<Scanned<Claimed>>(
        STATEMENT,
        [
          limit - claimed.length,
          turns.lastShop,
          [...inWork.keys()],
          [...inWork.values()].map((count) => Math.max(0, maxPerStore - count)),
        ],
        name,
      );
      for (const row of rows) {
        if (row.id === null) continue;
        claimed.push(row);
        inWork.set(String(row.shop), (inWork.get(String(row.shop)) ?? 0) + 1);
      }
      turns.lastShop = rows[0]?.reached ?? "";
      if (turns.lastShop !== "") continue;
      if (isFromStart) break;
      isFromStart = true;
    }
    return claimed;
  };
}
