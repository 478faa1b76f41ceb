// Authenticates the source of an event by the source's own rule (SPEC "Event sources").
import type { Ctx } from "../../context.server.ts";
import { MAX_PIXEL_BYTES, PIXEL_SOURCE } from "../../domain/events/pixel-event.ts";
import { attemptedProof, type AuthMethod } from "../../domain/events/sources.ts";
import { findAdminPrincipal } from "../../domain/tenants/admin-key.ts";
import {
  isPixelKey,
  isPixelOrigin,
} from "../../domain/tenants/storefront/web-pixel/web-pixel-key.ts";
import type { Tenant } from "../../domain/tenants/tenant.ts";
import { AppError } from "../../runtime/errors.ts";
import { secretEquals } from "../../runtime/secrets.ts";
import { bearerToken, isSigned, requireStorefrontSignature } from "./guards.ts";
import type { ApiRequest } from "../api-request.ts";

/** `named`: the source that the request names, which a caller with an admin key may set. */
export type EventSender = { proof: AuthMethod; named: string | null };

const namedSource = (request: ApiRequest): string | null =>
  request.url.searchParams.get("source") ?? request.header("x-event-source") ?? null;

/** The pixel sends plain text, because JSON from another origin needs a preflight, which no closing page waits for. */
export const isPixelRequest = (request: ApiRequest): boolean =>
  namedSource(request) === PIXEL_SOURCE;

/** A request for an event, before its sender is known. `raw`: the bytes of its body. */
type EventCall = { ctx: Ctx; request: ApiRequest; tenant: Tenant | null; raw: Buffer };

/** Throws 401 with the attempted method. */
export function requireEventSource(call: EventCall): EventSender {
  const { request, tenant } = call;
  const named = namedSource(request);
  const bearer = bearerToken(request);
  const proof = attemptedProof({
    source: named,
    isSigned: isSigned(request),
    hasTaskId: request.header("x-backend-task-id") !== undefined,
    hasBearer: bearer !== null,
  });
  if (!isProven(call, proof, bearer))
    throw new AppError("unauthorized", { details: { method: proof } });
  if (proof === "pixel_key") requirePixelRequest(call);
  if (tenant?.config.access_role === "shared" && proof !== "hmac")
    throw new AppError("forbidden", {
      message: "A store with the access role `shared` sends storefront webhooks only.",
      details: { method: proof },
    });
  return { proof, named };
}

/** The pixel key is public: these checks and the rate limits bound its misuse. */
function requirePixelRequest({ ctx, request, tenant, raw }: EventCall): void {
  const details = { method: "pixel_key" };
  const origin = request.header("origin");
  if (!origin || !tenant || !isPixelOrigin(ctx, tenant, origin))
    throw new AppError("origin_not_allowed", { details });
  if (raw.length > MAX_PIXEL_BYTES) throw new AppError("payload_too_large", { details });
}

function isProven(call: EventCall, proof: AuthMethod, bearer: string | null): boolean {
  const { ctx, request, tenant } = call;
  switch (proof) {
    case "hmac":
      return isSignatureRight(call);
    case "oauth2":
      return (
        bearer !== null &&
        tenant?.config.erp_token !== undefined &&
        secretEquals(bearer, tenant.config.erp_token)
      );
    case "shared_secret":
      return secretEquals(
        request.header("x-backend-webhook-secret") ?? "",
        ctx.config.WORKER_WEBHOOK_SECRET,
      );
    case "pixel_key": {
      const keys = request.url.searchParams.getAll("key");
      return tenant !== null && keys.length === 1 && isPixelKey(ctx, tenant, keys[0] as string);
    }
    case "admin_key":
      return bearer !== null && findAdminPrincipal(ctx, tenant, bearer) !== null;
    default:
      return false;
  }
}

function isSignatureRight({ ctx, request, tenant, raw }: EventCall): boolean {
  try {
    requireStorefrontSignature(ctx, request, tenant, raw);
    return true;
  } catch {
    return false;
  }
}
