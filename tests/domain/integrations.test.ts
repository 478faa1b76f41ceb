// The systems that a store connects: the state of each, and the end of a connection.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { testConnection } from "../../app/domain/merchant/connection-tests.ts";
import {
  disconnectIntegration,
  listIntegrations,
  readIntegration,
  readIntegrationList,
  saveIntegration,
} from "../../app/domain/merchant/integrations.ts";
import { readSettingsIndex } from "../../app/domain/merchant/settings-index.ts";
import { saveTenantConfig } from "../../app/domain/tenants/settings/configuration.ts";
import { getTenant } from "../../app/domain/tenants/tenant.ts";
import { startTestApp, type TestApp } from "../support/browser/screens-server.ts";

const SHOP = "integrations-store.myshopify.com";
const OTHER = "other-integrations.myshopify.com";
let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({
    env: { ANALYTICS_MEASUREMENT_ID: "G-LENT1", ANALYTICS_API_SECRET: "lent-secret" },
    envFrom: (sandbox) => ({ CMS_API_URL: sandbox.addresses.cmsApiUrl }),
  });
});
afterAll(() => app.stop());
beforeEach(async () => {
  app.sandbox.clearFaults();
  await app.database.truncate();
  for (const shop of [SHOP, OTHER]) await saveTenantConfig(app.ctx, shop, {}, { by: "operator" });
});

const tenant = (shop = SHOP) => getTenant(app.ctx, shop);
const configure = (fields: object) =>
  saveTenantConfig(app.ctx, SHOP, fields as Record<string, unknown>, { by: "operator" });
const stateOf = async (name: string) =>
  (await listIntegrations(app.ctx, await tenant())).find((one) => one.name === name);
const cms = () => ({
  cms_api_token: "cms-token-0123456789",
  cms_customers_collection_id: app.sandbox.cms.customersCollectionId,
});

test("a system is connected with what it needs, needs attention with a part of it, and else is not connected", async () => {
  expect(await stateOf("cms")).toMatchObject({ state: "none", trouble: null });
  await configure({ cms_api_token: "cms-token-0123456789" });
  expect(await stateOf("cms")).toMatchObject({
    state: "attention",
    trouble: { kind: "missing", fields: ["cms_customers_collection_id"] },
  });
  await configure(cms());
  expect(await stateOf("cms")).toMatchObject({ state: "connected", trouble: null });
  await configure({ enabled_channels: ["erpsys"] });
  expect(await stateOf("cms")).toMatchObject({
    state: "attention",
    trouble: { kind: "left_out" },
  });
});

test("a system that rests after failures, or whose last test failed, needs attention until the settings change", async () => {
  await configure(cms());
  const until = new Date(Date.now() + 60_000).toISOString();
  await app.database.query("INSERT INTO kv (shop, key, value) VALUES ($1, 'circuit:cms', $2)", [
    SHOP,
    JSON.stringify({ open_until: until }),
  ]);
  expect((await stateOf("cms"))?.trouble).toEqual({ kind: "paused", until });
  await app.database.query("UPDATE kv SET value = $1 WHERE key = 'circuit:cms'", [
    JSON.stringify({ open_until: new Date(Date.now() - 1_000).toISOString() }),
  ]);
  expect((await stateOf("cms"))?.trouble).toBeNull();
  await app.database.query("DELETE FROM kv WHERE key = 'circuit:cms'");

  app.sandbox.failNext("cms", { status: 401 }, 5);
  const failed = await testConnection(app.ctx, SHOP, "cms");
  expect(failed).toMatchObject({ ok: false, failure: { kind: "access_refused" } });
  expect((await stateOf("cms"))?.trouble).toEqual({ kind: "test_failed", at: failed.at });
  expect((await readIntegration(app.ctx, await tenant(), "cms"))?.lastTest).toEqual(failed);
  expect((await readIntegration(app.ctx, await tenant(OTHER), "cms"))?.lastTest).toBeNull();
  const index = await readSettingsIndex(app.ctx, await tenant());
  expect(index.find(({ name }) => name === "integrations")?.state).toMatchObject({
    text: "attention",
    count: 1,
  });
  await saveIntegration(app.ctx, await tenant(), "cms", {
    fields: JSON.stringify({ cms_api_token: "another-token-0123" }),
  });
  expect(await stateOf("cms")).toMatchObject({ state: "connected", trouble: null });

  app.sandbox.failNext("cms", { status: 401 }, 5);
  await testConnection(app.ctx, SHOP, "cms");
  await disconnectIntegration(app.ctx, await tenant(), "cms");
  app.sandbox.clearFaults();
  await configure(cms());
  expect(await stateOf("cms")).toMatchObject({ state: "connected", trouble: null });
});

