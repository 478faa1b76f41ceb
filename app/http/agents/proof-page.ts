// The page on which anybody checks the proof of a mandate: the endpoint's operation, with a page as the
// response.
import type { Ctx } from "../../context.server.ts";
import { verifyProof, VerifyInput } from "../../domain/agents/ap2/verify-proof.ts";
import type { Tenant } from "../../domain/tenants/tenant.ts";
import { renderProofPage, type ProofPage } from "../../embeds/agents/proof-page.ts";
import { lookOf } from "../../embeds/public-config.ts";
import { isAppError } from "../../runtime/errors.ts";
import { plain, type ApiResponse } from "../api-response.ts";
import { PAGE_HEADERS } from "../cors.ts";

/** `locale`: asked for by the address; the store's own when absent. */
export function showProofPage(
  tenant: Tenant,
  locale: string | undefined,
  { pasted, result }: Omit<ProofPage, "action"> = { pasted: "", result: null },
): ApiResponse {
  const look = lookOf(tenant);
  const query = new URLSearchParams({ shop: tenant.shop, ...(locale && { locale }) });
  const action = `/commerce/mandates/verify?${query}`;
  return plain(
    result === "unreadable" ? 400 : 200,
    "text/html; charset=utf-8",
    renderProofPage({ ...look, locale: locale ?? look.locale }, { action, pasted, result }),
    { ...PAGE_HEADERS, "Cache-Control": "no-store" },
  );
}

export async function submitProofPage(
  ctx: Ctx,
  tenant: Tenant,
  locale: string | undefined,
  fields: Record<string, string>,
): Promise<ApiResponse> {
  const pasted = fields.proof ?? "";
  const input = VerifyInput.safeParse({ proof: pasted });
  if (!input.success) return showProofPage(tenant, locale, { pasted, result: "unreadable" });
  try {
    const result = await verifyProof(ctx, tenant, input.data);
    return showProofPage(tenant, locale, { pasted, result });
  } catch (error) {
    if (!isAppError(error) || error.code !== "invalid_request") throw error;
    return showProofPage(tenant, locale, { pasted, result: "unreadable" });
  }
}
