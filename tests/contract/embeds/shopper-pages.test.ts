// The shopper's account and dashboard pages: identical for all shoppers, frameable by the store
// only, and personal only with the storefront's signature.
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import SHOPPER_EN from "../../../app/locales/en/embeds/shopper.json" with { type: "json" };
import SHOPPER_ES from "../../../app/locales/es/embeds/shopper.json" with { type: "json" };
import SHOPPER_FR from "../../../app/locales/fr/embeds/shopper.json" with { type: "json" };
import { SCRIPTS } from "../../../app/generated/embeds/scripts.ts";
import { addToCatalog } from "../../support/storefront/tag-catalog.ts";
import {
  asAgent,
  consent,
  newShopper,
  openStore,
  type Shopper,
} from "../../support/agents/commerce.ts";
import {
  ADMIN_KEY,
  OTHER_SHOP,
  SHOP,
  startService,
  type Answer,
  type Service,
} from "../../support/service.ts";
import { proxied } from "../../support/browser/shopper-pages.ts";
import { signUp } from "../identity/people.ts";

const PAGES = ["account", "dashboard"] as const;
let service: Service;
let shopper: Shopper;
beforeAll(async () => {
  service = await startService({ background: true });
  await openStore(service);
  await openStore(service, OTHER_SHOP);
  await service.call("POST", `/config?shop=${SHOP}`, {
    body: {
      brand_name: `</script><script>alert("1")</script>'&`,
      logo_url: 'https://cdn.example/l.png?"onerror="alert(1)',
      terms_url: "https://store.example/terms",
      support_email: "help@store.example",
      storefront_api_token: "storefront-api-token-0123456789",
    },
  });
});
afterAll(() => service.stop());
beforeEach(async () => {
  shopper = await newShopper(service);
});

const get = (page: string, query = "", headers: Record<string, string> = {}) =>
  service.call("GET", `/embed/${page}?shop=${SHOP}${query}`, { key: null, headers });
const dataOf = ({ text }: Answer) =>
  JSON.parse(
    /<script type="application\/json" id="crm-data">(.*?)<\/script>/s.exec(text)?.[1] ?? "null",
  );
const signed = (page: string, gid: string, secret?: string) =>
  openProxied(
    proxied(service, `/embed/${page}`, gid.slice(gid.lastIndexOf("/") + 1), {
      ...(secret && { secret }),
    }),
  );
const openProxied = ({ pathname, search }: URL) =>
  service.call("GET", pathname + search, { key: null });

