// The browser's side of an external sign-in: the cookie that ties the sign-in to the browser, and
// the redirects to the provider and back.
import type { Ctx } from "../../context.server.ts";
import {
  beginJourney,
  completeJourney,
  toReturnPath,
  type JourneyError,
} from "../../domain/identity/oidc/journey.ts";
import { OIDC_PROVIDERS } from "../../domain/identity/oidc/providers.ts";
import {
  createSessionCode,
  HandOffChallenge,
} from "../../domain/identity/session/session-exchange.ts";
import type { OidcProviderName } from "../../domain/inventory/sign-in-providers.ts";
import { issueToken } from "../../domain/identity/session/sessions.ts";
import { isAllowedOrigin } from "../../domain/tenants/allowed-origins.ts";
import { findRememberedTenant } from "../../domain/tenants/tenant-cache.ts";
import { findTenant, type Tenant } from "../../domain/tenants/tenant.ts";
import { plainLook, renderSignInError } from "../../embeds/account-pages.ts";
import { TTL_SECONDS } from "../../runtime/database/kv-keys.ts";
import { boundJourneyCookie, readCookie } from "../cookies.ts";
import { PAGE_HEADERS } from "../cors.ts";
import type { ApiRequest } from "../api-request.ts";
import { plain, redirect, redirectAway, type ApiResponse } from "../api-response.ts";
import { toDatabaseError } from "../error-response.ts";
import { isOwnPath } from "../route-table.ts";
import { readVisit } from "./read-visit.ts";
import { sessionCookie } from "./session-response.ts";

const COOKIE = "__Host-crm_signin";
/** The browser's secret and the store of its last sign-in. */
const COOKIE_PATTERN = /^([\w-]{43})\.([a-z0-9.-]{1,255})$/;

/** The shopper's pages: the cookie is valid there, and they exchange a session code. */
const SHOPPER_PAGES = ["/embed/account?", "/embed/dashboard?"];
/** Our pages that start a sign-in; in the first an agent's request waits. */
const OUR_PAGES = ["/oauth/authorize?", ...SHOPPER_PAGES];
const isOneOf = (pages: readonly string[], returnTo: string): boolean =>
  pages.some((page) => returnTo.startsWith(page));
const isOurs = (returnTo: string) => isOneOf(OUR_PAGES, returnTo);
export const returnOrigin = (tenant: Tenant) =>
  tenant.config.auth_redirect_origin ?? `https://${tenant.shop}`;

export async function startSignIn(
  ctx: Ctx,
  request: ApiRequest,
  tenant: Tenant,
  provider: OidcProviderName,
): Promise<ApiResponse> {
  const { searchParams } = request.url;
  // An existing secret is reused: two tabs may sign in at once.
  const browserSecret =
    readKept(request).browserSecret ?? ctx.random.bytes(32).toString("base64url");
  const start = {
    returnTo: searchParams.get("return_to"),
    handoffChallenge: readHandOff(ctx, request, tenant),
    browserSecret,
  };
  const begun = await beginJourney(ctx, tenant, OIDC_PROVIDERS[provider], start);
  if ("error" in begun)
    return redirect(toFailure(ctx, tenant, toReturnPath(start.returnTo), begun.error));
  return redirectAway(request, begun.location, {
    "Set-Cookie": boundJourneyCookie(
      COOKIE,
      `${browserSecret}.${tenant.shop}`,
      TTL_SECONDS.oauthState,
    ),
  });
}

/** The challenge of the tab that starts here; null when the sign-in ends without a session code. */
function readHandOff(ctx: Ctx, request: ApiRequest, tenant: Tenant): string | null {
  const { searchParams: query } = request.url;
  if (query.get("handoff") !== "fragment") return null;
  const challenge = HandOffChallenge.safeParse(query.get("handoff_challenge"));
  const mayHaveCode =
    startsOnAllowedPage(ctx, request, tenant) &&
    !mayRedirect(ctx, tenant, toReturnPath(query.get("return_to")));
  return mayHaveCode && challenge.success ? challenge.data : null;
}

/**
 * A link on a page elsewhere may name a challenge whose verifier that page's author knows. Browsers say that a
 * navigation came from another site, and name its origin unless the page hides it.
 */
