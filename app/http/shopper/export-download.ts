// The download of a customer's data: by the operator's key, or by the merchant's link, behind a
// page with a button.
import {
  downloadByLink,
  DownloadInput,
  isExportLinkOpen,
} from "../../domain/compliance/export/export-link.ts";
import { renderExportForm, renderNotice } from "../../embeds/account-pages.ts";
import { AppError, isAppError } from "../../runtime/errors.ts";
import { plain, type ApiResponse } from "../api-response.ts";
import { lookForReader } from "./reader-look.ts";
import { linkPage, type LinkVisit } from "./link-page.ts";

export function requestIdOf(given: string | undefined): number {
  if (!/^\d{1,9}$/.test(given ?? "")) throw new AppError("not_found");
  return Number(given);
}

export function exportReply(requestId: number, document: string): ApiResponse {
  return plain(200, "application/json; charset=utf-8", document, {
    "Content-Disposition": `attachment; filename="customer-data-${requestId}.json"`,
    "Cache-Control": "no-store",
  });
}

export async function showExportPage({
  ctx,
  request,
  tenant,
  sent,
}: LinkVisit): Promise<ApiResponse> {
  const look = lookForReader(request, tenant, sent.locale);
  if (!(await isExportLinkOpen(ctx, tenant, sent.token)))
    return linkPage(400, renderNotice(look, "exportGone"));
  return linkPage(200, renderExportForm(look, { shop: tenant.shop, token: sent.token }));
}

export async function submitExportForm(
  { ctx, request, tenant, sent }: LinkVisit<Record<string, string>>,
  onExport: (document: string) => void,
): Promise<ApiResponse> {
  const gone = () =>
    linkPage(400, renderNotice(lookForReader(request, tenant, sent.locale), "exportGone"));
  const input = DownloadInput.safeParse(sent);
  if (!input.success) return gone();
  try {
    const { requestId, document } = await downloadByLink(ctx, tenant, input.data.token);
    onExport(document);
    return exportReply(requestId, document);
  } catch (error) {
    if (isAppError(error) && (error.code === "invalid_link" || error.code === "not_found"))
      return gone();
    throw error;
  }
}
