import { z } from "zod";
import { ProductSearch, searchProducts } from "../domain/commerce/products.ts";
import { endpoint } from "../http/endpoint.ts";
import { readKeyCursor, toKeyCursor } from "../http/paging.ts";
import { CATALOG } from "../http/rate-limit.ts";
import { Product } from "../http/openapi/results/commerce.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary: "Products that the store shows to everybody, by words and by collection.",
    auth: "none",
    tenant: "registered",
    rateLimit: CATALOG,
    agentOperation: "search_catalog",
    query: ProductSearch,
    result: z.object({
      products: z.array(Product),
      page_info: z.object({ has_next_page: z.boolean(), end_cursor: z.string().nullable() }),
    }),
    async handle({ ctx, tenant, query: { query = "", first, after, collection = null } }) {
      const list = `products/${tenant.shop}/${collection}/${query}`;
      const page = await searchProducts(ctx, tenant, {
        query,
        first,
        after: readKeyCursor(ctx.secrets, list, after),
        collection,
      });
      const endCursor =
        page.endCursor === null ? null : toKeyCursor(ctx.secrets, list, page.endCursor);
      return {
        products: page.products,
        page_info: { has_next_page: page.hasNextPage, end_cursor: endCursor },
      };
    },
  },
});
