// A merchant's customer list with keyset pagination in both directions. Every page costs the same.
import { z } from "zod";
import type { Ctx } from "../../../context.server.ts";
import type { Columns, StorefrontUser, TenantSql } from "../../../db.server.ts";
import { CONSENT_TYPES, consentColumn, type ConsentType } from "../../consent/consent-types.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { keysCondition } from "./customer-search.ts";
import {
  conditionOf,
  isKnownToBeMany,
  LABEL,
  SIGNED_IN_AT,
  type ReadyFilter,
} from "./filter-condition.ts";

/** How many rows are read in the list's order before all matches are read by their index. */
const MAX_WALKED = 5_000;

const MAX_INT = 2_147_483_647;
/** The database's text form of a time in UTC. */
const MOMENT =
  /^(-infinity|\d{4}-(0[1-9]|1[0-2])-([0-2]\d|3[01]) ([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,6})?\+00)$/;
const isMoment = (text: string) => MOMENT.test(text);
const NUMBER = /^-?\d{1,20}(\.\d{1,20})?(e[+-]\d{1,2})?$/;

/** What a list can be sorted by: an index for each. `isKey`: whether a cursor's text is a value of the type. */
const KEYS = {
  updated: { sql: "u.updated_at", type: "timestamptz", isKey: isMoment },
  name: { sql: LABEL, type: "text", isKey: (text: string) => !text.includes("\u0000") },
  signed_in: { sql: SIGNED_IN_AT, type: "timestamptz", isKey: isMoment },
  spent: { sql: "u.amount_spent", type: "float8", isKey: (text: string) => NUMBER.test(text) },
  orders: {
    sql: "u.number_of_orders",
    type: "int",
    isKey: (text: string) => /^-?\d{1,10}$/.test(text) && Math.abs(Number(text)) <= MAX_INT,
  },
};
type SortName = keyof typeof KEYS;
export type Sort = `${SortName} ${"desc" | "asc"}`;
export const SORTS = (Object.keys(KEYS) as SortName[]).flatMap((name): Sort[] => [
  `${name} desc`,
  `${name} asc`,
]);

/**
 * A position in a sort order: the sort key of a row as the database writes it, its id, and its number
 * in the list, counted from one.
 */
type Place = { key: string; id: number; number: number };

const Cursor = z.tuple([
  z.string().max(2_000),
  z.number().int().positive().max(MAX_INT),
  z.number().int().positive().max(MAX_INT),
]);

const toCursor = ({ key, id, number }: Place): string =>
  Buffer.from(JSON.stringify([key, id, number])).toString("base64url");

const keyOf = (sort: Sort) => KEYS[sort.split(" ")[0] as SortName];

/** Null for an invalid cursor: a truncated URL shows the first page. */
function readPlace(sort: Sort, cursor: string | null): Place | null {
  if (!cursor) return null;
  try {
    const [key, id, number] = Cursor.parse(
      JSON.parse(Buffer.from(cursor, "base64url").toString("utf8")),
    );
    return keyOf(sort).isKey(key) ? { key, id, number } : null;
  } catch {
    return null;
  }
}

export type ListedCustomer = {
  id: number;
  full_name: string | null;
  email: string | null;
  status: string;
  provider: string;
  country: string | null;
  number_of_orders: number;
  /** In the store's currency. */
  amount_spent: number;
  last_login_at: string | null;
  updated_at: string;
  consents: ConsentType[];
  tags: { slug: string; name: string }[];
};
export type CustomerPage = {
  customers: ListedCustomer[];
  /** The number of the first row in the list, counted from one. */
  from: number;
  /** Cursors; null where there is no such page. */
  next: string | null;
  previous: string | null;
};

type Row = Columns<
  StorefrontUser,
  | "id"
  | "full_name"
  | "email"
  | "status"
  | "provider"
  | "country"
  | "number_of_orders"
  | "amount_spent"
  | "last_login_at"
  | "updated_at"
> &
  Pick<ListedCustomer, "consents" | "tags"> & { sort_text: string };

const CONSENTS = CONSENT_TYPES.map(
  (type) => `CASE WHEN c.${consentColumn(type)} THEN '${type}' END`,
).join(", ");

// Related rows are read for the customers of the page only.
const SHOWN = `
  page.id, page.full_name, page.email, page.status, page.provider, page.country,
    page.number_of_orders, page.amount_spent, page.last_login_at, page.updated_at, page.sort_key::text AS sort_text,
  coalesce((SELECT array_remove(ARRAY[${CONSENTS}], NULL) FROM user_claims c WHERE c.shop = $1
    AND c.user_id = page.id), '{}') AS consents,
  coalesce((SELECT json_agg(json_build_object('slug', t.slug, 'name', t.name) ORDER BY m.id)
    FROM user_tag_map m JOIN crm_tags t ON t.shop = $1 AND t.id = m.tag_id WHERE m.shop = $1
    AND m.user_id = page.id), '[]') AS tags`;

