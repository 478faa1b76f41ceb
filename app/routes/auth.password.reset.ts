import { resetPassword, ResetInput } from "../domain/identity/password/password-reset.ts";
import { showResetForm, submitResetForm } from "../http/shopper/account-forms.ts";
import { asLinkForm, LinkQuery } from "../http/shopper/link-page.ts";
import { endpoint } from "../http/endpoint.ts";
import { LINK_OR_CODE } from "../http/rate-limit.ts";
import { Ok } from "../http/openapi/results/outcome.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary: "The page behind the mailed link.",
    auth: "none",
    tenant: "registered",
    query: LinkQuery,
    result: "text/html",
    handle: async ({ ctx, request, tenant, query }) =>
      showResetForm({ ctx, request, tenant, sent: query }),
  },
  POST: {
    summary: "Sets a new password by a mailed link, once, and ends every session.",
    auth: "none",
    tenant: "registered",
    rateLimit: LINK_OR_CODE,
    body: ResetInput,
    form: asLinkForm(ResetInput),
    result: [Ok, "text/html"],
    async handle({ ctx, tenant, body }) {
      await resetPassword(ctx, tenant, body);
      return { ok: true };
    },
    handleForm: ({ ctx, request, tenant, body }) =>
      submitResetForm({ ctx, request, tenant, sent: body }),
  },
});
