// What every endpoint shares. A route declares its methods; this picks the method, answers OPTIONS and 405, finds the
// tenant, runs the guard, reads the body once, validates, calls, and turns errors into the one JSON shape (DECISIONS 3).
// It is a plain request handler, served in front of Remix; `loader` and `action` let the same file be a Remix route.
import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import type { z } from "zod";
import type { Ctx } from "../context.server.ts";
import type { Person } from "../domain/identity/account.ts";
import type { AdminPrincipal } from "../domain/tenants/admin-key.ts";
import { findTenant, StaleTenant, type Tenant } from "../domain/tenants/tenant.ts";
import { AppError, isAppError } from "../runtime/errors.ts";
import {
  requirePerson,
  requirePersonOrAdmin,
  tenantUnknown,
  type AgentRule,
} from "./agent-guard.ts";
import {
  requireOneReading,
  requireProxiedRequest,
  type ProxiedRequest,
  type ProxyParameters,
} from "./app-proxy.ts";
import { corsHeaders, preflightHeaders } from "./cors.ts";
import { toErrorReply } from "./error-reply.ts";
import { requireEventSource, type EventSender } from "./event-source-guard.ts";
import {
  requireAdmin,
  requireBackendKey,
  requireBackendSecret,
  requireObjectText,
  requirePlatform,
  requireStorefrontSignature,
  type Auth,
} from "./guards.ts";
import { enforceRateLimit, type RateLimit } from "./rate-limit.ts";
import { requireSession, sessionCredential } from "./session-guard.ts";
import { requireVisitor, type Visitor } from "./visitor-guard.ts";
import type { Session } from "../domain/identity/sessions.ts";
import { fromWeb, parseForm, type Inbound } from "./inbound.ts";
import { empty, encodedBody, isReply, json, type Reply } from "./reply.ts";
import { mediaType, readJson, readSigned, validate } from "./request-body.ts";
import { METHODS, traitsOf, type Method } from "./route-traits.ts";
import { findTenantInBody, lookUpTenant } from "./tenant-lookup.ts";

export { METHODS } from "./route-traits.ts";

/** `registered`: 404 for a store we do not know; `named`: a valid shop, registered or not; `optional`; `none`. */
export type TenantRule = "registered" | "named" | "optional" | "none";

type TenantOf<T extends TenantRule> = T extends "registered"
  ? Tenant
  : T extends "none"
    ? null
    : Tenant | null;
type ShopOf<T extends TenantRule> = T extends "registered" | "named"
  ? string
  : T extends "none"
    ? null
    : string | null;
type PrincipalOf<A extends Auth> = A extends "admin" | "platform"
  ? AdminPrincipal
  : A extends "session"
    ? Session
    : A extends "person"
      ? Person
      : A extends "person_or_admin"
        ? Person | null
        : A extends "visitor"
          ? Visitor
          : A extends "event_source"
            ? EventSender
            : null;

export type Call<A extends Auth, T extends TenantRule, B, Q> = {
  ctx: Ctx;
  inbound: Inbound;
  requestId: string;
  params: Record<string, string>;
  shop: ShopOf<T>;
  tenant: TenantOf<T>;
  principal: PrincipalOf<A>;
  /** The validated body; for `hmac` and `event_source` routes the parsed JSON, unvalidated. */
  body: B;
  query: Q;
  /** What the app proxy proved; null for a request that came straight here. */
  proxied: ProxiedRequest | null;
  /** The exact bytes of a signed body or a form. */
  raw: Buffer;
  /** Adds to this request's one log line. */
  note(fields: Record<string, unknown>): void;
};

export type MethodSpec<
  A extends Auth,
  T extends TenantRule,
  B extends z.ZodType,
  Q extends z.ZodType,
