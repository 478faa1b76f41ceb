// The app's home inside the store admin in a real browser against the built app: its content, and
// the cost of a page load.
import { createHmac } from "node:crypto";
import { SignJWT } from "jose";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { storeKey } from "../../../app/domain/compliance/subject.ts";
import { startRegistrationWorker } from "../../../app/domain/tenants/storefront/registration-worker.ts";
import type { WorkQueue } from "../../../app/runtime/database/queue/work-queue.ts";
import { callAdminApi } from "../../../app/domain/tenants/storefront/admin-api.ts";
import { storeGrant } from "../../../app/domain/tenants/storefront/access-token.ts";
import { changeTenantRecord, registerTenant } from "../../../app/domain/tenants/tenant-record.ts";
import { findTenant, getTenant } from "../../../app/domain/tenants/tenant.ts";
import { CUSTOMER } from "../../../app/integrations/storefront/documents.ts";
import { useMerchant } from "../../support/browser/merchant.ts";
import { adminUrl, APP, countGrants, startTestApp } from "../../support/browser/screens-server.ts";

const AGENT = { "User-Agent": "Mozilla/5.0 (X11; Linux x86_64) Chrome/153.0.0.0 Safari/537.36" };
const app = useMerchant();
let registrations: WorkQueue;
let shop: string;
let count = 0;

beforeAll(async () => {
  registrations = await startRegistrationWorker(app.ctx);
});
afterAll(async () => {
  await registrations?.stop();
});
beforeEach(() => {
  app.sandbox.clearFaults();
  shop = `demo-store-${(count += 1)}.myshopify.com`;
});

const open = (path?: string) =>
  fetch(path ?? `${app.url}/app`, { headers: AGENT, redirect: "manual" });
const ours = () => [app.url, app.sandbox.url];
/** The settings page of the connection. */
const CONNECTION = "/app/settings/connection";

async function connect(secondsLeft: number, scope?: string): Promise<void> {
  const reply = app.sandbox.storefront.install(shop, scope === undefined ? {} : { scope });
  app.sandbox.storefront.expireAccessTokens(shop, secondsLeft);
  await registerTenant(app.ctx, shop);
  await storeGrant(app.ctx, shop, {
    accessToken: reply.access_token,
    refreshToken: reply.refresh_token ?? null,
    expiresIn: secondsLeft,
    scopes: reply.scope.split(","),
  });
}

test("the first opening exchanges the session token exactly once and shows a valid connection, without errors or third-party requests", async () => {
  app.sandbox.storefront.install(shop, {
    scope: "write_customers,read_products,read_orders,read_customer_merge",
  });
  const { page } = await app.open(CONNECTION, { shop });
  await page.getByText("11 of 11 registered").waitFor();
  await page.getByText("Connected", { exact: true }).waitFor();
  await page.getByText("renewed automatically").waitFor();
  await page.getByText("All granted").waitFor();
  expect(countGrants(app, shop, "token-exchange")).toBe(1);
  expect((await getTenant(app.ctx, shop)).connection.token_state).toBe("valid");

  await page.getByRole("button", { name: "Register again" }).click();
  await page.getByText("Everything was already registered.").waitFor();

  await changeTenantRecord(app.ctx, shop, {
    set: { enabled_channels: ["cms", "web_analytics"] },
  });
  await page.goto(await adminUrl(app, shop, CONNECTION));
  await page.getByText("11 of 11 registered").waitFor();
  expect(await page.getByText("On", { exact: true }).count()).toBe(4);
  await page.goto(await adminUrl(app, shop));
  await page.getByRole("heading", { name: "Setup guide" }).waitFor();
  if (process.env.TAKE_PICTURES) await page.screenshot({ path: "docs/pictures/app-home.png" });
  expect(countGrants(app, shop, "token-exchange")).toBe(1);
});

test("the first opening after an install waits for no call to the store's API", async () => {
  await registrations.stop();
  app.sandbox.storefront.install(shop, {
    scope: "write_customers,read_products,read_orders,read_customer_merge",
  });
  app.sandbox.failNext("storefront", { delayMs: 60_000, match: "graphql" }, Infinity);
  const { page } = await app.open(CONNECTION, { shop });
  await page.getByText("Connected", { exact: true }).waitFor();
  await page.getByText("This app is registering for your store's events.").waitFor();
  app.sandbox.clearFaults();
  registrations = await startRegistrationWorker(app.ctx);
  await page.getByText("Your store sends this app every change").waitFor();
});

