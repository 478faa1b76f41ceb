// The catalog over MCP in UCP's shapes: public, and data only.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStore, variantOf } from "../../../support/agents/commerce.ts";
import { OTHER_SHOP, SHOP, startService, type Service } from "../../../support/service.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
  for (const shop of [SHOP, OTHER_SHOP]) await openStore(service, shop);
});
afterAll(() => service.stop());

const rpc = (method: string, params: object, shop = SHOP) =>
  service.call("POST", `/mcp?shop=${shop}`, {
    key: null,
    body: { jsonrpc: "2.0", id: 1, method, params },
  });
const ask = async (name: string, args: object | null, shop = SHOP) =>
  (await rpc("tools/call", { name, arguments: args }, shop)).json;
const answerOf = async (name: string, catalog: object, shop = SHOP) =>
  (await ask(name, { catalog }, shop)).result.structuredContent;

const UCP = { version: "2026-08-25", status: "success", payment_handlers: {} };

describe("search_catalog", () => {
  it("returns products with prices in minor units to any caller", async () => {
    const { result } = await ask("search_catalog", { catalog: { query: "camera" } });
    const { ucp, products, pagination } = result.structuredContent;
    expect(ucp).toEqual({
      ...UCP,
      capabilities: { "dev.ucp.shopping.catalog.search": [{ version: "2026-08-25" }] },
    });
    expect(pagination).toEqual({ has_next_page: false });
    expect(products).toHaveLength(1);
    expect(products[0]).toMatchObject({
      title: "Trail Camera",
      description: { plain: "Takes a picture when it detects movement." },
      price_range: {
        min: { amount: 4000, currency: "EUR" },
        max: { amount: 4000, currency: "EUR" },
      },
      categories: [{ value: "Cameras" }],
    });
    expect(products[0].variants[0]).toMatchObject({
      id: expect.stringMatching(/^gid:\/\/shopify\/ProductVariant\/\d+$/),
      title: "Trail Camera",
      sku: "CAM-9",
      price: { amount: 4000, currency: "EUR" },
      availability: { available: true, status: "in_stock" },
    });
    expect(JSON.parse(result.content[0].text)).toEqual(result.structuredContent);
    expect(result.isError).toBe(false);
  });

  it("continues after the page's cursor, and only within the same search", async () => {
    const first = await answerOf("search_catalog", { pagination: { limit: 2 } });
    expect(first.pagination.has_next_page).toBe(true);
    const second = await answerOf("search_catalog", {
      pagination: { limit: 2, cursor: first.pagination.cursor },
    });
    expect(
      [...first.products, ...second.products].map(({ title }: { title: string }) => title).sort(),
    ).toEqual(["Camp Lantern", "Desk Lamp", "Trail Camera"]);
    for (const catalog of [
      { query: "lamp", pagination: { cursor: first.pagination.cursor } },
      { pagination: { cursor: "x" } },
    ])
      expect((await ask("search_catalog", { catalog })).error.code).toBe(-32_602);
    expect(
      (
        await ask(
          "search_catalog",
          { catalog: { pagination: { cursor: first.pagination.cursor } } },
          OTHER_SHOP,
        )
      ).error.code,
    ).toBe(-32_602);
  });

  it("filters by price, category and collection, and names the filters it ignored", async () => {
    const titles = async (filters: object) =>
      (await answerOf("search_catalog", { filters })).products.map(
        ({ title }: { title: string }) => title,
      );
    expect(await titles({ price: { max: 3000 } })).toEqual(["Camp Lantern"]);
    expect((await titles({ price: { min: 3000 } })).sort()).toEqual(["Desk Lamp", "Trail Camera"]);
    expect(await titles({ price: { min: 3000, max: 4000 } })).toEqual(["Trail Camera"]);
    expect(await titles({ categories: ["cameras"] })).toEqual(["Trail Camera"]);
    expect(await titles({ collection: "home" })).toEqual(["Desk Lamp"]);
    expect((await answerOf("search_catalog", { filters: { colour: "red" } })).messages).toEqual([
      expect.objectContaining({ type: "warning", code: "filter_not_supported" }),
    ]);
  });

  it("leaves out what is sold out only where an agent asks for what can be bought", async () => {
    service.sandbox.storefront.putProduct(OTHER_SHOP, {
      title: "Sold Tent",
      variants: [{ sku: "TNT-1", price: "90.00", stock: 0 }],
    });
    const found = async (filters: object) =>
      (await answerOf("search_catalog", { query: "tent", filters }, OTHER_SHOP)).products;
    expect(await found({ available: false })).toMatchObject([{ title: "Sold Tent" }]);
    expect(await found({ available: true })).toEqual([]);
  });

  it("rejects arguments that UCP does not define, and names them", async () => {
    for (const args of [
      { catalog: { query: 7 } },
      { catalog: { pagination: { limit: 0 } } },
      { catalog: { query: "x".repeat(201) } },
      { catalogue: {} },
    ]) {
      const { error } = await ask("search_catalog", args);
      expect(error.code).toBe(-32_602);
      expect(error.message).not.toBe("");
    }
  });
});

