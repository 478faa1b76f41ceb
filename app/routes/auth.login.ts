import { countTry } from "../domain/identity/rate-limits.ts";
import { signIn, SignInInput } from "../domain/identity/sign-in.ts";
import { clientAddress } from "../http/client-address.ts";
import { endpoint } from "../http/endpoint.ts";
import { sessionReply } from "../http/session-reply.ts";

export const { loader, action, route } = endpoint({
  POST: {
    summary: "Signs a person in with e-mail and password.",
    auth: "none",
    tenant: "registered",
    body: SignInInput,
    answers: {
      200: "`{token, user}` and the session cookie.",
      401: "Unknown address or wrong password: the same answer.",
      403: "The account is suspended.",
    },
    async handle({ ctx, inbound, tenant, body }) {
      await countTry(ctx, tenant, {
        login_per_email: body.email,
        login_per_address: clientAddress(inbound, ctx.config.TRUST_PROXY_HOPS),
      });
      return sessionReply(ctx, tenant, await signIn(ctx, tenant, body), 200);
    },
  },
});
