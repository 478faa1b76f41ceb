// The store's tags in pages.
import type { Ctx } from "../../context.server.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";

export type ListedTag = { slug: string; name: string; category: string; self_service: boolean };

/**
 * `after`: the last position of the previous page. Returns the position of the next page, null at
 * the end.
 */
export async function listCatalog(
  ctx: Ctx,
  tenant: Tenant,
  { limit, after }: { limit: number; after: number | null },
): Promise<{ tags: ListedTag[]; next: number | null }> {
  const rows = await dataOf(ctx, tenant).prisma.crmTag.findMany({
    where: { id: { gt: after ?? 0 } },
    orderBy: { id: "asc" },
    take: limit + 1,
  });
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
