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

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
  app.sandbox.storefront.install(SHOP);
});
afterAll(() => app.stop());
beforeEach(async () => {
  await app.sandbox.storefront.uninstall(SHOP, { silent: true });
  app.sandbox.storefront.install(SHOP);
  app.received.length = 0;
});

const put = (firstName: string) =>
  app.sandbox.storefront.putCustomer(SHOP, { gid: "gid://shopify/Customer/5", firstName }).gid;
const change = (firstName: string) =>
  app.sandbox.storefront.changeCustomer(SHOP, "gid://shopify/Customer/5", { firstName });
const names = () => app.received.map(({ text }) => JSON.parse(text).first_name as string);
const header = (name: string) => app.received.map(({ headers }) => headers[name] as string);

it("one delivery for each subscription, with its own webhook id and the event's id", async () => {
  const { storefront } = app.sandbox;
  storefront.subscribe(SHOP, "app/uninstalled", `${app.appUrl}/by-api`);
  await storefront.sendWebhook(SHOP, "app/uninstalled");
  expect(app.received.map(({ path }) => path).sort()).toEqual([
    "/by-api",
    "/webhooks/app-uninstalled",
  ]);
  expect(new Set(header("x-shopify-event-id")).size).toBe(1);
  expect(new Set(header("x-shopify-webhook-id")).size).toBe(2);
});

it("by default each webhook comes again after the next one, under the same ids", async () => {
  const { storefront } = app.sandbox;
  storefront.settings.lateRepeats = STOREFRONT_DEFAULTS.lateRepeats;
  storefront.subscribe(SHOP, "customers/update", `${app.appUrl}/hook`);
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
  const { storefront } = app.sandbox;
  storefront.subscribe(SHOP, "customers/update", `${app.appUrl}/hook`);
  put("Zero");
  storefront.holdWebhooks(SHOP);
  await change("One");
  await change("Two");
  expect(app.received).toHaveLength(0);
  await storefront.releaseWebhooks(SHOP);
  expect(names()).toEqual(["One", "Two"]);
  const [first = "", second = ""] = header("x-shopify-triggered-at");
  expect(first < second).toBe(true);
  await change("Three");
  expect(names()).toEqual(["One", "Two", "Three"]);
});

it("held webhooks come out of order and more than once, under the same ids and a true signature", async () => {
  const { storefront } = app.sandbox;
  storefront.subscribe(SHOP, "customers/update", `${app.appUrl}/hook`);
  put("Zero");
  const control = (path: string, body: object) =>
    post(`${app.sandbox.url}/_control/webhooks/${path}`, { shop: SHOP, ...body });
  await control("hold", {});
  await change("One");
  await change("Two");
  expect(
    (await control("release", { order: "backwards", copies: 2 })).body.deliveries,
  ).toHaveLength(4);
  expect(names()).toEqual(["Two", "One", "Two", "One"]);
  const ids = header("x-shopify-webhook-id");
  expect([ids[2], ids[3]]).toEqual([ids[0], ids[1]]);
  for (const { text, headers } of app.received)
    expect(headers["x-shopify-hmac-sha256"]).toBe(
      createHmac("sha256", CLIENT_SECRET).update(text).digest("base64"),
    );
});

it("header names come in three spellings, one after the other", async () => {
  const raw: string[] = [];
  const receiver = createServer((request, response) => {
    raw.push(request.rawHeaders.find((name) => /^x-shopify-topic$/i.test(name)) ?? "");
    response.end();
  });
  await new Promise<void>((ready) => receiver.listen(0, "127.0.0.1", ready));
  const uri = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  for (let round = 0; round < 3; round += 1)
    await app.sandbox.storefront.sendWebhook(SHOP, "shop/redact", undefined, { uri });
  expect(raw.toSorted()).toEqual(["X-SHOPIFY-TOPIC", "X-Shopify-Topic", "x-shopify-topic"]);
  receiver.closeAllConnections();
  await new Promise((closed) => receiver.close(closed));
});
