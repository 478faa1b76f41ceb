// Several reads of one store in one statement: one round trip and one connection for a screen that
// shows many small things.
import { PLATFORM, type Row, type TenantSql } from "./database.ts";
import { requireTenantFilter } from "./tenant/tenant-sql.ts";
import { jsonList } from "./json-list.ts";

/**
 * A statement that reads: `$1` is the store, its own values start at `$2`. Its rows come as JSON has
 * them: times and decimals that are not turned into numbers are texts.
 */
export type Read<R extends Row> = {
  sql: string;
  values?: readonly unknown[];
  /** `$1` is the platform's key in place of the store, for what the platform keeps about the store. */
  isOfPlatform?: true;
  /** The type of a row. Never set. */
  row?: R;
};

/** What `readTogether` returns for these reads. */
export type RowsOf<Reads> = {
  [Name in keyof Reads]: Reads[Name] extends Read<infer R> ? R[] : never;
};

/** A read without rows, in place of one that is not needed. */
export const NO_ROWS: Read<never> = { sql: "SELECT FROM kv WHERE shop = $1 AND false" };

/** The rows of each read, by its name. They run one after the other, on one snapshot. */
export async function readTogether<Rows extends Record<string, Row>>(
  sql: TenantSql,
  reads: { [Name in keyof Rows]: Read<Rows[Name]> },
): Promise<{ [Name in keyof Rows]: Rows[Name][] }> {
  const values: unknown[] = [];
  const lists = Object.entries<Read<Row>>(reads).map(([name, read]) => {
    // Each read needs a filter of its own: the filter of one says nothing about another.
    requireTenantFilter(read.sql);
    return `${jsonList(placeRead(read, values))} AS "${name}"`;
  });
  const [row] = await sql<{ [Name in keyof Rows]: Rows[Name][] }>(
    `SELECT ${lists.join(", ")}`,
    values,
  );
  return row as { [Name in keyof Rows]: Rows[Name][] };
}

/** Adds the read's values to `values`. The store stays `$1`; what follows moves behind the values before. */
function placeRead({ sql, values: own = [], isOfPlatform }: Read<Row>, values: unknown[]): string {
  const before = values.length;
  values.push(...own);
  const platform = isOfPlatform ? `$${values.push(PLATFORM) + 1}` : "$1";
  return sql.replaceAll(/\$(\d+)/g, (_, number) =>
    number === "1" ? platform : `$${Number(number) + before}`,
  );
}
