// The event page of the merchant: what happened at each destination, what was sent and answered at
// one attempt, and where the customer and the order are.
import { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import { readTogether } from "../../runtime/database/read-together.ts";
import { AppError } from "../../runtime/errors.ts";
import type { QueueItem } from "../bus/channel.ts";
import { replay, requeueRows } from "../bus/dead-letters/requeue-dead-letters.ts";
import {
  exchangesRead,
  readOpenExchange,
  toMaskedExchange,
  type ShownExchange,
} from "../bus/exchanges/read-exchange.ts";
import { getStoredEvent, type EventView, type StoredEvent } from "../bus/log/event-view.ts";
import { findNamedUserId, readPerson, userIdRead } from "../channels/item-customer.ts";
import { FOREIGN_NUMBER_SOURCES } from "../bus/foreign-numbers.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";

export type EventScreen = {
  event: EventView;
  /** The attempts whose exchange is stored. */
  exchanges: number[];
  /** The calls of the chosen attempt, with their values masked. */
  exchange: ShownExchange | null;
  customerId: number | null;
  orderUrl: string | null;
  now: string;
};

const MAX_ID_LENGTH = 200;

const AttemptId = z.coerce.number().int().positive().max(Number.MAX_SAFE_INTEGER).catch(0);

function requireId(eventId: string): string {
  if (eventId.length > MAX_ID_LENGTH || eventId.includes("\u0000")) throw new AppError("not_found");
  return eventId;
}

/** `chosen`: an attempt, by default the newest with an exchange. Throws `not_found`. */
export async function readEventScreen(
  ctx: Ctx,
  tenant: Tenant,
  id: string,
  chosen: string | null,
): Promise<EventScreen> {
  const eventId = requireId(id);
  const stored = await getStoredEvent(ctx, tenant, eventId);
  const person = readPerson(toItem(tenant, stored));
  const { exchanges, customers } = await readTogether(dataOf(ctx, tenant).sql, {
    exchanges: exchangesRead(eventId, AttemptId.parse(chosen ?? 0)),
    customers: userIdRead(person),
  });
  const { event } = stored;
  return {
    event,
    exchanges: exchanges.map(({ attempt_id: id }) => id),
    exchange: toMaskedExchange(ctx, tenant, exchanges),
    customerId: person.userId ?? customers[0]?.id ?? null,
    orderUrl: orderUrlOf(ctx, tenant, event),
    now: ctx.clock.now().toISOString(),
  };
}

/** The functions that find a person read only these fields. */
const toItem = ({ shop }: Tenant, { event, entityId, payload }: StoredEvent) =>
  ({
    shop,
    source: event.source,
    entityType: event.entity_type,
    entityId,
    payload,
  }) as QueueItem;

/** The order in the store's admin; null for another system's order. */
function orderUrlOf(ctx: Ctx, tenant: Tenant, event: EventView): string | null {
  const number = /^(?:gid:\/\/shopify\/Order\/)?(\d{1,20})$/.exec(event.entity_id ?? "")?.[1];
  if (event.entity_type !== "order" || !number || FOREIGN_NUMBER_SOURCES.has(event.source))
    return null;
  return ctx.storefront.adminUrl(tenant.shop, `/admin/orders/${number}`);
}

export const ShowExchange = z.object({ attempt_id: z.int().positive() });

/** Returns the exchange with its personal data, and the customers it is about. Throws `not_found`. */
export async function showExchange(
  ctx: Ctx,
  tenant: Tenant,
  id: string,
  { attempt_id: attemptId }: z.output<typeof ShowExchange>,
): Promise<{ exchange: ShownExchange; userIds: number[] }> {
  const eventId = requireId(id);
  const stored = await getStoredEvent(ctx, tenant, eventId);
  const [exchange, userId] = await Promise.all([
    readOpenExchange(ctx, tenant, { eventId, attemptId }),
    findNamedUserId(ctx, tenant, toItem(tenant, stored)),
  ]);
  return { exchange, userIds: userId === null ? [] : [userId] };
}

/** One delivery, or with null every failed one of the event. */
export const ReplayEvent = z.object({ queue_id: z.int().positive().nullable() });

/** @returns how many went back into the queue. */
export async function replayEvent(
  ctx: Ctx,
  tenant: Tenant,
  id: string,
  { queue_id: queueId }: z.output<typeof ReplayEvent>,
): Promise<{ requeued: number }> {
  const eventId = requireId(id);
  if (queueId === null) {
    const { requeued, not_found: missing } = await replay(ctx, tenant, [eventId]);
    if (missing.length > 0) throw new AppError("not_found");
    return { requeued };
  }
  const data = dataOf(ctx, tenant);
  const known = await data.prisma.integrationQueue.count({
    where: { event_id: eventId, id: queueId },
  });
  if (known === 0) throw new AppError("not_found");
  const until = "infinity";
  const requeued = await requeueRows(data.sql, { ids: [queueId], channel: null, until, limit: 1 });
  return { requeued };
}
