// The effect of each storefront webhook. Handling one twice changes nothing the second time.
import { z } from "zod";
import type { Ctx } from "../../../context.server.ts";
import type { Columns, StorefrontUser } from "../../../db.server.ts";
import {
  gidOf,
  NumberedPayload,
  parseWithExactIds,
  PayloadId,
} from "../../../integrations/storefront/payload-ids.ts";
import { replaceUnstorable } from "../../../runtime/database/storable-json.ts";
import { isAppError, OutboundError } from "../../../runtime/errors.ts";
import { enqueue } from "../../bus/enqueue.ts";
import { subjectMarks } from "../../bus/ledger-subjects.ts";
import { routeEvent } from "../../bus/routing.ts";
import { toSlug } from "../../tags/catalog.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import type { WebhookTopic } from "../../tenants/storefront/webhook-topics.ts";
import {
  completeChange,
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
import { applyStorefrontChange } from "../from-storefront.ts";
import { canRefetch, fetchCustomer } from "../refetch.ts";
import { onScopesUpdated, onShopUpdated, onUninstalled } from "./store-webhooks.ts";
import {
  changedAt,
  DONE,
  ignored,
  type Handled,
  type Webhook,
  type WebhookFollowers,
} from "./webhook.ts";
import { inboxEventId, type InboxStep } from "./delivery-identity.ts";
import type { InboxItem } from "./webhook-inbox.ts";
import { enqueueWelcome } from "./welcome.ts";

const gid = z.string().regex(CUSTOMER_GID);
const when = z.iso.datetime({ offset: true }).nullish();

/** The customer that a payload names, by gid or number: the topics differ in how. */
function customerOf({ payload }: Webhook): string | null {
  const named = z.looseObject({ customerId: gid }).safeParse(payload);
  if (named.success) return named.data.customerId;
  const { customerId, customer_id, id } = NumberedPayload.parse(payload);
  return gidOf("Customer", customerId ?? customer_id ?? id);
}

/** The delivery id is the event id on the bus: a repeated run enqueues nothing new. */
function eventIdOf({ tenant, item }: Webhook, step: InboxStep): string {
  if (item.eventId && step === "whole") return item.eventId;
  return inboxEventId(tenant.shop, item.deliveryId, step);
}

async function apply(webhook: Webhook, change: CustomerChange, step: InboxStep): Promise<Handled> {
  const { ctx, tenant, item } = webhook;
  const eventId = eventIdOf(webhook, step);
  const isNew = item.topic === "customers/create";
  const applied = await applyStorefrontChange(ctx, tenant, change, {
    eventId,
    eventType: isNew ? "customer.created" : "customer.updated",
    ...(isNew && {
      alsoOnCreate: (userId, sql) => enqueueWelcome(webhook, sql, userId, eventId),
    }),
  });
  const isUnsettled = "hasUnsettledTags" in applied && applied.hasUnsettledTags;
  if (isUnsettled && isFirstAttempt(webhook) && canRefetch(tenant)) throw new UnsettledTags();
  return { outcome: applied.outcome };
}

/** The change is applied but for its tags; the inbox's next attempt reads those again. */
class UnsettledTags extends Error {
  override message = "the tags may be older than our own write of the same second";
}
const isFirstAttempt = ({ item }: Webhook): boolean => item.attempts === 0;

/**
 * Applies `change`, completed with the storefront's current state. When the storefront cannot be
 * called, the webhook's own content is applied at once and the error is thrown, so that the inbox
 * completes it later. `unknown`: what that content does for a customer who has no account here.
 */
async function applyCompleted(
  webhook: Webhook,
  change: CustomerChange,
  { unknown }: { unknown: "create" | "ignore" },
): Promise<Handled> {
  const { ctx, tenant } = webhook;
  const applyPayload = async (step: InboxStep) =>
    unknown === "create" || (await isKnown(webhook, change.gid))
      ? apply(webhook, change, step)
      : ignored("unknown_customer");
  if (!canRefetch(tenant)) return applyPayload("whole");
  try {
    const fetched = await fetchCustomer(ctx, tenant, change.gid);
    // Deletions have their own topic and leave a tombstone; a customer that the API does not return
    // is not proof of a deletion.
    if (!fetched) return await applyPayload("whole");
    const whole = completeChange(change, fetched);
    return await apply(webhook, whole, "whole");
  } catch (error) {
    if (error instanceof UnsettledTags) throw error;
    const handled = await applyPayload("payload");
    if (!isLasting(error)) throw error;
    ctx.log.warn("customer.not_completed", {
      shop: tenant.shop,
      reason: (error as Error).message,
    });
    return handled;
  }
}

/** The store refuses the call, or the app has no access: anything else may succeed at the inbox's next attempt. */
const isLasting = (error: unknown): boolean =>
  error instanceof OutboundError ? !error.retryable : isAppError(error);

/** The platform has no customer without name, address and number: such a payload withholds them. */
const mayBeWithheld = ({ connection }: Tenant, change: CustomerChange): boolean =>
  connection.withheld_data !== undefined ||
  [change.email, change.first_name, change.last_name, change.phone].every(
    (value) => value === null,
  );

async function onCustomer(webhook: Webhook): Promise<Handled> {
  const { item } = webhook;
  const parsed = parseRestCustomer(webhook.payload, item.triggeredAt, item.receivedAt);
  if (!parsed) return ignored("unreadable_payload");
  const change = mayBeWithheld(webhook.tenant, parsed) ? withoutEmptyFields(parsed) : parsed;
  return isPartial(change) || !isFirstAttempt(webhook)
    ? applyCompleted(webhook, change, { unknown: "create" })
    : apply(webhook, change, "whole");
}

async function onCustomerDeleted({ ctx, tenant, payload }: Webhook): Promise<Handled> {
  const named = z.looseObject({ admin_graphql_api_id: gid }).safeParse(payload);
  const customerGid = named.success
    ? named.data.admin_graphql_api_id
    : gidOf("Customer", NumberedPayload.parse(payload).id);
  if (!customerGid) return ignored("unreadable_payload");
  await forgetStorefrontCustomer(ctx, tenant, customerGid);
  return DONE;
}

async function onCustomersMerged({ ctx, tenant, payload }: Webhook): Promise<Handled> {
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
async function onTagsChanged(webhook: Webhook): Promise<Handled> {
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

async function onPurchasingSummary(webhook: Webhook): Promise<Handled> {
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
async function onMarketingConsent(webhook: Webhook): Promise<Handled> {
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

/**
 * Puts an order on the bus, unless it arrived by the bus. Safe to repeat: the event's id is made
 * from the delivery's id.
 */
async function enqueueOrder(webhook: Webhook): Promise<Handled> {
  const { ctx, tenant, item } = webhook;
  const order = z
    .looseObject({ admin_graphql_api_id: z.string().max(300).nullish(), updated_at: when })
    .safeParse(webhook.payload);
  const orderGid =
    order.data?.admin_graphql_api_id ?? gidOf("Order", NumberedPayload.parse(webhook.payload).id);
  if (!order.success || !orderGid) return ignored("unreadable_payload");
  if (item.eventId) return DONE;
  const event = { eventType: "order.created", entityType: "order" };
  const { destinations, priority } = routeEvent(ctx, tenant, event);
  await enqueue(dataOf(ctx, tenant).sql, {
    ...event,
    eventId: eventIdOf(webhook, "order"),
    source: "storefront",
    entityId: orderGid,
    payload: order.data,
    occurredAt: changedAt(webhook, order.data.updated_at),
    destinations,
    subjects: subjectMarks(ctx, tenant.shop, item.body),
    ...(priority !== undefined && { priority }),
  });
  return DONE;
}

/** A new order is routed as the store's orders are, and changes its customer's totals. */
async function onOrder(webhook: Webhook): Promise<Handled> {
  const order = await enqueueOrder(webhook);
  await webhook.followers.order?.(webhook.ctx, webhook.tenant, webhook.payload);
  const parsed = z
    .looseObject({
      customer: z
        .looseObject({ admin_graphql_api_id: gid.nullish().catch(null), id: PayloadId })
        .nullish(),
    })
    .safeParse(webhook.payload);
  const customer = parsed.data?.customer;
  const customerGid = customer?.admin_graphql_api_id ?? gidOf("Customer", customer?.id);
  if (!customerGid || !canRefetch(webhook.tenant)) return order;
  const change = { gid: customerGid, changedAt: changedAt(webhook) };
  const applied = await applyCompleted(webhook, change, { unknown: "ignore" });
  return applied.outcome === "ignored" ? order : applied;
}

/**
 * A webhook with a part of a customer does not create an account; an unknown customer is fetched
 * whole.
 */
async function applyToKnown(webhook: Webhook, change: CustomerChange): Promise<Handled> {
  return (await isKnown(webhook, change.gid))
    ? apply(webhook, change, "whole")
    : applyCompleted(webhook, change, { unknown: "ignore" });
}

async function isKnown({ ctx, tenant }: Webhook, customerGid: string): Promise<boolean> {
  const known = await dataOf(ctx, tenant).prisma.storefrontUser.findFirst({
    select: { id: true },
    where: { storefront_customer_gid: customerGid },
  });
  return known !== null;
}

const HANDLERS: Record<WebhookTopic, (webhook: Webhook) => Promise<Handled>> = {
  "customers/create": onCustomer,
  "customers/update": onCustomer,
  "customers/delete": onCustomerDeleted,
  "customers/merge": onCustomersMerged,
  "customer.tags_added": onTagsChanged,
  "customer.tags_removed": onTagsChanged,
  "customers/purchasing_summary": onPurchasingSummary,
  "customers_email_marketing_consent/update": onMarketingConsent,
  "customers_marketing_consent/update": onMarketingConsent,
  "orders/create": onOrder,
  "shop/update": onShopUpdated,
  "app/uninstalled": onUninstalled,
  "app/scopes_update": onScopesUpdated,
};

export async function handleWebhook(
  ctx: Ctx,
  tenant: Tenant,
  item: InboxItem,
  followers: WebhookFollowers,
): Promise<Handled> {
  return HANDLERS[item.topic]({
    ctx,
    tenant,
    item,
    followers,
    payload: replaceUnstorable({ text: item.body, json: parseWithExactIds(item.body) }),
  });
}
