// A submission of decisions: made of a request's input, and reported once it is recorded.
import type { Ctx } from "../../../context.server.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { toSubmission, type ConsentSyncInput, type Submission } from "../consent-input.ts";
import { findPolicyHash } from "../policies.ts";
import type { Visit } from "../visit.ts";
import type { Recorded, Written } from "../write/write-consents.ts";

/** The submission with the current policy: read before the transaction that writes it. */
export async function readSubmission(
  ctx: Ctx,
  tenant: Tenant,
  input: ConsentSyncInput,
  visit: Visit,
): Promise<Submission> {
  const consentVersion = input.consent_version ?? tenant.config.consent_policy_version ?? null;
  const policyHash = await findPolicyHash(
    dataOf(ctx, tenant).sql,
    consentVersion,
    tenant.config.locale,
  );
  return toSubmission(input, {
    ...visit,
    consentId: ctx.random.uuid(),
    consentVersion,
    policyHash,
  });
}

export type SyncedConsent = {
  consent_id: string;
  recorded: Recorded[];
  /** Grants that waited while the person refused elsewhere: the refusal holds. */
  ignored?: string[];
  pending_confirmation: boolean;
};

/** Logs what was recorded, and returns it as the caller's answer. */
export function reportConsent(
  ctx: Ctx,
  { shop }: Tenant,
  { method, consentId }: Submission,
  { recorded, ignored }: Written,
  userId?: number,
): SyncedConsent {
  ctx.log.info("consent.recorded", {
    shop,
    ...(userId !== undefined && { user_id: userId }),
    method,
    rows: recorded.length,
    ...(ignored.length > 0 && { ignored }),
  });
  return {
    consent_id: consentId,
    recorded,
    ...(ignored.length > 0 && { ignored }),
    pending_confirmation: false,
  };
}
