import { publicMandateKey } from "../domain/commerce/mandate-proof.ts";
import { buildUcpProfile, UCP_VERSIONS } from "../domain/agents/ucp/profile.ts";
import { addressFor, publicDocument } from "../http/agents/discovery.ts";
import { endpoint } from "../http/endpoint.ts";
import { UcpProfile } from "../http/openapi/results/agents.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary: "The store's capability manifest: a UCP business profile in the newest version.",
    auth: "none",
    tenant: "registered",
    isCacheable: true,
    answers: { 200: "The manifest.", 304: "It is the one that If-None-Match names." },
    result: UcpProfile,
    handle: async ({ ctx, request, tenant }) =>
      publicDocument(
        request,
        buildUcpProfile(tenant, addressFor(ctx, request, tenant), {
          version: UCP_VERSIONS[0],
          signingKeys: [publicMandateKey(ctx.config)],
          hasOlderVersions: true,
        }),
      ),
  },
});
