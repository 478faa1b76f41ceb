// The app install: /auth/install and /auth/callback, and their aliases under /admin.
import { createHmac } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { registrationRequests } from "../../../app/domain/tenants/storefront/webhook-registration.ts";
import { API_TOPICS } from "../../../app/domain/tenants/storefront/webhook-topics.ts";
import { getTenant } from "../../../app/domain/tenants/tenant.ts";
import { beginInstall, install, openCallback } from "../../support/storefront/storefront.ts";
import {
  APP_SECRET,
  CLIENT_ID,
  eventually,
  OTHER_SHOP,
  SHOP,
  startService,
  type Answer,
  type Service,
} from "../../support/service.ts";

const SCOPES =
  "read_customers,write_customers,customer_read_customers,customer_write_customers,read_products,read_orders,read_customer_merge,write_draft_orders,write_app_proxy,write_files";
let service: Service;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());
beforeEach(() => service.database.truncate());

const states = () =>
  service.database.query("SELECT key, value, expires_at FROM kv WHERE key LIKE 'oauth_state:%'");
const tenantRow = async (shop = SHOP) =>
  (
    await service.database.query("SELECT value FROM kv WHERE shop = $1 AND key = $2", [
      shop,
      `tenant:${shop}`,
    ])
  )[0]?.value;
const tokenCalls = () =>
  service.sandbox.requests("storefront").filter(({ path }) => path.includes("access_token"));

/** Signs a callback again after changing its query. */
function resign(callback: URL, changes: Record<string, string | null>): URL {
  const changed = new URL(callback);
  for (const [name, value] of Object.entries(changes))
    if (value === null) changed.searchParams.delete(name);
    else changed.searchParams.set(name, value);
  changed.searchParams.delete("hmac");
  const message = [...changed.searchParams]
    .map(([name, value]) => `${name}=${value}`)
    .sort()
    .join("&");
  changed.searchParams.set("hmac", createHmac("sha256", APP_SECRET).update(message).digest("hex"));
  return changed;
}

describe("the start", () => {
  test.each(["/auth/install", "/admin/storefront-install"])(
    "at %s redirects to the store's grant screen with exactly our scopes, redirect URI and a state",
    async (path) => {
      const { location, cookie, setCookie } = await beginInstall(service, SHOP, path);
      expect(location.origin + location.pathname).toBe(
        service.sandbox.addresses.storefrontUrlTemplate.replace("{shop}", SHOP) +
          "/admin/oauth/authorize",
      );
      const state = location.searchParams.get("state");
      expect(Object.fromEntries(location.searchParams)).toEqual({
        client_id: CLIENT_ID,
        scope: SCOPES,
        redirect_uri: `${service.url}/auth/callback`,
        state,
      });
      expect(cookie).toBe(`crm_install=${state}`);
      expect(setCookie).toContain("HttpOnly; SameSite=Lax; Max-Age=600");
      const [kept] = await states();
      expect(kept).toMatchObject({ key: `oauth_state:${state}`, value: { shop: SHOP } });
      expect(kept.expires_at.getTime() - Date.now()).toBeGreaterThan(590_000);
      expect(kept.expires_at.getTime() - Date.now()).toBeLessThanOrEqual(600_000);
    },
  );

  test("needs no key, registers no store, and has a new state each time", async () => {
    const [one, two] = [await beginInstall(service), await beginInstall(service)];
    expect(one.cookie).not.toBe(two.cookie);
    expect(await tenantRow()).toBeUndefined();
  });

  test.each([
    "",
    "?shop=",
    "?shop=elsewhere.example",
    `?shop=${SHOP}.elsewhere.example`,
    "?shop=https%3A%2F%2Felsewhere.example",
  ])("without a valid store is rejected without a redirect: %s", async (query) => {
    const answer = await service.call("GET", `/auth/install${query}`, { key: null });
    expect([
      answer.status,
      answer.headers.get("location"),
      answer.headers.get("set-cookie"),
    ]).toEqual([400, null, null]);
    expect(await states()).toEqual([]);
  });
});

