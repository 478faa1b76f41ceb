// Runs an action of a workflow of Shopify Flow (shopify.dev "Create Flow action endpoints").
//
// The platform repeats a run that got no answer, under the same id. The change and the answer commit together
// under that id, so a run changes something once. After a 4xx the platform ends the run; after 429 and 5xx it
// repeats it.
//
// A workflow must not start itself again: an action starts no trigger of ours, asks for a consent once in 30
// days, and is refused after 60 actions an hour for one customer. That limit is apart from the triggers' own.
import { hash } from "node:crypto";
import { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import type { TenantSql } from "../../db.server.ts";
import { findKey, putKey, putKeyIfAbsent } from "../../runtime/database/kv.ts";
import { KEYS, TTL_SECONDS, type Key } from "../../runtime/database/kv-keys.ts";
import { AppError } from "../../runtime/errors.ts";
import { consumeRateLimit } from "../identity/rate-limits.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { FLOW_ACTIONS, type FlowActionName } from "./flow-actions.ts";
import {
  parseFlowPart,
  prepareTask,
  type FlowCustomer,
  type FlowOutcome,
  type FlowTask,
} from "./flow-tasks.ts";
import { flowHandle } from "./flow-triggers.ts";

const Run = z.object({
  shopify_domain: z.string().max(255),
  action_run_id: z.string().regex(/^[\x21-\x7e]{1,255}$/, "must be 1 to 255 printable characters"),
  handle: z.string().max(255),
  properties: z.record(z.string(), z.unknown()),
});

/** What the platform sends, for the API's document; it adds fields over time. */
export const FlowRun = Run.extend({
  properties: z.object({
    customer_id: z.string(),
    tag: z.string().optional(),
    consent_type: z.string().optional(),
  }),
});

export type FlowAnswer = { ok: true; outcome: FlowOutcome; deduplicated?: true };

/**
 * `handle`: of the path. Throws `not_found` for an unknown action, customer or tag, `invalid_request`,
 * `invalid_signature` for another store's body, `idempotency_conflict` for another body under a known
 * id, `setting_missing`, `conflict`, `too_many_requests`, and what a change of tags throws.
 */
export async function runFlowAction(
  ctx: Ctx,
  tenant: Tenant,
  handle: string,
  body: unknown,
): Promise<FlowAnswer & { user_id: number }> {
  const action = (Object.keys(FLOW_ACTIONS) as FlowActionName[]).find(
    (name) => flowHandle(name) === handle,
  );
  if (!action) throw new AppError("not_found", { message: "There is no such action." });
  const run = parseFlowPart(Run, body);
  if (run.shopify_domain !== tenant.shop)
    throw new AppError("invalid_signature", {
      message: "The body and the request name different stores.",
    });
  // The signature covers the body and not the path.
  if (run.handle !== handle)
    throw new AppError("invalid_request", { fields: { handle: "names another action" } });
  const task = await prepareTask(ctx, tenant, action, run.properties);
  const attempt = { id: run.action_run_id, handle, properties: run.properties };
  for (;;) {
    const done = await runOnce(ctx, tenant, attempt, task);
    if (done) return done;
  }
}

/** What is kept of a run under its id; without an answer it has not committed. */
type Kept = { user_id: number; digest: string; answer: FlowAnswer | null };
type RunAttempt = { id: string; handle: string; properties: Record<string, unknown> };

/** Null, with nothing changed, when the customer got another account meanwhile. */
async function runOnce(
  ctx: Ctx,
  tenant: Tenant,
  { id, handle, properties }: RunAttempt,
  task: FlowTask,
): Promise<(FlowAnswer & { user_id: number }) | null> {
  const data = dataOf(ctx, tenant);
  const customer = await findCustomer(data.sql, task.gid);
  const key = KEYS.flowRun(hash("sha256", id));
  // A repeated run gets its own answer again and is not counted again.
  if (!(await findKey(data.sql, key))) {
    await consumeRateLimit(ctx, tenant, { flow_actions_per_customer: String(customer.id) });
    await task.countMail?.(customer);
  }
  const digest = hash("sha256", JSON.stringify([handle, properties]));
  try {
    const answer = await data.transaction(async (sql, prisma): Promise<FlowAnswer> => {
      // First, so that a second request with this id waits here for the first one's commit.
      const kept: Kept = { user_id: customer.id, digest, answer: null };
      if (!(await putKeyIfAbsent(sql, key, kept, TTL_SECONDS.flowRun)))
        return earlierAnswer(sql, key, digest);
      const current = await findCustomer(sql, task.gid, { lock: true });
      if (current.id !== customer.id) throw new CustomerMoved();
      const made: FlowAnswer = { ok: true, outcome: await task.run({ sql, prisma }, current) };
      await putKey(sql, key, { ...kept, answer: made }, TTL_SECONDS.flowRun);
      return made;
    });
    return { ...answer, user_id: customer.id };
  } catch (error) {
    if (error instanceof CustomerMoved) return null;
    throw error;
  }
}

async function earlierAnswer(sql: TenantSql, key: Key, digest: string): Promise<FlowAnswer> {
  const known = (await findKey<Kept>(sql, key))?.value;
  if (!known?.answer || known.digest !== digest)
    throw new AppError("idempotency_conflict", {
      message: "This action_run_id was used with another body.",
    });
  return { ...known.answer, deduplicated: true };
}

class CustomerMoved extends Error {}

/** Throws `not_found`. `lock`: until the commit; an account that loses the customer meanwhile counts as moved. */
async function findCustomer(
  sql: TenantSql,
  gid: string,
  { lock = false }: { lock?: boolean } = {},
): Promise<FlowCustomer> {
  const [customer] = await sql<FlowCustomer>(
    `SELECT id, email, status FROM storefront_users WHERE shop = $1 AND storefront_customer_gid = $2
      AND status <> 'deleted' ${lock ? "FOR UPDATE" : ""}`,
    [gid],
  );
  if (customer) return customer;
  if (lock) throw new CustomerMoved();
  throw new AppError("not_found", {
    message: "The app does not know this customer.",
    fields: { "properties.customer_id": "is not known" },
  });
}
