// Who speaks for a browser: a signed-in person, a customer that the storefront's app proxy vouches for, or anybody on a
// page of the store (DECISIONS 7 and 16).
import type { Ctx } from "../context.server.ts";
import type { Session } from "../domain/identity/sessions.ts";
import type { Tenant } from "../domain/tenants/tenant.ts";
import { AppError } from "../runtime/errors.ts";
import { isAllowedOrigin } from "../domain/tenants/allowed-origins.ts";
import type { ProxiedRequest } from "./app-proxy.ts";
import { bearerToken } from "./guards.ts";
import type { Inbound } from "./inbound.ts";
import { requireSession, sessionCredential } from "./session-guard.ts";

export type Visitor =
  { kind: "session"; session: Session } | { kind: "customer"; gid: string } | { kind: "anonymous" };

/** Throws 401 for a session that does not count, 403 `origin_not_allowed` for a page of another site. */
export async function requireVisitor(
  ctx: Ctx,
  inbound: Inbound,
  tenant: Tenant | null,
  proxied: ProxiedRequest | null,
): Promise<{ visitor: Visitor; tenant: Tenant }> {
  if (!tenant) throw new AppError("tenant_required");
  if (proxied) {
    // Signed in here but not at the storefront: where the proxy passes the page's own token on, it speaks. No cookie passes.
    if (!proxied.customerGid && bearerToken(inbound)) {
      const { session, tenant: current } = await requireSession(ctx, inbound, tenant);
      return { visitor: { kind: "session", session }, tenant: current };
    }
    const { customerGid: gid } = proxied;
    return { visitor: gid ? { kind: "customer", gid } : { kind: "anonymous" }, tenant };
  }
  if (sessionCredential(inbound)) {
    const { session, tenant: current } = await requireSession(ctx, inbound, tenant);
    return { visitor: { kind: "session", session }, tenant: current };
  }
  const origin = inbound.header("origin");
  if (!origin || !isAllowedOrigin(ctx, tenant, origin)) throw new AppError("origin_not_allowed");
  return { visitor: { kind: "anonymous" }, tenant };
}
