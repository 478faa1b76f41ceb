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
    answers: { 202: "Always: nobody learns who has an account." },
    async handle({ ctx, inbound, tenant, body }) {
      await countTry(ctx, tenant, {
        forgot_per_address: clientAddress(inbound, ctx.config.TRUST_PROXY_HOPS),
        mail_per_email: body.email,
      });
      await requestPasswordReset(ctx, tenant, body.email);
      return json(202, { ok: true });
    },
  },
});
