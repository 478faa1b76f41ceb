// A merchant suspends and reactivates an account. Both end every session, so that sessions from before a
// suspension stay ended.
//
//   active <-> suspended        (deleted is separate, and final)
import type { Ctx } from "../../context.server.ts";
import type { Columns, StorefrontUser, TenantSql } from "../../db.server.ts";
import { AppError } from "../../runtime/errors.ts";
import { keepEnabled } from "../bus/channel.ts";
import { enqueueCustomerEvent } from "../customers/enqueue-customer-event.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { END_ALL_SESSIONS } from "./session/sessions.ts";

export type AccountStatus = "active" | "suspended";

/** False when nothing changes. Throws `not_found` for an unknown or deleted account. */
export async function changeAccountStatus(
  ctx: Ctx,
  tenant: Tenant,
  userId: number,
  status: AccountStatus,
): Promise<boolean> {
  const hasChanged = await dataOf(ctx, tenant).transaction((sql) =>
    changeStatusWithin(ctx, tenant, sql, userId, status),
  );
  if (hasChanged)
    ctx.log.info("account.status_changed", { shop: tenant.shop, user_id: userId, status });
  return hasChanged;
}

/** The same inside the caller's transaction. */
export async function changeStatusWithin(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  userId: number,
  status: AccountStatus,
): Promise<boolean> {
  const [account] = await sql<Columns<StorefrontUser, "status">>(
    "SELECT status FROM storefront_users WHERE shop = $1 AND id = $2 AND status <> 'deleted' FOR UPDATE",
    [userId],
  );
  if (!account) throw new AppError("not_found");
  if (account.status === status) return false;
  // Database triggers end the agents' grants and the mandates together with the sessions.
  await sql(
    `UPDATE storefront_users SET status = $3, sessions_valid_after = ${END_ALL_SESSIONS},
      updated_at = now() WHERE shop = $1 AND id = $2`,
    [userId, status],
  );
  // The CMS is the only other system that shows the status.
  await enqueueCustomerEvent(ctx, sql, userId, {
    source: "backend",
    eventType: "customer.updated",
    cause: "account_status",
    destinations: keepEnabled(ctx, tenant, ["cms"]),
  });
  return true;
}
