// SPEC "Storefront access token", row by row, and the races around it.
import { channels } from "../../app/domain/channels/index.ts";
import { renderThemeFooters } from "../../app/embeds/theme-footers.ts";
import { request } from "undici";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createCtx } from "../../app/context.server.ts";
import { callAdminApi } from "../../app/domain/tenants/storefront/admin-api.ts";
import {
  ensureStorefrontToken,
  storeGrant,
} from "../../app/domain/tenants/storefront/access-token.ts";
import { registerTenant } from "../../app/domain/tenants/tenant-record.ts";
import { getTenant } from "../../app/domain/tenants/tenant.ts";
import { SHOP as SHOP_QUERY } from "../../app/integrations/storefront/documents.ts";
import { OutboundError } from "../../app/runtime/errors.ts";
import { eventually, SHOP, startService, type Service } from "../support/service.ts";

const MINUTE = 60_000;
const clock = { ahead: 0, now: () => new Date(Date.now() + clock.ahead) };
let service: Service;

beforeAll(async () => {
  service = await startService({ clock });
});
afterAll(() => service.stop());
beforeEach(async () => {
  clock.ahead = 0;
  service.sandbox.clearFaults();
  service.sandbox.storefront.settings.refreshRetry = "none";
  await service.database.truncate();
});

/** An installed store whose token has `secondsLeft`. */
async function connect(secondsLeft = 3_600): Promise<{ access: string; refresh: string }> {
  const reply = service.sandbox.storefront.install(SHOP);
  await registerTenant(service.ctx, SHOP);
  await storeGrant(service.ctx, SHOP, {
    accessToken: reply.access_token,
    refreshToken: reply.refresh_token as string,
    expiresIn: secondsLeft,
    scopes: ["read_customers"],
  });
  return { access: reply.access_token, refresh: reply.refresh_token as string };
}
const ensure = (options?: { force?: boolean }) => ensureStorefrontToken(service.ctx, SHOP, options);
const stored = async () => {
  const { config, connection } = await getTenant(service.ctx, SHOP);
  return {
    access: config.storefront_admin_token,
    refresh: config.storefront_refresh_token,
    expiresAt: config.storefront_token_expires_at,
    state: connection.token_state,
    generation: connection.token_generation,
  };
};
const refreshCalls = () =>
  service.sandbox
    .requests("storefront")
    .filter(
      ({ path, body }) =>
        path.includes("/admin/oauth/access_token") &&
        (body as { grant_type?: string })?.grant_type === "refresh_token",
    ).length;
async function counting<T>(work: () => Promise<T>): Promise<{ calls: number; result: T }> {
  const before = refreshCalls();
  const result = await work();
  return { calls: refreshCalls() - before, result };
}
const failTokenCalls = (fault: Parameters<Service["sandbox"]["failNext"]>[1], times = 1) =>
  service.sandbox.failNext("storefront", { ...fault, match: "access_token" }, times);

