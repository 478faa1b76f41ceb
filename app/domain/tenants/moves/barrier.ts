// What keeps the store's rows still while they change cells (refuse_moving_store in the migration):
//
//   held      the cell's workers claim nothing of the store
//   closed    its writes are refused, until the barrier ends by itself
//   sealed    its writes are refused until somebody says otherwise
//
// `held_stores` has the state, triggers on the store's tables read it.
import {
  quoteName,
  quoteText,
  type OwnerConnection,
} from "../../../runtime/database/cells/owner-connection.ts";
import { QUEUE_NOTIFICATIONS } from "../../../runtime/database/queue/notifications.ts";
import { isLockTimeout } from "../../../runtime/database/postgres-errors.ts";
import { MARK_KEY, movedRows, workOn, type MovedTable } from "./moved-tables.ts";
import { replicationName, withShortLock } from "./replication.ts";

/** The longest time that a store's writes are refused, but for the instant between seal and flip. */
export const BARRIER_MS = 1_000;
/** Longer than any request, and than a step of a worker: they may still have the store's old record. */
const GUARDED = "interval '5 minutes'";
/** How long a write of the store may wait behind the barrier's lock. */
const LOCK_WAIT_MS = 200;

/** Workers look at once, not at their next poll. */
async function wakeWorkers(connection: OwnerConnection): Promise<void> {
  for (const queue of QUEUE_NOTIFICATIONS) await connection.query(`NOTIFY ${queue}`);
}

/** Called on the target before the first row of the store arrives there. */
export async function holdArriving(
  target: OwnerConnection,
  shop: string,
  moveId: string,
): Promise<void> {
  await target.query(
    `INSERT INTO held_stores (shop, move_id, role) VALUES ($1, $2, 'arriving')
     ON CONFLICT (shop) DO UPDATE SET move_id = excluded.move_id, role = excluded.role, is_held = true,
       refuses_until = NULL, is_sealed = false, guarded_until = NULL`,
    [shop, moveId],
  );
}

/** The move of an earlier attempt that held the store here; null without one. */
export async function findHolder(
  connection: OwnerConnection,
  shop: string,
): Promise<{ move_id: string; role: string } | null> {
  const [row] = await connection.query<{ move_id: string; role: string }>(
    "SELECT move_id, role FROM held_stores WHERE shop = $1",
    [shop],
  );
  return row ?? null;
}

export async function holdLeaving(
  source: OwnerConnection,
  shop: string,
  moveId: string,
): Promise<void> {
  await source.query(
    `INSERT INTO held_stores (shop, move_id, role) VALUES ($1, $2, 'leaving')
     ON CONFLICT (shop) DO UPDATE SET move_id = excluded.move_id, role = excluded.role, is_held = true`,
    [shop, moveId],
  );
}

/** Deletes the store's hold, and with it the barrier. Wakes the workers. */
export async function removeHold(connection: OwnerConnection, shop: string): Promise<void> {
  const rows = await connection.query("DELETE FROM held_stores WHERE shop = $1 RETURNING 1", [
    shop,
  ]);
  if (rows.length > 0) await wakeWorkers(connection);
}

const guardName = (moveId: string) => replicationName(moveId).replace("store_move_", "guard_");

/** One short transaction per table: no two tables are locked at once. */
export async function putGuards(
  source: OwnerConnection,
  tables: readonly MovedTable[],
  shop: string,
  moveId: string,
): Promise<void> {
  const guard = guardName(moveId);
  const known = new Set(
    (
      await source.query<{ name: string }>(
        `SELECT c.relname AS name FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
          WHERE t.tgname = $1`,
        [`${guard}_change`],
      )
    ).map(({ name }) => name),
  );
  for (const { name } of tables.filter((table) => !known.has(table.name))) {
    const on = `ON ${quoteName(name)} FOR EACH ROW WHEN`;
    const run = `EXECUTE FUNCTION refuse_moving_store(${quoteText(shop)})`;
    await withShortLock(source, async () => {
      await source.query(
        `CREATE TRIGGER "${guard}_insert" BEFORE INSERT ${on} (${movedRows(name, shop, "NEW.")}) ${run}`,
      );
      await source.query(
        `CREATE TRIGGER "${guard}_change" BEFORE UPDATE OR DELETE ${on} (${movedRows(name, shop, "OLD.")}) ${run}`,
      );
    });
  }
}

/** Drops the store's guard triggers: those of `moveId`, or all when it is null. */
export async function dropGuards(
  connection: OwnerConnection,
  shop: string,
  moveId: string | null = null,
): Promise<void> {
  const found = await connection.query<{ table: string; names: string[] }>(
    `SELECT c.relname AS table, array_agg(t.tgname::text) AS names
     FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_proc p ON p.oid = t.tgfoid
     WHERE p.proname = 'refuse_moving_store' AND c.relnamespace = current_schema()::regnamespace
       AND encode(t.tgargs, 'escape') = $1 AND t.tgname LIKE $2 AND t.tgparentid = 0 GROUP BY c.relname`,
    [`${shop}\\000`, `${moveId === null ? "" : guardName(moveId)}%`],
  );
  for (const { table, names } of found)
    await withShortLock(connection, async () => {
      for (const name of names)
        await connection.query(`DROP TRIGGER IF EXISTS ${quoteName(name)} ON ${quoteName(table)}`);
    });
}

/**
 * Work of the store that has begun here: deliveries, which would be made twice when their outcome could not be
 * written, and items of the other queues, which are safe to repeat.
 */
