/** Products, collections and variants of the sandbox Admin API. */
import { GraphQLError } from "graphql";
import { catalogOf, collectionsOf, findVariant, isForSale, searchProducts } from "../catalog.ts";
import type { Product } from "../catalog.ts";
import type { GraphqlContext } from "./admin-api.ts";
import { pageOf } from "../pages.ts";
import type { PageArguments } from "../pages.ts";
import { requireAccess } from "../scopes.ts";
import type { ShopState } from "../state.ts";

export const catalogResolvers: Record<string, unknown> = {
  products: (
    { query, ...page }: PageArguments & { query?: string | null },
    { shop, scope }: GraphqlContext,
  ) => {
    requireAccess(scope, "products", "read_products");
    const { nodes, pageInfo } = pageOf(searchProducts(shop, query ?? ""), page, ({ gid }) => gid);
    return { nodes: nodes.map((product) => toGraphqlProduct(shop, product)), pageInfo };
  },

  collectionByIdentifier: (
    { identifier }: { identifier: { handle?: string; id?: string } },
    { shop, scope }: GraphqlContext,
  ) => {
    requireAccess(scope, "collectionByIdentifier", "read_products");
    if (identifier.handle === undefined)
      throw new GraphQLError("The sandbox finds collections by handle");
    const collection = catalogOf(shop).collections[identifier.handle];
    return collection ? { id: collection.gid, handle: collection.handle } : null;
  },

  nodes: ({ ids }: { ids: string[] }, { shop, scope }: GraphqlContext) => {
    requireAccess(scope, "nodes", "read_products");
    return ids.map((id) => {
      if (!/^gid:\/\/shopify\/\w+\/\d+$/.test(id))
        throw new GraphQLError(`Invalid global id '${id}'`, {
          extensions: { code: "argumentLiteralsIncompatible" },
        });
      const whole = catalogOf(shop).products[id];
      if (whole) return { __typename: "Product", ...toGraphqlProduct(shop, whole) };
      const found = findVariant(shop, id);
      if (!found) return null;
      const collections = {
        nodes: collectionsOf(shop, found.product.gid).map(({ handle }) => ({ handle })),
      };
      return {
        __typename: "ProductVariant",
        id,
        availableForSale: isForSale(found.variant),
        product: { ...toGraphqlProduct(shop, found.product), collections },
      };
    });
  },
};

function toGraphqlProduct(shop: ShopState, product: Product): Record<string, unknown> {
  const money = (amount: string) => ({ amount, currencyCode: shop.currencyCode });
  const byPrice = product.variants.toSorted((a, b) => Number(a.price) - Number(b.price));
  return {
    ...product,
    id: product.gid,
    onlineStoreUrl:
      product.publishedAt === null ? null : `https://${shop.domain}/products/${product.handle}`,
    featuredMedia: product.image
      ? {
          __typename: "MediaImage",
          id: `gid://shopify/MediaImage/${product.gid.split("/").pop()}`,
          preview: { image: product.image },
        }
      : null,
    priceRangeV2: {
      minVariantPrice: money(byPrice[0]?.price ?? "0.0"),
      maxVariantPrice: money(byPrice.at(-1)?.price ?? "0.0"),
    },
    variants: {
      nodes: product.variants.map((variant) => ({
        ...variant,
        id: variant.gid,
        availableForSale: isForSale(variant),
      })),
    },
  };
}
