// Compares a store's rows in two databases: per table their number, and a sum over the rows' hashes that does
// not depend on their order.
import {
  quoteName,
  type OwnerConnection,
} from "../../../runtime/database/cells/owner-connection.ts";
import { MARK_KEY, movedRows, type MovedTable } from "./moved-tables.ts";

type Fingerprint = { rows: number; sum: string; ms: number };
export type Fingerprints = Map<string, Fingerprint>;

export async function readFingerprints(
  connection: OwnerConnection,
  tables: readonly MovedTable[],
  shop: string,
): Promise<Fingerprints> {
  if (tables.length === 0) return new Map();
  // One statement, and one snapshot, for all of them; each says when it was done, so that each has its time.
  const selects = tables.map(
    ({ name }) =>
      `SELECT '${name}' AS name, count(*) AS rows,
         coalesce(sum(('x' || left(md5(t::text), 16))::bit(64)::bigint::numeric), 0)::text AS sum,
         extract(epoch FROM clock_timestamp() - statement_timestamp())::float8 * 1000 AS done_ms
       FROM ${quoteName(name)} t WHERE ${movedRows(name, shop)}
       ${name === "kv" ? `AND key <> '${MARK_KEY}'` : ""}`,
  );
  const rows = await connection.query<{ name: string; rows: number; sum: string; done_ms: number }>(
    selects.join(" UNION ALL "),
  );
  return new Map(
    rows.map((row, index) => [
      row.name,
      { rows: row.rows, sum: row.sum, ms: row.done_ms - (rows[index - 1]?.done_ms ?? 0) },
    ]),
  );
}

export const rowsOf = (prints: Fingerprints): number =>
  [...prints.values()].reduce((sum, { rows }) => sum + rows, 0);

/** The tables that differ, with what differs, for an operator. */
export function findDifferences(source: Fingerprints, target: Fingerprints): string[] {
  return [...source].flatMap(([name, { rows, sum }]) => {
    const copy = target.get(name);
    if (copy?.rows === rows && copy.sum === sum) return [];
    return [
      copy?.rows === rows
        ? `${name}: the contents of its ${rows} rows differ`
        : `${name}: ${rows} rows in the source and ${copy?.rows ?? 0} in the target`,
    ];
  });
}

/** The tables that one check inside the barrier has time for, the quickest first. */
export function withinBudget(
  tables: readonly MovedTable[],
  measured: Fingerprints,
  budgetMs: number,
): MovedTable[] {
  let spent = 0;
  const msOf = ({ name }: MovedTable) => measured.get(name)?.ms ?? 0;
  return tables
    .toSorted((one, other) => msOf(one) - msOf(other))
    .filter((table) => (spent += msOf(table)) <= budgetMs);
}
