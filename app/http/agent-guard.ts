// A person, or an agent that the person let act (DECISIONS 11). An agent's own token says what it is; a session token that
// comes as a bearer is an agent's too, unless the shopper's cookie or a page of the store comes with it.
import type { Ctx } from "../context.server.ts";
import { checkAgentToken, type AgentCaller } from "../domain/agents/agent-caller.ts";
import { isAgentToken } from "../domain/agents/agent-token.ts";
import { RESOURCES } from "../domain/agents/oauth-metadata.ts";
import { addressOf } from "../domain/agents/public-address.ts";
import type { AgentScope } from "../domain/agents/scopes.ts";
import { findPerson, type Person } from "../domain/identity/account.ts";
import { findAdminPrincipal, isPlatformKey } from "../domain/tenants/admin-key.ts";
import { dataOf, findTenant, type Tenant } from "../domain/tenants/tenant.ts";
import { AppError, type ErrorCode } from "../runtime/errors.ts";
import { addressFor } from "./discovery.ts";
import { readCookie } from "./cookies.ts";
import { isAllowedOrigin } from "../domain/tenants/allowed-origins.ts";
import { bearerToken, type Auth } from "./guards.ts";
import type { Inbound } from "./inbound.ts";
import {
  requireSession,
  SAFE_METHODS,
  SESSION_COOKIE,
  sessionCredential,
  unauthorized,
} from "./session-guard.ts";

/** RFC 6750 and RFC 9728: what was wrong, and where a token is to be had. */
export function agentChallenge(
  ctx: Ctx,
  inbound: Inbound,
  tenant: Tenant,
  code: ErrorCode,
  error?: string,
  scope?: AgentScope,
): AppError {
  const resource = RESOURCES.find((name) => inbound.url.pathname === `/${name}`);
  const metadata = addressOf(
    addressFor(ctx, inbound, tenant),
    `/.well-known/oauth-protected-resource${resource ? `/${resource}` : ""}`,
  );
  const parts = [
    error && `error="${error}"`,
    scope && `scope="${scope}"`,
    `resource_metadata="${metadata}"`,
  ];
  return new AppError(code, {
    headers: { "WWW-Authenticate": `Bearer ${parts.filter(Boolean).join(", ")}` },
  });
}

/** The agent behind an access token, allowed to use `scope`. Throws 401 or 403; `tenant` must be as it is now. */
async function requireAgent(
  ctx: Ctx,
  inbound: Inbound,
  tenant: Tenant,
  token: string,
  scope: AgentScope,
): Promise<AgentCaller> {
  const check = await checkAgentToken(ctx, tenant, token);
  if (check.outcome === "closed") throw new AppError("agent_access_disabled");
  if (check.outcome === "no_consent")
    throw agentChallenge(ctx, inbound, tenant, "agent_consent_required", "insufficient_scope");
  if (check.outcome === "invalid")
    throw agentChallenge(ctx, inbound, tenant, "invalid_token", "invalid_token");
  if (!check.caller.scopes.includes(scope))
    throw agentChallenge(ctx, inbound, tenant, "insufficient_scope", "insufficient_scope", scope);
  return check.caller;
}

/** `scope`: what an agent's own token must hold; `needsConsent`: whoever else acts as an agent needs `consent_a2a` as well. */
export type AgentRule = { scope: AgentScope; needsConsent?: true };
const IDENTITY: AgentRule = { scope: "identity:read" };

const AGENT_HEADERS = ["ucp-agent", "a2a-version"];

/**
 * The origin of the page that asks. A browser sends no Origin when a page reads from where it came from: it says
 * same-origin, and our pages let it name itself in Referer.
 */
function originOfPage(inbound: Inbound): string | undefined {
  const origin = inbound.header("origin");
  if (origin !== undefined) return origin;
  const isOwnRead =
    SAFE_METHODS.has(inbound.method) && inbound.header("sec-fetch-site") === "same-origin";
  return isOwnRead ? URL.parse(inbound.header("referer") ?? "")?.origin : undefined;
}

/**
 * Whether an agent calls, where the token does not say so by itself: a session without the cookie and without a page of an
 * allowed origin (docs/decisions/029-agent-or-shopper.md says what that can tell, and what not).
 */
function isAgentCall(ctx: Ctx, inbound: Inbound, tenant: Tenant): boolean {
  if (AGENT_HEADERS.some((name) => inbound.header(name) !== undefined)) return true;
  if (readCookie(inbound, SESSION_COOKIE)) return false;
  const page = originOfPage(inbound);
  return page === undefined || !isAllowedOrigin(ctx, tenant, page);
}

export async function requirePerson(
  ctx: Ctx,
  inbound: Inbound,
  remembered: Tenant | null,
  rule: AgentRule = IDENTITY,
): Promise<{ person: Person; tenant: Tenant }> {
  const credential = sessionCredential(inbound);
  if (!credential || credential.isCookie || !isAgentToken(credential.token)) {
    const { session, tenant } = await requireSession(ctx, inbound, remembered);
    if (rule.needsConsent && isAgentCall(ctx, inbound, tenant)) {
      if (!tenant.config.agent_access_enabled) throw new AppError("agent_access_disabled");
      // Read with the session, anew at every call.
      if (!session.consents.a2a) throw new AppError("agent_consent_required");
    }
    return { person: session, tenant };
  }
  const tenant = remembered && (await findTenant(ctx, remembered.shop));
  if (!tenant) throw unauthorized();
  const { userId, clientId } = await requireAgent(
    ctx,
    inbound,
    tenant,
    credential.token,
    rule.scope,
  );
  const person = await findPerson(dataOf(ctx, tenant).sql, userId);
  if (!person) throw unauthorized();
  return { person: { ...person, clientId }, tenant };
}

/** The admin key is looked at first, against the tenant as it is now; to it nobody is the person. */
export async function requirePersonOrAdmin(
  ctx: Ctx,
  inbound: Inbound,
  remembered: Tenant | null,
  rule?: AgentRule,
): Promise<{ person: Person | null; tenant: Tenant }> {
  const token = bearerToken(inbound);
  const tenant = remembered && token ? await findTenant(ctx, remembered.shop) : remembered;
  if (tenant && token && findAdminPrincipal(ctx, tenant, token)) return { person: null, tenant };
  return requirePerson(ctx, inbound, tenant, rule);
}

const PERSON_GUARDS: readonly Auth[] = ["session", "person", "person_or_admin"];

/** A person whose token names no store is nobody; whoever holds a key is told to name one. */
export function tenantUnknown(ctx: Ctx, inbound: Inbound, auth: Auth): AppError {
  const token = bearerToken(inbound);
  const isKey = auth === "person_or_admin" && token !== null && isPlatformKey(ctx, token);
  return PERSON_GUARDS.includes(auth) && !isKey ? unauthorized() : new AppError("tenant_required");
}
