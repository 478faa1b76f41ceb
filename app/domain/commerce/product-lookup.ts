// Products by id, directly from the storefront: carts and agents get current prices.
import type { Ctx } from "../../context.server.ts";
import { PRODUCTS_BY_ID } from "../../integrations/storefront/commerce-documents.ts";
import { readWhole } from "../../integrations/storefront/read-whole.ts";
import { callAdminApi } from "../tenants/storefront/admin-api.ts";
import type { Tenant } from "../tenants/tenant.ts";
import { isPublic, toProduct, type Product, type StorefrontProduct } from "./products.ts";

const GID = /^gid:\/\/shopify\/(?:Product|ProductVariant)\/\d{1,20}$/;

/** A number alone is a variant's, as in the storefront's cart addresses; other ids stay as they are. */
export const toVariantGid = (id: string): string =>
  /^\d{1,20}$/.test(id) ? `gid://shopify/ProductVariant/${id}` : id;

/** A call has a cost at the storefront, and each product includes its variants. */
const PER_CALL = 10;

/** `variantId` is null when the id was the product's own. */
export type FoundProduct = { product: Product; variantId: string | null };

type Node =
  | (StorefrontProduct & { product?: undefined })
  | { id: string; product: StorefrontProduct }
  | Record<string, never>
  | null;

/** By the requested id. Missing and unpublished products are not in the result. */
export async function findProducts(
  ctx: Ctx,
  tenant: Tenant,
  ids: readonly string[],
): Promise<Map<string, FoundProduct>> {
  const asked = [...new Set(ids)].filter((id) => GID.test(id));
  const found = new Map<string, FoundProduct>();
  if (asked.length === 0) return found;
  for (let start = 0; start < asked.length; start += PER_CALL) {
    const { nodes, shop } = await callAdminApi<{ nodes: Node[]; shop?: { currencyCode: string } }>(
      ctx,
      tenant.shop,
      { document: PRODUCTS_BY_ID, variables: { ids: asked.slice(start, start + PER_CALL) } },
    );
    readWhole("products", () => {
      for (const node of nodes) {
        if (!node || !("id" in node)) continue;
        const product = node.product ?? (node as StorefrontProduct);
        if (isPublic(product))
          found.set(node.id, {
            product: toProduct(tenant, product, shop?.currencyCode),
            variantId: node.product ? node.id : null,
          });
      }
    });
  }
  return found;
}
