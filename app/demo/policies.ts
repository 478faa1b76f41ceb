// The texts of the policy versions that the history names.
import { hash } from "node:crypto";
import { dataOf } from "../domain/tenants/tenant.ts";
import { DAY_MS, HISTORY_DAYS } from "./calendar.ts";
import type { Demo } from "./demo.ts";

/** The policy's version changed some weeks ago. */
export const VERSION_BEFORE = "2026-06";
export const CHANGED_DAYS_AGO = 38;

const COLLECTED = `We keep what you tell us when you make an account or order: your name, your address and what you bought.`;
const SHARED = `We share it with the services that deliver and invoice your order, and with nobody else.`;
const RIGHTS = `You can see, correct and delete your data in your account at any time, and withdraw each consent there.`;
const ANALYTICS = `With your consent we measure how the store is used. Without it nothing is measured.`;

/** Safe to repeat: a version's text never changes. */
export async function publishPolicies({ ctx, tenant, calendar }: Demo): Promise<void> {
  const { prisma } = dataOf(ctx, tenant);
  const daysBefore = (days: number) => new Date(calendar.end.getTime() - days * DAY_MS);
  const current = tenant.config.consent_policy_version;
  const versions = [
    { version: VERSION_BEFORE, since: HISTORY_DAYS, parts: [COLLECTED, SHARED, RIGHTS] },
    ...(current
      ? [
          {
            version: current,
            since: CHANGED_DAYS_AGO,
            parts: [COLLECTED, ANALYTICS, SHARED, RIGHTS],
          },
        ]
      : []),
  ];
  await prisma.consentPolicy.createMany({
    data: versions.map(({ version, since, parts }) => {
      const body = parts.join("\n\n");
      return {
        shop: tenant.shop,
        version,
        locale: "en",
        body,
        sha256: hash("sha256", body),
        effective_from: daysBefore(since),
      };
    }),
    skipDuplicates: true,
  });
}
