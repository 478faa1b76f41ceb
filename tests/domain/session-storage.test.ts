// The app library's session storage: the token is stored in one place and can be spent in one way only.
import { Session } from "@shopify/shopify-api";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
  createSessionStorage,
  toSessionId,
} from "../../app/domain/tenants/storefront/session-storage.ts";
import { callAdminApi } from "../../app/domain/tenants/storefront/admin-api.ts";
import { readWebhooksState } from "../../app/domain/tenants/connection-state.ts";
import { startRegistrationWorker } from "../../app/domain/tenants/storefront/registration-worker.ts";
import { registrationRequests } from "../../app/domain/tenants/storefront/webhook-registration.ts";
import { API_TOPICS } from "../../app/domain/tenants/storefront/webhook-topics.ts";
import { storeGrant } from "../../app/domain/tenants/storefront/access-token.ts";
import { changeTenantRecord, registerTenant } from "../../app/domain/tenants/tenant-record.ts";
import { findTenant, getTenant } from "../../app/domain/tenants/tenant.ts";
import { SHOP as SHOP_QUERY } from "../../app/integrations/storefront/documents.ts";
import { eventually } from "../support/service.ts";
import { countGrants, startTestApp, type TestApp } from "../support/browser/screens-server.ts";

const SHOP = "first-shop.myshopify.com";
const OTHER = "other-shop.myshopify.com";
let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
  for (const shop of [SHOP, OTHER]) app.sandbox.storefront.install(shop);
});
afterAll(() => app.stop());
beforeEach(async () => {
  await app.database.truncate();
  app.sandbox.clearFaults();
});

async function connect(shop: string, secondsLeft = 3_600): Promise<string> {
  const reply = app.sandbox.storefront.install(shop);
  app.sandbox.storefront.expireAccessTokens(shop, secondsLeft);
  await registerTenant(app.ctx, shop);
  await storeGrant(app.ctx, shop, {
    accessToken: reply.access_token,
    refreshToken: reply.refresh_token ?? null,
    expiresIn: secondsLeft,
    scopes: reply.scope.split(","),
  });
  return reply.access_token;
}

const offlineSession = (
  shop: string,
  fields: { accessToken?: string; refreshToken?: string; expires?: Date } = {},
) =>
  new Session({
    id: toSessionId(shop),
    shop,
    state: "",
    isOnline: false,
    scope: "read_customers",
    ...fields,
  });

test("a fresh token is returned without its refresh token and expiry, without a call", async () => {
  const token = await connect(SHOP);
  const before = app.sandbox.requests("storefront").length;
  const session = await createSessionStorage(app.ctx).loadSession(toSessionId(SHOP));
  expect(session).toMatchObject({ shop: SHOP, accessToken: token, isOnline: false });
  expect(session?.refreshToken).toBeUndefined();
  expect(session?.expires).toBeUndefined();
  expect(session?.isActive(undefined, 5 * 60_000)).toBe(true);
  expect(app.sandbox.requests("storefront")).toHaveLength(before);
});

test("10 concurrent loads near expiry make one refresh, and all get the new token", async () => {
  const old = await connect(SHOP, 60);
  const storage = createSessionStorage(app.ctx);
  const before = countGrants(app, SHOP, "refresh_token");
  const sessions = await Promise.all(
    Array.from({ length: 10 }, () => storage.loadSession(toSessionId(SHOP))),
  );
  expect(countGrants(app, SHOP, "refresh_token") - before).toBe(1);
  const { storefront_admin_token: stored } = (await getTenant(app.ctx, SHOP)).config;
  expect(stored).not.toBe(old);
  expect(new Set(sessions.map((session) => session?.accessToken))).toEqual(new Set([stored]));
});

test("an invalid refresh token, an unknown store and an ended connection have no session", async () => {
  await connect(SHOP, 60);
  app.sandbox.storefront.revokeRefreshToken(SHOP);
  const storage = createSessionStorage(app.ctx);
  expect(await storage.loadSession(toSessionId(SHOP))).toBeUndefined();
  expect((await getTenant(app.ctx, SHOP)).connection.token_state).toBe("reauth_required");
  expect(await storage.loadSession(toSessionId(SHOP))).toBeUndefined();
  expect(await storage.loadSession(toSessionId(OTHER))).toBeUndefined();
});

