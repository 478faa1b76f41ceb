// What a merchant does to the catalogue of tags. A slug never changes: other systems know the tag by it.
import { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import { AppError } from "../../runtime/errors.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { createTags } from "./assignments.ts";
import { DEFAULT_TAGS, TAG_CATEGORIES, toSlug } from "./catalog.ts";
import { initTagStep, TAG_STEPS } from "./init-tag-system.ts";

const name = z.string().transform((text) => text.normalize("NFKC").trim().replace(/\s+/g, " ")).pipe(z.string().min(1).max(80));
const slug = z.string().max(40);

export const TagAction = z.discriminatedUnion("intent", [
  z.object({ intent: z.literal("create"), name: name.refine((text) => toSlug(text) !== "", "must hold a letter a-z or a digit"), category: z.enum(TAG_CATEGORIES) }),
  z.object({ intent: z.literal("rename"), slug, name }),
  z.object({ intent: z.literal("delete"), slug }),
  z.object({ intent: z.literal("prepare"), step: z.enum(TAG_STEPS) }),
]);

export async function performTagAction(ctx: Ctx, tenant: Tenant, asked: z.output<typeof TagAction>) {
  const { sql } = dataOf(ctx, tenant);
  switch (asked.intent) {
    case "create": {
      const known = DEFAULT_TAGS.find((tag) => tag.slug === toSlug(asked.name));
      const [made] = await createTags(sql, [known ?? { name: asked.name, slug: toSlug(asked.name), category: asked.category }]);
      if (!made) throw new AppError("conflict", { fields: { name: "exists" } });
      return { intent: asked.intent, slug: made };
    }
    case "rename": {
      const renamed = await sql("UPDATE crm_tags SET name = $3 WHERE shop = $1 AND slug = $2 RETURNING id", [asked.slug, asked.name]);
      if (renamed.length === 0) throw new AppError("not_found");
      return { intent: asked.intent, slug: asked.slug };
    }
    case "delete":
      await deleteUnusedTag(ctx, tenant, asked.slug);
      return { intent: asked.intent, slug: asked.slug };
    case "prepare":
      return { intent: asked.intent, ...(await initTagStep(ctx, tenant, asked.step)) };
  }
}

/** Throws `conflict` for one that somebody has, and for the tags that every store starts with. */
async function deleteUnusedTag(ctx: Ctx, tenant: Tenant, slug: string): Promise<void> {
  if (DEFAULT_TAGS.some((tag) => tag.slug === slug)) throw new AppError("conflict", { fields: { slug: "is a tag that every store has" } });
  await dataOf(ctx, tenant).transaction(async (sql) => {
    // Locked first: an assignment that is made meanwhile waits, and then finds no tag, instead of vanishing with it.
    const [tag] = await sql<{ id: number }>("SELECT id FROM crm_tags WHERE shop = $1 AND slug = $2 FOR UPDATE", [slug]);
    if (!tag) throw new AppError("not_found");
    const used = await sql("SELECT 1 FROM user_tag_map WHERE shop = $1 AND tag_id = $2 LIMIT 1", [tag.id]);
    if (used.length > 0) throw new AppError("conflict", { fields: { slug: "is in use" } });
    await sql("DELETE FROM crm_tags WHERE shop = $1 AND id = $2", [tag.id]);
  });
}
