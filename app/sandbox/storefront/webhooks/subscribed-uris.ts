/** Where a webhook goes: the addresses that the app's manifest and the app itself subscribed. */
import type { ShopState } from "../state.ts";
import type { SandboxApp } from "../storefront.ts";
import { topicEnum } from "./delivery.ts";

/** What the app's manifest subscribes to for every store, at addresses below the app's own. */
const MANIFEST_PATHS: Record<string, string> = {
  "app/uninstalled": "/webhooks/app-uninstalled",
  "app/scopes_update": "/webhooks/app-scopes-update",
  "customers/data_request": "/gdpr/data-request",
  "customers/redact": "/gdpr/customer-redact",
  "shop/redact": "/gdpr/shop-redact",
};

/** One address per subscription: a topic that the manifest and the API both subscribe comes twice. */
export function subscribedUris(app: SandboxApp, shop: ShopState, topic: string): string[] {
  const manifestPath = MANIFEST_PATHS[topic];
  const ofApi = shop.subscriptions.filter(
    (subscription) => subscription.topic === topicEnum(topic),
  );
  return [
    ...(manifestPath ? [new URL(manifestPath, app.url()).href] : []),
    ...ofApi.map(({ uri }) => uri),
  ];
}
