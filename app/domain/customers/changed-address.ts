// What follows when the storefront changes the address of an account: nobody has shown to own the new one,
// and the person who changed it there may have typed somebody else's. Until it is verified
// (identity/prove-address.ts), the account is treated as any other with an unverified address.
import type { Ctx } from "../../context.server.ts";
import type { TenantSql } from "../../db.server.ts";
import { putKeyIfAbsent } from "../../runtime/database/kv.ts";
import { KEYS, TTL_SECONDS } from "../../runtime/database/kv-keys.ts";
import { isChannelEnabled } from "../bus/channel.ts";
import { enqueue } from "../bus/enqueue.ts";
import { normaliseMailbox } from "../tenants/mailbox.ts";
import { isUninstalled } from "../tenants/store-access.ts";
import type { Tenant } from "../tenants/tenant.ts";
import type { CustomerChange } from "./customer-change.ts";
import type { StoredUser } from "./storefront-columns.ts";
import { hasWayIn } from "./unproven-account.ts";

/** Whether the change gives the account another address; its spelling alone does not. */
export const changesAddress = (
  user: Pick<StoredUser, "email">,
  { email }: Pick<CustomerChange, "email">,
): boolean =>
  email !== undefined && (email?.toLowerCase() ?? null) !== (user.email?.toLowerCase() ?? null);

/**
 * The columns by which the account counted as its owner's. Also the provider of a customer whom the store
 * reported: the password may be of the person who had the address before.
 */
export function withoutProof(
  user: StoredUser,
): Partial<Pick<StoredUser, "email_verified" | "provider">> {
  const isOfStore = user.provider === "storefront" && hasWayIn(user);
  return {
    email_verified: false,
    ...(isOfStore && { provider: user.password_hash === "" ? "federated" : "email" }),
  };
}

/**
 * Asks the new address's owner to verify it, inside the transaction of the change: at most once an hour,
 * because the store's customer may change it any number of times.
 */
export async function askToVerify(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  user: StoredUser,
  { email, eventId }: { email: string; eventId: string },
): Promise<void> {
  if (!hasWayIn(user) || !isChannelEnabled(ctx, tenant, "email") || isUninstalled(tenant)) return;
  const asked = KEYS.changedAddressMailed(normaliseMailbox(ctx, tenant.shop, email));
  if (!(await putKeyIfAbsent(sql, asked, true, TTL_SECONDS.changedAddressMailed))) return;
  await enqueue(sql, {
    eventId: `${eventId}:verify_email`,
    source: "storefront",
    eventType: "mail.verify_changed_email",
    entityType: "customer",
    entityId: String(user.id),
    payload: { user_id: user.id, template: "verify_changed_email" },
    occurredAt: ctx.clock.now(),
    destinations: ["email"],
    priority: 2,
  });
}
