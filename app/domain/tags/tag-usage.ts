// A store's tags with the number of people who have each. A tag's people are counted up to a bound,
// because a count costs what it counts.
import { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import type { Columns, CrmTag } from "../../db.server.ts";
import { foldText } from "./fold-text.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { TAG_CATEGORIES } from "../inventory/tag-categories.ts";
import { DEFAULT_TAGS } from "./catalog.ts";

/** Dated form tags grow every day: beyond this number tags are found by prefix search. */
const MAX_TAGS_SHOWN = 300;
/** How many people of one tag are counted; one more means "more than that". */
const MAX_PEOPLE_COUNTED = 10_000;

export const TagQuery = z.object({
  category: z.enum(TAG_CATEGORIES).optional().catch(undefined),
  q: z.string().trim().min(1).max(80).optional().catch(undefined),
});

type UsedTag = Columns<CrmTag, "slug" | "name" | "category"> & {
  people: number;
  isDefault: boolean;
};
export type TagUsage = { tags: UsedTag[]; hasMore: boolean; isEmpty: boolean };

/** Over `crm_tags t`; `condition`: over `user_tag_map m`. */
const people = (condition = "") => `(SELECT count(*)::int FROM (
    SELECT 1 FROM user_tag_map m WHERE m.shop = t.shop AND m.tag_id = t.id ${condition}
    LIMIT ${MAX_PEOPLE_COUNTED + 1}
  ) AS counted)`;

/** A name without case and accents, as `foldText` folds what is searched, and as names are sorted. */
const folded = (name: string): string =>
  `regexp_replace(lower(normalize(${name}, NFKD) COLLATE "und-x-icu"), U&'[\\0300-\\036f]', '', 'g')`;

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
    `SELECT t.slug, t.name, t.category, ${people()} AS people FROM (
       SELECT * FROM crm_tags
       WHERE shop = $1 AND ($2::text IS NULL OR category = $2) AND ($3::text IS NULL
         OR starts_with(${folded("name")}, $3) OR starts_with(slug, $3))
       ORDER BY array_position($4::text[], category), ${folded("name")} COLLATE "und-x-icu", slug LIMIT ${MAX_TAGS_SHOWN + 1}
     ) AS t ORDER BY array_position($4::text[], t.category), ${folded("t.name")} COLLATE "und-x-icu", t.slug`,
    [category, q ? foldText(q) : null, TAG_CATEGORIES],
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

/** The customers for whom the rules set each of these tags, also when the list of tags shows others. */
export async function countBySystem(
  ctx: Ctx,
  tenant: Tenant,
  slugs: readonly string[],
): Promise<Record<string, number>> {
  const rows = await dataOf(ctx, tenant).sql<Columns<CrmTag, "slug"> & { people: number }>(
    `SELECT t.slug, ${people("AND m.source = 'system'")} AS people FROM crm_tags t WHERE t.shop = $1 AND t.slug = ANY($2::text[])`,
    [slugs],
  );
  return Object.fromEntries(rows.map((row) => [row.slug, row.people]));
}

async function isWithoutTags(ctx: Ctx, tenant: Tenant): Promise<boolean> {
  return (await dataOf(ctx, tenant).prisma.crmTag.findFirst()) === null;
}
