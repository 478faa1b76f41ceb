// The segment action of the store admin: one tag for every customer of a segment, as a bulk run.
import { z } from "zod";
import type { Ctx } from "../../../context.server.ts";
import type { Columns, CrmTag } from "../../../db.server.ts";
import { AppError } from "../../../runtime/errors.ts";
import { SYSTEM_TAGS } from "../../tags/system-tag-rules.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { sealContext, SHOWN, toState, type BulkRunState, type ShownRun } from "../bulk/run-row.ts";
import { FIRST_PAGE } from "./collect-members.ts";
import { getStoreSegment, StoreSegmentId, type StoreSegment } from "./store-segment.ts";

const MAX_CHOICES = 500;
/** Its customers are known only when its members are read: none is left out as added later. */
const NO_LAST_ID = 2_147_483_647;

type TagChoice = Columns<CrmTag, "slug" | "name">;

export type SegmentTagging = {
  segment: StoreSegment;
  /** The catalog without the tags that rules set. */
  tags: TagChoice[];
  /** The newest run over this segment, also one that has ended. */
  run: (BulkRunState & { tag: string }) | null;
};

/** What the dialog shows when it opens. Throws what `getStoreSegment` throws. */
export async function readSegmentTagging(
  ctx: Ctx,
  tenant: Tenant,
  id: string,
): Promise<SegmentTagging> {
  const { sql } = dataOf(ctx, tenant);
  const [segment, tags, [run]] = await Promise.all([
    getStoreSegment(ctx, tenant, id),
    sql<TagChoice>(
      `SELECT slug, name FROM crm_tags WHERE shop = $1 AND slug <> ALL($2::text[])
        ORDER BY lower(name), slug LIMIT ${MAX_CHOICES}`,
      [SYSTEM_TAGS],
    ),
    sql<ShownRun & { tag: string }>(
      `SELECT ${SHOWN.join(", ")}, add[1] AS tag FROM tag_runs
        WHERE shop = $1 AND store_segment = $2 ORDER BY created_at DESC, id DESC LIMIT 1`,
      [id],
    ),
  ]);
  return { segment, tags, run: run ? { ...toState(run), tag: run.tag } : null };
}

export const TagSegmentInput = z.object({
  store_segment_id: StoreSegmentId,
  /** The slug of a tag of the catalog. */
  tag: z.string().min(1).max(80),
});
export type TagSegmentInput = z.output<typeof TagSegmentInput>;

/**
 * Requests the run for a user of the store's admin, or returns the one of this segment and tag that has not ended. Throws
 * `invalid_request` for a tag that is not in the catalog and for a segment without customers,
 * `tag_reserved` for a tag that a rule sets, `not_found`, and what `callAdminApi` throws.
 */
export async function tagSegment(
  ctx: Ctx,
  tenant: Tenant,
  { store_segment_id: id, tag }: TagSegmentInput,
  startedBy: string | null = null,
): Promise<BulkRunState> {
  // A manual assignment is permanent, so tagging a segment by hand would switch the rule off for its customers.
  if (SYSTEM_TAGS.includes(tag))
    throw new AppError("tag_reserved", { fields: { tag: "is set by a rule" } });
  const { sql, prisma } = dataOf(ctx, tenant);
  // A misspelled tag would be a new one in every system.
  if (!(await prisma.crmTag.findFirst({ where: { slug: tag } })))
    throw new AppError("invalid_request", { fields: { tag: "is not in the catalog" } });
  const segment = await getStoreSegment(ctx, tenant, id);
  if (segment.customers === 0)
    throw new AppError("invalid_request", { fields: { store_segment_id: "selects no customers" } });
  const values = [
    ctx.random.orderedUuid(),
    ctx.secrets.seal(sealContext(tenant.shop), JSON.stringify(FIRST_PAGE)),
    [tag],
    segment.customers,
    NO_LAST_ID,
    id,
    startedBy,
  ];
  const open = () =>
    sql<ShownRun>(
      `SELECT ${SHOWN.join(", ")} FROM tag_runs WHERE shop = $1 AND store_segment = $2
        AND add = $3::text[] AND state IN ('waiting', 'running')`,
      [id, [tag]],
    );
  for (;;) {
    const [started] = await sql<ShownRun>(
      `INSERT INTO tag_runs (shop, id, kind, selection, add, remove, total, last_id, store_segment,
        started_by)
        VALUES ($1, $2, 'tags', $3, $4::text[], '{}', $5, $6, $7, $8) ON CONFLICT DO NOTHING
        RETURNING ${SHOWN.join(", ")}`,
      values,
    );
    // The other request's run may end between the two statements.
    const run = started ?? (await open())[0];
    if (run) return toState(run);
  }
}
