// The SQL of a customer filter. Each part has an index, so that the planner can start with the most
// selective one.
import type { Ctx } from "../../../context.server.ts";
import type { Columns, CrmTag } from "../../../db.server.ts";
import { NO_ROWS, readTogether, type Read } from "../../../runtime/database/read-together.ts";
import { CONSENT_TYPES, consentColumn } from "../../consent/consent-types.ts";
import { LAST_ACTIVE_AT } from "../../tags/system-tags.ts";
import { nextDay, startOfDay } from "../../../runtime/calendar-days.ts";
import { timeZoneOf } from "../../tenants/storefront/time-zone.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import {
  hasFilters,
  type ACTIVE,
  type CONSENT_STATES,
  type CustomerFilter,
  type SIGNED_IN,
} from "./customer-filter.ts";
import { comparisonOf, searchQuery, type Matches } from "./customer-search.ts";

/**
 * The sort key of a customer: the name, or the address without a name. Lower case without accents in every language,
 * independent of the database's locale, then compared byte by byte. The index has the same expression.
 */
export const LABEL = `(lower(regexp_replace(normalize(coalesce(u.full_name, u.email, ''), NFKD), U&'[\\0300-\\036f]', '', 'g')
  COLLATE "und-x-icu") COLLATE "C")`;
export const SIGNED_IN_AT = "coalesce(u.last_login_at, '-infinity')";

export type Condition = { sql: string; values: unknown[] };

/** A filter whose tags and search are looked up. */
export type ReadyFilter = {
  filter: CustomerFilter;
  tagIds: ReadonlyMap<string, number>;
  matches: Matches | null;
  /** The time zone of the filter's days. */
  zone: string;
};

/** An id that no tag has, for an unknown slug. */
const UNKNOWN_TAG = 0;

type TagId = Columns<CrmTag, "id" | "slug">;
const tagIdsRead = (slugs: readonly string[]): Read<TagId> => ({
  sql: "SELECT id, slug FROM crm_tags WHERE shop = $1 AND slug = ANY($2::text[])",
  values: [slugs],
});
const toTagIds = (rows: readonly TagId[]): ReadonlyMap<string, number> =>
  new Map(rows.map(({ slug, id }) => [slug, id]));

/** The id of a tag; 0, which is never used, for an unknown slug. */
export async function tagIdOf(ctx: Ctx, tenant: Tenant, slug: string): Promise<number> {
  const { sql, values } = tagIdsRead([slug]);
  const [tag] = await dataOf(ctx, tenant).sql<TagId>(sql, values);
  return tag?.id ?? UNKNOWN_TAG;
}

/** The tags that a filter names. */
export const tagsOfFilter = ({ tag, tag_any, tag_none }: CustomerFilter): string[] => [
  ...new Set([tag, tag_any, tag_none].flatMap((slugs) => slugs ?? [])),
];

/**
 * The tags' ids and the matches of the search are read first: the planner knows the frequency of a
 * value, but not of a subquery.
 */
export async function prepareFilter(
  ctx: Ctx,
  tenant: Tenant,
  filter: CustomerFilter,
): Promise<ReadyFilter> {
  const slugs = tagsOfFilter(filter);
  const search = filter.q === undefined ? null : searchQuery(ctx, tenant, filter.q);
  const rows =
    slugs.length > 0 || search?.read
      ? await readTogether(dataOf(ctx, tenant).sql, {
          tags: slugs.length > 0 ? tagIdsRead(slugs) : NO_ROWS,
          found: search?.read ?? NO_ROWS,
        })
      : { tags: [], found: [] };
  return {
    filter,
    tagIds: toTagIds(rows.tags),
    matches: search && search.toMatches(rows.found),
    zone: timeZoneOf(tenant),
  };
}

/** Whether more customers match than are counted, without reading them. */
export const isKnownToBeMany = ({ filter, matches }: ReadyFilter): boolean =>
  matches !== null && "isMany" in matches && matches.isMany && !hasFilters(filter);

