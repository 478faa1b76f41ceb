// The rules of the automatic tags, by random customers: pure, exclusive, and nothing by hand is touched.
import { describe, expect, test } from "vitest";
import {
  EXCLUSIVE_PAIRS,
  nextChangeAt,
  SYSTEM_TAGS,
  systemTagsOf,
  toSystemTagChange,
  type CustomerFacts,
} from "../../../app/domain/tags/system-tag-rules.ts";
import { DEFAULT_TAGS } from "../../../app/domain/tags/catalog.ts";
import { DEFAULT_TAG_RULES, TagRules } from "../../../app/domain/tenants/settings/tag-rules.ts";

const NOW = new Date("2026-11-23T12:00:00Z");
const daysAgo = (days: number) => new Date(NOW.getTime() - days * 86_400_000);

const FACTS: CustomerFacts = {
  isWaiting: false,
  orders: 0,
  spent: 0,
  firstSeenAt: daysAgo(100),
  lastActiveAt: daysAgo(10),
  marketing: null,
  tos: false,
  privacy: false,
  cookie: false,
  emailSubscription: null,
  smsSubscription: null,
};
const tagsOf = (facts: Partial<CustomerFacts>, rules = DEFAULT_TAG_RULES) =>
  systemTagsOf({ ...FACTS, ...facts }, rules, NOW);

