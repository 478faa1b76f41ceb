// What a merchant does to the catalogue of tags. A slug never changes: other systems know the tag by it.
import { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import { AppError } from "../../runtime/errors.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { createTags } from "./assignments.ts";
import { DEFAULT_TAGS, TAG_CATEGORIES, toSlug } from "./catalog.ts";

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

/** Throws `conflict` when there is one of this slug. */
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
  const renamed = await dataOf(ctx, tenant).sql(
    "UPDATE crm_tags SET name = $3 WHERE shop = $1 AND slug = $2 RETURNING id",
    [slug, wanted],
  );
  if (renamed.length === 0) throw new AppError("not_found");
}

/** Throws `conflict` for one that somebody has, and for the tags that every store starts with. */
export async function deleteUnusedTag(
  ctx: Ctx,
  tenant: Tenant,
  { slug }: z.output<typeof NamedTag>,
): Promise<void> {
  if (DEFAULT_TAGS.some((tag) => tag.slug === slug))
    throw new AppError("conflict", { fields: { slug: "is a tag that every store has" } });
  await dataOf(ctx, tenant).transaction(async (sql) => {
    // Locked first: an assignment that is made meanwhile waits, and then finds no tag, instead of vanishing with it.
    const [tag] = await sql<{ id: number }>(
      "SELECT id FROM crm_tags WHERE shop = $1 AND slug = $2 FOR UPDATE",
      [slug],
    );
    if (!tag) throw new AppError("not_found");
    const used = await sql("SELECT 1 FROM user_tag_map WHERE shop = $1 AND tag_id = $2 LIMIT 1", [
      tag.id,
    ]);
    if (used.length > 0) throw new AppError("conflict", { fields: { slug: "is in use" } });
    await sql("DELETE FROM crm_tags WHERE shop = $1 AND id = $2", [tag.id]);
  });
}
