// Builds the envelope (SPEC "Event envelope") from the request of a source and derives missing
// fields (DECISIONS 12).
import { hash } from "node:crypto";
import { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import { AppError } from "../../runtime/errors.ts";
import { reasonsOf } from "../../runtime/field-problem.ts";
import { DestinationName } from "../bus/message-archive.ts";
import { defaultPriority } from "../bus/retry-policy.ts";
import { isOpenTo, isWarehouseEvent, routeEvent } from "../bus/routing.ts";
import type { Tenant } from "../tenants/tenant.ts";
import { EventTime } from "./event-time.ts";
import { ENTITY_TYPES, entityTypeOf, eventTypeOfTopic } from "./event-types.ts";
import { PIXEL_ROUTE, PIXEL_SOURCE, readPixelEvent } from "./pixel-event.ts";
import { EVENT_SOURCES, provenSource, type EventSource, type AuthMethod } from "./sources.ts";
import { requireWmsPayload, WMS_ROUTE } from "./wms.ts";

export type Envelope = {
  event_id: string;
  idempotency_key: string;
  source: EventSource;
  event_type: string;
  entity_type: string;
  entity_id: string;
  tenant_shop: string;
  payload: Record<string, unknown>;
  timestamp: string;
  destinations: string[];
  priority: number;
};

/**
 * What the request contains beside its body. `topic` and `triggeredAt` are the storefront's
 * headers.
 */
export type Arrival = {
  proof: AuthMethod;
  namedSource: string | null;
  topic: string | null;
  triggeredAt: string | null;
};

const reference = z.union([z.string().trim().min(1).max(300), z.number().int()]);
const TOO_LARGE = "is too large for a number: send it as text";
const IDEMPOTENCY_KEY = /^[0-9a-f]{64}$/i;
const ID_FIELDS = [
  "admin_graphql_api_id",
  "gid",
  "customerId",
  "admin_graphql_api_customer_kept_id",
  "id",
  "customer_id",
] as const;

/** All fields are optional: the sources send different ones. */
export const EventInput = z.looseObject({
  event_id: z.guid("must be a UUID").toLowerCase().optional(),
  idempotency_key: z.string().optional(),
  source: z.string().optional(),
  event_type: z
    .string()
    .regex(/^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/, "may hold letters, digits, _ and - between dots")
    .max(120)
    .optional(),
  entity_type: z.enum(ENTITY_TYPES, `must be one of ${ENTITY_TYPES.join(", ")}`).optional(),
  entity_id: reference
    .refine((id) => typeof id === "string" || Number.isSafeInteger(id), TOO_LARGE)
    .transform(String)
    .optional(),
  tenant_shop: z.string().optional(),
  payload: z.record(z.string(), z.unknown()).optional(),
  timestamp: EventTime.optional(),
  destinations: z.array(DestinationName).max(20).optional(),
  priority: z.number().int().min(1).max(5).optional(),
});
export type EventInput = z.output<typeof EventInput>;

/** Throws 400 with every field that is missing, invalid, or not derivable. */
export function normalise(ctx: Ctx, tenant: Tenant, body: unknown, arrival: Arrival): Envelope {
  const event: EventInput =
    arrival.proof === "pixel_key" ? readPixelEvent(ctx, body) : readEvent(body, arrival);
  const source = provenSource(arrival.proof, arrival.namedSource ?? event.source);
  if (!source) throw invalid({ source: `must be one of ${EVENT_SOURCES.join(", ")}` });
  if (event.tenant_shop !== undefined && event.tenant_shop !== tenant.shop)
    throw invalid({ tenant_shop: "names another store than the request" });

  const { payload = {}, event_type: eventType } = event;
  if (eventType === undefined) throw invalid({ event_type: "is missing" });
  const { entityType, entityId } = isWarehouseEvent(source, eventType)
    ? { entityType: WMS_ROUTE.entityType, entityId: requireWmsPayload(eventType, payload) }
    : entityOf(tenant, event, eventType, { isWebhook: arrival.topic !== null });
  const timestamp =
    event.timestamp ??
    validTime(arrival.triggeredAt) ??
    validTime(payload.updated_at) ??
    ctx.clock.now().toISOString();
  const ownKey = event.idempotency_key ?? "";

  return {
    event_id: event.event_id ?? ctx.random.orderedUuid(),
    // Hashes the time as the sender wrote it, so that the sender can compute the same key.
    idempotency_key: IDEMPOTENCY_KEY.test(ownKey)
      ? ownKey.toLowerCase()
      : hash("sha256", `${source}:${entityId}:${eventType}:${timestamp}`),
    source,
    event_type: eventType,
    entity_type: entityType,
    entity_id: entityId,
    tenant_shop: tenant.shop,
    payload,
    timestamp,
    ...routeOf(ctx, tenant, event, { source, eventType, entityType }),
  };
}

/** With a topic the body is the storefront's own object and not an envelope. */
function readEvent(body: unknown, { topic }: Arrival): EventInput {
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw new AppError("invalid_request", { message: "The body must be a JSON object." });
  if (topic !== null)
    return { payload: body as Record<string, unknown>, event_type: eventTypeOfTopic(topic) };
  // A source that writes every field has null where it has no value.
  const given = Object.entries(body).filter(([, value]) => value !== null);
  const parsed = EventInput.safeParse(Object.fromEntries(given));
  if (parsed.success) return parsed.data;
  throw invalid(reasonsOf(parsed.error));
}

function entityOf(
  tenant: Tenant,
  event: EventInput,
  eventType: string,
  { isWebhook }: { isWebhook: boolean },
): { entityType: string; entityId: string } {
  const { payload = {} } = event;
  const entityType = event.entity_type ?? entityTypeOf(eventType);
  const entityId = event.entity_id ?? idOf(payload);
  // A webhook without an entity is about the app itself, so its entity is the store.
  if (isWebhook && !entityType) return { entityType: "store", entityId: entityId ?? tenant.shop };
  if (entityType && entityId) return { entityType, entityId };
  throw invalid({
    ...(!entityType && {
      entity_type: `must be one of ${ENTITY_TYPES.join(", ")}: it cannot be derived from the event type`,
    }),
    ...(!entityId && { entity_id: `is missing, and ${whyUnnamed(payload)}` }),
  });
}

function routeOf(
  ctx: Ctx,
  tenant: Tenant,
  event: EventInput,
  of: { source: EventSource; eventType: string; entityType: string },
): Pick<Envelope, "destinations" | "priority"> {
  if (isWarehouseEvent(of.source, of.eventType))
    return { destinations: [...WMS_ROUTE.destinations], priority: WMS_ROUTE.priority };
  if (of.source === PIXEL_SOURCE)
    return {
      destinations: PIXEL_ROUTE.destinations.filter((name) => isOpenTo(ctx, tenant, name)),
      priority: PIXEL_ROUTE.priority,
    };
  const routed = routeEvent(ctx, tenant, of);
  const named =
    event.destinations && event.destinations.length > 0 ? [...new Set(event.destinations)] : null;
  return {
    destinations: named ?? routed.destinations,
    priority: event.priority ?? routed.priority ?? defaultPriority(of.entityType, of.eventType),
  };
}

/**
 * Storefront ids exceed 2^53: the text of the gid is preferred, and a number that lost digits is
 * ignored.
 */
function idOf(payload: Record<string, unknown>): string | undefined {
  for (const name of ID_FIELDS) {
    const value = payload[name];
    if (typeof value === "string" && value !== "" && value.length <= 300) return value;
    if (Number.isSafeInteger(value)) return String(value);
  }
  return undefined;
}

function whyUnnamed(payload: Record<string, unknown>): string {
  const lost = ID_FIELDS.find((name) => Number.isInteger(payload[name]));
  return lost ? `the payload's ${lost} ${TOO_LARGE}` : "the payload names none";
}

const validTime = (value: unknown): string | undefined =>
  typeof value === "string" && EventTime.safeParse(value).success ? value : undefined;

const invalid = (fields: Record<string, string>) => new AppError("invalid_request", { fields });
