// What agents did with a customer's data, for that customer's own eyes: the rows of the access log
// without ids, each by the kind of data that its place stands for.
import type { Ctx } from "../../../context.server.ts";
import type { Columns, AccessLog } from "../../../db.server.ts";
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
/** Bounds the search: a customer with thousands of accesses has the newest ones judged. */
const NEWEST_ROWS = 1_000;

type Row = Columns<AccessLog, "action" | "place" | "created_at"> & { actor_id: string };

// Reads the customer's newest rows (the index of shop, user_id, id) and ranks them per agent.
const LIST = `
  SELECT actor_id, action, place, created_at FROM (
    SELECT id, actor_id, action, place, created_at,
      row_number() OVER (PARTITION BY actor_id ORDER BY id DESC) AS rank
    FROM (
      SELECT id, actor_kind, actor_id, action, place, created_at FROM access_log
      WHERE shop = $1 AND user_id = $2 ORDER BY id DESC LIMIT ${NEWEST_ROWS}
    ) newest
    WHERE actor_kind = 'agent' AND actor_id = ANY($3::text[])
  ) ranked
  WHERE rank <= ${MAX_ACTIONS} ORDER BY id DESC`;

/** The newest actions of each of these agents for the customer, newest first, by client id. */
export async function listAgentActions(
  ctx: Ctx,
  tenant: Tenant,
  userId: number,
  clientIds: readonly string[],
): Promise<ReadonlyMap<string, AgentAction[]>> {
  const actions = new Map<string, AgentAction[]>(clientIds.map((id) => [id, []]));
  if (clientIds.length === 0) return actions;
  const rows = await dataOf(ctx, tenant).sql<Row>(LIST, [userId, clientIds]);
  for (const row of rows) actions.get(row.actor_id)?.push(toAction(row));
  return actions;
}

const toAction = ({ action, place, created_at: at }: Row): AgentAction => ({
  what: KINDS.find(([, pattern]) => pattern.test(place))?.[0] ?? "other",
  changed: action === "changed",
  at: at.toISOString(),
});