describe("the state table", () => {
  test("none -> valid: the install callback stores both tokens and the expiry, registers the store and its webhooks", async () => {
    const begun = await request(`${service.url}/auth/install?shop=${SHOP}`);
    const question = new URL(String(begun.headers.location));
    question.searchParams.set("auto", "1");
    const answered = await request(question);
    const completed = await request(String(answered.headers.location), {
      headers: { cookie: String(begun.headers["set-cookie"]).split(";", 1)[0] as string },
    });
    for (const { body } of [begun, answered, completed]) await body.dump();
    expect(completed.statusCode).toBe(302);
    expect(await stored()).toMatchObject({
      access: expect.any(String),
      refresh: expect.any(String),
      expiresAt: expect.stringMatching(/Z$/),
      state: "valid",
    });
    const topics = service.sandbox.storefront.subscriptions(SHOP).map(({ topic }) => topic);
    expect(topics).toEqual(expect.arrayContaining(["CUSTOMERS_CREATE", "CUSTOMERS_UPDATE"]));
    const [record] = await service.database.query(
      "SELECT value::text AS text FROM kv WHERE key LIKE 'tenant:%'",
    );
    expect(record.text).not.toContain((await stored()).refresh);
  });

  test("valid with 5 minutes or less left -> valid: a new pair and a new expiry, and the old refresh token is invalid", async () => {
    const old = await connect(3_600);
    const { expiresAt } = await stored();
    clock.ahead = new Date(expiresAt as string).getTime() - 5 * MINUTE - Date.now();
    const { calls, result } = await counting(() => ensure());
    expect(calls).toBe(1);
    const now = await stored();
    expect(now.access).toBe(result.accessToken);
    expect([now.access, now.refresh]).not.toEqual(expect.arrayContaining([old.access]));
    expect(now.refresh).not.toBe(old.refresh);
    expect(new Date(now.expiresAt as string).getTime() - clock.now().getTime()).toBeGreaterThan(
      3_590_000,
    );
    expect(now.generation).toBe(2);
    await expect(
      service.ctx.storefront.refresh(
        SHOP,
        {
          clientId: service.ctx.config.PLATFORM_CLIENT_ID,
          clientSecret: service.ctx.config.PLATFORM_APP_SECRET[0] as string,
        },
        old.refresh,
      ),
    ).rejects.toMatchObject({ status: 400 });
  });

  test("valid with more than 5 minutes left -> unchanged, without a call; forced -> a new pair", async () => {
    const old = await connect(301);
    clock.ahead = -500;
    expect((await counting(() => ensure())).calls).toBe(0);
    expect(await stored()).toMatchObject({ access: old.access, refresh: old.refresh });
    const forced = await counting(() => ensure({ force: true }));
    expect(forced.calls).toBe(1);
    expect(forced.result.accessToken).not.toBe(old.access);
  });

  test.each(["storefront_refresh_token", "storefront_token_expires_at"])(
    "valid without %s -> unchanged, forced or not",
    async (field) => {
      const { access } = await connect(10);
      await service.call("POST", `/config?shop=${SHOP}`, { body: { [field]: null } });
      const { calls, result } = await counting(async () => [
        await ensure(),
        await ensure({ force: true }),
      ]);
      expect(calls).toBe(0);
      expect(result.map(({ accessToken }) => accessToken)).toEqual([access, access]);
    },
  );

  test("valid, the merchant opens the app -> valid with the posted token", async () => {
    await connect(10);
    const answer = await service.call("POST", `/config?shop=${SHOP}`, {
      body: { storefront_access_token: "posted-by-the-app-0123456789" },
    });
    expect(answer.status).toBe(200);
    expect(await stored()).toMatchObject({
      access: "posted-by-the-app-0123456789",
      state: "valid",
    });
  });

  test.each([400, 401, 403])(
    "any, a rejection with %i -> reauth_required, and an install repairs it",
    async (status) => {
      await connect(10);
      failTokenCalls({ status, body: { error: "invalid_grant" } }, 4);
      await expect(ensure()).rejects.toMatchObject({ code: "not_installed" });
      expect((await stored()).state).toBe("reauth_required");
      const calls = service.sandbox.requests("storefront").length;
      await expect(ensure({ force: true })).rejects.toMatchObject({
        code: "not_installed",
        message: expect.stringContaining("Install the app again"),
      });
      await expect(callAdminApi(service.ctx, SHOP, { document: SHOP_QUERY })).rejects.toMatchObject(
        { code: "not_installed" },
      );
      expect(service.sandbox.requests("storefront")).toHaveLength(calls);
      service.sandbox.clearFaults();
      const { access } = await connect();
      expect((await ensure()).accessToken).toBe(access);
    },
  );
});

