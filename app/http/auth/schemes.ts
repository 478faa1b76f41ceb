// The authentication schemes (SPEC "Authentication"), each a value. A route names one as `auth`;
// the order of the checks, the type of `principal` and the OpenAPI document derive from this list.
import type { Ctx } from "../../context.server.ts";
import type { Tenant } from "../../domain/tenants/tenant.ts";
import type { ApiRequest } from "../api-request.ts";
import { requireAccountToken } from "./account-guard.ts";
import { requirePerson, requirePersonOrAdmin, type AgentRule } from "./agent-guard.ts";
import type { ProxiedRequest } from "./app-proxy.ts";
import { claimedShop, requireStaff } from "./staff-guard.ts";
import { isPixelRequest, requireEventSource } from "./event-source-guard.ts";
import {
  bearerToken,
  isSigned,
  requireAdmin,
  requireBackendKey,
  requireBackendSecret,
  requireEventAccess,
  requirePlatform,
  requireStorefrontSignature,
} from "./guards.ts";
import { requireSession } from "./session-guard.ts";
import { requireShopper, requireVisitor } from "./visitor-guard.ts";

export type AuthCall = {
  ctx: Ctx;
  request: ApiRequest;
  tenant: Tenant | null;
  /** The exact bytes, for schemes that sign them. */
  raw: Buffer;
  proxied: ProxiedRequest | null;
  agent: AgentRule | undefined;
};

/** `tenant`: the current record, for schemes that read it again. */
type Authenticated<Principal> = { principal: Principal; tenant?: Tenant };

type AuthScheme<Principal> = {
  /**
   * When a failed authentication is reported. `before_shop`: before any error about the named shop;
   * `before_tenant`: before the response shows whether that shop is registered; `after_tenant`:
   * with the tenant.
   */
  phase: "before_shop" | "before_tenant" | "after_tenant";
  /** The signature covers the body, so the body is read first. */
  readsRawBody: boolean;
  /** The fields of a signed body that may name the shop when nothing else does. */
  shopFields: readonly string[];
  /** Whether a storefront signature authenticates this request's body. */
  isBodySigned(request: ApiRequest): boolean;
  /** Whether this request's JSON may come as plain text. */
  isTextAccepted(request: ApiRequest): boolean;
  /** Extra details for the error of a body without a valid signature. */
  signatureDetails?: { method: string };
  /**
   * A shopper's token names its own store: without a store the response is 401 instead of a request
   * to name one.
   */
  isPerson: boolean;
  /** The store that the unproven token names; no other reference to a store counts. */
  shopOfToken: ((request: ApiRequest) => string | null) | null;
  /** Called by the platform's extensions: their origin is not the store's (cors.ts). */
  isOfExtensions: boolean;
  /** Throws 401 or 403. */
  authenticate(call: AuthCall): Authenticated<Principal> | Promise<Authenticated<Principal>>;
  /** The alternatives of OpenAPI's `security`; names of SECURITY_SCHEMES. */
  openapi: readonly Readonly<Record<string, readonly string[]>>[];
};

function scheme<Principal>(
  given: Pick<AuthScheme<Principal>, "phase" | "authenticate" | "openapi"> &
    Partial<AuthScheme<Principal>>,
): AuthScheme<Principal> {
  return {
    readsRawBody: false,
    shopFields: [],
    isBodySigned: () => false,
    isTextAccepted: () => false,
    isPerson: false,
    shopOfToken: null,
    isOfExtensions: false,
    ...given,
  };
}