test("missing webhooks are listed and registered again from the page", async () => {
  await connect(3_600, "write_customers,read_orders,read_customer_merge");
  const { page } = await app.open(CONNECTION, { shop });
  await page.getByText("0 of 11 registered").waitFor();
  await page.getByText("The app needs more permissions").waitFor();
  await page.getByText("read_products").first().waitFor();
  await page.getByRole("button", { name: "Register again" }).click();
  await page.getByText("Registered again:").waitFor();
  await page.getByText("11 of 11 registered").waitFor();
});

test("a webhook that the platform rejects is shown with its reason, and the others are registered", async () => {
  const reason = "Missing scope for webhook topic: CUSTOMERS_MERGE";
  app.sandbox.storefront.refuseTopic(shop, "customers/merge", reason);
  app.sandbox.storefront.install(shop, {
    scope: "write_customers,read_products,read_orders,read_customer_merge",
  });
  const { page } = await app.open(CONNECTION, { shop });
  await page.getByText("10 of 11 registered").waitFor();
  await page.getByText(`customers/merge: ${reason}`).waitFor();
  await page.getByRole("button", { name: "Register again" }).click();
  await page.getByText("Shopify refused them again.").waitFor();
  await page.goto(await adminUrl(app, shop));
  await page.getByRole("link", { name: /^Review: Some changes in your store/ }).click();
  await page.getByText("10 of 11 registered").waitFor();
});

test.each([
  ["en", "Your store's data was not deleted"],
  ["es", "Los datos de tu tienda no se han eliminado"],
  ["fr", "Les données de votre boutique n'ont pas été supprimées"],
])(
  "a merchant whose store was to be deleted reads that it was kept (%s)",
  async (locale, title) => {
    await connect(3_600);
    const visit = async () => {
      const { page, errors, close } = await app.open("/app", { shop, locale });
      await page.locator("h1").first().waitFor({ state: "attached" });
      const shown = await page.getByText(title).count();
      expect(errors).toEqual([]);
      await close();
      return shown;
    };
    expect(await visit()).toBe(0);
    await app.database.query(
      `INSERT INTO privacy_requests (shop, kind, delivery_id, payload, subject_hmac, state, due_by,
        completed_at) VALUES ('*', 'shop_redact', $1, '{}', $2, 'retained', now() + interval '30 days', now())`,
      [shop, storeKey(app.ctx, shop)],
    );
    expect(await visit()).toBe(1);
  },
);

test.each([
  ["en", "Shopify withholds customer data", "email address, first name, last name"],
  ["es", "La plataforma retiene datos de clientes", "correo electrónico, nombre, apellidos"],
  ["fr", "La plateforme ne transmet pas", "adresse e-mail, prénom, nom de famille"],
])(
  "a merchant reads once and in plain words which customer data is withheld and where it is requested (%s)",
  async (locale, title, names) => {
    await connect(3_600);
    const { storefront } = app.sandbox;
    const { gid } = storefront.putCustomer(shop, { firstName: "Ada", email: "ada@shop.example" });
    const read = () => callAdminApi(app.ctx, shop, { document: CUSTOMER, variables: { id: gid } });
    const visit = async () => {
      const { page, errors, close } = await app.open("/app", { shop, locale });
      await page.locator("h1").first().waitFor({ state: "attached" });
      const shown = await page.getByText(title).count();
      const text = await page.locator("body").innerText();
      expect(errors).toEqual([]);
      await close();
      return { shown, text };
    };
    await read();
    expect((await visit()).shown).toBe(0);
    storefront.withholdData(shop, ["name", "email"]);
    await read();
    const { shown, text } = await visit();
    expect(shown).toBe(1);
    expect(text).toContain(names);
    expect(text).not.toContain("emailAddress");
    expect(text).toContain("Protected customer data");
    storefront.withholdData(shop, []);
    await read();
    expect((await visit()).shown).toBe(0);
  },
);

