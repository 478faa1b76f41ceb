// What a store's pages hold back: the compact form of the list of vendors, and the merchant's exceptions.
import { describe, expect, it } from "vitest";
import { toHolder } from "../../../../app/domain/vendors/held-addresses.ts";
import { findVendor, KNOWN_VENDORS } from "../../../../app/domain/vendors/known-vendors.ts";
import {
  isBlocked,
  NO_BLOCKING,
  ScriptBlocking,
  toHeldGroups,
} from "../../../../app/domain/vendors/script-blocking.ts";

const setting = (fields: Partial<ScriptBlocking> = {}) => ({
  ...NO_BLOCKING,
  enabled: true,
  ...fields,
});
const heldBy = (fields: Partial<ScriptBlocking> = {}, part?: 1 | 2) => {
  const holder = toHolder(toHeldGroups(setting(fields)), part);
  return (address: string) => holder(new URL(address)) ?? "";
};

describe("the compact form", () => {
  it("says of every known address what the list says of its vendor", () => {
    const held = heldBy();
    for (const vendor of KNOWN_VENDORS)
      for (const at of vendor.at) {
        const address = `https://${at}${at.includes("/") ? "x" : "/x.js"}`;
        const found = findVendor(new URL(address));
        const expected = found && isBlocked(found, setting()) ? found.purposes.join(" ") : "";
        expect([address, held(address)]).toEqual([address, expected]);
        expect(held(address.replace("//", "//sub."))).toBe(expected);
        // A host with a dot at its end is the same host.
        expect(held(address.replace(/(\/\/[^/]+)/, "$1."))).toBe(expected);
      }
  });

  it("holds back nobody else: not the platform, payment, security, or an address that only contains a vendor's", () => {
    const held = heldBy({ block: KNOWN_VENDORS.map(({ name }) => name) });
    for (const address of [
      "https://cdn.shopify.com/extensions/1/klaviyo.com/app.js",
      "https://www.paypal.com/sdk/js",
      "https://js.stripe.com/v3",
      "https://www.google.com/recaptcha/api.js",
      "https://challenges.cloudflare.com/turnstile/v0/api.js",
      "https://store.example/hotjar.com/x.js",
      "https://nothotjar.com/x.js",
      "https://hotjar.com.store.example/x.js",
      "https://hotjarxcom/x.js",
      "https://www.facebook.com/store",
      "about:blank",
      "data:text/javascript,1",
    ])
      expect([address, held(address)]).toEqual([address, ""]);
  });

  it("lets run what follows Google's consent mode, and holds it back where the merchant says so", () => {
    const [gtm, tag] = [
      "https://www.googletagmanager.com/gtm.js?id=GTM-1",
      "https://www.googletagmanager.com/gtag/js?id=G-1",
    ] as const;
    expect([heldBy()(gtm), heldBy()(tag)]).toEqual(["", ""]);
    const onlyTag = heldBy({ block: ["Google tag"] });
    expect([onlyTag(gtm), onlyTag(tag)]).toEqual(["", "analytics marketing"]);
    const onlyManager = heldBy({ block: ["Google Tag Manager"] });
    expect([onlyManager(gtm), onlyManager(tag)]).toEqual(["analytics marketing", ""]);
  });

  it("lets a vendor run that the merchant named, and no other", () => {
    const held = heldBy({ run: ["Meta", "constructor", "A vendor of yesterday"] });
    expect(held("https://connect.facebook.net/x.js")).toBe("");
    expect(held("https://static.hotjar.com/x.js")).toBe("analytics");
  });

  it("holds back a snippet in the page only where its own code loads and sends", () => {
    const held = heldBy({}, 2);
    expect(held("https://dev.visualwebsiteoptimizer.com/")).toBe("analytics");
    expect(held("https://connect.facebook.net/")).toBe("");
  });

  it("is small: every page of the store has it", () => {
    expect(JSON.stringify(toHeldGroups(setting())).length).toBeLessThan(2_500);
  });

  it("is made of addresses without a sign that a pattern could misread", () => {
    for (const { at } of KNOWN_VENDORS)
      for (const address of at) expect(address).toMatch(/^[a-z0-9.-]+(\/[\w./-]*)?$/);
  });
});

it("the setting takes what a merchant may say, and nothing else", () => {
  expect(ScriptBlocking.parse({ enabled: true })).toEqual(setting());
  for (const wrong of [
    {},
    { enabled: "yes" },
    { enabled: true, run: [1] },
    { enabled: true, x: 1 },
  ])
    expect(ScriptBlocking.safeParse(wrong).success).toBe(false);
});