export const AUTH_SCHEMES = {
  /** No authentication. */
  none: scheme({
    phase: "after_tenant",
    authenticate: () => ({ principal: null }),
    openapi: [],
  }),
  /** The bearer admin key: the tenant's, ADMIN_KEY, or the app secret. */
  admin: scheme({
    phase: "before_tenant",
    authenticate: ({ ctx, request, tenant }) => ({ principal: requireAdmin(ctx, request, tenant) }),
    openapi: [{ adminKey: [] }],
  }),
  /** The same for the bus: closed to stores with the access role `shared`. */
  event_admin: scheme({
    phase: "before_tenant",
    authenticate({ ctx, request, tenant }) {
      const principal = requireAdmin(ctx, request, tenant);
      if (tenant) requireEventAccess(tenant);
      return { principal };
    },
    openapi: [{ adminKey: [] }],
  }),
  /** ADMIN_KEY alone. */
  platform: scheme({
    phase: "before_shop",
    authenticate: ({ ctx, request }) => ({ principal: requirePlatform(ctx, request) }),
    openapi: [{ platformKey: [] }],
  }),
  /** A storefront signature over the raw body. */
  hmac: scheme({
    phase: "before_shop",
    readsRawBody: true,
    shopFields: ["myshopify_domain", "shop_domain"],
    isBodySigned: () => true,
    authenticate: ({ ctx, request, tenant, raw }) => ({
      principal: requireStorefrontSignature(ctx, request, tenant, raw),
    }),
    openapi: [{ storefrontSignature: [] }],
  }),
  /** The same, from Shopify Flow, whose body names the store in another field. */
  flow: scheme({
    phase: "before_shop",
    readsRawBody: true,
    shopFields: ["shopify_domain"],
    isBodySigned: () => true,
    authenticate: ({ ctx, request, tenant, raw }) => ({
      principal: requireStorefrontSignature(ctx, request, tenant, raw),
    }),
    openapi: [{ storefrontSignature: [] }],
  }),
  /** A user of the store's admin, by the session token that the platform adds to an extension's calls. */
  staff: scheme({
    phase: "before_shop",
    shopOfToken: (request) => claimedShop(bearerToken(request)),
    isOfExtensions: true,
    authenticate: async ({ ctx, request, tenant }) => ({
      principal: await requireStaff(ctx, request, tenant),
    }),
    openapi: [{ adminSessionToken: [] }],
  }),
  /** A signed-in shopper, by cookie or bearer token. */
  session: scheme({
    phase: "after_tenant",
    isPerson: true,
    async authenticate({ ctx, request, tenant: cachedTenant }) {
      const { session, tenant } = await requireSession(ctx, request, cachedTenant);
      return { principal: session, tenant };
    },
    openapi: [{ sessionToken: [] }, { sessionCookie: [] }],
  }),
  /** The same; through the app proxy also the customer whom the storefront names. */
  shopper: scheme({
    phase: "after_tenant",
    isPerson: true,
    async authenticate({ ctx, request, tenant: cachedTenant, proxied }) {
      const { shopper, tenant } = await requireShopper(ctx, request, cachedTenant, proxied);
      return { principal: shopper, tenant };
    },
    openapi: [{ sessionToken: [] }, { sessionCookie: [] }],
  }),
  /** A signed-in shopper, or an agent that acts for the shopper. */
  person: scheme({
    phase: "after_tenant",
    isPerson: true,
    async authenticate({ ctx, request, tenant: cachedTenant, agent }) {
      const { person, tenant } = await requirePerson(ctx, request, cachedTenant, agent);
      return { principal: person, tenant };
    },
    openapi: [{ sessionToken: [] }, { sessionCookie: [] }, { agentToken: [] }],
  }),
  /** A shopper or an agent, or the bearer admin key, for which the principal is null. */
  person_or_admin: scheme({
    phase: "after_tenant",
    isPerson: true,
    async authenticate({ ctx, request, tenant: cachedTenant, agent }) {
      const { person, tenant } = await requirePersonOrAdmin(ctx, request, cachedTenant, agent);
      return { principal: person, tenant };
    },
    openapi: [{ sessionToken: [] }, { sessionCookie: [] }, { agentToken: [] }, { adminKey: [] }],
  }),
  /** The customer who is signed in at the store's customer accounts, by the token of our extension there. */
  account_token: scheme({
    phase: "after_tenant",
    isPerson: true,
    isOfExtensions: true,
    async authenticate({ ctx, request, tenant: cachedTenant }) {
      const { person, tenant } = await requireAccountToken(ctx, request, cachedTenant);
      return { principal: person, tenant };
    },
    openapi: [{ accountToken: [] }],
  }),
  /**
   * A shopper, a customer authenticated by the app proxy, or any visitor on a page of the store.
   */
  visitor: scheme({
    phase: "after_tenant",
    async authenticate({ ctx, request, tenant: cachedTenant, proxied }) {
      const { visitor, tenant } = await requireVisitor(ctx, request, cachedTenant, proxied);
      return { principal: visitor, tenant };
    },
    openapi: [{ sessionToken: [] }, { sessionCookie: [] }, {}],
  }),
  /** The authentication of the event's own source. */
  event_source: scheme({
    phase: "before_shop",
    readsRawBody: true,
    shopFields: ["tenant_shop"],
    isBodySigned: isSigned,
    isTextAccepted: isPixelRequest,
    signatureDetails: { method: "hmac" },
    authenticate: ({ ctx, request, tenant, raw }) => ({
      principal: requireEventSource({ ctx, request, tenant, raw }),
    }),
    openapi: [
      { storefrontSignature: [] },
      { erpToken: [] },
      { backendSecret: [] },
      { pixelKey: [] },
      { adminKey: [] },
    ],
  }),
  /** WORKER_WEBHOOK_SECRET, of the backend that calls back. */
  backend: scheme({
    phase: "before_shop",
    authenticate: ({ ctx, request }) => ({ principal: requireBackendSecret(ctx, request) }),
    openapi: [{ backendSecret: [] }, { backendBearer: [] }],
  }),
  /** BACKEND_API_KEY. */
  backend_key: scheme({
    phase: "before_shop",
    authenticate: ({ ctx, request }) => ({ principal: requireBackendKey(ctx, request) }),
    openapi: [{ backendKey: [] }],
  }),
} as const;

