// The archive of delivery messages: `events/{channel}/{YYYY-MM-DD}/{event_id}.json` (SPEC "Event
// bus") below the store's root. The day is the day of arrival, so that the object of a known event
// is found without a search.
import type { Ctx } from "../../context.server.ts";
import { OutboundError } from "../../runtime/errors.ts";
import type { DeliveryMessage, QueueItem } from "./channel.ts";

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
const folderOf = (item: Pick<Filed, "channel" | "source">) =>
  item.source === "wms" && item.channel === "archive" ? "warehouse" : item.channel;

/** Reserved folder names below `events/`, which no channel may use. */
export const RESERVED_FOLDERS = ["dead_letter", "warehouse"] as const;

export function objectPath(folder: string, item: Pick<Filed, "eventId" | "createdAt">): string {
  return `events/${folder}/${item.createdAt.toISOString().slice(0, 10)}/${item.eventId}.json`;
}

/** Below the store's root. */
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

/** Throws OutboundError. */
export async function putObject(
  ctx: Ctx,
  shop: string,
  path: string,
  object: unknown,
): Promise<void> {
  try {
    await ctx.archive.ofStore(shop).put(path, JSON.stringify(object), "application/json");
  } catch (error) {
    throw new OutboundError("archive", "network", {
      message: `the archive took nothing: ${(error as Error).message.slice(0, 200)}`,
    });
  }
}
