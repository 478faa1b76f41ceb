// The archive of delivery messages: `events/{channel}/{YYYY-MM-DD}/{event_id}.json` (SPEC "Event
// bus") below the store's root. The day is the day of arrival, so that the object of a known event
// is found without a search.
import { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import { watchSilence, type Silence } from "../../runtime/outbound/silence.ts";
import type { DeliveryMessage, QueueItem } from "./channel.ts";
import { isReserved, isWarehouseEvent } from "./routing.ts";

type Filed = Pick<
  QueueItem,
  | "shop"
  | "queueId"
  | "eventId"
  | "channel"
  | "source"
  | "eventType"
  | "entityType"
  | "entityId"
  | "createdAt"
>;

/** Warehouse events have a folder of their own (DECISIONS 13). */
const folderOf = ({ channel, source, eventType }: Filed) =>
  channel === "archive" && isWarehouseEvent(source, eventType) ? "warehouse" : channel;

/** A destination that a sender names, which may be unknown here: it is the name of a folder. */
export const DestinationName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,39}$/i, "must be a channel name")
  .refine((name) => !isReserved(name), "is reserved");

export function objectPath(folder: string, item: Pick<Filed, "eventId" | "createdAt">): string {
  return `events/${folder}/${item.createdAt.toISOString().slice(0, 10)}/${item.eventId}.json`;
}

/** The path of a message below the store's root. */
export const messagePath = (item: Filed): string => objectPath(folderOf(item), item);

/** Safe to repeat: the same event and channel replace their own object. Throws OutboundError. */
export async function archiveMessage(
  ctx: Ctx,
  item: Filed,
  message: DeliveryMessage,
): Promise<void> {
  await putObject(ctx, item.shop, messagePath(item), {
    queue_id: item.queueId,
    event_id: item.eventId,
    channel: item.channel,
    transformed_payload: message.transformed_payload,
    delivery_config: message.delivery_config,
    tenant_shop: item.shop,
    source: item.source,
    event_type: item.eventType,
    entity_type: item.entityType,
    entity_id: item.entityId,
    received_at: item.createdAt.toISOString(),
  });
}

const silences = new WeakMap<Ctx["archive"], Silence>();

/** All deliveries of the process share what is known of the archive's silence. */
function silenceOf({ archive }: Ctx): Silence {
  const known = silences.get(archive);
  if (known) return known;
  const silence = watchSilence("archive");
  silences.set(archive, silence);
  return silence;
}

/**
 * The copy beside a delivery; whether it was written. While the archive is silent deliveries go on without their copies,
 * which are written later (missed-messages.ts).
 */
export async function copyMessage(
  ctx: Ctx,
  item: Filed,
  message: DeliveryMessage,
): Promise<boolean> {
  try {
    await silenceOf(ctx).ask(() => archiveMessage(ctx, item, message));
    return true;
  } catch {
    return false;
  }
}

/** Throws OutboundError. */
export async function putObject(
  ctx: Ctx,
  shop: string,
  path: string,
  object: unknown,
): Promise<void> {
  await ctx.archive.ofStore(shop).put(path, JSON.stringify(object), "application/json");
}
