// The proof of an erasure: a search for what says who the person is, in every column that can hold words of every table
// of the tenant. Its answer is a number, never a find.
import type { Database } from "../../runtime/database.ts";
import { KEYS } from "../../runtime/kv.ts";
import { tableSlices, tenantTables } from "./table-slices.ts";

export type Proof = {
  searched: { tables: number; columns: number };
  /** Table to rows that still say it; empty is what is wanted. */
  residual: Record<string, number>;
};

/** The tenant's own record is left out: a merchant may be a customer of the own store, and its settings are no customer data. */
export async function searchTables(
  database: Database,
  shop: string,
  patterns: readonly string[],
): Promise<Proof> {
  const tables = (await tenantTables(database)).filter(({ textColumns }) => textColumns.length > 0);
  const residual: Record<string, number> = {};
  const { sql } = database.forTenant(shop);
  for (const { name, textColumns } of patterns.length > 0 ? tables : []) {
    const words = `concat_ws(E'\\n', ${textColumns.map((column) => `${column}::text`).join(", ")})`;
    const statement = `SELECT count(*)::int AS hits FROM "${name}" WHERE shop = $1 AND ctid >= $3::tid AND ctid < $4::tid AND ${words} ~* $2${name === "kv" ? " AND key <> $5" : ""}`;
    for await (const [from, to] of tableSlices(database, name)) {
      const [row] = await sql<{ hits: number }>(statement, [
        patterns.join("|"),
        from,
        to,
        ...(name === "kv" ? [KEYS.tenant(shop)] : []),
      ]);
      if (row && row.hits > 0) residual[name] = (residual[name] ?? 0) + row.hits;
    }
  }
  return {
    searched: {
      tables: tables.length,
      columns: tables.reduce((sum, { textColumns }) => sum + textColumns.length, 0),
    },
    residual,
  };
}
