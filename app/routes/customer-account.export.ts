import {
  compileByOwnLink,
  createOwnExportLink,
  OwnExportQuery,
} from "../domain/compliance/own-data/own-export-link.ts";
import { endpoint, plain } from "../http/endpoint.ts";
import { ACCOUNT_EXTENSION_EXPORT, LINK_OR_CODE } from "../http/rate-limit.ts";
import { ExportLink } from "../http/openapi/results/account-extension.ts";
import { PersonalData } from "../http/openapi/results/person.ts";

export const { loader, action, route } = endpoint({
  POST: {
    summary: "Makes a link to everything stored of the customer: valid once, for five minutes.",
    auth: "account_token",
    tenant: "registered",
    rateLimit: ACCOUNT_EXTENSION_EXPORT,
    result: ExportLink,
    handle: ({ ctx, tenant, principal }) => createOwnExportLink(ctx, tenant, principal),
  },
  GET: {
    summary: "The file behind that link.",
    auth: "none",
    access: "exported",
    tenant: "registered",
    rateLimit: LINK_OR_CODE,
    query: OwnExportQuery,
    answers: { 200: "The file.", 400: "`invalid_link`: used, too old or unknown." },
    result: { 200: PersonalData },
    async handle({ ctx, tenant, query, accessed }) {
      const { userId, document } = await compileByOwnLink(ctx, tenant, query.token);
      accessed({ actor: { kind: "shopper", id: null }, userIds: [userId] });
      return plain(200, "application/json; charset=utf-8", JSON.stringify(document, null, 2), {
        "Content-Disposition": 'attachment; filename="my-data.json"',
        "Cache-Control": "no-store",
        "Referrer-Policy": "no-referrer",
      });
    },
  },
});
