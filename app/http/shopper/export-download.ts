// The download of a customer's data: by the operator's key, or by the merchant's link, behind a
// page with a button.
import type { Ctx } from "../../context.server.ts";
import {
  downloadByLink,
  DownloadInput,
  isExportLinkOpen,
} from "../../domain/compliance/export-link.ts";
import type { Tenant } from "../../domain/tenants/tenant.ts";
import { renderExportForm, renderNotice } from "../../embeds/account-pages.ts";
import { lookOf } from "../../embeds/public-config.ts";
import { AppError, isAppError } from "../../runtime/errors.ts";
import { PAGE_HEADERS } from "../cors.ts";
import { plain, type ApiResponse } from "../api-response.ts";

// The URL of these pages contains a token: no Referer is sent to other sites.
const html = (status: number, body: string): ApiResponse =>
  plain(status, "text/html; charset=utf-8", body, {
    ...PAGE_HEADERS,
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-store",
  });

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

export async function showExportPage(
  ctx: Ctx,
  tenant: Tenant,
  token: string,
): Promise<ApiResponse> {
  if (!(await isExportLinkOpen(ctx, tenant, token)))
    return html(400, renderNotice(lookOf(tenant), "exportGone"));
  return html(200, renderExportForm(lookOf(tenant), { shop: tenant.shop, token }));
}

export async function submitExportForm(
  ctx: Ctx,
  tenant: Tenant,
  fields: Record<string, string>,
  onExport: (document: string) => void,
): Promise<ApiResponse> {
  const input = DownloadInput.safeParse(fields);
  try {
    if (!input.success) return html(400, renderNotice(lookOf(tenant), "exportGone"));
    const { requestId, document } = await downloadByLink(ctx, tenant, input.data.token);
    onExport(document);
    return exportReply(requestId, document);
  } catch (error) {
    if (isAppError(error) && (error.code === "invalid_link" || error.code === "not_found"))
      return html(400, renderNotice(lookOf(tenant), "exportGone"));
    throw error;
  }
}
