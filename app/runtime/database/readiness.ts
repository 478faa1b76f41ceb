// Whether a process may be given requests: its database answers, accepts writes, and has every migration.
import { listMigrations } from "./migrations/migration-files.ts";

export type Readiness = {
  database: "ok" | "read_only" | "unreachable";
  migrations: "ok" | "pending" | "unknown";
};

const CHECK = `
  SELECT pg_is_in_recovery() OR current_setting('transaction_read_only')::bool AS is_read_only,
    to_regclass('_prisma_migrations') IS NOT NULL AS has_record`;
const APPLIED = `SELECT migration_name AS name FROM _prisma_migrations
  WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL`;

/** Returns the rows of a statement. */
type Ask = (statement: string) => Promise<unknown[]>;

export async function readReadiness(ask: Ask): Promise<Readiness> {
  try {
    const [row] = (await ask(CHECK)) as { is_read_only: boolean; has_record: boolean }[];
    return {
      database: row?.is_read_only ? "read_only" : "ok",
      migrations: row?.has_record && (await isMigrated(ask)) ? "ok" : "pending",
    };
  } catch {
    return { database: "unreachable", migrations: "unknown" };
  }
}

async function isMigrated(ask: Ask): Promise<boolean> {
  const rows = (await ask(APPLIED)) as { name: string }[];
  const applied = new Set(rows.map(({ name }) => name));
  return (await listMigrations()).every((name) => applied.has(name));
}