> = {
  summary: string;
  auth: A;
  tenant: T;
  /** What a caller may do how often. A test lists the methods without one, and why each needs none. */
  rateLimit?: RateLimit;
  /** Of `person` routes: what an agent needs here beside the shopper's token. */
  agent?: AgentRule;
  /**
   * That the storefront's app proxy may call it, and the query parameters that it takes there. The proxied address is
   * `/proxy` and the path; without this the route has none.
   */
  proxied?: ProxyParameters;
  /** The handler's own statement finds out whether the remembered tenant is current, and throws StaleTenant when not. */
  remembersTenant?: true;
  body?: B;
  /** The shape of a body that the handler reads by itself, for the OpenAPI document. */
  accepts?: z.ZodType;
  query?: Q;
  /** 1 MiB unless said otherwise. */
  maxBytes?: number;
  /** What it answers when it works: status to meaning. */
  answers?: Record<number, string>;
  /** The shape of the good answer, for the OpenAPI document. */
  result?: z.ZodType;
  handle(call: Call<A, T, z.output<B>, z.output<Q>>): Promise<Reply | object>;
  /** For a page without script: takes the fields of an HTML form in place of JSON, and answers a page. */
  handleForm?(call: Call<A, T, Record<string, string>, z.output<Q>>): Promise<Reply>;
  /** The body of an error where another contract than ours fixes it. */
  errorBody?(error: AppError): object;
};

export type AnySpec = Omit<
  MethodSpec<Auth, TenantRule, z.ZodType, z.ZodType>,
  "handle" | "handleForm"
> & {
  handle(call: never): Promise<Reply | object>;
  handleForm?(call: never): Promise<Reply>;
};
export type Specs = Partial<Record<Method, AnySpec>>;

export type Endpoint = {
  specs: Specs;
  respond(ctx: Ctx, inbound: Inbound, params: Record<string, string>): Promise<Reply>;
  /** The same route as the app proxy reaches it; null when it has no proxied method. */
  proxied: Pick<Endpoint, "specs" | "respond"> | null;
};

const NO_BYTES = Buffer.alloc(0);
const MAX_BODY_BYTES = 1024 * 1024;
const MAX_SIGNED_BODY_BYTES = 2 * 1024 * 1024;

type None = z.ZodNever;

export function endpoint<
  GA extends Auth,
  GT extends TenantRule,
  PA extends Auth,
  PT extends TenantRule,
  UA extends Auth,
  UT extends TenantRule,
  HA extends Auth,
  HT extends TenantRule,
  DA extends Auth,
  DT extends TenantRule,
  GQ extends z.ZodType = None,
  PB extends z.ZodType = None,
  PQ extends z.ZodType = None,
  UB extends z.ZodType = None,
  HB extends z.ZodType = None,
  DB extends z.ZodType = None,
>(specs: {
  GET?: MethodSpec<GA, GT, None, GQ>;
  POST?: MethodSpec<PA, PT, PB, PQ>;
  PUT?: MethodSpec<UA, UT, UB, None>;
  PATCH?: MethodSpec<HA, HT, HB, None>;
  DELETE?: MethodSpec<DA, DT, DB, None>;
}) {
  const made: Endpoint = {
    specs: specs,
    respond: (ctx, inbound, params) => respond(specs, false, ctx, inbound, params),
    proxied: toProxied(specs),
  };
  const remix = async ({
    request,
    context,
    params,
  }: LoaderFunctionArgs | ActionFunctionArgs): Promise<Response> =>
    toResponse(
      await made.respond(context.ctx, fromWeb(request), params as Record<string, string>),
      request.method,
    );
  return { loader: remix, action: remix, route: made };
}

/** The methods that the app proxy may call. The store is always known there: its app's secret proves the request. */
function toProxied(specs: Specs): Endpoint["proxied"] {
  const methods = METHODS.filter((method) => specs[method]?.proxied);
  if (methods.length === 0) return null;
  const reached: Specs = {};
  for (const method of methods) {
    const spec = specs[method] as AnySpec;
    requireOneReading(spec.proxied ?? {});
    reached[method] = { ...spec, tenant: "registered" };
  }
  return {
    specs: reached,
    respond: (ctx, inbound, params) => respond(reached, true, ctx, inbound, params),
  };
}