/** A small generator with a fixed seed, so that a failure repeats. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

function randomFacts(next: () => number): CustomerFacts {
  const one = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T;
  const orders = one([0, 0, 1, 2, 9, 10, 50]);
  const state = [null, "subscribed", "unsubscribed", "not_subscribed", "pending"];
  return {
    isWaiting: next() < 0.1,
    orders,
    spent: orders === 0 ? 0 : one([1, 499.99, 500, 999.99, 1_000, 5_000]),
    firstSeenAt: daysAgo(one([0, 29, 30, 31, 400])),
    lastActiveAt: daysAgo(one([0, 179, 180, 364, 365, 366])),
    marketing: one([null, "granted", "revoked"]),
    tos: next() < 0.5,
    privacy: next() < 0.5,
    cookie: next() < 0.5,
    emailSubscription: one(state),
    smsSubscription: one(state),
  };
}

test("every default tag but `campaign` has exactly one rule", () => {
  const expected = DEFAULT_TAGS.map(({ slug }) => slug).filter((slug) => slug !== "campaign");
  expect([...SYSTEM_TAGS].sort()).toEqual(expected.sort());
});

describe("the thresholds", () => {
  test.each<[Partial<CustomerFacts>, string, boolean]>([
    [{ spent: 1_000, orders: 1 }, "vip", true],
    [{ spent: 999.99, orders: 9 }, "vip", false],
    [{ orders: 10 }, "vip", true],
    [{ orders: 0 }, "prospect", true],
    [{ orders: 1 }, "prospect", false],
    [{ spent: 500, orders: 1 }, "high_value", true],
    [{ spent: 499.99, orders: 1 }, "high_value", false],
    [{ orders: 2 }, "returning", true],
    [{ orders: 1 }, "returning", false],
    [{ lastActiveAt: daysAgo(365) }, "inactive", true],
    [{ lastActiveAt: daysAgo(364.9) }, "active", true],
    [{ orders: 1, lastActiveAt: daysAgo(180) }, "at_risk", true],
    [{ orders: 0, lastActiveAt: daysAgo(180) }, "at_risk", false],
    [{ firstSeenAt: daysAgo(29.9) }, "new_customer", true],
    [{ firstSeenAt: daysAgo(30) }, "new_customer", false],
    [{ marketing: "granted" }, "accepts_marketing", true],
    [{ marketing: "revoked" }, "rejects_marketing", true],
    [{ marketing: null }, "rejects_marketing", false],
    [{ tos: true }, "accepts_tou", true],
    [{ privacy: true }, "accepts_privacy", true],
    [{ cookie: true }, "accepts_cookie", true],
    [{ emailSubscription: "subscribed" }, "email_subscribed", true],
    [{ emailSubscription: "unsubscribed" }, "email_unsubscribed", true],
    [{ emailSubscription: "not_subscribed" }, "email_unsubscribed", false],
    [{ smsSubscription: "subscribed" }, "sms_subscribed", true],
  ])("of %o set %s: %s", (facts, slug, isSet) => {
    expect(tagsOf(facts).includes(slug)).toBe(isSet);
  });

  test.each([
    { vip_amount: 0 },
    { vip_orders: 0 },
    { new_days: 1.5 },
    { at_risk_days: 3_651 },
    { high_value_amount: Number.NaN },
    { vip_amount: "many" },
    { unknown: 1 },
  ])("that make no sense are refused: %o", (rules) => {
    expect(TagRules.safeParse(rules).success).toBe(false);
  });

  test("that are left out have their defaults", () => {
    expect(TagRules.parse({ vip_amount: 50 })).toEqual({ ...DEFAULT_TAG_RULES, vip_amount: 50 });
  });
});

test("an account that waits for its proof has no tag of a rule", () => {
  expect(tagsOf({ isWaiting: true, tos: true, marketing: "granted" })).toEqual([]);
});

test("of each pair a customer has at most one, whatever is known and set by hand", () => {
  const next = random(7);
  for (let round = 0; round < 2_000; round += 1) {
    const wanted = systemTagsOf(randomFacts(next), DEFAULT_TAG_RULES, NOW);
    const byHand = SYSTEM_TAGS.filter(() => next() < 0.1).filter(
      (slug, _, all) =>
        !EXCLUSIVE_PAIRS.some(([one, other]) => slug === other && all.includes(one)),
    );
    const system = SYSTEM_TAGS.filter((slug) => !byHand.includes(slug) && next() < 0.2);
    const byShopper = SYSTEM_TAGS.filter(
      (slug) => ![...byHand, ...system].includes(slug) && next() < 0.1,
    ).filter(
      (slug, _, all) =>
        !EXCLUSIVE_PAIRS.some(
          ([one, other]) =>
            (slug === other && [...all, ...byHand].includes(one)) ||
            (slug === one && byHand.includes(other)),
        ),
    );
    const { add, remove } = toSystemTagChange(wanted, { system, byShopper, byHand });
    const kept = [...byShopper, ...system].filter((slug) => !remove.includes(slug));
    const after = [...byHand, ...kept, ...add];
    for (const [one, other] of EXCLUSIVE_PAIRS)
      expect(after.includes(one) && after.includes(other)).toBe(false);
    expect(remove.some((slug) => byHand.includes(slug))).toBe(false);
    expect(new Set(after).size).toBe(after.length);
  }
});

test("a step at a time or all at once, a history ends with the same tags", () => {
  const next = random(11);
  for (let round = 0; round < 300; round += 1) {
    let system: string[] = [];
    let facts = randomFacts(next);
    for (let step = 0; step < 5; step += 1) {
      facts = { ...facts, ...(next() < 0.5 ? randomFacts(next) : {}) };
      const { add, remove } = toSystemTagChange(systemTagsOf(facts, DEFAULT_TAG_RULES, NOW), {
        system,
        byShopper: [],
        byHand: [],
      });
      system = [...system.filter((slug) => !remove.includes(slug)), ...add];
    }
    expect([...system].sort()).toEqual([...systemTagsOf(facts, DEFAULT_TAG_RULES, NOW)].sort());
  }
});

test("until the next change by time alone the tags stay, and then they change", () => {
  const next = random(13);
  for (let round = 0; round < 500; round += 1) {
    const facts = randomFacts(next);
    const at = nextChangeAt(facts, DEFAULT_TAG_RULES, NOW);
    const now = systemTagsOf(facts, DEFAULT_TAG_RULES, NOW);
    const far = new Date(NOW.getTime() + 4_000 * 86_400_000);
    if (at === null) {
      expect(systemTagsOf(facts, DEFAULT_TAG_RULES, far)).toEqual(now);
      continue;
    }
    const justBefore = new Date(at.getTime() - 1);
    expect(systemTagsOf(facts, DEFAULT_TAG_RULES, justBefore)).toEqual(now);
    expect(systemTagsOf(facts, DEFAULT_TAG_RULES, at)).not.toEqual(now);
  }
});
