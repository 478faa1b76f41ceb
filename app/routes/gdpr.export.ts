import { z } from "zod";
import { downloadByLink, DownloadInput } from "../domain/compliance/export-link.ts";
import { endpoint } from "../http/endpoint.ts";
import { LINK_OR_CODE } from "../http/rate-limit.ts";
import { exportReply, showExportPage, submitExportForm } from "../http/shopper/export-download.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary: "The page behind the link that the merchant is mailed.",
    auth: "none",
    tenant: "registered",
    query: z.object({ token: z.string().max(500).default("") }),
    handle: ({ ctx, tenant, query }) => showExportPage(ctx, tenant, query.token),
  },
  POST: {
    summary: "Downloads a customer's data by a mailed link, once.",
    auth: "none",
    tenant: "registered",
    rateLimit: LINK_OR_CODE,
    body: DownloadInput,
    async handle({ ctx, tenant, body }) {
      const { requestId, document } = await downloadByLink(ctx, tenant, body.token);
      return exportReply(requestId, document);
    },
    handleForm: ({ ctx, tenant, body }) => submitExportForm(ctx, tenant, body),
  },
});
