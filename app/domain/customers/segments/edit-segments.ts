// Creates, renames, changes and deletes segments. Two people may edit one at once: each names the version
// that they saw, and the later one gets a conflict.
import { z } from "zod";
import type { Ctx } from "../../../context.server.ts";
import { isUniqueViolation } from "../../../db.server.ts";
import { AppError } from "../../../runtime/errors.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import type { CustomerFilter } from "../list/customer-filter.ts";
import { prepareFilter, tagsOfFilter } from "../list/filter-condition.ts";
import { MAX_SEGMENTS, SegmentFilter, SegmentId, SegmentName, SegmentSort } from "./segment.ts";

const version = z.number().int().positive().max(2_147_483_647);

export const NewSegment = z.object({
  name: SegmentName,
  filter: SegmentFilter,
  sort: SegmentSort,
});
export const RenamedSegment = z.object({ id: SegmentId, version, name: SegmentName });
export const ChangedSegment = z.object({
  id: SegmentId,
  version,
  filter: SegmentFilter,
  sort: SegmentSort,
});
export const DeletedSegment = z.object({ id: SegmentId });

/** Throws `conflict`: with the field `name` when it is taken, else when there are too many. */
export async function createSegment(
  ctx: Ctx,
  tenant: Tenant,
  { name, filter, sort }: z.output<typeof NewSegment>,
): Promise<{ id: string }> {
  await requireKnownTags(ctx, tenant, filter);
  const { prisma } = dataOf(ctx, tenant);
  if ((await prisma.segment.count()) >= MAX_SEGMENTS) throw new AppError("conflict");
  const id = ctx.random.orderedUuid();
  await orNameTaken(() =>
    prisma.segment.create({ data: { shop: tenant.shop, id, name, filter, sort } }),
  );
  return { id };
}

export async function renameSegment(
  ctx: Ctx,
  tenant: Tenant,
  { name, ...seen }: z.output<typeof RenamedSegment>,
): Promise<void> {
  await changeVersion(ctx, tenant, seen, { name });
}

/** The count is of the filter before, so it is taken again. */
export async function changeSegment(
  ctx: Ctx,
  tenant: Tenant,
  { filter, sort, ...seen }: z.output<typeof ChangedSegment>,
): Promise<void> {
  await requireKnownTags(ctx, tenant, filter);
  await changeVersion(ctx, tenant, seen, { filter, sort, customers: null, counted_at: null });
}

/** A run that has begun continues: it has the filter. Deleting twice is no error. */
export async function deleteSegment(
  ctx: Ctx,
  tenant: Tenant,
  { id }: z.output<typeof DeletedSegment>,
): Promise<void> {
  await dataOf(ctx, tenant).prisma.segment.deleteMany({ where: { id } });
}

async function changeVersion(
  ctx: Ctx,
  tenant: Tenant,
  { id, version: seen }: { id: string; version: number },
  data: object,
): Promise<void> {
  const { prisma } = dataOf(ctx, tenant);
  const { count } = await orNameTaken(() =>
    prisma.segment.updateMany({
      where: { id, version: seen },
      data: { ...data, version: { increment: 1 }, updated_at: ctx.clock.now() },
    }),
  );
  if (count === 1) return;
  if ((await prisma.segment.count({ where: { id } })) === 0) throw new AppError("not_found");
  throw new AppError("conflict", { fields: { version: "somebody has changed it" } });
}

async function requireKnownTags(ctx: Ctx, tenant: Tenant, filter: CustomerFilter): Promise<void> {
  const { tagIds } = await prepareFilter(ctx, tenant, filter);
  if (tagsOfFilter(filter).some((slug) => !tagIds.has(slug)))
    throw new AppError("invalid_request", {
      fields: { filter: "names a tag that does not exist" },
    });
}

async function orNameTaken<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new AppError("conflict", { fields: { name: "is taken" } });
  }
}
