// Whose event it is, for a backend that calls back with nothing but the event's id.
import type { Ctx } from "../../context.server.ts";

/** Several stores may use one id: each names its own events. */
export async function findShopsOfEvent(ctx: Ctx, eventId: string): Promise<string[]> {
  const found = await Promise.all(ctx.regions.names().map((region) => ctx.regions.get(region).acrossTenants<{ shop: string }>("SELECT shop FROM event_ledger WHERE event_id = $1", [eventId])));
  return found.flat().map((row) => row.shop);
}
