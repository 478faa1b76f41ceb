// The store's tags, page by page.
import type { Ctx } from "../../context.server.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";

export type ListedTag = { slug: string; name: string; category: string; self_service: boolean };

/** `after`: the position a former page ended at. Answers the position of the next page, null at the end. */
export async function listCatalog(
  ctx: Ctx,
  tenant: Tenant,
  { limit, after }: { limit: number; after: number | null },
): Promise<{ tags: ListedTag[]; next: number | null }> {
  const rows = await dataOf(ctx, tenant).sql<{
    id: number;
    slug: string;
    name: string;
    category: string;
  }>(
    "SELECT id, slug, name, category FROM crm_tags WHERE shop = $1 AND id > $2 ORDER BY id LIMIT $3",
    [after ?? 0, limit + 1],
  );
  const page = rows.slice(0, limit);
  const own = new Set<string>(tenant.config.self_service_tag_categories);
  return {
    tags: page.map(({ slug, name, category }) => ({
      slug,
      name,
      category,
      self_service: own.has(category),
    })),
    next: rows.length > limit ? (page.at(-1)?.id ?? null) : null,
  };
}