test.each([
  [
    "does not expire and is accepted no longer",
    403,
    "[API] Non-expiring access tokens are no longer accepted for the Admin API. Start using expiring offline tokens.",
  ],
  [
    "was revoked",
    401,
    "[API] Invalid API key or access token (unrecognized login or wrong password)",
  ],
])(
  "a token without a refresh token that %s is exchanged when the merchant opens the app",
  async (_, status, errors) => {
    const accessToken = app.sandbox.storefront.install(SHOP).access_token;
    await registerTenant(app.ctx, SHOP);
    const grant = { accessToken, refreshToken: null, expiresIn: null, scopes: [] };
    await storeGrant(app.ctx, SHOP, grant);
    const storage = createSessionStorage(app.ctx);
    expect((await storage.loadSession(toSessionId(SHOP)))?.accessToken).toBe(accessToken);
    app.sandbox.failNext("storefront", { status, body: { errors }, match: "graphql" }, 2);
    await expect(callAdminApi(app.ctx, SHOP, { document: SHOP_QUERY })).rejects.toThrow();
    expect(await storage.loadSession(toSessionId(SHOP))).toBeUndefined();
    await storeGrant(app.ctx, SHOP, { ...grant, accessToken: "granted-at-the-launch" });
    expect((await storage.loadSession(toSessionId(SHOP)))?.accessToken).toBe(
      "granted-at-the-launch",
    );
  },
);

test("during a platform outage the session stays while the token works, and the pair is kept", async () => {
  const token = await connect(SHOP, 60);
  app.sandbox.failNext("storefront", { status: 503, match: "access_token" }, 5);
  const storage = createSessionStorage(app.ctx);
  expect((await storage.loadSession(toSessionId(SHOP)))?.accessToken).toBe(token);
  expect((await getTenant(app.ctx, SHOP)).connection.token_state).toBe("valid");
  await changeTenantRecord(app.ctx, SHOP, {
    set: { storefront_token_expires_at: new Date(Date.now() - 1_000).toISOString() },
  });
  expect(await storage.loadSession(toSessionId(SHOP))).toBeUndefined();
  expect((await getTenant(app.ctx, SHOP)).config.storefront_refresh_token).toBeDefined();
});

test("a new grant registers the store, replaces the pair and ends the need to reconnect, without a call to the platform", async () => {
  app.sandbox.storefront.install(SHOP);
  const storage = createSessionStorage(app.ctx);
  const { access_token: accessToken, refresh_token: refreshToken } =
    app.sandbox.storefront.install(SHOP);
  const before = app.sandbox.requests("storefront").length;
  const granted = offlineSession(SHOP, {
    accessToken,
    refreshToken: refreshToken as string,
    expires: new Date(Date.now() + 3_600_000),
  });
  expect(await storage.storeSession(granted)).toBe(true);
  const tenant = await getTenant(app.ctx, SHOP);
  expect(tenant.config).toMatchObject({
    storefront_admin_token: accessToken,
    storefront_refresh_token: refreshToken,
  });
  expect(tenant.connection).toMatchObject({
    token_state: "valid",
    granted_scopes: ["read_customers"],
  });
  expect(new Date(tenant.config.storefront_token_expires_at as string).getTime()).toBeCloseTo(
    Date.now() + 3_600_000,
    -4,
  );
  expect(await storage.storeSession(granted)).toBe(true);
  expect(app.sandbox.requests("storefront")).toHaveLength(before);
});

test("the worker registers the webhooks of a new grant, and meanwhile Home says that it does", async () => {
  await grant(SHOP);
  expect(await readWebhooksState(app.ctx, SHOP)).toEqual({ state: "registering" });
  const worker = await startRegistrationWorker(app.ctx);
  await eventually(
    "the webhooks",
    async () => (await readWebhooksState(app.ctx, SHOP)).state === "known",
  );
  expect(app.sandbox.storefront.subscriptions(SHOP)).toHaveLength(API_TOPICS.length);
  expect(await registrationRequests.list(app.ctx, 10)).toEqual([]);
  await worker.stop();
});

test("a registration stays requested while the platform does not answer, and after a minute Home names what is missing", async () => {
  await grant(SHOP);
  const before = app.sandbox.requests("storefront").length;
  app.sandbox.failNext("storefront", { status: 503, match: "graphql" }, Infinity);
  const worker = await startRegistrationWorker(app.ctx);
  await eventually("a refused call", () => app.sandbox.requests("storefront").length > before);
  await worker.stop();
  app.sandbox.clearFaults();
  expect(await registrationRequests.list(app.ctx, 10)).toMatchObject([{ shop: SHOP }]);
  await app.database.query(
    "UPDATE kv SET updated_at = updated_at - interval '61 seconds' WHERE key LIKE 'registration_request:%'",
  );
  expect(await readWebhooksState(app.ctx, SHOP)).toMatchObject({ state: "known", registered: 0 });
  const next = await startRegistrationWorker(app.ctx);
  await eventually(
    "the webhooks",
    async () => (await registrationRequests.list(app.ctx, 10)).length === 0,
  );
  await next.stop();
  expect(app.sandbox.storefront.subscriptions(SHOP)).toHaveLength(API_TOPICS.length);
});

