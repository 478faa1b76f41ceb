// What makes two deliveries of the storefront's webhooks the same one, and the ids of the events that they make.
import { hash } from "node:crypto";
import { z } from "zod";
import {
  NumberedPayload,
  parseWithExactIds,
} from "../../../integrations/storefront/payload-ids.ts";
import { derivedEventId } from "../../bus/enqueue.ts";

/**
 * The identity of a delivery. Two subscriptions for a topic send two deliveries of one event with
 * different delivery ids (shopify.dev "Ignore duplicate webhooks"), so the event id and what the
 * payload is about decide; the delivery id only when there is no event id.
 */
export type DeliveryIdentity = {
  topic: string;
  deliveryId: string;
  storefrontEventId: string | null;
};

/** A text that is the same for equal identities of a batch. */
export const identityKey = (
  shop: string,
  { topic, deliveryId, storefrontEventId }: DeliveryIdentity,
): string =>
  storefrontEventId === null
    ? `${shop} delivery ${deliveryId}`
    : `${shop} event ${topic} ${storefrontEventId}`;

/**
 * The bus event that a delivery to `/webhooks/*` makes. `whole`: the complete change of this webhook;
 * `payload`: its own part, until the rest can be fetched.
 */
export type InboxStep = "whole" | "payload" | "order";
export const inboxEventId = (shop: string, deliveryId: string, step: InboxStep): string =>
  derivedEventId(5, `${shop}\n${deliveryId}\n${step}`);

const MAX_ID = 200;

/** A delivery's content as it was sent, and as it was parsed. */
export type DeliveryContent = { text: string; body: unknown };

/**
 * Reads the identity from the delivery's headers. Without ids, the hash of the content is the
 * identity.
 */
export function toDeliveryIdentity(
  topic: string,
  content: DeliveryContent,
  named: { deliveryId: string | undefined; storefrontEventId: string | undefined },
): DeliveryIdentity {
  return {
    topic,
    deliveryId:
      named.deliveryId?.slice(0, MAX_ID) ?? `sha256:${hash("sha256", `${topic}\n${content.text}`)}`,
    storefrontEventId: named.storefrontEventId
      ? `${named.storefrontEventId.slice(0, MAX_ID)}${subjectOf(content)}`
      : null,
  };
}

const GID = z.string().regex(/^gid:\/\/shopify\/\w+\/\d{1,20}$/);
const Subject = z.object({
  admin_graphql_api_customer_deleted_id: GID.optional().catch(undefined),
  admin_graphql_api_id: GID.optional().catch(undefined),
  customerId: GID.optional().catch(undefined),
});

/**
 * One action of a merchant's on several customers or orders has one event id (shopify.dev "Webhook
 * headers"), so the number that the payload is about belongs to the event's identity. Two subscriptions
 * may name it differently, by gid or number.
 */
function subjectOf({ text, body }: DeliveryContent): string {
  const { data } = Subject.safeParse(body);
  const gid =
    data?.admin_graphql_api_customer_deleted_id ?? data?.admin_graphql_api_id ?? data?.customerId;
  if (gid) return `/${gid.slice(gid.lastIndexOf("/") + 1)}`;
  const named = NumberedPayload.parse(parseWithExactIds(text));
  const number = named.id ?? named.customer_id ?? named.customerId;
  return number ? `/${number}` : "";
}
