import {
  downloadByLink,
  DownloadInput,
  peopleOfExport,
} from "../domain/compliance/export/export-link.ts";
import { asLinkForm, LinkQuery } from "../http/shopper/link-page.ts";
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
    query: LinkQuery,
    answers: { 200: "The page.", 400: "A page: the link is used or too old." },
    result: { 200: "text/html", 400: "text/html" },
    handle: ({ ctx, request, tenant, query }) =>
      showExportPage({ ctx, request, tenant, sent: query }),
  },
  POST: {
    summary: "Downloads a customer's data by a mailed link, once.",
    auth: "none",
    access: "exported",
    tenant: "registered",
    rateLimit: LINK_OR_CODE,
    body: DownloadInput,
    form: asLinkForm(DownloadInput),
    result: PersonalData,
    async handle({ ctx, tenant, body, accessed }) {
      const { requestId, document } = await downloadByLink(ctx, tenant, body.token);
      accessed({ actor: LINK_HOLDER, userIds: peopleOfExport(document) });
      return exportReply(requestId, document);
    },
    handleForm: ({ ctx, request, tenant, body, accessed }) =>
      submitExportForm({ ctx, request, tenant, sent: body }, (document) =>
        accessed({ actor: LINK_HOLDER, userIds: peopleOfExport(document) }),
      ),
  },
});
