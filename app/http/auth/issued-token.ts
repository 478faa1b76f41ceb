// Whether a token was issued by this service, for the rate limits of public routes: a text that
// anybody makes up must not have a count of its own. It does not say that the caller may do anything.
import type { Ctx } from "../../context.server.ts";
import { isIssuedAgentToken } from "../../domain/agents/oauth/agent-caller.ts";
import { isAgentToken } from "../../domain/agents/oauth/agent-token.ts";
import { verifySessionToken } from "../../domain/identity/session/session-token.ts";
import type { Tenant } from "../../domain/tenants/tenant.ts";

/** The token itself, or null. A session token is known by its signature, without a read. */
export async function issuedToken(
  ctx: Ctx,
  tenant: Tenant,
  token: string | null,
): Promise<string | null> {
  if (token === null) return null;
  const isIssued = isAgentToken(token)
    ? await isIssuedAgentToken(ctx, tenant, token)
    : verifySessionToken(ctx.config, tenant, token, ctx.clock.now()) !== null;
  return isIssued ? token : null;
}
