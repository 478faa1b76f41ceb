// Applies prisma/migrations at start. Writes the same _prisma_migrations table and takes the same
// advisory lock as Prisma's own engine, which cannot be downloaded everywhere, so that either can
// continue after the other.
import { createHash, randomUUID } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import { clientOf } from "./connection/client.ts";
import { describeHolders, watchLockHolders, type LockHolder } from "./connection/lock-holders.ts";
import {
  isDeadlock,
  isLockTimeout,
  isOutOfConnections,
  OUT_OF_CONNECTIONS,
} from "./postgres-errors.ts";

/** Explains in one sentence why the database's schema cannot be updated and what to do. */
export class MigrationError extends Error {
  override name = "MigrationError";
}

interface Migration {
  name: string;
  sql: string;
  checksum: string;
  /** Why versions that do not know it cannot work with it; null: they can. */
  breaks: string | null;
}

interface AppliedRow {
  migration_name: string;
  checksum: string;
  finished_at: Date | null;
  logs: string | null;
}

/** A line of a migration's file: a version that does not know the migration does not start beside it. */
const BREAKS = /^-- Breaks older versions: (.+)$/m;
/**
 * Begins `logs` of such a migration's row. Prisma writes only failures there, and the row commits with the
 * migration. Every released version reads it: never change this text.
 */
const BREAKS_MARK = "breaks older versions: ";

const prismaLockKey = 72707369;
const oldestServer = 15;
const defaultFolder = resolve(import.meta.dirname, "../../../prisma/migrations");

/** Receives what an operator should know of a migration that is not refused. */
export type Warn = (event: string, fields: Record<string, unknown>) => void;

/**
 * A migration that waits for a table's lock holds up every statement on that table that comes after it. So it
 * waits shortly, lets the others pass, and tries again. The wait is longer than Postgres's `deadlock_timeout`
 * (1 s), after which an autovacuum gives way. The whole is shorter than the five minutes after which Helm and
 * Fly.io end a migration without a sentence.
 */
const LOCK_PATIENCE = { waitMs: 2_000, pauseMs: 2_000, totalMs: 240_000 };
const LONGEST_PAUSE_MS = 15_000;

export type MigrationOptions = {
  folder?: string;
  /** The name of the setting with the database URL, for messages. */
  setting?: string;
  warn?: Warn | undefined;
  lockPatience?: Partial<typeof LOCK_PATIENCE> | undefined;
};

/** What applying needs beside the migrations. */
type Run = { client: pg.Client; databaseUrl: string; warn: Warn; patience: typeof LOCK_PATIENCE };

/**
 * Applies every missing migration in the order of their names, each in one transaction. Safe to run
 * concurrently from any number of processes: one works, the others wait and find nothing to do. An
 * up-to-date database is only read, and so is one that a newer version has migrated (`unknown`). A folder that
 * does not exist counts as empty.
 */
export async function applyMigrations(
  databaseUrl: string,
  {
    folder = defaultFolder,
    setting = "DATABASE_URL",
    warn = () => {},
    lockPatience,
  }: MigrationOptions = {},
): Promise<{ applied: string[]; unknown: string[] }> {
  const migrations = await readMigrations(folder);
  return withClient(databaseUrl, setting, async (client) => {
    await refuseOldServer(client);
    const done = await readApplied(client);
    const pending = findPending(migrations, done);
    const unknown = findUnknown(migrations, done).map((row) => row.migration_name);
    if (unknown.length > 0) warn("database.migrated_by_newer_version", { migrations: unknown });
    const run: Run = { client, databaseUrl, warn, patience: { ...LOCK_PATIENCE, ...lockPatience } };
    const applied: string[] = [];
    for (const migration of pending)
      if (await apply(run, migration, migrations)) applied.push(migration.name);
    return { applied, unknown };
  });
}

/**
 * One transaction under the migration lock. The lock ends with the transaction, also behind a
 * pooler, where a session's lock would stay on a shared connection.
 */
export async function inMigrationLock<T>(
  databaseUrl: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  return withClient(databaseUrl, "DIRECT_DATABASE_URL", (client) => inLock(client, work));
}

