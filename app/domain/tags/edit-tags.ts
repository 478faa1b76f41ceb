// A merchant's changes to the tag catalog. A slug never changes: other systems identify the tag by it.
import { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import type { Columns, CrmTag } from "../../db.server.ts";
import { AppError } from "../../runtime/errors.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { createTags } from "./assignments.ts";
import { TAG_CATEGORIES } from "../inventory/tag-categories.ts";
import { DEFAULT_TAGS, toSlug } from "./catalog.ts";

const name = z
  .string()
  .transform((text) => text.normalize("NFKC").trim().replace(/\s+/g, " "))
  .pipe(z.string().min(1).max(80));

export const NewTag = z.object({
  name: name.refine((text) => toSlug(text) !== "", "must hold a letter a-z or a digit"),
  category: z.enum(TAG_CATEGORIES),
});
export const NamedTag = z.object({ slug: z.string().max(40) });
export const RenamedTag = NamedTag.extend({ name });

/** Throws `conflict` when the slug exists. */
export async function createTag(
  ctx: Ctx,
  tenant: Tenant,
  { name: wanted, category }: z.output<typeof NewTag>,
): Promise<void> {
  const slug = toSlug(wanted);
  const known = DEFAULT_TAGS.find((tag) => tag.slug === slug);
  const made = await createTags(dataOf(ctx, tenant).sql, [
    known ?? { name: wanted, slug, category },
  ]);
  if (made.length === 0) throw new AppError("conflict", { fields: { name: "exists" } });
}

/** Throws `not_found`. */
export async function renameTag(
  ctx: Ctx,
  tenant: Tenant,
  { slug, name: wanted }: z.output<typeof RenamedTag>,
): Promise<void> {
  const renamed = await dataOf(ctx, tenant).prisma.crmTag.updateMany({
    where: { slug },
    data: { name: wanted },
  });
  if (renamed.count === 0) throw new AppError("not_found");
}

/** Throws `conflict` for an assigned tag and for a default tag. */
export async function deleteUnusedTag(
  ctx: Ctx,
  tenant: Tenant,
  { slug }: z.output<typeof NamedTag>,
): Promise<void> {
  if (DEFAULT_TAGS.some((tag) => tag.slug === slug))
    throw new AppError("conflict", { fields: { slug: "is a tag that every store has" } });
  await dataOf(ctx, tenant).transaction(async (sql, prisma) => {
    // Locked first: a concurrent assignment waits and then finds no tag, instead of being deleted
    // with it.
    const [tag] = await sql<Columns<CrmTag, "id">>(
      "SELECT id FROM crm_tags WHERE shop = $1 AND slug = $2 FOR UPDATE",
      [slug],
    );
    if (!tag) throw new AppError("not_found");
    const used = await prisma.userTagMap.findFirst({ where: { tag_id: tag.id } });
    if (used) throw new AppError("conflict", { fields: { slug: "is in use" } });
    await prisma.crmTag.deleteMany({ where: { id: tag.id } });
  });
}
