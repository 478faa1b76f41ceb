// A person, or an agent that the person let act: which of the two is told by the token itself (DECISIONS 11).
import type { Ctx } from "../context.server.ts";
import { checkAgentToken, type AgentCaller } from "../domain/agents/agent-caller.ts";
import { isAgentToken } from "../domain/agents/agent-token.ts";
import { RESOURCES } from "../domain/agents/oauth-metadata.ts";
import { addressOf } from "../domain/agents/public-address.ts";
import type { AgentScope } from "../domain/agents/scopes.ts";
import { findPerson, type Person } from "../domain/identity/account.ts";
import { dataOf, findTenant, type Tenant } from "../domain/tenants/tenant.ts";
import { AppError, type ErrorCode } from "../runtime/errors.ts";
import { addressFor } from "./discovery.ts";
import type { Inbound } from "./inbound.ts";
import { requireSession, sessionCredential, unauthorized } from "./session-guard.ts";

/** RFC 6750 and RFC 9728: what was wrong, and where a token is to be had. */
export function agentChallenge(ctx: Ctx, inbound: Inbound, tenant: Tenant, code: ErrorCode, error?: string, scope?: AgentScope): AppError {
  const resource = RESOURCES.find((name) => inbound.url.pathname === `/${name}`);
  const metadata = addressOf(addressFor(ctx, inbound, tenant), `/.well-known/oauth-protected-resource${resource ? `/${resource}` : ""}`);
  const parts = [error && `error="${error}"`, scope && `scope="${scope}"`, `resource_metadata="${metadata}"`];
  return new AppError(code, { headers: { "WWW-Authenticate": `Bearer ${parts.filter(Boolean).join(", ")}` } });
}

/** The agent behind an access token, allowed to use `scope`. Throws 401 or 403; `tenant` must be as it is now. */
export async function requireAgent(ctx: Ctx, inbound: Inbound, tenant: Tenant, token: string, scope: AgentScope): Promise<AgentCaller> {
  const check = await checkAgentToken(ctx, tenant, token);
  if (check.outcome === "closed") throw new AppError("agent_access_disabled");
  if (check.outcome === "no_consent") throw agentChallenge(ctx, inbound, tenant, "agent_consent_required", "insufficient_scope");
  if (check.outcome === "invalid") throw agentChallenge(ctx, inbound, tenant, "invalid_token", "invalid_token");
  if (!check.caller.scopes.includes(scope)) throw agentChallenge(ctx, inbound, tenant, "insufficient_scope", "insufficient_scope", scope);
  return check.caller;
}

export async function requirePerson(ctx: Ctx, inbound: Inbound, remembered: Tenant | null): Promise<{ person: Person; tenant: Tenant }> {
  const credential = sessionCredential(inbound);
  if (!credential || credential.isCookie || !isAgentToken(credential.token)) {
    const { session, tenant } = await requireSession(ctx, inbound, remembered);
    return { person: session, tenant };
  }
  const tenant = remembered && (await findTenant(ctx, remembered.shop));
  if (!tenant) throw unauthorized();
  const { userId } = await requireAgent(ctx, inbound, tenant, credential.token, "identity:read");
  const person = await findPerson(dataOf(ctx, tenant).sql, userId);
  if (!person) throw unauthorized();
  return { person, tenant };
}
