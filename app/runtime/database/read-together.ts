// Several reads of one store in one statement: one round trip and one connection for a screen that
// shows many small things.
import type { Row, TenantSql } from "./database.ts";
import { jsonList } from "./json-list.ts";

/**
 * A statement that reads: `$1` is the store, its own values start at `$2`. Its rows come as JSON has
 * them: times and decimals that are not turned into numbers are texts.
 */
export type Read<R extends Row> = {
  sql: string;
  values?: readonly unknown[];
  /** Only a type: what a row is. */
  row?: R;
};

/** In place of a read that is not needed. */
export const NO_ROWS: Read<never> = { sql: "SELECT WHERE $1 = ''" };

/** The rows of each read, by its name. They run one after the other, on one snapshot. */
export async function readTogether<Rows extends Record<string, Row>>(
  sql: TenantSql,
  reads: { [Name in keyof Rows]: Read<Rows[Name]> },
): Promise<{ [Name in keyof Rows]: Rows[Name][] }> {
  const values: unknown[] = [];
  const lists = Object.entries<Read<Row>>(reads).map(([name, read]) => {
    const list = jsonList(shiftParameters(read.sql, values.length));
    values.push(...(read.values ?? []));
    return `${list} AS "${name}"`;
  });
  const [row] = await sql<{ [Name in keyof Rows]: Rows[Name][] }>(
    `SELECT ${lists.join(", ")}`,
    values,
  );
  return row as { [Name in keyof Rows]: Rows[Name][] };
}

/** The store stays `$1`; what follows moves behind the values of the reads before. */
const shiftParameters = (sql: string, by: number): string =>
  sql.replaceAll(/\$(\d+)/g, (parameter, number) =>
    number === "1" ? parameter : `$${Number(number) + by}`,
  );
