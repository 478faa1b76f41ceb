// The copy of a move: a publication of the store's rows and a slot on the source, a subscription on the target.
// Every step is safe to repeat; their names contain the move's id.
import { setTimeout as delay } from "node:timers/promises";
import {
  quoteName,
  quoteText,
  type OwnerConnection,
} from "../../../runtime/database/cells/owner-connection.ts";
import { isLockTimeout } from "../../../runtime/database/postgres-errors.ts";
import { movedRows, type MovedTable } from "./moved-tables.ts";

export const replicationName = (moveId: string): string =>
  `store_move_${moveId.replaceAll("-", "")}`;

/**
 * DDL on tables of all stores: it waits for running transactions, and everything behind it waits with it. So it
 * gives up quickly and tries again; the last attempts wait longer than a second, after which Postgres ends an
 * autovacuum that is in the way.
 */
export async function withShortLock<T>(
  connection: OwnerConnection,
  work: () => Promise<T>,
): Promise<T> {
  const WAITS_MS = [50, 100, 100, 200, 200, 200, 200, 200, 1_500, 1_500];
  for (const [attempt, waitMs] of WAITS_MS.entries())
    try {
      return await connection.transaction(async () => {
        await connection.query(`SET LOCAL lock_timeout = ${waitMs}`);
        return await work();
      });
    } catch (error) {
      if (!isLockTimeout(error) || attempt === WAITS_MS.length - 1) throw error;
    }
  throw new Error("unreachable");
}

export async function createPublication(
  source: OwnerConnection,
  name: string,
  tables: readonly MovedTable[],
  shop: string,
): Promise<void> {
  const [known] = await source.query("SELECT 1 FROM pg_publication WHERE pubname = $1", [name]);
  if (known) return;
  const list = tables.map(
    (table) => `${quoteName(table.name)} WHERE (${movedRows(table.name, shop)})`,
  );
  await withShortLock(source, () =>
    source.query(`CREATE PUBLICATION ${quoteName(name)} FOR TABLE ${list.join(", ")}
        WITH (publish_via_partition_root = true)`),
  );
}

/**
 * The slot is made by a statement of its own: a subscription that makes it waits for itself when both databases
 * are of one server.
 */
export async function createSubscription(
  source: OwnerConnection,
  target: OwnerConnection,
  name: string,
  sourceUrl: string,
): Promise<void> {
  const [slot] = await source.query("SELECT 1 FROM pg_replication_slots WHERE slot_name = $1", [
    name,
  ]);
  if (!slot)
    await source.query("SELECT pg_create_logical_replication_slot($1, 'pgoutput')", [name]);
  const [known] = await target.query("SELECT 1 FROM pg_subscription WHERE subname = $1", [name]);
  if (!known)
    await target.query(
      `CREATE SUBSCRIPTION ${quoteName(name)} CONNECTION ${quoteText(sourceUrl)}
        PUBLICATION ${quoteName(name)}
        WITH (create_slot = false, slot_name = ${quoteText(name)}, copy_data = true, synchronous_commit = 'local')`,
    );
}

export type CopyState = {
  tables: number;
  copied: number;
  /** What the target has not confirmed yet. */
  lagBytes: number | null;
  /** Failures to apply, which Postgres repeats for ever. */
  errors: number;
};

export async function readCopyState(
  source: OwnerConnection,
  target: OwnerConnection,
  name: string,
): Promise<CopyState> {
  const [[relations], [slot]] = await Promise.all([
    target.query<{ tables: number; copied: number; errors: number }>(
      `SELECT count(r.*)::int AS tables, count(r.*) FILTER (WHERE r.srsubstate = 'r')::int AS copied,
         coalesce(max(s.apply_error_count + s.sync_error_count), 0)::int AS errors
       FROM pg_subscription p JOIN pg_subscription_rel r ON r.srsubid = p.oid
         LEFT JOIN pg_stat_subscription_stats s ON s.subid = p.oid WHERE p.subname = $1`,
      [name],
    ),
    source.query<{ lag: number | null }>(
      `SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), confirmed_flush_lsn)::bigint AS lag
        FROM pg_replication_slots WHERE slot_name = $1`,
      [name],
    ),
  ]);
  return {
    tables: relations?.tables ?? 0,
    copied: relations?.copied ?? 0,
    errors: relations?.errors ?? 0,
    lagBytes: slot?.lag ?? null,
  };
}

/**
 * The subscription is detached from its slot first, so that it can be dropped while the source is away. Returns
 * a pattern of the slots that its copies may have left on the source; null without a subscription.
 */
export async function dropSubscription(
  target: OwnerConnection,
  name: string,
): Promise<string | null> {
  const [known] = await target.query<{ oid: string; system: string }>(
    `SELECT p.oid::text AS oid, c.system_identifier::text AS system
      FROM pg_subscription p, pg_control_system() c WHERE p.subname = $1`,
    [name],
  );
  if (!known) return null;
  const subscription = quoteName(name);
  await target.query(`ALTER SUBSCRIPTION ${subscription} DISABLE`);
  await target.query(`ALTER SUBSCRIPTION ${subscription} SET (slot_name = NONE)`);
  await target.query(`DROP SUBSCRIPTION ${subscription}`);
  return `pg_${known.oid}_sync_%_${known.system}`;
}

/** How long slots are waited for. One that its worker still uses after a while loses the worker. */
const DROP_SLOTS_MS = 10_000;
const WORKER_LEAVES_WITHIN_MS = 2_000;
const LOOK_EVERY_MS = 20;

/** Drops the slots of a subscription and of its copies, and the publication. Safe to repeat. */
export async function dropSourceSide(
  source: OwnerConnection,
  name: string,
  copySlots: string | null,
): Promise<void> {
  // A slot that is left keeps the source's write-ahead log for ever.
  for (let waitedMs = 0; waitedMs < DROP_SLOTS_MS; waitedMs += LOOK_EVERY_MS) {
    const slots = await source.query<{ name: string; pid: number | null }>(
      `SELECT slot_name AS name, active_pid AS pid FROM pg_replication_slots
        WHERE slot_name = $1 OR slot_name LIKE $2`,
      [name, copySlots],
    );
    if (slots.length === 0) break;
    for (const slot of slots)
      if (slot.pid === null) await dropSlot(source, slot.name);
      else if (waitedMs > WORKER_LEAVES_WITHIN_MS)
        await source.query("SELECT pg_terminate_backend($1)", [slot.pid]);
    await delay(LOOK_EVERY_MS);
  }
  await source.query(`DROP PUBLICATION IF EXISTS ${quoteName(name)}`);
}

async function dropSlot(source: OwnerConnection, name: string): Promise<void> {
  try {
    await source.query("SELECT pg_drop_replication_slot($1)", [name]);
  } catch (error) {
    // The slot is in use (55006), or its own worker dropped it in between (42704).
    const { code } = error as { code?: string };
    if (code !== "55006" && code !== "42704") throw error;
  }
}
