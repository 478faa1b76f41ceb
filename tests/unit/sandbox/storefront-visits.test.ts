// What a visitor of the sandbox's stores meets on the way to the app: redirects, a password page, and
// an app proxy that passes on little.
import { createHmac } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { SCRIPTS_OF_OTHERS } from "../../../app/sandbox/storefront/visitors/scripts-of-others.ts";
import { CLIENT_SECRET, SHOP, startTestApp, type TestApp } from "../../sandbox/sandbox-fixture.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  app.sandbox.storefront.install(SHOP);
});
afterAll(() => app.stop());
beforeEach(() => {
  app.received.length = 0;
});

const visit = async (path: string, headers: Record<string, string> = {}) => {
  await fetch(`${app.sandbox.url}/apps/crm${path}`, { headers });
  const { path: target = "", headers: passed = {} } = app.received.at(-1) ?? {};
  return { query: new URL(target, app.appUrl).searchParams, passed };
};
const signedIn = { cookie: `sandbox_visit=${SHOP}/77` };

it("the platform's domain answers 301 to the primary domain, a store with a password 302 to it", async () => {
  const front = () => fetch(`${app.storefront}/`, { redirect: "manual" });
  const open = await front();
  expect([open.status, open.headers.get("location")]).toEqual([301, `/store/${SHOP}`]);
  app.sandbox.storefront.setPassword(SHOP, true);
  const closed = await front();
  expect(closed.status).toBe(302);
  expect(closed.headers.get("location")).toMatch(/\/password$/);
  app.sandbox.storefront.setPassword(SHOP, false);
});

it("a store with a password, or that refuses programs, does so on every page, as the platform: 302 to /password, or 403, 429 or 430 with a page", async () => {
  const paths = ["/", "/products/mug", "/cart"].map((path) => `${app.storefront}${path}`);
  const pages = [...paths, `${app.sandbox.url}/store/${SHOP}/cart`];
  const answers = async () =>
    Promise.all(
      pages.map(async (url) => {
        const { status, headers } = await fetch(url, { redirect: "manual" });
        return [status, headers.get("content-type") ?? headers.get("location")];
      }),
    );
  const tell = (body: object) =>
    fetch(`${app.sandbox.url}/_control/visitors`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ shop: SHOP, ...body }),
    });
  await tell({ password: true });
  for (const [status, location] of await answers())
    expect([status, location]).toEqual([302, `/storefront/${SHOP}/password`]);
  expect(await (await fetch(`${app.storefront}/password`)).text()).toContain('type="password"');
  for (const status of [403, 429, 430]) {
    await tell({ status });
    for (const answer of await answers())
      expect(answer).toEqual([status, "text/html; charset=utf-8"]);
  }
  expect((await tell({ status: 418 })).status).toBe(400);
  await tell({});
  expect((await answers()).map(([status]) => status)).toEqual([301, 301, 301, 200]);
});

it("a furnished store's pages contain scripts of others, none of which a browser of today loads", async () => {
  app.sandbox.storefront.furnish(SHOP);
  const page = await (await fetch(`${app.sandbox.url}/store/${SHOP}`)).text();
  expect(page).toContain("https://connect.facebook.net/en_US/fbevents.js");
  const others = SCRIPTS_OF_OTHERS.matchAll(/<script[^>]*>/g);
  for (const [tag] of others) expect(tag).toContain("<script nomodule");
});

it("the app proxy passes on neither Authorization nor cookies", async () => {
  const { passed } = await visit("/embed/footer", {
    ...signedIn,
    authorization: "Bearer token",
    "accept-language": "fr",
  });
  expect(passed).not.toHaveProperty("authorization");
  expect(passed).not.toHaveProperty("cookie");
  expect(passed["accept-language"]).toBe("fr");
});

it("the app proxy names the signed-in customer, and nobody where none is signed in", async () => {
  expect((await visit("/x", signedIn)).query.get("logged_in_customer_id")).toBe("77");
  expect((await visit("/x")).query.has("logged_in_customer_id")).toBe(false);
});

it("the app proxy signs the visitor's own parameters too, but takes none of its own names from them", async () => {
  const { query } = await visit("/x?utm_source=mail&logged_in_customer_id=1&shop=evil&signature=0");
  expect(query.getAll("shop")).toEqual([SHOP]);
  expect(query.has("logged_in_customer_id")).toBe(false);
  const signature = query.get("signature");
  query.delete("signature");
  const message = [...query]
    .map(([name, value]) => `${name}=${value}`)
    .sort()
    .join("");
  expect(message).toContain("utm_source=mail");
  expect(signature).toBe(createHmac("sha256", CLIENT_SECRET).update(message).digest("hex"));
});
