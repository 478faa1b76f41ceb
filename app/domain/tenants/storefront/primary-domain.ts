// The store's primary domain: its shoppers' origin, and the place of its sign-in. Read from the Admin API
// when a store connects and by the scheduled run, kept up to date by shop/update. The store's number and
// currency come with the same call.
import type { Ctx } from "../../../context.server.ts";
import { PRIMARY_DOMAIN } from "../../../integrations/storefront/documents.ts";
import { changeTenantRecord } from "../tenant-record.ts";
import { findTenant, getTenant, type Tenant } from "../tenant.ts";
import { callAdminApi } from "./admin-api.ts";
import { keepTimeZone } from "./time-zone.ts";

const MAX_HOST_LENGTH = 253;
const MAX_AHEAD_MS = 10 * 60_000;
const CURRENCY = /^[A-Z]{3}$/;
const SHOP_GID = /^gid:\/\/shopify\/Shop\/(\d{1,20})$/;
const LABEL = /^[a-z0-9-]{1,63}$/;

/** The primary domain first; only the myshopify domain while no other is known. */
export function storeDomains({ shop, connection }: Pick<Tenant, "shop" | "connection">): string[] {
  return [...new Set([connection.primary_host ?? shop, shop])];
}

/** The origins of these domains, as the service reaches them. */
export const storeOrigins = (ctx: Ctx, tenant: Tenant): string[] =>
  storeDomains(tenant).map((domain) => new URL(ctx.storefront.domainUrl(domain, "/")).origin);

/**
 * Reads the primary domain from the Admin API, and the store's number, currency and time zone. True
 * when the domain changed. Throws as `callAdminApi`.
 */
export async function readPrimaryDomain(ctx: Ctx, shop: string): Promise<boolean> {
  const at = ctx.clock.now();
  const { shop: found } = await callAdminApi<{
    shop?: {
      id?: unknown;
      currencyCode?: unknown;
      ianaTimezone?: unknown;
      primaryDomain?: { host?: unknown } | null;
    } | null;
  }>(ctx, shop, { document: PRIMARY_DOMAIN });
  const tenant = await getTenant(ctx, shop);
  await keepNumberAndCurrency(ctx, tenant, found?.id, found?.currencyCode);
  await keepTimeZone(ctx, tenant, found?.ianaTimezone);
  const host = toHost(found?.primaryDomain?.host);
  return host !== null && (await keepPrimaryHost(ctx, shop, host, at));
}

/**
 * The number is in the issuer of this store's customer accounts: another store's issuer has another one.
 * The currency is that of every customer's `amount_spent`.
 */
async function keepNumberAndCurrency(
  ctx: Ctx,
  { shop, connection }: Tenant,
  id: unknown,
  currencyCode: unknown,
): Promise<void> {
  const number = typeof id === "string" ? SHOP_GID.exec(id)?.[1] : undefined;
  const currency =
    typeof currencyCode === "string" && CURRENCY.test(currencyCode) ? currencyCode : undefined;
  const change = {
    ...(number !== undefined && number !== connection.shop_number && { shop_number: number }),
    ...(currency !== undefined && currency !== connection.currency && { currency }),
  };
  if (Object.keys(change).length > 0) await changeTenantRecord(ctx, shop, { connection: change });
}

/** Does what `readPrimaryDomain` does, for a caller that goes on without the domain. */
export async function tryToReadPrimaryDomain(ctx: Ctx, shop: string): Promise<boolean> {
  try {
    return await readPrimaryDomain(ctx, shop);
  } catch (error) {
    ctx.log.warn("primary_domain.not_read", { shop, reason: (error as Error).message });
    return false;
  }
}

/** Keeps the host that was the store's at that time. False for a host that is known, and for old news. */
export async function keepPrimaryHost(
  ctx: Ctx,
  shop: string,
  host: string,
  claimedAt: Date,
): Promise<boolean> {
  // A webhook's time is not signed: one far ahead would make all later news old.
  const at = new Date(Math.min(claimedAt.getTime(), ctx.clock.now().getTime() + MAX_AHEAD_MS));
  // Again when the record was changed meanwhile: of two changes at once the later one counts.
  for (;;) {
    const tenant = await findTenant(ctx, shop);
    if (!tenant) return false;
    const { primary_host: known, primary_host_at: knownAt } = tenant.connection;
    if (host === known || (knownAt !== undefined && new Date(knownAt) > at)) return false;
    const isKept = await changeTenantRecord(ctx, shop, {
      connection: { primary_host: host, primary_host_at: at.toISOString() },
      ifVersion: tenant.version.tenant,
    });
    if (!isKept) continue;
    ctx.log.info("primary_domain.changed", { shop, host });
    return true;
  }
}

/** A host name as browsers write it, without port; null for anything else, IP addresses included. */
export function toHost(value: unknown): string | null {
  if (typeof value !== "string" || value.length > MAX_HOST_LENGTH) return null;
  const url = URL.parse(`https://${value}`);
  // The value is the host alone: no port, user, path or query.
  if (url === null || url.href !== `https://${url.hostname}/` || value.endsWith("/")) return null;
  const labels = url.hostname.split(".");
  const isName = labels.length > 1 && !/^\d/.test(labels.at(-1) ?? "");
  return isName && labels.every((label) => LABEL.test(label)) ? url.hostname : null;
}
