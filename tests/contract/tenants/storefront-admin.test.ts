// The operator's two checks of a store's connection: force a refresh, and call the storefront.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { connectStore } from "../../support/storefront/storefront.ts";
import { ADMIN_KEY, OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";

const TENANT_KEY = "tenant-key-of-the-test-store";
let service: Service;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  service.sandbox.clearFaults();
  await service.database.truncate();
  await connectStore(service, SHOP, { admin_key: TENANT_KEY });
  await service.addTenant(OTHER_SHOP);
});

const refresh = (shop = SHOP, key: string | null = ADMIN_KEY) =>
  service.call("POST", `/admin/storefront-refresh?shop=${shop}`, { key });
const check = (shop = SHOP, key: string | null = ADMIN_KEY) =>
  service.call("GET", `/admin/storefront-test?shop=${shop}`, { key });
const shown = async () => (await service.call("GET", `/config?shop=${SHOP}`)).json.config;

describe("a forced refresh", () => {
  test("stores a new pair although the old one was valid for another hour", async () => {
    const before = await shown();
    const answer = await refresh();
    expect(answer.json).toEqual({ ok: true, expires_at: expect.stringMatching(/Z$/) });
    expect(Math.abs(Date.parse(answer.json.expires_at) - Date.now() - 3_600_000)).toBeLessThan(
      60_000,
    );
    const after = await shown();
    expect(after.storefront_admin_token).not.toBe(before.storefront_admin_token);
    expect(after.storefront_refresh_token).not.toBe(before.storefront_refresh_token);
    expect(answer.text).not.toContain("sandbox-");
  });

  test("uses each refresh token once, also when ten are requested concurrently", async () => {
    const before = service.sandbox.storefront.refreshCalls(SHOP).length;
    const answers = await Promise.all(Array.from({ length: 10 }, () => refresh()));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
    expect(
      service.sandbox.storefront
        .refreshCalls(SHOP)
        .slice(before)
        .every(({ outcome }) => outcome === "rotated"),
    ).toBe(true);
    expect((await check()).json.ok).toBe(true);
  });

  test("that the platform rejects answers 502 token_refresh_failed and says to install again", async () => {
    service.sandbox.storefront.revokeRefreshToken(SHOP);
    const answer = await refresh();
    expect([answer.status, answer.json.error, answer.json.code]).toEqual([
      502,
      "BadGateway",
      "token_refresh_failed",
    ]);
    expect(answer.json.message).toMatch(/install/i);
  });

  test.each([
    { status: 500 },
    { status: 429 },
    { reset: true as const },
    { garbage: true as const },
  ])("during an outage (%o) answers 502, keeps the token and works later", async (fault) => {
    service.sandbox.failNext("storefront", { ...fault, match: "access_token" }, 2);
    const answer = await refresh();
    expect([answer.status, answer.json.code]).toEqual([502, "token_refresh_failed"]);
    expect(answer.json.message).toMatch(/try again/i);
    service.sandbox.clearFaults();
    expect((await check()).json.ok).toBe(true);
    expect((await refresh()).status).toBe(200);
  });

  test("of a store that never installed answers 502 with the same remedy", async () => {
    const answer = await refresh(OTHER_SHOP);
    expect([answer.status, answer.json.code]).toEqual([502, "token_refresh_failed"]);
    expect(answer.json.message).toMatch(/install/i);
  });

  test.each(["storefront_refresh_token", "storefront_token_expires_at"])(
    "of a token without a %s answers 502 with the same remedy: nothing was refreshed",
    async (field) => {
      await service.call("POST", `/config?shop=${SHOP}`, { body: { [field]: null } });
      const calls = service.sandbox.storefront.refreshCalls(SHOP).length;
      const answer = await refresh();
      expect([answer.status, answer.json.code]).toEqual([502, "token_refresh_failed"]);
      expect(answer.json.message).toMatch(/install/i);
      expect(service.sandbox.storefront.refreshCalls(SHOP)).toHaveLength(calls);
      expect((await check()).json.ok).toBe(true);
    },
  );

  test("rejects a missing key, another store's key, and GET", async () => {
    const before = await shown();
    expect((await refresh(SHOP, null)).status).toBe(401);
    expect((await refresh(OTHER_SHOP, TENANT_KEY)).status).toBe(401);
    expect((await service.call("GET", `/admin/storefront-refresh?shop=${SHOP}`)).status).toBe(405);
    expect((await refresh("unknown-store.myshopify.com")).status).toBe(404);
    expect(await shown()).toEqual(before);
    expect((await refresh(SHOP, TENANT_KEY)).status).toBe(200);
  });
});

