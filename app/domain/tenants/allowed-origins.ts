// The origins whose pages may call for a store's shoppers (DECISIONS 3): the store's domains, its sign-in return
// origin, this service's, its proven hosts', and the listed ones. Exact origins only.
import type { Ctx } from "../../context.server.ts";
import { isPlainOrigin } from "./settings/field-schemas.ts";
import { isLoopbackHost } from "./public-hosts.ts";
import { storeDomains } from "./storefront/primary-domain.ts";
import type { Tenant } from "./tenant.ts";

export function allowedOrigins(ctx: Ctx, tenant: Tenant): string[] {
  const { config, publicHosts } = tenant;
  const { auth_redirect_origin: returnTo, allowed_origins: listed = [] } = config;
  const origins = [
    ...storeDomains(tenant).map((domain) => `https://${domain}`),
    new URL(ctx.baseUrl).origin,
    ...(returnTo ? [returnTo] : []),
    ...publicHosts.map((host) => `https://${host}`),
    ...listed,
  ];
  // Wildcards that were saved before they were rejected stay in the record and are ignored.
  return [...new Set(origins)].filter(isPlainOrigin);
}

export function isAllowedOrigin(ctx: Ctx, tenant: Tenant | null, origin: string): boolean {
  if (origin === new URL(ctx.baseUrl).origin) return true;
  if (!tenant) return false;
  return allowedOrigins(ctx, tenant).includes(origin) || isSandboxOrigin(ctx, tenant, origin);
}

/** The sandbox's pages are at ports of this machine, without TLS. */
function isSandboxOrigin(ctx: Ctx, { publicHosts }: Tenant, origin: string): boolean {
  const host = ctx.config.isSandbox ? URL.parse(origin)?.hostname : undefined;
  return host !== undefined && isLoopbackHost(host) && publicHosts.includes(host);
}
