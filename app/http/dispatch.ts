// The steps of an endpoint's request, in this order: tenant, method, authentication, rate limit,
// body, handler. Every error has the one JSON shape (DECISIONS 3), and every request writes one log
// line.
import type { Ctx } from "../context.server.ts";
import type { CallMoney } from "../domain/agent-activity/agent-call.ts";
import { isAgentToken } from "../domain/agents/oauth/agent-token.ts";
import { findTenant, StaleTenantError, type Tenant } from "../domain/tenants/tenant.ts";
import { isStoreMoving } from "../runtime/database/postgres-errors.ts";
import { AppError, isAppError } from "../runtime/errors.ts";
import { recordServed, type AccessNote } from "./access/served-access.ts";
import { recordServedCall, type ServedCall } from "./agents/agent-calls.ts";
import { parseForm, type ApiRequest } from "./api-request.ts";
import { empty, isReply, json, type ApiResponse } from "./api-response.ts";
import { personWithoutStore, withChallenge } from "./auth/agent-guard.ts";
import { requireProxiedRequest } from "./auth/app-proxy.ts";
import { mayBodyBeProven } from "./auth/body-proof.ts";
import { bearerToken, requireObjectText } from "./auth/guards.ts";
import { AUTH_SCHEMES, type AuthCall } from "./auth/schemes.ts";
import { sessionCredential } from "./auth/session-guard.ts";
import { findTenantInBody, lookUpTenant, namedShop } from "./auth/tenant-lookup.ts";
import { toPublicRequest } from "./caching/public-request.ts";
import { corsHeaders, extensionCorsHeaders, preflightHeaders } from "./cors.ts";
import type { AnySpec, Specs } from "./endpoint.ts";
import { toErrorReply } from "./error-response.ts";
import { enforceRateLimit } from "./rate-limit.ts";
import { mediaType, readJson, readSigned, validate } from "./request-body.ts";
import { traitsOf, type Method } from "./route-traits.ts";

const NO_BYTES = Buffer.alloc(0);
const MAX_BODY_BYTES = 1024 * 1024;
const MAX_SIGNED_BODY_BYTES = 2 * 1024 * 1024;

/** The methods of a path, directly or below the app proxy. */
type MountedSpecs = { specs: Specs; isProxied: boolean };

export async function respond(
  { specs, isProxied }: MountedSpecs,
  ctx: Ctx,
  request: ApiRequest,
  params: Record<string, string>,
): Promise<ApiResponse> {
  const started = performance.now();
  const requestId = ctx.random.uuid();
  const notes: Record<string, unknown> = {};
  let reply: ApiResponse;
  let cors: Record<string, string> = { Vary: "Origin" };
  try {
    const found =
      request.header("origin") || request.method !== "OPTIONS"
        ? await tryResolveTenant(ctx, specs, request)
        : NO_TENANT;
    cors = traitsOf(specs).isOfExtensions
      ? extensionCorsHeaders(request)
      : corsHeaders(ctx, found.tenant, request);
    if (found.shop) notes.shop = found.shop;
    if (request.events) request.events.headers = { ...cors, ...everyHeader(requestId) };
    const call = { ctx, request, isProxied, params, requestId, found, cors, notes };
    reply = await dispatchCurrent(specs, call);
  } catch (error) {
    reply = toErrorReply(ctx, error, requestId, request, Object.values(specs)[0]);
  }
  Object.assign(reply.headers, {
    ...cors,
    ...reply.headers,
    ...everyHeader(requestId),
  });
  ctx.log.info("request.served", {
    request_id: requestId,
    method: request.method,
    path: request.url.pathname,
    status: reply.status,
    ms: Math.round((performance.now() - started) * 10) / 10,
    ...notes,
  });
  return reply;
}

const everyHeader = (requestId: string) => ({
  "X-Request-Id": requestId,
  "X-Content-Type-Options": "nosniff",
});

type Found = { shop: string | null; tenant: Tenant | null; error?: unknown };
const NO_TENANT: Found = { shop: null, tenant: null };

// An invalid shop is stored as an error: on a signed route the invalid signature must be reported first.
async function tryResolveTenant(ctx: Ctx, specs: Specs, request: ApiRequest): Promise<Found> {
  const { isTenantless, hasSession, allowsCachedTenant, isPublic, shopOfToken } = traitsOf(specs);
  if (isTenantless) return NO_TENANT;
  try {
    if (shopOfToken) {
      const shop = shopOfToken(request);
      const named = namedShop(request);
      if (shop === null || (named !== null && named !== shop)) return NO_TENANT;
      return { shop, tenant: await findTenant(ctx, shop) };
    }
    if (hasSession && !allowsCachedTenant)
      return await lookUpTenant(ctx, request, sessionCredential(request)?.token ?? null);
    const bearer = isPublic ? bearerToken(request) : null;
    return await lookUpTenant(ctx, request, bearer, allowsCachedTenant);
  } catch (error) {
    if (!isAppError(error)) throw error;
    return { ...NO_TENANT, error };
  }
}

