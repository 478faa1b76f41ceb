// The customer who is signed in at the store's customer accounts, by the session token of the app's extension
// there. No cookie is read.
import type { Ctx } from "../../context.server.ts";
import type { Person } from "../../domain/identity/account.ts";
import { requireAccountCustomer } from "../../domain/identity/store-session/account-customer.ts";
import { readAccountToken } from "../../domain/identity/store-session/account-token.ts";
import { isUninstalled } from "../../domain/tenants/store-access.ts";
import { findTenant, type Tenant } from "../../domain/tenants/tenant.ts";
import { bearerToken } from "./guards.ts";
import type { ApiRequest } from "../api-request.ts";
import { unauthorized } from "./session-guard.ts";

/** Throws `unauthorized`, also for a store that has uninstalled the app, or what the customer's state is. */
export async function requireAccountToken(
  ctx: Ctx,
  request: ApiRequest,
  cachedTenant: Tenant | null,
): Promise<{ person: Person; tenant: Tenant }> {
  const token = bearerToken(request);
  // The cached record may hold the secret from before a rotation.
  const tenant = token && cachedTenant ? await findTenant(ctx, cachedTenant.shop) : null;
  const gid = token && tenant ? await readAccountToken(ctx, tenant, token) : null;
  if (!tenant || gid === null || isUninstalled(tenant)) throw unauthorized();
  return { person: await requireAccountCustomer(ctx, tenant, gid), tenant };
}
