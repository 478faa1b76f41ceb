// Applies the customer that a storefront webhook shows, completed from the storefront where it shows
// only a part.
import { isAppError, OutboundError } from "../../../runtime/errors.ts";
import { dataOf } from "../../tenants/tenant.ts";
import { completeChange, type CustomerChange } from "../customer-change.ts";
import { applyStorefrontChange } from "../from-storefront.ts";
import { canRefetch, fetchCustomer } from "../refetch.ts";
import { inboxEventId, type InboxStep } from "./delivery-identity.ts";
import { ignored, type Handled, type Webhook } from "./webhook.ts";
import { enqueueWelcome } from "./welcome.ts";

/** The delivery id is the event id on the bus: a repeated run enqueues nothing new. */
export function eventIdOf({ tenant, item }: Webhook, step: InboxStep): string {
  if (item.eventId && step === "whole") return item.eventId;
  return inboxEventId(tenant.shop, item.deliveryId, step);
}

export async function apply(
  webhook: Webhook,
  change: CustomerChange,
  step: InboxStep,
): Promise<Handled> {
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
export const isFirstAttempt = ({ item }: Webhook): boolean => item.attempts === 0;

/**
 * Applies `change`, completed with the storefront's current state. When the storefront cannot be
 * called, the webhook's own content is applied at once and the error is thrown, so that the inbox
 * completes it later. `unknown`: what that content does for a customer who has no account here.
 */
export async function applyCompleted(
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
    const fetched = await fetchCustomer(ctx, tenant, change.gid, change.changedAt);
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

/**
 * A webhook with a part of a customer does not create an account; an unknown customer is fetched
 * whole.
 */
export async function applyToKnown(webhook: Webhook, change: CustomerChange): Promise<Handled> {
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
