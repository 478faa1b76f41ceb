// Applies prisma/migrations at start. Writes the same _prisma_migrations table and takes the same
// advisory lock as Prisma's own engine, which cannot be downloaded everywhere, so that either can
// continue after the other.
import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import { describeHolders, watchLockHolders } from "../connection/lock-holders.ts";
import { isDeadlock, isLockTimeout } from "../postgres-errors.ts";
import { explain, MigrationError } from "./migration-error.ts";
import { DEFAULT_FOLDER, readMigrations, type Migration } from "./migration-files.ts";
import {
  CREATE_TABLE,
  findPending,
  findUnknown,
  insertApplied,
  readApplied,
} from "./migration-history.ts";
import { inLock, withMigrationClient } from "./migration-lock.ts";
import { refuseOtherSchema, ROLE_AT_SCHEMA, type RoleAtSchema } from "./schema-of-role.ts";

const OLDEST_SERVER = 15;

/** Receives what an operator should know of a migration that is not refused. */
export type Warn = (event: string, fields: Record<string, unknown>) => void;

/**
 * While a migration waits for a table's lock, every later statement on that table waits behind it. So it waits
 * for a short time, lets the others pass, and tries again.
 *
 * The wait is longer than Postgres's `deadlock_timeout` (1 s), after which an autovacuum gives way. All attempts
 * together are shorter than five minutes: then Helm and Fly.io end a migration, and log no reason.
 */
const LOCK_PATIENCE = { waitMs: 2_000, pauseMs: 2_000, totalMs: 240_000 };
const MAX_PAUSE_MS = 15_000;

export type MigrationOptions = {
  folder?: string;
  /** The name of the setting with the database URL, for messages. */
  setting?: string;
  warn?: Warn | undefined;
  lockPatience?: Partial<typeof LOCK_PATIENCE> | undefined;
};

/** What applying needs beside the migrations. */
type Run = {
  client: pg.Client;
  databaseUrl: string;
  setting: string;
  warn: Warn;
  patience: typeof LOCK_PATIENCE;
};

/**
 * Applies every missing migration in the order of their names, each in one transaction. Safe to run
 * concurrently from any number of processes: one works, the others wait and find nothing to do. An
 * up-to-date database is only read, and so is one that a newer version has migrated (`unknown`). A folder that
 * does not exist counts as empty.
 */
export async function applyMigrations(
  databaseUrl: string,
  {
    folder = DEFAULT_FOLDER,
    setting = "DATABASE_URL",
    warn = () => {},
    lockPatience,
  }: MigrationOptions = {},
): Promise<{ applied: string[]; unknown: string[] }> {
  const migrations = await readMigrations(folder);
  return withMigrationClient(databaseUrl, setting, async (client) => {
    await refuseOldServer(client);
    const [about] = (await client.query<RoleAtSchema>(ROLE_AT_SCHEMA)).rows;
    if (about) refuseOtherSchema(about, setting);
    const done = await readApplied(client);
    const pending = findPending(migrations, done);
    const unknown = findUnknown(migrations, done).map((row) => row.migration_name);
    if (unknown.length > 0) warn("database.migrated_by_newer_version", { migrations: unknown });
    const patience = { ...LOCK_PATIENCE, ...lockPatience };
    const run: Run = { client, databaseUrl, setting, warn, patience };
    const applied: string[] = [];
    for (const migration of pending)
      if (await apply(run, migration, migrations)) applied.push(migration.name);
    return { applied, unknown };
  });
}

async function refuseOldServer(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ server_version_num: string }>("SHOW server_version_num");
  const major = Math.floor(Number(rows[0]?.server_version_num) / 10_000);
  if (major < OLDEST_SERVER) {
    throw new MigrationError(
      `The database server is PostgreSQL ${major}; this service needs PostgreSQL ${OLDEST_SERVER} or newer.`,
    );
  }
}

/** False when another process applied it meanwhile. */
async function apply(run: Run, migration: Migration, migrations: Migration[]): Promise<boolean> {
  // Counted from here also where another process is at work: several that start at once do not each wait for
  // as long, one after the other.
  const givesUpAt = performance.now() + run.patience.totalMs;
  return inLock(run.client, async () => {
    await run.client.query(CREATE_TABLE);
    if (!findPending(migrations, await readApplied(run.client)).includes(migration)) return false;
    try {
      await runWithLocks(run, migration, givesUpAt);
    } catch (error) {
      if (error instanceof MigrationError) throw error;
      throw new MigrationError(
        `The migration ${migration.name} failed and was rolled back: ${explain(error, run.setting)}.`,
        { cause: error },
      );
    }
    return true;
  });
}

/**
 * The transaction, and with it the migration lock, is kept between the attempts: else several processes would try
 * in turn, and together hold up the others all the time.
 */
async function runWithLocks(run: Run, migration: Migration, givesUpAt: number): Promise<void> {
  const { name } = migration;
  for (let pauseMs = run.patience.pauseMs; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
    const obstacle = await tryOnce(run, migration);
    if (obstacle === null) return;
    if (performance.now() > givesUpAt)
      throw new MigrationError(
        `The migration ${name} was rolled back, because it cannot go beside what others do: ${obstacle}. Wait until that has ended, or end it (SELECT pg_terminate_backend(<process>)), then start again.`,
      );
    run.warn("database.migration_waits", {
      migration: name,
      reason: `${obstacle}; it is tried again until that has ended`,
    });
    await delay(pauseMs);
  }
}

/** Null when it is done; else it is undone, and the answer says what it cannot go beside. */
async function tryOnce(
  { client, databaseUrl, patience: { waitMs } }: Run,
  migration: Migration,
): Promise<string | null> {
  await client.query(`SAVEPOINT migration; SET LOCAL lock_timeout = ${waitMs}`);
  const { pid } = await readTransaction(client);
  const watch = watchLockHolders(databaseUrl, pid, waitMs / 4);
  const failure = await runSql(client, migration).catch((error: unknown) => ({ error }));
  const holders = describeHolders(await watch.stop());
  if (!failure) return null;
  const isMutual = isDeadlock(failure.error);
  if (!isMutual && !isLockTimeout(failure.error)) throw failure.error;
  await client.query("ROLLBACK TO SAVEPOINT migration");
  return isMutual
    ? `${holders}, and the migration waited for each other's locks`
    : `${holders}, holds a lock that the migration needs`;
}

async function runSql(client: pg.Client, migration: Migration): Promise<void> {
  const before = await readTransaction(client);
  await client.query(migration.sql);
  if ((await readTransaction(client)).id !== before.id)
    throw new Error(
      "its SQL ends the transaction around it (COMMIT or ROLLBACK); remove that and what it left",
    );
  // Row and schema commit together: the row alone would skip the change, the change alone would
  // run twice.
  await insertApplied(client, migration);
}

type TransactionOf = { id: string; pid: number };

async function readTransaction(client: pg.Client): Promise<TransactionOf> {
  const { rows } = await client.query<TransactionOf>(
    "SELECT pg_current_xact_id()::text AS id, pg_backend_pid() AS pid",
  );
  return rows[0] as TransactionOf;
}
