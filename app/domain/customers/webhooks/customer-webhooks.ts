// The effect of each webhook about a customer.
import { z } from "zod";
import type { Columns, StorefrontUser } from "../../../db.server.ts";
import { gidOf, NumberedPayload } from "../../../integrations/storefront/payload-ids.ts";
import { toSlug } from "../../tags/catalog.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import {
  count,
  CUSTOMER_GID,
  isPartial,
  marketingState,
  money,
  parseRestCustomer,
  withoutEmptyFields,
  type CustomerChange,
} from "../customer-change.ts";
import { forgetStorefrontCustomer, mergeStorefrontCustomers } from "../deleted-customers.ts";
import { apply, applyCompleted, applyToKnown, isFirstAttempt } from "./apply-webhook.ts";
import { changedAt, DONE, ignored, type Handled, type Webhook } from "./webhook.ts";

const gid = z.string().regex(CUSTOMER_GID);
const when = z.iso.datetime({ offset: true }).nullish();

/** The customer that a payload names, by gid or number: the topics differ in how. */
function customerOf({ payload }: Webhook): string | null {
  const named = z.looseObject({ customerId: gid }).safeParse(payload);
  if (named.success) return named.data.customerId;
  const { customerId, customer_id, id } = NumberedPayload.parse(payload);
  return gidOf("Customer", customerId ?? customer_id ?? id);
}

/** The platform has no customer without name, address and number: such a payload withholds them. */
const mayBeWithheld = ({ connection }: Tenant, change: CustomerChange): boolean =>
  connection.withheld_data !== undefined ||
  [change.email, change.first_name, change.last_name, change.phone].every(
    (value) => value === null,
  );

export async function onCustomer(webhook: Webhook): Promise<Handled> {
  const { item } = webhook;
  const parsed = parseRestCustomer(webhook.payload, item.triggeredAt, item.receivedAt);
  if (!parsed) return ignored("unreadable_payload");
  const change = mayBeWithheld(webhook.tenant, parsed) ? withoutEmptyFields(parsed) : parsed;
  return isPartial(change) || !isFirstAttempt(webhook)
    ? applyCompleted(webhook, change, { unknown: "create" })
    : apply(webhook, change, "whole");
}

export async function onCustomerDeleted({ ctx, tenant, payload }: Webhook): Promise<Handled> {
  const named = z.looseObject({ admin_graphql_api_id: gid }).safeParse(payload);
  const customerGid = named.success
    ? named.data.admin_graphql_api_id
    : gidOf("Customer", NumberedPayload.parse(payload).id);
  if (!customerGid) return ignored("unreadable_payload");
  await forgetStorefrontCustomer(ctx, tenant, customerGid);
  return DONE;
}

export async function onCustomersMerged({ ctx, tenant, payload }: Webhook): Promise<Handled> {
  const merge = z
    .looseObject({
      admin_graphql_api_customer_kept_id: gid,
      admin_graphql_api_customer_deleted_id: gid,
      status: z.string().optional(),
    })
    .safeParse(payload);
  if (!merge.success) return ignored("unreadable_payload");
  if (merge.data.status === "failed") return ignored("merge_failed");
  await mergeStorefrontCustomers(
    ctx,
    tenant,
    merge.data.admin_graphql_api_customer_kept_id,
    merge.data.admin_graphql_api_customer_deleted_id,
  );
  return DONE;
}

// The mirror already contains our pending writes: the storefront's own list lacks pending additions
// and still has pending removals.
const STOREFRONT_SIDE = `
  SELECT u.tags, u.storefront_slugs, ARRAY(
    SELECT t.slug FROM user_tag_map m JOIN crm_tags t ON t.shop = m.shop AND t.id = m.tag_id
    WHERE m.shop = u.shop AND m.user_id = u.id AND NOT u.storefront_slugs ? t.slug
  ) AS pending
  FROM storefront_users u WHERE u.shop = $1 AND u.storefront_customer_gid = $2`;

/**
 * Deltas that arrive out of order corrupt a list, so the list is fetched; the delta counts only
 * when the fetch fails.
 */
export async function onTagsChanged(webhook: Webhook): Promise<Handled> {
  const { ctx, tenant, item } = webhook;
  const parsed = z
    .looseObject({ tags: z.array(z.string().max(300)).max(1_000).nullish(), occurredAt: when })
    .safeParse(webhook.payload);
  const customerGid = customerOf(webhook);
  if (!parsed.success || !customerGid) return ignored("unreadable_payload");
  const { tags } = parsed.data;
  const change: CustomerChange = {
    gid: customerGid,
    changedAt: changedAt(webhook, parsed.data.occurredAt),
  };
  const [user] = await dataOf(ctx, tenant).sql<
    Columns<StorefrontUser, "tags" | "storefront_slugs"> & {
      tags: string[];
      storefront_slugs: string[];
      pending: string[];
    }
  >(STOREFRONT_SIDE, [change.gid]);
  if (user && tags) {
    const named = new Set(tags.map((tag) => tag.toLowerCase()));
    const listed = new Set(user.tags.map(toSlug));
    const there = [
      ...user.tags,
      ...user.storefront_slugs.filter((slug) => !listed.has(slug)),
    ].filter((tag) => !user.pending.includes(tag));
    const others = there.filter((tag) => !named.has(tag.toLowerCase()));
    change.tags = item.topic === "customer.tags_added" ? [...others, ...tags] : others;
  }
  return applyCompleted(webhook, change, { unknown: "ignore" });
}

export async function onPurchasingSummary(webhook: Webhook): Promise<Handled> {
  const Summary = z.looseObject({
    numberOfOrders: count.pipe(z.number().int().min(0).nullish()),
    amountSpent: z.looseObject({ amount: money }).nullish(),
    occurredAt: when,
  });
  const parsed = Summary.safeParse(webhook.payload);
  const customerGid = customerOf(webhook);
  if (!parsed.success || !customerGid) return ignored("unreadable_payload");
  const { numberOfOrders: orders, amountSpent, occurredAt } = parsed.data;
  const spent = amountSpent?.amount;
  const change: CustomerChange = {
    gid: customerGid,
    changedAt: changedAt(webhook, occurredAt),
    number_of_orders: orders ?? undefined,
    amount_spent: spent ?? undefined,
  };
  const isWhole = change.number_of_orders !== undefined && change.amount_spent !== undefined;
  return isWhole
    ? applyToKnown(webhook, change)
    : applyCompleted(webhook, change, { unknown: "ignore" });
}

/** The two marketing-consent topics name the customer by a number under different keys. */
export async function onMarketingConsent(webhook: Webhook): Promise<Handled> {
  const isEmail = webhook.item.topic === "customers_email_marketing_consent/update";
  const state = z.looseObject({ state: marketingState });
  const parsed = z
    .looseObject({
      email_marketing_consent: state.nullish(),
      sms_marketing_consent: state.nullish(),
    })
    .safeParse(webhook.payload);
  const customerGid = customerOf(webhook);
  if (!parsed.success || !customerGid) return ignored("unreadable_payload");
  const claimed = isEmail
    ? parsed.data.email_marketing_consent?.state
    : parsed.data.sms_marketing_consent?.state;
  if (claimed === undefined || claimed === null) return ignored("no_consent_state");
  return applyToKnown(webhook, {
    gid: customerGid,
    changedAt: changedAt(webhook),
    [isEmail ? "email_subscription_status" : "sms_subscription_status"]: claimed,
  });
}
