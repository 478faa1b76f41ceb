// The declaration of a route, and its request handler: `endpoint({ GET: {...}, POST: {...} })`. The
// handler is served in front of Remix; `loader` and `action` keep the file a valid Remix route. The
// steps of a request: dispatch.ts.
import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import type { z } from "zod";
import type { Ctx } from "../context.server.ts";
import type { AgentOperation } from "../domain/agent-activity/operations.ts";
import type { AccessAction } from "../domain/compliance/access-log/record-access.ts";
import type { Tenant } from "../domain/tenants/tenant.ts";
import type { AppError } from "../runtime/errors.ts";
import type { NoteAccess } from "./access/served-access.ts";
import type { NoteMoney } from "./agents/agent-calls.ts";
import { fromWeb, type ApiRequest } from "./api-request.ts";
import { encodedBody, type ApiResponse } from "./api-response.ts";
import type { AgentRule } from "./auth/agent-guard.ts";
import { requireOneReading, type ProxiedRequest, type ProxyParameters } from "./auth/app-proxy.ts";
import type { Auth, PrincipalOf } from "./auth/schemes.ts";
import { respond } from "./dispatch.ts";
import type { ResponseContent } from "./openapi/response-content.ts";
import type { RateLimit } from "./rate-limit.ts";
import { METHODS, type Method } from "./route-traits.ts";

export { METHODS } from "./route-traits.ts";

/**
 * `registered`: 404 for an unknown store; `named`: a valid shop, registered or not; `optional`;
 * `none`.
 */
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
export type Call<A extends Auth, T extends TenantRule, B, Q> = {
  ctx: Ctx;
  request: ApiRequest;
  requestId: string;
  params: Record<string, string>;
  shop: ShopOf<T>;
  tenant: TenantOf<T>;
  principal: PrincipalOf<A>;
  /** The validated body; for `hmac` and `event_source` routes the parsed JSON, unvalidated. */
  body: B;
  query: Q;
  /** The claims authenticated by the app proxy; null for a direct request. */
  proxied: ProxiedRequest | null;
  /** The exact bytes of a signed body or a form. */
  raw: Buffer;
  /** Adds fields to this request's one log line. */
  note(fields: Record<string, unknown>): void;
  /** Says more of the access that is recorded after the handler: see `access`. */
  accessed: NoteAccess;
  /** What an agent's call reserves or allows: see `agentOperation`. */
  noteMoney: NoteMoney;
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
  /**
   * What the response shows or the call does to a customer's data, for the access log. A test lists
   * the methods without it, with the reason for each.
   */
  access?: AccessAction;
  /** The rate limits. A test lists the methods without one, with the reason for each. */
  rateLimit?: RateLimit;
  /** For `person` routes: what an agent needs here beside the shopper's token. */
  agent?: AgentRule;
  /** The name under which an agent's call is recorded: that of the tool that does the same. */
  agentOperation?: AgentOperation;
  /**
   * Opens the method to the storefront's app proxy, with the query parameters it accepts there. The
   * proxied path is `/proxy` and the path; without this the route has none.
   */
  proxied?: ProxyParameters;
  /** Shoppers open it by a link: a browser gets a page instead of the app proxy's error (shopper/refused-link.ts). */
  isPage?: true;
  /**
   * Shared caches may keep the response and give it to everybody. The handler sees the address with
   * `shop` and the parameters of `proxied`, and no credentials (caching/public-request.ts); a token
   * names no store.
   */
  isCacheable?: true;
  /**
   * The handler's own statement checks whether the cached tenant is current, and throws
   * StaleTenantError when not.
   */
  allowsCachedTenant?: true;
  body?: B;
  /** The schema of a body that the handler parses itself, for the OpenAPI document. */
  accepts?: z.ZodType;
  query?: Q;
  /** 1 MiB by default. */
  maxBytes?: number;
  /** The success responses: status to description. */
  answers?: Record<number, string>;
  /**
   * What the success response contains, or what each status of `answers` does. For the OpenAPI
   * document and for the tests, which check every response against it; never read in production.
   */
  result?: ResponseContent | Record<number, ResponseContent>;
  handle(call: Call<A, T, z.output<B>, z.output<Q>>): Promise<ApiResponse | object>;
  /** The fields of the form that `handleForm` takes, where they are not those of `body`. */
  form?: z.ZodType;
  /** For a page without script: accepts an HTML form in place of JSON, and responds with a page. */
  handleForm?(call: Call<A, T, Record<string, string>, z.output<Q>>): Promise<ApiResponse>;
  /** The body of an error where another specification defines it. */
  errorBody?(error: AppError, request: ApiRequest): object;
  /** Its status, where it is not the error's own. */
  errorStatus?(error: AppError): number;
};

export type AnySpec = Omit<
  MethodSpec<Auth, TenantRule, z.ZodType, z.ZodType>,
  "handle" | "handleForm"
> & {
  handle(call: never): Promise<ApiResponse | object>;
  handleForm?(call: never): Promise<ApiResponse>;
};
export type Specs = Partial<Record<Method, AnySpec>>;

export type Endpoint = {
  specs: Specs;
  respond(ctx: Ctx, request: ApiRequest, params: Record<string, string>): Promise<ApiResponse>;
  /** The same route below the app proxy; null when it has no proxied method. */
  proxied: Pick<Endpoint, "specs" | "respond"> | null;
};

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
    specs,
    respond: (ctx, request, params) => respond({ specs, isProxied: false }, ctx, request, params),
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

/**
 * The methods that the app proxy may call. They always have a store, because its app's secret
 * authenticates the request.
 */
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
    respond: (ctx, request, params) =>
      respond({ specs: reached, isProxied: true }, ctx, request, params),
  };
}

function toResponse(reply: ApiResponse, method: string): Response {
  const headers = new Headers();
  for (const [name, value] of Object.entries(reply.headers))
    for (const one of Array.isArray(value) ? value : [value]) headers.append(name, one);
  const body = encodedBody(reply);
  return new Response(method === "HEAD" || body === undefined ? null : (body as BodyInit), {
    status: reply.status,
    headers,
  });
}

export { json, plain, empty } from "./api-response.ts";
