// Does the tag runs of one region, one at a time per process, in slices: a run whose worker dies goes on where it was.
//
//   waiting -> running (lease, renewed with every slice) -> done | failed
import type { Ctx } from "../../context.server.ts";
import { isDatabaseAway, type Database } from "../../runtime/database.ts";
import { isAppError } from "../../runtime/errors.ts";
import { findTenant, type Tenant } from "../tenants/tenant.ts";
import { writeTags } from "./tag-change.ts";
import { placeOf, selectionOf, type TagSelection } from "./tag-runs.ts";

const SLICE = 50;
const LEASE_SECONDS = 30;

type Run = {
  shop: string;
  id: string;
  selection: string;
  add: string[];
  remove: string[];
  last_id: number;
  position: number;
  attempt_token: string;
};

export async function startTagRunWorker(
  ctx: Ctx,
  database: Database,
): Promise<{ stop(): Promise<void> }> {
  let running: Promise<void> | null = null;
  let isWanted = false;
  const stopping = new AbortController();

  function wake(): void {
    isWanted = true;
    if (stopping.signal.aborted || running) return;
    running = drain().finally(() => {
      running = null;
      if (isWanted) wake();
    });
  }

  async function drain(): Promise<void> {
    try {
      while (isWanted && !stopping.signal.aborted) {
        isWanted = false;
        const run = await claim(database);
        if (!run) return;
        isWanted = true;
        await work(ctx, database, run, stopping.signal);
      }
    } catch (error) {
      isWanted = false;
      if (!isDatabaseAway(error)) ctx.log.failed("tag_runs.not_worked", error);
    }
  }

  const listener = await database.listen("tag_runs", wake);
  const poll = setInterval(wake, ctx.config.WORKER_POLL_MS);
  wake();
  return {
    async stop() {
      stopping.abort();
      clearInterval(poll);
      await listener.stop();
      await running;
    },
  };
}

/** The oldest that nobody holds. Two claims never return the same run. */
async function claim(database: Database): Promise<Run | undefined> {
  const [run] = await database.acrossTenants<Run>(
    `UPDATE tag_runs r SET state = 'running', attempt_token = gen_random_uuid(), locked_until = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
     FROM (SELECT shop, id FROM tag_runs WHERE state IN ('waiting', 'running') AND (locked_until IS NULL OR locked_until < clock_timestamp()) ORDER BY created_at LIMIT 1 FOR UPDATE SKIP LOCKED) AS next
     WHERE r.shop = next.shop AND r.id = next.id
     RETURNING r.shop, r.id, r.selection, r.add, r.remove, r.last_id, r.position, r.attempt_token`,
  );
  return run;
}

async function work(ctx: Ctx, database: Database, run: Run, stopping: AbortSignal): Promise<void> {
  const { sql } = database.forTenant(run.shop);
  const HELD = "shop = $1 AND id = $2 AND attempt_token = $3 AND state = 'running'";
  const settle = (state: "waiting" | "done" | "failed", error: string | null) =>
    sql(
      `UPDATE tag_runs SET state = $4, last_error = $5, attempt_token = NULL, locked_until = NULL, selection = CASE WHEN $4 = 'waiting' THEN selection ELSE '' END,
         finished_at = CASE WHEN $4 = 'waiting' THEN NULL ELSE clock_timestamp() END WHERE ${HELD}`,
      [run.id, run.attempt_token, state, error],
    );
  const tenant = await findTenant(ctx, run.shop);
  if (!tenant) return void (await settle("failed", "the store is not known here any more"));
  try {
    const selection = JSON.parse(
      ctx.secrets.unseal(placeOf(run.shop), run.selection),
    ) as TagSelection;
    for (let position = run.position; !stopping.aborted;) {
      const condition = await selectionOf(sql, selection, 5);
      const people = await sql<{ id: number }>(
        `SELECT u.id FROM storefront_users u WHERE ${condition.sql} AND u.id > $2 AND u.id <= $3 ORDER BY u.id LIMIT $4`,
        [position, run.last_id, SLICE, ...condition.values],
      );
      const counts = await changeSlice(
        ctx,
        tenant,
        run,
        people.map(({ id }) => id),
      );
      position = people.at(-1)?.id ?? position;
      const held = await sql(
        `UPDATE tag_runs SET position = $4, processed = processed + $5, changed = changed + $6, refused = refused + $7, locked_until = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS}) WHERE ${HELD} RETURNING id`,
        [run.id, run.attempt_token, position, people.length, counts.changed, counts.refused],
      );
      if (held.length === 0) return;
      if (people.length < SLICE) return void (await settle("done", null));
    }
    await settle("waiting", null);
  } catch (error) {
    // Without the database nothing can be settled: the lease runs out and the run goes on.
    if (isDatabaseAway(error)) return;
    ctx.log.failed("tag_run.failed", error, { shop: run.shop, run_id: run.id });
    await settle("failed", "internal_error");
  }
}

/** Safe to repeat: who has the tag already is not changed again. */
async function changeSlice(
  ctx: Ctx,
  tenant: Tenant,
  run: Run,
  ids: readonly number[],
): Promise<{ changed: number; refused: number }> {
  const counts = { changed: 0, refused: 0 };
  for (const id of ids) {
    try {
      const { added, removed } = await writeTags(ctx, tenant, id, {
        add: run.add,
        remove: run.remove,
        source: "admin",
        categories: null,
      });
      if (added.length + removed.length > 0) counts.changed += 1;
    } catch (error) {
      // Gone meanwhile, or with as many tags as the storefront takes: the others get theirs all the same.
      if (!isAppError(error) || error.status >= 500) throw error;
      if (error.code !== "not_found") counts.refused += 1;
    }
  }
  return counts;
}
