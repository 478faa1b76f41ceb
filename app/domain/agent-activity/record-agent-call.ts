// Records what agents ask, beside the call: it is counted in memory and written within a second, so
// that a call waits for nothing. A process that is killed loses what it counted in that second; what
// was paid is written with the payment (docs/decisions/046-agent-activity.md).
import type { Ctx } from "../../context.server.ts";
import type { TenantSql } from "../../db.server.ts";
import { isRowFault } from "../../runtime/database/group-commit.ts";
import { dataOf, findTenant, type Tenant } from "../tenants/tenant.ts";
import type { AgentCall } from "./agent-call.ts";
import { createCallBuffer, startOf, type CallBuffer, type CountedCall } from "./call-buffer.ts";

const WRITE_AFTER_MS = 1_000;
/** Different calls that wait at once; more are a flood, and only their number is logged. */
const MAX_WAITING = 20_000;
const ROWS_PER_STATEMENT = 500;

type Recorder = { buffer: CallBuffer; timer: NodeJS.Timeout | null; writing: Promise<void> };
/** Keyed by the databases, which a context with another clock shares. */
const recorders = new WeakMap<Ctx["regions"], Recorder>();

function recorderOf(ctx: Ctx): Recorder {
  const known = recorders.get(ctx.regions);
  if (known) return known;
  const made = { buffer: createCallBuffer(MAX_WAITING), timer: null, writing: Promise.resolve() };
  recorders.set(ctx.regions, made);
  return made;
}

/** Never throws and never waits. */
export function recordAgentCall(ctx: Ctx, tenant: Tenant, call: AgentCall): void {
  const recorder = recorderOf(ctx);
  recorder.buffer.add(tenant.shop, call, ctx.clock.now());
  recorder.timer ??= setTimeout(() => void flushAgentCalls(ctx), WRITE_AFTER_MS).unref();
}

/** Writes what was recorded until now. Never throws: what cannot be written is tried again. */
export function flushAgentCalls(ctx: Ctx): Promise<void> {
  const recorder = recorderOf(ctx);
  if (recorder.timer) clearTimeout(recorder.timer);
  recorder.timer = null;
  // One after the other: two writers of the same rows would wait for each other.
  recorder.writing = recorder.writing.then(() => writeAll(ctx, recorder));
  return recorder.writing;
}

async function writeAll(ctx: Ctx, recorder: Recorder): Promise<void> {
  const dropped = recorder.buffer.takeDropped();
  if (dropped > 0) ctx.log.warn("agent_calls.not_recorded", { calls: dropped, reason: "too_many" });
  for (const [shop, calls] of byShop(recorder.buffer.take())) {
    try {
      const tenant = await findTenant(ctx, shop);
      // A store that was deleted meanwhile gets no new rows.
      while (tenant && calls.length > 0) {
        const batch = calls.slice(0, ROWS_PER_STATEMENT);
        await writeSound(ctx, tenant, batch);
        calls.splice(0, batch.length);
      }
    } catch (error) {
      ctx.log.warn("agent_calls.delayed", {
        shop,
        calls: calls.length,
        reason: (error as Error).message,
      });
      if (ctx.isDraining()) continue;
      recorder.buffer.putBack(calls);
      recorder.timer ??= setTimeout(() => void flushAgentCalls(ctx), WRITE_AFTER_MS).unref();
    }
  }
}

function byShop(calls: readonly CountedCall[]): Map<string, CountedCall[]> {
  const groups = new Map<string, CountedCall[]>();
  for (const call of calls) {
    const group = groups.get(call.shop);
    if (group) group.push(call);
    else groups.set(call.shop, [call]);
  }
  return groups;
}

/** A row that the database rejects is left out; the others are written. */
async function writeSound(ctx: Ctx, tenant: Tenant, calls: readonly CountedCall[]): Promise<void> {
  try {
    await dataOf(ctx, tenant).sql(WRITE_LOCKING, [toRows(calls)], "record_agent_calls");
  } catch (error) {
    if (!isRowFault(error)) throw error;
    if (calls.length === 1)
      return ctx.log.error("agent_calls.not_recorded", error, { shop: tenant.shop, calls: 1 });
    const half = calls.length >> 1;
    await writeSound(ctx, tenant, calls.slice(0, half));
    await writeSound(ctx, tenant, calls.slice(half));
  }
}

