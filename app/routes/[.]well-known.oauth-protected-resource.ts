import { buildResourceMetadata } from "../domain/agents/oauth-metadata.ts";
import { addressFor, publicDocument } from "../http/discovery.ts";
import { endpoint } from "../http/endpoint.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary: "What agents need a token for, and who gives it (RFC 9728).",
    auth: "none",
    tenant: "registered",
    answers: { 200: "The metadata.", 304: "It is the one that If-None-Match names." },
    handle: async ({ ctx, inbound, tenant }) =>
      publicDocument(
        inbound,
        buildResourceMetadata(
          tenant,
          addressFor(ctx, inbound, tenant),
          null,
          ctx.config.STOREFRONT_STORE_DOMAIN,
        ),
      ),
  },
});
