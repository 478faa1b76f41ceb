// Walks tables in slices of bounded size: a store may hold millions of rows, and a statement has
// ten seconds.
import type { Database } from "../../runtime/database/database.ts";

const PAGES_PER_SLICE = 2_000;

/**
 * Ranges of physical positions, `[from, to)`, that cover the table including rows added meanwhile.
 */
export async function* tableSlices(
  database: Database,
  table: string,
): AsyncGenerator<readonly [from: string, to: string]> {
  for (let from = 0; from === 0 || from < (await pagesOf(database, table)); from += PAGES_PER_SLICE)
    yield [`(${from},0)`, `(${from + PAGES_PER_SLICE},0)`];
}

async function pagesOf(database: Database, table: string): Promise<number> {
  const [row] = await database.acrossTenants<{ pages: number }>(
    "SELECT (pg_relation_size(to_regclass(quote_ident($1))) / current_setting('block_size')::int)::int AS pages",
    [table],
  );
  return row?.pages ?? 0;
}

export type TenantTable = { name: string; textColumns: string[] };

const catalogs = new WeakMap<Database, Promise<TenantTable[]>>();

/**
 * Every table with a tenant column, with its text columns; read once from the database's catalog.
 */
export function tenantTables(database: Database): Promise<TenantTable[]> {
  const known = catalogs.get(database) ?? readCatalog(database);
  catalogs.set(database, known);
  known.catch(() => catalogs.delete(database));
  return known;
}

async function readCatalog(database: Database): Promise<TenantTable[]> {
  const rows = await database.acrossTenants<{ name: string; columns: string[] | null }>(
    `SELECT c.table_name AS name, array_agg(quote_ident(c.column_name)::text
      ORDER BY c.ordinal_position) FILTER (WHERE c.udt_name IN ('text', 'varchar', 'bpchar', 'json',
      'jsonb', '_text', '_varchar') AND c.column_name <> 'shop') AS columns
     FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
     WHERE c.table_schema = current_schema() AND t.table_type = 'BASE TABLE'
       AND EXISTS (SELECT 1 FROM information_schema.columns s WHERE s.table_schema = c.table_schema
         AND s.table_name = c.table_name AND s.column_name = 'shop')
     GROUP BY c.table_name ORDER BY c.table_name`,
  );
  return rows.map(({ name, columns }) => ({ name, textColumns: columns ?? [] }));
}
