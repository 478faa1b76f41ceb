// How much agents may ask at /mcp and /a2a, which answer a refusal in JSON-RPC: without a token by where they call from, with
// one by the token. The numbers stand in identity/rate-limits.ts; all other routes declare theirs (rate-limit.ts).
import type { Ctx } from "../context.server.ts";
import { countTry } from "../domain/identity/rate-limits.ts";
import type { Tenant } from "../domain/tenants/tenant.ts";
import { clientAddress } from "./client-address.ts";
import { bearerToken } from "./guards.ts";
import type { Inbound } from "./inbound.ts";

export const addressOfCaller = (ctx: Ctx, inbound: Inbound): string =>
  clientAddress(inbound, ctx.config.TRUST_PROXY_HOPS);

/** One call; throws 429. */
export async function countAgentCall(ctx: Ctx, inbound: Inbound, tenant: Tenant): Promise<void> {
  const [token, address] = [bearerToken(inbound), addressOfCaller(ctx, inbound)];
  await countTry(
    ctx,
    tenant,
    token
      ? { agent_calls_per_token: token, agent_token_calls_per_address: address }
      : { agent_calls_per_address: address },
  );
}

/** Beside its call, something that is made or changed; throws 429. */
export const countAgentChange = (ctx: Ctx, inbound: Inbound, tenant: Tenant): Promise<void> =>
  countTry(ctx, tenant, {
    agent_changes_per_caller: bearerToken(inbound) ?? addressOfCaller(ctx, inbound),
  });
