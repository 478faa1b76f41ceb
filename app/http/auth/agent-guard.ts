// A shopper, or an agent that acts for the shopper (DECISIONS 11). An agent's own token identifies
// it; a session token as a bearer belongs to an agent too, unless the shopper's cookie or a page of
// the store comes with it.
import type { Ctx } from "../../context.server.ts";
import { checkAgentToken, type AgentCaller } from "../../domain/agents/oauth/agent-caller.ts";
import { isAgentToken } from "../../domain/agents/oauth/agent-token.ts";
import { issuersOf, RESOURCES } from "../../domain/agents/oauth/metadata.ts";
import { addressOf } from "../../domain/agents/public-address.ts";
import type { AgentScope } from "../../domain/agents/oauth/scopes.ts";
import { errorMessage } from "../../domain/agents/ucp/envelope.ts";
import { findPerson, type Person } from "../../domain/identity/account.ts";
import { findAdminPrincipal, isPlatformKey } from "../../domain/tenants/admin-key.ts";
import { dataOf, findTenant, type Tenant } from "../../domain/tenants/tenant.ts";
import { AppError, isAppError, type ErrorCode } from "../../runtime/errors.ts";
import { addressFor } from "../agents/discovery.ts";
import { readCookie } from "../cookies.ts";
import { isAllowedOrigin } from "../../domain/tenants/allowed-origins.ts";
import { bearerToken } from "./guards.ts";
import type { ApiRequest } from "../api-request.ts";
import {
  requireSession,
  SAFE_METHODS,
  SESSION_COOKIE,
  sessionCredential,
  unauthorized,
} from "./session-guard.ts";

/**
 * RFC 6750 and RFC 9728: the error, and where to get a token. UCP's own code of it is a message beside
 * ours (ucp.dev "Identity Linking", Error Handling).
 */
export function agentChallenge(
  ctx: Ctx,
  request: ApiRequest,
  tenant: Tenant,
  code: ErrorCode,
  { error, scope }: { error?: string | undefined; scope?: AgentScope | null } = {},
): AppError {
  const resource = RESOURCES.find((name) => request.url.pathname === `/${name}`);
  const address = addressFor(ctx, request, tenant);
  const [issuer] = issuersOf(address, ctx.config.STOREFRONT_STORE_DOMAIN);
  const metadata = addressOf(
    address,
    `/.well-known/oauth-protected-resource${resource ? `/${resource}` : ""}`,
  );
  const parts = [
    `realm="${issuer}"`,
    error && `error="${error}"`,
    scope && `scope="${scope}"`,
    `resource_metadata="${metadata}"`,
  ];
  const { message } = new AppError(code);
  const ucpCode = error === "insufficient_scope" ? error : "identity_required";
  return new AppError(code, {
    headers: { "WWW-Authenticate": `Bearer ${parts.filter(Boolean).join(", ")}` },
    details: { messages: [errorMessage(ucpCode, message, "requires_buyer_review")] },
  });
}

const LATE_CHALLENGES: Partial<Record<ErrorCode, string>> = {
  unauthorized: "invalid_token",
  invalid_token: "invalid_token",
  agent_consent_required: "insufficient_scope",
};

/** An error of an agent's call whose access ended after it was checked here: with the same challenge. */
export function withChallenge(
  ctx: Ctx,
  request: ApiRequest,
  tenant: Tenant,
  scope: AgentScope | null,
  error: unknown,
): unknown {
  const name = isAppError(error) ? LATE_CHALLENGES[error.code] : undefined;
  if (!isAppError(error) || name === undefined) return error;
  return agentChallenge(ctx, request, tenant, error.code, {
    error: name,
    scope: name === "insufficient_scope" ? scope : null,
  });
}

/** The agent behind an access token with `scope`. Throws 401 or 403; `tenant` must be current. */
async function requireAgent(
  ctx: Ctx,
  request: ApiRequest,
  tenant: Tenant,
  token: string,
  scope: AgentScope | null,
): Promise<AgentCaller> {
  const check = await checkAgentToken(ctx, tenant, token);
  if (check.outcome === "closed") throw new AppError("agent_access_disabled");
  const challenge = (code: ErrorCode, named: { error: string; scope?: AgentScope | null }) =>
    agentChallenge(ctx, request, tenant, code, named);
  if (check.outcome === "no_consent")
    throw challenge("agent_consent_required", { error: "insufficient_scope", scope });
  if (check.outcome === "invalid") throw challenge("invalid_token", { error: "invalid_token" });
  if (scope !== null && !check.caller.scopes.includes(scope))
    throw challenge("insufficient_scope", { error: "insufficient_scope", scope });
  return check.caller;
}

/**
 * `scope`: required of an agent's own token, null for any; `needsConsent`: other agents need the
 * shopper's `consent_a2a` as well.
 */
