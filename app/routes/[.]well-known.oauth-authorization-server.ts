import { buildServerMetadata } from "../domain/agents/oauth/metadata.ts";
import { addressFor, publicDocument } from "../http/agents/discovery.ts";
import { endpoint } from "../http/endpoint.ts";
import { ServerMetadata } from "../http/openapi/results/agents.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary: "Where agents get access tokens (RFC 8414).",
    auth: "none",
    tenant: "registered",
    isCacheable: true,
    answers: { 200: "The metadata.", 304: "It is the one that If-None-Match names." },
    result: ServerMetadata,
    handle: async ({ ctx, request, tenant }) =>
      publicDocument(
        request,
        buildServerMetadata(tenant, addressFor(ctx, request, tenant), {
          isByPath: false,
          deployedShop: ctx.config.STOREFRONT_STORE_DOMAIN,
        }),
      ),
  },
});
