import { z } from "zod";
import { AccountDecision } from "../domain/consent/consent-input.ts";
import { syncOwnConsent } from "../domain/identity/visitor-consent.ts";
import { readVisit } from "../http/shopper/read-visit.ts";
import { endpoint } from "../http/endpoint.ts";
import { CONSENT_OF_ACCOUNT } from "../http/rate-limit.ts";
import { RecordedConsents } from "../http/openapi/results/consent.ts";
import { Ok } from "../http/openapi/results/outcome.ts";

export const { loader, action, route } = endpoint({
  POST: {
    summary: "The customer gives or withdraws a consent in the store's customer accounts.",
    auth: "account_token",
    access: "changed",
    tenant: "registered",
    rateLimit: CONSENT_OF_ACCOUNT,
    body: AccountDecision,
    result: Ok.extend({ consent_id: z.string(), recorded: RecordedConsents }),
    async handle({ ctx, request, tenant, principal, body }) {
      const { consent_id, recorded } = await syncOwnConsent(
        ctx,
        tenant,
        { userId: principal.account.id },
        { ...body, method: "account_extension" },
        readVisit(request),
      );
      return { ok: true, consent_id, recorded };
    },
  },
});
