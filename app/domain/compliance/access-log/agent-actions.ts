// What agents did with a customer's data, for that customer's own eyes: the rows of the access log
// without ids, each by the kind of data that its place stands for.
import type { Ctx } from "../../../context.server.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";

/** The kinds of data, by the words of routes and tools. The first match decides. */
const KINDS = [
  ["mandate", /mandate/],
  ["checkout", /checkout|cart/],
  ["return", /return/],
  ["order", /order/],
  ["tag", /tag|segment/],
  ["consent", /consent/],
  ["profile", /identity|profile|auth\/me/],
] as const;

export type AgentAction = {
  what: (typeof KINDS)[number][0] | "other";
  /** Whether it changed something; else it saw it. */
  changed: boolean;
  at: string;
};

const MAX_ACTIONS = 10;
/** The rows read for all agents together: one that calls all day may hide what another did before it. */
const NEWEST_ROWS = 500;

/** The newest actions of each of these agents for the customer, newest first, by client id. */
export async function listAgentActions(
  ctx: Ctx,
  tenant: Tenant,
  userId: number,
  clientIds: string[],
): Promise<ReadonlyMap<string | null, AgentAction[]>> {
  const actions = new Map<string | null, AgentAction[]>(clientIds.map((id) => [id, []]));
  const rows = await dataOf(ctx, tenant).prisma.accessLog.findMany({
    select: { actor_id: true, action: true, place: true, created_at: true },
    where: { user_id: userId, actor_kind: "agent", actor_id: { in: clientIds } },
    orderBy: { id: "desc" },
    take: NEWEST_ROWS,
  });
  for (const { actor_id: clientId, action, place, created_at: at } of rows) {
    const own = actions.get(clientId);
    if (own && own.length < MAX_ACTIONS)
      own.push({
        what: KINDS.find(([, pattern]) => pattern.test(place))?.[0] ?? "other",
        changed: action === "changed",
        at: at.toISOString(),
      });
  }
  return actions;
}
