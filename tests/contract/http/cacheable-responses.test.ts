// Responses that caches keep for everybody: nothing that one caller sends may change what the next
// one gets, from this process or from a shared cache in front. In production, where the guard of
// addresses redacts instead of throwing.
import { gunzipSync } from "node:zlib";
import { request } from "undici";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SECRET_PARAMETERS } from "../../../app/http/address-guard.ts";
import type { ApiRequest } from "../../../app/http/api-request.ts";
import { encodedBody } from "../../../app/http/api-response.ts";
import { loadRoutes } from "../../../app/http/route-table.ts";
import { cacheable } from "../../../app/http/shopper/embed-response.ts";
import { proxied } from "../../support/browser/shopper-pages.ts";
import { OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";

const HOST = "agents.store.example";
let service: Service;
beforeAll(async () => {
  service = await startService({ env: { NODE_ENV: "production" } });
  await service.addTenant(SHOP, {
    brand_name: "Kestrel Outdoor",
    public_hosts: [HOST],
    support_email: "privacy@kestrel.example",
  });
  await service.addTenant(OTHER_SHOP, { brand_name: "Evil Store" });
});
afterAll(() => service.stop());

/** An address of each cacheable route, without `shop`. */
const ADDRESSES: Record<string, string> = {
  "/.well-known/agent-card.json": "/.well-known/agent-card.json",
  "/.well-known/gpc.json": "/.well-known/gpc.json",
  "/.well-known/oauth-authorization-server": "/.well-known/oauth-authorization-server",
  "/.well-known/oauth-authorization-server/:shop": `/.well-known/oauth-authorization-server/${SHOP}`,
  "/.well-known/oauth-protected-resource": "/.well-known/oauth-protected-resource",
  "/.well-known/oauth-protected-resource/:resource": "/.well-known/oauth-protected-resource/mcp",
  "/.well-known/ucp": "/.well-known/ucp",
  "/.well-known/ucp/:version": "/.well-known/ucp/2026-04-08",
  "/embed/account": "/embed/account",
  "/embed/account.js": "/embed/account.js",
  "/embed/compliance": "/embed/compliance",
  "/embed/cookies": "/embed/cookies",
  "/embed/dashboard": "/embed/dashboard",
  "/embed/dashboard.js": "/embed/dashboard.js",
  "/embed/footer": "/embed/footer",
  "/embed/stack-bridge.js": "/embed/stack-bridge.js",
  "/embed/stack-loader.js": "/embed/stack-loader.js",
  "/openapi.json": "/openapi.json",
};

type Sent = {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
  text: string;
};

/** Headers that differ between two responses to the same request. */
const OF_ONE_RESPONSE = new Set(["date", "x-request-id", "connection", "keep-alive"]);

async function get(address: string, headers: Record<string, string> = {}): Promise<Sent> {
  const answer = await request(service.url + address, { headers });
  const bytes = Buffer.from(await answer.body.arrayBuffer());
  return {
    status: answer.statusCode,
    headers: Object.fromEntries(
      Object.entries(answer.headers).filter(([name]) => !OF_ONE_RESPONSE.has(name)),
    ),
    body: bytes.toString("base64"),
    text: (answer.headers["content-encoding"] === "gzip" ? gunzipSync(bytes) : bytes).toString(),
  };
}

const ENCODINGS = ["gzip", "identity"] as const;
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const SESSION_TOKEN = `${encoded({ alg: "HS256", typ: "JWT", kid: `${OTHER_SHOP}/00000000` })}.${encoded({ sub: "1", email: "", name: "", provider: "email", iat: 1, exp: 9 })}.AAAA`;
const AGENT_TOKEN = `agt_${Buffer.from(OTHER_SHOP).toString("base64url")}.${"A".repeat(43)}`;
const ACCOUNT_TOKEN = `${encoded({ alg: "HS256", typ: "JWT" })}.${encoded({ dest: OTHER_SHOP, aud: "test-client-id", sub: "gid://shopify/Customer/1", exp: 9_999_999_999, nbf: 1, iat: 1 })}.AAAA`;

const HOSTILE_HEADERS: Record<string, string>[] = [
  ...[SESSION_TOKEN, AGENT_TOKEN, ACCOUNT_TOKEN].map((token) => ({
    Authorization: `Bearer ${token}`,
  })),
  { Cookie: `__Host-crm_session=${SESSION_TOKEN}` },
  { "X-Storefront-Shop-Domain": OTHER_SHOP },
  { "X-Shopify-Shop-Domain": OTHER_SHOP },
  { "X-Storefront-Shop-Domain": "evil.example" },
  { "X-Forwarded-Host": "evil.example" },
  { "X-Forwarded-Proto": "gopher", "X-Forwarded-Port": "6666" },
  { Forwarded: "host=evil.example;proto=gopher" },
  { "X-Original-URL": "/embed/account?shop=x", "X-Rewrite-URL": "/embed/account" },
  { "X-HTTP-Method-Override": "DELETE" },
  { Origin: "https://evil.example" },
  {
    "Accept-Language": "fr",
    "Sec-GPC": "1",
    "User-Agent": "evil",
    Referer: "https://evil.example",
  },
  { "UCP-Agent": 'profile="https://evil.example"' },
];

/** Pieces of a text that a reader needs, as values of a parameter. */
function piecesOf(text: string): string[] {
  const words = text.match(/[A-Za-z_]{16,60}/g) ?? [];
  const script = text.indexOf("<script>");
  const middle = Math.floor(text.length / 2);
  return [
    ...new Set([
      ...[words[0], words.at(-1)].filter((word) => word !== undefined),
      text.slice(0, 24),
      text.slice(middle, middle + 24),
      ...(script >= 0 ? [text.slice(script + 8, script + 32)] : []),
    ]),
  ];
}

function hostileQueries(text: string): string[] {
  const pieces = piecesOf(text);
  return [
    ...[...SECRET_PARAMETERS.filter((name) => name !== "signature"), "key"].flatMap((name) =>
      pieces.map((piece) => `${name}=${encodeURIComponent(piece)}`),
    ),
    `logged_in_customer_id=1&timestamp=1&return_path=${encodeURIComponent("//evil.example")}`,
    `error=access_denied&utm_source=${encodeURIComponent(pieces[0] as string)}`,
    `version=2020-01-01&resource=evil&callback=alert`,
  ];
}

describe("the cacheable routes", () => {
  it("are those of this table, and no other public route answers what a shared cache keeps", async () => {
    const { all } = await loadRoutes();
    const declared = all.filter(({ endpoint }) => endpoint.specs.GET?.isCacheable);
    expect(declared.map(({ path }) => path).sort()).toEqual(Object.keys(ADDRESSES).sort());
    for (const { path } of all) {
      const address = (ADDRESSES[path] ?? path).replaceAll(/:\w+/g, "1");
      const { headers } = await get(`${address}?shop=${SHOP}`);
      const isPublic = /\b(?:public|s-maxage|max-age=[1-9])/.test(
        [headers["cache-control"]].flat().join(", "),
      );
      expect([path, isPublic]).toEqual([path, path in ADDRESSES]);
    }
  });

  it("set no cookie, and name in Vary every request header that may change them", async () => {
    for (const address of Object.values(ADDRESSES)) {
      const { headers } = await get(`${address}?shop=${SHOP}`);
      expect([address, headers["set-cookie"]]).toEqual([address, undefined]);
      expect([headers.vary].flat().join(", ")).toMatch(
        /Origin.*X-Storefront-Shop-Domain.*X-Shopify-Shop-Domain/,
      );
    }
  });
});

/**
 * A hostile response is the clean one, or one that no cache keeps: caches differ in what they take
 * as the key, so that the same must hold for a key of host, path and `shop` alone.
 */
function expectHarmless(sent: Sent, clean: Sent, by: string): void {
  if (sent.headers["cache-control"] === "private, no-store" || sent.status >= 400) {
    expect([by, sent.headers["cache-control"]]).toEqual([
      by,
      expect.stringMatching(/^(?:private, )?no-store$/),
    ]);
    return;
  }
  expect([by, sent]).toEqual([by, clean]);
}

describe.each(Object.values(ADDRESSES))("%s", (address) => {
  it.each(ENCODINGS)(
    "has the same bytes and headers for everybody after any hostile query (%s)",
    async (encoding) => {
      const url = `${address}?shop=${SHOP}`;
      const headers = { "Accept-Encoding": encoding };
      const { status, text } = await get(url, { "Accept-Encoding": "identity" });
      expect(status).toBe(200);
      const queries = hostileQueries(text);
      // Before anybody has asked for it in this encoding: nothing is kept yet.
      for (const query of queries) await get(`${url}&${query}`, headers);
      const clean = await get(url, headers);
      expect(clean.text).toBe(text);
      for (const query of queries)
        expectHarmless(await get(`${url}&${query}`, headers), clean, query);
      expect(await get(url, headers)).toEqual(clean);
    },
  );

  it.each(ENCODINGS)(
    "has the same bytes and headers for everybody after any hostile header (%s)",
    async (encoding) => {
      for (const [url, host] of [
        [`${address}?shop=${SHOP}`, null],
        [address, HOST],
      ] as const) {
        const headers = { "Accept-Encoding": encoding, ...(host && { host }) };
        const clean = await get(url, headers);
        expect(clean.status).toBe(200);
        expect(clean.headers["cache-control"]).toMatch(/^public/);
        for (const hostile of HOSTILE_HEADERS) {
          const by = `${host} ${JSON.stringify(hostile)}`;
          expectHarmless(await get(url, { ...headers, ...hostile }), clean, by);
        }
        expect(await get(url, headers)).toEqual(clean);
      }
    },
  );

  it("has the same bytes for every spelling of its host, with any port", async () => {
    const headers = { "Accept-Encoding": "identity" };
    const clean = await get(address, { ...headers, host: HOST });
    for (const host of [`${HOST}:6666`, `${HOST}:443`, `${HOST}.`, HOST.toUpperCase()])
      expect([host, await get(address, { ...headers, host })]).toEqual([host, clean]);
  });
});

describe("through the storefront's app proxy", () => {
  it.each(["footer", "compliance", "cookies", "stack-loader.js"])(
    "%s leaves the bytes of a direct request as they are",
    async (page) => {
      const headers = { "Accept-Encoding": "gzip" };
      const url = `/embed/${page}?shop=${SHOP}`;
      const clean = await get(url, headers);
      const signed = proxied(service, `/embed/${page}`, "");
      const first = await get(signed.pathname + signed.search, headers);
      expect(first.status).toBe(200);
      expect(first.text).not.toContain(signed.searchParams.get("signature"));
      expect(await get(url, headers)).toEqual(clean);
      // A visitor's own parameter is signed with the others, and refused.
      const added = await get(`${signed.pathname}${signed.search}&key=analytics_storage`, headers);
      expect([added.status, added.headers["cache-control"]]).toEqual([401, "no-store"]);
    },
  );
});

describe("a page that repeats an address with a secret", () => {
  const SECRET = "0123456789abcdef0123456789abcdef";

  it.each(["account", "dashboard"])(
    "is redacted and kept by no cache, with no validator: %s",
    async (page) => {
      const url = `/embed/${page}?shop=${SHOP}`;
      for (const encoding of ENCODINGS) {
        const headers = { "Accept-Encoding": encoding };
        const clean = await get(url, headers);
        const returnTo = encodeURIComponent(`/pages/club?hmac=${SECRET}`);
        const echoed = await get(`${url}&return_to=${returnTo}`, headers);
        expect([echoed.status, echoed.text.includes(SECRET)]).toEqual([200, false]);
        expect(echoed.text).toContain("hmac=redacted");
        expect([echoed.headers["cache-control"], echoed.headers.etag]).toEqual([
          "private, no-store",
          undefined,
        ]);
        expect(await get(url, headers)).toEqual(clean);
      }
    },
  );
});

describe("a compressed body", () => {
  it("is kept for the text that was compressed, never for another one", () => {
    const reader = {
      url: new URL("http://internal/embed/footer"),
      header: (name: string) => (name === "accept-encoding" ? "gzip" : undefined),
    };
    const make = () => cacheable(reader as ApiRequest, "text/plain", "the text of everybody");
    make().encode?.("an altered text");
    expect(gunzipSync(encodedBody(make()) as Buffer).toString()).toBe("the text of everybody");
    make().encode?.("an altered text");
    expect(gunzipSync(encodedBody(make()) as Buffer).toString()).toBe("the text of everybody");
  });
});
