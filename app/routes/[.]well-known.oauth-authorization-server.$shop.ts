import { buildServerMetadata } from "../domain/agents/oauth/metadata.ts";
import { SHOP_PATTERN } from "../domain/tenants/tenant-config.ts";
import { getTenant } from "../domain/tenants/tenant.ts";
import { addressFor, publicDocument } from "../http/agents/discovery.ts";
import { endpoint } from "../http/endpoint.ts";
import { ServerMetadata } from "../http/openapi/results/agents.ts";
import { AppError } from "../runtime/errors.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary: "The same for the issuer that has the store as its path.",
    auth: "none",
    tenant: "none",
    isCacheable: true,
    answers: { 200: "The metadata.", 304: "It is the one that If-None-Match names." },
    result: ServerMetadata,
    async handle({ ctx, request, params }) {
      const { shop = "" } = params;
      if (!SHOP_PATTERN.test(shop)) throw new AppError("unknown_tenant");
      const tenant = await getTenant(ctx, shop);
      return publicDocument(
        request,
        buildServerMetadata(tenant, addressFor(ctx, request, tenant), {
          isByPath: true,
          deployedShop: ctx.config.STOREFRONT_STORE_DOMAIN,
        }),
      );
    },
  },
});
