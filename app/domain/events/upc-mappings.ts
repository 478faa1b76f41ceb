// A store's SKUs and their UPCs (table `product_upc_mapping`), for the retail-measurement partners.
import { z } from "zod";
import type { TenantPrisma, TenantSql } from "../../db.server.ts";

const sku = z.string().trim().min(1, "is missing").max(255, "is too long");
export const UpcMapping = z.object({
  sku,
  upc: z
    .string()
    .trim()
    .regex(/^\d{8,14}$/, "must be 8 to 14 digits"),
});
export type UpcMapping = z.output<typeof UpcMapping>;
export const UpcMappings = z.object({
  mappings: z.array(UpcMapping).min(1).max(1_000, "at most 1,000 at once"),
});

/**
 * One page in the order of the SKUs. `next` is the cursor of the following page, null at the end.
 */
export async function listUpcMappings(
  prisma: TenantPrisma,
  { after, limit }: { after: string | null; limit: number },
): Promise<{ mappings: UpcMapping[]; next: string | null }> {
  const rows = await prisma.productUpcMapping.findMany({
    select: { sku: true, upc: true },
    where: after === null ? {} : { sku: { gt: after } },
    orderBy: { sku: "asc" },
    take: limit + 1,
  });
  const mappings = rows.slice(0, limit);
  return { mappings, next: rows.length > limit ? (mappings.at(-1)?.sku ?? null) : null };
}

/**
 * The last entry of a repeated SKU counts. Locks the rows in the order of their SKUs; safe to
 * repeat.
 */
export async function saveUpcMappings(
  sql: TenantSql,
  mappings: readonly UpcMapping[],
): Promise<number> {
  const bySku = new Map(mappings.map(({ sku: name, upc }) => [name, upc]));
  await sql(
    `INSERT INTO product_upc_mapping (shop, sku, upc) SELECT $1, sku, upc
      FROM unnest($2::text[], $3::text[]) AS m(sku, upc) ORDER BY sku
     ON CONFLICT (shop, sku) DO UPDATE SET upc = excluded.upc`,
    [[...bySku.keys()], [...bySku.values()]],
  );
  return bySku.size;
}

export async function findUpcs(
  prisma: TenantPrisma,
  skus: readonly string[],
): Promise<Map<string, string>> {
  if (skus.length === 0) return new Map();
  const rows = await prisma.productUpcMapping.findMany({ where: { sku: { in: [...skus] } } });
  return new Map(rows.map((row) => [row.sku, row.upc]));
}