test("a store with a revoked refresh token and a rejected session token is asked to reconnect, without an error page", async () => {
  await connect(60);
  app.sandbox.storefront.revokeRefreshToken(shop);
  const url = await adminUrl(app, shop);
  app.sandbox.failNext(
    "storefront",
    { status: 400, body: { error: "invalid_request" }, match: "access_token" },
    50,
  );
  const { page, errors, close } = await app.browser.visitAgain(ours());
  const answer = await page.goto(url);
  expect(answer?.status()).toBe(200);
  await page.getByText("The connection to your store has ended").waitFor();
  const reconnect = page.getByRole("link", { name: "Reconnect" }).first();
  expect(await reconnect.getAttribute("href")).toBe(`/auth/install?shop=${shop}`);
  expect(await reconnect.getAttribute("target")).toBe("_top");
  expect(errors).toEqual([]);
  await close();
});

test("a revoked refresh token is replaced when the platform exchanges the session token", async () => {
  await connect(60);
  app.sandbox.storefront.revokeRefreshToken(shop);
  const { page, close } = await app.open(CONNECTION, { shop });
  await page.getByText("Connected", { exact: true }).waitFor();
  expect(countGrants(app, shop, "token-exchange")).toBe(1);
  await close();
});

test("a store that the platform rejects sees the reason and stays unregistered", async () => {
  app.sandbox.storefront.putCustomer(shop, {});
  const { page } = await app.open(CONNECTION, { shop });
  await page.getByText("The app is not connected to your store").waitFor();
  expect(await findTenant(app.ctx, shop)).toBeNull();
});

test("when the platform does not respond, the rest of the page works", async () => {
  await connect(3_600);
  app.sandbox.failNext("storefront", { hang: 8_000, match: "graphql" }, 5);
  const { page } = await app.open(CONNECTION, { shop });
  await page.getByText("Connected", { exact: true }).waitFor();
  await page.getByText("did not answer in time").waitFor();
});

test("a page without a session token fetches one in the browser and reloads", async () => {
  await connect(3_600);
  const { page, foreign, close } = await app.browser.visitAgain(ours());
  const url = new URL(await adminUrl(app, shop, CONNECTION));
  url.searchParams.delete("id_token");
  await page.goto(url.href);
  await page.getByText("Connected", { exact: true }).waitFor();
  expect(foreign).toEqual([]);
  await close();
});

test("a forged, foreign, unsigned or expired session token is rejected without a write or an outgoing request", async () => {
  app.sandbox.storefront.install(shop);
  const now = Math.floor(Date.now() / 1_000);
  const sign = (secret: string, claims: object = {}) =>
    new SignJWT({
      iss: `https://${shop}/admin`,
      dest: `https://${shop}`,
      aud: APP.clientId,
      sub: "1",
      exp: now + 60,
      nbf: now,
      iat: now,
      jti: "1",
      sid: "1",
      ...claims,
    })
      .setProtectedHeader({ alg: "HS256" })
      .sign(new TextEncoder().encode(secret));
  const [head, body] = (await sign(APP.clientSecret)).split(".");
  const unsigned = `${Buffer.from('{"alg":"none"}').toString("base64url")}.${body}.`;
  const tokens = [
    await sign("another-secret-0123456789"),
    await sign(APP.clientSecret, { aud: "another-app" }),
    await sign(APP.clientSecret, { exp: now - 60 }),
    unsigned,
    `${head}.${body}.${createHmac("sha256", "").update(`${head}.${body}`).digest("base64url")}`,
    "not-a-token",
  ];
  const before = app.sandbox.requests("storefront").length;
  for (const token of tokens) {
    const bearer = await fetch(`${app.url}/app.data`, {
      headers: { ...AGENT, Authorization: `Bearer ${token}` },
      redirect: "manual",
    });
    expect(bearer.status).toBe(401);
    expect(bearer.headers.get("x-shopify-retry-invalid-session-request")).toBe("1");
    const page = await open(await adminUrl(app, shop, "/app", { token }));
    expect(page.status).toBe(302);
    expect(page.headers.get("location")).toMatch(/^\/auth\/shopify\/session-token\?/);
  }
  expect(app.sandbox.requests("storefront")).toHaveLength(before);
  expect(await findTenant(app.ctx, shop)).toBeNull();
});

test("during a rotation of the app secret a session token under either secret opens the page", async () => {
  for (const appSecrets of [
    [APP.clientSecret, "retired-secret-0123456789"],
    ["brand-new-secret-0123456789", APP.clientSecret],
  ]) {
    const rotating = await startTestApp({ withScreens: true, appSecrets });
    rotating.sandbox.storefront.install(shop);
    const page = await open(await adminUrl(rotating, shop, "/app/settings/connection"));
    expect(page.status).toBe(200);
    expect(await page.text()).toContain("Connected");
    expect(countGrants(rotating, shop, "token-exchange")).toBe(1);
    await rotating.stop();
  }
});

