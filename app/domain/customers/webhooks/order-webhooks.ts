// The effect of the webhook of a new order.
import { z } from "zod";
import { gidOf, NumberedPayload, PayloadId } from "../../../integrations/storefront/payload-ids.ts";
import { enqueue } from "../../bus/enqueue.ts";
import { subjectMarks } from "../../bus/ledger-subjects.ts";
import { routeEvent } from "../../bus/routing.ts";
import { dataOf } from "../../tenants/tenant.ts";
import { CUSTOMER_GID } from "../customer-change.ts";
import { canRefetch } from "../refetch.ts";
import { applyCompleted, eventIdOf } from "./apply-webhook.ts";
import { changedAt, DONE, ignored, type Handled, type Webhook } from "./webhook.ts";

/**
 * Puts an order on the bus, unless it arrived by the bus. Safe to repeat: the event's id is made
 * from the delivery's id.
 */
async function enqueueOrder(webhook: Webhook): Promise<Handled> {
  const { ctx, tenant, item } = webhook;
  const order = z
    .looseObject({
      admin_graphql_api_id: z.string().max(300).nullish(),
      updated_at: z.iso.datetime({ offset: true }).nullish(),
    })
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
export async function onOrder(webhook: Webhook): Promise<Handled> {
  const order = await enqueueOrder(webhook);
  await webhook.followers.order?.(webhook.ctx, webhook.tenant, webhook.payload);
  const parsed = z
    .looseObject({
      customer: z
        .looseObject({
          admin_graphql_api_id: z.string().regex(CUSTOMER_GID).nullish().catch(null),
          id: PayloadId,
        })
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