describe("null", () => {
  it("for what a tool does not need counts as left out", async () => {
    for (const args of [
      null,
      { meta: null, catalog: null },
      { meta: { "ucp-agent": null, "idempotency-key": null } },
      { catalog: { query: null, filters: null, pagination: { limit: null }, signals: null } },
    ]) {
      const { result } = await ask("search_catalog", args);
      expect([args, result?.structuredContent.ucp.status]).toEqual([args, "success"]);
    }
  });

  it("for what a tool needs is refused with the field's name", async () => {
    for (const [name, args, field] of [
      ["lookup_catalog", { catalog: { ids: null } }, "catalog.ids"],
      ["lookup_catalog", { catalog: { ids: [null] } }, "catalog.ids.0"],
      ["get_product", { catalog: null }, "catalog"],
      ["get_cart", null, "id"],
    ] as const) {
      const { error } = await ask(name, args);
      expect([name, error?.code]).toEqual([name, -32_602]);
      expect(error.message).toContain(`${field}: `);
    }
  });

  it("beside an idempotency key does not lose the key", async () => {
    const red = await variantOf(service, "CAM-9");
    const add = async () =>
      (
        await ask("create_cart", {
          meta: { "ucp-agent": null, "idempotency-key": "one-cart" },
          cart: { line_items: [{ item: { id: red.id }, quantity: 1 }], buyer: null },
        })
      ).result.structuredContent.id;
    expect(await add()).toBe(await add());
  });
});

describe("a merchant's text", () => {
  it("reaches an agent as plain, bounded text, and never in the tool list", async () => {
    const text = `<b>Great</b>\u200b stove<script>alert(1)</script> ${"burns ".repeat(900)}`;
    service.sandbox.storefront.putProduct(OTHER_SHOP, {
      title: "Stove\u202e <img src=x onerror=alert(1)>",
      description: text,
      variants: [{ sku: "STV-1", price: "19.90", stock: 3 }],
    });
    const { products } = await answerOf("search_catalog", { query: "stv-1" }, OTHER_SHOP);
    expect(products[0].title).toBe("Stove");
    expect(products[0].description.plain).toMatch(/^Great stove burns/);
    expect(products[0].description.plain.length).toBeLessThanOrEqual(2_000);
    expect((await rpc("tools/list", {}, OTHER_SHOP)).text).not.toContain("tove");
  });
});

describe("lookup_catalog and get_product", () => {
  it("find products by product id and by variant id or number, and name the missing ones", async () => {
    const [camera, red] = await Promise.all([
      variantOf(service, "CAM-9"),
      variantOf(service, "LAN-R"),
    ]);
    const gone = "gid://shopify/Product/1";
    const { products, messages } = await answerOf("lookup_catalog", {
      ids: [camera.productId, red.id, gone],
    });
    expect(products.map(({ title }: { title: string }) => title)).toEqual([
      "Trail Camera",
      "Camp Lantern",
    ]);
    expect(products[0].variants).toEqual([
      expect.objectContaining({
        id: camera.id,
        inputs: [{ id: camera.productId, match: "featured" }],
      }),
    ]);
    expect(products[1].variants).toEqual([
      expect.objectContaining({
        id: red.id,
        inputs: [{ id: red.id, match: "exact" }],
        availability: { available: false, status: "out_of_stock" },
      }),
    ]);
    expect(messages).toEqual([{ type: "info", code: "not_found", content: gone }]);

    const number = red.id.split("/").pop() ?? "";
    const byNumber = await answerOf("lookup_catalog", { ids: [number] });
    expect(byNumber.products[0].variants).toMatchObject([{ id: red.id, inputs: [{ id: number }] }]);
    expect(byNumber.messages).toBeUndefined();
    expect((await answerOf("get_product", { id: number })).product.variants[0].id).toBe(red.id);

    const { product } = await answerOf("get_product", { id: red.id });
    expect(product.variants.map(({ id }: { id: string }) => id)[0]).toBe(red.id);
    expect(product.variants).toHaveLength(2);
  });

  it("accept at most fifty ids", async () => {
    const ids = Array.from(
      { length: 50 },
      (_, n) =>
        service.sandbox.storefront.putProduct(OTHER_SHOP, {
          title: `Mug ${n}`,
          variants: Array.from({ length: 20 }, (__, m) => ({ title: `Size ${m}` })),
        }).gid,
    );
    expect((await answerOf("lookup_catalog", { ids }, OTHER_SHOP)).products).toHaveLength(50);
    const tooMany = { catalog: { ids: [...ids, "one more"] } };
    expect((await ask("lookup_catalog", tooMany, OTHER_SHOP)).error.code).toBe(-32_602);
  });

  it("answer not_found for a draft, an unknown product and another store's product", async () => {
    const draft = service.sandbox.storefront.putProduct(SHOP, { title: "Secret", status: "DRAFT" });
    const foreign = service.sandbox.storefront.putProduct(OTHER_SHOP, {
      gid: "gid://shopify/Product/99000000001",
      title: "Only there",
    });
    for (const id of [draft.gid, "gid://shopify/Product/1", "drop table", foreign.gid]) {
      const { ucp, messages } = await answerOf("get_product", { id });
      expect([ucp.status, messages[0].code]).toEqual(["error", "not_found"]);
    }
  });
});

it("a store without a storefront offers no catalog tools", async () => {
  const bare = "bare-store.myshopify.com";
  await service.addTenant(bare);
  const { tools } = (await rpc("tools/list", {}, bare)).json.result;
  expect(tools.map(({ name }: { name: string }) => name)).not.toContain("search_catalog");
  expect((await ask("search_catalog", { catalog: {} }, bare)).error.code).toBe(-32_602);
});
