// The store of a request to a route: the one that its address, headers or token name, else the one
// that its signed body names.
import type { Ctx } from "../../context.server.ts";
import { findTenant, type Tenant } from "../../domain/tenants/tenant.ts";
import { isAppError } from "../../runtime/errors.ts";
import type { ApiRequest } from "../api-request.ts";
import type { AnySpec, Specs } from "../endpoint.ts";
import { traitsOf } from "../route-traits.ts";
import { mayBodyBeProven } from "./body-proof.ts";
import { bearerToken } from "./guards.ts";
import { AUTH_SCHEMES } from "./schemes.ts";
import { sessionCredential } from "./session-guard.ts";
import { findTenantInBody, lookUpTenant, namedShop } from "./tenant-lookup.ts";

/** `error`: the request names no valid shop. Thrown later: a wrong signature is reported first. */
export type RequestTenant = { shop: string | null; tenant: Tenant | null; error?: unknown };
export const NO_TENANT: RequestTenant = { shop: null, tenant: null };

/** Finds the tenant that the request names outside its body. Nothing of it is proven yet. */
export async function findRequestTenant(
  ctx: Ctx,
  specs: Specs,
  request: ApiRequest,
): Promise<RequestTenant> {
  const { isTenantless, hasSession, allowsCachedTenant, isPublic, shopOfToken } = traitsOf(specs);
  if (isTenantless) return NO_TENANT;
  try {
    if (shopOfToken) {
      const shop = shopOfToken(request);
      const named = namedShop(request);
      if (shop === null || (named !== null && named !== shop)) return NO_TENANT;
      return { shop, tenant: await findTenant(ctx, shop) };
    }
    if (hasSession && !allowsCachedTenant)
      return await lookUpTenant(ctx, request, sessionCredential(request)?.token ?? null);
    const bearer = isPublic ? bearerToken(request) : null;
    return await lookUpTenant(ctx, request, bearer, allowsCachedTenant);
  } catch (error) {
    if (!isAppError(error)) throw error;
    return { ...NO_TENANT, error };
  }
}

type SignedRequest = { ctx: Ctx; request: ApiRequest; raw: Buffer };

/** The store in the signed bytes, if nothing else of the request names one; else `found`. */
export async function withBodyTenant(
  spec: AnySpec,
  { ctx, request, raw }: SignedRequest,
  found: RequestTenant,
): Promise<RequestTenant> {
  const { shopFields } = AUTH_SCHEMES[spec.auth];
  if (raw.length === 0 || found.error || shopFields.length === 0 || namedShop(request) !== null)
    return found;
  const call = { ctx, request, tenant: null, raw, proxied: null, agent: spec.agent };
  if (!(await mayBodyBeProven(spec.auth, call))) return found;
  return (await findTenantInBody(ctx, raw, shopFields)) ?? found;
}
