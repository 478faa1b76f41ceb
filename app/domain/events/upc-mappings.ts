// A store's SKUs and their UPCs (table `product_upc_mapping`), for the retail-measurement partners.
import { z } from "zod";
import type { TenantSql } from "../../runtime/database.ts";

const sku = z.string().trim().min(1, "is missing").max(255, "is too long");
export const UpcMapping = z.object({ sku, upc: z.string().trim().regex(/^\d{8,14}$/, "must be 8 to 14 digits") });
export type UpcMapping = z.output<typeof UpcMapping>;
export const UpcMappings = z.object({ mappings: z.array(UpcMapping).min(1).max(1_000, "at most 1,000 at once") });

export async function findUpcs(sql: TenantSql, skus: readonly string[]): Promise<Map<string, string>> {
  if (skus.length === 0) return new Map();
  const rows = await sql<UpcMapping>("SELECT sku, upc FROM product_upc_mapping WHERE shop = $1 AND sku = ANY($2::text[])", [skus]);
  return new Map(rows.map((row) => [row.sku, row.upc]));
}
