// Finds the store of an event for a backend that calls back with the event's id only.
import type { Ctx } from "../../../context.server.ts";
import type { Columns, EventLedger, IntegrationQueue } from "../../../db.server.ts";
import { listShopsAfter } from "../../tenants/directory.ts";

const SHOPS_PAGE = 1_000;

/**
 * Several stores may use one id, and each names its own events. A row that another program inserted has
 * no entry in the ledger. Runs one probe of the ledger's key per store, and of the queue's where that
 * finds none: callers with thousands of stores should name the store.
 */
export async function findShopsOfEvent(ctx: Ctx, eventId: string): Promise<string[]> {
  const known = await findShopsIn(ctx, "event_ledger", eventId);
  return known.length > 0 ? known : findShopsIn(ctx, "integration_queue", eventId);
}

async function findShopsIn(
  ctx: Ctx,
  table: "event_ledger" | "integration_queue",
  eventId: string,
): Promise<string[]> {
  const found: string[] = [];
  for (let after = ""; ;) {
    const shops = await listShopsAfter(ctx, after, SHOPS_PAGE);
    for (const region of ctx.regions.names()) {
      const rows = await ctx.regions
        .get(region)
        .acrossTenants<Columns<EventLedger, "shop">>(
          `SELECT shop FROM ${table} WHERE shop = ANY($1::text[]) AND event_id = $2`,
          [shops, eventId],
        );
      found.push(...rows.map((row) => row.shop));
    }
    // A store that is being moved has its rows in two cells.
    if (shops.length < SHOPS_PAGE) return [...new Set(found)];
    after = shops.at(-1) as string;
  }
}

/** Finds the stores whose queue has the row: one, unless cells number their rows alike. */
export async function findShopOfRow(
  ctx: Ctx,
  shops: readonly string[],
  eventId: string,
  queueId: number,
): Promise<string[]> {
  const found = await Promise.all(
    ctx.regions
      .names()
      .map((region) =>
        ctx.regions
          .get(region)
          .acrossTenants<Columns<IntegrationQueue, "shop">>(
            "SELECT shop FROM integration_queue WHERE shop = ANY($1::text[]) AND event_id = $2 AND id = $3",
            [shops, eventId, queueId],
          ),
      ),
  );
  return [...new Set(found.flat().map(({ shop }) => shop))];
}
