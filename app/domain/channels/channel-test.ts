// The merchant's test of a destination. The results are kinds that the screen translates.
import type { Ctx } from "../../context.server.ts";
import { probeDestination } from "../bus/log/destinations.ts";
import { toFailure, type Failure } from "../bus/log/failure-kind.ts";
import type { Tenant } from "../tenants/tenant.ts";

/** Throws `not_found` for a channel without a test. */
export async function testChannel(
  ctx: Ctx,
  tenant: Tenant,
  name: string,
): Promise<{ ok: boolean; latency_ms: number; failure: Failure | null }> {
  const { ok, latency_ms, http_status, error } = await probeDestination(ctx, tenant, name);
  return { ok, latency_ms, failure: ok ? null : toFailure({ error, http_status }) };
}
