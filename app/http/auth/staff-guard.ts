// The session token of the store admin (shopify.dev "Session tokens"): who sits in front of an embedded
// page or an extension of the admin. HS256 by the app's secret, for a minute, for one store.
import { decodeJwt, jwtVerify } from "jose";
import type { Ctx } from "../../context.server.ts";
import { SHOP_PATTERN } from "../../domain/tenants/tenant-config.ts";
import { appOf, type Tenant } from "../../domain/tenants/tenant.ts";
import type { ApiRequest } from "../api-request.ts";
import { bearerToken } from "./guards.ts";
import { unauthorized } from "./session-guard.ts";

const CLOCK_TOLERANCE_SECONDS = 10;
const MAX_STAFF_ID = 64;

/** A user of the store's admin. */
export type StaffMember = { /** Null when the token names none. */ staffId: string | null };

/** What an unproven token says: enough to know which secrets it may be signed with. */
export function claimedShop(token: string | null): string | null {
  try {
    const shop = token ? new URL(String(decodeJwt(token).dest)).hostname : "";
    return SHOP_PATTERN.test(shop) ? shop : null;
  } catch {
    return null;
  }
}

export const staffOf = (sub: string | undefined): string | null =>
  sub ? sub.slice(0, MAX_STAFF_ID) : null;

/** Throws what jose throws for a token that is not this app's, or whose time is not now. */
export async function verifyAdminToken(
  token: string,
  { secret, clientId, now }: { secret: string; clientId: string; now: Date },
) {
  const { payload } = await jwtVerify(token, new TextEncoder().encode(secret), {
    algorithms: ["HS256"],
    audience: clientId,
    requiredClaims: ["exp", "nbf", "iss", "dest", "sub"],
    clockTolerance: CLOCK_TOLERANCE_SECONDS,
    currentDate: now,
  });
  return payload;
}

/**
 * For endpoints that an extension of the admin calls. A customer's token has no issuer, another store's
 * has another one. Throws 401, also for a store without the app.
 */
export async function requireStaff(
  ctx: Ctx,
  request: ApiRequest,
  tenant: Tenant | null,
): Promise<StaffMember> {
  const token = bearerToken(request);
  if (!token || !tenant || tenant.connection.uninstalled_at) throw unauthorized();
  const { clientId, secrets } = appOf(ctx, tenant);
  const origin = `https://${tenant.shop}`;
  for (const secret of secrets)
    try {
      const { iss, dest, sub } = await verifyAdminToken(token, {
        secret,
        clientId,
        now: ctx.clock.now(),
      });
      if (dest !== origin || iss !== `${origin}/admin`) break;
      return { staffId: staffOf(sub) };
    } catch {
      // During a rotation two secrets are in force.
    }
  throw unauthorized();
}
