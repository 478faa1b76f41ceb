// The parts of the app's home page: each is determined separately, and says so when it cannot be.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Ctx } from "../../app/context.server.ts";
import { FAILURES_TO_OPEN, recordFailure } from "../../app/domain/bus/circuit.ts";
import {
  readConnectionState,
  readWebhooksState,
  repairWebhooks,
} from "../../app/domain/tenants/connection-state.ts";
import { storeGrant } from "../../app/domain/tenants/storefront/access-token.ts";
import { changeTenantRecord, registerTenant } from "../../app/domain/tenants/tenant-record.ts";
import { dataOf, getTenant } from "../../app/domain/tenants/tenant.ts";
import { API_TOPICS } from "../../app/domain/tenants/storefront/webhook-topics.ts";
import { startTestApp, type TestApp } from "../support/browser/screens-server.ts";

const SHOP = "first-shop.myshopify.com";
const TOTAL = API_TOPICS.length;
const EVERYTHING = "write_customers,read_orders,read_customer_merge";
let app: TestApp;
let ctx: Ctx;

beforeAll(async () => {
  app = await startTestApp();
  ctx = app.ctx;
});
afterAll(() => app.stop());
beforeEach(async () => {
  await app.database.truncate();
  app.sandbox.clearFaults();
});

async function connect(scope: string): Promise<void> {
  const reply = app.sandbox.storefront.install(SHOP, { scope });
  await registerTenant(ctx, SHOP);
  await storeGrant(ctx, SHOP, {
    accessToken: reply.access_token,
    refreshToken: reply.refresh_token ?? null,
    expiresIn: 3_600,
    scopes: reply.scope.split(","),
  });
}

test("a store that never installed is not connected, and no call is made", async () => {
  const calls = app.sandbox.requests("storefront").length;
  expect(await readConnectionState(ctx, SHOP)).toEqual({
    shop: SHOP,
    token: { state: "none", expiresAt: null, isRenewed: false },
    scopes: { granted: null, missing: [] },
    channels: { state: "known", list: [] },
  });
  expect(await readWebhooksState(ctx, SHOP)).toEqual({ state: "not_connected" });
  expect(app.sandbox.requests("storefront")).toHaveLength(calls);
});

test("missing permissions are named; who may write may read", async () => {
  await connect("write_customers,read_products,read_customer_merge");
  expect((await readConnectionState(ctx, SHOP)).scopes.missing).toEqual(["read_orders"]);
  await connect("read_customers,read_products,read_orders,read_customer_merge");
  expect((await readConnectionState(ctx, SHOP)).scopes.missing).toEqual(["write_customers"]);
});

test("missing webhooks are named and repaired, and repairing twice changes nothing", async () => {
  await connect(EVERYTHING);
  expect(await readWebhooksState(ctx, SHOP)).toMatchObject({
    state: "known",
    registered: 0,
    total: TOTAL,
    missing: API_TOPICS.map(({ name }) => name),
  });
  expect(await repairWebhooks(ctx, SHOP)).toEqual({ isDone: true, changed: TOTAL });
  expect(await readWebhooksState(ctx, SHOP)).toEqual({
    state: "known",
    registered: TOTAL,
    total: TOTAL,
    missing: [],
  });
  expect(await repairWebhooks(ctx, SHOP)).toEqual({ isDone: true, changed: 0 });
});

test("a webhook that the platform rejects is named with its reason until it is registered", async () => {
  await connect(EVERYTHING);
  await app.sandbox.storefront.uninstall(SHOP, { silent: true });
  await connect(EVERYTHING);
  const reason = "You do not have permission to create webhooks with this topic";
  app.sandbox.storefront.refuseTopic(SHOP, "customers/merge", reason);
  const refused = [{ topic: "customers/merge", reason }];
  expect(await repairWebhooks(ctx, SHOP)).toEqual({ isDone: true, changed: TOTAL - 1, refused });
  expect(await readWebhooksState(ctx, SHOP)).toEqual({
    state: "known",
    registered: TOTAL - 1,
    total: TOTAL,
    missing: ["customers/merge"],
    refused,
  });
  expect(await repairWebhooks(ctx, SHOP)).toEqual({ isDone: true, changed: 0, refused });
  app.sandbox.storefront.refuseTopic(SHOP, "customers/merge", null);
  expect(await repairWebhooks(ctx, SHOP)).toEqual({ isDone: true, changed: 1 });
  expect(await readWebhooksState(ctx, SHOP)).toMatchObject({ registered: TOTAL, missing: [] });
});

test("a channel is off, on, or paused until its next attempt", async () => {
  await connect("write_customers");
  await changeTenantRecord(ctx, SHOP, { set: { enabled_channels: ["cms", "web_analytics"] } });
  const { sql } = dataOf(ctx, await getTenant(ctx, SHOP));
  for (let failure = 0; failure < FAILURES_TO_OPEN; failure += 1) await recordFailure(sql, "cms");
  const { channels } = await readConnectionState(ctx, SHOP);
  const stateOf = (name: string) =>
    channels.state === "known" && channels.list.find((channel) => channel.name === name);
  expect(stateOf("cms")).toEqual({
    name: "cms",
    state: "paused",
    until: expect.stringMatching(/^\d{4}-.*Z$/),
  });
  expect(stateOf("web_analytics")).toEqual({ name: "web_analytics", state: "on" });
  expect(stateOf("profile_platform")).toEqual({ name: "profile_platform", state: "off" });
});

test("a part of the state that cannot be read hides none of the others", async () => {
  await connect("write_customers");
  const failing = () => {
    throw new Error("broken on purpose");
  };
  const state = await readConnectionState(
    { ...ctx, channels: [{ ...ctx.channels[0], isEnabled: failing } as never] },
    SHOP,
  );
  expect(state.token.state).toBe("valid");
  expect(state.channels).toMatchObject({
    state: "unknown",
    reason: expect.not.stringContaining("purpose"),
  });

  const away = { ...ctx, home: { ...ctx.home, acrossTenants: failing } } as Ctx;
  expect(await readConnectionState(away, SHOP)).toMatchObject({
    token: { state: "unknown" },
    channels: { state: "unknown" },
  });
  expect(await readWebhooksState(away, SHOP)).toMatchObject({ state: "unknown" });
});

test("a platform outage is shown as an outage, a revoked access as not connected", async () => {
  await connect("write_customers");
  app.sandbox.failNext("storefront", { status: 503, match: "graphql" }, 1);
  expect(await readWebhooksState(ctx, SHOP)).toEqual({
    state: "unknown",
    reason: "The store admin did not answer. Try again in a few minutes.",
  });
  await app.sandbox.storefront.uninstall(SHOP, { silent: true });
  expect(await readWebhooksState(ctx, SHOP)).toEqual({ state: "not_connected" });
  expect((await readConnectionState(ctx, SHOP)).token.state).toBe("reauth_required");
  expect(await repairWebhooks(ctx, SHOP)).toMatchObject({ isDone: false });
});