export type Auth = keyof typeof AUTH_SCHEMES;

/** The type of `principal` for a scheme. */
export type PrincipalOf<A extends Auth> = Awaited<
  ReturnType<(typeof AUTH_SCHEMES)[A]["authenticate"]>
>["principal"];

/** The definitions of the names in `openapi`. */
export const SECURITY_SCHEMES = {
  erpToken: {
    type: "http",
    scheme: "bearer",
    description: "The tenant's erp_token, from source `erpsys`.",
  },
  backendSecret: {
    type: "apiKey",
    in: "header",
    name: "x-backend-webhook-secret",
    description: "WORKER_WEBHOOK_SECRET.",
  },
  pixelKey: {
    type: "apiKey",
    in: "query",
    name: "key",
    description: "The key of the store's web pixel, from source `storefront_pixel`.",
  },
  backendBearer: { type: "http", scheme: "bearer", description: "WORKER_WEBHOOK_SECRET." },
  backendKey: { type: "http", scheme: "bearer", description: "BACKEND_API_KEY." },
  adminKey: {
    type: "http",
    scheme: "bearer",
    description: "The tenant's admin_key, ADMIN_KEY, or the app secret, tried in this order.",
  },
  adminSessionToken: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description: "The session token of the store admin, for this app and store.",
  },
  platformKey: { type: "http", scheme: "bearer", description: "ADMIN_KEY." },
  sessionToken: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description: "The token of a signed-in person.",
  },
  agentToken: {
    type: "http",
    scheme: "bearer",
    description: "An access token that a shopper gave an agent at /oauth/authorize.",
  },
  accountToken: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description:
      "The session token of a UI extension in the store's customer accounts, signed with the app secret. `sub` is the customer.",
  },
  sessionCookie: {
    type: "apiKey",
    in: "cookie",
    name: "__Host-crm_session",
    description: "The same token. Changes need an allowed Origin and application/json.",
  },
  storefrontSignature: {
    type: "apiKey",
    in: "header",
    name: "X-Storefront-Hmac-SHA256",
    description:
      "Base64 HMAC-SHA256 of the raw body under the app secret. X-Shopify-Hmac-Sha256 is an alias.",
  },
};
