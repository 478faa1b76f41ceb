// The filters of a merchant's customer list and their SQL. Each filter has an index (migration
// customer_lists), so that the planner can start with the most selective one.
import type { Columns, CrmTag, StorefrontUser, TenantSql } from "../../../db.server.ts";
import { z } from "zod";
import { CONSENT_TYPES, consentColumn } from "../../consent/consent-types.ts";
import { toSlug } from "../../tags/catalog.ts";

const PROVIDERS = ["email", "federated", "storefront"] as const;
const STATUSES = ["active", "suspended", "deleted"] as const;
/** The last sign-in: within so many days, longer ago than the longest period, or never. */
const SIGNED_IN = ["7", "30", "90", "older", "never"] as const;
/** A consent that is granted, or with a minus one that is not. */
const CONSENT_STATES = CONSENT_TYPES.flatMap((type) => [type, `-${type}`] as const);

const text = (most: number) => z.string().trim().min(1).max(most).optional().catch(undefined);

/**
 * Parses the filter of a URL. Invalid parts are ignored, so that an old or mistyped link still
 * shows a list.
 */
export const CustomerFilter = z.object({
  /**
   * The prefix of a name, a last name or an e-mail address, or the storefront's number of a
   * customer.
   */
  q: text(200),
  tag: text(200).transform((tag) => (tag === undefined ? undefined : toSlug(tag) || undefined)),
  consent: z.enum(CONSENT_STATES).optional().catch(undefined),
  provider: z.enum(PROVIDERS).optional().catch(undefined),
  status: z.enum(STATUSES).optional().catch(undefined),
  country: text(80),
  signed_in: z.enum(SIGNED_IN).optional().catch(undefined),
});
export type CustomerFilter = z.output<typeof CustomerFilter>;

export const readFilter = (query: URLSearchParams): CustomerFilter =>
  CustomerFilter.parse(Object.fromEntries(query));

/**
 * Lower case in every language, independent of the database's locale, then compared byte by byte.
 */
const small = (value: string) => `(lower(${value} COLLATE "und-x-icu") COLLATE "C")`;

/** The sort key of a customer: the name, or the address without a name. */
export const LABEL = small("coalesce(u.full_name, u.email, '')");
export const SIGNED_IN_AT = "coalesce(u.last_login_at, '-infinity')";
/** Greater than every text with that prefix. */
const LAST_SIGN = "\u{10ffff}";

export type Condition = { sql: string; values: unknown[] };

/** The id of a tag; 0, which is never used, for an unknown slug. */
export async function tagIdOf(sql: TenantSql, slug: string | undefined): Promise<number> {
  const [tag] =
    slug === undefined
      ? []
      : await sql<Columns<CrmTag, "id">>("SELECT id FROM crm_tags WHERE shop = $1 AND slug = $2", [
          slug,
        ]);
  return tag?.id ?? 0;
}

/** Over `storefront_users u`; its values are numbered from `$<first>`. `$1` is the shop. */
export async function conditionOf(
  sql: TenantSql,
  filter: CustomerFilter,
  first: number,
  isByName = false,
): Promise<Condition> {
  const values: unknown[] = [];
  const place = (value: unknown) => `$${first + values.push(value) - 1}`;
  const parts = [
    "u.shop = $1",
    filter.status ? `u.status = ${place(filter.status)}` : "u.status <> 'deleted'",
  ];
  if (filter.q)
    parts.push(await searchOf(sql, filter.q.normalize("NFKC").toLowerCase(), place, isByName));
  // The tag's id is read first: the planner knows the frequency of a value, but not of a subquery.
  if (filter.tag) parts.push(hasTag(place(await tagIdOf(sql, filter.tag))));
  if (filter.consent) parts.push(consentOf(filter.consent));
  if (filter.provider) parts.push(`u.provider = ${place(filter.provider)}`);
  if (filter.country) parts.push(`u.country = ${place(filter.country)}`);
  if (filter.signed_in) parts.push(signedInOf(filter.signed_in));
  return { sql: parts.join(" AND "), values };
}

/** Over `storefront_users u`; `id` is the parameter of the tag's id. */
export const hasTag = (id: string): string =>
  `EXISTS (SELECT 1 FROM user_tag_map m WHERE m.shop = $1 AND m.user_id = u.id AND m.tag_id = ${id}::int)`;

/**
 * A search with at most this many matches reads the matches first; with more, every sort order
 * fills a page soon.
 */
const MAX_IDS_BY_NAME = 10_000;

// Few matches are read by their own indexes first: otherwise the planner may walk a whole sort
// order to them, because it cannot know that they are together at its end. With more matches a list
// by name shows the names with the searched prefix; matches by last name or address appear after
// more letters.
async function searchOf(
  sql: TenantSql,
  start: string,
  place: (value: unknown) => string,
  isByName: boolean,
): Promise<string> {
  const few = await sql<Columns<StorefrontUser, "id">>(
    `SELECT u.id FROM storefront_users u WHERE u.shop = $1 AND ${beginsWith("$2", "$3", "$4")}
      LIMIT ${MAX_IDS_BY_NAME + 1}`,
    rangeOf(start),
  );
  if (few.length <= MAX_IDS_BY_NAME) return `u.id = ANY(${place(few.map(({ id }) => id))}::int[])`;
  if (isByName) return `${LABEL} >= ${place(start)} AND ${LABEL} < ${place(start + LAST_SIGN)}`;
  const [from, to, gid] = rangeOf(start).map(place);
  return beginsWith(from as string, to as string, gid as string);
}

const rangeOf = (start: string) => [
  start,
  start + LAST_SIGN,
  /^\d{1,20}$/.test(start) ? `gid://shopify/Customer/${start}` : null,
];

const beginsWith = (from: string, to: string, gid: string) =>
  `(${[LABEL, small("u.email"), small("u.last_name")].map((column) => `${column} >= ${from} AND ${column} < ${to}`).join(" OR ")} OR u.storefront_customer_gid = ${gid})`;

function consentOf(state: (typeof CONSENT_STATES)[number]): string {
  const type = CONSENT_TYPES.find((known) =>
    state.endsWith(known),
  ) as (typeof CONSENT_TYPES)[number];
  const given = `EXISTS (SELECT 1 FROM user_claims c WHERE c.shop = $1 AND c.user_id = u.id
    AND c.${consentColumn(type)})`;
  return state.startsWith("-") ? `NOT ${given}` : given;
}

function signedInOf(when: (typeof SIGNED_IN)[number]): string {
  if (when === "never") return `${SIGNED_IN_AT} = '-infinity'`;
  if (when === "older")
    return `${SIGNED_IN_AT} > '-infinity' AND ${SIGNED_IN_AT} < clock_timestamp() - interval '90 days'`;
  return `${SIGNED_IN_AT} > clock_timestamp() - interval '${when} days'`;
}
