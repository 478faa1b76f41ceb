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
import { issueToken } from "../../domain/identity/session/sessions.ts";
import { findTenant, type Tenant } from "../../domain/tenants/tenant.ts";
import { plainLook, renderSignInError } from "../../embeds/account-pages.ts";
import { TTL_SECONDS } from "../../runtime/database/kv.ts";
import { boundJourneyCookie, readCookie } from "../cookies.ts";
import { PAGE_HEADERS } from "../cors.ts";
import type { ApiRequest } from "../api-request.ts";
import { plain, redirect, type ApiResponse } from "../api-response.ts";
import { sessionCookie } from "./session-response.ts";

const COOKIE = "__Host-crm_signin";
/** The browser's secret and the store of its last sign-in. */
const COOKIE_PATTERN = /^([\w-]{43})\.([a-z0-9.-]{1,255})$/;

type ProviderName = keyof typeof OIDC_PROVIDERS;

/**
 * Our pages that start a sign-in: the cookie is valid there, and the agent's request waits there.
 */
const OUR_PAGES = ["/oauth/authorize?", "/embed/account?", "/embed/dashboard?"];
const isOurs = (returnTo: string) => OUR_PAGES.some((page) => returnTo.startsWith(page));
export const returnOrigin = (tenant: Tenant) =>
  tenant.config.auth_redirect_origin ?? `https://${tenant.shop}`;

export async function startSignIn(
  ctx: Ctx,
  request: ApiRequest,
  tenant: Tenant,
  provider: ProviderName,
): Promise<ApiResponse> {
  const { searchParams } = request.url;
  // An existing secret is reused: two tabs may sign in at once.
  const browserSecret =
    readKept(request).browserSecret ?? ctx.random.bytes(32).toString("base64url");
  const start = {
    returnTo: searchParams.get("return_to"),
    handoffChallenge: readHandOff(searchParams),
    browserSecret,
  };
  const begun = await beginJourney(ctx, tenant, OIDC_PROVIDERS[provider], start);
  if ("error" in begun)
    return redirect(toFailure(ctx, tenant, toReturnPath(start.returnTo), begun.error));
  return redirect(begun.location, {
    "Set-Cookie": boundJourneyCookie(
      COOKIE,
      `${browserSecret}.${tenant.shop}`,
      TTL_SECONDS.oauthState,
    ),
  });
}

/** A page that redirects gets no code: browsers would forward the fragment. */
function readHandOff(query: URLSearchParams): string | null {
  const isWanted = query.get("handoff") === "fragment";
  const goesOn = toReturnPath(query.get("return_to")).startsWith("/oauth/");
  const challenge = HandOffChallenge.safeParse(query.get("handoff_challenge"));
  return isWanted && !goesOn && challenge.success ? challenge.data : null;
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
  provider: ProviderName,
): Promise<ApiResponse> {
  const { browserSecret, shop } = readKept(request);
  const end = await completeJourney(
    ctx,
    OIDC_PROVIDERS[provider],
    request.url.searchParams,
    browserSecret,
    { userAgent: request.header("user-agent") ?? null },
  );
  if (end.outcome === "failed")
    return sendBack(ctx, end.tenant ?? (await findLastStore(ctx, shop)), end.returnTo, end.error);
  const { tenant, account, returnTo, handoffChallenge } = end;
  const location = new URL(returnTo, isOurs(returnTo) ? ctx.baseUrl : returnOrigin(tenant));
  if (handoffChallenge)
    location.hash = `session_code=${await createSessionCode(ctx, tenant, account, handoffChallenge)}`;
  return redirect(location.href, { "Set-Cookie": sessionCookie(issueToken(ctx, tenant, account)) });
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
