import { z } from "zod";
import { ActivityFilters } from "../domain/agent-activity/activity-filters.ts";
import { listActivity } from "../domain/agent-activity/activity-list.ts";
import { endpoint } from "../http/endpoint.ts";
import { toGrantError } from "../http/agents/oauth.ts";
import { Page, readKeyCursor, toKeyCursor } from "../http/paging.ts";
import { OwnAgentActivity } from "../http/openapi/results/agents.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary:
      "What the signed-in person's agents asked, newest first, and what came of it; `agent` names one by its client id.",
    auth: "session",
    access: "viewed",
    tenant: "registered",
    query: Page.extend({ agent: z.string().max(500).optional() }),
    errorBody: toGrantError,
    result: OwnAgentActivity,
    async handle({ ctx, tenant, principal, query: { limit, cursor, agent } }) {
      const { id } = principal.account;
      const list = `agent-activity/${tenant.shop}/${id}`;
      const { activity, next } = await listActivity(ctx, tenant, ActivityFilters.parse({ agent }), {
        limit,
        after: readKeyCursor(ctx.secrets, list, cursor),
        customers: [id],
      });
      return {
        activity: activity.map(({ customer_id: _id, email: _email, ...call }) => call),
        next_cursor: next === null ? null : toKeyCursor(ctx.secrets, list, next),
      };
    },
  },
});
