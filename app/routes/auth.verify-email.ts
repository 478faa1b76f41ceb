import { z } from "zod";
import { verifyEmail, VerifyEmailInput } from "../domain/identity/email-verification.ts";
import { showVerifyForm, submitVerifyForm } from "../http/account-forms.ts";
import { endpoint } from "../http/endpoint.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary: "The page behind the mailed link.",
    auth: "none",
    tenant: "registered",
    query: z.object({ token: z.string().max(500).default("") }),
    handle: async ({ tenant, query }) => showVerifyForm(tenant, query.token),
  },
  POST: {
    summary: "Proves an e-mail address by a mailed link, once.",
    auth: "none",
    tenant: "registered",
    body: VerifyEmailInput,
    async handle({ ctx, tenant, body }) {
      await verifyEmail(ctx, tenant, body.token);
      return { ok: true };
    },
    handleForm: ({ ctx, tenant, body }) => submitVerifyForm(ctx, tenant, body),
  },
});
