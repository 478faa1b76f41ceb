// A remote backend asks for deliveries by a message of its own. It may have transformed the event already, as SPEC has it,
// or hand on the event's payload as it came: what is not in the channel's shape is transformed here, by the same rules, so
// that nothing raw leaves for a system that must not have it.
import type { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import {
  NO_METHOD,
  PermanentFailure,
  type Channel,
  type DeliveryMessage,
  type QueueItem,
} from "../bus/channel.ts";
import type { Tenant } from "../tenants/tenant.ts";

/** The message itself when it has the channel's shape, or is about nothing. */
export async function toOwnMessage(
  channel: Channel,
  ctx: Ctx,
  item: QueueItem,
  message: DeliveryMessage,
  tenant: Tenant,
  shape: z.ZodType,
): Promise<DeliveryMessage> {
  if (
    message.delivery_config.method === NO_METHOD ||
    shape.safeParse(message.transformed_payload).success
  )
    return message;
  // Our ledger does not know the event, so nothing says what the payload is.
  if (item.entityType === "")
    throw new PermanentFailure(
      `the message has not the shape of ${channel.name}, and the event is not known here`,
    );
  return channel.transform(ctx, { ...item, payload: message.transformed_payload }, tenant);
}