/** An index holds no longer one; the address of a metadata document has no limit. */
const MAX_CLIENT_ID = 500;

/** What the column holds; null stays null, which `least` would not keep. */
const bounded = (sum: string) =>
  `CASE WHEN ${sum} > 999999999999.99 THEN 999999999999.99 ELSE ${sum} END`;

/**
 * A token's agent and customer are looked up here; a token that was never issued is an unknown caller.
 * Calls for a deleted customer are not written. `lock`: locks the customers, or an erasure at the same moment
 * would miss the calls that are being written.
 */
const writeWith = (lock: string) => `
  WITH given AS (
    SELECT * FROM json_to_recordset($2::json) AS g(started_at timestamptz, hour_at timestamptz, last_at timestamptz,
      client_id text, user_id int, token_hash text, operation text, outcome text, code text, mandate_id uuid,
      currency text, amounts json, calls int)
  ), named AS (
    SELECT g.*, left(coalesce(o.client_id, g.client_id), ${MAX_CLIENT_ID}) AS agent, coalesce(o.user_id, g.user_id) AS customer
    FROM given g LEFT JOIN LATERAL (
      SELECT grants.client_id, grants.user_id FROM oauth_tokens t
      JOIN oauth_grants grants ON grants.shop = t.shop AND grants.id = t.grant_id
      WHERE t.shop = $1 AND t.token_hash = g.token_hash AND t.kind = 'access'
    ) o ON g.token_hash IS NOT NULL
  ), people AS (
    SELECT id FROM storefront_users WHERE shop = $1 AND id IN (SELECT customer FROM named)
      AND status <> 'deleted' ORDER BY id ${lock}
  ), counted AS (
    SELECT CASE WHEN agent IS NULL AND customer IS NULL THEN hour_at ELSE started_at END AS started_at, agent,
      customer, operation, outcome, code, mandate_id, currency, sum(calls)::int AS calls, max(last_at) AS last_at,
      sum((SELECT sum(a::numeric) FROM json_array_elements_text(amounts) a)) AS amount
    FROM named WHERE customer IS NULL OR customer IN (SELECT id FROM people)
    GROUP BY 1, 2, 3, 4, 5, 6, 7, 8
  )
  INSERT INTO agent_activity AS known (shop, started_at, client_id, user_id, operation, outcome, code,
    mandate_id, currency, amount, calls, last_at)
  SELECT $1, started_at, agent, customer, operation, outcome, code, mandate_id, currency,
    ${bounded("amount")}, calls, last_at
  FROM counted ORDER BY started_at, agent, customer, operation, outcome, code, mandate_id, currency
  ON CONFLICT (shop, started_at, client_id, user_id, operation, outcome, code, mandate_id, currency)
  DO UPDATE SET calls = known.calls + excluded.calls, last_at = greatest(known.last_at, excluded.last_at),
    amount = ${bounded("known.amount + excluded.amount")}`;

const WRITE_LOCKING = writeWith("FOR SHARE");
const WRITE = writeWith("");

const toRows = (calls: readonly CountedCall[]): string =>
  JSON.stringify(
    calls.map(({ caller, ...call }) => ({
      started_at: call.startedAt,
      hour_at: startOf(null, call.startedAt),
      last_at: call.lastAt,
      client_id: caller && "userId" in caller ? caller.clientId : null,
      user_id: caller && "userId" in caller ? caller.userId : null,
      token_hash: caller && "tokenHash" in caller ? caller.tokenHash : null,
      operation: call.operation,
      outcome: call.outcome,
      code: call.code,
      mandate_id: call.mandateId,
      currency: call.currency,
      amounts: call.amounts,
      calls: call.calls,
    })),
  );

/**
 * In the transaction of what it tells of, which holds a lock that an erasure of the customer waits for:
 * the customer is not locked, because others lock the customer before that.
 */
export async function writeAgentCall(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  call: AgentCall,
): Promise<void> {
  const buffer = createCallBuffer(1);
  buffer.add(tenant.shop, call, ctx.clock.now());
  await sql(WRITE, [toRows(buffer.take())]);
}
