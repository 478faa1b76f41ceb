// A2A tasks: request and result, kept for an hour. A task about a shopper is visible to that
// shopper's agents only, under the scope of its tool.
import type { Ctx } from "../../context.server.ts";
import { getKey, KEYS, putKey, TTL_SECONDS } from "../../runtime/database/kv.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import type { AgentScope } from "./oauth/scopes.ts";

/**
 * `task` is A2A's own JSON. `user_id` lets a redaction find it; null without a scope: not about a
 * shopper.
 */
export type TaskRecord = { task: unknown; user_id: number | null; scope: AgentScope | null };

export async function findTask(ctx: Ctx, tenant: Tenant, id: string): Promise<TaskRecord | null> {
  const kept =
    id.length <= 100 ? await getKey<TaskRecord>(dataOf(ctx, tenant).sql, KEYS.agentTask(id)) : null;
  return kept?.value ?? null;
}

export const keepTask = (ctx: Ctx, tenant: Tenant, id: string, record: TaskRecord): Promise<void> =>
  putKey(dataOf(ctx, tenant).sql, KEYS.agentTask(id), record, TTL_SECONDS.agentTask);
