// The SQL of a customer filter. Each part has an index, so that the planner can start with the most
// selective one.
import type { Ctx } from "../../../context.server.ts";
import type { Columns, CrmTag } from "../../../db.server.ts";
import { CONSENT_TYPES, consentColumn } from "../../consent/consent-types.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import {
  hasFilters,
  type CONSENT_STATES,
  type CustomerFilter,
  type SIGNED_IN,
} from "./customer-filter.ts";
import { comparisonOf, findMatches, type Matches } from "./customer-search.ts";

/**
 * The sort key of a customer: the name, or the address without a name. Lower case in every language,
 * independent of the database's locale, then compared byte by byte.
 */
export const LABEL = `(lower(coalesce(u.full_name, u.email, '') COLLATE "und-x-icu") COLLATE "C")`;
export const SIGNED_IN_AT = "coalesce(u.last_login_at, '-infinity')";

export type Condition = { sql: string; values: unknown[] };

/** A filter whose tag and search are looked up. */
export type ReadyFilter = {
  filter: CustomerFilter;
  tagId: number | null;
  matches: Matches | null;
};

/** The id of a tag; 0, which is never used, for an unknown slug. */
export async function tagIdOf(ctx: Ctx, tenant: Tenant, slug: string): Promise<number> {
  const [tag] = await dataOf(ctx, tenant).sql<Columns<CrmTag, "id">>(
    "SELECT id FROM crm_tags WHERE shop = $1 AND slug = $2",
    [slug],
  );
  return tag?.id ?? 0;
}

/**
 * The tag's id and the matches of the search are read first: the planner knows the frequency of a
 * value, but not of a subquery.
 */
export async function prepareFilter(
  ctx: Ctx,
  tenant: Tenant,
  filter: CustomerFilter,
): Promise<ReadyFilter> {
  const [tagId, matches] = await Promise.all([
    filter.tag === undefined ? null : tagIdOf(ctx, tenant, filter.tag),
    filter.q === undefined ? null : findMatches(ctx, tenant, filter.q),
  ]);
  return { filter, tagId, matches };
}

/** Whether more customers match than are counted, without reading them. */
export const isKnownToBeMany = ({ filter, matches }: ReadyFilter): boolean =>
  matches !== null && "isMany" in matches && matches.isMany && !hasFilters(filter);

/** Over `storefront_users u`; its values are numbered from `$<first>`. `$1` is the shop. */
export function conditionOf({ filter, tagId, matches }: ReadyFilter, first: number): Condition {
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
  if (tagId !== null) parts.push(hasTag(place(tagId)));
  if (filter.consent) parts.push(consentOf(filter.consent));
  compare("u.provider =", filter.provider);
  compare("u.country =", filter.country);
  compare("u.language_pref =", filter.language);
  compare("u.email_subscription_status =", filter.email_subscription);
  compare("u.sms_subscription_status =", filter.sms_subscription);
  compare("u.number_of_orders >=", filter.orders_min);
  compare("u.number_of_orders <=", filter.orders_max);
  compare("u.amount_spent >=", filter.spent_min);
  compare("u.amount_spent <=", filter.spent_max);
  if (filter.joined_from) parts.push(`u.created_at >= ${startOf(place(filter.joined_from))}`);
  if (filter.joined_to)
    parts.push(`u.created_at < ${startOf(place(filter.joined_to))} + interval '1 day'`);
  if (filter.signed_in) parts.push(signedInOf(filter.signed_in));
  return { sql: parts.join(" AND "), values };
}

/** Over `storefront_users u`; `id` is the parameter of the tag's id. */
export const hasTag = (id: string): string =>
  `EXISTS (SELECT 1 FROM user_tag_map m WHERE m.shop = $1 AND m.user_id = u.id AND m.tag_id = ${id}::int)`;

/** The same for what a removal here takes away: neither what the store gave, nor what a rule set. */
export const hasRemovableTag = (id: string): string =>
  `EXISTS (SELECT 1 FROM user_tag_map m WHERE m.shop = $1 AND m.user_id = u.id AND m.tag_id = ${id}::int
    AND m.source NOT IN ('storefront', 'system'))`;

const matchOf = (matches: Matches, place: (value: unknown) => string): string =>
  "ids" in matches
    ? `u.id = ANY(${place(matches.ids)}::int[])`
    : comparisonOf(matches.patterns, place);

const startOf = (day: string) => `(${day}::date::timestamp AT TIME ZONE 'UTC')`;

function consentOf(state: (typeof CONSENT_STATES)[number]): string {
  const type = CONSENT_TYPES.find((known) =>
    state.endsWith(known),
  ) as (typeof CONSENT_TYPES)[number];
  const given = `EXISTS (SELECT 1 FROM user_claims c WHERE c.shop = $1 AND c.user_id = u.id
    AND c.${consentColumn(type)})`;
  return state.startsWith("-") ? `NOT ${given}` : given;
}

// `now()`: an index is of no use for a condition with `clock_timestamp()`, which is not stable.
function signedInOf(when: (typeof SIGNED_IN)[number]): string {
  if (when === "never") return `${SIGNED_IN_AT} = '-infinity'`;
  if (when === "older")
    return `${SIGNED_IN_AT} > '-infinity' AND ${SIGNED_IN_AT} < now() - interval '90 days'`;
  return `${SIGNED_IN_AT} > now() - interval '${when} days'`;
}
