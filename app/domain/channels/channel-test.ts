// The merchant's own test of a destination: what it answered, in kinds that the screen has words for.
import type { Ctx } from "../../context.server.ts";
import { probeDestination } from "../bus/destinations.ts";
import { toFailure, type Failure } from "../bus/failure-kind.ts";
import type { Tenant } from "../tenants/tenant.ts";

/** Throws `not_found` for what cannot be tested. */
export async function testChannel(
  ctx: Ctx,
  tenant: Tenant,
  name: string,
): Promise<{ ok: boolean; latency_ms: number; failure: Failure | null }> {
  const { ok, latency_ms, http_status, error } = await probeDestination(ctx, tenant, name);
  return { ok, latency_ms, failure: ok ? null : toFailure({ error, http_status }) };
}
