// 90 days of decisions about consent: of visitors at the banner, and of the customers.
import { toSubmission, type ConsentSyncInput } from "../domain/consent/consent-input.ts";
import { findPolicyHash } from "../domain/consent/policies.ts";
import { writeConsents, type Subject } from "../domain/consent/write/write-consents.ts";
import { dataOf } from "../domain/tenants/tenant.ts";
import { DAY_MS, HISTORY_DAYS, type Calendar } from "./calendar.ts";
import { BROWSERS } from "./countries.ts";
import { findUserIds, slicesOf, timeOf, type Demo } from "./demo.ts";
import type { DemoCustomer } from "./people.ts";
import { CHANGED_DAYS_AGO, VERSION_BEFORE } from "./policies.ts";
import { createDice, type Dice } from "./random.ts";

const SEED = 1_207;
const VISITORS_PER_DAY = 19;
/** The number of records in one commit of the log. */
const SLICE = 100;
const PAGES = ["/", "/products/trail-camera", "/products/camp-lantern", "/collections/outdoor"];

type Decision = {
  at: Date;
  /** A visitor, or the gid of a customer. */
  visitorId: string | null;
  gid: string | null;
  userAgent: string;
  gpc: boolean;
  input: ConsentSyncInput & { consent_id: string };
};

/** In the order of time. Safe to repeat: a decision that is in the log adds nothing. */
export async function writeDecisions(demo: Demo): Promise<void> {
  const { ctx, tenant, calendar, customers, signal } = demo;
  const userIds = await findUserIds(demo);
  const decisions = planDecisions(calendar, customers);
  const current = tenant.config.consent_policy_version ?? null;
  const { sql } = dataOf(ctx, tenant);
  const hashes = {
    earlier: await findPolicyHash(sql, VERSION_BEFORE, "en"),
    current: await findPolicyHash(sql, current, "en"),
  };
  for (const slice of slicesOf(decisions, SLICE)) {
    signal.throwIfAborted();
    await Promise.all(
      slice.flatMap((decision) => {
        const subject = subjectOf(decision, userIds);
        if (!subject) return [];
        const isEarlier =
          calendar.end.getTime() - decision.at.getTime() > CHANGED_DAYS_AGO * DAY_MS;
        const submission = toSubmission(decision.input, {
          consentId: decision.input.consent_id,
          userAgent: decision.userAgent,
          gpc: decision.gpc,
          consentVersion: isEarlier ? VERSION_BEFORE : current,
          policyHash: isEarlier ? hashes.earlier : hashes.current,
        });
        return [writeConsents(ctx, tenant, { subject, submission, at: timeOf(demo, decision.at) })];
      }),
    );
  }
}

function subjectOf(
  { visitorId, gid }: Decision,
  userIds: ReadonlyMap<string, number>,
): Subject | null {
  if (visitorId !== null) return { visitorId };
  const userId = userIds.get(gid ?? "");
  return userId === undefined ? null : { userId };
}

function planDecisions(calendar: Calendar, customers: readonly DemoCustomer[]): Decision[] {
  const dice = createDice(SEED);
  return [
    ...Array.from({ length: HISTORY_DAYS }, (_, daysAgo) =>
      planVisitors(dice, calendar, daysAgo),
    ).flat(),
    ...customers.flatMap((customer) => planCustomerDecisions(dice, customer)),
  ].sort((a, b) => a.at.getTime() - b.at.getTime());
}

function planVisitors(dice: Dice, calendar: Calendar, daysAgo: number): Decision[] {
  const count = Math.round(VISITORS_PER_DAY * calendar.trade(daysAgo) * (0.85 + 0.3 * dice.next()));
  return Array.from({ length: count }, () => {
    const at = calendar.timeOn(dice, daysAgo);
    const choice = dice.weighted([
      [{ cookie: true, marketing: true }, 56],
      [{ cookie: false, marketing: false }, 27],
      [{ cookie: true, marketing: false }, 17],
    ]);
    const visit = {
      visitorId: `v-${dice.hex(20)}`,
      gid: null,
      userAgent: dice.weighted(BROWSERS),
      gpc: dice.chance(0.05),
    };
    const decide = (when: Date, method: string, flags: typeof choice): Decision => ({
      ...visit,
      at: when,
      input: {
        method,
        consent_id: dice.uuid(),
        consent_cookie: flags.cookie,
        consent_marketing: flags.marketing && !visit.gpc,
        source_page: `https://www.demo-store.example${dice.pick(PAGES)}`,
        timestamp: when.toISOString(),
      },
    });
    const first = decide(at, "banner", choice);
    if (!choice.cookie || !dice.chance(0.07)) return [first];
    const later = calendar.between(dice, at, calendar.end);
    return [first, decide(later, "compliance-page", { cookie: false, marketing: false })];
  }).flat();
}

/** What came with the account, and the end of a subscription. */
function planCustomerDecisions(dice: Dice, customer: DemoCustomer): Decision[] {
  const { joinedAt, unsubscribedAt, origin, gid, userAgent } = customer;
  const isMarketing = customer.isSubscribed || unsubscribedAt !== null;
  const decide = (at: Date, input: Omit<Decision["input"], "consent_id">): Decision => ({
    at,
    gid,
    visitorId: null,
    userAgent,
    gpc: false,
    input: { ...input, consent_id: dice.uuid(), timestamp: at.toISOString() },
  });
  const decisions: Decision[] = [];
  if (origin === "storefront")
    decisions.push(
      decide(joinedAt, { method: "storefront_oidc", consent_tos: true, consent_privacy: true }),
      decide(joinedAt, {
        method: "banner",
        consent_cookie: dice.chance(0.8),
        consent_marketing: isMarketing,
      }),
    );
  if (origin === "newsletter")
    decisions.push(
      decide(joinedAt, {
        method: "newsletter_form",
        form_type: "newsletter",
        consent_privacy: true,
        consent_marketing: true,
      }),
    );
  if (unsubscribedAt)
    decisions.push(decide(unsubscribedAt, { method: "compliance-page", consent_marketing: false }));
  return decisions;
}
