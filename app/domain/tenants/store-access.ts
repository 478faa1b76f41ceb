// The app's access to the store: the token of the store admin's API.
import type { Tenant } from "./tenant.ts";

/** `none`: never installed; `reauth_required`: only a new install helps. */
export function tokenState(tenant: Tenant): "none" | "valid" | "reauth_required" {
  if (tenant.connection.token_state === "reauth_required") return "reauth_required";
  return tenant.config.storefront_admin_token ? "valid" : "none";
}

export const isConnected = (tenant: Tenant): boolean => tokenState(tenant) === "valid";

/** True until the app is installed again or the store is deleted. */
export const isUninstalled = ({ connection }: Tenant): boolean =>
  connection.uninstalled_at !== undefined;

/** It was connected, and a new install connects it again: its token was rejected, or the app uninstalled. */
export const hasLostAccess = (tenant: Tenant): boolean =>
  tokenState(tenant) === "reauth_required" || isUninstalled(tenant);
