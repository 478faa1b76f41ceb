// Requests that arrive through the storefront's app proxy (shopify.dev "App proxies"): where they
// are mounted, how one proves itself, and which parameters it may carry. docs/decisions/026-app-proxy.md
//
// The platform signs the sorted `name=value` pairs, unencoded and joined without separators, and it
// signs what the visitor adds. So that a signed text has one reading and no other:
//   - names are an allow-list, each at most once, and no name ends with another;
//   - every value has a shape, and none holds `=` (it begins a value), `,` (it joins several values of one name) or `&` (it
//     joins the pairs of a launch, which the same secret signs).
import { createHmac } from "node:crypto";
import type { Ctx } from "../../context.server.ts";
import { SHOP_PATTERN } from "../../domain/tenants/tenant-config.ts";
import { appOf, type Tenant } from "../../domain/tenants/tenant.ts";
import { AppError } from "../../runtime/errors.ts";
import { secretEquals } from "../../runtime/secrets.ts";
import { signingKeys } from "./guards.ts";

/**
 * The path of `[app_proxy] url` in shopify.app.toml: only paths below it answer proxied requests.
 */
export const PROXY_MOUNT = "/proxy";

/** The route's own query parameters through the proxy, each with the format of its value. */
export type ProxyParameters = Readonly<Record<string, RegExp>>;

/**
 * The claims of an authenticated proxied request. `customerGid` is null when no customer is signed
 * in at the storefront.
 */
export type ProxiedRequest = { pathPrefix: string; customerGid: string | null };

/** A language tag, the theme's language. */
export const LOCALE_SHAPE = /^[a-z]{2,3}(?:-[a-z0-9]{2,8}){0,3}$/i;
/** A path of the store, without a query. */
export const PATH_SHAPE = /^\/(?:[\w.~%-][\w./~%-]{0,499})?$/;

const MAX_AGE_SECONDS = 90;

const PLATFORM_PARAMETERS: ProxyParameters = {
  shop: SHOP_PATTERN,
  timestamp: /^\d{1,12}$/,
  path_prefix: /^\/(?:apps|a|community|tools)\/[a-z0-9_-]{1,40}$/i,
  logged_in_customer_id: /^\d{0,20}$/,
  signature: /^[0-9a-f]{64}$/,
};
/** The platform may leave it out, or send it empty, where no customer is signed in. */
const OPTIONAL = "logged_in_customer_id";
const MARKS = ["signature", "path_prefix"];

/** Whether the query has the parameters that the platform's proxy adds to every request. */
export const hasProxyMarks = (query: URLSearchParams): boolean =>
  MARKS.some((name) => query.has(name));

/** For a declaration: throws when these names would make a signed text ambiguous. */
export function requireOneReading(parameters: ProxyParameters): void {
  const names = Object.keys({ ...PLATFORM_PARAMETERS, ...parameters });
  for (const name of Object.keys(parameters)) {
    const clash = names.find(
      (other) => other !== name && (name.endsWith(other) || other.endsWith(name)),
    );
    if (clash || Object.hasOwn(PLATFORM_PARAMETERS, name) || !/^[a-z_]+$/.test(name))
      throw new Error(`${name} cannot be a parameter of a proxied route`);
  }
}

/** Authenticates a proxied request. Every failure throws 401 `invalid_signature`. */
export function requireProxiedRequest(
  ctx: Ctx,
  query: URLSearchParams,
  tenant: Tenant | null,
  parameters: ProxyParameters,
): ProxiedRequest {
  const shapes: ProxyParameters = { ...parameters, ...PLATFORM_PARAMETERS };
  const values = new Map<string, string>();
  for (const [name, value] of query) {
    const isFit =
      Object.hasOwn(shapes, name) &&
      !values.has(name) &&
      !/[=,&]/.test(value) &&
      shapes[name]?.test(value);
    if (!isFit) throw refused();
    values.set(name, value);
  }
  const {
    timestamp = "",
    signature = "",
    path_prefix: pathPrefix = "",
  } = Object.fromEntries(values);
  const age = Math.abs(ctx.clock.now().getTime() / 1_000 - Number(timestamp));
  if (
    Object.keys(PLATFORM_PARAMETERS).some((name) => name !== OPTIONAL && !values.has(name)) ||
    !isSigned(appOf(ctx, tenant).secrets, values, signature) ||
    age > MAX_AGE_SECONDS ||
    (tenant && values.get("shop") !== tenant.shop)
  )
    throw refused();
  const id = values.get(OPTIONAL);
  return { pathPrefix, customerGid: id ? `gid://shopify/Customer/${id}` : null };
}

const refused = () =>
  new AppError("invalid_signature", {
    message: "The app proxy's signature is missing, wrong or too old, or a parameter is not taken.",
  });

/**
 * Hex HMAC-SHA256 of the sorted pairs, under any of the app's secrets (shopify.dev "Authenticate
 * app proxies").
 */
function isSigned(
  secrets: readonly string[],
  values: ReadonlyMap<string, string>,
  signature: string,
): boolean {
  const message = [...values]
    .filter(([name]) => name !== "signature")
    .map(([name, value]) => `${name}=${value}`)
    .sort()
    .join("");
  return signingKeys(secrets)
    .map((key) => secretEquals(createHmac("sha256", key).update(message).digest("hex"), signature))
    .some(Boolean);
}
