// Starts a bulk run: one change for many customers, made in slices by the worker, with progress. Each
// customer is changed by the same function as a single one, never by a whole list.
import type { Ctx } from "../../../context.server.ts";
import type { TenantSql } from "../../../db.server.ts";
import { findKey, putKeyIfAbsent } from "../../../runtime/database/kv.ts";
import { KEYS, TTL_SECONDS } from "../../../runtime/database/kv-keys.ts";
import { AppError } from "../../../runtime/errors.ts";
import { isChannelEnabled } from "../../bus/channel.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { PROFILE_CHANNEL } from "../segments/profile-audience.ts";
import { toChosen } from "./chosen.ts";
import type { ActionRunInput, TagRunInput } from "./run-inputs.ts";
import type { MembersKept } from "./run-members.ts";
import {
  sealContext,
  SHOWN,
  toState,
  type BulkKind,
  type BulkRunState,
  type ShownRun,
} from "./run-row.ts";
import {
  changedBy,
  countSelected,
  CustomerSelection,
  fixSelection,
  selectionOf,
  type FixedSelection,
} from "./selection.ts";

/** Each data request is answered by a mail to the merchant, each erasure by calls to every system. */
const MAX_CUSTOMERS: Partial<Record<string, number>> = { data_request: 250, erase: 10_000 };

/** Requests the run, for the customers who are selected now. `startedBy`: a user of the store's admin. */
export async function startTagRun(
  ctx: Ctx,
  tenant: Tenant,
  { selection, add, remove, request_id: requestId }: TagRunInput,
  startedBy: string | null = null,
): Promise<BulkRunState> {
  const fixed = await fixSelection(ctx, tenant, selection);
  const run = { kind: "tags" as const, ...fixed, add, remove, startedBy, requestId };
  return storeWithMembers(ctx, tenant, run);
}

/**
 * Throws `conflict` when the number that was typed for an erasure is no longer the right one, and
 * `invalid_request` for a send to a profile platform that is not connected.
 */
export async function startAction(
  ctx: Ctx,
  tenant: Tenant,
  { kind, selection, typed, request_id: requestId }: ActionRunInput,
  startedBy: string | null = null,
): Promise<BulkRunState> {
  if (kind === "profile" && !isChannelEnabled(ctx, tenant, PROFILE_CHANNEL))
    throw new AppError("invalid_request", { fields: { kind: "is not connected" } });
  const fixed = await fixSelection(ctx, tenant, selection);
  const most = MAX_CUSTOMERS[kind];
  const run = { kind, ...fixed, add: [], remove: [], startedBy, requestId, most };
  return storeWithMembers(ctx, tenant, run, (total) => {
    if (most !== undefined && total > most)
      throw new AppError("invalid_request", {
        fields: { selection: "selects more customers than allowed" },
      });
    if (kind === "erase" && typed?.replace(/\D/g, "") !== String(total))
      throw new AppError("conflict", { fields: { typed: "does not match" } });
  });
}

type NewRun = FixedSelection & {
  kind: BulkKind;
  add: readonly string[];
  remove: readonly string[];
  startedBy: string | null;
  requestId: string | undefined;
  /** Beyond it one customer is counted, no matter how many there are. */
  most?: number | undefined;
};

// One statement: no customer comes between the members and their number, which is the run's total.
const storeStatement = (selected: string) => `
  WITH members AS (
    INSERT INTO tag_run_members (shop, run_id, user_id)
      SELECT $1, $2::uuid, u.id FROM storefront_users u WHERE ${selected} LIMIT $10::int
      RETURNING user_id
  )
  INSERT INTO tag_runs (shop, id, kind, selection, add, remove, segment_id, chosen, started_by, total, last_id)
    SELECT $1, $2::uuid, $3, $4, $5::text[], $6::text[], $7::uuid, $8::jsonb, $9, count(*),
      coalesce(max(user_id), 0)
    FROM members RETURNING ${SHOWN.join(", ")}`;

/**
 * Nothing is stored when `check` throws for the number of customers, nor for a confirmation that has started its run
 * before.
 */
async function storeWithMembers(
  ctx: Ctx,
  tenant: Tenant,
  { kind, selection, segment, add, remove, startedBy, requestId, most }: NewRun,
  check: (total: number) => void = () => {},
): Promise<BulkRunState> {
  const condition = await selectionOf(ctx, tenant, selection, 11);
  const kept: MembersKept = { audience: segment };
  const id = ctx.random.orderedUuid();
  return dataOf(ctx, tenant).transaction(async (sql) => {
    const before = requestId === undefined ? null : await confirmOnce(sql, requestId, id);
    if (before) return before;
    const started = await insertRun(
      sql,
      storeStatement(`${condition.sql} AND ${changedBy(kind)}`),
      [
        id,
        kind,
        ctx.secrets.seal(sealContext(tenant.shop), JSON.stringify(kept)),
        add,
        remove,
        segment?.id ?? null,
        segment ? null : JSON.stringify(toChosen(selection)),
        startedBy,
        most === undefined ? null : most + 1,
        ...condition.values,
      ],
    );
    check(started.total);
    if (started.total === 0)
      throw new AppError("invalid_request", { fields: { selection: "selects no customers" } });
    return started;
  });
}

/** The run that this confirmation has started before; null when it starts this one. Waits for one that is starting it. */
async function confirmOnce(
  sql: TenantSql,
  requestId: string,
  id: string,
): Promise<BulkRunState | null> {
  const key = KEYS.confirmedRun(requestId);
  if (await putKeyIfAbsent(sql, key, { id }, TTL_SECONDS.confirmedRun)) return null;
  const known = await findKey<{ id: string }>(sql, key);
  const [started] = await sql<ShownRun>(
    `SELECT ${SHOWN.join(", ")} FROM tag_runs WHERE shop = $1 AND id = $2::uuid`,
    [known?.value.id],
  );
  // The run was deleted at the end of its retention.
  if (!started) throw new AppError("conflict");
  return toState(started);
}

async function insertRun(
  sql: TenantSql,
  statement: string,
  values: readonly unknown[],
): Promise<BulkRunState> {
  const [started] = await sql<ShownRun>(statement, values);
  if (!started) throw new Error("the run was not stored");
  return toState(started);
}

/** All customers of this moment: ids up to the last one, so that its members need not be kept. */
const STORE_RULE_RUN = `
  INSERT INTO tag_runs (shop, id, kind, selection, add, remove, total, started_by, last_id)
    SELECT $1, $2::uuid, 'rules', $3, '{}', '{}', $4, $5, coalesce(max(id), 0)
    FROM storefront_users WHERE shop = $1 RETURNING ${SHOWN.join(", ")}`;

/**
 * Requests that the rules set their tags on every customer, in the caller's transaction. Null for a
 * store without customers, and while a requested run has not begun: that one reads the newest rules.
 */
export async function startRuleRun(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  startedBy: string | null = null,
): Promise<BulkRunState | null> {
  const [waiting] = await sql(
    "SELECT 1 FROM tag_runs WHERE shop = $1 AND kind = 'rules' AND state = 'waiting' LIMIT 1",
  );
  const selection = CustomerSelection.parse({ filter: {} });
  const total = waiting ? 0 : await countSelected(ctx, tenant, selection);
  if (total === 0) return null;
  return insertRun(sql, STORE_RULE_RUN, [
    ctx.random.orderedUuid(),
    ctx.secrets.seal(sealContext(tenant.shop), JSON.stringify(selection)),
    total,
    startedBy,
  ]);
}
