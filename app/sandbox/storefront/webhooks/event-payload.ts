/** The body of a webhook, as text: what a test passes, or what the store's state says. */
import { putCustomer } from "../customers.ts";
import { shownCustomer } from "../graphql/protected-data.ts";
import type { Customer, ShopState } from "../state.ts";
import { buildPayload, type PayloadVersion } from "./payloads.ts";

type PayloadParts = {
  shop: ShopState;
  topic: string;
  /**
   * A customer gid (the payload is built from its state), a ready JSON text, an object, or nothing for shop
   * topics.
   */
  what: unknown;
  version: PayloadVersion;
  tags: string[] | undefined;
};

export function eventPayload({ shop, topic, what, version, tags }: PayloadParts): string {
  if (typeof what === "string" && !what.startsWith("gid://")) return what;
  if (typeof what === "object" && what !== null) return JSON.stringify(what);
  const stored =
    typeof what === "string" ? (shop.customers[what] ?? deletedCustomer(what)) : undefined;
  // A privacy request names its customer to every app.
  const isRequest = topic === "customers/data_request" || topic === "customers/redact";
  const customer = stored && !isRequest ? shownCustomer(shop, stored) : stored;
  return buildPayload(topic, { shop, customer, version, ...(tags && { tags }) });
}

/** After a deletion the platform still sends the customer's id, and nothing else. */
function deletedCustomer(gid: string): Customer {
  return putCustomer({ customers: {} } as ShopState, { gid, createdAt: new Date(0).toISOString() });
}
