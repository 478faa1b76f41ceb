import { confirmConsent } from "../domain/consent/submit/consent-link.ts";
import {
  ConsentLinkInput,
  showConsentForm,
  submitConsentForm,
} from "../http/shopper/account-forms.ts";
import { asLinkForm, LinkQuery } from "../http/shopper/link-page.ts";
import { endpoint } from "../http/endpoint.ts";
import { LINK_OR_CODE } from "../http/rate-limit.ts";
import { RecordedConsents } from "../http/openapi/results/consent.ts";
import { Ok } from "../http/openapi/results/outcome.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary: "The page behind the mailed link.",
    auth: "none",
    tenant: "registered",
    query: LinkQuery,
    result: "text/html",
    handle: ({ ctx, request, tenant, query }) =>
      showConsentForm({ ctx, request, tenant, sent: query }),
  },
  POST: {
    summary: "The owner of an address confirms what was chosen with it.",
    auth: "none",
    tenant: "registered",
    rateLimit: LINK_OR_CODE,
    body: ConsentLinkInput,
    form: asLinkForm(ConsentLinkInput),
    result: [Ok.extend({ recorded: RecordedConsents }), "text/html"],
    handle: async ({ ctx, tenant, body }) => ({
      ok: true,
      recorded: await confirmConsent(ctx, tenant, body.token),
    }),
    handleForm: ({ ctx, request, tenant, body }) =>
      submitConsentForm({ ctx, request, tenant, sent: body }),
  },
});
