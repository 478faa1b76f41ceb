// The web pixel: what leaves the browser, when, and how often.
import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { readPixelEvent } from "../../app/domain/events/pixel-event.ts";
import { PIXEL_SCOPES } from "../../app/domain/tenants/storefront/web-pixel/web-pixel.ts";
import { OPTIONAL_SCOPES } from "../../app/sandbox/storefront/scopes.ts";
import { startPixel, type PixelApi } from "../../extensions/web-pixel/src/pixel.ts";
import { EVENT_NAMES, toMessage } from "../../extensions/web-pixel/src/to-message.ts";

const root = resolve(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(resolve(root, file), "utf8");

const PERSONAL = {
  token: "secretToken9",
  email: "ada@shopper.example",
  phone: "+49301234567",
  shippingAddress: { firstName: "Ada", address1: "Am Kanal 1" },
};
const event = (fields: object = {}, checkout: object = {}) => ({
  id: "sh-1b2c3d4e-AAAA",
  name: "checkout_completed",
  clientId: "client-of-the-visitor",
  timestamp: "2026-11-21T10:00:00.000Z",
  context: {
    document: {
      title: "Thanks, Ada",
      location: {
        hostname: "store.example",
        pathname: "/en-ca/checkouts/cn/hWN3xTq9/thank-you",
        search: "?email=ada@shopper.example",
      },
    },
  },
  data: {
    checkout: {
      ...PERSONAL,
      currencyCode: "EUR",
      totalPrice: { amount: 28.5, currencyCode: "EUR" },
      subtotalPrice: { amount: 20, currencyCode: "EUR" },
      order: { id: "9007199254740993", customer: { id: "42", isFirstOrder: true } },
      lineItems: [
        {
          title: "For Ada",
          quantity: 2,
          properties: [{ key: "engraving", value: "Ada" }],
          variant: {
            id: "11",
            sku: "MUG",
            price: { amount: 10 },
            product: { id: "7", title: "Mug" },
          },
        },
      ],
      ...checkout,
    },
  },
  ...fields,
});

describe("the message", () => {
  const ctx = { clock: { now: () => new Date("2026-11-21T10:00:01Z") } } as never;

  it("has the named fields of an event and nothing else, and the service takes it as it is", () => {
    const message = toMessage(event());
    expect(message).toEqual({
      event_type: "checkout.completed",
      timestamp: "2026-11-21T10:00:00.000Z",
      payload: {
        id: "sh-1b2c3d4e-AAAA",
        consent: { analytics: true },
        path: "/en-ca/checkouts/cn/-/thank-you",
        order_id: "9007199254740993",
        currency: "EUR",
        subtotal: 20,
        total: 28.5,
        items: [{ product_id: "7", variant_id: "11", quantity: 2, price: 10 }],
      },
    });
    expect(readPixelEvent(ctx, message)).toMatchObject({ payload: message?.payload });
  });

  it("is one that the service takes, for every event that the pixel subscribes to", () => {
    for (const name of EVENT_NAMES) {
      const message = toMessage(event({ name }));
      expect(readPixelEvent(ctx, message).event_type).toBe(message?.event_type);
    }
  });

  it("leaves out what is not of its kind", () => {
    const hostile = toMessage(
      event(
        { timestamp: "yesterday" },
        {
          currencyCode: "ada@shopper.example",
          totalPrice: { amount: "28.50" },
          order: { id: "gid://shopify/Customer/ada" },
          lineItems: [{ quantity: -1, variant: null }, {}],
        },
      ),
    );
    expect(hostile?.payload).toEqual({
      id: "sh-1b2c3d4e-AAAA",
      consent: { analytics: true },
      path: "/en-ca/checkouts/cn/-/thank-you",
      subtotal: 20,
      items: [{}, {}],
    });
  });

  it("stays below the service's limit with more lines than it names", () => {
    const line = {
      quantity: 99,
      variant: {
        id: "gid://shopify/ProductVariant/9007199254740993",
        price: { amount: 123456.78 },
        product: { id: "gid://shopify/Product/9007199254740993" },
      },
    };
    const text = JSON.stringify(
      toMessage(event({}, { lineItems: Array.from({ length: 500 }, () => line) })),
    );
    expect(text.length).toBeLessThan(8 * 1024);
  });

  it.each([
    ["/account", "account.page_viewed"],
    ["/fr/account/orders/1234", "account.page_viewed"],
    ["/12345/account/profile", "account.page_viewed"],
    ["/checkouts/cn/abc", "checkout.page_viewed"],
    ["/12345/orders/0f9e8d", "checkout.page_viewed"],
    ["/pages/account", undefined],
    ["/products/orders", undefined],
    ["/", undefined],
  ])("of a page view at %s is %s", (pathname, type) => {
    const context = { document: { location: { pathname, hostname: "store.example" } } };
    expect(toMessage(event({ name: "page_viewed", context }))?.event_type).toBe(type);
  });

  it.each([
    ["an event of another kind", event({ name: "product_viewed" })],
    ["an event without an id", event({ id: undefined })],
    ["an id that is a sentence", event({ id: "ada@shopper.example" })],
    ["nothing at all", {}],
  ])("is none for %s", (_, given) => {
    expect(toMessage(given)).toBeNull();
  });
});

describe("the pixel", () => {
  const sent: [url: string, init: RequestInit][] = [];
  const kept = new Map<string, string>();
  beforeEach(() => {
    sent.length = 0;
    kept.clear();
    vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
      sent.push([url, init]);
      return new Response();
    });
  });
  afterEach(() => vi.unstubAllGlobals());

  function start({ isAllowed = true, storage = true } = {}) {
    const subscribers = new Map<string, (event: unknown) => void>();
    let tellConsent: (isAllowed: boolean) => void = () => {};
    const api: PixelApi = {
      settings: { accountID: "key&1", endpoint: "https://service.example/events/ingest?shop=a" },
      init: { customerPrivacy: { analyticsProcessingAllowed: isAllowed } },
      analytics: { subscribe: (name, callback) => subscribers.set(name, callback) },
      customerPrivacy: {
        subscribe(_, callback) {
          tellConsent = (now) => callback({ customerPrivacy: { analyticsProcessingAllowed: now } });
        },
      },
      browser: {
        sessionStorage: {
          async getItem(key) {
            if (!storage) throw new Error("no storage");
            return kept.get(key) ?? null;
          },
          async setItem(key, value) {
            if (!storage) throw new Error("no storage");
            kept.set(key, value);
          },
        },
      },
    };
    startPixel(api);
    const publish = async (given: { name: string }) => {
      subscribers.get(given.name)?.(given);
      for (let turn = 0; turn < 30; turn += 1) await Promise.resolve();
    };
    return { publish, consent: (now: boolean) => tellConsent(now) };
  }

  it("sends an event once in a visit, without a preflight or a cookie, and so that it outlives the page", async () => {
    await start().publish(event());
    await start().publish(event());
    expect(sent).toHaveLength(1);
    const [url, init] = sent[0] as (typeof sent)[number];
    expect(url).toBe("https://service.example/events/ingest?shop=a&key=key%261");
    expect(init).toMatchObject({
      method: "POST",
      mode: "no-cors",
      credentials: "omit",
      keepalive: true,
    });
    expect(init.headers).toBeUndefined();
  });

  it("sends nothing and keeps nothing without consent, and follows a change of it", async () => {
    const { publish, consent } = start({ isAllowed: false });
    await publish(event());
    expect([sent.length, kept.size]).toEqual([0, 0]);
    consent(true);
    await publish(event({ id: "sh-allowed-1" }));
    consent(false);
    await publish(event({ id: "sh-refused-1" }));
    expect(sent.map(([, { body }]) => JSON.parse(body as string).payload.id)).toEqual([
      "sh-allowed-1",
    ]);
  });

  const visits = () => sent.map(([, { body }]) => JSON.parse(body as string).payload.visit);

  it("joins the events of a visit, over all its pages, by a random id that the service takes", async () => {
    await start().publish(event({ id: "sh-page-one-1" }));
    await start().publish(event({ id: "sh-page-two-1" }));
    kept.clear();
    await start().publish(event({ id: "sh-visit-two-1" }));
    const [first, second, other] = visits();
    expect(second).toBe(first);
    expect(other).not.toBe(first);
    const ctx = { clock: { now: () => new Date("2026-11-21T10:00:01Z") } } as never;
    for (const [, { body }] of sent) readPixelEvent(ctx, JSON.parse(body as string));
  });

  it("joins the events of one page where the browser stores nothing", async () => {
    const { publish } = start({ storage: false });
    await publish(event({ id: "sh-no-storage-1" }));
    await publish(event({ id: "sh-no-storage-2" }));
    expect(new Set(visits()).size).toBe(1);
  });

  it("sends no more than forty events in a visit, over all its pages", async () => {
    for (let page = 0; page < 6; page += 1) {
      const { publish } = start();
      for (let one = 0; one < 10; one += 1) await publish(event({ id: `sh-visit-${page}-${one}` }));
    }
    expect(sent).toHaveLength(40);
  });

  it("goes on without the browser's storage and without a network, and throws nothing", async () => {
    const { publish } = start({ storage: false });
    await publish(event());
    vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Failed to fetch")));
    await publish(event({ id: "sh-without-network" }));
    await publish({ name: "checkout_completed" });
    expect(sent).toHaveLength(1);
  });
});

