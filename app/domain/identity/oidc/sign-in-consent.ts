// The consents that come with a sign-in at a provider.
import { announceDecisions } from "../../consent/announce-decisions.ts";
import { consentColumn } from "../../consent/consent-types.ts";
import { findPolicyHash } from "../../consent/policies.ts";
import { recordConsent } from "../../consent/record-consent.ts";
import type { SignIn } from "./identity-linking.ts";

const SIGN_IN_CONSENTS = ["tos", "privacy"] as const;

/**
 * Terms and privacy with the first sign-in, with the sign-in's method. Never marketing: the shopper
 * was not asked.
 */
export async function recordSignInConsent(
  { ctx, tenant, tx, provider, visit, match }: SignIn,
  userId: number,
): Promise<void> {
  const { sql, prisma } = tx;
  const claims = await prisma.userClaims.findFirst({ where: { user_id: userId } });
  const records = await prisma.consentRecord.findMany({
    distinct: ["consent_type"],
    select: { consent_type: true },
    where: { user_id: userId, consent_type: { in: [...SIGN_IN_CONSENTS] } },
  });
  const isDecided = new Set(records.map(({ consent_type: type }) => type));
  // A revoked consent is not granted again by signing in.
  const granted = SIGN_IN_CONSENTS.filter(
    (type) => match === "new" || !isDecided.has(type) || claims?.[consentColumn(type)],
  );
  if (granted.length === 0) return;
  await prisma.userClaims.updateMany({
    where: { user_id: userId },
    data: Object.fromEntries(granted.map((type) => [consentColumn(type), true])),
  });
  const version = tenant.config.consent_policy_version ?? null;
  const policyHash = await findPolicyHash(sql, version, tenant.config.locale);
  const consentId = ctx.random.uuid();
  const decisions = granted.map((consentType) => ({
    userId,
    consentType,
    action: "granted",
    method: provider.consentMethod,
    consentVersion: version,
    policyHash,
    consentId,
    userAgent: visit.userAgent,
    gpc: visit.gpc,
    timestamp: ctx.clock.now().toISOString(),
  }));
  await recordConsent(sql, tenant, decisions);
  await announceDecisions(ctx, tenant, sql, userId, decisions);
}