describe.each(PAGES)("GET /embed/%s", (page) => {
  it("contains public configuration only, runs only our script, and is framed only by the store", async () => {
    const answer = await get(page);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([
      200,
      "text/html; charset=utf-8",
    ]);
    const policy = answer.headers.get("content-security-policy") ?? "";
    const directive = (name: string) =>
      policy
        .split("; ")
        .find((part) => part.startsWith(`${name} `))
        ?.split(" ")
        .slice(1) ?? [];
    expect([
      directive("default-src"),
      directive("base-uri"),
      directive("script-src").includes("'unsafe-inline'"),
      directive("style-src").every((source) => source.startsWith("'sha256-")),
    ]).toEqual([["'none'"], ["'none'"], false, true]);
    expect(directive("frame-ancestors")).toEqual(expect.arrayContaining([`https://${SHOP}`]));
    expect(
      directive("frame-ancestors").some((source) => source === "*" || source === "https:"),
    ).toBe(false);
    expect([
      answer.headers.get("referrer-policy"),
      answer.headers.get("x-content-type-options"),
      answer.headers.get("set-cookie"),
    ]).toEqual(["same-origin", "nosniff", null]);
    expect(answer.text).not.toMatch(/\son\w+=["']|style="|javascript:/);
    for (const secret of [
      ADMIN_KEY,
      "storefront-api-token",
      "federated_client_secret",
      "jwt",
      "cms-token",
      "analytics-secret",
    ])
      expect([secret, answer.text.includes(secret)]).toEqual([secret, false]);
  });

  it("escapes the store's own texts", async () => {
    const { text } = await get(page);
    expect(text.match(/<script/g)).toHaveLength(2);
    expect(text).not.toContain('alert("1")');
    expect(text).not.toContain('"onerror=');
    expect(text).toContain("&#60;/script&#62;");
  });

  it("is cacheable with an ETag and the same whether or not the reader is signed in", async () => {
    const plain = await get(page);
    const personal = await get(page, "", { Cookie: `__Host-crm_session=${shopper.token}` });
    expect([personal.text, plain.headers.get("cache-control")?.includes("public")]).toEqual([
      plain.text,
      true,
    ]);
    const again = await get(page, "", { "If-None-Match": plain.headers.get("etag") ?? "" });
    expect([again.status, again.text]).toEqual([304, ""]);
    expect((await service.call("HEAD", `/embed/${page}?shop=${SHOP}`, { key: null })).status).toBe(
      200,
    );
  });

  it.each([
    ["es", SHOPPER_ES],
    ["fr", SHOPPER_FR],
    ["xx", SHOPPER_EN],
  ] as const)("is in %s, or in the store's own language", async (locale, words) => {
    const answer = await get(page, `&locale=${locale}`);
    expect(dataOf(answer).words).toEqual(words);
    expect(answer.text).toContain(`<html lang="${locale === "xx" ? "en" : locale}">`);
  });

  it("links back to a path of the store and nowhere else", async () => {
    const href = async (path: string) =>
      /<h1[^>]*>[^<]*<\/h1><p><a href="([^"]*)"/.exec(
        (await get(page, `&return_to=${encodeURIComponent(path)}`)).text,
      )?.[1];
    expect(await href("/pages/club?a=1&b=2")).toBe("https://shop.example/pages/club?a=1&#38;b=2");
    for (const evil of [
      "https://evil.example",
      "//evil.example",
      "/\\evil.example",
      "/.//evil.example",
      "javascript:alert(1)",
      "/a\nb",
    ])
      expect([evil, await href(evil)]).toEqual([evil, undefined]);
  });

  it("of an unknown store, or without one, is an error", async () => {
    const ask = (query: string) => service.call("GET", `/embed/${page}${query}`, { key: null });
    expect((await ask("?shop=nobody.myshopify.com")).json.code).toBe("unknown_tenant");
    expect((await ask("")).json.code).toBe("tenant_required");
    expect((await ask("?shop=evil.example")).json.code).toBe("invalid_shop");
    expect(
      (await service.call("POST", `/embed/${page}?shop=${SHOP}`, { key: null, body: {} })).status,
    ).toBe(405);
  });

  it("without script offers every sign-in method, without a code in the address", async () => {
    const { text } = await get(page);
    const links = [
      ...(/<noscript>(.*?)<\/noscript>/s.exec(text)?.[1]?.matchAll(/href="([^"]*)"/g) ?? []),
    ].map(([, href]) => href);
    expect(links).toHaveLength(3);
    expect(links.some((href) => href?.includes("handoff"))).toBe(false);
  });
});

