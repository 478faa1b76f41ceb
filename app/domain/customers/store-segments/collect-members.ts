// Reads the members of a store admin's segment before the first of them gets the tag: the tag may move
// customers into or out of the segment, and a page of it would then skip some.
//
//   page after page (cursor and members commit together) -> all known members, then the slices of the run
import { z } from "zod";
import type { Ctx } from "../../../context.server.ts";
import type { Columns, StorefrontUser, TenantData } from "../../../db.server.ts";
import { OutboundError } from "../../../runtime/errors.ts";
import type { Held, LeasedRow, LeasedTable } from "../../../runtime/database/queue/leased-table.ts";
import type { Tenant } from "../../tenants/tenant.ts";
import { sealContext } from "../bulk/run-row.ts";
import { readMembers, type MemberPage } from "./store-segment.ts";

/** What such a run keeps, encrypted, in place of a selection. */
export const Collecting = z.object({ cursor: z.string().nullable(), isComplete: z.boolean() });
export type Collecting = z.output<typeof Collecting>;
export const FIRST_PAGE: Collecting = { cursor: null, isComplete: false };

type Collection = {
  ctx: Ctx;
  tenant: Tenant;
  data: TenantData;
  table: LeasedTable<LeasedRow>;
  run: Held & { id: string };
  segmentId: string;
  stopping: AbortSignal;
};

/**
 * Continues where an earlier worker stopped. False when this one has to stop as well. Throws what
 * `callAdminApi` throws, and LeaseLost.
 */
export async function collectMembers(collection: Collection, stored: unknown): Promise<boolean> {
  let state = Collecting.parse(stored);
  let kept = state.cursor;
  while (!state.isComplete && !collection.stopping.aborted) {
    const page = await readPage(collection, state.cursor, kept);
    state = page ? await keepPage(collection, page) : await startAgain(collection);
    if (!page) kept = null;
  }
  return state.isComplete;
}

/** Null when the cursor that an earlier worker kept is no longer valid. */
async function readPage(
  { ctx, tenant, segmentId, stopping: signal }: Collection,
  cursor: string | null,
  kept: string | null,
): Promise<MemberPage | null> {
  try {
    return await readMembers({ ctx, tenant, signal }, segmentId, cursor);
  } catch (error) {
    const isRefused = error instanceof OutboundError && error.status === 422;
    // A cursor of this worker's own page would be refused again, without end.
    const isKept = cursor !== null && cursor === kept;
    if (isRefused && isKept && /cursor/i.test(error.message)) return null;
    throw error;
  }
}

const sealed = ({ ctx, tenant }: Collection, state: Collecting): string =>
  ctx.secrets.seal(sealContext(tenant.shop), JSON.stringify(state));

/**
 * Members that are not known here are counted and left out: they come with a webhook or the next sync,
 * which also reads what belongs to them, and the next run over the segment finds them.
 */
async function keepPage(collection: Collection, { gids, next }: MemberPage): Promise<Collecting> {
  const { data, table, run } = collection;
  const state: Collecting = { cursor: next, isComplete: next === null };
  await data.transaction(async (sql) => {
    const known = await sql<Columns<StorefrontUser, "id">>(
      `SELECT id FROM storefront_users WHERE shop = $1 AND storefront_customer_gid = ANY($2::text[])
        AND status <> 'deleted'`,
      [gids],
    );
    await sql(
      `INSERT INTO tag_run_members (shop, run_id, user_id) SELECT $1, $2::uuid, id
        FROM unnest($3::int[]) AS id ON CONFLICT DO NOTHING`,
      [run.id, known.map(({ id }) => id)],
    );
    await table.update(sql, run, "selection = $4, unknown = unknown + $5", [
      sealed(collection, state),
      gids.length - known.length,
    ]);
    // From here on the run's progress is measured by the customers that it will change.
    if (state.isComplete)
      await table.update(
        sql,
        run,
        "total = (SELECT count(*) FROM tag_run_members m WHERE m.shop = $1 AND m.run_id = $2)",
      );
  });
  return state;
}

async function startAgain(collection: Collection): Promise<Collecting> {
  const { data, table, run } = collection;
  await table.update(data.sql, run, "selection = $4, unknown = 0", [
    sealed(collection, FIRST_PAGE),
  ]);
  return FIRST_PAGE;
}
