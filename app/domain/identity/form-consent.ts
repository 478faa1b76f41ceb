// A person withdraws what they consented to by a form of the store.
import type { Ctx } from "../../context.server.ts";
import type { ConsentSyncInput } from "../consent/consent-input.ts";
import { readSubmission, reportConsent, type SyncedConsent } from "../consent/submit/submission.ts";
import type { Visit } from "../consent/visit.ts";
import { writeConsentsWithin, type KnownPerson } from "../consent/write/write-consents.ts";
import { writeTagsWithin } from "../customers/tag-change.ts";
import { subscriptionTagOf } from "../tags/catalog.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";

/**
 * Records the withdrawal and removes the form's tag in one transaction. Without a consent of that form
 * nothing is recorded, and the tag stays.
 */
export async function withdrawFormConsent(
  ctx: Ctx,
  tenant: Tenant,
  person: KnownPerson,
  input: ConsentSyncInput & { form_type: string },
  visit: Visit,
): Promise<SyncedConsent> {
  const { userId } = person;
  const submission = await readSubmission(ctx, tenant, input, visit);
  const written = await dataOf(ctx, tenant).transaction(async (sql) => {
    const result = await writeConsentsWithin(ctx, tenant, sql, { subject: person, submission });
    const isWithdrawn = result.recorded.some(({ consent_type: type }) => type === input.form_type);
    if (isWithdrawn)
      await writeTagsWithin(ctx, tenant, sql, userId, {
        add: [],
        remove: [subscriptionTagOf(input.form_type)],
        source: "ucp",
        categories: null,
        gaSessionId: input.ga_session_id,
      });
    return result;
  });
  return reportConsent(ctx, tenant, submission, written, userId);
}