describe.each(PAGES)("GET /embed/%s through the app proxy", (page) => {
  it("contains the customer's consents and tags and nothing more, and is not cacheable", async () => {
    await consent(service, shopper, { consent_marketing: true });
    await addToCatalog(service, ["Trail club"]);
    await service.call("POST", "/ucp/tags", {
      key: shopper.token,
      body: { add: ["Trail club"], remove: [] },
    });
    const answer = await signed(page, shopper.gid);
    expect([answer.status, answer.headers.get("cache-control")]).toEqual([
      200,
      "private, no-store",
    ]);
    expect(dataOf(answer).customer).toEqual({
      consents: {
        tos: true,
        privacy: true,
        cookie: false,
        marketing: true,
        a2a: false,
        ap2: false,
      },
      tags: [{ slug: "trail_club", name: "Trail club" }],
    });
    expect([answer.text.includes(shopper.email), answer.text.includes(shopper.gid)]).toEqual([
      false,
      false,
    ]);
    expect(dataOf(answer)).toMatchObject({
      proxy: "/apps/crm",
      api: service.url,
      links: {
        account: "/apps/crm/embed/account?locale=en",
        dashboard: "/apps/crm/embed/dashboard?locale=en",
      },
    });
    expect(answer.text).toContain(`src="/apps/crm/embed/${page}.js"`);
  });

  it("shows an unknown customer no data, a signed-out one nothing, and never another store's customer", async () => {
    expect(dataOf(await signed(page, "gid://shopify/Customer/42")).customer).toEqual({
      consents: {},
      tags: [],
    });
    expect(dataOf(await signed(page, "")).customer).toBeNull();
    const theirs = await newShopper(service, OTHER_SHOP);
    await addToCatalog(service, ["Other club"], { shop: OTHER_SHOP });
    await service.call("POST", "/ucp/tags", {
      key: theirs.token,
      body: { add: ["Other club"], remove: [] },
    });
    await service.database.query(
      "UPDATE storefront_users SET storefront_customer_gid = $2, email_verified = true WHERE id = $1",
      [theirs.id, `gid://shopify/Customer/43${theirs.id}`],
    );
    expect(dataOf(await signed(page, `gid://shopify/Customer/43${theirs.id}`)).customer).toEqual({
      consents: {},
      tags: [],
    });
  });

  it("with an invalid or expired signature contains no personal data, and without one is the public page", async () => {
    expect((await signed(page, shopper.gid, "another-app-secret-0123")).json.code).toBe(
      "invalid_signature",
    );
    const old = proxied(service, `/embed/${page}`, "1");
    old.searchParams.set("timestamp", "1700000000");
    expect((await openProxied(old)).status).toBe(401);
    const id = shopper.gid.split("/").at(-1);
    expect(dataOf(await get(page, `&logged_in_customer_id=${id}`)).customer).toBeNull();
  });

  it("accepts no signature at the service's own address, which the storefront's proxy does not use", async () => {
    const { search } = proxied(service, `/embed/${page}`, shopper.gid.split("/").at(-1) as string);
    const answer = await service.call("GET", `/embed/${page}${search}`, { key: null });
    expect([answer.status, answer.json.code]).toEqual([404, "not_found"]);
  });

  it.each(["//evil.example/x", "https://evil.example", "/apps/../..", "/evil/crm"])(
    "ignores a made-up path prefix: %s",
    async (prefix) => {
      const straight = await get(page, `&path_prefix=${encodeURIComponent(prefix)}`);
      expect([straight.status, straight.text.includes("evil")]).toEqual([404, false]);
      const astray = proxied(service, `/embed/${page}`, "");
      astray.searchParams.set("path_prefix", prefix);
      expect((await openProxied(astray)).status).toBe(401);
    },
  );
});