async function withClient<T>(
  databaseUrl: string,
  setting: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = clientOf(databaseUrl, { application_name: "migrations" });
  try {
    await client.connect();
  } catch (error) {
    throw new MigrationError(
      `The database cannot be reached (${describe(error)}); ${isOutOfConnections(error) ? OUT_OF_CONNECTIONS : `check ${setting} and that the server runs`}.`,
      { cause: error },
    );
  }
  try {
    return await work(client);
  } catch (error) {
    if (error instanceof MigrationError) throw error;
    throw new MigrationError(`The migrations cannot be applied: ${explain(error)}.`, {
      cause: error,
    });
  } finally {
    await client.end().catch(() => {});
  }
}

async function inLock<T>(client: pg.Client, work: (client: pg.Client) => Promise<T>): Promise<T> {
  await client.query("BEGIN");
  try {
    // The connection string's timeouts are meant for requests: a migration, or waiting for one,
    // takes longer.
    await client.query(
      "SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0",
    );
    await client.query("SELECT pg_advisory_xact_lock($1)", [prismaLockKey]);
    const result = await work(client);
    await client.query("COMMIT");
    return result;
  } catch (error) {
    await client.query("ROLLBACK").catch(() => {});
    throw error;
  }
}

function findPending(migrations: Migration[], done: Map<string, AppliedRow>): Migration[] {
  const pending = migrations.filter((migration) => {
    const row = done.get(migration.name);
    if (row) refuseChanged(row, migration);
    return !row;
  });
  refuseUnknown(findUnknown(migrations, done), pending);
  return pending;
}

function findUnknown(migrations: Migration[], done: Map<string, AppliedRow>): AppliedRow[] {
  const known = new Set(migrations.map((migration) => migration.name));
  return [...done.values()].filter((row) => !known.has(row.migration_name));
}

/** The names of the migrations, in the order in which they are applied. */
export async function listMigrations(folder: string = defaultFolder): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return [];
      throw new MigrationError(`The migrations in ${folder} cannot be read: ${error.message}.`);
    },
  );
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}

async function readMigrations(folder: string): Promise<Migration[]> {
  const names = await listMigrations(folder);
  return Promise.all(
    names.map(async (name) => {
      const bytes = await readFile(join(folder, name, "migration.sql")).catch(() => {
        throw new MigrationError(
          `The migration ${name} in ${basename(folder)} has no readable migration.sql; restore it or remove its folder.`,
        );
      });
      const sql = bytes.toString("utf8");
      return {
        name,
        sql,
        breaks: BREAKS.exec(sql)?.[1]?.trim() ?? null,
        checksum: createHash("sha256").update(bytes).digest("hex"),
      };
    }),
  );
}

async function refuseOldServer(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ server_version_num: string }>("SHOW server_version_num");
  const major = Math.floor(Number(rows[0]?.server_version_num) / 10_000);
  if (major < oldestServer) {
    throw new MigrationError(
      `The database server is PostgreSQL ${major}; this service needs PostgreSQL ${oldestServer} or newer.`,
    );
  }
}

/** The newest row of every migration; rows that Prisma marked as rolled back do not count. */
async function readApplied(client: pg.Client): Promise<Map<string, AppliedRow>> {
  const [table] = (
    await client.query<{ is_there: boolean }>(
      "SELECT to_regclass('_prisma_migrations') IS NOT NULL AS is_there",
    )
  ).rows;
  if (!table?.is_there) return new Map();
  const { rows } = await client.query<AppliedRow>(
    `SELECT migration_name, checksum, finished_at, logs FROM _prisma_migrations
      WHERE rolled_back_at IS NULL ORDER BY started_at`,
  );
  return new Map(rows.map((row) => [row.migration_name, row]));
}

// Equivalent to Prisma's own definition: its engine does not compare it, but reads all columns.
const CREATE_TABLE = `CREATE TABLE IF NOT EXISTS _prisma_migrations (
  id varchar(36) PRIMARY KEY NOT NULL,
  checksum varchar(64) NOT NULL,
  finished_at timestamptz,
  migration_name varchar(255) NOT NULL,
  logs text,
  rolled_back_at timestamptz,
  started_at timestamptz NOT NULL DEFAULT now(),
  applied_steps_count integer NOT NULL DEFAULT 0
)`;

/**
 * Migrations of a newer version are expected: each leaves what the version before it needs, or says that it does
 * not (docs/deployment.md). But a version with migrations of its own would change what it does not know.
 */
