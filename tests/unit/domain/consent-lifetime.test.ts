// How long a choice of the banner holds, by the calendar and the clock of the browser.
import { describe, expect, it } from "vitest";
import { toLoaderValues } from "../../../app/domain/tenants/storefront/loader-values.ts";
import { tenantField } from "../../../app/domain/tenants/tenant-config.ts";
import { isPast, withAnswers } from "../../../app/embeds/scripts/choice-age.ts";

const at = (...parts: [number, number, number, number?]) => new Date(...parts).toISOString();
const pastAt = (made: string | undefined, months: number, now: string) =>
  isPast(made, months, Date.parse(now));

describe("a choice", () => {
  it("holds until the same day and hour so many months later, across the end of a year", () => {
    const made = at(2025, 10, 21, 9);
    expect(pastAt(made, 12, at(2026, 10, 21, 8))).toBe(false);
    expect(pastAt(made, 12, at(2026, 10, 21, 10))).toBe(true);
    expect(pastAt(made, 3, at(2026, 1, 21, 8))).toBe(false);
    expect(pastAt(made, 3, at(2026, 1, 21, 10))).toBe(true);
  });

  it("of a day that the last month does not have ends in the first days of the next one", () => {
    expect(pastAt(at(2026, 0, 31, 9), 1, at(2026, 2, 3, 8))).toBe(false);
    expect(pastAt(at(2026, 0, 31, 9), 1, at(2026, 2, 3, 10))).toBe(true);
    expect(pastAt(at(2024, 1, 29, 9), 12, at(2025, 2, 1, 10))).toBe(true);
  });

  it.each([
    ["still to come", at(2030, 0, 1)],
    ["unreadable", "yesterday"],
    ["missing", undefined],
  ])("whose time is %s has no age", (_, made) => {
    expect(pastAt(made, 1, at(2026, 0, 1))).toBe(false);
  });
});

describe("new answers", () => {
  const OLD = { tos: true, cookie: true, marketing: true, version: "v1", at: at(2026, 0, 1) };
  const NOW = at(2026, 5, 1);

  it("to both questions make a choice of now", () => {
    expect(withAnswers(OLD, { cookie: false, marketing: true }, "v2", NOW)).toEqual({
      tos: true,
      cookie: false,
      marketing: true,
      version: "v2",
      at: NOW,
    });
    expect(withAnswers(null, { marketing: false }, undefined, NOW).at).toBe(NOW);
  });

  it("to one question make the other one no younger", () => {
    expect(withAnswers(OLD, { marketing: false }, "v2", NOW)).toMatchObject({
      cookie: true,
      marketing: false,
      at: OLD.at,
    });
    const { cookie: _, ...withoutCookie } = OLD;
    expect(withAnswers(withoutCookie, { marketing: false }, "v2", NOW).at).toBe(NOW);
  });

  it("keep the choice that ended beside them, and only such a one", () => {
    const ended = { cookie: false, marketing: true, version: "v1", at: OLD.at };
    const partial = { marketing: false, version: "v2", at: NOW, ended };
    expect(withAnswers(null, { marketing: false }, "v2", NOW, ended)).toEqual(partial);
    expect(withAnswers(partial, { marketing: true }, "v2", NOW, partial).ended).toBe(ended);
    for (const last of [OLD, null])
      expect(withAnswers(last, { marketing: false }, "v2", NOW, last)).not.toHaveProperty("ended");
  });
});

describe("the setting", () => {
  const STORE = {
    shop: "test-store.myshopify.com",
    serviceUrl: "https://service.example",
    consentMode: "basic" as const,
    measurementId: null,
    policyVersion: null,
    regions: null,
  };
  const { schema } = tenantField("consent_lifetime_months");

  it("is a whole number of months from 1 to 24, and 12 where a store sets none", () => {
    expect(schema.parse(undefined)).toBe(12);
    for (const months of [1, 6, 24]) expect(schema.parse(months)).toBe(months);
    for (const months of [0, 25, 1.5, -1, "6", null])
      expect(schema.safeParse(months).success).toBe(false);
  });

  it("reaches the loader behind its other values, and only where it is not the default", () => {
    const usual = [STORE.shop, STORE.serviceUrl, true, ""];
    expect(toLoaderValues({ ...STORE, consentMonths: 12 })).toEqual(usual);
    expect(toLoaderValues({ ...STORE, consentMonths: 6 })).toEqual([...usual, "", null, 6]);
  });
});
