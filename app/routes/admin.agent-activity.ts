import { ActivityFilters } from "../domain/agent-activity/activity-filters.ts";
import { listActivity } from "../domain/agent-activity/activity-list.ts";
import { endpoint } from "../http/endpoint.ts";
import { Page, readKeyCursor, toKeyCursor } from "../http/paging.ts";
import { AgentActivity } from "../http/openapi/results/agents.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary:
      "What agents asked, for whom, and what came of it, newest first; filters by `agent`, `kind`, `outcome`, `from` and `to`. Holds ids only.",
    auth: "admin",
    tenant: "registered",
    query: Page.extend(ActivityFilters.omit({ customer: true }).shape),
    result: AgentActivity,
    async handle({ ctx, tenant, query: { limit, cursor, ...filters } }) {
      const list = `agent-activity/${tenant.shop}`;
      const { activity, next } = await listActivity(ctx, tenant, filters, {
        limit,
        after: readKeyCursor(ctx.secrets, list, cursor),
      });
      return {
        activity: activity.map(({ email: _email, ...call }) => call),
        next_cursor: next === null ? null : toKeyCursor(ctx.secrets, list, next),
      };
    },
  },
});
