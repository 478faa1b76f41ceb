// The visitor of a browser's request: a signed-in shopper, a customer authenticated by the
// storefront's app proxy, or any visitor on a page of the store (DECISIONS 7 and 16).
import type { Ctx } from "../../context.server.ts";
import type { Shopper } from "../../domain/identity/own-tags.ts";
import type { Session } from "../../domain/identity/session/sessions.ts";
import { findCustomerAccount } from "../../domain/identity/store-session/account-customer.ts";
import type { Tenant } from "../../domain/tenants/tenant.ts";
import { AppError } from "../../runtime/errors.ts";
import { isAllowedOrigin } from "../../domain/tenants/allowed-origins.ts";
import type { ProxiedRequest } from "./app-proxy.ts";
import { bearerToken } from "./guards.ts";
import type { ApiRequest } from "../api-request.ts";
import { requireSession, sessionCredential, unauthorized } from "./session-guard.ts";

export type Visitor =
  { kind: "session"; session: Session } | { kind: "customer"; gid: string } | { kind: "anonymous" };

/** Throws 401 for an invalid session, 403 `origin_not_allowed` for a page of another site. */
export async function requireVisitor(
  ctx: Ctx,
  request: ApiRequest,
  tenant: Tenant | null,
  proxied: ProxiedRequest | null,
): Promise<{ visitor: Visitor; tenant: Tenant }> {
  if (!tenant) throw new AppError("tenant_required");
  if (proxied) {
    // Signed in here but not at the storefront: the page's own token is used if the proxy forwards
    // it. Cookies are never forwarded.
    if (!proxied.customerGid && bearerToken(request)) {
      const { session, tenant: current } = await requireSession(ctx, request, tenant);
      return { visitor: { kind: "session", session }, tenant: current };
    }
    const { customerGid: gid } = proxied;
    return { visitor: gid ? { kind: "customer", gid } : { kind: "anonymous" }, tenant };
  }
  if (sessionCredential(request)) {
    const { session, tenant: current } = await requireSession(ctx, request, tenant);
    return { visitor: { kind: "session", session }, tenant: current };
  }
  const origin = request.header("origin");
  if (!origin || !isAllowedOrigin(ctx, tenant, origin)) throw new AppError("origin_not_allowed");
  return { visitor: { kind: "anonymous" }, tenant };
}

/**
 * The account of a session or, through the app proxy, of the customer who is signed in at the
 * storefront. Throws 401 without either, and for a customer without an account here.
 */
export async function requireShopper(
  ctx: Ctx,
  request: ApiRequest,
  tenant: Tenant | null,
  proxied: ProxiedRequest | null,
): Promise<{ shopper: Shopper; tenant: Tenant }> {
  const gid = proxied?.customerGid ?? null;
  if (!tenant || gid === null) {
    const { session, tenant: current } = await requireSession(ctx, request, tenant);
    return { shopper: { account: session.account, by: "session" }, tenant: current };
  }
  const account = await findCustomerAccount(ctx, tenant, gid);
  if (!account) throw unauthorized();
  return { shopper: { account, by: "storefront" }, tenant };
}
