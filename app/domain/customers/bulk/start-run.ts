// Starts a bulk run: one change for many customers, made in slices by the worker, with progress. Each
// customer is changed by the same function as a single one, never by a whole list.
import type { Ctx } from "../../../context.server.ts";
import type { TenantSql } from "../../../db.server.ts";
import { AppError } from "../../../runtime/errors.ts";
import { isChannelEnabled } from "../../bus/channel.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { PROFILE_CHANNEL } from "../segments/profile-audience.ts";
import { previewAction } from "./preview-run.ts";
import type { ActionRunInput, TagRunInput } from "./run-inputs.ts";
import {
  sealContext,
  SHOWN,
  toState,
  type BulkKind,
  type BulkRunState,
  type ShownRun,
} from "./run-row.ts";
import {
  countSelected,
  CustomerSelection,
  fixSelection,
  type FixedSelection,
} from "./selection.ts";

/** Each data request is answered by a mail to the merchant, each erasure by calls to every system. */
const MAX_CUSTOMERS: Partial<Record<string, number>> = { data_request: 250, erase: 10_000 };

/** Requests the run. Customers created after this moment are excluded. */
export async function startTagRun(
  ctx: Ctx,
  tenant: Tenant,
  { selection, add, remove }: TagRunInput,
): Promise<BulkRunState> {
  const fixed = await fixSelection(ctx, tenant, selection);
  const total = await countSelected(ctx, tenant, fixed.selection);
  return storeRun(ctx, tenant, { kind: "tags", ...fixed, add, remove, total });
}

/**
 * Requests that the rules set their tags on every customer, in the caller's transaction. Null for a
 * store without customers, and while a requested run has not begun: that one reads the newest rules.
 */
export async function startRuleRun(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
): Promise<BulkRunState | null> {
  const [waiting] = await sql(
    "SELECT 1 FROM tag_runs WHERE shop = $1 AND kind = 'rules' AND state = 'waiting' LIMIT 1",
  );
  const selection = CustomerSelection.parse({ filter: {} });
  const total = waiting ? 0 : await countSelected(ctx, tenant, selection);
  if (total === 0) return null;
  return storeRun(
    ctx,
    tenant,
    { kind: "rules", selection, segment: null, add: [], remove: [], total },
    sql,
  );
}

/**
 * Throws `conflict` when the number that was typed for an erasure is no longer the right one, and
 * `invalid_request` for a send to a profile platform that is not connected.
 */
export async function startAction(
  ctx: Ctx,
  tenant: Tenant,
  { kind, selection, typed }: ActionRunInput,
): Promise<BulkRunState> {
  if (kind === "profile" && !isChannelEnabled(ctx, tenant, PROFILE_CHANNEL))
    throw new AppError("invalid_request", { fields: { kind: "is not connected" } });
  const fixed = await fixSelection(ctx, tenant, selection);
  const { changing } = await previewAction(ctx, tenant, { kind, selection: fixed.selection });
  if (changing > (MAX_CUSTOMERS[kind] ?? Infinity))
    throw new AppError("invalid_request", {
      fields: { selection: "selects more customers than allowed" },
    });
  if (kind === "erase" && typed?.replace(/\D/g, "") !== String(changing))
    throw new AppError("conflict", { fields: { typed: "does not match" } });
  return storeRun(ctx, tenant, { kind, ...fixed, add: [], remove: [], total: changing });
}

type NewRun = FixedSelection & {
  kind: BulkKind;
  add: readonly string[];
  remove: readonly string[];
  total: number;
};

async function storeRun(
  ctx: Ctx,
  tenant: Tenant,
  run: NewRun,
  sql: TenantSql = dataOf(ctx, tenant).sql,
): Promise<BulkRunState> {
  const { kind, selection, segment, add, remove, total } = run;
  if (total === 0)
    throw new AppError("invalid_request", { fields: { selection: "selects no customers" } });
  const [started] = await sql<ShownRun>(
    `INSERT INTO tag_runs (shop, id, kind, selection, add, remove, total, segment_id, last_id)
      SELECT $1, $2, $3, $4, $5::text[], $6::text[], $7, $8::uuid, coalesce(max(id), 0)
      FROM storefront_users
      WHERE shop = $1 RETURNING ${SHOWN.join(", ")}`,
    [
      ctx.random.orderedUuid(),
      kind,
      ctx.secrets.seal(
        sealContext(tenant.shop),
        JSON.stringify({ ...selection, audience: segment }),
      ),
      add,
      remove,
      total,
      segment?.id ?? null,
    ],
  );
  if (!started) throw new Error("the run was not stored");
  return toState(started);
}
