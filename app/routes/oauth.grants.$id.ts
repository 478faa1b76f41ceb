import { revokeGrant } from "../domain/agents/oauth/grants.ts";
import { endpoint } from "../http/endpoint.ts";
import { toGrantError } from "../http/agents/oauth.ts";
import { Ok } from "../http/openapi/results/outcome.ts";

export const { loader, action, route } = endpoint({
  DELETE: {
    summary: "Takes an agent's access back: every token of it is dead at once.",
    auth: "session",
    access: "changed",
    tenant: "registered",
    answers: {
      200: "`{ok:true}`, also when it was over already.",
      404: "No grant of the signed-in person.",
    },
    errorBody: toGrantError,
    result: Ok,
    async handle({ ctx, tenant, principal, params }) {
      await revokeGrant(ctx, tenant, principal.account.id, params.id ?? "");
      return { ok: true };
    },
  },
});
