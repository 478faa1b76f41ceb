import { revokeGrant } from "../domain/agents/oauth/grants.ts";
import { endpoint } from "../http/endpoint.ts";
import { ACCOUNT_EXTENSION } from "../http/rate-limit.ts";
import { Ok } from "../http/openapi/results/outcome.ts";

export const { loader, action, route } = endpoint({
  DELETE: {
    summary: "The customer takes an agent's access back: every token of it is dead at once.",
    auth: "account_token",
    access: "changed",
    tenant: "registered",
    rateLimit: ACCOUNT_EXTENSION,
    result: Ok,
    async handle({ ctx, tenant, principal, params }) {
      await revokeGrant(ctx, tenant, principal.account.id, params.id ?? "");
      return { ok: true };
    },
  },
});
