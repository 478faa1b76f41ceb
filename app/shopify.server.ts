// The app library (shopify.dev "shopify-app-remix"), for the pages inside the store admin only: it
// proves session tokens and exchanges them. Install, refresh and webhooks are our own
// (domain/tenants), as the contract asks.
import "@shopify/shopify-app-remix/adapters/node";
import { data, type ActionFunctionArgs, type LoaderFunctionArgs } from "@remix-run/node";
import { LogSeverity } from "@shopify/shopify-api";
import { setAbstractFetchFunc } from "@shopify/shopify-api/runtime";
import { ApiVersion, AppDistribution, shopifyApp } from "@shopify/shopify-app-remix/server";
import type { Ctx } from "./context.server.ts";
import { screenAccess, type RecordScreenAccess } from "./http/access/screen-access.ts";
import {
  isOfSomebodyElse,
  isSignedWith,
  sessionTokenOf,
  staffIn,
} from "./http/auth/admin-session-token.ts";
import { claimedShop, isOfStaff, staffOf, verifyAdminToken } from "./http/auth/staff-guard.ts";
import { createLibraryFetch } from "./http/screens/library-fetch.ts";
import { redirectIntoAdmin } from "./http/screens/open-in-admin.ts";
import { AUTH_PREFIX, writeDocumentHeaders } from "./http/screens/document-headers.ts";
import { isUninstalled } from "./domain/tenants/store-access.ts";
import { createSessionStorage } from "./domain/tenants/storefront/session-storage.ts";
import { SHOP_PATTERN } from "./domain/tenants/tenant-config.ts";
import { appOf, findTenant, findCachedTenant, type Tenant } from "./domain/tenants/tenant.ts";

const ADMIN_ORIGIN = "https://admin.shopify.com";
const APP_BRIDGE_URL = "https://cdn.shopify.com/shopifycloud/app-bridge.js";

/**
 * Who opened an embedded page. `isConnected` is false when the store's session token is right but
 * gives no access token.
 */
export type AdminVisit = {
  shop: string;
  apiKey: string;
  isConnected: boolean;
  /** The user of the store's admin; null when the token names none. */
  staffId: string | null;
  /**
   * As it was when the session token was proven; null for a store that was never connected, and for one that
   * uninstalled the app: its staff may still hold a session token.
   */
  tenant: Tenant | null;
};

/** `recordAccess`: for what shows or changes customers' data. */
type WithAccess = { recordAccess: RecordScreenAccess };
export type ScreenContext = Pick<AdminVisit, "staffId"> & { ctx: Ctx; tenant: Tenant } & WithAccess;
type RouteArgs = LoaderFunctionArgs | ActionFunctionArgs;

/**
 * The first call of every loader and action of the app. The store is named by the admin's session
 * token alone.
 */
export const authenticate = {
  /**
   * Throws the response to answer with when the session token is missing or wrong, and 409 when the
   * store is not connected.
   */
  async admin(args: RouteArgs): Promise<ScreenContext> {
    const { ctx, tenant, staffId, recordAccess } = await authenticate.shop(args);
    if (!tenant) throw data({ code: "not_connected" }, { status: 409 });
    return { ctx, tenant, staffId, recordAccess };
  },

  /** The same for pages that a store sees before it is connected. */
  async shop({
    request,
    params,
    context: { ctx, shopify, requestId },
  }: RouteArgs): Promise<AdminVisit & { ctx: Ctx } & WithAccess> {
    const visit = await shopify.authenticateAdmin(request);
    const { tenant, staffId } = visit;
    return {
      ctx,
      ...visit,
      recordAccess: screenAccess({ ctx, tenant, staffId, request, params, requestId }),
    };
  },
};

type Credentials = { clientId: string; secrets: string[] };

type Shopify = ReturnType<typeof createShopify>;

/** `adminOrigin`: who frames the app beside the store itself. The sandbox plays both. */
export type AdminAddresses = { appBridgeUrl?: string; adminOrigin?: string };

