import { buildResourceMetadata, RESOURCES } from "../domain/agents/oauth/metadata.ts";
import { addressFor, publicDocument } from "../http/agents/discovery.ts";
import { endpoint } from "../http/endpoint.ts";
import { ResourceMetadata } from "../http/openapi/results/agents.ts";
import { AppError } from "../runtime/errors.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary: "The same for one of the addresses that agents talk to: `mcp` or `a2a`.",
    auth: "none",
    tenant: "registered",
    isCacheable: true,
    answers: { 200: "The metadata.", 304: "It is the one that If-None-Match names." },
    result: ResourceMetadata,
    async handle({ ctx, request, tenant, params }) {
      const resource = RESOURCES.find((known) => known === params.resource);
      if (!resource) throw new AppError("not_found");
      return publicDocument(
        request,
        buildResourceMetadata(
          tenant,
          addressFor(ctx, request, tenant),
          resource,
          ctx.config.STOREFRONT_STORE_DOMAIN,
        ),
      );
    },
  },
});