describe("the callback", () => {
  test("of a grant that states no scopes says of none that it is missing, and the shopper's page offers the store's sign-in", async () => {
    const { callback, cookie } = await beginInstall(service);
    service.sandbox.failNext("storefront", {
      status: 200,
      body: { access_token: "granted", refresh_token: "renews", expires_in: 3_600 },
      match: "access_token",
    });
    expect((await openCallback(service, callback, cookie)).status).toBe(302);
    expect((await getTenant(service.ctx, SHOP)).connection.granted_scopes).toBeUndefined();
    const page = await service.call("GET", `/embed/account?shop=${SHOP}`, { key: null });
    expect(page.text).toContain("/auth/storefront/login");
  });

  test.each(["/auth/callback", "/admin/storefront-callback"])(
    "at %s stores the encrypted pair, registers the store and redirects into the app",
    async (path) => {
      const { callback, cookie } = await beginInstall(service);
      callback.pathname = path;
      const answer = await openCallback(service, callback, cookie);
      expect(answer.status).toBe(302);
      expect(answer.headers.get("location")).toBe(
        `${service.sandbox.addresses.storefrontUrlTemplate.replace("{shop}", SHOP)}/admin/apps/${CLIENT_ID}`,
      );
      expect(answer.headers.get("set-cookie")).toContain(
        "crm_install=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0",
      );
      const row = await tenantRow();
      expect(row).toMatchObject({
        storefront_admin_token: expect.stringMatching(/^sealed:/),
        storefront_refresh_token: expect.stringMatching(/^sealed:/),
        storefront_store_domain: SHOP,
      });
      expect(
        Math.abs(Date.parse(row.storefront_token_expires_at) - Date.now() - 3_600_000),
      ).toBeLessThan(60_000);
      expect(JSON.stringify(row)).not.toContain("sandbox-access");
      expect((await service.call("GET", `/admin/storefront-test?shop=${SHOP}`)).json).toEqual({
        ok: true,
        status: 200,
        shop: SHOP,
      });
      expect(await states()).toEqual([]);
    },
  );

  test("exchanges the code form-encoded and requests an expiring token", async () => {
    const { callback, cookie } = await beginInstall(service);
    const before = tokenCalls().length;
    await openCallback(service, callback, cookie);
    const [call] = tokenCalls().slice(before);
    expect(call?.headers["content-type"]).toBe("application/x-www-form-urlencoded");
    expect(call?.body).toEqual({
      client_id: CLIENT_ID,
      client_secret: APP_SECRET,
      code: callback.searchParams.get("code"),
      expiring: "1",
    });
  });

  test("registers the eleven webhooks about the store's data, once however often it is repeated", async () => {
    const shop = "repeated-store.myshopify.com";
    for (let round = 0; round < 2; round += 1) {
      await install(service, shop);
      const subscriptions = service.sandbox.storefront
        .subscriptions(shop)
        .map(({ topic, uri }) => `${topic} ${uri}`);
      expect(subscriptions.sort()).toEqual(
        API_TOPICS.map(
          ({ graphqlTopic, slug }) => `${graphqlTopic} ${service.url}/webhooks/${slug}`,
        ).sort(),
      );
      expect(subscriptions).toHaveLength(11);
    }
  });

  test("removes what an earlier version registered for the topics of the manifest, which would come twice", async () => {
    const shop = "older-store.myshopify.com";
    await install(service, shop);
    const elsewhere = "https://other.example/webhooks/app-uninstalled-audit";
    service.sandbox.storefront.subscribe(
      shop,
      "app/uninstalled",
      `${service.url}/webhooks/app-uninstalled`,
    );
    service.sandbox.storefront.subscribe(shop, "app/uninstalled", elsewhere);
    await install(service, shop);
    const ofTopic = service.sandbox.storefront
      .subscriptions(shop)
      .filter(({ topic }) => topic === "APP_UNINSTALLED");
    expect(ofTopic.map(({ uri }) => uri)).toEqual([elsewhere]);
  });

  test("registers each webhook on its own: a refused one costs no other, and its reason is kept", async () => {
    const shop = "refusing-store.myshopify.com";
    const [merge, orders] = ["Missing scope for webhook topic: CUSTOMERS_MERGE", "Not approved"];
    service.sandbox.storefront.refuseTopic(shop, "customers/merge", merge);
    service.sandbox.storefront.refuseTopic(shop, "orders/create", orders);
    await install(service, shop);
    const topics = () =>
      service.sandbox.storefront
        .subscriptions(shop)
        .map(({ topic }) => topic)
        .sort();
    const registered = (except: string[]) =>
      API_TOPICS.filter(({ name }) => !except.includes(name))
        .map(({ graphqlTopic }) => graphqlTopic)
        .sort();
    const refused = async () => (await getTenant(service.ctx, shop)).connection.refused_webhooks;
    expect(topics()).toEqual(registered(["customers/merge", "orders/create"]));
    expect(await refused()).toEqual([
      { topic: "customers/merge", reason: merge },
      { topic: "orders/create", reason: orders },
    ]);

    service.sandbox.storefront.refuseTopic(shop, "orders/create", null);
    await install(service, shop);
    expect(topics()).toEqual(registered(["customers/merge"]));
    expect(await refused()).toEqual([{ topic: "customers/merge", reason: merge }]);

    service.sandbox.storefront.refuseTopic(shop, "customers/merge", null);
    await install(service, shop);
    expect(topics()).toEqual(registered([]));
    expect(await refused()).toBeUndefined();
  });

  test("succeeds although the webhooks cannot be registered at the moment, and leaves them to the worker", async () => {
    service.sandbox.failNext("storefront", { status: 503, match: "graphql" }, Infinity);
    await install(service);
    service.sandbox.clearFaults();
    expect((await getTenant(service.ctx, SHOP)).connection.token_state).toBe("valid");
    expect(await registrationRequests.list(service.ctx, 10)).toMatchObject([{ shop: SHOP }]);
  });

  test("repairs a store whose refresh token the platform no longer accepts", async () => {
    await install(service);
    service.sandbox.storefront.revokeRefreshToken(SHOP);
    expect((await service.call("POST", `/admin/storefront-refresh?shop=${SHOP}`)).status).toBe(502);
    const state = async () =>
      (await service.call("GET", "/admin/tenants")).json.tenants[0].token.state as string;
    expect(await state()).toBe("reauth_required");
    await install(service);
    expect(await state()).toBe("valid");
    expect((await service.call("POST", `/admin/storefront-refresh?shop=${SHOP}`)).status).toBe(200);
  });

  test("keeps the store's earlier configuration", async () => {
    await service.addTenant(SHOP, { brand_name: "Kept", admin_key: "kept-admin-key-0123456789" });
    await install(service);
    expect(
      (await service.call("GET", `/config?shop=${SHOP}`, { key: "kept-admin-key-0123456789" })).json
        .config.brand_name,
    ).toBe("Kept");
  });

  test("accepts no other method", async () => {
    for (const path of ["/auth/callback", "/auth/install"])
      expect((await service.call("POST", path, { body: {} })).status).toBe(405);
  });
});

