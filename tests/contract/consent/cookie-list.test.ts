// The list of cookies: what shoppers read, what the merchant changes in it, and whose it is.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { readCookieList } from "../../../app/domain/cookie-list/cookie-list.ts";
import {
  hideCookie,
  NamedCookie,
  resetCookie,
  saveCookie,
  SavedCookie,
} from "../../../app/domain/cookie-list/edit-cookies.ts";
import { getTenant } from "../../../app/domain/tenants/tenant.ts";
import { OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  await service.database.truncate();
  await service.addTenant(SHOP, { brand_name: "Kestrel", locale: "en" });
  await service.addTenant(OTHER_SHOP, { brand_name: "Other" });
});

const tenant = (shop = SHOP) => getTenant(service.ctx, shop);
const get = (query = "", shop = SHOP) =>
  service.call("GET", `/embed/cookies?shop=${shop}${query}`, { key: null });

/** As a check of the storefront leaves it. */
const found = (vendors: [vendor: string, state: string][], shop = SHOP) =>
  service.database.query(
    `INSERT INTO kv (shop, key, value) VALUES ($1, 'storefront_check', $2)
      ON CONFLICT (shop, key) DO UPDATE SET value = excluded.value`,
    [
      shop,
      JSON.stringify({
        at: "2026-11-20T10:00:00.000Z",
        pages: [],
        scripts: vendors.map(([vendor, state]) => ({ vendor, state })),
        counts: {},
        hasEmbed: true,
      }),
    ],
  );
const list = async (shop = SHOP) => readCookieList(service.ctx, await tenant(shop));
const rowOf = async (name: string, shop = SHOP) =>
  (await list(shop)).cookies.find((cookie) => cookie.name === name);
const save = async (input: Partial<SavedCookie>, shop = SHOP) =>
  saveCookie(
    service.ctx,
    await tenant(shop),
    SavedCookie.parse({
      name: "own",
      provider: "Partner",
      purpose: "marketing",
      use: "Counts.",
      duration: "1 day",
      was: null,
      ...input,
    }),
  );
type SavedCookie = Parameters<typeof saveCookie>[2];
const hide = async (name: string, provider: string, isHidden = true, shop = SHOP) =>
  hideCookie(service.ctx, await tenant(shop), { name, provider, is_hidden: isHidden });
const entries = async () =>
  (await service.database.query<{ n: number }>("SELECT count(*)::int n FROM cookie_entries", []))[0]
    ?.n;

describe("GET /embed/cookies", () => {
  it("lists what the service and the platform keep in tables with captions and headings", async () => {
    const { status, text, headers } = await get();
    expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(text).toContain("<h1>Cookies we use</h1>");
    expect(text.match(/<caption/g)).toHaveLength(3);
    expect(text.match(/<th scope="col"/g)).toHaveLength(12);
    expect(text).toMatch(/<th scope="row"[^>]*><bdi translate="no">_shopify_essential</);
    expect(text).toMatch(/crm_consent.{0,200}<bdi>Kestrel<\/bdi>.{0,300}12 months/);
    expect(text).not.toContain("_fbp");
    // It needs no script of its own.
    expect(text.split("<script").length - 1).toBe(1);
  });

  it("has the vendors of the last check, in every state, and the analytics that the service loads", async () => {
    await found([
      ["Meta", "before_consent"],
      ["Klaviyo", "waits"],
      ["TikTok", "unknown"],
    ]);
    expect((await get()).text).toMatch(/_fbp[^]*__kla_id/);
    expect((await get()).text).not.toContain("_ttp");
    expect((await get()).text).toContain(">_ga<");
    const { config, ...rest } = await tenant();
    const without = { ...rest, config: { ...config, analytics_measurement_id: undefined } };
    const { cookies } = await readCookieList(service.ctx, without);
    expect(cookies.map(({ name }) => name)).not.toContain("_ga");
  });

  it.each([
    ["es", "Cookies que usamos", "Recuerda lo que hay en tu carrito.", "2 semanas"],
    ["fr", "Cookies que nous utilisons", "Retient le contenu de votre panier.", "2\u00a0semaines"],
    ["de", "Cookies, die wir verwenden", "Remembers what is in your cart.", "2 Wochen"],
  ])("speaks %s", async (locale, title, use, duration) => {
    const { text } = await get(`&locale=${locale}`);
    for (const part of [`<html lang="${locale}">`, title, use, duration])
      expect(text).toContain(part);
    expect(text.includes('lang="en"')).toBe(locale === "de");
  });

  it("changes its validator with the list", async () => {
    const etag = (await get()).headers.get("etag") as string;
    const again = () =>
      service.call("GET", `/embed/cookies?shop=${SHOP}`, {
        key: null,
        headers: { "If-None-Match": etag },
      });
    expect((await again()).status).toBe(304);
    await save({});
    expect((await again()).status).toBe(200);
  });
});

