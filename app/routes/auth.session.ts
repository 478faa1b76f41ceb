import { HandOffInput, exchangeSessionCode } from "../domain/identity/session/session-exchange.ts";
import { endpoint } from "../http/endpoint.ts";
import { LINK_OR_CODE } from "../http/rate-limit.ts";
import { sessionReply } from "../http/shopper/session-response.ts";
import { Session } from "../http/openapi/results/person.ts";

export const { loader, action, route } = endpoint({
  POST: {
    summary:
      "Exchanges the one-time code of a sign-in, with the verifier of the tab that began, for the session.",
    auth: "none",
    tenant: "registered",
    rateLimit: LINK_OR_CODE,
    proxied: {},
    body: HandOffInput,
    result: Session,
    async handle({ ctx, tenant, body }) {
      const at = ctx.clock.now();
      const account = await exchangeSessionCode(ctx, tenant, body);
      return sessionReply(ctx, tenant, account, { status: 200, at });
    },
  },
});
