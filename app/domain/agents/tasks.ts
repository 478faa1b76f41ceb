// A2A tasks: request and result, kept for an hour without buyer and address, and the newest ones only. A task about a shopper
// is visible to its caller only: the same agent for the same shopper, under the scope of its tool. Who
// knows the id of any other task reads it, and its caller lists it.
import type { Ctx } from "../../context.server.ts";
import { findKey, putKey } from "../../runtime/database/kv.ts";
import { KEYS, TTL_SECONDS } from "../../runtime/database/kv-keys.ts";
import { readKeyCursor, toKeyCursor } from "../../runtime/database/key-cursor.ts";
import type { TenantSql } from "../../db.server.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { toKeptTask } from "./kept-task.ts";
import type { AgentScope } from "./oauth/scopes.ts";

/**
 * `task` is A2A's own JSON. `user_id` lets a redaction and the caller's list find it; null without a
 * token. `client_id`: the agent; null for the shopper's own session. `scope`: null for a task about no
 * shopper.
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

/** Of one shopper and agent: a list reads all of them, and an agent may make thousands in an hour. */
const MAX_KEPT = 200;

// The conditions and the order are those of the index kv_agent_tasks_of_client_idx.
const OF_CALLER = `shop = $1 AND left(key, 11) = '${KEYS.agentTask("")}' AND value->>'user_id' = $2
  AND coalesce(value->>'client_id', '') = $3`;
const NEWEST_FIRST = "value->'task'->'status'->>'timestamp' DESC, key DESC";

// Leaves rows that another call changes or deletes at this moment.
const DELETE_OLDEST = `
  DELETE FROM kv WHERE shop = $1 AND key IN (
    SELECT key FROM kv WHERE shop = $1 AND key IN (
      SELECT key FROM kv WHERE ${OF_CALLER} ORDER BY ${NEWEST_FIRST} OFFSET ${MAX_KEPT} LIMIT 100
    ) FOR UPDATE SKIP LOCKED
  )`;

/** Of a store, without a token: anybody may make thousands in an hour, of some kilobytes each. */
const MAX_KEPT_OPEN = 2_000;
/** How many of them a store gets between two deletions, because a deletion reads all that are kept. */
const OPEN_TASKS_A_DELETION = 20;
/** By store, since its last deletion. In one count for all stores, one store's tasks could take another's deletions. */
const openTasks = new Map<string, number>();

// The same index: those without an account come together in it.
const DELETE_OLDEST_OPEN = `
  DELETE FROM kv WHERE shop = $1 AND key IN (
    SELECT key FROM kv WHERE shop = $1 AND key IN (
      SELECT key FROM kv WHERE shop = $1 AND left(key, 11) = '${KEYS.agentTask("")}'
        AND value->>'user_id' IS NULL AND coalesce(value->>'client_id', '') = ''
      ORDER BY ${NEWEST_FIRST} OFFSET ${MAX_KEPT_OPEN} LIMIT 1000
    ) FOR UPDATE SKIP LOCKED
  )`;

/** Stores a task, and deletes the oldest ones of its caller, or of those without a token, that are too many. */
export async function keepTask(
  ctx: Ctx,
  tenant: Tenant,
  id: string,
  record: TaskRecord,
): Promise<void> {
  const { sql } = dataOf(ctx, tenant);
  const kept = { ...record, task: toKeptTask(record.task) };
  await putKey(sql, KEYS.agentTask(id), kept, TTL_SECONDS.agentTask);
  if (record.user_id === null) return pruneOpenTasks(sql, tenant.shop);
  await sql(DELETE_OLDEST, [String(record.user_id), record.client_id ?? ""], "agent-tasks-prune");
}

async function pruneOpenTasks(sql: TenantSql, shop: string): Promise<void> {
  const made = (openTasks.get(shop) ?? 0) + 1;
  openTasks.set(shop, made % OPEN_TASKS_A_DELETION);
  if (made === OPEN_TASKS_A_DELETION) await sql(DELETE_OLDEST_OPEN, [], "open-tasks-prune");
}

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

const LIST = `
  WITH own AS (
    SELECT key, value->'task' AS task, value->'task'->'status'->>'timestamp' AS changed_at FROM kv
    WHERE ${OF_CALLER} AND expires_at > clock_timestamp()
      AND ($4::text[] IS NULL OR value->>'scope' IS NULL OR value->>'scope' = ANY($4::text[]))
      AND ($5::text IS NULL OR value->'task'->>'contextId' = $5)
      AND ($6::text IS NULL OR value->'task'->'status'->>'state' = $6)
      AND ($7::text IS NULL OR value->'task'->'status'->>'timestamp' >= $7)
    ORDER BY ${NEWEST_FIRST} LIMIT ${MAX_KEPT}
  )
  SELECT task, changed_at || ' ' || key AS position, (SELECT count(*)::int FROM own) AS total FROM own
  WHERE $8::text IS NULL OR changed_at || ' ' || key < $8
  ORDER BY changed_at DESC, key DESC LIMIT $9::int`;

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
      owner.clientId ?? "",
      owner.scopes,
      contextId,
      state,
      changedAfter,
      after,
      limit + 1,
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
