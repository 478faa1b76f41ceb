import { verifyEmail, VerifyEmailInput } from "../domain/identity/email-verification.ts";
import { showVerifyForm, submitVerifyForm } from "../http/shopper/account-forms.ts";
import { asLinkForm, LinkQuery } from "../http/shopper/link-page.ts";
import { endpoint } from "../http/endpoint.ts";
import { LINK_OR_CODE } from "../http/rate-limit.ts";
import { findSession } from "../http/auth/session-guard.ts";
import { Ok } from "../http/openapi/results/outcome.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary: "The page behind the mailed link.",
    auth: "none",
    tenant: "registered",
    query: LinkQuery,
    result: "text/html",
    handle: ({ ctx, request, tenant, query }) =>
      showVerifyForm({ ctx, request, tenant, sent: query }),
  },
  POST: {
    summary:
      "Proves an email address by a mailed link, once. An account with a password needs its session or the password as well; another password replaces it.",
    auth: "none",
    tenant: "registered",
    rateLimit: LINK_OR_CODE,
    body: VerifyEmailInput,
    form: asLinkForm(VerifyEmailInput),
    answers: {
      200: "The address is proven.",
      400: "`invalid_link`, or `password_required`: the link is not used up.",
    },
    result: [Ok, "text/html"],
    async handle({ ctx, request, tenant, body }) {
      await verifyEmail(ctx, tenant, body, await findSession(ctx, request, tenant));
      return { ok: true };
    },
    handleForm: ({ ctx, request, tenant, body }) =>
      submitVerifyForm({ ctx, request, tenant, sent: body }),
  },
});
