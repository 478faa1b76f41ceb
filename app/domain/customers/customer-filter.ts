// Which customers a merchant's list shows: what may be asked, and its SQL. Each part has an index of its own
// (migration customer_lists), so that the planner can start from the part that leaves the fewest people.
import { z } from "zod";
import type { TenantSql } from "../../runtime/database.ts";
import { CONSENT_TYPES, consentColumn } from "../consent/consent-types.ts";
import { toSlug } from "../tags/catalog.ts";

const PROVIDERS = ["email", "federated", "storefront"] as const;
const STATUSES = ["active", "suspended", "deleted"] as const;
/** When somebody last signed in: within so many days, longer ago than the longest of them, or never. */
const SIGNED_IN = ["7", "30", "90", "older", "never"] as const;
/** A consent that is given, or with a minus one that is not. */
const CONSENT_STATES = CONSENT_TYPES.flatMap((type) => [type, `-${type}`] as const);

const text = (most: number) => z.string().trim().min(1).max(most).optional().catch(undefined);

/** What an address says. A part that cannot be read is left out: an old or mistyped link still shows a list. */
export const CustomerFilter = z.object({
  /** The beginning of a name, a last name or an e-mail address, or the storefront's number of a customer. */
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

/** In small letters of every language, whatever the database's own is, and then compared byte by byte. */
const small = (value: string) => `(lower(${value} COLLATE "und-x-icu") COLLATE "C")`;

/** By what a person stands in the list: the name, or the address of who has none. */
export const LABEL = small("coalesce(u.full_name, u.email, '')");
export const SIGNED_IN_AT = "coalesce(u.last_login_at, '-infinity')";
/** Above every text that begins with what stands before it. */
const LAST_SIGN = "\u{10ffff}";

export type Condition = { sql: string; values: unknown[] };

/** The number of a tag; 0, which no tag has, where there is none of this slug. */
export async function tagIdOf(sql: TenantSql, slug: string | undefined): Promise<number> {
  const [tag] =
    slug === undefined
      ? []
      : await sql<{ id: number }>("SELECT id FROM crm_tags WHERE shop = $1 AND slug = $2", [slug]);
  return tag?.id ?? 0;
}

/** Over `storefront_users u`; its values take the places from `$<first>` on. `$1` is the shop. */
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
  // The tag's number first: of a value the planner knows how many people have it, of a look-up it does not.
  if (filter.tag) parts.push(hasTag(place(await tagIdOf(sql, filter.tag))));
  if (filter.consent) parts.push(consentOf(filter.consent));
  if (filter.provider) parts.push(`u.provider = ${place(filter.provider)}`);
  if (filter.country) parts.push(`u.country = ${place(filter.country)}`);
  if (filter.signed_in) parts.push(signedInOf(filter.signed_in));
  return { sql: parts.join(" AND "), values };
}

/** Over `storefront_users u`; `id` is the place of the tag's number. */
export const hasTag = (id: string): string =>
  `EXISTS (SELECT 1 FROM user_tag_map m WHERE m.shop = $1 AND m.user_id = u.id AND m.tag_id = ${id}::int)`;

/** As many people as a search may find to be looked up first; of more than these every order soon shows a page. */
const FEW = 10_000;

// The few who match are found by their own indexes before anything else: left to choose, the planner may walk a whole order
// to them, because it cannot know that they stand close together at its end. A list by name that so many people match shows
// those who stand in it under the searched beginning; who has it as a last name or address is found by more letters.
async function searchOf(
  sql: TenantSql,
  start: string,
  place: (value: unknown) => string,
  isByName: boolean,
): Promise<string> {
  const few = await sql<{ id: number }>(
    `SELECT u.id FROM storefront_users u WHERE u.shop = $1 AND ${beginsWith("$2", "$3", "$4")} LIMIT ${FEW + 1}`,
    rangeOf(start),
  );
  if (few.length <= FEW) return `u.id = ANY(${place(few.map(({ id }) => id))}::int[])`;
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
  const given = `EXISTS (SELECT 1 FROM user_claims c WHERE c.shop = $1 AND c.user_id = u.id AND c.${consentColumn(type)})`;
  return state.startsWith("-") ? `NOT ${given}` : given;
}

function signedInOf(when: (typeof SIGNED_IN)[number]): string {
  if (when === "never") return `${SIGNED_IN_AT} = '-infinity'`;
  if (when === "older")
    return `${SIGNED_IN_AT} > '-infinity' AND ${SIGNED_IN_AT} < clock_timestamp() - interval '90 days'`;
  return `${SIGNED_IN_AT} > clock_timestamp() - interval '${when} days'`;
}
