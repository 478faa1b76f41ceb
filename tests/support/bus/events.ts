// Events as their sources send them.
import { createHash, randomUUID } from "node:crypto";
import { SHOP, sign, type Answer, type Service } from "../service.ts";

export const ERP_TOKEN = "erp-inbound-token-0123456789";
export const TENANT_KEY = "tenant-admin-key-0123456789";
export const BACKEND_SECRET = "test-worker-secret-0123456789";
export const BACKEND_KEY = "test-backend-key-0123456789";

let made = 0;

/** An order with a new id. */
export function order(fields: Record<string, unknown> = {}): Record<string, unknown> {
  made += 1;
  return {
    source: "manual",
    event_type: "order.created",
    entity_id: `gid://shopify/Order/${9_007_199_254_740_993n + BigInt(made)}`,
    timestamp: "2026-11-21T10:00:00Z",
    payload: { name: `#${made}`, total_price: "12.50" },
    ...fields,
  };
}

export function unit(
  eventType: string,
  fields: Record<string, unknown> = {},
): Record<string, unknown> {
  made += 1;
  return {
    source: "wms",
    event_type: eventType,
    timestamp: "2026-11-21T10:00:00Z",
    payload: { mpn: "MPN-1", serial: `SN-${made}`, location_code: "DUS-1", ...fields },
  };
}

export const keyOf = (source: string, entityId: string, eventType: string, timestamp: string) =>
  createHash("sha256").update(`${source}:${entityId}:${eventType}:${timestamp}`).digest("hex");

type Options = {
  shop?: string | null;
  query?: string;
  headers?: Record<string, string>;
  key?: string | null;
};

/** With the operator's key by default. */
export function ingest(
  service: Service,
  body: unknown,
  { shop = SHOP, query = "", headers = {}, key }: Options = {},
): Promise<Answer> {
  return service.call("POST", `/events/ingest?${shop ? `shop=${shop}` : ""}${query}`, {
    body,
    headers,
    ...(key !== undefined && { key }),
  });
}

/** A storefront webhook sent to the bus: signed over exactly these bytes. */
export function ingestWebhook(
  service: Service,
  topic: string,
  payload: unknown,
  {
    shop = SHOP,
    headers = {},
    secret,
  }: { shop?: string; headers?: Record<string, string>; secret?: string } = {},
): Promise<Answer> {
  const raw = JSON.stringify(payload);
  return service.call("POST", "/events/ingest?source=storefront", {
    body: raw,
    key: null,
    headers: {
      "X-Storefront-Hmac-SHA256": sign(raw, secret),
      "X-Storefront-Shop-Domain": shop,
      "X-Storefront-Topic": topic,
      "X-Storefront-Webhook-Id": randomUUID(),
      "X-Storefront-Triggered-At": "2026-11-21T10:00:00.123Z",
      ...headers,
    },
  });
}

export function deliver(
  service: Service,
  message: Record<string, unknown>,
  { headers, query = "" }: { headers?: Record<string, string>; query?: string } = {},
): Promise<Answer> {
  return service.call("POST", `/events/deliver${query}`, {
    body: message,
    key: null,
    headers: headers ?? { "x-backend-webhook-secret": BACKEND_SECRET },
  });
}
