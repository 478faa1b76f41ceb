// How many welcome mails one address gets: customers of the store that are created and deleted again and
// again must not fill a mailbox.
import type { Ctx } from "../../context.server.ts";
import type { TenantSql } from "../../db.server.ts";
import type { Tenant } from "../tenants/tenant.ts";
import { emailOf, getAccount } from "./account.ts";
import { tryConsumeWithin } from "./rate-limits.ts";

/** Counts a mail inside the transaction that enqueues it; false when the address has had its share. */
export async function mayWelcome(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  userId: number,
): Promise<boolean> {
  const email = emailOf(await getAccount(sql, userId));
  return (
    email === null || (await tryConsumeWithin(ctx, tenant, sql, { welcome_mail_per_email: email }))
  );
}
