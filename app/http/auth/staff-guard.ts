// The session token of the store admin (shopify.dev "Session tokens"): who sits in front of an embedded
// page or an extension of the admin. HS256 by the app's secret, for a minute, for one store.
import { decodeJwt, errors, jwtVerify, type JWTPayload } from "jose";
import type { Ctx } from "../../context.server.ts";
import { isUninstalled } from "../../domain/tenants/store-access.ts";
import { SHOP_PATTERN } from "../../domain/tenants/tenant-config.ts";
import { appOf, type Tenant } from "../../domain/tenants/tenant.ts";
import type { ApiRequest } from "../api-request.ts";
import { bearerToken } from "./guards.ts";
import { unauthorized } from "./session-guard.ts";

const CLOCK_TOLERANCE_SECONDS = 10;
const MAX_STAFF_ID = 64;

/** A user of the store's admin. */
export type StaffMember = { staffId: string | null };

/** What an unproven token says: enough to know which secrets it may be signed with. */
export function claimedShop(token: string | null): string | null {
  try {
    const shop = token ? new URL(String(decodeJwt(token).dest)).hostname : "";
    return SHOP_PATTERN.test(shop) ? shop : null;
  } catch {
    return null;
  }
}

/**
 * Whether a token's claims are those of a staff member. The tokens of customer accounts and checkouts have the
 * same secret and audience: their `sub` is a customer, and an issuer there is not the admin.
 */
export function isOfStaff({
  iss,
  dest,
  sub,
}: Pick<JWTPayload, "iss" | "sub"> & { dest?: unknown }) {
  const shop = typeof dest === "string" ? dest.replace(/^https:\/\//, "") : "";
  return (
    SHOP_PATTERN.test(shop) &&
    dest === `https://${shop}` &&
    iss === `${dest}/admin` &&
    typeof sub === "string" &&
    sub !== "" &&
    !sub.startsWith("gid:")
  );
}

export const staffOf = (sub: string | undefined): string | null =>
  sub ? sub.slice(0, MAX_STAFF_ID) : null;

/** Throws what jose throws for a token that is not this app's or no staff member's, or whose time is not now. */
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
  if (!isOfStaff(payload)) throw new errors.JWTClaimValidationFailed("not of staff", payload);
  return payload;
}

/** For endpoints that an extension of the admin calls. Throws 401, also for a store without the app. */
export async function requireStaff(
  ctx: Ctx,
  request: ApiRequest,
  tenant: Tenant | null,
): Promise<StaffMember> {
  const token = bearerToken(request);
  if (!token || !tenant || isUninstalled(tenant)) throw unauthorized();
  const { clientId, secrets } = appOf(ctx, tenant);
  for (const secret of secrets)
    try {
      const { dest, sub } = await verifyAdminToken(token, {
        secret,
        clientId,
        now: ctx.clock.now(),
      });
      if (dest !== `https://${tenant.shop}`) break;
      return { staffId: staffOf(sub) };
    } catch {
      // During a rotation two secrets are in force.
    }
  throw unauthorized();
}
