// Rate limits of /mcp and /a2a, which report errors in JSON-RPC: by client address without a token
// that was issued, else by the caller behind it. The numbers are in identity/rate-limits.ts; all other routes declare theirs
// (rate-limit.ts).
import type { Ctx } from "../../context.server.ts";
import { consumeRateLimit } from "../../domain/identity/rate-limits.ts";
import type { Tenant } from "../../domain/tenants/tenant.ts";
import { clientAddress } from "../client-address.ts";
import { bearerToken } from "../auth/guards.ts";
import { issuedCaller } from "../auth/issued-caller.ts";
import type { ApiRequest } from "../api-request.ts";

export const addressOfCaller = (ctx: Ctx, request: ApiRequest): string =>
  clientAddress(request, ctx.config.TRUST_PROXY_HOPS);

/** Counts a call; throws 429. */
export async function countAgentCall(ctx: Ctx, request: ApiRequest, tenant: Tenant): Promise<void> {
  const caller = await issuedCaller(ctx, tenant, bearerToken(request));
  const address = addressOfCaller(ctx, request);
  await consumeRateLimit(
    ctx,
    tenant,
    caller
      ? { agent_calls_per_token: caller, agent_token_calls_per_address: address }
      : { agent_calls_per_address: address },
  );
}

/** Counts a write in addition to its call; throws 429. */
export async function countAgentChange(
  ctx: Ctx,
  request: ApiRequest,
  tenant: Tenant,
): Promise<void> {
  const caller = await issuedCaller(ctx, tenant, bearerToken(request));
  await consumeRateLimit(ctx, tenant, {
    agent_changes_per_caller: caller ?? addressOfCaller(ctx, request),
  });
}
