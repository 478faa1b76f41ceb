// The page on which anybody checks the proof of a mandate: the endpoint's operation, with a page as the
// response.
import type { Ctx } from "../../context.server.ts";
import { verifyProof, VerifyInput } from "../../domain/agents/ap2/verify-proof.ts";
import type { Tenant } from "../../domain/tenants/tenant.ts";
import { renderProofPage, type ProofPage } from "../../embeds/agents/proof-page.ts";
import { isAppError } from "../../runtime/errors.ts";
import { plain, type ApiResponse } from "../api-response.ts";
import type { ApiRequest } from "../api-request.ts";
import { PAGE_HEADERS } from "../cors.ts";
import { lookForReader } from "../shopper/reader-look.ts";

type Visit = {
  request: ApiRequest;
  tenant: Tenant;
  /** The language that the address asks for. */
  locale: string | undefined;
};

export function showProofPage(
  { request, tenant, locale }: Visit,
  { pasted, result }: Omit<ProofPage, "action"> = { pasted: "", result: null },
): ApiResponse {
  const query = new URLSearchParams({ shop: tenant.shop, ...(locale && { locale }) });
  const action = `/commerce/mandates/verify?${query}`;
  return plain(
    result === "unreadable" ? 400 : 200,
    "text/html; charset=utf-8",
    renderProofPage(lookForReader(request, tenant, locale), { action, pasted, result }),
    { ...PAGE_HEADERS, "Cache-Control": "no-store" },
  );
}

export async function submitProofPage(
  ctx: Ctx,
  visit: Visit,
  fields: Record<string, string>,
): Promise<ApiResponse> {
  const pasted = fields.proof ?? "";
  const input = VerifyInput.safeParse({ proof: pasted });
  if (!input.success) return showProofPage(visit, { pasted, result: "unreadable" });
  try {
    const result = await verifyProof(ctx, visit.tenant, input.data);
    return showProofPage(visit, { pasted, result });
  } catch (error) {
    if (!isAppError(error) || error.code !== "invalid_request") throw error;
    return showProofPage(visit, { pasted, result: "unreadable" });
  }
}
