// The edge proxy in front of the service authenticates people and sends a JWT (Cloudflare Access
// "Validate JWTs").
import { jwtVerify } from "jose";
import type { Ctx } from "../../../context.server.ts";
import { ASYMMETRIC_ALGORITHMS } from "../../../runtime/asymmetric-algorithms.ts";
import { isAppError, OutboundError } from "../../../runtime/errors.ts";

const TOLERANCE_SECONDS = 30;

/** Also false when the edge is not configured, or when its keys cannot be fetched. */
export async function isEdgeAssertion(ctx: Ctx, token: string): Promise<boolean> {
  const {
    EDGE_GATE_JWKS_URL: url,
    EDGE_GATE_AUDIENCE: audience,
    EDGE_GATE_ISSUER: issuer,
  } = ctx.config;
  if (!url || !audience) return false;
  try {
    await ctx.oidc.verify("edge_gate", { url, isTenantAddress: false }, (keys) =>
      jwtVerify(token, keys, {
        algorithms: ASYMMETRIC_ALGORITHMS,
        audience,
        ...(issuer && { issuer }),
        requiredClaims: ["exp", "aud"],
        clockTolerance: TOLERANCE_SECONDS,
        currentDate: ctx.clock.now(),
      }),
    );
    return true;
  } catch (error) {
    if (error instanceof OutboundError || isAppError(error))
      ctx.log.warn("gate.keys_not_read", { reason: error.message });
    else ctx.log.warn("gate.refused", { way: "edge", reason: (error as Error).message });
    return false;
  }
}
