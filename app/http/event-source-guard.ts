// Proves the source of an event by the source's own rule (SPEC "Event sources").
import type { Ctx } from "../context.server.ts";
import { attemptedProof, type Proof } from "../domain/events/sources.ts";
import { findAdminPrincipal } from "../domain/tenants/admin-key.ts";
import type { Tenant } from "../domain/tenants/tenant.ts";
import { AppError } from "../runtime/errors.ts";
import { secretEquals } from "../runtime/secrets.ts";
import { bearerToken, isSigned, requireStorefrontSignature } from "./guards.ts";
import type { Inbound } from "./inbound.ts";

/** `named`: the source the request itself names, which an admin key may speak for. */
export type EventSender = { proof: Proof; named: string | null };

/** Throws 401 with the method that was attempted. */
export function requireEventSource(
  ctx: Ctx,
  inbound: Inbound,
  tenant: Tenant | null,
  raw: Buffer,
): EventSender {
  const named = inbound.url.searchParams.get("source") ?? inbound.header("x-event-source") ?? null;
  const bearer = bearerToken(inbound);
  const proof = attemptedProof({
    source: named,
    isSigned: isSigned(inbound),
    hasTaskId: inbound.header("x-backend-task-id") !== undefined,
    hasBearer: bearer !== null,
  });
  if (!isProven(ctx, inbound, tenant, raw, proof, bearer))
    throw new AppError("unauthorized", { details: { method: proof } });
  if (tenant?.config.access_role === "shared" && proof !== "hmac")
    throw new AppError("forbidden", {
      message: "A store with the access role `shared` sends storefront webhooks only.",
      details: { method: proof },
    });
  return { proof, named };
}

function isProven(
  ctx: Ctx,
  inbound: Inbound,
  tenant: Tenant | null,
  raw: Buffer,
  proof: Proof,
  bearer: string | null,
): boolean {
  switch (proof) {
    case "hmac":
      return isSignatureRight(ctx, inbound, tenant, raw);
    case "oauth2":
      return (
        bearer !== null &&
        tenant?.config.erp_token !== undefined &&
        secretEquals(bearer, tenant.config.erp_token)
      );
    case "shared_secret":
      return secretEquals(
        inbound.header("x-backend-webhook-secret") ?? "",
        ctx.config.WORKER_WEBHOOK_SECRET,
      );
    case "admin_key":
      return bearer !== null && findAdminPrincipal(ctx, tenant, bearer) !== null;
    default:
      return false;
  }
}

function isSignatureRight(ctx: Ctx, inbound: Inbound, tenant: Tenant | null, raw: Buffer): boolean {
  try {
    requireStorefrontSignature(ctx, inbound, tenant, raw);
    return true;
  } catch {
    return false;
  }
}
