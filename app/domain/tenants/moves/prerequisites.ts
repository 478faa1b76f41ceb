// What a move needs of both databases, asked before anything is changed.
import type { OwnerConnection } from "../../../runtime/database/cells/owner-connection.ts";
import { isSameDatabase } from "../../../runtime/database/cells/same-database.ts";
import { settingOf } from "../../../runtime/settings.ts";

type Abilities = {
  role: string;
  wal_level: string;
  may_replicate: boolean;
  is_owner: boolean;
  may_subscribe: boolean;
  may_create: boolean;
  needs_password: boolean;
  free_slots: number;
  version: number;
  schema: string;
  database: string;
};

const ABILITIES = `
  SELECT current_user::text AS role, current_setting('wal_level') AS wal_level,
    r.rolsuper OR r.rolreplication OR EXISTS (SELECT 1 FROM pg_roles g WHERE g.rolname IN ('rds_replication',
      'rds_superuser', 'cloudsqlsuperuser', 'azure_pg_admin') AND pg_has_role(g.oid, 'MEMBER')) AS may_replicate,
    to_regclass('kv') IS NULL OR pg_has_role((SELECT relowner FROM pg_class WHERE oid = to_regclass('kv')), 'USAGE') AS is_owner,
    r.rolsuper OR EXISTS (SELECT 1 FROM pg_roles g WHERE g.rolname IN ('pg_create_subscription', 'rds_superuser',
      'cloudsqlsuperuser', 'azure_pg_admin') AND pg_has_role(g.oid, 'MEMBER')) AS may_subscribe,
    has_database_privilege(current_database(), 'CREATE') AS may_create, NOT r.rolsuper AS needs_password,
    current_setting('max_replication_slots')::int - (SELECT count(*)::int FROM pg_replication_slots) AS free_slots,
    current_setting('server_version_num')::int AS version, current_schema()::text AS schema,
    current_database()::text AS database
  FROM pg_roles r WHERE r.rolname = current_user`;

/** The cells whose address is of another role than the owner of the schema, each with what to do. */
export async function findNoOwner(
  cells: readonly (readonly [cell: string, connection: OwnerConnection])[],
): Promise<string[]> {
  const abilities = await Promise.all(
    cells.map(([, connection]) => connection.query<Abilities>(ABILITIES)),
  );
  return cells.flatMap(([cell], at) =>
    abilities[at]?.[0]?.is_owner ? [] : [noOwner(cell, abilities[at]?.[0]?.role ?? "")],
  );
}

const noOwner = (cell: string, role: string): string =>
  `The role ${role} does not own the schema of the cell ${cell}: set ${settingOf("DIRECT_DATABASE_URL", cell)} to the role that does.`;

/**
 * In one database a move would take the store's rows for leftovers at the target, and the mark of a store that left
 * would refuse its writes.
 */
export const findOneDatabase = async (
  source: OwnerConnection,
  target: OwnerConnection,
  { from, to }: { from: string; to: string },
): Promise<string[]> =>
  (await isSameDatabase(source, target))
    ? [
        `The cells ${from} and ${to} are one database: ${settingOf("DATABASE_URL", from)} and ${settingOf("DATABASE_URL", to)} (or their DIRECT_DATABASE_URL) must lead to two.`,
      ]
    : [];

/** Everything that is missing, each with what to do; empty when the move can begin. */
export async function findMissing(
  source: OwnerConnection,
  target: OwnerConnection,
  { from, to, sourceUrl }: { from: string; to: string; sourceUrl: string },
): Promise<string[]> {
  const [[giver], [taker]] = await Promise.all([
    source.query<Abilities>(ABILITIES),
    target.query<Abilities>(ABILITIES),
  ]);
  if (!giver || !taker) return ["The roles of the databases cannot be read."];
  const missing = await findOneDatabase(source, target, { from, to });
  const owner = (cell: string) => settingOf("DIRECT_DATABASE_URL", cell);
  for (const [cell, { is_owner, role }] of [
    [from, giver],
    [to, taker],
  ] as const)
    if (!is_owner) missing.push(noOwner(cell, role));
  if (giver.wal_level !== "logical")
    missing.push(
      `The cell ${from} has wal_level=${giver.wal_level}: set wal_level=logical there and restart it (managed databases call it logical replication).`,
    );
  if (!giver.may_replicate)
    missing.push(
      `The role ${giver.role} may not replicate from the cell ${from}: ALTER ROLE "${giver.role}" REPLICATION (managed databases have a role of their own for it).`,
    );
  if (giver.free_slots < 2)
    missing.push(
      `The cell ${from} has too few free replication slots: raise max_replication_slots, or drop slots that nobody uses.`,
    );
  if (!taker.may_subscribe)
    missing.push(
      taker.version >= 160_000
        ? `The role ${taker.role} may not subscribe in the cell ${to}: GRANT pg_create_subscription TO "${taker.role}".`
        : `The role ${taker.role} may not subscribe in the cell ${to}: before PostgreSQL 16 that needs a superuser, set ${owner(to)} to one.`,
    );
  for (const [cell, { role, database, may_create }] of [
    [from, giver],
    [to, taker],
  ] as const)
    if (!may_create)
      missing.push(
        `The role ${role} may not create publications and subscriptions in the cell ${cell}: GRANT CREATE ON DATABASE "${database}" TO "${role}".`,
      );
  if (taker.needs_password && !hasPassword(sourceUrl))
    missing.push(
      `The address of the cell ${from} has no password, and a subscription of a role that is no superuser must log in with one: set ${owner(from)} with it.`,
    );
  if (giver.schema !== taker.schema)
    missing.push(
      `The tables are in the schema ${giver.schema} in the cell ${from} and in ${taker.schema} in the cell ${to}: they must have one name.`,
    );
  return missing;
}

const hasPassword = (url: string): boolean =>
  /^[a-z]+:\/\/[^/?#@:]*:[^/?#@]+@/i.test(url) || /[?&]password=./.test(url);
