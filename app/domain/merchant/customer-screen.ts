// The customer page of the merchant: profile and subscriptions, consents, tags, agents, the state in
// each connected system, and the timeline.
import type { Ctx } from "../../context.server.ts";
import { readTogether } from "../../runtime/database/read-together.ts";
import { confirmationPhrase } from "../compliance/requests/merchant-requests.ts";
import { stateOf } from "../consent/consent-outcomes.ts";
import { CONSENT_TYPES } from "../consent/consent-types.ts";
import { toDecisions } from "../consent/last-decisions.ts";
import { currencyOf } from "../customers/list/list-screen.ts";
import { findPerson } from "../identity/account.ts";
import { toAcceptsTag, toSlug } from "../tags/catalog.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { relatedRead, toRelated, type Related } from "./customer/related.ts";
import { compareSubscriptions } from "./customer/subscriptions.ts";
import { namesOnBus, toSystems } from "./customer/systems.ts";
import { timelineRead, toTimeline, type TimelineQuery } from "./customer/timeline.ts";

/** Null for an id without a customer in this store. */
export async function readCustomer(ctx: Ctx, tenant: Tenant, id: number, query: TimelineQuery) {
  const { sql } = dataOf(ctx, tenant);
  const person = await findPerson(sql, id);
  if (!person) return null;
  const { account, consents } = person;
  const { storefront_customer_gid: gid, email } = account;
  const names = namesOnBus(account);
  const rows = await readTogether(sql, {
    related: relatedRead(id, names),
    timeline: timelineRead(ctx, tenant, { id, gid, email, names }, query),
  });
  const { related, deliveries, ...beside } = toRelated(rows.related);
  const decisions = toDecisions(beside.decisions);
  return {
    customer: {
      id,
      email,
      name: account.full_name,
      status: account.status,
      provider: account.provider,
      country: account.country,
      language: account.language_pref,
      isVerified: account.email_verified,
      orders: account.number_of_orders,
      spent: account.amount_spent,
      currency: currencyOf(tenant),
      gid,
      lastSignIn: account.last_login_at?.toISOString() ?? null,
      updatedAt: account.updated_at.toISOString(),
      hasPassword: account.password_hash !== "",
      confirmationPhrase: confirmationPhrase(account),
      canBeErased: Boolean(email ?? gid),
      mergedInto: account.merged_into,
      adminUrl: gid
        ? ctx.storefront.adminUrl(
            tenant.shop,
            `/admin/customers/${gid.slice(gid.lastIndexOf("/") + 1)}`,
          )
        : null,
    },
    consents: CONSENT_TYPES.map((type) => ({
      type,
      state: stateOf(consents[type], decisions.get(type)?.outcome ?? null),
      decision: decisions.get(type) ?? null,
    })),
    subscriptions: compareSubscriptions(account, consents.marketing),
    related,
    storeTags: ownTagsOf(account.tags, related.tags),
    systems: toSystems(ctx, tenant, deliveries),
    timeline: toTimeline(query, rows.timeline),
  };
}

/** The merchant's own tags at the store: neither the catalog's nor a form's. */
function ownTagsOf(listed: readonly string[], assigned: Related["tags"]): string[] {
  const ours = new Set(assigned.flatMap((tag) => [tag.slug, toAcceptsTag(tag) ?? tag.slug]));
  return listed.filter((tag) => !ours.has(toSlug(tag)));
}
