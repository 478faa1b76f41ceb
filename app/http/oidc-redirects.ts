// The browser's side of a sign-in elsewhere: the cookie that ties the journey to it, and the redirects out and back.
import type { Ctx } from "../context.server.ts";
import {
  beginJourney,
  completeJourney,
  toReturnPath,
  type JourneyError,
} from "../domain/identity/oidc-journey.ts";
import { OIDC_PROVIDERS } from "../domain/identity/oidc-providers.ts";
import { createSessionCode, HandOffChallenge } from "../domain/identity/session-hand-off.ts";
import { issueToken } from "../domain/identity/sessions.ts";
import { findTenant, type Tenant } from "../domain/tenants/tenant.ts";
import { renderSignInError } from "../embeds/account-pages.ts";
import { TTL_SECONDS } from "../runtime/kv.ts";
import { boundJourneyCookie, readCookie } from "./cookies.ts";
import { PAGE_HEADERS } from "./cors.ts";
import type { Inbound } from "./inbound.ts";
import { plain, redirect, type Reply } from "./reply.ts";
import { sessionCookie } from "./session-reply.ts";

const COOKIE = "__Host-crm_signin";
/** The browser's secret and the store that it last began at. */
const KEPT = /^([\w-]{43})\.([a-z0-9.-]{1,255})$/;

type ProviderName = keyof typeof OIDC_PROVIDERS;

/** The pages of ours that send people to sign in: there the cookie is good, and the agent's request waits. */
const OUR_PAGES = ["/oauth/authorize?", "/embed/account?", "/embed/dashboard?"];
const isOurs = (returnTo: string) => OUR_PAGES.some((page) => returnTo.startsWith(page));
export const returnOrigin = (tenant: Tenant) =>
  tenant.config.auth_redirect_origin ?? `https://${tenant.shop}`;

export async function startSignIn(
  ctx: Ctx,
  inbound: Inbound,
  tenant: Tenant,
  provider: ProviderName,
): Promise<Reply> {
  const { searchParams } = inbound.url;
  // Kept when it is there already: two tabs may sign in at once.
  const browserSecret =
    readKept(inbound).browserSecret ?? ctx.random.bytes(32).toString("base64url");
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

/** No code goes to a page that redirects: browsers carry the fragment along. */
function readHandOff(query: URLSearchParams): string | null {
  const isWanted = query.get("handoff") === "fragment";
  const goesOn = toReturnPath(query.get("return_to")).startsWith("/oauth/");
  const challenge = HandOffChallenge.safeParse(query.get("handoff_challenge"));
  return isWanted && !goesOn && challenge.success ? challenge.data : null;
}

function readKept(inbound: Inbound): {
  browserSecret: string | undefined;
  shop: string | undefined;
} {
  const [, browserSecret, shop] = KEPT.exec(readCookie(inbound, COOKIE) ?? "") ?? [];
  return { browserSecret, shop };
}

export async function finishSignIn(
  ctx: Ctx,
  inbound: Inbound,
  provider: ProviderName,
): Promise<Reply> {
  const { browserSecret, shop } = readKept(inbound);
  const end = await completeJourney(
    ctx,
    OIDC_PROVIDERS[provider],
    inbound.url.searchParams,
    browserSecret,
    { userAgent: inbound.header("user-agent") ?? null },
  );
  if (end.outcome === "failed")
    return sendBack(ctx, end.tenant ?? (await findLastStore(ctx, shop)), end.returnTo, end.error);
  const { tenant, account, returnTo, handoffChallenge } = end;
  const location = new URL(returnTo, isOurs(returnTo) ? ctx.baseUrl : returnOrigin(tenant));
  if (handoffChallenge)
    location.hash = `session_code=${await createSessionCode(ctx, tenant, account, handoffChallenge)}`;
  return redirect(location.href, { "Set-Cookie": sessionCookie(issueToken(ctx, tenant, account)) });
}

/** A state that is used or too old names no store any more: then it is the one that this browser began at, else the deployed one. */
async function findLastStore(
  ctx: Ctx,
  shop = ctx.config.STOREFRONT_STORE_DOMAIN,
): Promise<Tenant | null> {
  return shop === undefined ? null : findTenant(ctx, shop);
}

/** Nobody knows the store, and none is deployed: a page of ours that leads nowhere. */
function sendBack(ctx: Ctx, tenant: Tenant | null, returnTo: string, error: JourneyError): Reply {
  if (tenant) return redirect(toFailure(ctx, tenant, returnTo, error));
  const { AUTH_REDIRECT_ORIGIN: origin } = ctx.config;
  if (origin) return redirect(`${new URL(origin).origin}/?error=${error}`);
  return plain(
    400,
    "text/html; charset=utf-8",
    renderSignInError({ locale: "en", brand: "Sign-in", error }),
    PAGE_HEADERS,
  );
}

function toFailure(ctx: Ctx, tenant: Tenant, returnTo: string, error: JourneyError): string {
  const location = new URL(returnTo, isOurs(returnTo) ? ctx.baseUrl : returnOrigin(tenant));
  location.searchParams.set("error", error);
  return location.href;
}
