import { describe, expect, it } from "vitest";
import {
  DEFAULT_TAGS,
  defineTag,
  formTags,
  TAG_CATEGORIES,
  toAcceptsTag,
  toSlug,
} from "../../app/domain/tags/catalog.ts";

describe("slugs", () => {
  it.each([
    ["At Risk", "at_risk"],
    ["  --VIP!! ", "vip"],
    ["ＦＵＬＬ width", "full_width"],
    ["a,b;c__d", "a_b_c_d"],
    ["newsletter_2026-11-21", "newsletter_2026_11_21"],
    ["日本", ""],
    [`${"x".repeat(39)} yz`, "x".repeat(39)],
    ["y".repeat(60), "y".repeat(40)],
  ])("%j is %j", (name, slug) => {
    expect(toSlug(name)).toBe(slug);
    expect(toSlug(slug)).toBe(slug);
  });
});

describe("the default tags", () => {
  it("are 17, each with its own slug and a known category", () => {
    expect(new Set(DEFAULT_TAGS.map(({ slug }) => slug)).size).toBe(17);
    expect(DEFAULT_TAGS.every(({ category }) => TAG_CATEGORIES.includes(category))).toBe(true);
  });

  it("keep their category however they are first named; anything else is a campaign", () => {
    expect(defineTag("v i p").category).toBe("campaign");
    expect(defineTag("vip")).toEqual({ name: "VIP", slug: "vip", category: "tier" });
    expect(defineTag("Summer  Sale")).toEqual({
      name: "Summer Sale",
      slug: "summer_sale",
      category: "campaign",
    });
  });
});

describe("form tags", () => {
  it("are the subscription and its day in UTC", () => {
    expect(formTags("Waitlist-Shoes", new Date("2026-11-21T23:30:00-05:00"))).toEqual([
      "waitlist_shoes_subscribed",
      "waitlist_shoes_2026_11_22",
    ]);
  });

  it("keep their ends whole however long the form's name is", () => {
    const [subscribed, dated] = formTags("f".repeat(80), new Date("2026-11-21T00:00:00Z"));
    expect([subscribed.length, dated.length]).toEqual([40, 40]);
    expect([subscribed.endsWith("f_subscribed"), dated.endsWith("f_2026_11_21")]).toEqual([
      true,
      true,
    ]);
  });

  it("give the storefront an `accepts_` tag, but never one that reads as a consent", () => {
    expect(toAcceptsTag({ slug: "waitlist_subscribed", category: "campaign" })).toBe(
      "accepts_waitlist",
    );
    expect(toAcceptsTag({ slug: "email_subscribed", category: "marketing" })).toBeNull();
    expect(toAcceptsTag({ slug: "marketing_subscribed", category: "campaign" })).toBeNull();
    expect(toAcceptsTag({ slug: "waitlist", category: "campaign" })).toBeNull();
  });
});
