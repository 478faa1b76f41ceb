import { showIdentity } from "../domain/commerce/unified-identity.ts";
import { endpoint } from "../http/endpoint.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary: "The shopper over all linked sign-ins: consents, tags, segment and language.",
    auth: "person",
    agent: { scope: "identity:read", needsConsent: true },
    tenant: "registered",
    handle: ({ ctx, tenant, principal }) => showIdentity(ctx, tenant, principal),
  },
});
