// The two roles of a database: the owner of the schema, who migrates (DIRECT_DATABASE_URL), and the
// service's own, which only reads and writes rows (DATABASE_URL). Reasons:
// docs/decisions/028-database-roles.md.
import pg from "pg";
import { clientOf } from "./connection/client.ts";
import { isOutOfConnections, OUT_OF_CONNECTIONS } from "./postgres-errors.ts";
import { applyMigrations, type Warn } from "./migrations/apply-migrations.ts";
import { MigrationError } from "./migrations/migration-error.ts";
import { inMigrationLock } from "./migrations/migration-lock.ts";
import {
  refuseOtherSchema,
  ROLE_AT_SCHEMA,
  type RoleAtSchema,
} from "./migrations/schema-of-role.ts";

/**
 * Append-only tables; rows are deleted only by `delete_redacted_rows`, which belongs to the owner.
 */
export const APPEND_ONLY_TABLES = ["consent_records", "event_ledger"] as const;

const MIGRATIONS_TABLE = "_prisma_migrations";
/** Written by moves, as the owner: a row there permits the deletion of append-only rows. */
const HELD_STORES_TABLE = "held_stores";
/**
 * A repeated list adds to its row's count; nothing else of a row is ever changed. The previous version also writes
 * `shop` with the count of a file, so the next version is the first that can revoke the right to it.
 */
const ACCESS_LOG_TABLE = "access_log";
/** Since PostgreSQL 17 roles other than the owner can ANALYZE. */
const FIRST_WITH_MAINTAIN = 170_000;
/** Tables that the service analyzes after bulk inserts. */
const ANALYZED_TABLES = ["storefront_users"] as const;

export type Migrated = {
  applied: string[];
  /** The role of the service's connection. */
  serviceRole: string;
  /**
   * False when that role can change the schema: it owns it, can act as its owner, or is a
   * superuser.
   */
  isRestricted: boolean;
};

/**
 * Migrates the schema and, where the owner differs from the service's role, grants the latter the
 * rights it needs and revokes all others. Safe to run concurrently from any number of processes.
 * Throws MigrationError.
 */
export async function migrateDatabase({
  url,
  directUrl,
  warn,
}: {
  url: string;
  directUrl?: string | undefined;
  warn?: Warn;
}): Promise<Migrated> {
  const { applied, unknown } = await applyMigrations(directUrl ?? url, {
    setting: directUrl === undefined ? "DATABASE_URL" : "DIRECT_DATABASE_URL",
    warn,
  });
  const serviceRole = await findRole(url);
  // A newer version has set the rights of tables that this one does not know.
  const isCurrent = unknown.length === 0;
  if (isCurrent && directUrl !== undefined && (await findRole(directUrl)) !== serviceRole)
    await grantServiceRights(directUrl, serviceRole);
  await refuseServiceOfOtherSchema(url);
  return { applied, serviceRole, isRestricted: await isRestricted(url) };
}

/** The role of a connection; not always the name in its URL, which a pooler may map. */
async function findRole(url: string): Promise<string> {
  const [row] = await ask<{ role: string }>(url, "SELECT current_user::text AS role");
  return row?.role ?? "";
}

/** After the rights are set: the schema's may be among them. */
async function refuseServiceOfOtherSchema(url: string): Promise<void> {
  const [about] = await ask<RoleAtSchema>(url, ROLE_AT_SCHEMA);
  if (about) refuseOtherSchema(about, "DATABASE_URL");
}

async function isRestricted(url: string): Promise<boolean> {
  const [row] = await ask<{ is_restricted: boolean }>(
    url,
    `SELECT NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user)
       AND NOT has_schema_privilege(current_schema(), 'CREATE')
       AND NOT EXISTS (
         SELECT 1 FROM pg_class WHERE oid = ANY($1::text[]::regclass[]) AND pg_has_role(relowner, 'MEMBER')
       ) AS is_restricted`,
    [APPEND_ONLY_TABLES],
  );
  return row?.is_restricted ?? false;
}

async function ask<R extends pg.QueryResultRow>(
  url: string,
  text: string,
  values: unknown[] = [],
): Promise<R[]> {
  const client = clientOf(url, { application_name: "migrations" });
  try {
    await client.connect();
    return (await client.query<R>(text, values)).rows;
  } catch (error) {
    const advice = isOutOfConnections(error) ? OUT_OF_CONNECTIONS : "check DATABASE_URL";
    throw new MigrationError(
      `The service's role cannot use the database (${(error as Error).message}); ${advice}.`,
      { cause: error },
    );
  } finally {
    await client.end().catch(() => {});
  }
}

type Owned = { name: string; kind: "table" | "sequence" };

// Limited to what the connected role can grant: other programs may have tables in the same schema.
const FIND_OWNED = `
  SELECT c.relname AS name, CASE c.relkind WHEN 'S' THEN 'sequence' ELSE 'table' END AS kind
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p', 'S') AND pg_has_role(c.relowner, 'USAGE')
  ORDER BY c.relname`;

/**
 * One transaction under the migration lock: other sessions see the old rights or the new ones,
 * never none.
 */
async function grantServiceRights(ownerUrl: string, serviceRole: string): Promise<void> {
  const role = pg.escapeIdentifier(serviceRole);
  await inMigrationLock(ownerUrl, async (client) => {
    const [about] = (
      await client.query<{ schema: string; version: string }>(
        "SELECT current_schema() AS schema, current_setting('server_version_num') AS version",
      )
    ).rows;
    const { rows } = await client.query<Owned>(FIND_OWNED);
    const schema = pg.escapeIdentifier(about?.schema ?? "public");
    await client.query(`GRANT USAGE ON SCHEMA ${schema} TO ${role}`);
    for (const { name, kind } of rows) {
      const object = `${kind} ${schema}.${pg.escapeIdentifier(name)}`;
      await client.query(`REVOKE ALL ON ${object} FROM ${role}`);
      await client.query(`GRANT ${rightsOn(name, kind)} ON ${object} TO ${role}`);
    }
    if (Number(about?.version) >= FIRST_WITH_MAINTAIN)
      for (const table of ANALYZED_TABLES)
        await client.query(`GRANT MAINTAIN ON ${schema}.${table} TO ${role}`);
    await client.query(
      `GRANT EXECUTE ON FUNCTION ${schema}.delete_redacted_rows(text, text, int) TO ${role}`,
    );
  });
}

function rightsOn(name: string, kind: Owned["kind"]): string {
  if (kind === "sequence") return "USAGE";
  if (name === MIGRATIONS_TABLE) return "SELECT";
  if (name === HELD_STORES_TABLE) return "SELECT, DELETE";
  if (name === ACCESS_LOG_TABLE) return "SELECT, INSERT, UPDATE (shop, count), DELETE";
  return (APPEND_ONLY_TABLES as readonly string[]).includes(name)
    ? "SELECT, INSERT"
    : "SELECT, INSERT, UPDATE, DELETE";
}
