import { describe, expect, it } from "vitest";
import {
  DEFAULT_TAGS,
  defineTag,
  formOfTag,
  toAcceptsTag,
  toSlug,
} from "../../../app/domain/tags/catalog.ts";
import { TAG_CATEGORIES } from "../../../app/domain/inventory/tag-categories.ts";

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

  it("keep their category however they are named first; any other tag is a campaign", () => {
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
  it("are recognised by their suffix with a valid date; a default tag is never one", () => {
    expect(formOfTag("waitlist_shoes_subscribed")).toBe("waitlist_shoes");
    expect(formOfTag("waitlist_shoes_2026_11_22")).toBe("waitlist_shoes");
    for (const slug of [
      "waitlist_2026_02_30",
      "subscribed",
      "2026_11_22",
      "email_subscribed",
      "waitlist",
    ])
      expect(formOfTag(slug)).toBeNull();
  });

  it("keep their suffix whole however long the form's name is", () => {
    for (const end of ["_subscribed", "_2026-11-21"]) {
      const { slug } = defineTag("f".repeat(80) + end);
      expect(slug).toBe("f".repeat(29) + end.replaceAll("-", "_"));
    }
  });

  it("become an `accepts_` tag at the storefront, but never one that looks like a consent", () => {
    expect(toAcceptsTag({ slug: "waitlist_subscribed", category: "campaign" })).toBe(
      "accepts_waitlist",
    );
    expect(toAcceptsTag({ slug: "email_subscribed", category: "marketing" })).toBeNull();
    expect(toAcceptsTag({ slug: "marketing_subscribed", category: "campaign" })).toBeNull();
    expect(toAcceptsTag({ slug: "waitlist", category: "campaign" })).toBeNull();
  });
});
