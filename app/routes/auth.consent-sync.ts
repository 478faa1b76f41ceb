import { z } from "zod";
import { ConsentSyncInput } from "../domain/consent/consent-input.ts";
import { syncConsent, type ConsentSpeaker } from "../domain/identity/visitor-consent.ts";
import { callerAddress } from "../http/client-address.ts";
import { LOCALE_SHAPE } from "../http/auth/app-proxy.ts";
import type { PrincipalOf } from "../http/auth/schemes.ts";
import { endpoint } from "../http/endpoint.ts";
import { CONSENT } from "../http/rate-limit.ts";
import { readVisit } from "../http/shopper/read-visit.ts";
import { RecordedConsents } from "../http/openapi/results/consent.ts";
import { Ok } from "../http/openapi/results/outcome.ts";

export const { loader, action, route } = endpoint({
  POST: {
    summary: "Records what a person or a visitor consents to or withdraws.",
    auth: "visitor",
    tenant: "registered",
    rateLimit: CONSENT,
    proxied: { locale: LOCALE_SHAPE },
    body: ConsentSyncInput,
    answers: {
      200: "`{ok, consent_id, recorded, pending_confirmation}`, with `ignored` where a grant came too late.",
      409: "`other_person`: somebody else is signed in than `acted_by` names. Nothing was recorded.",
    },
    result: Ok.extend({
      consent_id: z.string(),
      recorded: RecordedConsents,
      ignored: z.array(z.string()).optional().meta({
        description:
          "The consents whose grant is not recorded: it waited, and a later refusal is recorded.",
      }),
      pending_confirmation: z.boolean(),
    }),
    async handle({ ctx, request, tenant, principal, body, proxied }) {
      const speaker = toSpeaker(principal, callerAddress(ctx, request, proxied));
      const visit = readVisit(request);
      return { ok: true, ...(await syncConsent(ctx, tenant, speaker, body, visit)) };
    },
  },
});

function toSpeaker(principal: PrincipalOf<"visitor">, address: string): ConsentSpeaker {
  if (principal.kind === "session") return { account: principal.session.account };
  return principal.kind === "customer" ? { gid: principal.gid } : { address };
}