function startsOnAllowedPage(ctx: Ctx, request: ApiRequest, tenant: Tenant): boolean {
  const isLinked = ["cross-site", "same-site"].includes(request.header("sec-fetch-site") ?? "");
  if (!isLinked) return true;
  const origin = URL.parse(request.header("referer") ?? "")?.origin;
  // To a service without TLS, a sandbox, browsers hide every page that has it.
  if (origin === undefined) return ctx.baseUrl.startsWith("http:");
  return isAllowedOrigin(ctx, tenant, origin);
}

/** Browsers carry a fragment over a redirect: of this service's addresses only the shopper's pages get a code. */
function mayRedirect(ctx: Ctx, tenant: Tenant, returnTo: string): boolean {
  if (isOneOf(SHOPPER_PAGES, returnTo)) return false;
  const { pathname } = new URL(returnTo, ctx.baseUrl);
  const { origin, hostname } = new URL(returnOrigin(tenant));
  const isAnsweredHere =
    origin === new URL(ctx.baseUrl).origin || tenant.publicHosts.includes(hostname);
  // The start page with a query is a launch of the app, which it forwards.
  const isLaunch = pathname === "/" && returnTo !== "/";
  return pathname.startsWith("/oauth/") || (isAnsweredHere && (isLaunch || isOwnPath(pathname)));
}

function readKept(request: ApiRequest): {
  browserSecret: string | undefined;
  shop: string | undefined;
} {
  const [, browserSecret, shop] = COOKIE_PATTERN.exec(readCookie(request, COOKIE) ?? "") ?? [];
  return { browserSecret, shop };
}

export async function finishSignIn(
  ctx: Ctx,
  request: ApiRequest,
  provider: OidcProviderName,
): Promise<ApiResponse> {
  const kept = readKept(request);
  try {
    return await finishKept(ctx, request, provider, kept);
  } catch (error) {
    const tenant = kept.shop && toDatabaseError(error) && findRememberedTenant(ctx, kept.shop);
    if (!tenant) throw error;
    ctx.log.warn("sign_in.failed", { provider, reason: "database_unavailable", shop: tenant.shop });
    return sendBack(ctx, tenant, "/", "database_unavailable");
  }
}

async function finishKept(
  ctx: Ctx,
  request: ApiRequest,
  provider: OidcProviderName,
  { browserSecret, shop }: ReturnType<typeof readKept>,
): Promise<ApiResponse> {
  const end = await completeJourney(ctx, OIDC_PROVIDERS[provider], {
    query: request.url.searchParams,
    browserSecret,
    visit: readVisit(request),
  });
  if (end.outcome === "failed")
    return sendBack(ctx, end.tenant ?? (await findLastStore(ctx, shop)), end.returnTo, end.error);
  const { tenant, account, at, returnTo, handoffChallenge } = end;
  const location = new URL(returnTo, isOurs(returnTo) ? ctx.baseUrl : returnOrigin(tenant));
  if (handoffChallenge)
    location.hash = `session_code=${await createSessionCode(ctx, tenant, account, handoffChallenge)}`;
  const token = issueToken(ctx, tenant, account, at);
  return redirect(location.href, { "Set-Cookie": sessionCookie(token) });
}

/**
 * A used or expired state does not identify a store: falls back to this browser's last store, else
 * the deployed one.
 */
async function findLastStore(
  ctx: Ctx,
  shop = ctx.config.STOREFRONT_STORE_DOMAIN,
): Promise<Tenant | null> {
  return shop === undefined ? null : findTenant(ctx, shop);
}

/** No store is known and none is deployed: shows a page without a link. */
function sendBack(
  ctx: Ctx,
  tenant: Tenant | null,
  returnTo: string,
  error: JourneyError,
): ApiResponse {
  if (tenant) return redirect(toFailure(ctx, tenant, returnTo, error));
  const { AUTH_REDIRECT_ORIGIN: origin } = ctx.config;
  if (origin) return redirect(`${new URL(origin).origin}/?error=${error}`);
  return plain(
    400,
    "text/html; charset=utf-8",
    renderSignInError(plainLook("en", "Sign-in"), error),
    PAGE_HEADERS,
  );
}

function toFailure(ctx: Ctx, tenant: Tenant, returnTo: string, error: JourneyError): string {
  const location = new URL(returnTo, isOurs(returnTo) ? ctx.baseUrl : returnOrigin(tenant));
  location.searchParams.set("error", error);
  return location.href;
}
