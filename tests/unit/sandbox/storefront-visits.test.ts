// What a visitor of the sandbox's stores meets on the way to the app: redirects, a password page, and
// an app proxy that passes on little.
import { createHmac } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { CLIENT_SECRET, SHOP, startTestApp, type TestApp } from "../../sandbox/sandbox-fixture.ts";

let world: TestApp;
beforeAll(async () => {
  world = await startTestApp();
  world.sandbox.storefront.install(SHOP);
});
afterAll(() => world.stop());
beforeEach(() => {
  world.received.length = 0;
});

const visit = async (path: string, headers: Record<string, string> = {}) => {
  await fetch(`${world.sandbox.url}/apps/crm${path}`, { headers });
  const { path: target = "", headers: passed = {} } = world.received.at(-1) ?? {};
  return { query: new URL(target, world.appUrl).searchParams, passed };
};
const signedIn = { cookie: `sandbox_visit=${SHOP}/77` };

it("the platform's domain answers 301 to the primary domain, a store with a password 302 to it", async () => {
  const front = () => fetch(`${world.storefront}/`, { redirect: "manual" });
  const open = await front();
  expect([open.status, open.headers.get("location")]).toEqual([301, `/store/${SHOP}`]);
  world.sandbox.storefront.setPassword(SHOP, true);
  const closed = await front();
  expect(closed.status).toBe(302);
  expect(closed.headers.get("location")).toMatch(/\/password$/);
  world.sandbox.storefront.setPassword(SHOP, false);
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
