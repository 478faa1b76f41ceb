// The edge in front of the service signs in people by itself and says so in a JWT (Cloudflare Access "Validate JWTs").
import { jwtVerify } from "jose";
import type { Ctx } from "../../context.server.ts";
import { isAppError, OutboundError } from "../../runtime/errors.ts";

/** Signatures with a key pair only. */
const ALGORITHMS = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
];
const TOLERANCE_SECONDS = 30;

/** False too when the edge is not configured, or when its keys cannot be had. */
export async function isEdgeAssertion(ctx: Ctx, token: string): Promise<boolean> {
  const {
    EDGE_GATE_JWKS_URL: url,
    EDGE_GATE_AUDIENCE: audience,
    EDGE_GATE_ISSUER: issuer,
  } = ctx.config;
  if (!url || !audience) return false;
  try {
    await jwtVerify(token, ctx.oidc.keysOf("edge_gate", { jwks_uri: url }, false), {
      algorithms: ALGORITHMS,
      audience,
      ...(issuer && { issuer }),
      requiredClaims: ["exp", "aud"],
      clockTolerance: TOLERANCE_SECONDS,
      currentDate: ctx.clock.now(),
    });
    return true;
  } catch (error) {
    if (error instanceof OutboundError || isAppError(error))
      ctx.log.troubled("gate.keys_not_read", { reason: error.message });
    else ctx.log.troubled("gate.refused", { way: "edge", reason: (error as Error).message });
    return false;
  }
}
