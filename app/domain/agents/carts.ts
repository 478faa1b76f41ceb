// Agents' carts, before the buyer is known. A cart has ids and quantities without personal data;
// its prices are the storefront's current ones. The cart's id is the credential, for a week after
// its last change.
import { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import { AppError } from "../../runtime/errors.ts";
import type { TenantSql } from "../../runtime/database/database.ts";
import { deleteKey, findKey, putKey } from "../../runtime/database/kv.ts";
import { KEYS, TTL_SECONDS } from "../../runtime/database/kv-keys.ts";
import { findProducts, toVariantGid } from "../commerce/product-lookup.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { toPriceUnits } from "./minor-units.ts";
import { errorMessage, linksOf, totalsOf, type UcpMessage } from "./ucp/envelope.ts";

const MAX_LINES = 100;
const MAX_QUANTITY = 1_000;
const VARIANT = /^gid:\/\/shopify\/ProductVariant\/\d{1,20}$/;
const PRODUCT = /^gid:\/\/shopify\/Product\/\d{1,20}$/;

/** A line as UCP defines it; a shop's own variant number is accepted like its gid. */
const Line = z.looseObject({
  item: z.looseObject({
    id: z
      .string()
      .min(1)
      .max(255)
      .describe("The id of a variant, as the catalog names it.")
      .transform(toVariantGid),
  }),
  quantity: z.int().min(1).max(MAX_QUANTITY),
});
export const LinesOrNone = z
  .array(Line)
  .max(MAX_LINES)
  .superRefine((lines, context) => {
    const sums = new Map<string, number>();
    for (const [index, { item, quantity }] of lines.entries()) {
      const sum = (sums.get(item.id) ?? 0) + quantity;
      sums.set(item.id, sum);
      if (sum > MAX_QUANTITY)
        context.addIssue({
          code: "custom",
          path: [index, "quantity"],
          message: `Too many of this item: at most ${MAX_QUANTITY} in all lines together`,
        });
    }
  });
export const Lines = LinesOrNone.min(1);

export type CartLine = { variantId: string; quantity: number };
type StoredCart = { lines: CartLine[]; expires_at: string };

/** One line per variant, like the storefront's. */
export function toCartLines(lines: z.output<typeof Lines>): CartLine[] {
  const byVariant = new Map<string, number>();
  for (const { item, quantity } of lines)
    byVariant.set(item.id, (byVariant.get(item.id) ?? 0) + quantity);
  return [...byVariant].map(([variantId, quantity]) => ({ variantId, quantity }));
}

const noCart = () =>
  new AppError("not_found", { message: "There is no such cart, or it is too old." });

/** Throws `not_found` for what is no id of ours. */
export function requireCartId(id: string): string {
  if (!z.uuid().safeParse(id).success) throw noCart();
  return id;
}

/** Throws `not_found`. */
export async function readCart(ctx: Ctx, tenant: Tenant, id: string): Promise<StoredCart> {
  const kept = await findKey<StoredCart>(
    dataOf(ctx, tenant).sql,
    KEYS.agentCart(requireCartId(id)),
  );
  if (!kept) throw noCart();
  return kept.value;
}

export const saveCart = (sql: TenantSql, id: string, cart: StoredCart): Promise<void> =>
  putKey(sql, KEYS.agentCart(id), cart, TTL_SECONDS.agentCart);

/** It ends a week after its last change. */
export const toStoredCart = (ctx: Ctx, lines: CartLine[]): StoredCart => ({
  lines,
  expires_at: new Date(ctx.clock.now().getTime() + TTL_SECONDS.agentCart * 1_000).toISOString(),
});

export const dropCart = (sql: TenantSql, id: string): Promise<void> =>
  deleteKey(sql, KEYS.agentCart(id));

/** The storefront's own page for these lines (shopify.dev "Cart permalinks"). */
const continueUrl = (tenant: Tenant, lines: readonly CartLine[]): string =>
  `https://${tenant.shop}/cart/${lines.map(({ variantId, quantity }) => `${variantId.split("/").pop()}:${quantity}`).join(",")}`;

const whatIs = (id: string): string =>
  PRODUCT.test(id)
    ? "a product: name the id of one of its variants"
    : "nothing that this store sells";

/** Throws `items_unavailable` for an item that the store does not sell. */
function priceLine(
  products: Awaited<ReturnType<typeof findProducts>>,
  { variantId, quantity }: CartLine,
  index: number,
) {
  const product = VARIANT.test(variantId) ? products.get(variantId)?.product : undefined;
  const variant = product?.variants.find((one) => one.id === variantId);
  if (!product || !variant)
    throw new AppError("items_unavailable", {
      message: `Item ${index + 1} is ${whatIs(variantId)}.`,
    });
  const { currency, amount } = variant.price;
  const price = toPriceUnits(amount, currency);
  const title =
    variant.title === "Default Title" ? product.title : `${product.title} – ${variant.title}`;
  return {
    currency,
    line: {
      id: `li_${index + 1}`,
      item: {
        id: variantId,
        title,
        price,
        ...(product.image && { image_url: product.image.url }),
      },
      quantity,
      totals: totalsOf(price * quantity, price * quantity),
    },
    problem: variant.available ? null : soldOut(index),
  };
}

const soldOut = (index: number): UcpMessage =>
  errorMessage(
    "out_of_stock",
    "There is none of this item left.",
    "recoverable",
    `$.line_items[${index}]`,
  );

/** Throws `items_unavailable` when the store does not sell one of them. */
export async function showCart(
  ctx: Ctx,
  tenant: Tenant,
  id: string,
  { lines, expires_at }: StoredCart,
) {
  const products = await findProducts(
    ctx,
    tenant,
    lines.map(({ variantId }) => variantId),
  );
  const priced = lines.map((line, index) => priceLine(products, line, index));
  const messages = priced.flatMap(({ problem }) => problem ?? []);
  const sum = priced.reduce((total, { line }) => total + line.item.price * line.quantity, 0);
  return {
    id,
    line_items: priced.map(({ line }) => line),
    currency: priced[0]?.currency ?? "",
    totals: totalsOf(sum, sum),
    links: linksOf(tenant),
    continue_url: continueUrl(tenant, lines),
    expires_at,
    ...(messages.length > 0 && { messages }),
  };
}