export type AgentRule = { scope: AgentScope | null; needsConsent?: true };
/** `scopes`: those of an agent's own token; a session has none and allows everything. */
export type ActingPerson = { person: Person; tenant: Tenant; scopes?: readonly string[] };
const IDENTITY: AgentRule = { scope: "identity:read" };

const AGENT_HEADERS = ["ucp-agent", "a2a-version"];

/** Whether the caller of a public route says that it is an agent: nothing else distinguishes it from a page. */
export const saysToBeAgent = (request: ApiRequest): boolean =>
  AGENT_HEADERS.some((name) => request.header(name) !== undefined) ||
  isAgentToken(bearerToken(request) ?? "");

/**
 * The origin of the calling page. A browser sends no Origin on a same-origin read: Sec-Fetch-Site
 * is same-origin, and our pages send their address as Referer.
 */
function originOfPage(request: ApiRequest): string | undefined {
  const origin = request.header("origin");
  if (origin !== undefined) return origin;
  const isOwnRead =
    SAFE_METHODS.has(request.method) && request.header("sec-fetch-site") === "same-origin";
  return isOwnRead ? URL.parse(request.header("referer") ?? "")?.origin : undefined;
}

/**
 * Whether the caller is an agent when the token does not show it: a session without the cookie and
 * without a page of an allowed origin (docs/decisions/029-agent-or-shopper.md explains the limits).
 */
export function isAgentCall(ctx: Ctx, request: ApiRequest, tenant: Tenant): boolean {
  if (AGENT_HEADERS.some((name) => request.header(name) !== undefined)) return true;
  if (readCookie(request, SESSION_COOKIE)) return false;
  const page = originOfPage(request);
  return page === undefined || !isAllowedOrigin(ctx, tenant, page);
}

export async function requirePerson(
  ctx: Ctx,
  request: ApiRequest,
  cachedTenant: Tenant | null,
  rule: AgentRule = IDENTITY,
): Promise<ActingPerson> {
  const credential = sessionCredential(request);
  return credential && !credential.isCookie && isAgentToken(credential.token)
    ? requirePersonOfAgent(ctx, request, cachedTenant, credential.token, rule)
    : requirePersonOfSession(ctx, request, cachedTenant, rule);
}

async function requirePersonOfSession(
  ctx: Ctx,
  request: ApiRequest,
  cachedTenant: Tenant | null,
  rule: AgentRule,
): Promise<ActingPerson> {
  const challenge = () =>
    cachedTenant
      ? agentChallenge(ctx, request, cachedTenant, "unauthorized", {
          error: bearerToken(request) === null ? undefined : "invalid_token",
        })
      : unauthorized();
  const { session, tenant } = await requireSession(ctx, request, cachedTenant, challenge);
  if (!rule.needsConsent || !isAgentCall(ctx, request, tenant)) return { person: session, tenant };
  if (!tenant.config.agent_access_enabled) throw new AppError("agent_access_disabled");
  // The consent is read with the session on every call.
  if (!session.consents.a2a) throw new AppError("agent_consent_required");
  return { person: { ...session, isAgent: true }, tenant };
}

async function requirePersonOfAgent(
  ctx: Ctx,
  request: ApiRequest,
  cachedTenant: Tenant | null,
  token: string,
  rule: AgentRule,
): Promise<ActingPerson> {
  const tenant = cachedTenant && (await findTenant(ctx, cachedTenant.shop));
  if (!tenant) throw unauthorized();
  const { userId, clientId, grantId, scopes } = await requireAgent(
    ctx,
    request,
    tenant,
    token,
    rule.scope,
  );
  const person = await findPerson(dataOf(ctx, tenant).sql, userId);
  if (!person)
    throw agentChallenge(ctx, request, tenant, "invalid_token", { error: "invalid_token" });
  return { person: { ...person, clientId, grantId, isAgent: true }, tenant, scopes };
}

/** The admin key is checked first, against the current tenant; its principal is null. */
export async function requirePersonOrAdmin(
  ctx: Ctx,
  request: ApiRequest,
  cachedTenant: Tenant | null,
  rule?: AgentRule,
): Promise<{ person: Person | null; tenant: Tenant }> {
  const token = bearerToken(request);
  const tenant = cachedTenant && token ? await findTenant(ctx, cachedTenant.shop) : cachedTenant;
  if (tenant && token && findAdminPrincipal(ctx, tenant, token)) return { person: null, tenant };
  return requirePerson(ctx, request, tenant, rule);
}

/**
 * The error of a shopper's route without a store: without a valid token it is 401, and a caller
 * with a platform key is asked to name the store where the admin may call too.
 */
export function personWithoutStore(ctx: Ctx, request: ApiRequest, mayBeAdmin: boolean): AppError {
  const token = bearerToken(request);
  const isKey = mayBeAdmin && token !== null && isPlatformKey(ctx, token);
  return isKey ? new AppError("tenant_required") : unauthorized();
}