test("of three callbacks at once the last grant is stored, so that its refresh token works", async () => {
  const begun = await Promise.all([1, 2, 3].map(() => beginInstall(service)));
  // The first to be granted is the last to be answered.
  for (const delayReplyMs of [300, 150])
    service.sandbox.failNext("storefront", { delayReplyMs, match: "access_token" });
  const answers = await Promise.all(
    begun.map(({ callback, cookie }) => openCallback(service, callback, cookie)),
  );
  expect(answers.map(({ status }) => status)).toEqual([302, 302, 302]);
  const refreshed = await service.call("POST", `/admin/storefront-refresh?shop=${SHOP}`);
  expect([refreshed.status, refreshed.json.ok]).toEqual([200, true]);
});

/** Opens the callback, whose grant is answered when it goes on. */
async function suspendAfterGrant({
  callback,
  cookie,
}: Pick<Awaited<ReturnType<typeof beginInstall>>, "callback" | "cookie">) {
  let goOn!: () => void;
  const replyAfter = new Promise<void>((resolve) => (goOn = resolve));
  service.sandbox.failNext("storefront", { replyAfter, match: "access_token" });
  const granted = tokenCalls().length;
  const suspended = openCallback(service, callback, cookie);
  await eventually("the grant", () => tokenCalls().length > granted);
  return { suspended, goOn };
}

test("a callback that was suspended while another one was granted does not store its older grant", async () => {
  const [first, second] = [await beginInstall(service), await beginInstall(service)];
  const { suspended, goOn } = await suspendAfterGrant(first);
  // As after a suspension of the process: its lease is over.
  await service.database.query(
    "UPDATE kv SET expires_at = now() - interval '1 second' WHERE key = 'lease:storefront_install'",
  );
  expect((await openCallback(service, second.callback, second.cookie)).status).toBe(302);
  goOn();
  expect((await suspended).status).toBe(302);
  const refreshed = await service.call("POST", `/admin/storefront-refresh?shop=${SHOP}`);
  expect([refreshed.status, refreshed.json.ok]).toEqual([200, true]);
});

