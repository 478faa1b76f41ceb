// One secret signs proxied requests (hex), launches (hex) and webhook bodies (base64), and visitors
// control a part of each text: a text signed for one use must not be accepted for another.
import { createHmac } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { APP_SECRET, OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";
import { beginInstall, openCallback } from "../../support/storefront/storefront.ts";

const NOW = String(Math.floor(Date.now() / 1_000));
const HOST = Buffer.from("admin.shopify.com/store/test-store").toString("base64url");
type Pairs = [name: string, value: string][];

let service: Service;
let state: string;
let cookie: string;
let codes: number;
beforeAll(async () => {
  service = await startService();
  await service.addTenant(SHOP);
  await service.addTenant(OTHER_SHOP);
});
afterAll(() => service.stop());
beforeEach(async () => {
  const begun = await beginInstall(service);
  ({ cookie } = begun);
  state = begun.callback.searchParams.get("state") as string;
  codes = exchanges();
});

const digest = (text: string, encoding: "hex" | "base64") =>
  createHmac("sha256", APP_SECRET).update(text).digest(encoding);
const exchanges = () =>
  service.sandbox.requests("storefront").filter(({ path }) => path.includes("access_token")).length;

const PLATFORM: Pairs = [
  ["logged_in_customer_id", ""],
  ["path_prefix", "/apps/crm"],
  ["shop", SHOP],
  ["timestamp", NOW],
];
/** The text that the proxy signs for a visitor who adds these parameters. */
const proxyText = (visitor: Pairs) =>
  [...PLATFORM, ...visitor]
    .map(([name, value]) => `${name}=${value}`)
    .sort()
    .join("");
/** The text that the admin signs for a launch with a chosen address. */
const launchText = (pairs: Pairs) =>
  pairs
    .map(([name, value]) => `${name}=${value}`)
    .sort()
    .join("&");

async function refusedAsLaunch(text: string): Promise<void> {
  // The text split at each `&` and the first `=`.
  const query = new URLSearchParams(
    text.split("&").map((pair) => {
      const at = pair.indexOf("=");
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
  query.set("hmac", digest(text, "hex"));
  const answer = await openCallback(
    service,
    new URL(`/auth/callback?${query}`, service.url),
    cookie,
  );
  // A query with the proxy's own parameter answers 404 before any check.
  const refusal = query.has("path_prefix") ? [404, "not_found"] : [400, "invalid_install"];
  expect([text, answer.status, answer.json?.code]).toEqual([text, ...refusal]);
  expect(exchanges()).toBe(codes);
}

async function refusedAsProxied(text: string, pairs: Pairs): Promise<void> {
  const query = new URLSearchParams([...pairs, ["signature", digest(text, "hex")]]);
  const answer = await service.call("POST", `/proxy/auth/consent-sync?${query}`, {
    key: null,
    body: { method: "banner", consent_marketing: true },
  });
  expect([text, answer.status, answer.json.code]).toEqual([text, 401, "invalid_signature"]);
}

async function refusedAsBody(text: string): Promise<void> {
  for (const path of ["/webhooks/customer-update", "/gdpr/shop-redact", "/events/ingest"]) {
    const answer = await service.call("POST", path, {
      key: null,
      body: text,
      headers: {
        "X-Shopify-Hmac-Sha256": digest(text, "base64"),
        "X-Shopify-Shop-Domain": SHOP,
        "X-Shopify-Topic": "customers/update",
      },
    });
    expect([text, answer.status, answer.json.code]).toEqual([text, 401, "invalid_signature"]);
  }
}

describe("a text that the proxy signed for a visitor", () => {
  it("completes no install", async () => {
    const wanted = `abc&host=${HOST}&shop=${SHOP}&state=${state}&timestamp=${NOW}`;
    await refusedAsLaunch(proxyText([["code", `${wanted}&z=`]]));
    await refusedAsLaunch(proxyText([["code", `${wanted}&`]]));
    await refusedAsLaunch(proxyText([["code", `abc&host=`]]));
    await refusedAsLaunch(
      proxyText([
        ["code", "abc&"],
        ["m", `&host=${HOST}&`],
        ["q", "&"],
        ["shoo", "&"],
        ["state", `${state}&`],
      ]),
    );
  });

  it("is rejected as a webhook signature", async () => {
    await refusedAsBody(
      proxyText([
        [` {"shop_domain":"${SHOP}","x":"`, ""],
        ["z", '"}'],
      ]),
    );
    await refusedAsBody(proxyText([['{"x":"', '"}']]));
  });
});

describe("a text that the admin signed for a launch", () => {
  it("identifies no customer", async () => {
    const victim: Pairs = [
      ["logged_in_customer_id", "77"],
      ["path_prefix", "/apps/crm"],
      ["shop", SHOP],
      ["timestamp", NOW],
    ];
    await refusedAsProxied(launchText(victim), victim);
    await refusedAsProxied(
      launchText(victim),
      victim.map(([name, value], index) => [name, index < 3 ? `${value}&` : value]),
    );
    await refusedAsProxied(launchText(victim), [["logged_in_customer_id", launchText(victim)]]);
  });

  it("is rejected as a webhook signature", () =>
    refusedAsBody(launchText([[` {"shop_domain":"${SHOP}","x":"`, '"}'], ...PLATFORM])));
});

describe("a text that the platform signed as a webhook", () => {
  it("identifies no customer and completes no install", async () => {
    const note = `=1&code=abc&host=${HOST}&shop=${SHOP}&state=${state}&timestamp=${NOW}&z=`;
    await refusedAsLaunch(`{"note":"${note}"}`);
    const text = `{"note":"${proxyText([])}"}`;
    await refusedAsProxied(text, PLATFORM);
    await refusedAsProxied(text, [['{"note":"logged_in_customer_id', ""], ...PLATFORM.slice(1)]);
  });
});

describe("a callback that the platform signed", () => {
  it("completes the install, also with a parameter unknown today", async () => {
    const { callback, cookie: kept } = await beginInstall(service);
    callback.searchParams.delete("hmac");
    callback.searchParams.set("locale", "en");
    callback.searchParams.set("host", `${HOST}==`);
    callback.searchParams.set("hmac", digest(launchText([...callback.searchParams]), "hex"));
    expect((await openCallback(service, callback, kept)).status).toBe(302);
  });
});
