// The destinations of an event whose sender names none: the store's own routes, else the default of
// the entity, without the disabled channels (DECISIONS 12).
import type { Ctx } from "../../context.server.ts";
import type { Tenant } from "../tenants/tenant.ts";
import { findChannel } from "./channel.ts";

/** A table of the contract (DECISIONS 12), as the write matrix is. */
const DEFAULT_DESTINATIONS: Record<string, readonly string[]> = {
  customer: ["cms", "web_analytics", "profile_platform"],
  order: ["erpsys", "web_analytics"],
  product: ["cms"],
  inventory: ["archive"],
  invoice: ["erpsys"],
};

/** SPEC "WMS event types". */
export const WAREHOUSE_EVENT_TYPES = [
  "unit.received",
  "unit.picked",
  "unit.packed",
  "unit.shipped",
  "unit.returned",
] as const;

export const isWarehouseType = (eventType: string): boolean =>
  (WAREHOUSE_EVENT_TYPES as readonly string[]).includes(eventType);

/** Has rules of its own, from any source (DECISIONS 13). */
export const isWarehouseEvent = (source: string, eventType: string): boolean =>
  source === "wms" || isWarehouseType(eventType);

/** Reserved folder names below `events/`, which no channel may use. */
export const RESERVED_FOLDERS = ["dead_letter", "warehouse"] as const;

export const isReserved = (name: string): boolean =>
  (RESERVED_FOLDERS as readonly string[]).includes(name.toLowerCase());

export type Routed = { destinations: string[]; priority: number | undefined };

export function routeEvent(
  ctx: Ctx,
  tenant: Tenant,
  event: { eventType: string; entityType: string },
): Routed {
  const routes = (tenant.config.event_routes ?? []).filter((route) =>
    matches(route.event_type, event.eventType),
  );
  const names =
    routes.length > 0
      ? routes.flatMap((route) => route.channels)
      : (DEFAULT_DESTINATIONS[event.entityType] ?? []);
  const priorities = routes.flatMap(({ priority }) => (priority === undefined ? [] : [priority]));
  return {
    destinations: [...new Set(names)].filter((name) => mayRouteTo(ctx, tenant, name)),
    // When several routes match, the most urgent priority counts.
    priority: priorities.length > 0 ? Math.min(...priorities) : undefined,
  };
}

/** An unknown destination needs no settings: what a route sends there is archived. */
function mayRouteTo(ctx: Ctx, tenant: Tenant, name: string): boolean {
  if (findChannel(ctx, name)) return isOpenTo(ctx, tenant, name);
  if (isReserved(name)) return false;
  const { enabled_channels: listed } = tenant.config;
  return !listed || listed.includes(name);
}

/**
 * Whether an event from outside may be delivered to the channel for this store; otherwise it is
 * only archived.
 */
export function isOpenTo(ctx: Ctx, tenant: Tenant, name: string): boolean {
  const channel = findChannel(ctx, name);
  return channel !== undefined && channel.isDestination && channel.isEnabled(tenant);
}

/**
 * `*` matches any run of characters. Compares by hand instead of with a regular expression, because
 * the pattern is a merchant's text.
 */
function matches(pattern: string, eventType: string): boolean {
  const [first = "", ...parts] = pattern.split("*");
  if (parts.length === 0) return pattern === eventType;
  if (!eventType.startsWith(first)) return false;
  const last = parts.pop() as string;
  let at = first.length;
  for (const part of parts) {
    const found = eventType.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return eventType.length - last.length >= at && eventType.endsWith(last);
}