test("a callback that was suspended while nothing else was granted stores its grant", async () => {
  const { suspended, goOn } = await suspendAfterGrant(await beginInstall(service));
  await service.database.query("DELETE FROM kv WHERE key = 'lease:storefront_install'");
  goOn();
  expect((await suspended).status).toBe(302);
  expect((await getTenant(service.ctx, SHOP)).connection.token_state).toBe("valid");
});

describe("a callback is rejected, and nothing is exchanged or stored,", () => {
  let exchanged: number;
  beforeEach(() => {
    exchanged = tokenCalls().length;
  });
  async function expectRefused(answer: Answer, status: number, code: string): Promise<void> {
    expect([answer.status, answer.json.code, answer.headers.get("set-cookie")]).toEqual([
      status,
      code,
      null,
    ]);
    expect(tokenCalls()).toHaveLength(exchanged);
    expect(await tenantRow()).toBeUndefined();
  }

  test.each([
    ["wrong", "0".repeat(64)],
    ["empty", ""],
    ["in upper case", "upper"],
  ])("when its hmac is %s", async (_, hmac) => {
    const { callback, cookie } = await beginInstall(service);
    callback.searchParams.set(
      "hmac",
      hmac === "upper" ? (callback.searchParams.get("hmac") as string).toUpperCase() : hmac,
    );
    await expectRefused(await openCallback(service, callback, cookie), 400, "invalid_install");
    expect(await states()).toHaveLength(1);
  });

  test.each(["code", "state", "shop", "hmac"])("when it has no %s", async (name) => {
    const { callback, cookie } = await beginInstall(service);
    const changed = name === "hmac" ? callback : resign(callback, { [name]: null });
    if (name === "hmac") changed.searchParams.delete("hmac");
    await expectRefused(await openCallback(service, changed, cookie), 400, "invalid_install");
  });

  test("when its query was changed after it was signed", async () => {
    const { callback, cookie } = await beginInstall(service);
    callback.searchParams.set("shop", OTHER_SHOP);
    await expectRefused(await openCallback(service, callback, cookie), 400, "invalid_install");
  });

  test("when the browser is not the one that started: no cookie, or another's", async () => {
    const { callback } = await beginInstall(service);
    const other = await beginInstall(service);
    for (const cookie of [null, "crm_install=", other.cookie, "crm_install_x=1"])
      await expectRefused(await openCallback(service, callback, cookie), 401, "invalid_state");
  });

  test("when its state belongs to another store", async () => {
    const { callback, cookie } = await beginInstall(service, OTHER_SHOP);
    await expectRefused(
      await openCallback(service, resign(callback, { shop: SHOP }), cookie),
      401,
      "invalid_state",
    );
  });

  test("when its state belongs to another sign-in flow", async () => {
    const { callback, cookie } = await beginInstall(service);
    await service.database.query(
      `UPDATE kv SET value = value || '{"kind":"federated"}' WHERE key LIKE 'oauth_state:%'`,
    );
    await expectRefused(await openCallback(service, callback, cookie), 401, "invalid_state");
  });

  test("when its state is older than ten minutes", async () => {
    const { callback, cookie } = await beginInstall(service);
    await service.database.query(
      "UPDATE kv SET expires_at = now() - interval '1 second' WHERE key LIKE 'oauth_state:%'",
    );
    await expectRefused(await openCallback(service, callback, cookie), 401, "invalid_state");
  });

  test("when it is used a second time, also concurrently", async () => {
    const { callback, cookie } = await beginInstall(service);
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => openCallback(service, callback, cookie)),
    );
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([
      302, 401, 401, 401, 401,
    ]);
    expect((await openCallback(service, callback, cookie)).status).toBe(401);
    expect(tokenCalls()).toHaveLength(exchanged + 1);
  });

  test("when the store's platform issues no token: 502, and the store stays unregistered", async () => {
    const { callback, cookie } = await beginInstall(service);
    service.sandbox.failNext("storefront", { status: 500, match: "access_token" }, Infinity);
    const answer = await openCallback(service, callback, cookie);
    service.sandbox.clearFaults();
    expect([answer.status, answer.json.error]).toEqual([502, "BadGateway"]);
    expect(await tenantRow()).toBeUndefined();
  });
});
