import { z } from "zod";
import { downloadByLink, DownloadInput, peopleOfExport } from "../domain/compliance/export-link.ts";
import { endpoint } from "../http/endpoint.ts";
import { LINK_OR_CODE } from "../http/rate-limit.ts";
import { exportReply, showExportPage, submitExportForm } from "../http/shopper/export-download.ts";
import { PersonalData } from "../http/openapi/results/person.ts";

/** The link is mailed to the store: who opens it is not known. */
const LINK_HOLDER = { kind: "link", id: null } as const;

export const { loader, action, route } = endpoint({
  GET: {
    summary: "The page behind the link that the merchant is mailed.",
    auth: "none",
    tenant: "registered",
    query: z.object({ token: z.string().max(500).default("") }),
    answers: { 200: "The page.", 400: "A page: the link is used or too old." },
    result: { 200: "text/html", 400: "text/html" },
    handle: ({ ctx, tenant, query }) => showExportPage(ctx, tenant, query.token),
  },
  POST: {
    summary: "Downloads a customer's data by a mailed link, once.",
    auth: "none",
    access: "exported",
    tenant: "registered",
    rateLimit: LINK_OR_CODE,
    body: DownloadInput,
    result: PersonalData,
    async handle({ ctx, tenant, body, accessed }) {
      const { requestId, document } = await downloadByLink(ctx, tenant, body.token);
      accessed({ actor: LINK_HOLDER, userIds: peopleOfExport(document) });
      return exportReply(requestId, document);
    },
    handleForm: ({ ctx, tenant, body, accessed }) =>
      submitExportForm(ctx, tenant, body, (document) =>
        accessed({ actor: LINK_HOLDER, userIds: peopleOfExport(document) }),
      ),
  },
});
