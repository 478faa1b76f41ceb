// The bearer admin key and what it opens (SPEC "Bearer admin key (verification order)").
import type { Ctx } from "../../context.server.ts";
import { secretEquals } from "../../runtime/secrets.ts";
import { appOf, type Tenant } from "./tenant.ts";

export type AdminPrincipal = { kind: "tenant_key" | "platform_key" | "app_secret" };

/** Who reads or changes a store's settings: some are the operator's alone. */
export type SettingsActor = "operator" | "store";

/** ADMIN_KEY is the operator's. */
export const actorOf = ({ kind }: AdminPrincipal): SettingsActor =>
  kind === "platform_key" ? "operator" : "store";

/**
 * Compares the token with the tenant's own key, then ADMIN_KEY, then the app secret, each in
 * constant time.
 */
export function findAdminPrincipal(
  ctx: Ctx,
  tenant: Tenant | null,
  token: string,
): AdminPrincipal | null {
  const tenantKey = tenant?.config.admin_key;
  if (tenantKey && secretEquals(token, tenantKey)) return { kind: "tenant_key" };
  if (isPlatformKey(ctx, token)) return { kind: "platform_key" };
  const appSecrets = appOf(ctx, tenant).secrets;
  // `map` before `some`: every candidate is compared, so that the time does not reveal a match.
  if (appSecrets.map((secret) => secretEquals(token, secret)).some(Boolean))
    return { kind: "app_secret" };
  return null;
}

export function isPlatformKey(ctx: Ctx, token: string): boolean {
  return secretEquals(token, ctx.config.ADMIN_KEY);
}
