// Deliveries that send nothing: the message with its reason, and the result that the log shows.
import {
  NO_METHOD,
  type DeliveryMessage,
  type DeliveryResult,
  type QueueItem,
} from "../bus/channel.ts";
import { CUSTOMER_GONE } from "../bus/outcome.ts";
import { readPerson } from "./item-customer.ts";

/** An empty message with the reason. */
export const nothingToSend = (endpoint: string, reason: string) => ({
  transformed_payload: { skipped: reason },
  delivery_config: { method: NO_METHOD, endpoint, credentials_key: null },
});
export const isNothing = (message: DeliveryMessage) => message.delivery_config.method === NO_METHOD;
export const skipOf = ({ transformed_payload: { skipped } }: DeliveryMessage): DeliveryResult => ({
  httpStatus: null,
  skipped: typeof skipped === "string" ? skipped : "there is nothing to deliver",
});

/** The results about a customer who was deleted, and about one whom nobody here knows. */
export const GONE = { httpStatus: null, skipped: CUSTOMER_GONE } as const;
export const UNKNOWN = { httpStatus: null, skipped: "no such customer" } as const;

/**
 * The message when no customer was found. One whom the service named was deleted; one whom another
 * system named may never have existed.
 */
export const nothingForMissing = (item: QueueItem, endpoint: string) =>
  nothingToSend(endpoint, (readPerson(item).userId === null ? UNKNOWN : GONE).skipped);