type Dispatch = {
  ctx: Ctx;
  request: ApiRequest;
  isProxied: boolean;
  params: Record<string, string>;
  requestId: string;
  found: Found;
  cors: Record<string, string>;
  notes: Record<string, unknown>;
};

/** When a store's settings change all the time, a request is refused rather than repeated forever. */
const MAX_REPEATS = 10;

/** The same request again when the store was changed meanwhile: by then, nothing was done. */
async function dispatchCurrent(specs: Specs, call: Dispatch): Promise<ApiResponse> {
  const { ctx } = call;
  let { found } = call;
  for (let repeats = 0; repeats < MAX_REPEATS; repeats += 1)
    try {
      return await dispatch(specs, { ...call, found });
    } catch (error) {
      const isStale = error instanceof StaleTenantError;
      // A result from a cached tenant is sent only after the tenant was found to be current.
      const mayBeOld = isStale || isStoreMoving(error) || traitsOf(specs).allowsCachedTenant;
      const tenant = mayBeOld && found.shop ? await findTenant(ctx, found.shop) : found.tenant;
      if (!isStale && tenant === found.tenant) throw error;
      found = { ...found, tenant };
    }
  throw new AppError("overloaded", {
    message: "The store's settings change too often at this moment. Try again shortly.",
    headers: { "Retry-After": "1" },
  });
}

async function dispatch(
  specs: Specs,
  { ctx, request, isProxied, params, requestId, found: asked, cors, notes }: Dispatch,
): Promise<ApiResponse> {
  const { allowed } = traitsOf(specs);
  if (request.method === "OPTIONS") return empty(204, preflightHeaders(cors, allowed));
  const method = request.method === "HEAD" ? "GET" : request.method;
  const spec = specs[method as Method];
  if (!spec) throw new AppError("method_not_allowed", { headers: { Allow: allowed.join(", ") } });

  const recorded: ServedCall = {
    ctx,
    request,
    spec,
    isProxied,
    tenant: asked.tenant,
    principal: undefined,
    money: null,
  };
  try {
    const reply = await runEndpoint(
      spec,
      { ctx, request, isProxied, params, requestId, asked, notes },
      recorded,
    );
    recordServedCall(recorded, null);
    return reply;
  } catch (error) {
    recordServedCall(recorded, error);
    throw error;
  }
}

type Requested = Omit<Dispatch, "found" | "cors"> & { asked: Found };

/** Authenticates the caller, reads the input and runs the handler. Completes `recorded` on the way. */
async function runEndpoint(
  spec: AnySpec,
  { ctx, request, isProxied, params, requestId, asked, notes }: Requested,
  recorded: ServedCall,
): Promise<ApiResponse> {
  const caller = await identifyCaller(spec, { ctx, request, isProxied, asked });
  const { principal, tenant } = caller;
  Object.assign(recorded, { tenant, principal });

  let access: AccessNote | null = null;
  const call = {
    ctx,
    request,
    requestId,
    params,
    ...caller,
    query: spec.query
      ? validate(spec.query, Object.fromEntries(request.url.searchParams))
      : undefined,
    note: (fields: object) => Object.assign(notes, fields),
    accessed: (note: AccessNote) => {
      access = note;
    },
    noteMoney: (money: CallMoney) => {
      recorded.money = money;
    },
  };
  const isForm = spec.handleForm && mediaType(request) === "application/x-www-form-urlencoded";
  const handled = isForm ? handleForm(spec, call) : handleJson(spec, call);
  const result = await handled.catch((error: unknown) => {
    throw withAgentChallenge(spec, call, error);
  });
  const reply = isReply(result) ? result : json(200, result);
  if (spec.isCacheable) reply.isOfAddress = true;
  if (spec.access || access)
    await recordServed({
      ctx,
      request,
      requestId,
      params,
      spec,
      tenant,
      principal,
      isProxied,
      note: access,
      status: reply.status,
    });
  return reply;
}

/** Reads what the authentication needs, and says who calls for which store. */
async function identifyCaller(
  spec: AnySpec,
  { ctx, request, isProxied, asked }: Pick<Requested, "ctx" | "request" | "isProxied" | "asked">,
) {
  const raw = await readRaw(spec, request);
  const found = await findBodyTenant(spec, { ctx, request, raw, asked });
  const proxied = isProxied
    ? requireProxiedRequest(ctx, request.url.searchParams, found.tenant, spec.proxied ?? {})
    : null;
  const { principal, tenant } = await authenticate(spec, found, {
    ctx,
    request,
    tenant: found.tenant,
    raw,
    proxied,
    agent: spec.agent,
  });
  return { raw, shop: found.shop, proxied, principal, tenant };
}

