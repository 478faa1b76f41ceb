import { signUp, SignUpInput } from "../domain/identity/sign-up.ts";
import { readVisit } from "../http/shopper/read-visit.ts";
import { endpoint, json } from "../http/endpoint.ts";
import { SIGN_UP } from "../http/rate-limit.ts";
import { sessionReply } from "../http/shopper/session-response.ts";
import { Ok } from "../http/openapi/results/outcome.ts";
import { Session } from "../http/openapi/results/person.ts";

export const { loader, action, route } = endpoint({
  POST: {
    summary: "Signs a person up with email, password and the two required consents.",
    auth: "none",
    tenant: "registered",
    rateLimit: SIGN_UP,
    body: SignUpInput,
    answers: {
      201: "`{token, user}` and the session cookie.",
      202: "The store verifies addresses first: a mail was sent.",
      409: "The address is taken.",
    },
    result: { 201: Session, 202: Ok },
    async handle({ ctx, request, tenant, body }) {
      const signedUp = await signUp(ctx, tenant, body, readVisit(request));
      return signedUp.outcome === "created"
        ? sessionReply(ctx, tenant, signedUp.account, { status: 201 })
        : json(202, { ok: true });
    },
  },
});
