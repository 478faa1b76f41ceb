// Proves an erasure: searches for the person's identifiers in every text column of every table of
// the tenant. The result is a count, never the data found.
import type { Database } from "../../../runtime/database/database.ts";
import { KEYS } from "../../../runtime/database/kv-keys.ts";
import { hasSpelling, type TextSearch } from "../personal-values/text-search.ts";
import { tableSlices, tenantTables } from "./table-slices.ts";

export type Proof = {
  searched: { tables: number; columns: number };
  /** Table to the number of rows that still match; empty after an erasure. */
  residual: Record<string, number>;
};

/**
 * Counts the rows with a text that the search for their table finds; null: the table has nothing to
 * find. Excludes the tenant's own record: a merchant may be a customer of the own store, and its
 * settings are not customer data.
 */
export async function searchTables(
  database: Database,
  shop: string,
  searchFor: (table: string) => TextSearch | null,
): Promise<Proof> {
  const tables = (await tenantTables(database)).filter(({ textColumns }) => textColumns.length > 0);
  const residual: Record<string, number> = {};
  const { sql } = database.forTenant(shop);
  for (const { name, textColumns } of tables) {
    const search = searchFor(name);
    if (search === null) continue;
    const words = `concat_ws(E'\\n', ${textColumns.map((column) => `${column}::text`).join(", ")})`;
    const own = name === "kv" ? [KEYS.tenant(shop)] : [];
    const found = `SELECT count(*)::int AS hits FROM "${name}" WHERE shop = $1
      AND ${hasSpelling(words, "$2")}${own.length > 0 ? " AND key <> $3" : ""}`;
    for await (const { condition, values } of tableSlices(database, shop, name, 3 + own.length)) {
      const [row] = await sql<{ hits: number }>(`${found} AND ${condition}`, [
        search,
        ...own,
        ...values,
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
