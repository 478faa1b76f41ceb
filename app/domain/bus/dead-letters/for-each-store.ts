// Works rows of many stores so that a failure of one store holds up no other.
import type { Ctx } from "../../../context.server.ts";
import type { Database } from "../../../db.server.ts";
import { isDatabaseAway, isStoreMoving } from "../../../runtime/database/postgres-errors.ts";
import { OutboundError } from "../../../runtime/errors.ts";

/**
 * Works the rows one after the other, and leaves a store's other rows for later once one failed: a failure of one
 * store holds up no other. A process that stops leaves the rest to the next one.
 */
export async function forEachStore<R extends { shop: string }>(
  ctx: Ctx,
  database: Database,
  rows: Iterable<R>,
  { work, event }: { work: (row: R) => Promise<void>; event: string },
): Promise<void> {
  const failures = new Map<string, unknown>();
  for (const row of rows) {
    if (ctx.stopping.aborted) break;
    if (failures.has(row.shop)) continue;
    try {
      await work(row);
    } catch (error) {
      if (isDatabaseAway(error) && !isStoreMoving(error)) throw error;
      failures.set(row.shop, error);
    }
  }
  const [first] = [...failures].filter(([, error]) => !isStoreMoving(error));
  if (!first) return;
  const [shop, error] = first;
  const fields = { region: database.region, shop, stores: failures.size };
  if (error instanceof OutboundError) ctx.log.warn(event, { ...fields, reason: error.message });
  else ctx.log.error(event, error, fields);
}
