// Variants at the storefront: availability, and whether a mandate covers them.
import type { Ctx } from "../../context.server.ts";
import { VARIANT_COLLECTIONS, VARIANTS } from "../../integrations/storefront/commerce-documents.ts";
import { readWhole } from "../../integrations/storefront/read-whole.ts";
import { AppError } from "../../runtime/errors.ts";
import { callAdminApi } from "../tenants/storefront/admin-api.ts";
import type { Tenant } from "../tenants/tenant.ts";
import type { LineItemInput } from "./checkout/checkout-input.ts";
import { refusal } from "./mandate.ts";

type Variant = {
  id: string;
  availableForSale?: boolean;
  product: {
    id: string;
    status?: string;
    publishedAt?: string | null;
    collections?: { nodes: { handle: string }[] };
  };
};

// A call that costs more than 1,000 points is rejected.
const IDS_AT_ONCE = { with: 8, without: 100 } as const;

/** Throws `invalid_request` that names the first one that the store does not sell publicly. */
export async function readVariants(
  ctx: Ctx,
  tenant: Tenant,
  lineItems: readonly LineItemInput[],
  collections: "with" | "without" = "without",
): Promise<Variant[]> {
  const nodes: (Variant | null)[] = [];
  for (let at = 0; at < lineItems.length; at += IDS_AT_ONCE[collections]) {
    const ids = lineItems
      .slice(at, at + IDS_AT_ONCE[collections])
      .map(({ variantId }) => variantId);
    const answer = await callAdminApi<{ nodes: (Variant | null)[] }>(ctx, tenant.shop, {
      document: collections === "with" ? VARIANT_COLLECTIONS : VARIANTS,
      variables: { ids },
    });
    nodes.push(...readWhole("products", () => [...answer.nodes]));
  }
  const byId = new Map(nodes.flatMap((node) => (node?.product ? [[node.id, node]] : [])));
  return lineItems.map(({ variantId }) => {
    const variant = byId.get(variantId);
    if (!variant || !isPublic(variant.product))
      throw new AppError("invalid_request", {
        message: `The store sells no ${variantId}.`,
        fields: { line_items: `the store sells no ${variantId}` },
      });
    return variant;
  });
}

const isPublic = ({ status, publishedAt }: Variant["product"]): boolean =>
  (status === undefined || status === "ACTIVE") && publishedAt !== null;

/** Throws `items_unavailable` that names them. */
export function requireAvailable(variants: readonly Variant[]): void {
  assertAvailable(
    variants.filter(({ availableForSale }) => availableForSale === false).map(({ id }) => id),
  );
}

export function assertAvailable(variantIds: readonly string[]): void {
  if (variantIds.length > 0)
    throw new AppError("items_unavailable", {
      message: `There is not enough of ${variantIds.join(", ")}.`,
      details: { unavailable: variantIds },
    });
}

/**
 * Checks a mandate's scope against the store's own data. Throws `mandate_refused` with the reason
 * `wrong_scope`.
 */
export function requireScope(scope: string, variants: readonly Variant[]): void {
  const [, kind, name] = /^(product|collection):(.+)$/.exec(scope) ?? [];
  const isCovered = ({ product }: Variant) =>
    scope === "all" ||
    (kind === "product"
      ? product.id === name
      : kind === "collection" &&
        product.collections?.nodes.some(({ handle }) => handle === name) === true);
  if (!variants.every(isCovered)) throw refusal("wrong_scope");
}
