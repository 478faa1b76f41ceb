// Tasks of A2A: what was asked and how it ended, kept for an hour for whoever asks again. A task about a shopper is shown to that
// shopper's agents alone, under the scope of the tool that did it.
import type { Ctx } from "../../context.server.ts";
import { getKey, KEYS, putKey, TTL_SECONDS } from "../../runtime/kv.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import type { AgentScope } from "./scopes.ts";

/** `task` is A2A's own JSON. `user_id` is how a redaction finds it; null and no scope: nobody's. */
export type TaskRecord = { task: unknown; user_id: number | null; scope: AgentScope | null };

export async function findTask(ctx: Ctx, tenant: Tenant, id: string): Promise<TaskRecord | null> {
  const kept =
    id.length <= 100 ? await getKey<TaskRecord>(dataOf(ctx, tenant).sql, KEYS.agentTask(id)) : null;
  return kept?.value ?? null;
}

export const keepTask = (ctx: Ctx, tenant: Tenant, id: string, record: TaskRecord): Promise<void> =>
  putKey(dataOf(ctx, tenant).sql, KEYS.agentTask(id), record, TTL_SECONDS.agentTask);
