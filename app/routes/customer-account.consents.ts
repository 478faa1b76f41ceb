import { z } from "zod";
import { CONSENT_TYPES } from "../domain/consent/consent-types.ts";
import { FormType } from "../domain/consent/consent-input.ts";
import { syncOwnConsent } from "../domain/identity/visitor-consent.ts";
import { readVisit } from "../http/shopper/read-visit.ts";
import { endpoint } from "../http/endpoint.ts";
import { CONSENT_OF_ACCOUNT } from "../http/rate-limit.ts";
import { RecordedConsents } from "../http/openapi/results/consent.ts";
import { Ok } from "../http/openapi/results/outcome.ts";

const Decision = z
  .object({
    type: z.enum(CONSENT_TYPES).exclude(["tos", "privacy"]).optional(),
    form_type: FormType.optional(),
    granted: z.boolean(),
  })
  .refine(({ type, form_type: form }) => (type === undefined) !== (form === undefined), {
    path: ["type"],
    message: "name a consent by type, or a form by form_type",
  })
  .refine(({ form_type: form, granted }) => form === undefined || !granted, {
    path: ["granted"],
    message: "is given in the form itself, and can only be withdrawn here",
  });

const toInput = ({ type, form_type: form, granted }: z.output<typeof Decision>) =>
  form === undefined
    ? { [`consent_${type}`]: granted }
    : { form_type: form, form_consent: granted };

export const { loader, action, route } = endpoint({
  POST: {
    summary: "The customer gives or withdraws a consent in the store's customer accounts.",
    auth: "account_token",
    access: "changed",
    tenant: "registered",
    rateLimit: CONSENT_OF_ACCOUNT,
    body: Decision,
    result: Ok.extend({ consent_id: z.string(), recorded: RecordedConsents }),
    async handle({ ctx, request, tenant, principal, body }) {
      const { consent_id, recorded } = await syncOwnConsent(
        ctx,
        tenant,
        principal.account.id,
        { ...toInput(body), method: "account_extension" },
        readVisit(request),
      );
      return { ok: true, consent_id, recorded };
    },
  },
});
