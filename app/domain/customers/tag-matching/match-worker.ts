// Compares the new tags of one region's stores with their customers' own tags, one store at a time per
// process.
import type { Ctx } from "../../../context.server.ts";
import type { Database } from "../../../runtime/database/database.ts";
import { isNotHeld } from "../../../runtime/database/cells/held-stores.ts";
import { withLease } from "../../../runtime/database/queue/lease.ts";
import { startWorkQueue, type WorkQueue } from "../../../runtime/database/queue/work-queue.ts";
import { findTenant } from "../../tenants/tenant.ts";
import { matchTags } from "./match-tags.ts";

const STOP_WAIT_MS = 25_000;
const LEASE_SECONDS = 15;
/** How long a store rests while another process works on it, or after its comparison failed. */
const REST_MS = 15_000;

const STORES = `
  SELECT DISTINCT shop FROM crm_tags WHERE matched_to IS NOT NULL AND shop <> ALL($2::text[])
    AND ${isNotHeld("shop")}
  ORDER BY shop LIMIT $1`;

export function startTagMatchWorker(ctx: Ctx, database: Database): Promise<WorkQueue> {
  const restsUntil = new Map<string, number>();
  return startWorkQueue<{ shop: string }>({
    name: "tag_matches",
    database,
    notification: "tag_matches",
    pollMs: ctx.config.WORKER_POLL_MS,
    leaseSeconds: LEASE_SECONDS,
    concurrency: 1,
    stopWaitMs: STOP_WAIT_MS,
    log: ctx.log,
    claim(limit) {
      for (const [shop, until] of restsUntil)
        if (until <= performance.now()) restsUntil.delete(shop);
      return database.acrossTenants<{ shop: string }>(STORES, [limit, [...restsUntil.keys()]]);
    },
    // The lease is the store's own, held while it is worked on.
    release: async () => {},
    async work({ shop }, stopping) {
      restsUntil.set(shop, performance.now() + REST_MS);
      if (await isMatched(ctx, database, shop, stopping)) restsUntil.delete(shop);
    },
  });
}

async function isMatched(
  ctx: Ctx,
  database: Database,
  shop: string,
  stopping: AbortSignal,
): Promise<boolean> {
  const tenant = await findTenant(ctx, shop);
  if (!tenant) return false;
  const held = await withLease(database.forTenant(shop).sql, "tag_matches", () =>
    matchTags(ctx, tenant, () => stopping.aborted),
  );
  return held?.result ?? false;
}