describe("the extension", () => {
  const manifest = read("extensions/web-pixel/shopify.extension.toml");

  it("runs in the strict sandbox, for visitors who allow analytics, with the settings that the service writes", () => {
    expect(manifest).toMatch(/^runtime_context = "strict"$/m);
    expect(manifest).toMatch(
      /^\s+analytics = true\n\s+marketing = false\n\s+preferences = false$/m,
    );
    expect(manifest).toMatch(/^\s+sale_of_data = "disabled"$/m);
    expect([...manifest.matchAll(/settings\.fields\.(\w+)\]/g)].map(([, name]) => name)).toEqual([
      "accountID",
      "endpoint",
    ]);
  });

  it("asks for its scopes on demand only, in both manifests and in the sandbox", () => {
    expect(OPTIONAL_SCOPES).toEqual(expect.arrayContaining([...PIXEL_SCOPES]));
    for (const file of ["shopify.app.toml", "shopify.app.dev.toml"]) {
      const [, scopes] = /^scopes = (.*)$/m.exec(read(file)) ?? [];
      const [, optional] = /^optional_scopes = (.*)$/m.exec(read(file)) ?? [];
      expect(JSON.parse(optional ?? "")).toEqual([...OPTIONAL_SCOPES]);
      for (const scope of PIXEL_SCOPES) expect(scopes).not.toContain(scope);
    }
  });

  it("is a bundle of less than 1,536 bytes, with the vendor's package pinned", () => {
    const file = resolve(root, "app/generated/embeds/web-pixel.js");
    expect(statSync(file).size).toBeLessThan(4_096);
    expect(gzipSync(readFileSync(file), { level: 9 }).length).toBeLessThan(1_536);
    expect(JSON.parse(read("extensions/web-pixel/package.json")).dependencies).toEqual({
      "@shopify/web-pixels-extension": "2.18.0",
    });
  });
});