/** An agent whose access ended after it was authenticated gets the challenge of its scheme with the error. */
function withAgentChallenge(
  spec: AnySpec,
  { ctx, request, tenant }: Pick<AuthCall, "ctx" | "request" | "tenant">,
  error: unknown,
): unknown {
  return spec.agent && tenant && isAgentToken(bearerToken(request) ?? "")
    ? withChallenge(ctx, request, tenant, spec.agent.scope, error)
    : error;
}

/** The call of an authenticated caller, before its input is read. */
type Authenticated = Omit<AuthCall, "agent"> & { principal: unknown };

async function handleForm(spec: AnySpec, call: Authenticated): Promise<ApiResponse | object> {
  const raw = await call.request.readBody(spec.maxBytes ?? MAX_BODY_BYTES);
  const body = parseForm(raw);
  await enforceRateLimit(spec.rateLimit, "before_work", { ...call, body });
  return spec.handleForm?.({ ...call, raw, body } as never) as Promise<ApiResponse>;
}

async function handleJson(spec: AnySpec, call: Authenticated): Promise<ApiResponse | object> {
  const body = await readBody(spec, call.request, call.raw);
  await enforceRateLimit(spec.rateLimit, "before_work", { ...call, body });
  const request = spec.isCacheable
    ? toPublicRequest(call.request, Object.keys(spec.proxied ?? {}))
    : call.request;
  return spec.handle({ ...call, request, body } as never);
}

/** With the store that a signed body names, if nothing else of the request does. */
async function findBodyTenant(
  spec: AnySpec,
  { ctx, request, raw, asked }: Pick<Requested, "ctx" | "request" | "asked"> & { raw: Buffer },
): Promise<Found> {
  const { shopFields } = AUTH_SCHEMES[spec.auth];
  if (raw.length === 0 || asked.error || shopFields.length === 0 || namedShop(request) !== null)
    return asked;
  const call = { ctx, request, tenant: null, raw, proxied: null, agent: spec.agent };
  if (!(await mayBodyBeProven(spec.auth, call))) return asked;
  return (await findTenantInBody(ctx, raw, shopFields)) ?? asked;
}

/** The signed bytes; none for other schemes, whose bodies are read after the authentication. */
async function readRaw(spec: AnySpec, request: ApiRequest): Promise<Buffer> {
  const { readsRawBody, isBodySigned, signatureDetails } = AUTH_SCHEMES[spec.auth];
  if (!readsRawBody) return NO_BYTES;
  const raw = await request.readBody(spec.maxBytes ?? MAX_SIGNED_BODY_BYTES);
  if (isBodySigned(request)) requireObjectText(raw, signatureDetails);
  return raw;
}

async function readBody(spec: AnySpec, request: ApiRequest, raw: Buffer): Promise<unknown> {
  const { readsRawBody, isBodySigned, isTextAccepted } = AUTH_SCHEMES[spec.auth];
  if (readsRawBody) {
    const isPlainJson = isTextAccepted(request) && mediaType(request) === "text/plain";
    return readSigned(request, raw, { isAnyType: isBodySigned(request) || isPlainJson });
  }
  return spec.body ? readJson(request, spec.body, spec.maxBytes ?? MAX_BODY_BYTES) : undefined;
}

/**
 * Authenticates between the errors about the store: the scheme's phase decides which of them an
 * unauthenticated caller sees.
 */
async function authenticate(
  spec: AnySpec,
  found: Found,
  call: AuthCall,
): Promise<{ principal: unknown; tenant: Tenant | null }> {
  const scheme = AUTH_SCHEMES[spec.auth];
  const prove = async () => {
    const { principal, tenant } = await scheme.authenticate(call);
    return { principal, tenant: tenant ?? found.tenant };
  };
  const early = scheme.phase === "before_shop" ? await prove() : null;
  if (found.error && spec.tenant !== "none") throw found.error;
  const known = scheme.phase === "before_tenant" ? await prove() : early;
  requireTenant(spec, found, call);
  await enforceRateLimit(spec.rateLimit, "before_auth", call);
  return known ?? prove();
}

function requireTenant(spec: AnySpec, { shop, tenant }: Found, { ctx, request }: AuthCall): void {
  const needsShop = spec.tenant === "registered" || spec.tenant === "named";
  if (!shop && needsShop) {
    if (AUTH_SCHEMES[spec.auth].isPerson)
      throw personWithoutStore(ctx, request, spec.auth === "person_or_admin");
    throw new AppError("tenant_required");
  }
  const needsTenant = spec.tenant === "registered" || (spec.tenant === "optional" && shop !== null);
  if (!tenant && needsTenant) throw new AppError("unknown_tenant");
}
