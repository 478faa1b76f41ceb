import { z } from "zod";
import { listLinkedAgents } from "../domain/agents/oauth/grants.ts";
import { listAgentActions } from "../domain/compliance/access-log/agent-actions.ts";
import { endpoint } from "../http/endpoint.ts";
import { toGrantError } from "../http/agents/oauth.ts";
import { Page, readKeyCursor, toKeyCursor } from "../http/paging.ts";
import { LinkedAgents } from "../http/openapi/results/agents.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary:
      "The agents that may act for the signed-in person at this moment, newest first; `include=actions` says of each what it saw and changed last.",
    auth: "session",
    access: "viewed",
    tenant: "registered",
    query: Page.extend({ include: z.enum(["actions"]).optional() }),
    errorBody: toGrantError,
    result: LinkedAgents,
    async handle({ ctx, tenant, principal, query }) {
      const list = `grants/${tenant.shop}/${principal.account.id}`;
      const { grants, next } = await listLinkedAgents(ctx, tenant, principal.account.id, {
        limit: query.limit,
        after: readKeyCursor(ctx.secrets, list, query.cursor),
      });
      const actions =
        query.include === "actions"
          ? await listAgentActions(
              ctx,
              tenant,
              principal.account.id,
              grants.map((grant) => grant.client_id),
            )
          : null;
      return {
        grants: grants.map((grant) => ({
          ...grant,
          ...(actions && { actions: actions.get(grant.client_id) ?? [] }),
        })),
        next_cursor: next === null ? null : toKeyCursor(ctx.secrets, list, next),
      };
    },
  },
});
