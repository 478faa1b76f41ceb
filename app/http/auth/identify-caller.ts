// Who calls a method, for which store.
import type { Ctx } from "../../context.server.ts";
import type { Tenant } from "../../domain/tenants/tenant.ts";
import { AppError } from "../../runtime/errors.ts";
import type { ApiRequest } from "../api-request.ts";
import type { AnySpec } from "../endpoint.ts";
import { enforceRateLimit } from "../rate-limit.ts";
import { personWithoutStore } from "./agent-guard.ts";
import { requireProxiedRequest, type ProxiedRequest } from "./app-proxy.ts";
import { requireObjectText } from "./guards.ts";
import { withBodyTenant, type RequestTenant } from "./request-tenant.ts";
import { AUTH_SCHEMES, type AuthCall } from "./schemes.ts";

const NO_BYTES = Buffer.alloc(0);
const MAX_SIGNED_BODY_BYTES = 2 * 1024 * 1024;

export type Caller = {
  shop: string | null;
  tenant: Tenant | null;
  principal: unknown;
  proxied: ProxiedRequest | null;
  /** The signed bytes; empty where the scheme signs no body, which then is not read yet. */
  raw: Buffer;
};

/** `found`: the store that the request names beside its body. Throws 400, 401, 403, 404, 413 and 429. */
export async function identifyCaller(
  spec: AnySpec,
  { ctx, request, isProxied }: { ctx: Ctx; request: ApiRequest; isProxied: boolean },
  found: RequestTenant,
): Promise<Caller> {
  const raw = await readSignedBytes(spec, request);
  const store = await withBodyTenant(spec, { ctx, request, raw }, found);
  const proxied = isProxied
    ? requireProxiedRequest(ctx, request.url.searchParams, store.tenant, spec.proxied ?? {})
    : null;
  const call = { ctx, request, tenant: store.tenant, raw, proxied, agent: spec.agent };
  const { principal, tenant = store.tenant } = await authenticate(spec, call, store);
  return { shop: store.shop, tenant, principal, proxied, raw };
}

async function readSignedBytes(spec: AnySpec, request: ApiRequest): Promise<Buffer> {
  const { readsRawBody, isBodySigned, signatureDetails } = AUTH_SCHEMES[spec.auth];
  if (!readsRawBody) return NO_BYTES;
  const raw = await request.readBody(spec.maxBytes ?? MAX_SIGNED_BODY_BYTES);
  if (isBodySigned(request)) requireObjectText(raw, signatureDetails);
  return raw;
}

/**
 * Authenticates between the errors about the store: the scheme's phase decides which of them an
 * unauthenticated caller sees.
 */
async function authenticate(
  spec: AnySpec,
  call: AuthCall,
  store: RequestTenant,
): Promise<{ principal: unknown; tenant?: Tenant }> {
  const { phase, authenticate: prove } = AUTH_SCHEMES[spec.auth];
  const early = phase === "before_shop" ? await prove(call) : null;
  if (store.error && spec.tenant !== "none") throw store.error;
  const known = phase === "before_tenant" ? await prove(call) : early;
  requireTenant(spec, call, store.shop);
  await enforceRateLimit(spec.rateLimit, "before_auth", call);
  return known ?? prove(call);
}

function requireTenant(
  spec: AnySpec,
  { ctx, request, tenant }: AuthCall,
  shop: string | null,
): void {
  const needsShop = spec.tenant === "registered" || spec.tenant === "named";
  if (!shop && needsShop) {
    if (AUTH_SCHEMES[spec.auth].isPerson)
      throw personWithoutStore(ctx, request, spec.auth === "person_or_admin");
    throw new AppError("tenant_required");
  }
  const needsTenant = spec.tenant === "registered" || (spec.tenant === "optional" && shop !== null);
  if (!tenant && needsTenant) throw new AppError("unknown_tenant");
}