export type ListOptions = {
  filter: ReadyFilter;
  sort: Sort;
  limit: number;
  /** A cursor of this order. */
  after?: string | null;
  before?: string | null;
};

export async function listCustomers(
  ctx: Ctx,
  tenant: Tenant,
  { filter, sort, limit, after = null, before = null }: ListOptions,
): Promise<CustomerPage> {
  const end = readPlace(sort, before);
  const start = end ? null : readPlace(sort, after);
  // The previous page is read in the other direction and reversed.
  const order = sort.endsWith("asc") === (end === null) ? "ASC" : "DESC";
  const page = toPageSql(filter, keyOf(sort), end ?? start, order);
  const rows = await readRows(dataOf(ctx, tenant).sql, filter, page, limit);
  const shown = rows.slice(0, limit);
  const hasMore = rows.length > limit;
  if (end) shown.reverse();
  const from = end ? firstNumberBefore(end, shown.length, hasMore) : (start?.number ?? 0) + 1;
  const cursorOf = (index: number) => {
    const row = shown[index];
    const number = Math.min(from + index, MAX_INT);
    return row ? toCursor({ key: row.sort_text, id: row.id, number }) : null;
  };
  return {
    customers: shown.map(toListed),
    from,
    next: end || hasMore ? cursorOf(shown.length - 1) : null,
    previous: (end ? hasMore : start) ? cursorOf(0) : null,
  };
}

/** The list may have changed since the cursor was made: a page with none before it is the first. */
const firstNumberBefore = (end: Place, rows: number, hasMore: boolean) =>
  hasMore ? Math.max(1, end.number - rows) : 1;

/** The parts of a page's statement, about a customer `u`. `$1` is the shop and `$2` the number of rows. */
type PageSql = {
  key: string;
  order: "ASC" | "DESC";
  where: string;
  /** The condition of the rows after the cursor; empty without one. */
  beyond: string;
  orderBy: string;
  /** The values of the statement's parameters from `$3` on. */
  values: readonly unknown[];
};

function toPageSql(
  filter: ReadyFilter,
  key: (typeof KEYS)[SortName],
  place: Place | null,
  order: PageSql["order"],
): PageSql {
  const condition = conditionOf(filter, 3);
  const at = 3 + condition.values.length;
  const follows = order === "ASC" ? ">" : "<";
  return {
    key: key.sql,
    order,
    where: condition.sql,
    beyond: place ? `AND (${key.sql}, u.id) ${follows} ($${at}::${key.type}, $${at + 1}::int)` : "",
    orderBy: `ORDER BY ${key.sql} ${order}, u.id ${order}`,
    values: place ? [...condition.values, place.key, place.id] : condition.values,
  };
}

/** Returns one row more than `limit` when there are more. */
async function readRows(
  sql: TenantSql,
  filter: ReadyFilter,
  { key, order, where, beyond, orderBy, values }: PageSql,
  limit: number,
): Promise<Row[]> {
  const read = (people: string, more: readonly unknown[] = []) =>
    sql<Row>(
      `SELECT ${SHOWN} FROM (${people}) AS page ORDER BY page.sort_key ${order}, page.id ${order}`,
      [limit + 1, ...values, ...more],
    );
  const readInOrder = (people: string) =>
    read(
      `SELECT u.*, ${key} AS sort_key FROM ${people} u WHERE ${where} ${beyond} ${orderBy} LIMIT $2`,
    );
  const many = findMany(filter);
  if (!many) return readInOrder("storefront_users");
  if (many.density * MAX_WALKED > limit) {
    const near = await readInOrder(
      `(SELECT u.* FROM storefront_users u WHERE u.shop = $1 ${beyond} ${orderBy} LIMIT ${MAX_WALKED})`,
    );
    if (near.length > limit) return near;
  }
  // The matches are not near this place of the order: they are read by their index and sorted.
  return read(
    `WITH found AS MATERIALIZED (
       SELECT u.id, ${key} AS sort_key FROM storefront_users u
       WHERE ${where} ${beyond} AND ${keysCondition(`$${3 + values.length}`)}
     ), first AS MATERIALIZED (
       SELECT id, sort_key FROM found ORDER BY sort_key ${order}, id ${order} LIMIT $2
     )
     SELECT u.*, first.sort_key FROM first JOIN storefront_users u ON u.shop = $1 AND u.id = first.id`,
    [many.keys],
  );
}

/** A search alone that has many matches, which may be anywhere in the order. */
function findMany(filter: ReadyFilter): { keys: string[]; density: number } | null {
  const { matches } = filter;
  if (!isKnownToBeMany(filter) || !matches || "ids" in matches) return null;
  const { patterns, density } = matches;
  return patterns.phoneHash === null ? { keys: patterns.keys, density } : null;
}

function toListed({
  sort_text: _key,
  last_login_at: signedInAt,
  updated_at: updatedAt,
  ...row
}: Row): ListedCustomer {
  return {
    ...row,
    last_login_at: signedInAt?.toISOString() ?? null,
    updated_at: updatedAt.toISOString(),
  };
}
