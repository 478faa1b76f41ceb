import { ForgotInput, requestPasswordReset } from "../domain/identity/password-reset.ts";
import { countTry } from "../domain/identity/rate-limits.ts";
import { clientAddress } from "../http/client-address.ts";
import { endpoint, json } from "../http/endpoint.ts";

export const { loader, action, route } = endpoint({
  POST: {
    summary: "Mails a link to set a new password, if there is an account.",
    auth: "none",
    tenant: "registered",
    body: ForgotInput,
    answers: {
      202: "Always: nobody learns who has an account.",
      429: "Five links were mailed to this address within the hour. Each of them still works.",
    },
    async handle({ ctx, inbound, tenant, body }) {
      await countTry(ctx, tenant, {
        reset_mail_per_email: body.email,
        reset_mail_per_address: clientAddress(inbound, ctx.config.TRUST_PROXY_HOPS),
      });
      await requestPasswordReset(ctx, tenant, body.email);
      return json(202, { ok: true });
    },
  },
});
