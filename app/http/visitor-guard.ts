// Who speaks for a browser: a signed-in person, a customer that the storefront's app proxy vouches for, or anybody on a
// page of the store (DECISIONS 7 and 16).
import { createHmac } from "node:crypto";
import type { Ctx } from "../context.server.ts";
import type { Session } from "../domain/identity/sessions.ts";
import type { Tenant } from "../domain/tenants/tenant.ts";
import { AppError } from "../runtime/errors.ts";
import { secretEquals } from "../runtime/secrets.ts";
import { isAllowedOrigin } from "../domain/tenants/allowed-origins.ts";
import { bearerToken } from "./guards.ts";
import type { Inbound } from "./inbound.ts";
import { requireSession, sessionCredential } from "./session-guard.ts";

export type Visitor =
  { kind: "session"; session: Session } | { kind: "customer"; gid: string } | { kind: "anonymous" };

const PROXY_TOLERANCE_SECONDS = 90;

export async function requireVisitor(
  ctx: Ctx,
  inbound: Inbound,
  tenant: Tenant | null,
): Promise<{ visitor: Visitor; tenant: Tenant }> {
  if (!tenant) throw new AppError("tenant_required");
  if (inbound.url.searchParams.has("signature")) {
    const gid = requireProxySignature(ctx, inbound.url.searchParams, tenant);
    // Signed in here but not at the storefront: the page's own token comes along. No cookie passes the proxy.
    if (!gid && bearerToken(inbound)) {
      const { session, tenant: current } = await requireSession(ctx, inbound, tenant);
      return { visitor: { kind: "session", session }, tenant: current };
    }
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

/**
 * The app proxy's signature (shopify.dev "Authenticate app proxies"): hex HMAC-SHA256 over the sorted parameters, several
 * values of one name joined by a comma, without separators between the pairs.
 * @returns the gid of the customer that is signed in at the storefront; null when nobody is.
 */
export function requireProxySignature(
  ctx: Ctx,
  query: URLSearchParams,
  tenant: Tenant,
): string | null {
  const names = [...new Set(query.keys())].filter((name) => name !== "signature");
  const message = names
    .map((name) => `${name}=${query.getAll(name).join(",")}`)
    .sort()
    .join("");
  const signature = query.get("signature");
  const isSigned = tenant.app.secrets
    .map((secret) =>
      secretEquals(createHmac("sha256", secret).update(message).digest("hex"), signature ?? ""),
    )
    .some(Boolean);
  const age = Math.abs(ctx.clock.now().getTime() / 1_000 - Number(query.get("timestamp")));
  // Said twice, the shopper's own copy of a parameter could be read in place of the storefront's.
  const isSaidOnce = ["shop", "timestamp", "logged_in_customer_id", "signature"].every(
    (name) => query.getAll(name).length <= 1,
  );
  if (
    !isSigned ||
    !isSaidOnce ||
    query.get("shop") !== tenant.shop ||
    !(age <= PROXY_TOLERANCE_SECONDS)
  )
    throw new AppError("invalid_signature", {
      message: "The app proxy's signature is missing, wrong or too old.",
    });
  const id = query.get("logged_in_customer_id");
  return id && /^\d{1,20}$/.test(id) ? `gid://shopify/Customer/${id}` : null;
}