describe("a platform outage never loses the token", () => {
  test.each([
    ["500", { status: 500 }],
    ["402, of a frozen store", { status: 402, body: { errors: "Unavailable Shop" } }],
    ["403, of a page in front of the platform", { status: 403, body: "<h1>Forbidden</h1>" }],
    ["403, of a store that is checked", { status: 403, body: { errors: "requires approval" } }],
    ["423, of a locked store", { status: 423, body: { errors: "Locked" } }],
    ["520", { status: 520 }],
    ["429", { status: 429, headers: { "retry-after": "1" } }],
    ["a reset connection", { reset: true }],
    ["half a JSON body", { garbage: true }],
    ["no expires_in", { status: 200, body: { access_token: "a", refresh_token: "b", scope: "" } }],
    [
      "no refresh token",
      { status: 200, body: { access_token: "a", expires_in: 3_600, scope: "" } },
    ],
    ["no token at all", { status: 200, body: {} }],
    ["an access token alone", { status: 200, body: { access_token: "a", scope: "" } }],
    ...["access_token", "refresh_token"].map(
      (empty) =>
        [
          `an empty ${empty}`,
          {
            status: 200,
            body: { access_token: "a", refresh_token: "b", expires_in: 3_600, [empty]: "" },
          },
        ] as const,
    ),
    ["null", { status: 200, body: "null" }],
    ...["1e400", "1e18", "-1", '"3600"'].map(
      (lifetime) =>
        [
          `a lifetime of ${lifetime}`,
          {
            status: 200,
            body: `{"access_token":"a","refresh_token":"b","expires_in":${lifetime},"scope":""}`,
          },
        ] as const,
    ),
  ] as const)("%s: the pair is kept, and the next check refreshes it", async (_, fault) => {
    const old = await connect(10);
    failTokenCalls(fault, 2);
    await expect(ensure()).rejects.toMatchObject({ name: "OutboundError" });
    expect(await stored()).toMatchObject({
      access: old.access,
      refresh: old.refresh,
      state: "valid",
      generation: 1,
    });
    service.sandbox.clearFaults();
    const next = await ensure();
    expect(next.accessToken).not.toBe(old.access);
    expect(service.sandbox.storefront.refreshCalls(SHOP).at(-1)?.outcome).toBe("rotated");
  });

  test("a wrong secret of the app costs no store its token: the operator reads what to check, and the corrected secret works again", async () => {
    const old = await connect(10);
    const wrong = "not-the-secret-of-this-app-0123456789";
    await service.call("POST", "/platform/config", { body: { platform_app_secret: wrong } });
    const refused = await service.call("POST", `/admin/storefront-refresh?shop=${SHOP}`);
    expect(refused).toMatchObject({
      status: 502,
      json: {
        code: "token_refresh_failed",
        message: expect.stringContaining("PLATFORM_APP_SECRET"),
      },
    });
    await expect(ensure()).rejects.toMatchObject({ name: "OutboundError", retryable: true });
    expect(await stored()).toMatchObject({ ...old, state: "valid", generation: 1 });
    await service.call("POST", "/platform/config", { body: { platform_app_secret: null } });
    expect((await ensure()).accessToken).not.toBe(old.access);
  });

  test("a lost response is requested again with the same refresh token and returns the same pair", async () => {
    service.sandbox.storefront.settings.refreshRetry = "until_replacement_used";
    await connect(10);
    failTokenCalls({ dropReply: true });
    const { calls, result } = await counting(() => ensure());
    expect(calls).toBe(2);
    expect(
      service.sandbox.storefront
        .refreshCalls(SHOP)
        .slice(-2)
        .map(({ outcome }) => outcome),
    ).toEqual(["rotated", "repeated"]);
    expect((await service.ctx.storefront.shop(SHOP, result.accessToken)).status).toBe(200);
  });

  test("a response that does not come in time is requested again with the same refresh token", async () => {
    service.sandbox.storefront.settings.refreshRetry = "until_replacement_used";
    await connect(10);
    const { storefront } = service.ctx;
    const { refresh } = storefront;
    storefront.refresh = async (...asked) => {
      await refresh(...asked);
      storefront.refresh = refresh;
      throw new OutboundError("storefront", "timeout");
    };
    const { calls, result } = await counting(() => ensure());
    expect(calls).toBe(2);
    expect((await service.ctx.storefront.shop(SHOP, result.accessToken)).status).toBe(200);
  });

  test("at a platform without repetition, a lost response ends in reauth_required without repeated calls", async () => {
    await connect(10);
    failTokenCalls({ dropReply: true });
    const { calls } = await counting(() =>
      Promise.allSettled(Array.from({ length: 20 }, () => ensure())),
    );
    expect(calls).toBe(2);
    expect((await stored()).state).toBe("reauth_required");
  });

  test("lost responses of two refreshes in a row lose nothing", async () => {
    service.sandbox.storefront.settings.refreshRetry = "until_replacement_used";
    await connect(10);
    failTokenCalls({ dropReply: true }, 2);
    await expect(ensure()).rejects.toMatchObject({ name: "OutboundError" });
    expect((await stored()).state).toBe("valid");
    const { accessToken } = await ensure();
    expect((await service.ctx.storefront.shop(SHOP, accessToken)).status).toBe(200);
  });
});

