import { buildResourceMetadata } from "../domain/agents/oauth/metadata.ts";
import { addressFor, publicDocument } from "../http/agents/discovery.ts";
import { endpoint } from "../http/endpoint.ts";
import { ResourceMetadata } from "../http/openapi/results/agents.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary: "What agents need a token for, and who gives it (RFC 9728).",
    auth: "none",
    tenant: "registered",
    isCacheable: true,
    answers: { 200: "The metadata.", 304: "It is the one that If-None-Match names." },
    result: ResourceMetadata,
    handle: async ({ ctx, request, tenant }) =>
      publicDocument(
        request,
        buildResourceMetadata(
          tenant,
          addressFor(ctx, request, tenant),
          null,
          ctx.config.STOREFRONT_STORE_DOMAIN,
        ),
      ),
  },
});