export function createShopify(ctx: Ctx, options: AdminAddresses = {}) {
  const { appBridgeUrl = APP_BRIDGE_URL, adminOrigin = ADMIN_ORIGIN } = options;
  const libraryFor = createLibraries(ctx);
  const prove = createProof(ctx, libraryFor);
  /** Proofs in progress, by their session token. */
  const running = new Map<string, Promise<AdminVisit>>();

  /**
   * Proves who opened an embedded page; throws the Response to answer with when the request has no proof. The
   * loaders of one page run at once with one session token: they share the proof, or each would
   * exchange the token.
   */
  async function authenticateAdmin(request: Request): Promise<AdminVisit> {
    const outside = await redirectIntoAdmin(ctx, request);
    if (outside) throw outside;
    const token = sessionTokenOf(request);
    if (isOfSomebodyElse(token)) throw unauthorizedResponse();
    const known = token ? running.get(token) : undefined;
    const visit = known ?? prove(request, token);
    if (token && !known) {
      running.set(token, visit);
      const forget = () => running.delete(token);
      visit.then(forget, forget);
    }
    return visit.catch((thrown: unknown) => {
      // The body of a Response can be read once, and every caller answers with it.
      throw thrown instanceof Response ? thrown.clone() : thrown;
    });
  }

  /**
   * The two pages the library makes itself: one fetches a session token and comes back, the other
   * leaves the frame.
   */
  async function servePage(request: Request): Promise<Response> {
    const { searchParams: query } = new URL(request.url);
    const back = query.get("shopify-reload");
    const leadsAway =
      back !== null && URL.parse(back, ctx.baseUrl)?.origin !== new URL(ctx.baseUrl).origin;
    if (leadsAway) return new Response("Bad request", { status: 400 });
    const shop = query.get("shop") ?? "";
    const tenant = SHOP_PATTERN.test(shop) ? await findTenant(ctx, shop) : null;
    const { clientId, secrets } = appOf(ctx, tenant);
    try {
      await libraryFor(clientId, secrets[0] ?? "").authenticate.admin(request);
    } catch (thrown) {
      // Anything but a Response is a destination that it does not trust.
      if (!(thrown instanceof Response)) return new Response("Bad request", { status: 400 });
      const scripts = (await thrown.text()).replaceAll(APP_BRIDGE_URL, appBridgeUrl);
      const page = toDocument(scripts);
      const headers = new Headers({ "Content-Type": "text/html; charset=utf-8" });
      setDocumentHeaders(request, headers, "");
      return new Response(page, { status: thrown.status, headers });
    }
    return new Response(null, { status: 404 });
  }

  const setDocumentHeaders = (request: Request, headers: Headers, nonce: string): void =>
    writeDocumentHeaders(request, headers, { nonce, appBridgeUrl, adminOrigin });

  return { authenticateAdmin, servePage, setDocumentHeaders, appBridgeUrl };
}

const toDocument = (scripts: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8">${scripts}<title>Customer identity</title></head><body></body></html>`;

/** Proves who opened an embedded page, by its session token. */
function createProof(ctx: Ctx, libraryFor: ReturnType<typeof createLibraries>) {
  /** One look-up of the store for a whole page, unless the library changed its record. */
  async function prove(request: Request, token: string | null): Promise<AdminVisit> {
    const shop = claimedShop(token);
    const known = shop ? await findTenant(ctx, shop) : null;
    const { accessToken, ...visit } = await proveBy(appOf(ctx, known), request, token);
    const isUnchanged =
      known?.shop === visit.shop && known.config.storefront_admin_token === accessToken;
    const tenant = isUnchanged ? known : await findTenant(ctx, visit.shop);
    const isGone = !visit.isConnected && tenant !== null && isUninstalled(tenant);
    return { ...visit, tenant: isGone ? null : tenant };
  }

  async function proveBy(
    { clientId, secrets }: Credentials,
    request: Request,
    token: string | null,
  ): Promise<Omit<AdminVisit, "tenant"> & { accessToken?: string | undefined }> {
    const secret =
      secrets.find((candidate) => token && isSignedWith(token, candidate)) ?? secrets[0] ?? "";
    try {
      const { session, sessionToken } = await libraryFor(clientId, secret).authenticate.admin(
        request,
      );
      // The library checks the signature, the audience and the time only.
      if (!isOfStaff(sessionToken)) throw unauthorizedResponse();
      const { shop, accessToken } = session;
      return { shop, apiKey: clientId, isConnected: true, staffId: staffIn(token), accessToken };
    } catch (thrown) {
      if (!(thrown instanceof Response) || thrown.status !== 500 || !token) throw thrown;
      // The token is right and the platform refused to exchange it, or did not answer: the page can
      // say so.
      const { dest, sub } = await verifyAdminToken(token, { secret, clientId, now: new Date() });
      const shop = new URL(String(dest)).hostname;
      ctx.log.warn("session.not_exchanged", { shop });
      return { shop, apiKey: clientId, isConnected: false, staffId: staffOf(sub) };
    }
  }

  return prove;
}

/** The platform's library for each app and secret. */
function createLibraries(ctx: Ctx) {
  setAbstractFetchFunc(createLibraryFetch(ctx));
  // The store was read a moment ago: `prove` begins with it.
  const sessionStorage = createSessionStorage(ctx, findCachedTenant);
  const build = ({ clientId, secret }: { clientId: string; secret: string }) =>
    shopifyApp({
      apiKey: clientId,
      apiSecretKey: secret,
      apiVersion: ApiVersion.April26,
      scopes: ctx.config.SCOPES,
      appUrl: ctx.baseUrl,
      authPathPrefix: AUTH_PREFIX,
      sessionStorage,
      distribution: AppDistribution.AppStore,
      future: { unstable_newEmbeddedAuthStrategy: true, expiringOfflineAccessTokens: true },
      // Its texts may hold a session token below this level.
      logger: {
        level: LogSeverity.Warning,
        log: (severity, message) =>
          severity === LogSeverity.Error && ctx.log.warn("app_library.reported", { message }),
      },
    });
  const built = new Map<string, ReturnType<typeof build>>();
  return (clientId: string, secret: string) => {
    const key = `${clientId}\n${secret}`;
    const library = built.get(key) ?? build({ clientId, secret });
    built.set(key, library);
    return library;
  };
}

const unauthorizedResponse = (): Response =>
  new Response("Unauthorized", { status: 401, headers: { "Cache-Control": "no-store" } });

declare module "@remix-run/node" {
  interface AppLoadContext {
    shopify: Shopify;
    requestId: string;
  }
}
