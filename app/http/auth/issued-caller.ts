// The caller behind a token that this service issued, as rate limits count it: a made-up token must not get a count
// of its own, and a renewed token must not get a new one. It says nothing about what the caller may do.
import type { Ctx } from "../../context.server.ts";
import { findIssuedAgent } from "../../domain/agents/oauth/agent-caller.ts";
import { isAgentToken } from "../../domain/agents/oauth/agent-token.ts";
import { verifySessionToken } from "../../domain/identity/session/session-token.ts";
import type { Tenant } from "../../domain/tenants/tenant.ts";

/**
 * The shopper and agent of an agent's token, a session token itself, or null. A session token is known by
 * its signature, without a read.
 */
export async function issuedCaller(
  ctx: Ctx,
  tenant: Tenant,
  token: string | null,
): Promise<string | null> {
  if (token === null) return null;
  if (!isAgentToken(token))
    return verifySessionToken(ctx.config, tenant, token, ctx.clock.now()) === null ? null : token;
  const agent = await findIssuedAgent(ctx, tenant, token);
  return agent && `agent ${agent.user_id} ${agent.client_id}`;
}
