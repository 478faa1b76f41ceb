// `GET /commerce/products` (DECISIONS 11): the store's public products, directly from the
// storefront, cached for half a minute per process. Nothing is stored.
import { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import {
  COLLECTION_BY_HANDLE,
  PRODUCTS,
} from "../../integrations/storefront/commerce-documents.ts";
import { readWhole } from "../../integrations/storefront/read-whole.ts";
import { createAnswerCache, type AnswerCache } from "../../runtime/answer-cache.ts";
import { callAdminApi } from "../tenants/storefront/admin-api.ts";
import type { Tenant } from "../tenants/tenant.ts";
import { toLink, toPlainText } from "./catalog-text.ts";
import { toAmount, toMoney, type StorefrontMoney } from "./money.ts";

/** What is published in place of the pattern is one that engines without Unicode classes read too. */
export const CollectionHandle = z
  .string()
  .regex(/^[\p{L}\p{N}_-]{1,255}$/u, "must be the handle of a collection")
  .meta({ pattern: "^[^\\s/:]{1,255}$" });

export const ProductSearch = z.object({
  query: z.string().max(200).optional(),
  first: z
    .string()
    .regex(/^\d{1,4}$/, "must be a whole number")
    .transform(Number)
    .pipe(z.number().min(1, "must be 1 to 100").max(100, "must be 1 to 100"))
    .default(20),
  after: z.string().max(2_000).optional(),
  collection: CollectionHandle.optional(),
});

/** `after` is the storefront's own cursor. */
export type ProductQuery = {
  query: string;
  first: number;
  after: string | null;
  collection: string | null;
};

export type StorefrontProduct = {
  id: string;
  handle: string;
  title: string;
  description: string | null;
  vendor: string | null;
  productType: string | null;
  status?: string;
  publishedAt?: string | null;
  onlineStoreUrl: string | null;
  tags?: string[];
  featuredMedia?: {
    preview: { image: { url: string; altText: string | null } | null } | null;
  } | null;
  priceRangeV2: { minVariantPrice: StorefrontMoney; maxVariantPrice: StorefrontMoney };
  variants: {
    nodes: {
      id: string;
      title: string;
      sku?: string | null;
      barcode?: string | null;
      price: string;
      availableForSale: boolean;
    }[];
  };
};
type Found = {
  products: {
    nodes: StorefrontProduct[];
    pageInfo?: { hasNextPage: boolean; endCursor: string | null };
  };
  shop?: { currencyCode: string };
};

const MAX = { title: 255, description: 2_000, word: 255, tags: 50 } as const;
const KEPT_MS = 30_000;
/** In characters of JSON. A page of a hundred products may have megabytes, and anybody may ask for any number of them. */
const MAX_KEPT_SIZE = 16 * 1024 * 1024;
const MAX_WORDS = 20;

type Page = { products: Product[]; hasNextPage: boolean; endCursor: string | null };
const caches = new WeakMap<Ctx, AnswerCache<Page>>();

function cacheOf(ctx: Ctx): AnswerCache<Page> {
  const known = caches.get(ctx);
  if (known) return known;
  const made = createAnswerCache<Page>({
    clock: ctx.clock,
    keptMs: KEPT_MS,
    maxSize: MAX_KEPT_SIZE,
    sizeOf: (page) => JSON.stringify(page).length,
  });
  caches.set(ctx, made);
  return made;
}

export const searchProducts = (ctx: Ctx, tenant: Tenant, query: ProductQuery): Promise<Page> =>
  cacheOf(ctx)(JSON.stringify([tenant.shop, query]), () => fetchProducts(ctx, tenant, query));

/**
 * Converts search words to the storefront's search syntax. Only letters, digits and joining
 * characters: a shopper's text can neither name a field (`status:draft`) nor use AND, OR or NOT.
 */
export function toSearchTerms(text: string): string[] {
  const words =
    text
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{N}][\p{L}\p{N}_.'-]*/gu) ?? [];
  return words.slice(0, MAX_WORDS);
}

async function fetchProducts(
  ctx: Ctx,
  tenant: Tenant,
  { query, first, after, collection }: ProductQuery,
): Promise<Page> {
  const terms = ["status:active", "published_status:published"];
  if (collection !== null) {
    const { collectionByIdentifier: found } = await callAdminApi<{
      collectionByIdentifier: { id: string } | null;
    }>(ctx, tenant.shop, { document: COLLECTION_BY_HANDLE, variables: { handle: collection } });
    if (!found) return { products: [], hasNextPage: false, endCursor: null };
    terms.push(`collection_id:${readWhole("a collection", () => found.id.split("/").pop())}`);
  }
  const words = toSearchTerms(query);
  if (query.trim() !== "" && words.length === 0)
    return { products: [], hasNextPage: false, endCursor: null };
  const { products, shop } = await callAdminApi<Found>(ctx, tenant.shop, {
    document: PRODUCTS,
    variables: { first, after, query: [...terms, ...words].join(" ") },
  });
  return readWhole("products", () => ({
    products: products.nodes
      .filter(isPublic)
      .map((product) => toProduct(tenant, product, shop?.currencyCode)),
    hasNextPage: products.pageInfo?.hasNextPage ?? false,
    endCursor: products.pageInfo?.hasNextPage ? products.pageInfo.endCursor : null,
  }));
}

/** Checked here again: an unknown filter is ignored by the storefront and would show drafts. */
export const isPublic = ({ status, publishedAt }: StorefrontProduct): boolean =>
  (status === undefined || status === "ACTIVE") && publishedAt !== null;

const toWord = (text: string | null | undefined): string | null =>
  text === null || text === undefined ? null : toPlainText(text, MAX.word);

export type Product = ReturnType<typeof toProduct>;

export function toProduct(
  tenant: Tenant,
  product: StorefrontProduct,
  shopCurrency: string | undefined,
) {
  const image = product.featuredMedia?.preview?.image;
  const imageUrl = toLink(image?.url);
  const currency = shopCurrency ?? product.priceRangeV2.minVariantPrice.currencyCode;
  return {
    id: product.id,
    handle: product.handle,
    title: toPlainText(product.title, MAX.title),
    description: toPlainText(product.description, MAX.description),
    vendor: toPlainText(product.vendor, MAX.word),
    product_type: toPlainText(product.productType, MAX.word),
    tags: (product.tags ?? []).slice(0, MAX.tags).map((tag) => toPlainText(tag, MAX.word)),
    url:
      toLink(product.onlineStoreUrl) ??
      `https://${tenant.shop}/products/${encodeURIComponent(product.handle)}`,
    image: imageUrl ? { url: imageUrl, alt: toPlainText(image?.altText, MAX.word) } : null,
    price_range: {
      min: toMoney(product.priceRangeV2.minVariantPrice),
      max: toMoney(product.priceRangeV2.maxVariantPrice),
    },
    variants: product.variants.nodes.map((variant) => ({
      id: variant.id,
      title: toPlainText(variant.title, MAX.title),
      sku: toWord(variant.sku),
      barcode: toWord(variant.barcode),
      price: { amount: toAmount(variant.price), currency },
      available: variant.availableForSale,
    })),
  };
}