test.each([
  ["is frozen", 402],
  ["is locked for the app", 403],
])("a registration of a store that %s is left to the scheduled run", async (_, status) => {
  await grant(SHOP);
  app.sandbox.failNext("storefront", { status, match: "graphql" }, Infinity);
  const worker = await startRegistrationWorker(app.ctx);
  await eventually(
    "the end of the request",
    async () => (await registrationRequests.list(app.ctx, 10)).length === 0,
    5_000,
  );
  await worker.stop();
});

test("a registration of a store that is not connected any more ends without a call", async () => {
  const before = app.sandbox.requests("storefront").length;
  await registrationRequests.add(app.ctx, OTHER);
  const worker = await startRegistrationWorker(app.ctx);
  await eventually(
    "the end of the request",
    async () => (await registrationRequests.list(app.ctx, 10)).length === 0,
  );
  await worker.stop();
  expect(app.sandbox.requests("storefront")).toHaveLength(before);
});

async function grant(shop: string): Promise<void> {
  await app.sandbox.storefront.uninstall(shop, { silent: true });
  const { access_token: accessToken, refresh_token: refreshToken } = app.sandbox.storefront.install(
    shop,
    { scope: app.ctx.config.SCOPES.join(",") },
  );
  await createSessionStorage(app.ctx).storeSession(
    offlineSession(shop, {
      accessToken,
      refreshToken: refreshToken as string,
      expires: new Date(Date.now() + 3_600_000),
    }),
  );
}

test("a session without a refresh token never clears the stored one", async () => {
  await connect(SHOP);
  const before = await getTenant(app.ctx, SHOP);
  const storage = createSessionStorage(app.ctx);
  await storage.storeSession(offlineSession(SHOP));
  await storage.storeSession(offlineSession(SHOP, { accessToken: "another-token" }));
  await storage.storeSession(
    new Session({
      id: `${SHOP}_1`,
      shop: SHOP,
      state: "",
      isOnline: true,
      accessToken: "an-online-token",
    }),
  );
  const after = await getTenant(app.ctx, SHOP);
  expect(after.config).toEqual(before.config);
  expect(after.connection).toEqual(before.connection);
});

test("another store's session id, and an invalid one, read and write nothing of this store", async () => {
  const [token, otherToken] = [await connect(SHOP), await connect(OTHER)];
  const storage = createSessionStorage(app.ctx);
  expect((await storage.loadSession(toSessionId(OTHER)))?.accessToken).toBe(otherToken);
  expect(await storage.findSessionsByShop(OTHER)).toMatchObject([
    { shop: OTHER, accessToken: otherToken },
  ]);
  for (const id of [
    SHOP,
    `online_${SHOP}`,
    `offline_${SHOP}/../${OTHER}`,
    `offline_${OTHER}\n${SHOP}`,
    "offline_",
    "",
  ])
    expect(await storage.loadSession(id)).toBeUndefined();
  const mixed = new Session({
    id: toSessionId(SHOP),
    shop: OTHER,
    state: "",
    isOnline: false,
    accessToken: "stolen",
    refreshToken: "stolen-too",
    expires: new Date(Date.now() + 3_600_000),
  });
  expect(await storage.storeSession(mixed)).toBe(false);
  expect((await getTenant(app.ctx, SHOP)).config.storefront_admin_token).toBe(token);
  expect((await getTenant(app.ctx, OTHER)).config.storefront_admin_token).toBe(otherToken);
});

test("a deleted session is removed with its refresh token, also while it is refreshed, and the store stays registered", async () => {
  await connect(SHOP, 10);
  await connect(OTHER);
  const storage = createSessionStorage(app.ctx);
  let answer = (): void => {};
  const isDeleted = new Promise<void>((resolve) => {
    answer = resolve;
  });
  app.sandbox.failNext("storefront", { replyAfter: isDeleted, match: "access_token" });
  const before = app.sandbox.requests("storefront").length;
  const refreshed = storage.loadSession(toSessionId(SHOP));
  await eventually("the refresh", () => app.sandbox.requests("storefront").length > before);
  expect(await storage.deleteSessions([toSessionId(SHOP)])).toBe(true);
  answer();
  expect(await refreshed).toBeUndefined();
  expect(await storage.loadSession(toSessionId(SHOP))).toBeUndefined();
  expect((await findTenant(app.ctx, SHOP))?.config.storefront_refresh_token).toBeUndefined();
  expect(await storage.loadSession(toSessionId(OTHER))).toBeDefined();
  expect(await storage.deleteSession(toSessionId("nobody.myshopify.com"))).toBe(false);
});