async function respond(
  specs: Specs,
  isProxied: boolean,
  ctx: Ctx,
  inbound: Inbound,
  params: Record<string, string>,
): Promise<Reply> {
  const started = performance.now();
  const requestId = ctx.random.uuid();
  const notes: Record<string, unknown> = {};
  let reply: Reply;
  let cors: Record<string, string> = { Vary: "Origin" };
  try {
    const found =
      inbound.header("origin") || inbound.method !== "OPTIONS"
        ? await softTenant(ctx, specs, inbound)
        : NO_TENANT;
    cors = corsHeaders(ctx, found.tenant, inbound);
    if (found.shop) notes.shop = found.shop;
    const call = { ctx, inbound, isProxied, params, requestId, found, cors, notes };
    reply = await dispatch(specs, call).catch(async (error: unknown) => {
      // Nothing that a remembered tenant answered is an answer until it is known to be current.
      const current =
        traitsOf(specs).remembersTenant && found.shop !== null
          ? await findTenant(ctx, found.shop)
          : found.tenant;
      if (current === found.tenant && !(error instanceof StaleTenant)) throw error;
      return dispatch(specs, { ...call, found: { ...found, tenant: current } });
    });
  } catch (error) {
    reply = toErrorReply(ctx, error, requestId, inbound, Object.values(specs)[0]?.errorBody);
  }
  Object.assign(reply.headers, {
    ...cors,
    ...reply.headers,
    "X-Request-Id": requestId,
    "X-Content-Type-Options": "nosniff",
  });
  ctx.log.done("request.served", {
    request_id: requestId,
    method: inbound.method,
    path: inbound.url.pathname,
    status: reply.status,
    ms: Math.round((performance.now() - started) * 10) / 10,
    ...notes,
  });
  return reply;
}

type Found = { shop: string | null; tenant: Tenant | null; error?: unknown };
const NO_TENANT: Found = { shop: null, tenant: null };

// A shop that cannot be read is kept as an error: on a signed route the bad signature must be told first.
async function softTenant(ctx: Ctx, specs: Specs, inbound: Inbound): Promise<Found> {
  const { isTenantless, hasSession, remembersTenant } = traitsOf(specs);
  if (isTenantless) return NO_TENANT;
  try {
    if (remembersTenant) return await lookUpTenant(ctx, inbound, null, true);
    return await lookUpTenant(
      ctx,
      inbound,
      hasSession ? (sessionCredential(inbound)?.token ?? null) : null,
    );
  } catch (error) {
    if (!isAppError(error)) throw error;
    return { ...NO_TENANT, error };
  }
}

type Dispatch = {
  ctx: Ctx;
  inbound: Inbound;
  isProxied: boolean;
  params: Record<string, string>;
  requestId: string;
  found: Found;
  cors: Record<string, string>;
  notes: Record<string, unknown>;
};

