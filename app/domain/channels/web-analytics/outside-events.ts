// Events from outside for the analytics product: what happened to which order or thing, without the
// person. An order is never a `purchase`, because the storefront's own tag counts those
// (docs/decisions/016).
import type { AnalyticsHit } from "../../../integrations/web-analytics.ts";
import type { QueueItem } from "../../bus/channel.ts";
import { PIXEL_SOURCE } from "../../events/pixel-event.ts";
import { isPersonal } from "./events.ts";
import { toParamValue } from "./limits.ts";
import { decimalOf, fieldsOf, firstText, listOf, type Fields } from "../payload-fields.ts";

type Params = Record<string, string | number>;
type BusEvent = AnalyticsHit["events"][number];

const NAME_LENGTH = 40;
const CURRENCY = /^[A-Za-z]{3}$/;
/** Names and prefixes that the product reserves. */
const RESERVED =
  /^(ad_|ga_|google_|firebase_|(app_remove|app_store_refund|app_update|error|first_open|first_visit|in_app_purchase|notification_open|os_update|purchase|refund|screen_view|session_start|user_engagement)$)/;

/** `order.created` is `order_created`. */
export function toEventName(eventType: string): string {
  const name = eventType.replace(/[^A-Za-z0-9_]+/g, "_");
  return (RESERVED.test(name) || !/^[A-Za-z]/.test(name) ? `crm_${name}` : name).slice(
    0,
    NAME_LENGTH,
  );
}

function textParam(name: string, value: string | null): Params {
  return value === null || isPersonal(value) ? {} : { [name]: toParamValue([value]) };
}

const amountParam = (name: string, value: string | null): Params =>
  value === null ? {} : { [name]: Number(value) };

export function toBusEvent(item: QueueItem): BusEvent {
  const name = toEventName(item.eventType);
  if (item.source === PIXEL_SOURCE) return { name, params: pixelParams(item) };
  return {
    name,
    params: item.entityType === "order" ? orderParams(item) : textParam("entity_id", item.entityId),
  };
}

function orderParams({ payload, entityId }: QueueItem): Params {
  const currency = firstText(payload, "currency", "presentment_currency");
  return {
    ...textParam(
      "transaction_id",
      firstText(payload, "name") ?? entityId.replace(/^gid:\/\/.*\//, ""),
    ),
    ...amountParam(
      "value",
      decimalOf(payload.total_price) ??
        decimalOf(payload.total) ??
        decimalOf(fieldsOf(payload.total).amount),
    ),
    ...(currency && CURRENCY.test(currency) && { currency: currency.toUpperCase() }),
    ...itemCount(payload),
  };
}

/** What happened in the checkout; an order only once there is one (events/pixel-event.ts). */
function pixelParams({ payload }: QueueItem): Params {
  const { path, order_id: orderId, currency, total, items } = payload;
  return {
    ...textParam("page_path", typeof path === "string" ? path : null),
    ...textParam(
      "transaction_id",
      typeof orderId === "string" ? orderId.replace(/^gid:\/\/.*\//, "") : null,
    ),
    ...amountParam("value", decimalOf(total)),
    ...(typeof currency === "string" && CURRENCY.test(currency) && { currency }),
    ...(items !== undefined && itemCount({ line_items: items })),
  };
}

/** Pieces, not lines. `items` itself is the product's own list of products. */
function itemCount(payload: Fields): Params {
  if (!Array.isArray(payload.line_items)) return {};
  return {
    item_count: listOf(payload.line_items).reduce(
      (sum, line) => sum + Number(decimalOf(line.quantity) ?? 1),
      0,
    ),
  };
}
