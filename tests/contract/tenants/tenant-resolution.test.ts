// Tenant resolution: the query, else the header, else the Host, else the deployed store, else 400.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { rawRequest } from "../../support/raw-request.ts";
import { ADMIN_KEY, OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";

const DEPLOYED = "deployed-store.myshopify.com";
const HOSTED = "hosted-store.myshopify.com";
let service: Service;

beforeAll(async () => {
  service = await startService({ env: { STOREFRONT_STORE_DOMAIN: DEPLOYED } });
  for (const shop of [SHOP, OTHER_SHOP, DEPLOYED]) await service.addTenant(shop);
  await service.addTenant(HOSTED, { public_hosts: ["account.hosted.example"] });
});
afterAll(() => service.stop());

const AUTHORIZED: [string, string] = ["Authorization", `Bearer ${ADMIN_KEY}`];
const askedFor = async (query: string, headers: [string, string][] = []) =>
  rawRequest(service.url, `/config${query}`, { headers: [AUTHORIZED, ...headers] });

describe("the store of a request", () => {
  const STOREFRONT_HEADER: [string, string] = ["X-Storefront-Shop-Domain", SHOP];
  const PLATFORM_HEADER: [string, string] = ["X-Shopify-Shop-Domain", SHOP];
  const HOST: [string, string] = ["Host", "account.hosted.example"];

  test("is the one in its query, whatever its headers and host are", async () => {
    expect((await askedFor(`?shop=${OTHER_SHOP}`, [STOREFRONT_HEADER, HOST])).json.shop).toBe(
      OTHER_SHOP,
    );
  });

  test.each([
    ["contract", STOREFRONT_HEADER],
    ["platform", PLATFORM_HEADER],
  ])("is else the one in its header, of the %s's family", async (_, header) => {
    expect((await askedFor("", [header, HOST])).json.shop).toBe(SHOP);
  });

  test("is the one of the contract's header when the platform's names another", async () => {
    expect(
      (await askedFor("", [STOREFRONT_HEADER, ["X-Shopify-Shop-Domain", OTHER_SHOP]])).json.shop,
    ).toBe(SHOP);
  });

  test("is else the one that lists the request's host, with or without a port, in any case", async () => {
    for (const host of [
      "account.hosted.example",
      "account.hosted.example:8443",
      "Account.Hosted.Example",
    ])
      expect((await askedFor("", [["Host", host]])).json.shop).toBe(HOSTED);
  });

  test("is else the deployed one", async () => {
    expect((await askedFor("")).json.shop).toBe(DEPLOYED);
    expect((await askedFor("", [["Host", "nobody.example"]])).json.shop).toBe(DEPLOYED);
  });
});

describe("an invalid shop", () => {
  const hostile: [string, string][] = [
    ["two shops", `shop=${SHOP}&shop=${OTHER_SHOP}`],
    ["upper case", `shop=${SHOP.toUpperCase()}`],
    ["SQL", `shop=${encodeURIComponent("x'; DROP TABLE kv;--.myshopify.com")}`],
    ["a path", `shop=${encodeURIComponent("../../etc/passwd")}`],
    ["a path before the domain", `shop=${encodeURIComponent("a/../b.myshopify.com")}`],
    ["another domain after it", `shop=${SHOP}.elsewhere.example`],
    ["a line break after it", `shop=${SHOP}%0A`],
    ["a user before it", `shop=user@${SHOP}`],
    ["letters that look alike", `shop=${encodeURIComponent("tеst-store.myshopify.com")}`],
    ["10 kB", `shop=${"a".repeat(10_000)}.myshopify`],
    ["the name of the platform's own records", "shop=*"],
  ];

  test.each(hostile)("is rejected and resolves to no store: %s", async (_, query) => {
    const answer = await askedFor(`?${query}`);
    expect([answer.status, answer.json.code]).toEqual([400, "invalid_shop"]);
    expect(answer.text).not.toContain("passwd");
  });

  test("is rejected in the header too, also when the header is repeated", async () => {
    for (const headers of [
      [["X-Storefront-Shop-Domain", "x' OR 1=1"]],
      [
        ["X-Shopify-Shop-Domain", SHOP],
        ["X-Shopify-Shop-Domain", OTHER_SHOP],
      ],
    ] as [string, string][][])
      expect((await askedFor("", headers)).json.code).toBe("invalid_shop");
  });

  test("is never registered by an attempt to configure it", async () => {
    const [before] = await service.database.query("SELECT count(*)::int AS n FROM kv");
    for (const [, query] of hostile)
      expect(
        (await service.call("POST", `/config?${query}`, { body: { brand_name: "x" } })).status,
      ).toBe(400);
    expect(await service.database.query("SELECT count(*)::int AS n FROM kv")).toEqual([before]);
  });

  test("written as an array names no shop", async () => {
    expect((await askedFor(`?shop[]=${SHOP}`)).json.shop).toBe(DEPLOYED);
  });

  test("that is well-formed but unknown answers 404", async () => {
    const answer = await askedFor("?shop=unknown-store.myshopify.com");
    expect([answer.status, answer.json.code]).toEqual([404, "unknown_tenant"]);
  });
});

describe("a host", () => {
  test("that one store lists cannot be taken over by another", async () => {
    const answer = await service.call("POST", "/config?shop=a-greedy-store.myshopify.com", {
      body: { public_hosts: ["account.hosted.example"], brand_name: "greedy" },
    });
    expect([answer.status, answer.json.code]).toEqual([409, "conflict"]);
    expect((await askedFor("", [["Host", "account.hosted.example"]])).json.shop).toBe(HOSTED);
    expect((await askedFor("?shop=a-greedy-store.myshopify.com")).status).toBe(404);
  });

  test("may be saved again by its own store", async () => {
    const answer = await service.call("POST", `/config?shop=${HOSTED}`, {
      body: { public_hosts: ["account.hosted.example", "second.hosted.example"] },
    });
    expect(answer.status).toBe(200);
  });
});