async function dispatch(
  specs: Specs,
  { ctx, inbound, isProxied, params, requestId, found: asked, cors, notes }: Dispatch,
): Promise<Reply> {
  const { allowed } = traitsOf(specs);
  if (inbound.method === "OPTIONS") return empty(204, preflightHeaders(cors, allowed));
  const method = inbound.method === "HEAD" ? "GET" : inbound.method;
  const spec = specs[method as Method];
  if (!spec) throw new AppError("method_not_allowed", { headers: { Allow: allowed.join(", ") } });

  const isRaw = spec.auth === "hmac" || spec.auth === "event_source";
  const raw = isRaw ? await inbound.readBody(spec.maxBytes ?? MAX_SIGNED_BODY_BYTES) : NO_BYTES;
  if (isRaw) requireObjectText(inbound, spec.auth, raw);
  const found: Found =
    (raw.length > 0 && !asked.error
      ? await findTenantInBody(ctx, inbound, raw, spec.auth)
      : null) ?? asked;
  const proxied = isProxied
    ? requireProxiedRequest(ctx, inbound.url.searchParams, found.tenant, spec.proxied ?? {})
    : null;
  const principal = proveFirst(ctx, inbound, spec.auth, found.tenant, raw);
  if (found.error && spec.tenant !== "none") throw found.error;
  const admin = spec.auth === "admin" ? requireAdmin(ctx, inbound, found.tenant) : principal;
  if (!found.shop && (spec.tenant === "registered" || spec.tenant === "named"))
    throw tenantUnknown(ctx, inbound, spec.auth);
  if (!found.tenant && (spec.tenant === "registered" || (spec.tenant === "optional" && found.shop)))
    throw new AppError("unknown_tenant");
  await enforceRateLimit(spec.rateLimit, "before_auth", {
    ctx,
    inbound,
    tenant: found.tenant,
    proxied,
  });
  const signedIn =
    spec.auth === "session" ? await requireSession(ctx, inbound, found.tenant) : null;
  const acting =
    spec.auth === "person"
      ? await requirePerson(ctx, inbound, found.tenant, spec.agent)
      : spec.auth === "person_or_admin"
        ? await requirePersonOrAdmin(ctx, inbound, found.tenant, spec.agent)
        : null;
  const visiting =
    spec.auth === "visitor" ? await requireVisitor(ctx, inbound, found.tenant, proxied) : null;
  const tenant = signedIn?.tenant ?? acting?.tenant ?? visiting?.tenant ?? found.tenant;

  const query = spec.query
    ? validate(spec.query, Object.fromEntries(inbound.url.searchParams))
    : undefined;
  const call = {
    ctx,
    inbound,
    requestId,
    params,
    shop: found.shop,
    tenant,
    principal: signedIn?.session ?? acting?.person ?? visiting?.visitor ?? admin,
    query,
    proxied,
    raw,
    note: (fields: object) => Object.assign(notes, fields),
  };
  const maxBytes = spec.maxBytes ?? MAX_BODY_BYTES;
  if (spec.handleForm && mediaType(inbound) === "application/x-www-form-urlencoded") {
    const form = await inbound.readBody(maxBytes);
    const fields = parseForm(form);
    await enforceRateLimit(spec.rateLimit, "before_work", { ...call, body: fields });
    return spec.handleForm({ ...call, raw: form, body: fields } as never);
  }
  const body = isRaw
    ? readSigned(inbound, spec.auth, raw)
    : spec.body
      ? await readJson(inbound, spec.body, maxBytes)
      : undefined;
  await enforceRateLimit(spec.rateLimit, "before_work", { ...call, body });
  const result = await spec.handle({ ...call, body } as never);
  return isReply(result) ? result : json(200, result);
}

/** What must be told before anything about the store: whether the caller may speak at all. */
function proveFirst(
  ctx: Ctx,
  inbound: Inbound,
  auth: Auth,
  tenant: Tenant | null,
  raw: Buffer,
): AdminPrincipal | EventSender | null {
  switch (auth) {
    case "hmac":
      return requireStorefrontSignature(ctx, inbound, tenant, raw);
    case "event_source":
      return requireEventSource(ctx, inbound, tenant, raw);
    case "platform":
      return requirePlatform(ctx, inbound);
    case "backend":
      return requireBackendSecret(ctx, inbound);
    case "backend_key":
      return requireBackendKey(ctx, inbound);
    default:
      return null;
  }
}

function toResponse(reply: Reply, method: string): Response {
  const headers = new Headers();
  for (const [name, value] of Object.entries(reply.headers))
    for (const one of Array.isArray(value) ? value : [value]) headers.append(name, one);
  const body = encodedBody(reply);
  return new Response(method === "HEAD" || body === undefined ? null : (body as BodyInit), {
    status: reply.status,
    headers,
  });
}

export { json, plain, empty } from "./reply.ts";
