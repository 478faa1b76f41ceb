// The session token of the platform's customer accounts (shopify.dev "Session Token API"): a JWT under the app's
// secret, for the app's client id, with the store as `dest` and the signed-in customer as `sub`.
import { decodeJwt, errors, jwtVerify } from "jose";
import { z } from "zod";
import type { Ctx } from "../../../context.server.ts";
import { CUSTOMER_GID } from "../../customers/customer-change.ts";
import { appOf, type Tenant } from "../../tenants/tenant.ts";
import { SHOP_PATTERN } from "../../tenants/tenant-config.ts";

const MAX_TOKEN_LENGTH = 4_096;
/** The difference allowed between the platform's clock and ours. */
const TOLERANCE_SECONDS = 5;
/** The platform's tokens live for minutes: a longer one is not the platform's. */
const MAX_LIFETIME_SECONDS = 3_600;

// The admin's tokens carry an address and a staff member's number instead.
const Claims = z.object({
  dest: z.string(),
  sub: z.string().regex(CUSTOMER_GID),
  exp: z.number().int(),
  nbf: z.number().int(),
  iat: z.number().int().optional(),
});

const toShop = (dest: unknown): string | null => {
  const shop = typeof dest === "string" ? dest.replace(/^https:\/\//, "") : "";
  return SHOP_PATTERN.test(shop) ? shop : null;
};

/** The store that the token names, before anything is verified. */
export function shopOfAccountToken(token: string): string | null {
  if (token.length > MAX_TOKEN_LENGTH) return null;
  try {
    return toShop(decodeJwt(token).dest);
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof TypeError) return null;
    throw error;
  }
}

/** The gid of the signed-in customer; null for a token that is not the platform's, or of another store. */
export async function readAccountToken(
  ctx: Ctx,
  tenant: Tenant,
  token: string,
): Promise<string | null> {
  if (token.length > MAX_TOKEN_LENGTH) return null;
  const { clientId, secrets } = appOf(ctx, tenant);
  if (!clientId) return null;
  for (const secret of secrets) {
    try {
      const { payload } = await jwtVerify(token, new TextEncoder().encode(secret), {
        algorithms: ["HS256"],
        audience: clientId,
        currentDate: ctx.clock.now(),
        clockTolerance: TOLERANCE_SECONDS,
        requiredClaims: ["exp", "nbf", "dest", "sub"],
      });
      const claims = Claims.safeParse(payload).data;
      const isOurs =
        claims !== undefined &&
        claims.exp - (claims.iat ?? claims.nbf) <= MAX_LIFETIME_SECONDS &&
        toShop(claims.dest) === tenant.shop;
      return isOurs ? claims.sub : null;
    } catch (error) {
      if (!(error instanceof errors.JOSEError)) throw error;
    }
  }
  return null;
}