test("a system joins the store's list of destinations when it is connected, and leaves it when nothing replaces it", async () => {
  const save = async (name: string, fields: object) =>
    expect(
      await saveIntegration(app.ctx, await tenant(), name, { fields: JSON.stringify(fields) }),
    ).toEqual({ outcome: "saved" });
  const disconnect = async (name: string) => disconnectIntegration(app.ctx, await tenant(), name);
  const listed = async () => (await tenant()).saved.enabled_channels;
  await save("cms", cms());
  await disconnect("cms");
  expect(await listed()).toBeUndefined();

  await configure({ enabled_channels: ["erpsys", "web_analytics"] });
  await save("cms", cms());
  expect(await listed()).toEqual(["erpsys", "web_analytics", "cms"]);
  await save("email", { email_from: "Me <me@store.example>", email_api_key: "own-key-0123456789" });
  expect(await listed()).toEqual(["erpsys", "web_analytics", "cms"]);
  await save("analytics", {
    analytics_measurement_id: "G-OWN1",
    analytics_api_secret: "own-secret",
  });
  for (const name of ["cms", "analytics"]) await disconnect(name);
  // The service's own analytics goes on.
  expect(await listed()).toEqual(["erpsys", "web_analytics"]);

  // The merchant took it off the list: another key does not bring it back.
  await configure(cms());
  await save("cms", { cms_api_token: "another-token-0123" });
  expect(await listed()).toEqual(["erpsys", "web_analytics"]);
});

test("a store of the role shared has no ERP, no destinations, and tests no system of events", async () => {
  await configure({ access_role: "shared" });
  const { integrations, destinations } = await readIntegrationList(app.ctx, await tenant());
  expect([integrations.some(({ name }) => name === "erp"), destinations]).toEqual([false, null]);
  expect(await readIntegration(app.ctx, await tenant(), "erp")).toBeNull();
  expect((await readIntegrationList(app.ctx, await tenant(OTHER))).destinations).not.toBeNull();
  for (const system of ["cms", "erpsys"])
    await expect(testConnection(app.ctx, SHOP, system)).rejects.toMatchObject({
      code: "not_found",
    });
});

test("the service's own connection counts as connected, cannot be ended here, and replaces the store's when that ends", async () => {
  const email = async () => readIntegration(app.ctx, await tenant(), "email");
  expect(await email()).toMatchObject({
    state: "connected",
    isProvided: true,
    canDisconnect: false,
  });
  await configure({
    email_from: "My Store <hello@store.example>",
    email_api_key: "own-key-0123456789",
  });
  expect(await email()).toMatchObject({
    state: "connected",
    isProvided: false,
    canDisconnect: true,
    isReplaced: true,
  });
  await disconnectIntegration(app.ctx, await tenant(), "email");
  expect(await email()).toMatchObject({
    state: "connected",
    isProvided: true,
    canDisconnect: false,
  });
});

test("disconnecting a system changes nothing else: not the other systems, not another store", async () => {
  const own = {
    ...cms(),
    analytics_measurement_id: "G-ABC123",
    analytics_api_secret: "analytics-secret",
    brand_name: "Kestrel",
  };
  await configure(own);
  await saveTenantConfig(app.ctx, OTHER, cms(), { by: "operator" });
  await disconnectIntegration(app.ctx, await tenant(), "cms");
  const { cms_api_token: _token, cms_customers_collection_id: _id, ...left } = own;
  expect((await tenant()).saved).toMatchObject(left);
  expect(Object.keys((await tenant()).saved).filter((name) => name.startsWith("cms_"))).toEqual([]);
  expect((await tenant(OTHER)).saved).toMatchObject(cms());
  for (const name of ["nothing", "constructor", ""]) {
    await disconnectIntegration(app.ctx, await tenant(), name);
    expect(await readIntegration(app.ctx, await tenant(), name)).toBeNull();
  }
  expect((await tenant()).saved).toMatchObject(left);
});

test("deliveries that wait are counted for the store and system alone", async () => {
  await configure(cms());
  await app.database.query(
    `INSERT INTO integration_queue (shop, event_id, channel, source, event_type, entity_type,
      entity_id, status, next_attempt_at)
      SELECT shop, channel || status || n, channel, 'backend', 't', 'customer', '1', status, now() + interval '1 day'
      FROM generate_series(1, 2) AS n, (VALUES ($1, 'cms', 'pending'), ($1, 'cms', 'delivered'),
        ($1, 'erpsys', 'pending'), ($2, 'cms', 'pending')) AS rows(shop, channel, status)`,
    [SHOP, OTHER],
  );
  const view = await readIntegration(app.ctx, await tenant(), "cms");
  expect(view?.waiting).toBe(2);
});
