/**
 * The customers of a sandbox shop: ids above 2^53, update times to the second, and the webhook
 * topics of a change.
 */
import { CUSTOMER_ID_STEP, isoSeconds } from "./state.ts";
import type { Customer, ShopState } from "./state.ts";

export type CustomerPatch = Partial<Omit<Customer, "createdAt" | "updatedAt">> & {
  createdAt?: string;
  updatedAt?: string;
};

export function customerIdOf(gid: string): string {
  return gid.slice(gid.lastIndexOf("/") + 1);
}

/** Creates (new gid unless given) or updates a customer; absent fields stay as they are. */
export function putCustomer(shop: ShopState, patch: CustomerPatch): Customer {
  const now = new Date();
  const gid = patch.gid ?? allocateGid(shop);
  const before = shop.customers[gid] ?? blankCustomer(gid, isoSeconds(now));
  const given = Object.fromEntries(
    Object.entries(patch).filter(([, value]) => value !== undefined),
  ) as CustomerPatch;
  const after: Customer = { ...before, updatedAt: isoSeconds(now), ...given, gid };
  if (after.emailMarketingState !== before.emailMarketingState)
    after.emailMarketingUpdatedAt = patch.emailMarketingUpdatedAt ?? isoSeconds(now);
  if (after.smsMarketingState !== before.smsMarketingState)
    after.smsMarketingUpdatedAt = patch.smsMarketingUpdatedAt ?? isoSeconds(now);
  // The platform keeps tags unique (ignoring case) and sorted.
  after.tags = [...new Map(after.tags.map((tag) => [tag.toLowerCase(), tag])).values()].sort();
  shop.customers[gid] = after;
  return after;
}

/** The webhook topics of a change from `before` to `after`, most general first. */
export function topicsOfChange(before: Customer | undefined, after: Customer): string[] {
  if (!before) return ["customers/create"];
  const topics = ["customers/update"];
  if (addedTags(before, after).length > 0) topics.push("customer.tags_added");
  if (addedTags(after, before).length > 0) topics.push("customer.tags_removed");
  if (before.emailMarketingState !== after.emailMarketingState)
    topics.push("customers_email_marketing_consent/update");
  if (before.smsMarketingState !== after.smsMarketingState)
    topics.push("customers_marketing_consent/update");
  if (before.numberOfOrders !== after.numberOfOrders || before.amountSpent !== after.amountSpent)
    topics.push("customers/purchasing_summary");
  return topics;
}

export function addedTags(before: Customer, after: Customer): string[] {
  return after.tags.filter((tag) => !before.tags.includes(tag));
}

function allocateGid(shop: ShopState): string {
  const id = BigInt(shop.nextCustomerId);
  shop.nextCustomerId = String(id + CUSTOMER_ID_STEP);
  return `gid://shopify/Customer/${id}`;
}

function blankCustomer(gid: string, now: string): Customer {
  return {
    gid,
    createdAt: now,
    updatedAt: now,
    firstName: null,
    lastName: null,
    email: null,
    phone: null,
    locale: "en",
    state: "DISABLED",
    note: null,
    tags: [],
    verifiedEmail: true,
    numberOfOrders: "0",
    amountSpent: "0.0",
    countryCode: null,
    emailMarketingState: "NOT_SUBSCRIBED",
    emailMarketingUpdatedAt: null,
    smsMarketingState: "NOT_SUBSCRIBED",
    smsMarketingUpdatedAt: null,
    metafields: [],
  };
}
