// Deletes a store's archived objects beyond their retention: messages by the day in their path,
// exports by the request that they answer, and what a writer that died has left. Safe to repeat and to stop anywhere.
import type { Ctx } from "../../../context.server.ts";
import type { StoreArchive } from "../../../integrations/archive/store-archive.ts";
import type { RetentionDays } from "../../inventory/retention-settings.ts";
import type { FinalState } from "../requests/privacy-requests.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";

const EVENTS = "events/";
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const DAY_MS = 86_400_000;
/** The export of a failed request still waits to be handed over. */
const FINISHED: ReadonlySet<string> = new Set<FinalState>(["done", "retained"]);
const IDS_PER_READ = 500;

/** Returns the number of deleted objects. */
export async function deleteOldObjects(
  ctx: Ctx,
  tenant: Tenant,
  archive: StoreArchive,
  { days, signal }: { days: RetentionDays; signal: AbortSignal },
): Promise<{ messages: number; exports: number }> {
  const before = (kept: number) => new Date(ctx.clock.now().getTime() - kept * DAY_MS);
  await archive.removeUnfinished();
  return {
    messages: await deleteMessages(archive, before(days.archive_retention_days), signal),
    exports: await deleteExports(ctx, tenant, archive, {
      limit: before(days.data_export_retention_days),
      signal,
    }),
  };
}

/** A day is deleted when it is over before `limit`, so that no object goes early. */
async function deleteMessages(
  archive: StoreArchive,
  limit: Date,
  signal: AbortSignal,
): Promise<number> {
  const firstKept = limit.toISOString().slice(0, 10);
  let deleted = 0;
  for (const channel of await archive.folders(EVENTS))
    for (const day of await archive.folders(`${EVENTS}${channel}/`)) {
      if (signal.aborted) return deleted;
      if (DAY.test(day) && day < firstKept)
        deleted += await archive.removeFolder(`${EVENTS}${channel}/${day}/`, signal);
    }
  return deleted;
}

/** An export whose request is deleted is older than the request's own retention. */
async function deleteExports(
  ctx: Ctx,
  tenant: Tenant,
  archive: StoreArchive,
  { limit, signal }: { limit: Date; signal: AbortSignal },
): Promise<number> {
  const { prisma } = dataOf(ctx, tenant);
  const exports = (await archive.list(`gdpr/${tenant.shop}/`)).flatMap((path) => {
    const id = /\/(\d{1,9})\.json$/.exec(path)?.[1];
    return id === undefined ? [] : [{ path, id: Number(id) }];
  });
  let deleted = 0;
  for (let at = 0; at < exports.length && !signal.aborted; at += IDS_PER_READ) {
    const slice = exports.slice(at, at + IDS_PER_READ);
    const requests = await prisma.privacyRequest.findMany({
      select: { id: true, state: true, completed_at: true, due_by: true },
      where: { id: { in: slice.map(({ id }) => id) } },
    });
    const young = new Set(
      requests
        .filter(
          ({ state, completed_at, due_by }) =>
            !FINISHED.has(state) || (completed_at ?? due_by) >= limit,
        )
        .map(({ id }) => id),
    );
    for (const { path } of slice.filter(({ id }) => !young.has(id))) {
      await archive.remove(path);
      deleted += 1;
    }
  }
  return deleted;
}