/** Over `storefront_users u`; its values are numbered from `$<first>`. `$1` is the shop. */
export function conditionOf(
  { filter, tagIds, matches, zone }: ReadyFilter,
  first: number,
): Condition {
  const values: unknown[] = [];
  const place = (value: unknown) => `$${first + values.push(value) - 1}`;
  const parts = [
    "u.shop = $1",
    filter.status ? `u.status = ${place(filter.status)}` : "u.status <> 'deleted'",
  ];
  const compare = (comparison: string, value: unknown) => {
    if (value !== undefined) parts.push(`${comparison} ${place(value)}`);
  };
  if (matches) parts.push(matchOf(matches, place));
  const idOf = (slug: string) => tagIds.get(slug) ?? UNKNOWN_TAG;
  for (const slug of filter.tag ?? []) parts.push(hasTag(place(idOf(slug))));
  if (filter.tag_any) parts.push(hasAnyTag(place(filter.tag_any.map(idOf))));
  if (filter.tag_none) parts.push(`NOT ${hasAnyTag(place(filter.tag_none.map(idOf)))}`);
  for (const state of filter.consent ?? []) parts.push(consentOf(state));
  compare("u.provider =", filter.provider);
  compare("u.country =", filter.country);
  compare("u.language_pref =", filter.language);
  compare("u.email_subscription_status =", filter.email_subscription);
  compare("u.sms_subscription_status =", filter.sms_subscription);
  compare("u.number_of_orders >=", filter.orders_min);
  compare("u.number_of_orders <=", filter.orders_max);
  compare("u.amount_spent >=", filter.spent_min);
  compare("u.amount_spent <=", filter.spent_max);
  compare("u.created_at >=", filter.joined_from && startOfDay(zone, filter.joined_from));
  compare("u.created_at <", filter.joined_to && startOfDay(zone, nextDay(filter.joined_to)));
  if (filter.signed_in) parts.push(signedInOf(filter.signed_in));
  if (filter.active) parts.push(activeOf(filter.active));
  return { sql: parts.join(" AND "), values };
}

/** Over `storefront_users u`; `id` is the parameter of the tag's id. */
export const hasTag = (id: string): string =>
  `EXISTS (SELECT 1 FROM user_tag_map m WHERE m.shop = $1 AND m.user_id = u.id AND m.tag_id = ${id}::int)`;

const hasAnyTag = (ids: string): string =>
  `EXISTS (SELECT 1 FROM user_tag_map m WHERE m.shop = $1 AND m.user_id = u.id AND m.tag_id = ANY(${ids}::int[]))`;

/** The same for what a removal here takes away: neither what the store gave, nor what a rule set. */
export const hasRemovableTag = (id: string): string =>
  `EXISTS (SELECT 1 FROM user_tag_map m WHERE m.shop = $1 AND m.user_id = u.id AND m.tag_id = ${id}::int
    AND m.source NOT IN ('storefront', 'system'))`;

const matchOf = (matches: Matches, place: (value: unknown) => string): string =>
  "ids" in matches
    ? `u.id = ANY(${place(matches.ids)}::int[])`
    : comparisonOf(matches.patterns, place);

function consentOf(state: (typeof CONSENT_STATES)[number]): string {
  const type = CONSENT_TYPES.find((known) =>
    state.endsWith(known),
  ) as (typeof CONSENT_TYPES)[number];
  const given = `EXISTS (SELECT 1 FROM user_claims c WHERE c.shop = $1 AND c.user_id = u.id
    AND c.${consentColumn(type)})`;
  if (state.startsWith("revoked-"))
    return `NOT ${given} AND EXISTS (SELECT 1 FROM consent_records r WHERE r.shop = $1
      AND r.consent_type = '${type}' AND r.action = 'revoked' AND r.user_id = u.id)`;
  return state.startsWith("-") ? `NOT ${given}` : given;
}

// `now()`: an index is of no use for a condition with `clock_timestamp()`, which is not stable.
function signedInOf(when: (typeof SIGNED_IN)[number]): string {
  if (when === "never") return `${SIGNED_IN_AT} = '-infinity'`;
  if (when === "older")
    return `${SIGNED_IN_AT} > '-infinity' AND ${SIGNED_IN_AT} < now() - interval '90 days'`;
  return `${SIGNED_IN_AT} > now() - interval '${when} days'`;
}

function activeOf(when: (typeof ACTIVE)[number]): string {
  const isNone = when.startsWith("-");
  return `${LAST_ACTIVE_AT} ${isNone ? "<=" : ">"} now() - interval '${when.replace("-", "")} days'`;
}
