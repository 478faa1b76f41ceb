import { z } from "zod";
import { endEverySession, endSession } from "../domain/identity/session/sessions.ts";
import { empty, endpoint } from "../http/endpoint.ts";
import { CLEARED_SESSION_COOKIE } from "../http/shopper/session-response.ts";

export const { loader, action, route } = endpoint({
  POST: {
    summary:
      "Ends this session: the token is dead and the cookie cleared. With `everywhere` all of the person's, agents and mandates included.",
    auth: "session",
    tenant: "registered",
    body: z.object({ everywhere: z.boolean().default(false) }),
    answers: { 204: "Signed out." },
    async handle({ ctx, tenant, principal, body }) {
      await (body.everywhere ? endEverySession : endSession)(ctx, tenant, principal);
      return empty(204, { "Set-Cookie": CLEARED_SESSION_COOKIE });
    },
  },
});
