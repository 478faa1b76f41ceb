// The rules that set the default tags from what is known of a customer (DECISIONS 8). Pure: the same
// facts at the same time give the same tags. `campaign` is the one default tag without a rule.
import type { TagRules } from "../tenants/settings/tag-rules.ts";

export type CustomerFacts = {
  /** Another account has the address until this one proves it: nothing is known for certain. */
  isWaiting: boolean;
  orders: number;
  /** In the store's currency. */
  spent: number;
  firstSeenAt: Date;
  /** The last sign-in, order or change. */
  lastActiveAt: Date;
  /** The last decision; null before the first. */
  marketing: "granted" | "revoked" | null;
  tos: boolean;
  privacy: boolean;
  cookie: boolean;
  /** The storefront's states, such as `subscribed`. */
  emailSubscription: string | null;
  smsSubscription: string | null;
};

type Rule = {
  slug: string;
  holds(facts: CustomerFacts, rules: TagRules, now: Date): boolean;
  /** Derived from the storefront's data of the customer, which only the proven customer may see. */
  isFromStorefront?: true;
};

const DAY_MS = 86_400_000;
const plusDays = (at: Date, days: number) => new Date(at.getTime() + days * DAY_MS);

const isInactive = (facts: CustomerFacts, rules: TagRules, now: Date) =>
  plusDays(facts.lastActiveAt, rules.inactive_after_days) <= now;
const isVip = (facts: CustomerFacts, rules: TagRules) =>
  facts.spent >= rules.vip_amount || facts.orders >= rules.vip_orders;
const isNew = (facts: CustomerFacts, rules: TagRules, now: Date) =>
  plusDays(facts.firstSeenAt, rules.new_days) > now;
const isAtRisk = (facts: CustomerFacts, rules: TagRules, now: Date) =>
  facts.orders > 0 && plusDays(facts.lastActiveAt, rules.at_risk_days) <= now;

const isFromStorefront = true as const;

const RULES: readonly Rule[] = [
  { slug: "active", holds: (facts, rules, now) => !isInactive(facts, rules, now) },
  { slug: "inactive", holds: isInactive },
  { slug: "vip", holds: isVip, isFromStorefront },
  {
    slug: "prospect",
    holds: (facts, rules) => facts.orders === 0 && !isVip(facts, rules),
    isFromStorefront,
  },
  { slug: "accepts_marketing", holds: ({ marketing }) => marketing === "granted" },
  { slug: "rejects_marketing", holds: ({ marketing }) => marketing === "revoked" },
  { slug: "accepts_tou", holds: ({ tos }) => tos },
  { slug: "accepts_privacy", holds: ({ privacy }) => privacy },
  { slug: "accepts_cookie", holds: ({ cookie }) => cookie },
  {
    slug: "email_subscribed",
    holds: ({ emailSubscription }) => emailSubscription === "subscribed",
    isFromStorefront,
  },
  {
    slug: "email_unsubscribed",
    holds: ({ emailSubscription }) => emailSubscription === "unsubscribed",
    isFromStorefront,
  },
  {
    slug: "sms_subscribed",
    holds: ({ smsSubscription }) => smsSubscription === "subscribed",
    isFromStorefront,
  },
  {
    slug: "high_value",
    holds: ({ spent }, rules) => spent >= rules.high_value_amount,
    isFromStorefront,
  },
  { slug: "returning", holds: ({ orders }) => orders >= 2, isFromStorefront },
  { slug: "new_customer", holds: isNew },
  { slug: "at_risk", holds: isAtRisk, isFromStorefront },
];

/** Pairs of tags of which a customer has at most one. */
export const EXCLUSIVE_PAIRS: readonly (readonly [string, string])[] = [
  ["active", "inactive"],
  ["vip", "prospect"],
  ["accepts_marketing", "rejects_marketing"],
  ["email_subscribed", "email_unsubscribed"],
];

/** The slugs of the tags that have a rule. */
export const SYSTEM_TAGS: readonly string[] = RULES.map(({ slug }) => slug);

const FROM_STOREFRONT = new Set(
  RULES.filter((rule) => rule.isFromStorefront).map(({ slug }) => slug),
);
export const isFromStorefrontData = (slug: string): boolean => FROM_STOREFRONT.has(slug);

/** The tags that the rules set on a customer. */
export const systemTagsOf = (facts: CustomerFacts, rules: TagRules, now: Date): string[] =>
  facts.isWaiting
    ? []
    : RULES.filter((rule) => rule.holds(facts, rules, now)).map(({ slug }) => slug);

/** A customer's tags by who assigned them: a rule, the customer, or anybody else. */
export type HeldTags = Readonly<Record<"system" | "byShopper" | "byHand", readonly string[]>>;

export const oppositesOf = (slugs: readonly string[]): string[] =>
  EXCLUSIVE_PAIRS.flatMap(([one, other]) => [
    ...(slugs.includes(one) ? [other] : []),
    ...(slugs.includes(other) ? [one] : []),
  ]);

/**
 * The tags that the rules add and remove. What was assigned by hand stays, and its opposites are not
 * set; what the shopper chose gives way to the opposite that a rule sets.
 */
export function toSystemTagChange(
  wanted: readonly string[],
  held: HeldTags,
): { add: string[]; remove: string[] } {
  const refused = new Set(oppositesOf(held.byHand));
  const due = wanted.filter((slug) => !held.byHand.includes(slug) && !refused.has(slug));
  return {
    add: due.filter((slug) => !held.system.includes(slug) && !held.byShopper.includes(slug)),
    remove: [
      ...held.system.filter((slug) => !due.includes(slug)),
      ...held.byShopper.filter((slug) => oppositesOf(due).includes(slug)),
    ],
  };
}

/** When time alone changes the customer's tags next; null: never. */
export function nextChangeAt(facts: CustomerFacts, rules: TagRules, now: Date): Date | null {
  if (facts.isWaiting) return null;
  const times = [
    plusDays(facts.lastActiveAt, rules.inactive_after_days),
    plusDays(facts.firstSeenAt, rules.new_days),
    ...(facts.orders > 0 ? [plusDays(facts.lastActiveAt, rules.at_risk_days)] : []),
  ].filter((at) => at > now);
  return times.length === 0 ? null : new Date(Math.min(...times.map((at) => at.getTime())));
}