test("pages may be framed by the shop and the admin only, standalone pages not at all", async () => {
  await connect(3_600);
  const headersOf = async (url: string) => (await open(url)).headers;
  const home = await headersOf(await adminUrl(app, shop));
  expect(home.get("content-security-policy")).toContain(
    `frame-ancestors https://${shop} https://admin.shopify.com;`,
  );
  expect(home.get("referrer-policy")).toBe("strict-origin-when-cross-origin");
  expect(home.get("x-content-type-options")).toBe("nosniff");
  expect(home.get("x-request-id")).toBeTruthy();
  const bounce = await headersOf(
    `${app.url}/auth/shopify/session-token?shop=${shop}&shopify-reload=${encodeURIComponent(`${app.url}/app`)}`,
  );
  expect(bounce.get("content-security-policy")).toContain(
    `frame-ancestors https://${shop} https://admin.shopify.com;`,
  );
  const forged = await headersOf(
    `${app.url}/auth/shopify/session-token?shop=${encodeURIComponent("evil.example; script-src *")}`,
  );
  expect(forged.get("content-security-policy")).toBe(
    "frame-ancestors https://admin.shopify.com; object-src 'none'; base-uri 'none'",
  );
  for (const path of ["/", "/nothing-here"])
    expect((await headersOf(app.url + path)).get("content-security-policy")).toContain(
      "frame-ancestors 'none'",
    );
});

test("App Bridge is the first script of every embedded page, before any stylesheet, and is loaded once", async () => {
  await connect(3_600);
  const tagsOf = (html: string) => html.match(/<(script|link|style|meta)\b[^>]*>/g) ?? [];
  const script = (html: string) => html.match(/<script\b[^>]*app-bridge\.js[^>]*>/g) ?? [];
  for (const path of ["/app", "/app/customers", "/app/settings", "/app/nothing-here"]) {
    const answer = await open(await adminUrl(app, shop, path));
    const html = await answer.text();
    const [charset, key, first] = tagsOf(html);
    expect(charset).toBe('<meta charSet="utf-8"/>');
    expect(key).toBe(`<meta name="shopify-api-key" content="${APP.clientId}"/>`);
    expect(first).toBe(`<script id="app-bridge" src="${app.sandbox.addresses.appBridgeUrl}">`);
    expect(script(html)).toHaveLength(1);
    expect(html.indexOf(first as string)).toBeLessThan(html.indexOf("</head>"));
    expect(answer.headers.get("link")).toBe(
      `<${app.sandbox.addresses.appBridgeUrl}>; rel="preload"; as="script"`,
    );
  }
  const back = encodeURIComponent(`${app.url}/app`);
  for (const path of [
    `/auth/shopify/session-token?shop=${shop}&shopify-reload=${back}`,
    `/auth/shopify/exit-iframe?shop=${shop}&exitIframe=https%3A%2F%2Fadmin.shopify.com%2Fstore`,
  ]) {
    const html = await (await open(app.url + path)).text();
    expect(/<head><meta charset="utf-8">\s*(<script[^>]*>)/.exec(html)?.[1]).toBe(
      `<script data-api-key="${APP.clientId}" src="${app.sandbox.addresses.appBridgeUrl}">`,
    );
    expect(script(html)).toHaveLength(1);
  }
  for (const path of ["/", "/auth/shopify/login", "/nothing-here"]) {
    const html = await (await open(app.url + path)).text();
    expect(html).not.toMatch(/app-bridge\.js|shopify-api-key/);
  }
});

test("what App Bridge puts into the head before the page is read does not disturb the hydration", async () => {
  await connect(3_600);
  const { page, errors, close } = await app.browser.visit(ours());
  await page.addInitScript(() => {
    new MutationObserver((_, observer) => {
      const own = document.querySelector("#app-bridge");
      if (!own) return;
      observer.disconnect();
      own.before(Object.assign(document.createElement("script"), { type: "text/plain" }));
      own.after(document.createElement("style"));
      document.head.prepend(document.createElement("style"));
    }).observe(document, { childList: true, subtree: true });
  });
  await page.goto(await adminUrl(app, shop, CONNECTION));
  const server = await page.evaluate(() => document.querySelector("main, #app-bridge"));
  expect(server).not.toBeNull();
  await page.getByRole("button", { name: "Register again" }).click();
  await page
    .getByText(/registered/)
    .first()
    .waitFor();
  expect(errors).toEqual([]);
  await close();
});