describe("the scripts", () => {
  it.each(PAGES)(
    "of the %s page are one file, the same for every store, and cacheable",
    async (page) => {
      const answer = await service.call("GET", `/embed/${page}.js`, { key: null });
      expect([answer.status, answer.headers.get("content-type"), answer.text]).toEqual([
        200,
        "text/javascript; charset=utf-8",
        SCRIPTS[page],
      ]);
      expect(
        (
          await service.call("GET", `/embed/${page}.js`, {
            key: null,
            headers: { "If-None-Match": answer.headers.get("etag") ?? "" },
          })
        ).status,
      ).toBe(304);
      expect(gzipSync(answer.text).length).toBeLessThanOrEqual(page === "account" ? 6_144 : 10_240);
    },
  );

  it.each(PAGES)(
    "of the %s page use no HTML or code injection API and no lasting token storage",
    (page) => {
      expect(SCRIPTS[page]).not.toMatch(
        /innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|eval\(|new Function|localStorage\\.setItem|createContextualFragment|srcdoc|document\.cookie/,
      );
    },
  );

  it("have the same messages in every language", () => {
    for (const words of [SHOPPER_ES, SHOPPER_FR])
      expect(Object.keys(words)).toEqual(Object.keys(SHOPPER_EN));
    const gaps = (sentence: string) =>
      [...sentence.matchAll(/\{\w+\}/g)].map(([gap]) => gap).sort();
    for (const words of [SHOPPER_ES, SHOPPER_FR])
      for (const [key, text] of Object.entries(SHOPPER_EN))
        expect([key, gaps(words[key as keyof typeof SHOPPER_EN])]).toEqual([key, gaps(text)]);
  });
});

describe("a shopper's own page that reads with a bearer token", () => {
  const orders = (headers: Record<string, string>) =>
    asAgent(service, shopper, "GET", "/commerce/orders", { headers });

  const ownRead = () => ({
    "Sec-Fetch-Site": "same-origin",
    Referer: `${service.url}/embed/dashboard?shop=${SHOP}`,
  });

  it("is treated as the shopper when the browser sends the page's Referer or Origin", async () => {
    expect((await orders(ownRead())).status).toBe(200);
    expect((await orders({ ...ownRead(), "UCP-Agent": "agent/1" })).status).toBe(403);
  });

  it.each<[string, () => Record<string, string>]>([
    ["nothing of a browser", () => ({})],
    ["a program's `Sec-Fetch-Site: same-origin`", () => ({ "Sec-Fetch-Site": "same-origin" })],
    ["another site", () => ({ ...ownRead(), "Sec-Fetch-Site": "cross-site" })],
    ["another host of this site", () => ({ ...ownRead(), "Sec-Fetch-Site": "same-site" })],
    ["an address that was typed", () => ({ ...ownRead(), "Sec-Fetch-Site": "none" })],
    ["a page without Sec-Fetch-Site", () => ({ Referer: ownRead().Referer })],
    ["a page of elsewhere", () => ({ ...ownRead(), Referer: "https://agent.example/chat" })],
    ["no page at all", () => ({ ...ownRead(), Referer: "about:client" })],
    ["an origin of elsewhere", () => ({ ...ownRead(), Origin: "https://agent.example" })],
    ["the origin null", () => ({ ...ownRead(), Origin: "null" })],
  ])("is treated as an agent with %s", async (_, headers) => {
    const answer = await orders(headers());
    expect([answer.status, answer.json.code]).toEqual([403, "agent_consent_required"]);
  });

  it("needs the Origin header, which every browser sends, for a change", async () => {
    const answer = await asAgent(service, shopper, "POST", "/commerce/checkout", {
      headers: ownRead(),
      body: { line_items: [] },
    });
    expect([answer.status, answer.json.code]).toEqual([403, "agent_consent_required"]);
  });

  it("returns from an identity provider to our own pages only", async () => {
    const person = await signUp(service);
    expect(person.token).toBeTruthy();
    for (const page of PAGES) {
      const start = await service.call(
        "GET",
        `/auth/federated/login?shop=${SHOP}&handoff=fragment&return_to=${encodeURIComponent(`/embed/${page}?shop=${SHOP}`)}`,
        { key: null },
      );
      const cookie = start.headers.getSetCookie()[0]?.split(";")[0] ?? "";
      const cancelled = `/auth/federated/callback?state=${new URL(start.headers.get("location") ?? "").searchParams.get("state")}&error=access_denied`;
      expect(
        (
          await service.call("GET", cancelled, { key: null, headers: { Cookie: cookie } })
        ).headers.get("location"),
      ).toBe(`${service.url}/embed/${page}?shop=${SHOP}&error=access_denied`);
    }
  });
});
