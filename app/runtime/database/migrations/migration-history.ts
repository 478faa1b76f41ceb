// The migrations that a database has: the table that Prisma's own engine reads too.
import { randomUUID } from "node:crypto";
import type pg from "pg";
import { MigrationError } from "./migration-error.ts";
import type { Migration } from "./migration-files.ts";

export interface AppliedRow {
  migration_name: string;
  checksum: string;
  finished_at: Date | null;
  logs: string | null;
}

/**
 * Begins `logs` of such a migration's row. Prisma writes only failures there, and the row commits with the
 * migration. Every released version reads it: never change this text.
 */
const BREAKS_MARK = "breaks older versions: ";

/** The newest row of every migration; rows that Prisma marked as rolled back do not count. */
export async function readApplied(client: pg.Client): Promise<Map<string, AppliedRow>> {
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
export const CREATE_TABLE = `CREATE TABLE IF NOT EXISTS _prisma_migrations (
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

export function findPending(migrations: Migration[], done: Map<string, AppliedRow>): Migration[] {
  const pending = migrations.filter((migration) => {
    const row = done.get(migration.name);
    if (row) refuseChanged(row, migration);
    return !row;
  });
  refuseUnknown(findUnknown(migrations, done), pending);
  return pending;
}

export function findUnknown(migrations: Migration[], done: Map<string, AppliedRow>): AppliedRow[] {
  const known = new Set(migrations.map((migration) => migration.name));
  return [...done.values()].filter((row) => !known.has(row.migration_name));
}

export async function insertApplied(
  client: pg.Client,
  { name, checksum, breaks }: Migration,
): Promise<void> {
  await client.query(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, logs, started_at, finished_at, applied_steps_count)
     VALUES ($1, $2, $3, $4, clock_timestamp(), clock_timestamp(), 1)`,
    [randomUUID(), checksum, name, breaks === null ? null : `${BREAKS_MARK}${breaks}`],
  );
}
