// The public catalog: search, collections, paging, sanitised text, and nothing unpublished.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { toPlainText } from "../../../app/domain/commerce/catalog-text.ts";
import { toSearchTerms } from "../../../app/domain/commerce/products.ts";
import { callsOf, newShopper, openStore } from "../../support/agents/commerce.ts";
import { OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
  await openStore(service);
  await openStore(service, OTHER_SHOP);
});
afterAll(() => service.stop());

const get = (query = "", shop = SHOP) =>
  service.call("GET", `/commerce/products?shop=${shop}${query}`, { key: null });
const titles = async (query = "", shop = SHOP) =>
  (await get(query, shop)).json.products.map(({ title }: { title: string }) => title);

describe("GET /commerce/products", () => {
  it("returns prices as decimal strings with currencies to any caller", async () => {
    const answer = await get("&query=lantern");
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({
      products: [
        {
          id: expect.stringMatching(/^gid:\/\/shopify\/Product\/\d+$/),
          handle: "camp-lantern",
          title: "Camp Lantern",
          description: "Light for a night outside.",
          vendor: "Northwood",
          product_type: "Lights",
          tags: ["outdoor", "light"],
          url: `https://${SHOP}/products/camp-lantern`,
          image: null,
          price_range: {
            min: { amount: "25.00", currency: "EUR" },
            max: { amount: "27.50", currency: "EUR" },
          },
          variants: [
            {
              id: expect.stringMatching(/ProductVariant/),
              title: "Green",
              sku: "LAN-G",
              barcode: null,
              price: { amount: "25.00", currency: "EUR" },
              available: true,
            },
            {
              id: expect.stringMatching(/ProductVariant/),
              title: "Red",
              sku: "LAN-R",
              barcode: null,
              price: { amount: "27.50", currency: "EUR" },
              available: false,
            },
          ],
        },
      ],
      page_info: { has_next_page: false, end_cursor: null },
    });
  });

  it("filters by collection, by words, and by both; an unknown collection is empty", async () => {
    expect((await titles("&collection=outdoor")).sort()).toEqual(["Camp Lantern", "Trail Camera"]);
    expect(await titles("&collection=outdoor&query=Camera")).toEqual(["Trail Camera"]);
    expect(await titles("&collection=nowhere")).toEqual([]);
    expect(await titles("&query=%3A%22")).toEqual([]);
  });

  it("pages without gaps, each page by the previous page's cursor", async () => {
    const seen: string[] = [];
    let after = "";
    for (let page = 0; page < 10; page += 1) {
      const { json } = await get(`&first=1${after}`);
      seen.push(...json.products.map(({ handle }: { handle: string }) => handle));
      if (!json.page_info.has_next_page) break;
      after = `&after=${encodeURIComponent(json.page_info.end_cursor)}`;
    }
    expect(seen.sort()).toEqual(["camp-lantern", "desk-lamp", "trail-camera"]);
  });

  it.each(["&first=0", "&first=101", "&first=x", "&collection=a%20b", `&query=${"x".repeat(201)}`])(
    "rejects %s with 400",
    async (query) => {
      expect((await get(query)).json).toMatchObject({
        code: "invalid_request",
        fields: expect.any(Object),
      });
    },
  );

  it("rejects a cursor that is damaged, of another search or of another store", async () => {
    const { end_cursor: cursor } = (await get("&first=1")).json.page_info;
    for (const [query, shop] of [
      [`&after=x${cursor}`, SHOP],
      [`&query=lamp&after=${cursor}`, SHOP],
      [`&after=${cursor}`, OTHER_SHOP],
    ] as const)
      expect((await get(query, shop)).json).toMatchObject({ code: "invalid_cursor" });
  });

  it("shows neither drafts nor unpublished products for any search text", async () => {
    service.sandbox.storefront.putProduct(OTHER_SHOP, { title: "Secret Draft", status: "DRAFT" });
    service.sandbox.storefront.putProduct(OTHER_SHOP, {
      title: "Secret Hidden",
      publishedAt: null,
    });
    for (const query of [
      "&query=secret",
      "&query=status:draft",
      "&query=secret%20OR%20status:draft",
      "&query=-published_status:published",
      "",
    ])
      expect(
        (await titles(query, OTHER_SHOP)).filter((title: string) => title.startsWith("Secret")),
      ).toEqual([]);
  });

  it("removes markup and invisible characters from merchants' texts", async () => {
    service.sandbox.storefront.putProduct(OTHER_SHOP, {
      title: "Odd <b>Thing</b>",
      description:
        "One<script>steal()</script>\u200b&lt;img src=x onerror=alert(1)&gt; two\u202e\u0007",
      tags: ["t<i>ag</i>"],
      image: { url: "javascript:alert(1)", altText: "x" },
    });
    const { json } = await get("&query=odd", OTHER_SHOP);
    expect(json.products[0]).toMatchObject({
      title: "Odd Thing",
      description: "One two",
      tags: ["t ag"],
      image: null,
    });
  });

  it("sends one storefront call for many concurrent requests", async () => {
    const before = callsOf(service, "Products");
    await Promise.all(Array.from({ length: 10 }, () => get("&query=desk")));
    expect(callsOf(service, "Products") - before).toBe(1);
  });

  it("answers 502 when the storefront is down and recovers with the next call", async () => {
    service.sandbox.failNext("storefront", { status: 503 });
    expect((await get("&query=trail")).status).toBe(502);
    expect(await titles("&query=trail")).toEqual(["Trail Camera"]);
  });

  it("answers 502 when the storefront's answer lacks what was asked for", async () => {
    service.sandbox.failNext("storefront", { status: 200, body: { data: {} } });
    const { status, json } = await get("&query=lamp");
    expect([status, json.code]).toEqual([502, "storefront_unavailable"]);
  });

  it("is the catalog of the store that an access token names, unless the request names another", async () => {
    const { token } = await newShopper(service);
    const one = await service.call("GET", "/commerce/products?query=lantern", { key: token });
    expect(one.json.products.map(({ url }: { url: string }) => new URL(url).host)).toEqual([SHOP]);
    const other = await service.call("GET", `/commerce/products?query=lantern&shop=${OTHER_SHOP}`, {
      key: token,
    });
    expect(other.json.products.map(({ url }: { url: string }) => new URL(url).host)).toEqual([
      OTHER_SHOP,
    ]);
  });

  it("requires a registered store", async () => {
    expect((await service.call("GET", "/commerce/products", { key: null })).json.code).toBe(
      "tenant_required",
    );
    expect((await get("", "nobody.myshopify.com")).status).toBe(404);
  });
});

describe("catalog text", () => {
  it.each([
    ["a <!-- b --> c", "a c"],
    ["&lt;b&gt;x&lt;/b&gt;", "x"],
    ["a\u{e0041}\u{fe0f}\u00adb", "ab"],
    ["x < 3 and y > 2", "x < 3 and y > 2"],
    ["<style>p{}</style>t", "t"],
    ["\ud800a", "a"],
    [null, ""],
  ])("%j becomes %j", (text, plain) => {
    expect(toPlainText(text, 100)).toBe(plain);
  });

  it("is truncated between characters, not within one", () => {
    expect(toPlainText("😀😀😀", 2)).toBe("😀😀");
  });

  it("becomes plain search words", () => {
    expect(toSearchTerms(`status:draft OR (vendor:"x") -sale don't`)).toEqual([
      "status",
      "draft",
      "or",
      "vendor",
      "x",
      "sale",
      "don't",
    ]);
  });
});
