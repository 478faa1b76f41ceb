import { signIn, SignInInput } from "../domain/identity/sign-in.ts";
import { endpoint } from "../http/endpoint.ts";
import { SIGN_IN } from "../http/rate-limit.ts";
import { sessionReply } from "../http/shopper/session-response.ts";
import { Session } from "../http/openapi/results/person.ts";

export const { loader, action, route } = endpoint({
  POST: {
    summary: "Signs a person in with email and password.",
    auth: "none",
    tenant: "registered",
    rateLimit: SIGN_IN,
    body: SignInInput,
    answers: {
      200: "`{token, user}` and the session cookie.",
      401: "Unknown address or wrong password: the same answer.",
      403: "The account is suspended.",
    },
    result: Session,
    async handle({ ctx, tenant, body }) {
      const at = ctx.clock.now();
      return sessionReply(ctx, tenant, await signIn(ctx, tenant, body), { status: 200, at });
    },
  },
});
