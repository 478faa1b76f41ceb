// How times read on the merchant's screens: in the store's zone, in three languages.
import { describe, expect, test } from "vitest";
import { formatDay, formatMoment, formatPlainDay } from "../../app/components/ui/date-time.tsx";
import { formatRelative } from "../../app/components/ui/relative-time.tsx";

describe("a time", () => {
  test.each([
    ["en", "Europe/Paris", "1 Jan 2027, 00:30"],
    ["es", "America/New_York", "31 dic 2026, 18:30"],
    ["fr", "Asia/Kolkata", "1 janv. 2027, 05:00"],
    ["en", "Pacific/Kiritimati", "1 Jan 2027, 13:30"],
  ] as const)("in %s and %s is that day and hour", (locale, zone, shown) => {
    expect(formatMoment(locale, "2026-12-31T23:30:00Z", zone)).toBe(shown);
  });

  test("follows the zone's summer time", () => {
    expect(formatMoment("en", "2026-03-29T00:59:00Z", "Europe/Berlin")).toBe("29 Mar 2026, 01:59");
    expect(formatMoment("en", "2026-03-29T01:00:00Z", "Europe/Berlin")).toBe("29 Mar 2026, 03:00");
  });

  test("without a known zone is in UTC, and says so", () => {
    expect(formatMoment("en", "2026-12-31T23:30:00Z")).toBe("31 Dec 2026, 23:30 UTC");
    expect(formatDay("fr", "2026-12-31T23:30:00Z")).toBe("31 déc. 2026");
  });

  test("in a zone that the browser does not know is in UTC", () => {
    expect(formatMoment("en", "2026-12-31T23:30:00Z", "Mars/Olympus")).toBe("31 Dec 2026, 23:30");
  });

  test("a day without a time is the same day in every zone", () => {
    expect(formatPlainDay("en", "2026-12-31")).toBe("31 Dec 2026");
    expect(formatPlainDay("en", "not a day")).toBe("not a day");
  });
});

test.each([
  ["en", 0, "now"],
  ["en", -120, "2 minutes ago"],
  ["es", -7_200, "hace 2 horas"],
  ["fr", -86_400, "hier"],
  ["fr", 180, "dans 3 minutes"],
  ["en", -31 * 86_400, null],
] as const)("in %s, %d seconds from now read as %s", (locale, seconds, shown) => {
  const now = Date.parse("2026-11-23T04:00:00Z");
  expect(formatRelative(locale, new Date(now + seconds * 1_000).toISOString(), now)).toBe(shown);
});
