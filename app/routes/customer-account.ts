import { z } from "zod";
import { showOwnOverview } from "../domain/compliance/own-data/own-overview.ts";
import {
  confirmationPhrase,
  requireConfirmation,
} from "../domain/compliance/requests/merchant-requests.ts";
import { deleteOwnAccount } from "../domain/identity/account-deletion.ts";
import { readVisit } from "../http/shopper/read-visit.ts";
import { endpoint } from "../http/endpoint.ts";
import { ACCOUNT_EXTENSION } from "../http/rate-limit.ts";
import { OwnOverview } from "../http/openapi/results/account-extension.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary:
      "For the extension in the store's customer accounts: the customer's consents, agents and mandates.",
    auth: "account_token",
    access: "viewed",
    tenant: "registered",
    rateLimit: ACCOUNT_EXTENSION,
    result: OwnOverview,
    handle: ({ ctx, tenant, principal }) => showOwnOverview(ctx, tenant, principal),
  },
  DELETE: {
    summary: "Deletes the customer's data here, once the phrase of the overview was typed.",
    auth: "account_token",
    access: "erased",
    tenant: "registered",
    rateLimit: ACCOUNT_EXTENSION,
    body: z.object({ typed: z.string().max(320) }),
    result: z.object({ deleted: z.literal(true) }),
    async handle({ ctx, request, tenant, principal, body }) {
      requireConfirmation(body.typed, confirmationPhrase(principal.account));
      // The platform has proven its customer.
      await deleteOwnAccount(ctx, tenant, principal, readVisit(request), { isOwnerVerified: true });
      return { deleted: true };
    },
  },
});
