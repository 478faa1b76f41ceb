// The sandbox store: the theme's real blocks, and an app proxy that signs like the platform's.
import { createHmac } from "node:crypto";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { signProxyQuery } from "../../../app/sandbox/storefront/app-proxy.ts";
import { startSandbox, type Sandbox } from "../../../app/sandbox/server.ts";

const SHOP = "demo-store.myshopify.com";
const SECRET = "app-secret-0123456789";
let app: Server;
let sandbox: Sandbox;
let received: { request: IncomingMessage; body: string }[] = [];

beforeAll(async () => {
  app = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      received.push({ request, body: Buffer.concat(chunks).toString("utf8") });
      response
        .writeHead(201, { "Content-Type": "application/json", ETag: '"1"', "Set-Cookie": "a=b" })
        .end('{"ok":true}');
    });
  });
  await new Promise<void>((ready) => app.listen(0, "127.0.0.1", ready));
  sandbox = await startSandbox({
    app: {
      url: `http://127.0.0.1:${(app.address() as AddressInfo).port}`,
      clientId: "client",
      clientSecret: SECRET,
    },
  });
  sandbox.storefront.furnish(SHOP);
});
afterAll(async () => {
  await sandbox?.stop();
  app?.closeAllConnections();
  await new Promise((closed) => app?.close(closed));
});

describe("the sandbox store", () => {
  it("shows its products with every block of the theme extension, in the visitor's language", async () => {
    const page = await fetch(`${sandbox.url}/store/${SHOP}?locale=fr`);
    const others = await Promise.all(
      ["account", "privacy"].map(async (name) =>
        (await fetch(`${sandbox.url}/store/${SHOP}/pages/${name}?locale=fr`)).text(),
      ),
    );
    const html = [await page.text(), ...others].join();
    expect(page.headers.get("set-cookie")).toContain(`sandbox_visit=${SHOP}/;`);
    for (const part of [
      "Trail Camera",
      'data-crm-form="newsletter"',
      "/apps/crm/embed/stack-loader.js?locale=fr",
      'data-crm-embed="footer"',
      "Votre compte",
      "Choix et droits de confidentialité",
    ])
      expect(html).toContain(part);
    expect(html).not.toMatch(/\{[{%]|translation missing/);
  });

  it("blocks every request of the page to another origin", async () => {
    const page = await fetch(`${sandbox.url}/store/${SHOP}`);
    expect(page.headers.get("content-security-policy")).toContain(
      `default-src 'self' 'unsafe-inline' data: ${sandbox.appUrl()};`,
    );
  });

  it("serves the extension's assets, and no other files", async () => {
    expect(
      (await fetch(`${sandbox.url}/store/${SHOP}/assets/crm-theme.js`)).headers.get("content-type"),
    ).toContain("javascript");
    for (const name of ["..%2fshopify.extension.toml", "nothing.js"])
      expect((await fetch(`${sandbox.url}/store/${SHOP}/assets/${name}`)).status).toBe(404);
  });

  it("answers 404 for an unknown store", async () => {
    expect((await fetch(`${sandbox.url}/store/nobody.myshopify.com`)).status).toBe(404);
  });

  it("is linked from the overview", async () => {
    expect(await (await fetch(`${sandbox.url}/`)).text()).toContain(`href="/store/${SHOP}"`);
  });
});

describe("its app proxy", () => {
  const visit = async (
    path: string,
    init: { method?: string; headers?: Record<string, string>; body?: string } = {},
  ) => {
    received = [];
    const answer = await fetch(sandbox.url + path, {
      ...init,
      headers: { Cookie: `sandbox_visit=${SHOP}/77; other=1`, ...init.headers },
    });
    return { answer, request: received[0]?.request as IncomingMessage, body: received[0]?.body };
  };

  it("forwards a request below the app's own path, signed with the store, the time and the customer, without cookies and tokens", async () => {
    const { answer, request, body } = await visit("/apps/crm/auth/consent-sync?a=1", {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: "Bearer token" },
      body: '{"x":1}',
    });
    const url = new URL(request.url ?? "", "http://app");
    expect([
      answer.status,
      await answer.text(),
      answer.headers.get("etag"),
      answer.headers.get("set-cookie"),
    ]).toEqual([201, '{"ok":true}', '"1"', null]);
    expect([
      request.method,
      url.pathname,
      body,
      request.headers.cookie,
      request.headers.authorization,
      request.headers["content-type"],
    ]).toEqual([
      "POST",
      "/proxy/auth/consent-sync",
      '{"x":1}',
      undefined,
      undefined,
      "application/json",
    ]);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      a: "1",
      shop: SHOP,
      logged_in_customer_id: "77",
      path_prefix: "/apps/crm",
    });
    expect(Math.abs(Date.now() / 1_000 - Number(url.searchParams.get("timestamp")))).toBeLessThan(
      90,
    );
    const signature = url.searchParams.get("signature");
    url.searchParams.delete("signature");
    expect(signature).toBe(signProxyQuery(url.searchParams, SECRET));
  });

  it("signs the visitor's own parameters too, unencoded and without separators", async () => {
    const { request } = await visit("/apps/crm/embed/footer?b=x%3Dy%26z&a=1&a=2&b=%20");
    const { searchParams } = new URL(request.url ?? "", "http://app");
    const timestamp = searchParams.get("timestamp");
    const text = `a=1,2b=x=y&z, logged_in_customer_id=77path_prefix=/apps/crmshop=${SHOP}timestamp=${timestamp}`;
    expect(searchParams.get("signature")).toBe(
      createHmac("sha256", SECRET).update(text).digest("hex"),
    );
  });

  it("does not let a visitor set the customer", async () => {
    const { request } = await visit(
      "/apps/crm/health?logged_in_customer_id=99&shop=evil.myshopify.com&timestamp=1&signature=00",
    );
    const { searchParams } = new URL(request.url ?? "", "http://app");
    expect([
      searchParams.getAll("logged_in_customer_id"),
      searchParams.getAll("shop"),
      searchParams.getAll("signature").length,
    ]).toEqual([["77"], [SHOP], 1]);
  });
});
