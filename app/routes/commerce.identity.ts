import { showIdentity } from "../domain/commerce/unified-identity.ts";
import { endpoint } from "../http/endpoint.ts";
import { AGENT_READ } from "../http/rate-limit.ts";
import { Identity } from "../http/openapi/results/person.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary: "The shopper over all linked sign-ins: consents, tags, segment and language.",
    auth: "person",
    access: "viewed",
    agent: { scope: "identity:read", needsConsent: true },
    agentOperation: "get_identity",
    tenant: "registered",
    rateLimit: AGENT_READ,
    result: Identity,
    handle: ({ ctx, tenant, principal }) => showIdentity(ctx, tenant, principal),
  },
});
