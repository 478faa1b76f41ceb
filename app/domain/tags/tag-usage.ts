// A store's tags with the number of people who have each: one pass over the assignments, on their
// index by tag.
import { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import type { Columns, CrmTag } from "../../db.server.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { DEFAULT_TAGS, TAG_CATEGORIES } from "./catalog.ts";
import { SYSTEM_TAGS } from "./system-tag-rules.ts";

/** Dated form tags grow every day: beyond this number tags are found by prefix search. */
const MAX_TAGS_SHOWN = 300;

export const TagQuery = z.object({
  category: z.enum(TAG_CATEGORIES).optional().catch(undefined),
  q: z.string().trim().min(1).max(80).optional().catch(undefined),
});

type UsedTag = Columns<CrmTag, "slug" | "name" | "category"> & {
  people: number;
  isDefault: boolean;
};
export type TagUsage = { tags: UsedTag[]; hasMore: boolean; isEmpty: boolean };

const SLUGS = new Set(DEFAULT_TAGS.map(({ slug }) => slug));

export async function readTagUsage(
  ctx: Ctx,
  tenant: Tenant,
  {
    category = null,
    q = null,
  }: { category?: string | null | undefined; q?: string | null | undefined },
): Promise<TagUsage> {
  const { sql } = dataOf(ctx, tenant);
  const rows = await sql<Omit<UsedTag, "isDefault">>(
    `WITH listed AS (
       SELECT id, slug, name, category FROM crm_tags
       WHERE shop = $1 AND ($2::text IS NULL OR category = $2) AND ($3::text IS NULL
         OR starts_with(lower(name), $3) OR starts_with(slug, $3))
       ORDER BY array_position($4::text[], category), lower(name), slug LIMIT ${MAX_TAGS_SHOWN + 1}
     )
     SELECT l.slug, l.name, l.category, coalesce(used.people, 0)::int AS people FROM listed l
     LEFT JOIN (SELECT tag_id, count(*) AS people FROM user_tag_map WHERE shop = $1
       GROUP BY tag_id) AS used ON used.tag_id = l.id
     ORDER BY array_position($4::text[], l.category), lower(l.name), l.slug`,
    [category, q?.toLowerCase() ?? null, TAG_CATEGORIES],
  );
  const tags = rows
    .slice(0, MAX_TAGS_SHOWN)
    .map((tag) => ({ ...tag, isDefault: SLUGS.has(tag.slug) }));
  return {
    tags,
    hasMore: rows.length > MAX_TAGS_SHOWN,
    isEmpty: tags.length === 0 && (await isWithoutTags(ctx, tenant)),
  };
}

/** The customers who have each tag of the rules, also when the list of tags shows others. */
export async function countSystemTags(ctx: Ctx, tenant: Tenant): Promise<Record<string, number>> {
  const rows = await dataOf(ctx, tenant).sql<Columns<CrmTag, "slug"> & { people: number }>(
    `SELECT t.slug, (SELECT count(*) FROM user_tag_map m WHERE m.shop = t.shop AND m.tag_id = t.id)::int
       AS people FROM crm_tags t WHERE t.shop = $1 AND t.slug = ANY($2::text[])`,
    [SYSTEM_TAGS],
  );
  return Object.fromEntries(rows.map(({ slug, people }) => [slug, people]));
}

async function isWithoutTags(ctx: Ctx, tenant: Tenant): Promise<boolean> {
  return (await dataOf(ctx, tenant).prisma.crmTag.findFirst()) === null;
}
