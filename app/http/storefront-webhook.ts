// From a signed request to an inbox row: which topic, which delivery, when it was triggered, and whether body and header
// agree on the shop.
import {
  receiveWebhook,
  toDeliveryIdentity,
  type DeliveryIdentity,
} from "../domain/customers/webhook-inbox.ts";
import { findTopicBySlug } from "../domain/tenants/webhook-topics.ts";
import { AppError } from "../runtime/errors.ts";
import type { Call } from "./endpoint.ts";
import type { Inbound } from "./inbound.ts";

/** The contract's header family and the platform's, the first one first. */
export function storefrontHeader(
  inbound: Inbound,
  name: "webhook-id" | "event-id" | "triggered-at" | "shop-domain" | "topic",
): string | undefined {
  return inbound.header(`x-storefront-${name}`) ?? inbound.header(`x-shopify-${name}`);
}

/** What the delivery is known by, from its headers. */
export const deliveryIdentity = (inbound: Inbound, topic: string, text: string): DeliveryIdentity =>
  toDeliveryIdentity(topic, text, {
    deliveryId: storefrontHeader(inbound, "webhook-id"),
    storefrontEventId: storefrontHeader(inbound, "event-id"),
  });

type WebhookCall = Pick<
  Call<"hmac", "registered", unknown, unknown>,
  "ctx" | "inbound" | "tenant" | "params" | "body" | "raw" | "note"
>;

export async function receiveStorefrontWebhook({
  ctx,
  inbound,
  tenant,
  params,
  body,
  raw,
  note,
}: WebhookCall): Promise<{ ok: true; deduplicated?: true }> {
  const topic = findTopicBySlug(params.topic);
  if (!topic) throw new AppError("not_found");
  requireSameShop(inbound, tenant.shop, body);
  const triggered = new Date(storefrontHeader(inbound, "triggered-at") ?? Number.NaN);
  const text = raw.toString("utf8");
  const isNew = await receiveWebhook(ctx, tenant, {
    ...deliveryIdentity(inbound, topic, text),
    topic,
    triggeredAt: Number.isNaN(triggered.getTime()) ? null : triggered,
    body: text,
  });
  note({ topic, is_new: isNew });
  return isNew ? { ok: true } : { ok: true, deduplicated: true };
}

/** The signature covers the body alone, so a header that names another shop than the body is a replay elsewhere. */
export function requireSameShop(inbound: Inbound, shop: string, body: unknown): void {
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw new AppError("invalid_request", { message: "The body must be a JSON object." });
  const { shop_domain: domain, myshopify_domain: permanent } = body as Record<string, unknown>;
  const named = [domain, permanent, storefrontHeader(inbound, "shop-domain")].filter(
    (value) => typeof value === "string",
  );
  if (named.some((value) => value !== shop))
    throw new AppError("invalid_signature", {
      message: "The body and the request name different stores.",
    });
}