export async function countInFlight(
  source: OwnerConnection,
  shop: string,
): Promise<{ deliveries: number; others: number }> {
  const [row] = await source.query<{ deliveries: number; others: number }>(
    `SELECT (SELECT count(*) FROM integration_queue WHERE shop = $1 AND status IN ('processing', 'ready')) AS deliveries,
       (SELECT count(*) FROM webhook_inbox WHERE shop = $1 AND status = 'processing')
       + (SELECT count(*) FROM privacy_requests WHERE shop = $1 AND state = 'running')
       + (SELECT count(*) FROM tag_runs WHERE shop = $1 AND state = 'running') AS others`,
    [shop],
  );
  return row ?? { deliveries: 0, others: 0 };
}

/** Exclusive against the store's writers, whose transactions hold the shared lock to their end. */
async function lockWriters(source: OwnerConnection, shop: string): Promise<void> {
  await source.query(`SET LOCAL lock_timeout = ${LOCK_WAIT_MS}`);
  await source.query("SELECT pg_advisory_xact_lock(hashtextextended('store_move ' || $1, 0))", [
    shop,
  ]);
}

/** Why the barrier could not be closed now; the caller retries. */
export type NotClosed = "busy" | "deliveries";

/**
 * Refuses the store's writes for at most BARRIER_MS. When it resolves to "closed", every earlier write is
 * committed, and replicated before `mark` is.
 */
export async function closeBarrier(
  source: OwnerConnection,
  shop: string,
  mark: string,
): Promise<"closed" | NotClosed> {
  try {
    return await source.transaction(async () => {
      await lockWriters(source, shop);
      if ((await countInFlight(source, shop)).deliveries > 0) return "deliveries";
      await source.query(
        `UPDATE held_stores SET refuses_until = clock_timestamp() + interval '${BARRIER_MS} milliseconds'
          WHERE shop = $1`,
        [shop],
      );
      await putMark(source, shop, mark);
      return "closed";
    });
  } catch (error) {
    if (isLockTimeout(error)) return "busy";
    throw error;
  }
}

/** Outside the barrier: shows when the target has everything of before. */
export async function sendMark(source: OwnerConnection, shop: string, mark: string): Promise<void> {
  await source.transaction(() => putMark(source, shop, mark));
}

async function putMark(source: OwnerConnection, shop: string, mark: string): Promise<void> {
  await workOn(source, shop);
  await source.query(
    `INSERT INTO kv (shop, key, value) VALUES ($1, $2, $3::jsonb)
     ON CONFLICT (shop, key) DO UPDATE SET value = excluded.value, version = kv.version + 1`,
    [shop, MARK_KEY, JSON.stringify(mark)],
  );
}

export async function hasMark(
  target: OwnerConnection,
  shop: string,
  mark: string,
): Promise<boolean> {
  const rows = await target.query(
    "SELECT 1 FROM kv WHERE shop = $1 AND key = $2 AND value = $3::jsonb",
    [shop, MARK_KEY, JSON.stringify(mark)],
  );
  return rows.length > 0;
}

export async function removeMark(connection: OwnerConnection, shop: string): Promise<void> {
  await connection.transaction(async () => {
    await workOn(connection, shop);
    await connection.query("DELETE FROM kv WHERE shop = $1 AND key = $2", [shop, MARK_KEY]);
  });
}

export async function openBarrier(source: OwnerConnection, shop: string): Promise<void> {
  await source.query(
    "UPDATE held_stores SET refuses_until = NULL, is_sealed = false WHERE shop = $1",
    [shop],
  );
}

/**
 * Makes a closed barrier stay closed. False when it has ended meanwhile: a writer may have passed, and the flip
 * must not happen.
 */
export async function sealBarrier(source: OwnerConnection, shop: string): Promise<boolean> {
  try {
    return await source.transaction(async () => {
      await lockWriters(source, shop);
      const rows = await source.query(
        `UPDATE held_stores SET is_sealed = true WHERE shop = $1 AND refuses_until > clock_timestamp()
          RETURNING 1`,
        [shop],
      );
      return rows.length > 0;
    });
  } catch (error) {
    if (isLockTimeout(error)) return false;
    throw error;
  }
}

/** After the flip: a process that still has the old record is refused here. */
export async function markGone(
  source: OwnerConnection,
  shop: string,
  moveId: string,
): Promise<void> {
  await source.query(
    `INSERT INTO held_stores (shop, move_id, role, is_sealed, guarded_until)
       VALUES ($1, $2, 'gone', true, clock_timestamp() + ${GUARDED})
     ON CONFLICT (shop) DO UPDATE SET role = 'gone', is_held = true, is_sealed = true,
       guarded_until = excluded.guarded_until WHERE held_stores.move_id = excluded.move_id`,
    [shop, moveId],
  );
}

/**
 * Refuses the store's writes here for good, unless `find` finds something: it sees every earlier write. Returns
 * what it found.
 */
export function closeForGood(
  source: OwnerConnection,
  shop: string,
  moveId: string,
  find: () => Promise<string | null>,
): Promise<string | null> {
  return source.transaction(async () => {
    await lockWriters(source, shop);
    const found = await find();
    if (found === null) await markGone(source, shop, moveId);
    return found;
  });
}

/** Stores that left this cell a while ago: their guards are taken down, their mark stays. */
export async function dropOldGuards(connection: OwnerConnection): Promise<number> {
  const due = await connection.query<{ shop: string; move_id: string }>(
    "SELECT shop, move_id FROM held_stores WHERE role = 'gone' AND is_held AND guarded_until < clock_timestamp()",
  );
  for (const { shop, move_id } of due) {
    await dropGuards(connection, shop, move_id);
    await connection.query(
      "UPDATE held_stores SET is_held = false WHERE shop = $1 AND role = 'gone' AND move_id = $2",
      [shop, move_id],
    );
  }
  return due.length;
}
