// The steps of an endpoint's request:
//
//   findRequestTenant                      the store that it names
//   dispatch                               its method
//     identifyCaller                       the caller, and the errors about the store
//     validate, readJson                   query and body
//     enforceRateLimit
//     spec.handle
//     recordServedAccess, recordServedCall the access log, and the record of agents' calls
//   toErrorResponse                        every error in the one JSON shape (DECISIONS 3)
//   request.served                         the one log line
//
// From `dispatch` on they run again when the store's settings were changed meanwhile.
import type { Ctx } from "../context.server.ts";
import type { CallMoney } from "../domain/agent-activity/agent-call.ts";
import { isAgentToken } from "../domain/agents/oauth/agent-token.ts";
import { findTenant, StaleTenantError, type Tenant } from "../domain/tenants/tenant.ts";
import { isStoreMoving } from "../runtime/database/postgres-errors.ts";
import { AppError, isAppError } from "../runtime/errors.ts";
import { recordServedAccess, type AccessNote, type ServedAccess } from "./access/served-access.ts";
import { recordServedCall, type ServedCall } from "./agents/agent-calls.ts";
import { parseForm, type ApiRequest } from "./api-request.ts";
import { empty, isApiResponse, json, transportHeaders, type ApiResponse } from "./api-response.ts";
import { withChallenge } from "./auth/agent-guard.ts";
import { bearerToken } from "./auth/guards.ts";
import { identifyCaller, type Caller } from "./auth/identify-caller.ts";
import { findRequestTenant, NO_TENANT, type RequestTenant } from "./auth/request-tenant.ts";
import { AUTH_SCHEMES } from "./auth/schemes.ts";
import { toPublicRequest } from "./caching/public-request.ts";
import { corsHeaders, extensionCorsHeaders, preflightHeaders } from "./cors.ts";
import type { AnySpec, Specs } from "./endpoint.ts";
import { toErrorResponse } from "./error-response.ts";
import { enforceRateLimit } from "./rate-limit.ts";
import { mediaType, readJson, readSigned, validate } from "./request-body.ts";
import { traitsOf, type Method } from "./route-traits.ts";
import { refusedLinkPage } from "./shopper/refused-link.ts";
import { allowSandboxImages } from "./shopper/sandbox-images.ts";

const MAX_BODY_BYTES = 1024 * 1024;

/** The methods of a path, directly or below the app proxy. */
type MountedSpecs = { specs: Specs; isProxied: boolean };

/** A request while it is answered. */
type Exchange = MountedSpecs & {
  ctx: Ctx;
  request: ApiRequest;
  params: Record<string, string>;
  requestId: string;
  /** The store that the request names: known once it was found. */
  tenant: Tenant | null;
  /** Which origin may read the response: known once the store is. */
  cors: Record<string, string>;
  /** Further fields of its log line. */
  notes: Record<string, unknown>;
};

export async function respond(
  { specs, isProxied }: MountedSpecs,
  ctx: Ctx,
  request: ApiRequest,
  params: Record<string, string>,
): Promise<ApiResponse> {
  const started = performance.now();
  const requestId = ctx.random.uuid();
  const exchange: Exchange = {
    specs,
    isProxied,
    ctx,
    request,
    params,
    requestId,
    tenant: null,
    cors: { Vary: "Origin" },
    notes: {},
  };
  const reply = await answer(exchange).catch((error: unknown) => respondToError(exchange, error));
  Object.assign(reply.headers, {
    ...exchange.cors,
    ...reply.headers,
    ...everyHeader(ctx, requestId),
  });
  allowSandboxImages(ctx, reply.headers);
  ctx.log.info("request.served", {
    request_id: requestId,
    method: request.method,
    path: request.url.pathname,
    status: reply.status,
    ms: Math.round((performance.now() - started) * 10) / 10,
    ...exchange.notes,
  });
  return reply;
}

function respondToError(exchange: Exchange, error: unknown): ApiResponse {
  const { ctx, specs, request, requestId } = exchange;
  const [spec] = Object.values(specs);
  const reply = toErrorResponse(ctx, error, { request, requestId, spec });
  const isProxiedPage = exchange.isProxied && spec?.isPage;
  return (isProxiedPage && refusedLinkPage(error, request, exchange.tenant)) || reply;
}

const everyHeader = (ctx: Ctx, requestId: string) => ({
  ...transportHeaders(ctx),
  "X-Request-Id": requestId,
  "X-Content-Type-Options": "nosniff",
});

async function answer(exchange: Exchange): Promise<ApiResponse> {
  const { specs, ctx, request, requestId, notes } = exchange;
  const isPreflight = request.method === "OPTIONS";
  const found =
    isPreflight && !request.header("origin")
      ? NO_TENANT
      : await findRequestTenant(ctx, specs, request);
  if (found.shop) notes.shop = found.shop;
  exchange.tenant = found.tenant;
  exchange.cors = traitsOf(specs).isOfExtensions
    ? extensionCorsHeaders(request)
    : corsHeaders(ctx, found.tenant, request);
  if (isPreflight) return empty(204, preflightHeaders(exchange.cors, traitsOf(specs).allowed));
  if (request.events) request.events.headers = { ...exchange.cors, ...everyHeader(ctx, requestId) };
  return dispatchCurrent(exchange, found);
}

/** When a store's settings change all the time, a request is refused rather than repeated forever. */
const MAX_REPEATS = 10;

/** Dispatches again when the store was changed or moved meanwhile: by then, nothing was done. */
async function dispatchCurrent(exchange: Exchange, named: RequestTenant): Promise<ApiResponse> {
  let found = named;
  for (let repeats = 0; repeats < MAX_REPEATS; repeats += 1)
    try {
      return await dispatch(exchange, found);
    } catch (error) {
      const current = await findNewerTenant(exchange, found, error);
      if (!current) throw error;
      found = { ...found, ...current };
    }
  throw new AppError("overloaded", {
    message: "The store's settings change too often at this moment. Try again shortly.",
    headers: { "Retry-After": "1" },
  });
}

