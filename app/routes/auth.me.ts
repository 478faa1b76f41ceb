import { z } from "zod";
import { deleteAccount, DeletionInput } from "../domain/identity/account-deletion.ts";
import { showMe } from "../domain/identity/profile.ts";
import { readVisit } from "../http/shopper/read-visit.ts";
import { endpoint, json } from "../http/endpoint.ts";
import { CLEARED_SESSION_COOKIE } from "../http/shopper/session-response.ts";
import { Me } from "../http/openapi/results/person.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary: "The signed-in person and the consents.",
    auth: "person",
    agentOperation: "get_identity",
    access: "viewed",
    tenant: "registered",
    result: Me,
    handle: ({ ctx, tenant, principal }) => showMe(ctx, tenant, principal),
  },
  DELETE: {
    summary:
      "Deletes the own account. Needs the password, or a sign-in of the last 24 hours where there is none.",
    auth: "session",
    access: "erased",
    tenant: "registered",
    body: DeletionInput,
    result: z.object({ deleted: z.literal(true) }),
    async handle({ ctx, request, tenant, principal, body }) {
      await deleteAccount(ctx, tenant, principal, body.password, readVisit(request));
      return json(200, { deleted: true }, { "Set-Cookie": CLEARED_SESSION_COOKIE });
    },
  },
});
