import { ForgotInput, requestPasswordReset } from "../domain/identity/password/password-reset.ts";
import { endpoint, json } from "../http/endpoint.ts";
import { RESET_MAIL } from "../http/rate-limit.ts";
import { Ok } from "../http/openapi/results/outcome.ts";

export const { loader, action, route } = endpoint({
  POST: {
    summary: "Mails a link to set a new password, if there is an account.",
    auth: "none",
    tenant: "registered",
    rateLimit: RESET_MAIL,
    body: ForgotInput,
    answers: {
      202: "Always: nobody learns who has an account.",
      429: "Five links were mailed to this address within the hour. Each of them still works.",
    },
    result: Ok,
    async handle({ ctx, tenant, body }) {
      await requestPasswordReset(ctx, tenant, body.email);
      return json(202, { ok: true });
    },
  },
});