describe("a merchant", () => {
  it("adds, changes and deletes a row of their own", async () => {
    await save({ name: "  own\n one ", provider: "", use: "<b>Counts</b>" });
    expect(await rowOf("own one")).toMatchObject({ origin: "own", provider: "" });
    expect((await get()).text).toContain("&#60;b&#62;Counts&#60;/b&#62;");
    await save({ name: "two", was: { name: "own one", provider: "" } });
    expect([await rowOf("own one"), await rowOf("two")]).toMatchObject([undefined, {}]);
    await resetCookie(service.ctx, await tenant(), { name: "two", provider: "Partner" });
    expect([await rowOf("two"), await entries()]).toEqual([undefined, 0]);
  });

  it("sees which vendors have cookies that nobody knows, until a row names them in any case", async () => {
    await found([
      ["Mixpanel", "before_consent"],
      ["Meta", "before_consent"],
    ]);
    expect((await list()).unknownVendors).toEqual(["Mixpanel"]);
    for (const name of ["zwei", "eins"]) await save({ name, provider: "mixpanel" });
    const { unknownVendors, cookies } = await list();
    expect(unknownVendors).toEqual([]);
    // In one order, whatever order they were added in.
    const own = cookies.filter(({ origin }) => origin === "own");
    expect(own.map(({ name }) => name)).toEqual(["eins", "zwei"]);
  });

  it("changes and hides known rows, and no later check takes that back", async () => {
    await found([["Meta", "before_consent"]]);
    const fbp = { name: "_fbp", provider: "Meta" };
    await save({ ...fbp, purpose: "analytics", use: "Our words.", duration: "3 months", was: fbp });
    await hide("_fbc", "Meta");
    const expected = [
      { purpose: "analytics", origin: "known", text: { by: "merchant", use: "Our words." } },
      { isHidden: true },
    ];
    expect([await rowOf("_fbp"), await rowOf("_fbc")]).toMatchObject(expected);
    expect((await get()).text).toContain("Our words.");
    expect((await get()).text).not.toContain("_fbc");
    await found([]);
    expect([await rowOf("_fbp"), await rowOf("_fbc")]).toMatchObject([expected[0], undefined]);
    await found([["Meta", "waits"]]);
    expect([await rowOf("_fbp"), await rowOf("_fbc")]).toMatchObject(expected);
  });

  it("renames a hidden row, and shoppers still do not see it", async () => {
    await save({ name: "one" });
    await hide("one", "Partner");
    await save({ name: "two", was: { name: "one", provider: "Partner" } });
    expect([await rowOf("one"), await rowOf("two")]).toMatchObject([undefined, { isHidden: true }]);
    expect((await get()).text).not.toContain("two");
  });

  const cart = { name: "cart", provider: "Shopify" };
  const changed = (use: string) => ({ purpose: "marketing" as const, use, duration: "1 day" });

  it("gets a conflict when somebody else changed the row meanwhile, and that change stays", async () => {
    await save({ ...cart, use: "First.", was: cart, seen: null });
    for (const seen of [null, changed("Another.")])
      await expect(save({ ...cart, use: "Second.", was: cart, seen })).rejects.toMatchObject({
        code: "conflict",
      });
    expect(await rowOf("cart")).toMatchObject({ text: { use: "First." } });
    await save({ ...cart, use: "Second.", was: cart, seen: changed("First.") });
    // The same once more: its answer was lost.
    await save({ ...cart, use: "Second.", was: cart, seen: changed("First.") });
    expect(await rowOf("cart")).toMatchObject({ text: { use: "Second." } });
    await resetCookie(service.ctx, await tenant(), cart);
    await expect(
      save({ ...cart, use: "Third.", was: cart, seen: changed("Second.") }),
    ).rejects.toMatchObject({ code: "conflict" });
    expect(await entries()).toBe(0);
  });

  it("changes a row in eight tabs at once, and one of them is saved", async () => {
    const saves = await Promise.allSettled(
      Array.from({ length: 8 }, (_, tab) =>
        save({ ...cart, use: `Tab ${tab}.`, was: cart, seen: null }),
      ),
    );
    const refused = saves.filter((one) => one.status === "rejected");
    expect(refused.map(({ reason }) => reason.code)).toEqual(Array(7).fill("conflict"));
  });

  it("undoes a change and shows a hidden row again", async () => {
    const cart = { name: "cart", provider: "Shopify" };
    await save({ ...cart, was: cart });
    await hide("cart", "Shopify");
    await hide("cart", "Shopify", false);
    expect(await rowOf("cart")).toMatchObject({ isHidden: false, text: { by: "merchant" } });
    await resetCookie(service.ctx, await tenant(), cart);
    expect(await rowOf("cart")).toMatchObject({ text: { by: "us", use: "cart" } });
    await hide("cart", "Shopify");
    await hide("cart", "Shopify", false);
    expect(await entries()).toBe(0);
  });

  it("cannot save a row that exists already or is missing, nor rename a known one, and nothing changes", async () => {
    await save({});
    const before = await list();
    await expect(save({})).rejects.toMatchObject({ code: "conflict", fields: { name: "exists" } });
    await expect(
      save({ name: "renamed", was: { name: "cart", provider: "Shopify" } }),
    ).rejects.toMatchObject({ code: "invalid_request" });
    await expect(
      save({ name: "gone", provider: "x", was: { name: "gone", provider: "x" } }),
    ).rejects.toMatchObject({ code: "not_found" });
    await expect(save({ was: { name: "gone", provider: "x" } })).rejects.toMatchObject({
      code: "not_found",
    });
    await expect(hide("gone", "x")).rejects.toMatchObject({ code: "not_found" });
    expect(await list()).toEqual(before);
  });

  it("cannot send a row with an empty name or use, a text that is too long, or a purpose that is not asked about", () => {
    for (const wrong of [
      { name: "" },
      { name: "x".repeat(101) },
      { use: "" },
      { purpose: "sale_of_data" },
      { duration: "x".repeat(61) },
    ])
      expect(
        SavedCookie.safeParse({
          name: "a",
          provider: "",
          purpose: "marketing",
          use: "b",
          duration: "c",
          was: null,
          ...wrong,
        }).success,
      ).toBe(false);
  });

  it("may send a name in any form of Unicode: what the database cannot hold is replaced", () => {
    expect(NamedCookie.parse({ name: "e\u0301", provider: "" }).name).toBe("\u00e9");
    expect(NamedCookie.parse({ name: "a\u0000\ud800b", provider: " " })).toEqual({
      name: "a\ufffd\ufffdb",
      provider: "",
    });
  });

  it("may have 300 rows of their own, and no more", async () => {
    await service.database.query(
      `INSERT INTO cookie_entries (shop, provider, name, purpose, use, duration)
        SELECT $1, 'p', 'n' || i, 'marketing', 'u', 'd' FROM generate_series(1, 300) AS t(i)`,
      [SHOP],
    );
    await expect(save({})).rejects.toMatchObject({ code: "invalid_request" });
    expect((await list()).cookies.length).toBeGreaterThan(300);
  });
});

it("stores never mix: rows, changes and checks are of one store", async () => {
  await found([["Meta", "before_consent"]]);
  await save({ name: "secret_of_one" });
  await hide("cart", "Shopify");
  const other = (await get("", OTHER_SHOP)).text;
  expect(other).not.toMatch(/secret_of_one|_fbp|Kestrel/);
  expect(other).toContain(">cart<");
  await resetCookie(service.ctx, await tenant(OTHER_SHOP), { name: "cart", provider: "Shopify" });
  await expect(hide("secret_of_one", "Partner", true, OTHER_SHOP)).rejects.toMatchObject({
    code: "not_found",
  });
  await save({ name: "secret_of_one", use: "Another." }, OTHER_SHOP);
  expect(await rowOf("secret_of_one")).toMatchObject({ text: { use: "Counts." } });
  expect(await rowOf("cart")).toMatchObject({ isHidden: true });
});
