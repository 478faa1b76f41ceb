// Reads a signed request for its inbox row: the topic, the delivery, the trigger time, and whether
// body and header name the same shop.
import {
  toDeliveryIdentity,
  type DeliveryContent,
  type DeliveryIdentity,
} from "../../domain/customers/webhooks/delivery-identity.ts";
import { receiveWebhook } from "../../domain/customers/webhooks/receive-webhook.ts";
import { parseEventTime } from "../../domain/events/event-time.ts";
import { findTopicBySlug } from "../../domain/tenants/storefront/webhook-topics.ts";
import { AppError } from "../../runtime/errors.ts";
import type { Call } from "../endpoint.ts";
import type { ApiRequest } from "../api-request.ts";

/** The contract's header family and the platform's, in order of precedence. */
export function storefrontHeader(
  request: ApiRequest,
  name: "webhook-id" | "event-id" | "triggered-at" | "shop-domain" | "topic",
): string | undefined {
  return request.header(`x-storefront-${name}`) ?? request.header(`x-shopify-${name}`);
}

/** The delivery's identity, from its headers. */
export const deliveryIdentity = (
  request: ApiRequest,
  topic: string,
  content: DeliveryContent,
): DeliveryIdentity =>
  toDeliveryIdentity(topic, content, {
    deliveryId: storefrontHeader(request, "webhook-id"),
    storefrontEventId: storefrontHeader(request, "event-id"),
  });

type WebhookCall = Pick<
  Call<"hmac", "registered", unknown, unknown>,
  "ctx" | "request" | "tenant" | "params" | "body" | "raw" | "note"
>;

export async function receiveStorefrontWebhook({
  ctx,
  request,
  tenant,
  params,
  body,
  raw,
  note,
}: WebhookCall): Promise<{ ok: true; deduplicated?: true }> {
  const topic = findTopicBySlug(params.topic);
  if (!topic) throw new AppError("not_found");
  requireSameShop(request, tenant.shop, body);
  const text = raw.toString("utf8");
  const isNew = await receiveWebhook(ctx, tenant, {
    ...deliveryIdentity(request, topic, { text, body }),
    topic,
    triggeredAt: parseEventTime(storefrontHeader(request, "triggered-at")),
    body: text,
  });
  note({ topic, is_new: isNew });
  return isNew ? { ok: true } : { ok: true, deduplicated: true };
}

/**
 * The signature covers the body only, so a header with another shop than the body's is a replay
 * against another store.
 */
export function requireSameShop(
  request: ApiRequest,
  shop: string,
  body: unknown,
  details?: { method: string },
): void {
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw new AppError("invalid_request", { message: "The body must be a JSON object." });
  // The last is of another signed body of the platform, which must not pass for one of these.
  const fields = ["shop_domain", "myshopify_domain", "shopify_domain"];
  const inBody = fields.map((field) => (body as Record<string, unknown>)[field]);
  const named = [...inBody, storefrontHeader(request, "shop-domain")].filter(
    (value) => typeof value === "string",
  );
  if (named.some((value) => value !== shop))
    throw new AppError("invalid_signature", {
      message: "The body and the request name different stores.",
      ...(details && { details }),
    });
}
