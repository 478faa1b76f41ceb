// The search of the customer list: every word that is typed must be somewhere in a customer's name,
// email address or number; a word of one or two characters must begin a word there. A phone number
// is stored as a keyed hash only, so a whole number is found and a part of one is not.
//
// A search must not cost more in a large store. How it is read depends on how many customers match:
//   1. Many of the newest customers match: then many others do too. The list is walked in its order, which
//      soon fills a page.
//   2. Few of them match: the index of keys (migration customer_search) names the matches.
//   3. The index names more than MAX_MATCHES: the list is walked as in 1 when that is likely to fill the
//      page. When it is not likely, or did not fill it, all matches are read (list-customers.ts).
import type { Ctx } from "../../../context.server.ts";
import type { Columns, StorefrontUser } from "../../../db.server.ts";
import type { Read } from "../../../runtime/database/read-together.ts";
import { foldText } from "../../tags/fold-text.ts";
import type { Tenant } from "../../tenants/tenant.ts";
import { phoneHash } from "../storefront-columns.ts";

const MAX_WORDS = 5;
/** The first keys of a long word find few enough customers, whose whole text is then compared. */
const MAX_KEYS = 16;
export const MAX_MATCHES = 5_000;
/** How many of the newest customers show whether a search is common, and from how many on it is. */
const NEWEST = 2_000;
const COMMON = 400;

/** The matches, or the comparison of each customer where there are too many of them. */
export type Matches =
  | { ids: number[] }
  | {
      patterns: SearchPatterns;
      isMany: boolean;
      /** The share of the newest that match, 0 to 1. */
      density: number;
    };
export type SearchPatterns = {
  /** Patterns of words anywhere. */
  contained: string[];
  /** Beginnings of words, escaped. */
  beginning: string[];
  phoneHash: string | null;
  /** The keys to look for in the index. */
  keys: string[];
};

const SEPARATORS = /[@._+-]/g;
const escapeLike = (word: string) => word.replace(/[\\%_]/g, "\\$&");
/** Patterns of what a word begins behind. As patterns they cost a fifth of a text with its separators replaced. */
const BEFORE_WORDS = ["", "% ", "%@", "%.", "%\\_", "%+", "%-"];
const isLong = (word: string) => Array.from(word).length > 2;

function wordsOf(typed: string): string[] {
  return foldText(typed)
    .split(/\s+/)
    .flatMap((word) => (isLong(word) ? [word] : word.replace(SEPARATORS, " ").split(" ")))
    .filter((word) => word !== "")
    .slice(0, MAX_WORDS);
}

function keysOf(words: readonly string[]): string[] {
  const keys = words.flatMap((word) => {
    const signs = Array.from(word);
    return isLong(word)
      ? signs.slice(2).map((_, place) => signs.slice(place, place + 3).join(""))
      : [`^${word}`];
  });
  return [...new Set(keys)].slice(0, MAX_KEYS);
}

/** The index names every customer in whose text these words are. */
export const searchKeysOf = (words: string): string[] => keysOf(wordsOf(words));

/** Digits and what people write between them. */
const phoneIn = (typed: string): string | null =>
  /^\+?[\d\s()./-]{7,30}$/.test(typed) && typed.replace(/\D/g, "").length >= 7 ? typed : null;

/** Over `storefront_users u`. `place` adds a value and returns its parameter. */
export function comparisonOf(
  { contained, beginning, phoneHash: phone }: Omit<SearchPatterns, "keys">,
  place: (value: unknown) => string,
): string {
  const text = [
    ...contained.map((pattern) => `u.search_text LIKE ${place(pattern)}`),
    ...beginning.map(
      (word) => `u.search_text LIKE ${place(`%${word}%`)}
        AND u.search_text LIKE ANY(${place(BEFORE_WORDS.map((before) => `${before}${word}%`))}::text[])`,
    ),
  ];
  const byText = text.length > 0 ? text.join(" AND ") : "false";
  return phone === null ? `(${byText})` : `(${byText} OR u.phone_hash = ${place(phone)})`;
}

/** The condition of the index; what it names is still compared. */
export const keysCondition = (keys: string): string =>
  `customer_search_keys(u.shop, u.search_text)
    @> ARRAY(SELECT customer_search_key($1, key) FROM unnest(${keys}::text[]) AS key)`;

type FoundMatches = { newest: number; ids: Columns<StorefrontUser, "id">["id"][] };
export type SearchQuery = {
  /** Null for a text without a word, which matches no customer. */
  read: Read<FoundMatches> | null;
  toMatches(rows: readonly FoundMatches[]): Matches;
};

export function searchQuery(ctx: Ctx, tenant: Tenant, typed: string): SearchQuery {
  const words = wordsOf(typed);
  const phone = phoneIn(typed);
  const patterns: SearchPatterns = {
    contained: words.filter(isLong).map((word) => `%${escapeLike(word)}%`),
    beginning: words.filter((word) => !isLong(word)).map(escapeLike),
    phoneHash: phone === null ? null : phoneHash(ctx, tenant.shop, phone),
    keys: keysOf(words),
  };
  if (words.length === 0) return { read: null, toMatches: () => ({ ids: [] }) };
  const values: unknown[] = [patterns.keys];
  const comparison = comparisonOf(patterns, (value) => `$${values.push(value) + 1}`);
  const byPhone =
    patterns.phoneHash === null
      ? ""
      : `UNION SELECT id FROM storefront_users WHERE shop = $1 AND phone_hash = $${values.push(patterns.phoneHash) + 1}`;
  const sql = `WITH newest AS MATERIALIZED (
       SELECT count(*)::int AS matching FROM (
         SELECT * FROM storefront_users WHERE shop = $1 ORDER BY updated_at DESC, id DESC LIMIT ${NEWEST}
       ) AS u WHERE ${comparison}
     ), matches AS (
       SELECT u.id FROM storefront_users u
       WHERE (SELECT matching FROM newest) < ${COMMON} AND u.shop = $1 AND ${comparison}
         AND ${keysCondition("$2")}
       LIMIT ${MAX_MATCHES + 1}
     )
     SELECT (SELECT matching FROM newest) AS newest, ARRAY(SELECT id FROM matches ${byPhone}) AS ids`;
  return { read: { sql, values }, toMatches: ([found]) => toMatches(patterns, found) };
}

function toMatches(patterns: SearchPatterns, found: FoundMatches | undefined): Matches {
  if (found && found.newest < COMMON && found.ids.length <= MAX_MATCHES) return { ids: found.ids };
  return {
    patterns,
    isMany: (found?.ids.length ?? 0) > MAX_MATCHES,
    density: (found?.newest ?? 0) / NEWEST,
  };
}
