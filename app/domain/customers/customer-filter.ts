// Which customers a merchant's list shows: what may be asked, and its SQL. Each part has an index of its own
// (migration customer_lists), so that the planner can start from the part that leaves the fewest people.
import { z } from "zod";
import { CONSENT_TYPES, consentColumn } from "../consent/consent-types.ts";
import { toSlug } from "../tags/catalog.ts";

export const PROVIDERS = ["email", "federated", "storefront"] as const;
export const STATUSES = ["active", "suspended", "deleted"] as const;
/** When somebody last signed in: within so many days, longer ago than the longest of them, or never. */
export const SIGNED_IN = ["7", "30", "90", "older", "never"] as const;
/** A consent that is given, or with a minus one that is not. */
export const CONSENT_STATES = CONSENT_TYPES.flatMap((type) => [type, `-${type}`] as const);

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

export const readFilter = (query: URLSearchParams): CustomerFilter => CustomerFilter.parse(Object.fromEntries(query));

/** In small letters of every language, whatever the database's own is, and then compared byte by byte. */
const small = (value: string) => `(lower(${value} COLLATE "und-x-icu") COLLATE "C")`;

/** By what a person stands in the list: the name, or the address of who has none. */
export const LABEL = small("coalesce(u.full_name, u.email, '')");
export const SIGNED_IN_AT = "coalesce(u.last_login_at, '-infinity')";
/** Above every text that begins with what stands before it. */
const LAST_SIGN = "\u{10ffff}";

export type Condition = { sql: string; values: unknown[] };

/** Over `storefront_users u`; its values take the places from `$<first>` on. `$1` is the shop. */
export function conditionOf(filter: CustomerFilter, first: number): Condition {
  const values: unknown[] = [];
  const place = (value: unknown) => `$${first + values.push(value) - 1}`;
  const parts = ["u.shop = $1", filter.status ? `u.status = ${place(filter.status)}` : "u.status <> 'deleted'"];
  if (filter.q) parts.push(searchOf(filter.q.normalize("NFKC").toLowerCase(), place));
  // The tag's id first: of a number the planner knows how many people have it.
  if (filter.tag) parts.push(`EXISTS (SELECT 1 FROM user_tag_map m WHERE m.shop = $1 AND m.user_id = u.id AND m.tag_id = (SELECT id FROM crm_tags WHERE shop = $1 AND slug = ${place(filter.tag)}))`);
  if (filter.consent) parts.push(consentOf(filter.consent));
  if (filter.provider) parts.push(`u.provider = ${place(filter.provider)}`);
  if (filter.country) parts.push(`u.country = ${place(filter.country)}`);
  if (filter.signed_in) parts.push(signedInOf(filter.signed_in));
  return { sql: parts.join(" AND "), values };
}

function searchOf(start: string, place: (value: unknown) => string): string {
  const [from, to] = [place(start), place(start + LAST_SIGN)];
  const begins = (column: string) => `(${column} >= ${from} AND ${column} < ${to})`;
  const ways = [begins(LABEL), begins(small("u.email")), begins(small("u.last_name"))];
  if (/^\d{4,20}$/.test(start)) ways.push(`u.storefront_customer_gid = ${place(`gid://shopify/Customer/${start}`)}`);
  return `(${ways.join(" OR ")})`;
}

function consentOf(state: (typeof CONSENT_STATES)[number]): string {
  const type = CONSENT_TYPES.find((known) => state.endsWith(known)) as (typeof CONSENT_TYPES)[number];
  const given = `EXISTS (SELECT 1 FROM user_claims c WHERE c.shop = $1 AND c.user_id = u.id AND c.${consentColumn(type)})`;
  return state.startsWith("-") ? `NOT ${given}` : given;
}

function signedInOf(when: (typeof SIGNED_IN)[number]): string {
  if (when === "never") return `${SIGNED_IN_AT} = '-infinity'`;
  if (when === "older") return `${SIGNED_IN_AT} > '-infinity' AND ${SIGNED_IN_AT} < clock_timestamp() - interval '90 days'`;
  return `${SIGNED_IN_AT} > clock_timestamp() - interval '${when} days'`;
}
