// A tenant's raw statements: each is filtered by the tenant, or refused.
import type pg from "pg";
import type { Row, TenantSql } from "../database.ts";

const FILTER = /\bshop\s*=\s*\$1(?:\D|$)/i;
const INSERT =
  /^\s*(?:with\b[\s\S]*?\)\s*)?insert\s+into\s+\w+\s*(?:as\s+\w+\s*)?\(\s*shop\b[^)]*\)\s*(?:values\s*\(|select\b)\s*\$1(?!\d)/i;

/** Refuses a statement without a tenant. Results are cached: statements are literals and few. */
const proven = new Set<string>();
export function requireTenantFilter(text: string): void {
  if (proven.has(text)) return;
  if (!INSERT.test(text) && !FILTER.test(text))
    throw new Error(
      `this statement has no tenant filter (shop = $1): ${text.trim().slice(0, 120)}`,
    );
  proven.add(text);
}

type Connection = pg.Pool | pg.PoolClient;

/** Returns the name of a prepared statement, or none where the session does not keep it. */
export type Naming = (name: string | undefined) => { name?: string };

export function tenantSql(shop: string, connection: () => Connection, naming: Naming): TenantSql {
  return async <R extends Row>(text: string, values: readonly unknown[] = [], name?: string) => {
    requireTenantFilter(text);
    const result = await connection().query<R>({
      text,
      values: [shop, ...values],
      ...naming(name),
    });
    return result.rows;
  };
}