test("a URL outside the admin redirects into it when the store is connected, else to the installation", async () => {
  const locationOf = async (path: string) => (await open(app.url + path)).headers.get("location");
  expect(await locationOf(`/?shop=${shop}&locale=fr`)).toBe(`/app?shop=${shop}&locale=fr`);
  expect(await locationOf(`/app?shop=${shop}`)).toBe(`/auth/install?shop=${shop}`);
  await connect(3_600);
  expect(await locationOf(`/app?shop=${shop}`)).toBe(
    app.ctx.storefront.adminUrl(shop, `/admin/apps/${APP.clientId}`),
  );
  expect(await locationOf("/app")).toBe("/auth/shopify/login");
  expect(await locationOf("/app?shop=evil.example")).toBe("/auth/shopify/login");
});

test("the bounce and exit pages are no open redirects", async () => {
  expect(
    (
      await open(
        `${app.url}/auth/shopify/session-token?shop=${shop}&shopify-reload=https%3A%2F%2Fevil.example`,
      )
    ).status,
  ).toBe(400);
  expect(
    (
      await open(
        `${app.url}/auth/shopify/exit-iframe?shop=${shop}&exitIframe=https%3A%2F%2Fevil.example`,
      )
    ).status,
  ).toBe(400);
});

test("the landing page, the sign-in hint and the 404 page work without console errors", async () => {
  const { page, errors, foreign, close } = await app.browser.visitAgain(ours());
  await page.goto(app.url);
  await page.getByRole("heading", { name: "Customer identity" }).waitFor();
  await page.goto(`${app.url}/auth/shopify/login`);
  await page.getByRole("heading", { name: "Open the app in your store admin" }).waitFor();
  expect(errors).toEqual([]);
  expect((await page.goto(`${app.url}/nothing-here`))?.status()).toBe(404);
  await page.getByRole("heading", { name: "This page does not exist" }).waitFor();
  expect(errors.filter((text) => !text.includes("404"))).toEqual([]);
  expect(foreign).toEqual([]);
  await close();
});

test.each([
  ["es-MX,es;q=0.9", "es", "Identidad de clientes", "Abre la aplicación", "Esta página no existe"],
  ["de,fr-FR;q=0.8", "fr", "Identité client", "Ouvrez l'application", "Cette page n'existe pas"],
  ["de", "en", "Customer identity", "Open the app", "This page does not exist"],
])(
  "the pages outside the store admin are in the language of Accept-Language: %s",
  async (accepted, lang, ...titles) => {
    const paths = ["/", "/auth/shopify/login", "/nothing-here"];
    for (const [at, path] of paths.entries()) {
      const answer = await fetch(app.url + path, { headers: { "Accept-Language": accepted } });
      const page = (await answer.text()).replaceAll("&#x27;", "'");
      expect(page).toContain(`<html lang="${lang}">`);
      expect(page).toMatch(new RegExp(`<title>${titles[at]}`));
      expect(page).toMatch(new RegExp(`<h1>${titles[at]}`));
      expect(answer.headers.get("vary")).toContain("Accept-Language");
    }
  },
);

test("assets are immutable in caches, hidden files and missing assets are 404, a body over 1 MiB is 413", async () => {
  const html = await (await open(`${app.url}/`)).text();
  const asset = /\/assets\/[\w.-]+\.js/.exec(html)?.[0] as string;
  const answer = await fetch(app.url + asset, { headers: { "Accept-Encoding": "br" } });
  expect(answer.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
  expect(answer.headers.get("content-encoding")).toBe("br");
  expect((await fetch(app.url + asset, { method: "HEAD" })).status).toBe(200);
  expect((await open(`${app.url}/assets/gone-12345678.js`)).status).toBe(404);
  expect((await open(`${app.url}/.vite/manifest.json`)).status).toBe(404);
  expect(
    (await fetch(`${app.url}/app`, { method: "HEAD", headers: AGENT, redirect: "manual" })).status,
  ).toBe(302);
  const big = await fetch(`${app.url}/app?index`, {
    method: "POST",
    body: "x".repeat(1024 * 1024 + 1),
    headers: AGENT,
  });
  expect(big.status).toBe(413);
  expect(await big.json()).toMatchObject({ code: "payload_too_large" });
});
