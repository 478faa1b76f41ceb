// A2A tasks: request and result, kept for an hour without buyer and address. A task about a shopper
// is visible to its caller only: the same agent for the same shopper, under the scope of its tool.
import type { Ctx } from "../../context.server.ts";
import { findKey, putKey } from "../../runtime/database/kv.ts";
import { KEYS, TTL_SECONDS } from "../../runtime/database/kv-keys.ts";
import { readKeyCursor, toKeyCursor } from "../../runtime/database/key-cursor.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { toKeptTask } from "./kept-task.ts";
import type { AgentScope } from "./oauth/scopes.ts";

/**
 * `task` is A2A's own JSON. `user_id` lets a redaction find it; null without a scope: not about a
 * shopper. `client_id`: the agent; null for the shopper's own session.
 */
export type TaskRecord = {
  task: unknown;
  user_id: number | null;
  client_id: string | null;
  scope: AgentScope | null;
};

export async function findTask(ctx: Ctx, tenant: Tenant, id: string): Promise<TaskRecord | null> {
  const kept =
    id.length <= 100
      ? await findKey<TaskRecord>(dataOf(ctx, tenant).sql, KEYS.agentTask(id))
      : null;
  return kept?.value ?? null;
}

export const keepTask = (ctx: Ctx, tenant: Tenant, id: string, record: TaskRecord): Promise<void> =>
  putKey(
    dataOf(ctx, tenant).sql,
    KEYS.agentTask(id),
    { ...record, task: toKeptTask(record.task) },
    TTL_SECONDS.agentTask,
  );

/** The caller whose tasks are listed, and what its token allows; null: all scopes. */
export type TaskOwner = {
  userId: number;
  clientId: string | null;
  scopes: readonly string[] | null;
};
/** `state` is A2A's name of it; `changedAfter` an ISO time. */
export type TaskFilter = {
  contextId: string | null;
  state: string | null;
  changedAfter: string | null;
  limit: number;
  cursor: string | undefined;
};

// The condition on the key is that of the index kv_agent_tasks_idx.
const LIST = `
  WITH own AS (
    SELECT key, value->'task' AS task, value->'task'->'status'->>'timestamp' AS changed_at FROM kv
    WHERE shop = $1 AND left(key, 11) = 'agent_task:' AND value->>'user_id' = $2
      AND value->>'client_id' IS NOT DISTINCT FROM $9::text
      AND ($3::text[] IS NULL OR value->>'scope' = ANY($3::text[]))
      AND ($4::text IS NULL OR value->'task'->>'contextId' = $4)
      AND ($5::text IS NULL OR value->'task'->'status'->>'state' = $5)
      AND ($6::text IS NULL OR value->'task'->'status'->>'timestamp' >= $6)
      AND expires_at > clock_timestamp()
  )
  SELECT task, changed_at || ' ' || key AS position, (SELECT count(*)::int FROM own) AS total FROM own
  WHERE $7::text IS NULL OR changed_at || ' ' || key < $7
  ORDER BY changed_at DESC, key DESC LIMIT $8::int`;

type Listed = { tasks: unknown[]; next: string; total: number };

/** Newest first; `next` is empty on the last page. Throws `invalid_cursor`. */
export async function listTasks(
  ctx: Ctx,
  tenant: Tenant,
  owner: TaskOwner,
  { contextId, state, changedAfter, limit, cursor }: TaskFilter,
): Promise<Listed> {
  const list = `agent-tasks/${tenant.shop}/${owner.userId}/${owner.clientId ?? ""}`;
  const after = readKeyCursor(ctx.secrets, list, cursor);
  const rows = await dataOf(ctx, tenant).sql<{ task: unknown; position: string; total: number }>(
    LIST,
    [
      String(owner.userId),
      owner.scopes,
      contextId,
      state,
      changedAfter,
      after,
      limit + 1,
      owner.clientId,
    ],
  );
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    tasks: page.map(({ task }) => task),
    next: last && rows.length > limit ? toKeyCursor(ctx.secrets, list, last.position) : "",
    total: rows[0]?.total ?? 0,
  };
}