function refuseUnknown(unknown: AppliedRow[], pending: Migration[]): void {
  const refused = unknown.filter(
    (row) => pending.length > 0 || row.finished_at === null || row.logs?.startsWith(BREAKS_MARK),
  );
  if (refused.length === 0) return;
  const named = refused.map(({ migration_name: name, logs }) =>
    logs?.startsWith(BREAKS_MARK) ? `${name}: ${logs.slice(BREAKS_MARK.length)}` : name,
  );
  throw new MigrationError(
    `The database has migrations that this version does not know (${named.join(", ")}): a newer version has run on it; start that version or newer, or restore a backup from before it.`,
  );
}

function refuseChanged(row: AppliedRow, { name, checksum }: Migration): void {
  if (row.finished_at === null) {
    throw new MigrationError(
      `The migration ${name} was begun on this database and not finished; repair what it left, then set finished_at (done) or rolled_back_at (undone) in its row of _prisma_migrations.`,
    );
  }
  if (row.checksum !== checksum) {
    throw new MigrationError(
      `The migration ${name} was changed after it was applied to this database; restore its file and put the change into a new migration.`,
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
        `The migration ${migration.name} failed and was rolled back: ${explain(error)}.`,
        { cause: error },
      );
    }
    return true;
  });
}

/**
 * The transaction, and with it the migration lock, is kept between the tries: else several processes would try
 * in turn, and together hold up the others all the time.
 */
async function runWithLocks(run: Run, migration: Migration, givesUpAt: number): Promise<void> {
  const { name } = migration;
  for (let pauseMs = run.patience.pauseMs; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    const holders = await tryOnce(run, migration);
    if (holders === null) return;
    const held = `${describeHolders(holders)}, holds a lock`;
    if (performance.now() > givesUpAt)
      throw new MigrationError(
        `The migration ${name} was rolled back, because it cannot go beside what others do: ${held} that it needs. Wait until that has ended, or end it (SELECT pg_terminate_backend(<process>)), then start again.`,
      );
    run.warn("database.migration_waits", {
      migration: name,
      reason: `${held} that the migration needs; it is tried again until that has ended`,
    });
    await delay(pauseMs);
  }
}

/** Null when it is done; else it is undone, and the answer is who held a lock that it needs. */
async function tryOnce(
  { client, databaseUrl, patience: { waitMs } }: Run,
  migration: Migration,
): Promise<readonly LockHolder[] | null> {
  await client.query(`SAVEPOINT migration; SET LOCAL lock_timeout = ${waitMs}`);
  const { pid } = await readTransaction(client);
  const watch = watchLockHolders(databaseUrl, pid, waitMs / 4);
  const failure = await runSql(client, migration).catch((error: unknown) => ({ error }));
  const holders = await watch.stop();
  if (!failure) return null;
  if (!isLockTimeout(failure.error) && !isDeadlock(failure.error)) throw failure.error;
  await client.query("ROLLBACK TO SAVEPOINT migration");
  return holders;
}

async function runSql(
  client: pg.Client,
  { name, sql, checksum, breaks }: Migration,
): Promise<void> {
  const before = await readTransaction(client);
  await client.query(sql);
  if ((await readTransaction(client)).id !== before.id)
    throw new Error(
      "its SQL ends the transaction around it (COMMIT or ROLLBACK); remove that and what it left",
    );
  // Row and schema commit together: the row alone would skip the change, the change alone would
  // run twice.
  await client.query(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, logs, started_at, finished_at, applied_steps_count)
     VALUES ($1, $2, $3, $4, clock_timestamp(), clock_timestamp(), 1)`,
    [randomUUID(), checksum, name, breaks === null ? null : `${BREAKS_MARK}${breaks}`],
  );
}

type TransactionOf = { id: string; pid: number };

async function readTransaction(client: pg.Client): Promise<TransactionOf> {
  const { rows } = await client.query<TransactionOf>(
    "SELECT pg_current_xact_id()::text AS id, pg_backend_pid() AS pid",
  );
  return rows[0] as TransactionOf;
}

function describe(error: unknown): string {
  const { message, code, detail } = error as { message?: string; code?: string; detail?: string };
  return [message || code || String(error), detail].filter(Boolean).join(" - ");
}

const INSUFFICIENT_PRIVILEGE = "42501";

function explain(error: unknown): string {
  return (error as { code?: string }).code === INSUFFICIENT_PRIVILEGE
    ? `${describe(error)}. This role may not change the schema: set DIRECT_DATABASE_URL to the role that owns it, or run \`npm run db:migrate\` with it before the service starts`
    : describe(error);
}