/**
 * The store's current record, where the error may come from an older one. Null where the error is the answer: the
 * record has not changed, or the error does not depend on it.
 */
async function findNewerTenant(
  { ctx, specs }: Exchange,
  found: RequestTenant,
  error: unknown,
): Promise<{ tenant: Tenant | null } | null> {
  const isStale = error instanceof StaleTenantError;
  // A result from a cached tenant is sent only after the tenant was found to be current.
  const dependsOnSettings = isStale || isStoreMoving(error) || traitsOf(specs).allowsCachedTenant;
  if (!dependsOnSettings && !mayLackRows(ctx, error)) return null;
  const tenant = found.shop ? await findTenant(ctx, found.shop) : found.tenant;
  const isOther = dependsOnSettings
    ? tenant !== found.tenant
    : tenant?.region !== found.tenant?.region;
  return isStale || isOther ? { tenant } : null;
}

/**
 * Whether the error may be due to rows that are missing in a cell which the store left after the request began: a
 * session, an account or a link that is not found there.
 */
const mayLackRows = (ctx: Ctx, error: unknown): boolean =>
  // A process of one cell knows no other, but its stores may be moved to one.
  (ctx.config.servedCells !== null || ctx.regions.names().length > 1) &&
  isAppError(error) &&
  error.status < 500 &&
  error.code !== "too_many_requests";

async function dispatch(exchange: Exchange, found: RequestTenant): Promise<ApiResponse> {
  const { specs, request } = exchange;
  const method = request.method === "HEAD" ? "GET" : request.method;
  const spec = specs[method as Method];
  if (!spec) {
    const { allowed } = traitsOf(specs);
    throw new AppError("method_not_allowed", { headers: { Allow: allowed.join(", ") } });
  }
  const served: Served = {
    ...exchange,
    spec,
    tenant: found.tenant,
    principal: undefined,
    money: null,
    access: null,
  };
  return recordServedCall(served, () => runMethod(served, found));
}

/** A request with its method, completed step by step for the two records. */
type Served = Exchange & ServedCall & ServedAccess;

async function runMethod(served: Served, found: RequestTenant): Promise<ApiResponse> {
  const { ctx, request, requestId, params, spec } = served;
  const caller = await identifyCaller(spec, served, found);
  served.tenant = caller.tenant;
  served.principal = caller.principal;

  const call: AnyCall = {
    ctx,
    request,
    requestId,
    params,
    ...caller,
    query: spec.query
      ? validate(spec.query, Object.fromEntries(request.url.searchParams))
      : undefined,
    note: (fields: object) => Object.assign(served.notes, fields),
    accessed: (access: AccessNote) => void (served.access = access),
    noteMoney: (money: CallMoney) => void (served.money = money),
  };
  const isForm = spec.handleForm && mediaType(request) === "application/x-www-form-urlencoded";
  const handled = isForm ? handleForm(spec, call) : handleJson(spec, call);
  const result = await handled.catch((error: unknown) => {
    throw withAgentChallenge(spec, call, error);
  });

  const reply = isApiResponse(result) ? result : json(200, result);
  if (spec.isCacheable) reply.isOfAddress = true;
  if (spec.access || served.access) await recordServedAccess(served, reply.status);
  return reply;
}

/** What a handler gets, before the body is read: `Call` in endpoint.ts without the types of its route. */
type AnyCall = Caller &
  Pick<Exchange, "ctx" | "request" | "requestId" | "params"> & {
    query: unknown;
    note(fields: object): void;
    accessed(access: AccessNote): void;
    noteMoney(money: CallMoney): void;
  };

async function handleForm(spec: AnySpec, call: AnyCall): Promise<ApiResponse | object> {
  const raw = await call.request.readBody(spec.maxBytes ?? MAX_BODY_BYTES);
  const body = parseForm(raw);
  await enforceRateLimit(spec.rateLimit, "before_work", { ...call, body });
  return spec.handleForm?.({ ...call, raw, body } as never) as Promise<ApiResponse>;
}

async function handleJson(spec: AnySpec, call: AnyCall): Promise<ApiResponse | object> {
  const body = await readBody(spec, call.request, call.raw);
  await enforceRateLimit(spec.rateLimit, "before_work", { ...call, body });
  const request = spec.isCacheable
    ? toPublicRequest(call.request, Object.keys(spec.proxied ?? {}))
    : call.request;
  return spec.handle({ ...call, request, body } as never);
}

async function readBody(spec: AnySpec, request: ApiRequest, raw: Buffer): Promise<unknown> {
  const { readsRawBody, isBodySigned, isTextAccepted } = AUTH_SCHEMES[spec.auth];
  if (readsRawBody) {
    const isPlainJson = isTextAccepted(request) && mediaType(request) === "text/plain";
    return readSigned(request, raw, { isAnyType: isBodySigned(request) || isPlainJson });
  }
  return spec.body ? readJson(request, spec.body, spec.maxBytes ?? MAX_BODY_BYTES) : undefined;
}

/** An agent whose access ended after it was authenticated gets the challenge of its scheme with the error. */
function withAgentChallenge(
  spec: AnySpec,
  { ctx, request, tenant }: Pick<AnyCall, "ctx" | "request" | "tenant">,
  error: unknown,
): unknown {
  return spec.agent && tenant && isAgentToken(bearerToken(request) ?? "")
    ? withChallenge(ctx, request, tenant, spec.agent.scope, error)
    : error;
}
