// What the pages behind mailed links have in common: their parameters and headers.
import { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import type { Tenant } from "../../domain/tenants/tenant.ts";
import { PAGE_HEADERS } from "../cors.ts";
import type { ApiRequest } from "../api-request.ts";
import { plain, type ApiResponse } from "../api-response.ts";

/** A mailed link's parameters. `locale` is the language of the mail. */
export const LinkQuery = z.object({
  token: z.string().max(500).default(""),
  locale: z.string().max(35).optional(),
});

/** The fields of the form on a link's page. */
export const asLinkForm = <Fields extends z.ZodObject>(fields: Fields) =>
  fields.extend({ locale: LinkQuery.shape.locale });

/** Who reads the page: the request, the store, and what the link or the form's fields contain. */
export type LinkVisit<Sent = { token: string; locale?: string | undefined }> = {
  ctx: Ctx;
  request: ApiRequest;
  tenant: Tenant;
  sent: Sent;
};

// The URL of these pages contains a token: no Referer is sent to other sites.
export const linkPage = (status: number, body: string): ApiResponse =>
  plain(status, "text/html; charset=utf-8", body, {
    ...PAGE_HEADERS,
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-store",
  });
