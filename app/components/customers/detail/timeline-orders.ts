// Puts the store's orders, which come later than the page, at their places in a page of the timeline.
import type { OrderView } from "../../../domain/merchant/customer/orders.ts";
import type { OrdersView, TimelineItemView, TimelineView } from "./detail-shape.ts";

export type OrderItem = { key: string; kind: "order"; at: string; order: OrderView };
export type ShownItem = TimelineItemView | OrderItem;

export function withOrders(timeline: TimelineView, part: OrdersView): ShownItem[] {
  const { kind, items, before, next } = timeline;
  if (part.state !== "known" || (kind !== null && kind !== "order")) return items;
  const [end] = before?.split(" ") ?? [];
  const last = next === null ? undefined : items.at(-1)?.at;
  const orders = part.orders
    .map((order) => ({
      key: `order ${order.id}`,
      kind: "order" as const,
      at: new Date(order.created_at).toISOString(),
      order,
    }))
    .filter(({ at }) => (!end || at < end) && (!last || at >= last));
  return [...items, ...orders].sort((a, b) => (a.at === b.at ? 0 : a.at < b.at ? 1 : -1));
}
