// Derives the entity type from an event type or a storefront topic.
export const ENTITY_TYPES = ["customer", "order", "product", "inventory", "invoice"] as const;
export type EntityType = (typeof ENTITY_TYPES)[number];

/** First words of event types that differ from the entity's name. */
const PREFIXES: ReadonlyMap<string, EntityType> = new Map([
  ["unit", "inventory"],
  ["stock", "inventory"],
  ["variant", "product"],
  ["refund", "order"],
  ["fulfillment", "order"],
]);

/**
 * `customer.updated` -> customer, `unit.shipped` -> inventory, `inventory_level.updated` -> inventory; undefined for
 * unknown types.
 */
export function entityTypeOf(eventType: string): EntityType | undefined {
  const prefix = eventType.split(".", 1)[0]?.toLowerCase() ?? "";
  return (
    PREFIXES.get(prefix) ??
    ENTITY_TYPES.find(
      (type) => prefix === type || prefix.startsWith(`${type}_`) || prefix === `${type}s`,
    )
  );
}

const PAST_TENSE: ReadonlyMap<string, string> = new Map([
  ["create", "created"],
  ["update", "updated"],
  ["delete", "deleted"],
  ["cancel", "cancelled"],
  ["pay", "paid"],
  ["merge", "merged"],
]);

/**
 * `customers/update` -> `customer.updated`, `customer.tags_added` is kept, `orders/paid` ->
 * `order.paid`.
 */
export function eventTypeOfTopic(topic: string): string {
  const [resource = "", action = ""] = topic.toLowerCase().split("/", 2);
  if (action === "") return resource;
  return `${toSingular(resource)}.${PAST_TENSE.get(action) ?? action}`;
}

const toSingular = (resource: string) =>
  resource
    .split("_")
    .map((word) => word.replace(/ies$/, "y").replace(/s$/, ""))
    .join("_");
