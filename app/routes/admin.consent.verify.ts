import { verifyConsentChain } from "../domain/consent/verify-chain.ts";
import { endpoint } from "../http/endpoint.ts";
import { ConsentLogCheck } from "../http/openapi/results/consent.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary: "Checks the consent log: an edited, reordered or missing row is named.",
    auth: "admin",
    tenant: "registered",
    result: ConsentLogCheck,
    handle: ({ ctx, tenant }) => verifyConsentChain(ctx, tenant),
  },
});
