// Probes check address and credentials and change nothing.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { testConnection } from "../../app/domain/merchant/connection-tests.ts";
import { channels } from "../../app/domain/channels/index.ts";
import { getTenant } from "../../app/domain/tenants/tenant.ts";
import type { SystemName } from "../../app/sandbox/faults.ts";
import { startChannelApp, type ChannelApp } from "../support/bus/channels.ts";
import { OTHER_SHOP, SHOP } from "../support/service.ts";
import { connectStore } from "../support/storefront/storefront.ts";

const PROBED = ["cms", "web_analytics", "erpsys", "erp_generic", "archive"];
/** Channels without a harmless call. */
const UNPROBED = [
  "storefront",
  "flow",
  "profile_platform",
  "email",
  "retail_analytics_a",
  "retail_analytics_b",
  "backend",
];
const WIRED: [name: string, system: SystemName][] = [
  ["cms", "cms"],
  ["web_analytics", "analytics"],
  ["erpsys", "erp"],
  ["erp_generic", "erp"],
];

let app: ChannelApp;
beforeAll(async () => {
  app = await startChannelApp();
});
afterAll(() => app.stop());
beforeEach(() => app.reset());

const probe = async (name: string, shop = SHOP) =>
  channels
    .find((channel) => channel.name === name)
    ?.probe?.(app.service.ctx, await getTenant(app.service.ctx, shop));

test("every channel has a probe or is listed as one without a harmless call", () => {
  expect(
    channels
      .filter((channel) => channel.probe)
      .map(({ name }) => name)
      .sort(),
  ).toEqual([...PROBED].sort());
  expect(
    channels
      .filter((channel) => !channel.probe)
      .map(({ name }) => name)
      .sort(),
  ).toEqual([...UNPROBED].sort());
});

test.each(PROBED)("%s answers and leaves nothing behind", async (name) => {
  const { sandbox, objects } = app.service;
  const held = async () =>
    JSON.stringify([
      sandbox.cms.items(),
      sandbox.analytics.hits(),
      sandbox.erp.documents(),
      await objects.list(""),
    ]);
  const before = await held();
  expect(await probe(name)).toEqual({ httpStatus: name === "archive" ? null : 200 });
  expect(await held()).toBe(before);
});

test.each(WIRED)("%s reports a rejection and an outage", async (name, system) => {
  app.service.sandbox.failNext(system, { status: 401 });
  await expect(probe(name)).rejects.toMatchObject({ name: "OutboundError", status: 401 });
  app.service.sandbox.failNext(system, { reset: true });
  await expect(probe(name)).rejects.toMatchObject({ name: "OutboundError", kind: "network" });
});

test.each(WIRED)(
  "%s that answers with half a document has failed, with that reason",
  async (name, system) => {
    const before = await testConnection(app.service.ctx, SHOP, name);
    expect(before).toMatchObject({ ok: true, failure: null });
    app.service.sandbox.failNext(system, { garbage: true });
    expect(await testConnection(app.service.ctx, SHOP, name)).toMatchObject({
      ok: false,
      failure: { kind: "unreadable", about: null, http_status: null },
    });
  },
);

test.each([
  [true, "application/json", '{"d":{"EntitySets":[]}}'],
  [false, "application/json", '{"d":{"EntitySets":['],
  [false, "text/plain", '{"d":{"EntitySets":['],
  [
    true,
    "application/xml",
    '<?xml version="1.0"?>\n<app:service xmlns:app="a"><app:x/></app:service >\n',
  ],
  [true, "application/json", '\uFEFF{"d":{"EntitySets":[]}}'],
  [false, "application/json", '\uFEFF{"d":{"EntitySets":['],
  [true, "application/xml", "\uFEFF<service><workspace/></service>"],
  [true, "application/xml", "<service></service><!-- made by <b>the gateway</b> -->\n"],
  [true, "application/xml", "<!-- <old> --><service><workspace/></service>"],
  [true, "application/xml", "<!-- <old> --><service/><!-- -->"],
  [false, "application/xml", "<!-- <old> --><service><workspace/><!-- </service>"],
  [false, "application/xml", "<service><workspace/><!-- </service> -->"],
  [true, "application/atomsvc+xml", "<service/>"],
  [false, "application/xml", '<?xml version="1.0"?>\n<app:service xmlns:app="a"><app:x/>'],
  [false, "application/xml", '<?xml version="1.0"?>'],
  [false, "application/xml", "<service><workspace></serv"],
  [true, "text/plain", "up"],
  [false, "text/html", "<!DOCTYPE html><html><body>Sign in</body></html>"],
  [true, "application/json", ""],
])("that the ERP works is %s when its answer is %s %j", async (ok, type, body) => {
  const server = createServer((_, response) =>
    response.setHeader("Content-Type", type).end(body),
  ).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await app.service.call("POST", `/config?shop=${OTHER_SHOP}`, {
    body: { erp_base_url: `http://127.0.0.1:${port}/odata` },
  });
  const { failure } = await testConnection(app.service.ctx, OTHER_SHOP, "erpsys");
  server.close();
  expect(failure).toEqual(ok ? null : { kind: "unreadable", about: null, http_status: null });
});

test("the store admin and the mail provider that answer with half a document have failed, with that reason", async () => {
  await connectStore(app.service, SHOP);
  for (const system of ["storefront", "email"] as const) {
    expect(await testConnection(app.service.ctx, SHOP, system)).toMatchObject({ ok: true });
    app.service.sandbox.failNext(system, { garbage: true });
    expect(await testConnection(app.service.ctx, SHOP, system)).toMatchObject({
      ok: false,
      failure: { kind: "unreadable", about: null, http_status: null },
    });
  }
  app.service.sandbox.failNext("storefront", { status: 404 });
  expect(await testConnection(app.service.ctx, SHOP, "storefront")).toMatchObject({
    ok: false,
    failure: { http_status: 404 },
  });
});

test.each(WIRED)("%s of a store without settings makes no call", async (name, system) => {
  await app.service.call("POST", `/config?shop=${OTHER_SHOP}`, { body: { brand_name: "Bare" } });
  const before = app.service.sandbox.requests(system).length;
  await expect(probe(name, OTHER_SHOP)).rejects.toThrow("not set");
  expect(app.service.sandbox.requests(system)).toHaveLength(before);
});

test("the analytics product's validation messages are reported", async () => {
  app.service.sandbox.failNext("analytics", {
    status: 200,
    body: { validationMessages: [{ description: "client_id is missing" }] },
  });
  await expect(probe("web_analytics")).rejects.toThrow("client_id is missing");
});