describe("races", () => {
  test.each(["succeeds", "is rejected"])(
    "a newer grant stored during a refresh wins, also one that was entered by hand: the refresh %s",
    async (end) => {
      const newer = { accessToken: "granted-meanwhile", refreshToken: "its-refresh-token" };
      for (const store of [
        () => storeGrant(service.ctx, SHOP, { ...newer, expiresIn: 3_600, scopes: [] }),
        () =>
          service.call("POST", `/config?shop=${SHOP}`, {
            body: {
              storefront_admin_token: newer.accessToken,
              storefront_refresh_token: newer.refreshToken,
            },
          }),
      ]) {
        await connect(10);
        // Another install ends the refresh tokens before it.
        if (end === "is rejected") service.sandbox.storefront.install(SHOP);
        let answer = (): void => {};
        const isStored = new Promise<void>((resolve) => {
          answer = resolve;
        });
        failTokenCalls({ replyAfter: isStored });
        const calls = service.sandbox.requests("storefront").length;
        const refreshing = ensure();
        await eventually(
          "the refresh",
          () => service.sandbox.requests("storefront").length > calls,
        );
        await store();
        answer();
        expect((await refreshing).accessToken).toBe(newer.accessToken);
        expect(await stored()).toMatchObject({
          access: newer.accessToken,
          refresh: newer.refreshToken,
          state: "valid",
        });
      }
    },
  );

  test("settings saved during a refresh are kept, and so is the new pair", async () => {
    const old = await connect(10);
    failTokenCalls({ delayMs: 200 });
    const refreshing = ensure();
    await service.call("POST", `/config?shop=${SHOP}`, { body: { brand_name: "Saved meanwhile" } });
    const { accessToken } = await refreshing;
    const tenant = await getTenant(service.ctx, SHOP);
    expect(tenant.config).toMatchObject({
      brand_name: "Saved meanwhile",
      storefront_admin_token: accessToken,
    });
    expect(accessToken).not.toBe(old.access);
  });

  test("20 forced and 20 checking callers on two contexts make one refresh call and get one token", async () => {
    await connect(-1);
    const second = createCtx({
      channels,
      renderThemeFooters,
      config: service.ctx.config,
      databaseUrl: service.database.serviceUrl,
      baseUrl: service.url,
      log: service.ctx.log,
    });
    const contexts = [service.ctx, second];
    // Both are connected: who forces a refresh after the first one has ended rightly gets another.
    await getTenant(second, SHOP);
    failTokenCalls({ delayMs: 500 });
    const { calls, result } = await counting(() =>
      Promise.all(
        Array.from({ length: 40 }, (_, n) =>
          ensureStorefrontToken(contexts[n % 2] as typeof second, SHOP, { force: n % 4 < 2 }),
        ),
      ),
    );
    await second.close();
    expect(calls).toBe(1);
    expect(new Set(result.map(({ accessToken }) => accessToken)).size).toBe(1);
  });

  test("30 calls that the platform answers with 401 make one refresh, and all succeed", async () => {
    await connect(3_600);
    service.sandbox.storefront.expireAccessTokens(SHOP, -1);
    const { calls, result } = await counting(() =>
      Promise.all(
        Array.from({ length: 30 }, () =>
          callAdminApi<{ shop: { name: string } }>(service.ctx, SHOP, { document: SHOP_QUERY }),
        ),
      ),
    );
    process.stdout.write(`refresh calls for 30 calls answered 401: ${calls}\n`);
    expect(calls).toBe(1);
    expect(result.every(({ shop }) => shop.name.length > 0)).toBe(true);
  });
});
