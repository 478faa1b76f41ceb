// Which of a person's names no other customer of the store has: a search for a shared name would find
// the other customer, too.
import type { TenantSql } from "../../../runtime/database/database.ts";
import { keysCondition, searchKeysOf } from "../../customers/list/customer-search.ts";
import { foldName } from "./person-values.ts";

/**
 * As `foldName` folds them, for names of the store's customers. With a collation, because the database's own may
 * know no capitals with accents.
 */
const FOLDED =
  "btrim(regexp_replace(lower(normalize(coalesce(full_name, concat_ws(' ', first_name, last_name)), NFKC) COLLATE \"und-x-icu\"), '\\s+', ' ', 'g'))";

/** The search index stores the first hundred characters of a name, also where it is in two columns. */
const INDEXED_LENGTH = 100;

/** The search index narrows the customers down; only the names of those are folded and compared. */
export const OTHERS_OF_NAME = `
  SELECT count(*)::int AS others FROM storefront_users u
  WHERE u.shop = $1 AND ${keysCondition("$2")} AND ${FOLDED} = $3 AND u.id <> ALL($4::int[])`;

export const othersOfName = (name: string, userIds: readonly number[]): unknown[] => {
  const folded = foldName(name);
  return [searchKeysOf(folded.slice(0, INDEXED_LENGTH)), folded, userIds];
};

/** The full names among these that only the given accounts have. */
export async function ownNames(
  sql: TenantSql,
  names: readonly string[],
  userIds: readonly number[],
): Promise<string[]> {
  const own: string[] = [];
  for (const name of new Set(names.map((written) => written.trim()))) {
    if (!/\s/.test(name)) continue;
    const [found] = await sql<{ others: number }>(OTHERS_OF_NAME, othersOfName(name, userIds));
    if (found?.others === 0) own.push(name);
  }
  return own;
}
