// Replays dead letters from the merchant's screen, the selected ones or all of a channel, in slices
// as a background job. Rows that die after its start are left for the next run, so that it ends; those of other programs
// that do not say when they died are taken.
import { z } from "zod";
import type { Ctx } from "../../../context.server.ts";
import {
  readBackgroundJob,
  startBackgroundJob,
  type BackgroundJob,
} from "../../../runtime/database/queue/background-job.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { IS_DEAD } from "../outcome.ts";
import { requeueRows } from "./requeue-dead-letters.ts";

const NAME = "dead_letter_replay";
const SLICE = 500;

/** The chosen rows by their ids. */
export const ReplayChosen = z.object({ ids: z.array(z.int().positive()).min(1).max(1_000) });
/** Replays all dead letters of one channel; null: of every channel. */
export const ReplayEverything = z.object({ channel: z.string().max(40).nullable() });

/** Rows by id, or all, of one channel or of every one. */
export type ReplaySelection = { queueIds: readonly number[] } | { channel: string | null };

type ReplayProgress = { requeued: number; of: number };
/** `requeued` of `of`; the others were no longer dead. */
type ReplayResult = ReplayProgress;
export type Replay = BackgroundJob<ReplayProgress, ReplayResult>;

/** `busy`: a run is in progress; `nothing`: none of the selection is dead, so no run is recorded. */
export type ReplayStart = "started" | "busy" | "nothing";

export async function startReplay(
  ctx: Ctx,
  tenant: Tenant,
  selection: ReplaySelection,
): Promise<ReplayStart> {
  const { sql } = dataOf(ctx, tenant);
  const ids = "queueIds" in selection ? [...new Set(selection.queueIds)] : null;
  const channel = "channel" in selection ? selection.channel : null;
  const [found] = await sql<{ is_dead: boolean }>(
    `SELECT EXISTS (SELECT 1 FROM integration_queue WHERE shop = $1 AND ${IS_DEAD}
      AND ($2::bigint[] IS NULL OR id = ANY($2)) AND ($3::text IS NULL OR channel = $3)) AS is_dead`,
    [ids, channel],
  );
  if (!found?.is_dead) return "nothing";
  const isStarted = await startBackgroundJob<ReplayProgress, ReplayResult>(
    { sql, log: ctx.log, clock: ctx.clock },
    NAME,
    async (report) => {
      const [before] = await sql<{ at: string; dead: number }>(
        `SELECT clock_timestamp()::text AS at, count(*)::int AS dead FROM integration_queue
          WHERE shop = $1 AND ${IS_DEAD} AND ($2::text IS NULL OR channel = $2)`,
        [channel],
      );
      const of = ids?.length ?? before?.dead ?? 0;
      let requeued = 0;
      for (;;) {
        const rows = await requeueRows(sql, {
          ids,
          channel,
          until: before?.at ?? "",
          limit: SLICE,
        });
        requeued += rows;
        await report({ requeued, of });
        if (rows === 0) break;
      }
      ctx.log.info("dead_letters.replayed", { shop: tenant.shop, requeued });
      return { requeued, of };
    },
  );
  return isStarted ? "started" : "busy";
}

export const readReplay = (ctx: Ctx, tenant: Tenant): Promise<Replay | null> =>
  readBackgroundJob(dataOf(ctx, tenant).sql, NAME);
