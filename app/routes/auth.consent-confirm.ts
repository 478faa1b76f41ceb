import { z } from "zod";
import { confirmConsent } from "../domain/consent/submit/consent-link.ts";
import { showConsentForm, submitConsentForm } from "../http/shopper/account-forms.ts";
import { endpoint } from "../http/endpoint.ts";
import { LINK_OR_CODE } from "../http/rate-limit.ts";
import { RecordedConsents } from "../http/openapi/results/consent.ts";
import { Ok } from "../http/openapi/results/outcome.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary: "The page behind the mailed link.",
    auth: "none",
    tenant: "registered",
    query: z.object({ token: z.string().max(500).default("") }),
    result: "text/html",
    handle: ({ ctx, tenant, query }) => showConsentForm(ctx, tenant, query.token),
  },
  POST: {
    summary: "The owner of an address confirms what was chosen with it.",
    auth: "none",
    tenant: "registered",
    rateLimit: LINK_OR_CODE,
    body: z.object({ token: z.string().max(500) }),
    result: [Ok.extend({ recorded: RecordedConsents }), "text/html"],
    handle: async ({ ctx, tenant, body }) => ({
      ok: true,
      recorded: await confirmConsent(ctx, tenant, body.token),
    }),
    handleForm: ({ ctx, tenant, body }) => submitConsentForm(ctx, tenant, body),
  },
});
