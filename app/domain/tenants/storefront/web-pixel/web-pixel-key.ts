// What proves an event of a store's web pixel (DECISIONS 19): the pixel's key, and the origin of the page. The
// key is derived, not stored; it stands in the pixel's settings, which every visitor of the store can read.
import type { Ctx } from "../../../../context.server.ts";
import { secretEquals } from "../../../../runtime/secrets.ts";
import { isAllowedOrigin } from "../../allowed-origins.ts";
import type { Tenant } from "../../tenant.ts";
import { storeDomains } from "../primary-domain.ts";

const KEY_LENGTH = 40;
/** Pages of the platform that are a store's checkout or its customer accounts. */
const PLATFORM_ORIGINS: ReadonlySet<string> = new Set([
  "https://checkout.shopify.com",
  "https://shop.app",
  "https://shopify.com",
]);
/** Hosts below a store's own domain for its checkout and its customer accounts. */
const STORE_HOSTS = ["account", "accounts", "checkout"];
/** The origin of a sandboxed frame and of its workers: the platform runs pixels in both. */
const OPAQUE_ORIGIN = "null";

export const pixelKey = (ctx: Ctx, { shop, connection }: Tenant): string =>
  ctx.secrets
    .pseudonym(`${shop}/web-pixel`, String(connection.pixel_key_version ?? 1))
    .slice(0, KEY_LENGTH);

export const isPixelKey = (ctx: Ctx, tenant: Tenant, given: string): boolean =>
  secretEquals(given, pixelKey(ctx, tenant));

export const isPixelOrigin = (ctx: Ctx, tenant: Tenant, origin: string): boolean =>
  origin === OPAQUE_ORIGIN ||
  PLATFORM_ORIGINS.has(origin) ||
  isAllowedOrigin(ctx, tenant, origin) ||
  origin === `https://${tenant.shop.replace(".myshopify.com", ".account.myshopify.com")}` ||
  storeDomains(tenant).some((domain) =>
    STORE_HOSTS.some((host) => origin === `https://${host}.${domain.replace(/^www\./, "")}`),
  );
