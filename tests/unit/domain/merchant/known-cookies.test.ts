// The catalogue of known cookies.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { durationText, toSpokenCookie } from "../../../../app/domain/cookie-list/cookie-texts.ts";
import {
  cookieKey,
  isKnownCookie,
  PLATFORM_COOKIES,
  serviceCookies,
  vendorCookies,
  withoutKnownCookies,
} from "../../../../app/domain/cookie-list/known-cookies.ts";
import { KNOWN_VENDORS } from "../../../../app/domain/vendors/known-vendors.ts";
import { SESSION_COOKIE } from "../../../../app/http/auth/session-guard.ts";
import { filesBelow, root } from "../../../support/source-files.ts";

const names = KNOWN_VENDORS.map(({ name }) => name);
const all = [...serviceCookies(12), ...PLATFORM_COOKIES, ...vendorCookies(names)];

describe("the known cookies", () => {
  it("name everything that the service keeps in a shopper's browser", () => {
    const written = filesBelow("app/embeds").flatMap((file) =>
      [...readFileSync(join(root, file), "utf8").matchAll(/= "(crm_[a-z_]+)"/g)].map(
        ([, key = ""]) => key,
      ),
    );
    expect(
      serviceCookies(12)
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual([...new Set([...written, SESSION_COOKIE, "__Host-crm_signin"])].toSorted());
    expect(serviceCookies(7)[0]?.lasts).toEqual([7, "month"]);
  });

  it("are found by every vendor's name that the storefront check uses, each once", () => {
    for (const vendor of ["Google Analytics", "Google Ads", "Meta", "TikTok", "Klaviyo", "Hotjar"])
      expect([vendor, vendorCookies([vendor]).length > 0]).toEqual([vendor, true]);
    // No vendor of the catalogue is unknown to the check, so that its rows can be found.
    const found = names.filter((name) => vendorCookies([name]).length > 0);
    expect(found).toHaveLength(15);
    const keys = all.map(cookieKey);
    expect(new Set(keys).size).toBe(keys.length);
    expect(all.every(isKnownCookie)).toBe(true);
    expect(isKnownCookie({ provider: "Elsewhere", name: "_ga" })).toBe(false);
  });

  it("say which vendors of the check they know nothing about, and nothing of other names", () => {
    expect(withoutKnownCookies(["Meta", "Criteo", "some-app", "constructor"])).toEqual(["Criteo"]);
  });
});

it("durations are written in the reader's language", () => {
  expect([
    durationText("en", [1, "year"]),
    durationText("es", [2, "week"]),
    durationText("fr", [13, "month"]),
    durationText("de", [90, "day"]),
    durationText("ja", "session"),
  ]).toEqual(["1 year", "2 semanas", "13\u00a0mois", "90 Tage", "ブラウザを閉じるまで"]);
});

it("a language without texts of what a cookie is for has the English ones, marked as such", () => {
  const cart = {
    name: "cart",
    provider: "Shopify",
    purpose: "necessary",
    text: { by: "us", use: "cart", lasts: "session" },
    origin: "known",
    isHidden: false,
  } as const;
  expect(toSpokenCookie("fr", cart)).toMatchObject({ lang: "fr" });
  expect(toSpokenCookie("pl", cart)).toMatchObject({
    use: "Remembers what is in your cart.",
    lang: "en",
    duration: "Do zamknięcia przeglądarki",
  });
});
