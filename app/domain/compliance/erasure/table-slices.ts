// Walks a store's rows in slices of bounded size, in the order of the primary key: a store may hold
// millions of rows, and a statement has ten seconds. Physical positions (`ctid`) would be wrong on a
// partitioned table, where several rows have the same one, and on a foreign table, which has none.
import type { Database } from "../../../runtime/database/database.ts";

const ROWS_PER_SLICE = 5_000;

export type TenantTable = {
  name: string;
  textColumns: string[];
  /** The primary key without the store. Empty: one row per store, or no key (a foreign table). */
  key: { column: string; type: string }[];
};

/**
 * Part of a table: a condition on the key for the statement's WHERE, whose values start at the
 * parameter that the caller named.
 */
export type TableSlice = { condition: string; values: string[] };

/**
 * Conditions that cover the rows of the store, `firstParameter` being the number of their first
 * value. A row that is added meanwhile behind the walk's position is not covered.
 */
export async function* tableSlices(
  database: Database,
  shop: string,
  table: string,
  firstParameter: number,
): AsyncGenerator<TableSlice> {
  const { key } = await findTable(database, table);
  if (key.length === 0) return yield { condition: "true", values: [] };
  const columns = `(${key.map(({ column }) => column).join(", ")})`;
  const bound = (first: number) =>
    `(${key.map(({ type }, at) => `$${first + at}::text::${type}`).join(", ")})`;
  const [after, until] = [firstParameter, firstParameter + key.length];
  const { sql } = database.forTenant(shop);
  for (let from: string[] | null = null; ;) {
    const [last]: { bound: string[] }[] = await sql<{ bound: string[] }>(
      `SELECT ARRAY[${key.map(({ column }) => `${column}::text`).join(", ")}] AS bound
       FROM "${table}" WHERE shop = $1${from ? ` AND ${columns} > ${bound(2)}` : ""}
       ORDER BY ${key.map(({ column }) => column).join(", ")} OFFSET ${ROWS_PER_SLICE - 1} LIMIT 1`,
      from ?? [],
    );
    const to: string[] | null = last?.bound ?? null;
    if (from && to)
      yield {
        condition: `${columns} > ${bound(after)} AND ${columns} <= ${bound(until)}`,
        values: [...from, ...to],
      };
    else if (from) yield { condition: `${columns} > ${bound(after)}`, values: from };
    else if (to) yield { condition: `${columns} <= ${bound(after)}`, values: to };
    else yield { condition: "true", values: [] };
    if (!to) return;
    from = to;
  }
}

async function findTable(database: Database, name: string): Promise<TenantTable> {
  const table = (await tenantTables(database)).find((one) => one.name === name);
  if (!table) throw new Error(`${name} is no table of a store's rows`);
  return table;
}

const catalogs = new WeakMap<Database, Promise<TenantTable[]>>();

/**
 * Every table with a tenant column, with its text columns and its key; read once from the
 * database's catalog. A partitioned table counts once, its partitions do not.
 */
export function tenantTables(database: Database): Promise<TenantTable[]> {
  const known = catalogs.get(database) ?? readCatalog(database);
  catalogs.set(database, known);
  known.catch(() => catalogs.delete(database));
  return known;
}

async function readCatalog(database: Database): Promise<TenantTable[]> {
  const rows = await database.acrossTenants<{
    name: string;
    columns: string[] | null;
    key: TenantTable["key"] | null;
  }>(
    `SELECT t.relname::text AS name,
       (SELECT array_agg(quote_ident(c.attname)::text ORDER BY c.attnum) FROM pg_attribute c
         JOIN pg_type y ON y.oid = c.atttypid WHERE c.attrelid = t.oid AND c.attnum > 0
           AND NOT c.attisdropped AND c.attname <> 'shop'
           AND y.typname IN ('text', 'varchar', 'bpchar', 'json', 'jsonb', '_text', '_varchar')) AS columns,
       (SELECT json_agg(json_build_object('column', quote_ident(c.attname),
           'type', format_type(c.atttypid, NULL)) ORDER BY k.place)
         FROM pg_constraint p, unnest(p.conkey) WITH ORDINALITY AS k(number, place)
         JOIN pg_attribute c ON c.attnum = k.number
         WHERE p.conrelid = t.oid AND p.contype = 'p' AND c.attrelid = t.oid AND c.attname <> 'shop') AS key
     FROM pg_class t JOIN pg_namespace n ON n.oid = t.relnamespace
     WHERE n.nspname = current_schema() AND t.relkind IN ('r', 'p', 'f') AND NOT t.relispartition
       AND EXISTS (SELECT 1 FROM pg_attribute s WHERE s.attrelid = t.oid AND s.attname = 'shop'
         AND NOT s.attisdropped)
     ORDER BY t.relname`,
  );
  return rows.map(({ name, columns, key }) => ({
    name,
    textColumns: columns ?? [],
    key: key ?? [],
  }));
}