describe("the test call", () => {
  test("calls the shop endpoint of the contract's version with the stored token and returns the status", async () => {
    expect((await check()).json).toEqual({ ok: true, status: 200, shop: SHOP });
    const last = service.sandbox.requests("storefront").at(-1);
    expect([last?.method, last?.path]).toEqual(["GET", `/${SHOP}/admin/api/2026-04/shop.json`]);
  });

  test.each([401, 403, 500])(
    "returns the platform's rejection (%i) as it is, without a 5xx of our own",
    async (status) => {
      service.sandbox.failNext("storefront", { status, match: "shop.json" }, Infinity);
      const answer = await check();
      expect([answer.status, answer.json]).toEqual([200, { ok: false, status, shop: SHOP }]);
    },
  );

  test("says that half a document is no success, with the status that the platform gave it", async () => {
    service.sandbox.failNext("storefront", { garbage: true, match: "shop.json" });
    const answer = await check();
    expect([answer.status, answer.json]).toEqual([200, { ok: false, status: 200, shop: SHOP }]);
  });

  test("first refreshes a token that expires within five minutes", async () => {
    await service.call("POST", `/config?shop=${SHOP}`, {
      body: { storefront_token_expires_at: new Date(Date.now() + 290_000).toISOString() },
    });
    const before = service.sandbox.storefront.refreshCalls(SHOP).length;
    expect((await check()).json.ok).toBe(true);
    expect(service.sandbox.storefront.refreshCalls(SHOP)).toHaveLength(before + 1);
    expect((await check()).json.ok).toBe(true);
    expect(service.sandbox.storefront.refreshCalls(SHOP)).toHaveLength(before + 1);
  });

  test("also when another program writes that time into the tenant's record", async () => {
    expect((await check()).json.ok).toBe(true);
    const before = service.sandbox.storefront.refreshCalls(SHOP).length;
    await service.database.query(
      `UPDATE kv SET value = value || jsonb_build_object('storefront_token_expires_at', $2::text)
        WHERE shop = $1 AND key = 'tenant:' || shop`,
      [SHOP, new Date(Date.now() + 290_000).toISOString()],
    );
    expect((await check()).json.ok).toBe(true);
    expect(service.sandbox.storefront.refreshCalls(SHOP)).toHaveLength(before + 1);
    expect((await check()).json.ok).toBe(true);
    expect(service.sandbox.storefront.refreshCalls(SHOP)).toHaveLength(before + 1);
  });

  test("of a store that never installed answers 502 and says to install", async () => {
    const answer = await check(OTHER_SHOP);
    expect([answer.status, answer.json.code]).toEqual([502, "not_installed"]);
    expect(answer.json.message).toMatch(/install/i);
  });

  test("answers 502 when the storefront cannot be reached", async () => {
    service.sandbox.failNext("storefront", { reset: true, match: "shop.json" }, Infinity);
    expect((await check()).json).toMatchObject({
      error: "BadGateway",
      code: "storefront_unavailable",
    });
  });

  test("rejects a missing key and another store's key", async () => {
    const before = service.sandbox.requests("storefront").length;
    expect((await check(SHOP, null)).status).toBe(401);
    expect((await check(OTHER_SHOP, TENANT_KEY)).status).toBe(401);
    expect(service.sandbox.requests("storefront")).toHaveLength(before);
  });
});
