import { signUp, SignUpInput } from "../domain/identity/sign-up.ts";
import { countTry } from "../domain/identity/rate-limits.ts";
import { clientAddress } from "../http/client-address.ts";
import { endpoint, json } from "../http/endpoint.ts";
import { sessionReply } from "../http/session-reply.ts";

export const { loader, action, route } = endpoint({
  POST: {
    summary: "Signs a person up with e-mail, password and the two required consents.",
    auth: "none",
    tenant: "registered",
    body: SignUpInput,
    answers: {
      201: "`{token, user}` and the session cookie.",
      202: "The store verifies addresses first: a mail was sent.",
      409: "The address is taken.",
    },
    async handle({ ctx, inbound, tenant, body }) {
      await countTry(ctx, tenant, {
        signup_per_address: clientAddress(inbound, ctx.config.TRUST_PROXY_HOPS),
      });
      const signedUp = await signUp(ctx, tenant, body, {
        userAgent: inbound.header("user-agent") ?? null,
      });
      return signedUp.outcome === "created"
        ? sessionReply(ctx, tenant, signedUp.account, 201)
        : json(202, { ok: true });
    },
  },
});
