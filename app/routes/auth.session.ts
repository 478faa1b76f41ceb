import { HandOffInput, swapSessionCode } from "../domain/identity/session-hand-off.ts";
import { endpoint } from "../http/endpoint.ts";
import { sessionReply } from "../http/session-reply.ts";

export const { loader, action, route } = endpoint({
  POST: {
    summary: "Swaps the one-time code of a sign-in for the session.",
    auth: "none",
    tenant: "registered",
    proxied: {},
    body: HandOffInput,
    handle: async ({ ctx, tenant, body }) =>
      sessionReply(ctx, tenant, await swapSessionCode(ctx, tenant, body.code), 200),
  },
});
