// The sandbox delivers webhooks as unkindly as the platform may: twice, late, out of order, with header
// names in any case.
import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { STOREFRONT_DEFAULTS } from "../../../app/sandbox/storefront/state.ts";
import {
  CLIENT_SECRET,
  post,
  SHOP,
  startTestApp,
  type TestApp,
} from "../../sandbox/sandbox-fixture.ts";

let world: TestApp;

beforeAll(async () => {
  world = await startTestApp();
  world.sandbox.storefront.install(SHOP);
});
afterAll(() => world.stop());
beforeEach(async () => {
  await world.sandbox.storefront.uninstall(SHOP, { silent: true });
  world.sandbox.storefront.install(SHOP);
  world.received.length = 0;
});

const put = (firstName: string) =>
  world.sandbox.storefront.putCustomer(SHOP, { gid: "gid://shopify/Customer/5", firstName }).gid;
const change = (firstName: string) =>
  world.sandbox.storefront.changeCustomer(SHOP, "gid://shopify/Customer/5", { firstName });
const names = () => world.received.map(({ text }) => JSON.parse(text).first_name as string);
const header = (name: string) => world.received.map(({ headers }) => headers[name] as string);

it("one delivery for each subscription, with its own webhook id and the event's id", async () => {
  const { storefront } = world.sandbox;
  storefront.subscribe(SHOP, "app/uninstalled", `${world.appUrl}/by-api`);
  await storefront.sendWebhook(SHOP, "app/uninstalled");
  expect(world.received.map(({ path }) => path).sort()).toEqual([
    "/by-api",
    "/webhooks/app-uninstalled",
  ]);
  expect(new Set(header("x-shopify-event-id")).size).toBe(1);
  expect(new Set(header("x-shopify-webhook-id")).size).toBe(2);
});

it("by default each webhook comes again after the next one, under the same ids", async () => {
  const { storefront } = world.sandbox;
  storefront.settings.lateRepeats = STOREFRONT_DEFAULTS.lateRepeats;
  storefront.subscribe(SHOP, "customers/update", `${world.appUrl}/hook`);
  put("Zero");
  await change("One");
  await change("Two");
  await change("Three");
  storefront.settings.lateRepeats = false;
  expect(names()).toEqual(["One", "Two", "One", "Three", "Two"]);
  const ids = header("x-shopify-webhook-id");
  expect(new Set(ids).size).toBe(3);
  expect(ids[2]).toBe(ids[0]);
});

it("held webhooks come late, each as it was at its time", async () => {
  const { storefront } = world.sandbox;
  storefront.subscribe(SHOP, "customers/update", `${world.appUrl}/hook`);
  put("Zero");
  storefront.holdWebhooks(SHOP);
  await change("One");
  await change("Two");
  expect(world.received).toHaveLength(0);
  await storefront.releaseWebhooks(SHOP);
  expect(names()).toEqual(["One", "Two"]);
  const [first = "", second = ""] = header("x-shopify-triggered-at");
  expect(first < second).toBe(true);
  await change("Three");
  expect(names()).toEqual(["One", "Two", "Three"]);
});

it("held webhooks come out of order and more than once, under the same ids and a true signature", async () => {
  const { storefront } = world.sandbox;
  storefront.subscribe(SHOP, "customers/update", `${world.appUrl}/hook`);
  put("Zero");
  const control = (path: string, body: object) =>
    post(`${world.sandbox.url}/_control/webhooks/${path}`, { shop: SHOP, ...body });
  await control("hold", {});
  await change("One");
  await change("Two");
  expect(
    (await control("release", { order: "backwards", copies: 2 })).body.deliveries,
  ).toHaveLength(4);
  expect(names()).toEqual(["Two", "One", "Two", "One"]);
  const ids = header("x-shopify-webhook-id");
  expect([ids[2], ids[3]]).toEqual([ids[0], ids[1]]);
  for (const { text, headers } of world.received)
    expect(headers["x-shopify-hmac-sha256"]).toBe(
      createHmac("sha256", CLIENT_SECRET).update(text).digest("base64"),
    );
});

it("header names come in three spellings, one after the other", async () => {
  const raw: string[] = [];
  const app = createServer((request, response) => {
    raw.push(request.rawHeaders.find((name) => /^x-shopify-topic$/i.test(name)) ?? "");
    response.end();
  });
  await new Promise<void>((ready) => app.listen(0, "127.0.0.1", ready));
  const uri = `http://127.0.0.1:${(app.address() as AddressInfo).port}/`;
  for (let round = 0; round < 3; round += 1)
    await world.sandbox.storefront.sendWebhook(SHOP, "shop/redact", undefined, { uri });
  expect(raw.toSorted()).toEqual(["X-SHOPIFY-TOPIC", "X-Shopify-Topic", "x-shopify-topic"]);
  app.closeAllConnections();
  await new Promise((closed) => app.close(closed));
});
