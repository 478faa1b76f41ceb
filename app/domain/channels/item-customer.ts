// The person a queue row points at, read when the channel runs.
import { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import { NO_METHOD, PermanentFailure, type QueueItem } from "../bus/channel.ts";
import { findCustomerSnapshot, type CustomerSnapshot } from "../customers/customer-snapshot.ts";
import type { Tenant } from "../tenants/tenant.ts";

const Reference = z.looseObject({ user_id: z.number().int() });

/** The id a queue row refers to. */
export function userIdOf(item: QueueItem): number {
  const reference = Reference.safeParse(item.payload);
  if (!reference.success) throw new PermanentFailure("the payload names no user_id");
  return reference.data.user_id;
}

/** Null when the person was deleted since: then there is nothing to send. */
export async function findItemCustomer(ctx: Ctx, item: QueueItem, tenant: Tenant): Promise<CustomerSnapshot | null> {
  if (item.entityType !== "customer") throw new PermanentFailure(`${item.channel} takes customers, not ${item.entityType}`);
  const customer = await findCustomerSnapshot(ctx, tenant, userIdOf(item));
  return customer && customer.status !== "deleted" ? customer : null;
}

/** The message of an item whose subject is gone. */
export const nothingToSend = (endpoint: string) => ({ transformed_payload: {}, delivery_config: { method: NO_METHOD, endpoint, credentials_key: null } });
export const isNothing = (message: { delivery_config: { method: string } }) => message.delivery_config.method === NO_METHOD;
export const GONE = { httpStatus: null, skipped: "the customer is gone" } as const;
