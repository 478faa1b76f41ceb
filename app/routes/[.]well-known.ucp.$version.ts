import { publicMandateKey } from "../domain/commerce/mandate-proof.ts";
import { buildUcpProfile, UCP_VERSIONS } from "../domain/agents/ucp/profile.ts";
import { addressFor, publicDocument } from "../http/agents/discovery.ts";
import { endpoint } from "../http/endpoint.ts";
import { UcpProfile } from "../http/openapi/results/agents.ts";
import { AppError } from "../runtime/errors.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary: "The capability manifest in one version of UCP, complete in itself.",
    auth: "none",
    tenant: "registered",
    isCacheable: true,
    answers: { 200: "The manifest.", 304: "It is the one that If-None-Match names." },
    result: UcpProfile,
    async handle({ ctx, request, tenant, params }) {
      const version = UCP_VERSIONS.find((known) => known === params.version);
      if (!version) throw new AppError("not_found");
      return publicDocument(
        request,
        buildUcpProfile(tenant, addressFor(ctx, request, tenant), {
          version,
          signingKeys: [publicMandateKey(ctx.config)],
          hasOlderVersions: false,
        }),
      );
    },
  },
});
