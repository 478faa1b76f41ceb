// Replaying dead letters from the merchant's screen: the chosen ones, or all of a channel, in slices, as a run of its own.
// What died after it began is left for the next one, so that it ends.
import { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import { readLongRun, startLongRun, type LongRun } from "../../runtime/long-run.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { reviveRows } from "./dead-letters.ts";

const NAME = "dead_letter_replay";
const SLICE = 500;

/** By the rows' numbers. */
export const ReplayChosen = z.object({ ids: z.array(z.int().positive()).min(1).max(1_000) });
/** Of one channel, or of every one. */
export const ReplayEverything = z.object({ channel: z.string().max(40).nullable() });

/** Rows by their number, or all there are, of one channel or of every. */
export type ReplaySelection = { queueIds: readonly number[] } | { channel: string | null };

type ReplayProgress = { requeued: number; of: number };
/** `requeued` of `of`; the others were not dead any more when their turn came. */
type ReplayResult = ReplayProgress;
export type Replay = LongRun<ReplayProgress, ReplayResult>;

/** False when one is under way. */
export function startReplay(
  ctx: Ctx,
  tenant: Tenant,
  selection: ReplaySelection,
): Promise<boolean> {
  const { sql } = dataOf(ctx, tenant);
  return startLongRun<ReplayProgress, ReplayResult>(
    { sql, log: ctx.log, now: () => ctx.clock.now(), id: ctx.random.uuid() },
    NAME,
    async (report) => {
      const ids = "queueIds" in selection ? [...new Set(selection.queueIds)] : null;
      const channel = "channel" in selection ? selection.channel : null;
      const [before] = await sql<{ at: string; dead: number }>(
        "SELECT clock_timestamp()::text AS at, count(*)::int AS dead FROM integration_queue WHERE shop = $1 AND status = 'dead_letter' AND ($2::text IS NULL OR channel = $2)",
        [channel],
      );
      const of = ids?.length ?? before?.dead ?? 0;
      let requeued = 0;
      for (;;) {
        const rows = await reviveRows(sql, { ids, channel, until: before?.at ?? "", limit: SLICE });
        requeued += rows;
        await report({ requeued, of });
        if (rows === 0) break;
      }
      ctx.log.done("dead_letters.replayed", { shop: tenant.shop, requeued });
      return { requeued, of };
    },
  );
}

export const readReplay = (ctx: Ctx, tenant: Tenant): Promise<Replay | null> =>
  readLongRun(dataOf(ctx, tenant).sql, NAME);
