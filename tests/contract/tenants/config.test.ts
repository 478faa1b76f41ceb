// POST and GET /config: what is stored, what is returned, and the required keys.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  ADMIN_KEY,
  APP_SECRET,
  OTHER_SHOP,
  SHOP,
  startService,
  type Answer,
  type Service,
} from "../../support/service.ts";

const TENANT_KEY = "tenant-key-of-the-test-store";
const OTHER_KEY = "tenant-key-of-the-other-store";
let service: Service;

beforeAll(async () => {
  service = await startService({
    env: {
      ANALYTICS_MEASUREMENT_ID: "G-DEPLOYED",
      EMAIL_FROM: "Deployed <hello@deployed.example>",
    },
  });
  await service.addTenant(SHOP, { admin_key: TENANT_KEY });
  await service.addTenant(OTHER_SHOP, { admin_key: OTHER_KEY });
});
afterAll(() => service.stop());

const save = (body: unknown, key: string | null = ADMIN_KEY, shop = SHOP): Promise<Answer> =>
  service.call("POST", `/config?shop=${shop}`, { body, key });
const show = async (shop = SHOP): Promise<Record<string, unknown>> =>
  (await service.call("GET", `/config?shop=${shop}`)).json.config;
const stored = async (shop = SHOP): Promise<unknown> =>
  (
    await service.database.query("SELECT value FROM kv WHERE shop = $1 AND key = $2", [
      shop,
      `tenant:${shop}`,
    ])
  )[0]?.value;

describe("saving", () => {
  test("registers a store once and reports it", async () => {
    const shop = "new-store.myshopify.com";
    expect((await save({ brand_name: "New" }, ADMIN_KEY, shop)).json).toEqual({
      ok: true,
      shop,
      registered: true,
    });
    expect((await save({ brand_name: "Newer" }, ADMIN_KEY, shop)).json).toEqual({
      ok: true,
      shop,
      registered: false,
    });
    expect(await show(shop)).toMatchObject({ brand_name: "Newer", storefront_store_domain: shop });
  });

  test("ten times concurrently registers a store once and loses no field", async () => {
    const shop = "busy-store.myshopify.com";
    const fields = [
      "brand_name",
      "erp_username",
      "consent_policy_version",
      "wms_system",
      "cms_site_id",
      "federated_client_id",
      "storefront_shop_id",
      "support_email",
      "terms_url",
      "locale",
    ];
    const values: Record<string, unknown> = {
      storefront_shop_id: "7",
      support_email: "help@store.example",
      terms_url: "https://store.example/terms",
      locale: "fr",
    };
    const answers = await Promise.all(
      fields.map((name) => save({ [name]: values[name] ?? "x" }, ADMIN_KEY, shop)),
    );
    expect(answers.filter(({ json }) => json.registered)).toHaveLength(1);
    expect(Object.keys((await stored(shop)) as object).sort()).toEqual(
      [...fields, "registered_at", "connection", "storefront_store_domain"].sort(),
    );
  });

  test("leaves every other field unchanged", async () => {
    await save({ brand_name: "Kept", terms_url: "https://store.example/terms" });
    await save({ terms_url: "https://store.example/new" });
    expect(await show()).toMatchObject({
      brand_name: "Kept",
      terms_url: "https://store.example/new",
    });
  });

  test("takes a choice's lifetime from 1 to 24 months, and null for the default", async () => {
    const lifetime = async () => (await show()).consent_lifetime_months;
    expect((await save({ consent_lifetime_months: 6 })).status).toBe(200);
    expect(await lifetime()).toBe(6);
    for (const months of [0, 25, 6.5, "6"])
      expect((await save({ consent_lifetime_months: months })).json).toMatchObject({
        error: expect.any(String),
        fields: { consent_lifetime_months: expect.any(String) },
      });
    expect(await lifetime()).toBe(6);
    await save({ consent_lifetime_months: null });
    expect(await lifetime()).toBe(12);
  });

  test("removes a field that is sent as null", async () => {
    await save({ brand_name: "Gone", erp_password: "erp-password-0123456789" });
    expect((await save({ brand_name: null, erp_password: null, logo_url: null })).status).toBe(200);
    const config = await show();
    for (const name of ["brand_name", "erp_password", "logo_url"])
      expect(config).not.toHaveProperty(name);
  });

  test("maps storefront_access_token to storefront_admin_token", async () => {
    expect((await save({ storefront_access_token: "alias-token-0123456789" })).status).toBe(200);
    expect(await show()).toMatchObject({ storefront_admin_token: "alia****6789" });
    await save({ storefront_access_token: null });
    expect(await show()).not.toHaveProperty("storefront_admin_token");
  });

  test("names every unknown field and stores nothing", async () => {
    const before = await stored();
    const answer = await save({
      brand_name: "Not stored",
      shop_colour: "red",
      __proto__x: 1,
      constructor: "x",
      connection: {},
      registered_at: "1970",
    });
    expect([answer.status, answer.json.code]).toEqual([400, "unknown_fields"]);
    expect(Object.keys(answer.json.fields).sort()).toEqual([
      "__proto__x",
      "connection",
      "constructor",
      "registered_at",
      "shop_colour",
    ]);
    expect(await stored()).toEqual(before);
  });

  test("stores nothing and registers no store when one field is invalid", async () => {
    const wrong = {
      support_email: "nobody",
      event_routes: [{ event_type: "*", channels: [] }],
      analytics_measurement_id: "UA-1",
      password_iterations: 1,
      admin_key: "short",
      storefront_store_domain: OTHER_SHOP,
      region: "nowhere",
      email_from: "a\r\nBcc: b@c.example <a@b.example>",
    };
    for (const [name, value] of Object.entries(wrong)) {
      const shop = "wrong-store.myshopify.com";
      const answer = await save({ brand_name: "Not stored", [name]: value }, ADMIN_KEY, shop);
      expect([name, answer.status, await stored(shop)]).toEqual([name, 400, undefined]);
    }
    const [before, answer] = [
      await stored(),
      await save({ brand_name: "Not stored", locale: "xx" }),
    ];
    expect(answer.json.fields).toEqual({ locale: expect.any(String) });
    expect(await stored()).toEqual(before);
  });
});

describe("the returned configuration", () => {
  test("contains the default of every field that the store has not saved", async () => {
    const shop = "plain-store.myshopify.com";
    await save({ brand_name: "Plain" }, ADMIN_KEY, shop);
    expect(await show(shop)).toEqual({
      brand_name: "Plain",
      brand_corner_radius: 8,
      brand_font: "system",
      storefront_store_domain: shop,
      region: "default",
      access_role: "private",
      wms_system: "none",
      password_iterations: 100_000,
      require_email_verification: false,
      flow_enabled: false,
      profile_platform_enabled: false,
      erp_format: "odata_json",
      agent_access_enabled: true,
      agent_payments_enabled: true,
      consent_mode: "basic",
      consent_lifetime_months: 12,
      script_blocking: { enabled: false, run: [], block: [] },
      self_service_tag_categories: ["campaign", "marketing"],
      tag_rules: {
        new_days: 30,
        inactive_after_days: 365,
        at_risk_days: 180,
        high_value_amount: 500,
        vip_amount: 1000,
        vip_orders: 10,
      },
      locale: "en",
      event_log_retention_days: 30,
      delivery_log_retention_days: 30,
      webhook_retention_days: 30,
      archive_retention_days: 365,
      tag_run_retention_days: 90,
      agent_activity_retention_days: 90,
      privacy_request_retention_days: 1095,
      data_export_retention_days: 30,
      access_log_retention_days: 365,
    });
    await save({ agent_access_enabled: false, wms_system: "acme" }, ADMIN_KEY, shop);
    expect(await show(shop)).toMatchObject({ agent_access_enabled: false, wms_system: "acme" });
  });

  test("has days of retention within their range only", async () => {
    const shop = "retaining-store.myshopify.com";
    expect((await save({ archive_retention_days: 30 }, ADMIN_KEY, shop)).status).toBe(200);
    for (const days of [29, 3651, 45.5, "90", 0, -1, 1e9]) {
      const answer = await save({ archive_retention_days: days }, ADMIN_KEY, shop);
      expect([days, answer.status, answer.json.fields]).toEqual([
        days,
        400,
        { archive_retention_days: expect.any(String) },
      ]);
    }
    expect(await show(shop)).toMatchObject({ archive_retention_days: 30 });
    await save({ archive_retention_days: null }, ADMIN_KEY, shop);
    expect((await show(shop)).archive_retention_days).toBe(365);
  });

  test("contains none of the service's shared credentials", async () => {
    const shop = "borrowing-store.myshopify.com";
    await save({ brand_name: "Borrowing" }, ADMIN_KEY, shop);
    const shown = await show(shop);
    for (const name of ["analytics_measurement_id", "email_from", "federated_issuer"])
      expect(shown).not.toHaveProperty(name);
  });

  test("changes nothing when it is sent back, also with the store's own key", async () => {
    const [shop, ownKey] = ["returning-store.myshopify.com", "admin-key-of-returning-store"];
    await save({ admin_key: ownKey }, ADMIN_KEY, shop);
    const before = await stored(shop);
    for (const key of [ADMIN_KEY, ownKey]) {
      expect((await save(await show(shop), key, shop)).status).toBe(200);
      expect(await stored(shop)).toEqual(before);
    }
  });
});

describe("an inbound secret", () => {
  const WEAK = "fifteen-charact";

  test.each(["storefront_app_secret", "admin_key", "erp_token", "jwt_secret"])(
    "below 16 characters is rejected: %s",
    async (name) => {
      const shop = "refused-store.myshopify.com";
      const answer = await save({ brand_name: "Not stored", [name]: WEAK }, ADMIN_KEY, shop);
      expect([answer.status, answer.json.fields, await stored(shop)]).toEqual([
        400,
        { [name]: "must be at least 16 characters" },
        undefined,
      ]);
      expect((await save({ [name]: `${WEAK}-` }, ADMIN_KEY, "strong.myshopify.com")).status).toBe(
        200,
      );
    },
  );

  test("that was stored shorter before the minimum existed is not accepted", async () => {
    const shop = "weak-store.myshopify.com";
    await save({ brand_name: "Weak" }, ADMIN_KEY, shop);
    const raw = JSON.stringify({ id: 1, email: "a@b.example" });
    for (const [name, value] of [
      ["storefront_app_secret", "x"],
      ["admin_key", "x"],
      ["erp_token", "x"],
    ] as const) {
      await service.database.query(
        `UPDATE kv SET value = value || jsonb_build_object($2::text, $3::text),
          version = version + 1 WHERE key = $1`,
        [`tenant:${shop}`, name, value],
      );
      expect((await service.call("GET", `/config?shop=${shop}`, { key: value })).status).toBe(401);
      expect((await service.webhook("customer-update", raw, { shop, secret: value })).status).toBe(
        401,
      );
      const ingested = await service.call("POST", `/events/ingest?shop=${shop}&source=erpsys`, {
        body: { event_type: "invoice.created", entity_id: "1", payload: {} },
        key: value,
      });
      expect(ingested.status).toBe(401);
    }
    expect((await service.webhook("customer-update", raw, { shop })).status).toBe(200);
  });
});

test("a store may set at most a million password iterations", async () => {
  expect((await save({ password_iterations: 1_000_001 })).json.fields).toEqual({
    password_iterations: expect.any(String),
  });
  expect((await save({ password_iterations: 1_000_000 })).status).toBe(200);
  await save({ password_iterations: null });
});

describe("a credential", () => {
  const SECRETS = {
    cms_api_token: "cms-token-in-the-clear-1",
    jwt_secret: "jwt-secret-in-the-clear-2",
    federated_client_secret: "federated-in-the-clear-3",
    erp_password: "erp-pass-in-the-clear-4",
    storefront_app_secret: "app-secret-in-the-clear-5",
    storefront_admin_token: "admin-token-in-the-clear-6",
    storefront_refresh_token: "refresh-in-the-clear-7",
    email_api_key: "email-key-in-the-clear-8",
    storefront_api_token: "api-token-in-the-clear-9",
    erp_token: "erp-token-in-the-clear-10",
    retail_analytics_b_token: "retail-in-the-clear-11",
    profile_platform_token: "profile-in-the-clear-12",
    analytics_api_secret: "analytics-in-the-clear-13",
    storefront_customer_account_client_secret: "customer-in-the-clear-14",
  };
  const shop = "secret-store.myshopify.com";
  beforeAll(async () => {
    await save({ ...SECRETS, admin_key: "admin-key-in-the-clear-15" }, ADMIN_KEY, shop);
  });

  test("is masked to its first and last four characters", async () => {
    expect(await show(shop)).toMatchObject({
      cms_api_token: "cms-****ar-1",
      admin_key: "admi****r-15",
    });
    expect(JSON.stringify(await show(shop))).not.toContain("in-the-clear");
  });

  test("shorter than twelve characters is masked completely", async () => {
    await save({ erp_password: "elevenchars" });
    expect(await show()).toMatchObject({ erp_password: "****" });
    await save({ erp_password: "twelve-chars" });
    expect(await show()).toMatchObject({ erp_password: "twel****hars" });
    await save({ erp_password: null });
  });

  test("survives a form that sends back the masked value", async () => {
    const before = await stored(shop);
    expect((await save(await show(shop), ADMIN_KEY, shop)).status).toBe(200);
    expect(await stored(shop)).toEqual(before);
  });

  test("survives a form that was rendered before the credential was replaced", async () => {
    const shop = "replacing-store.myshopify.com";
    await save({ cms_api_token: "rendered-before-0123456789" }, ADMIN_KEY, shop);
    const old = await show(shop);
    await save({ cms_api_token: "replaced-meanwhile-0123456789" }, ADMIN_KEY, shop);
    expect((await save(old, ADMIN_KEY, shop)).status).toBe(200);
    expect(await show(shop)).toMatchObject({ cms_api_token: "repl****6789" });
  });

  test("is never replaced by a masked value", async () => {
    await save({ erp_token: null });
    for (const mask of ["****", "abcd****wxyz"]) {
      const answer = await save({ erp_token: mask });
      expect([answer.status, Object.keys(answer.json.fields)]).toEqual([400, ["erp_token"]]);
    }
    expect(await show()).not.toHaveProperty("erp_token");
  });

  test("is stored in no table in clear text", async () => {
    const tables = await service.database.query<{ name: string }>(
      "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'",
    );
    const dumps = await Promise.all(
      tables.map(({ name }) =>
        service.database.query(`SELECT row_to_json(t)::text AS row FROM "${name}" t`),
      ),
    );
    const dump = JSON.stringify(dumps);
    expect(dump).toContain("sealed:v1:");
    expect(dump).not.toContain("in-the-clear");
    expect(JSON.stringify(service.logged)).not.toContain("in-the-clear");
  });

  test("copied to another store's record cannot be decrypted there", async () => {
    const copying = "copying-store.myshopify.com";
    await save({ brand_name: "Copying" }, ADMIN_KEY, copying);
    await service.database.query(
      `UPDATE kv SET value = value || jsonb_build_object('cms_api_token',
        (SELECT value->'cms_api_token' FROM kv WHERE shop = $1 AND key = $2)), version = version + 1
        WHERE shop = $3 AND key = $4`,
      [shop, `tenant:${shop}`, copying, `tenant:${copying}`],
    );
    const answer = await service.call("GET", `/config?shop=${copying}`);
    expect(answer.status).toBe(500);
    expect(answer.text).not.toContain("clear");
  });
});

describe("a value the store saved", () => {
  test("overrides the deployed one, which applies again when it is removed", async () => {
    const sender = async () =>
      (await import("../../../app/domain/tenants/tenant.ts")).getTenant(service.ctx, OTHER_SHOP);
    await save(
      { email_from: "Own <own@store.example>", email_api_key: "own-mail-key-0123456789" },
      OTHER_KEY,
      OTHER_SHOP,
    );
    expect((await sender()).config.email_from).toBe("Own <own@store.example>");
    await save({ email_from: null, email_api_key: null }, OTHER_KEY, OTHER_SHOP);
    expect((await sender()).config.email_from).toBe("Deployed <hello@deployed.example>");
    expect(await show(OTHER_SHOP)).not.toHaveProperty("email_from");
  });
});

describe("the admin key", () => {
  const reads = async (key: string | null, shop = SHOP) =>
    (await service.call("GET", `/config?shop=${shop}`, { key })).status;

  test("is the store's own, the operator's or the app secret", async () => {
    for (const key of [TENANT_KEY, ADMIN_KEY, APP_SECRET]) expect(await reads(key)).toBe(200);
  });

  test("that is missing, wrong, of another store or a part of a valid one is rejected", async () => {
    for (const key of [
      null,
      "wrong-key-0123456789",
      OTHER_KEY,
      TENANT_KEY.slice(0, -1),
      `${ADMIN_KEY} `.repeat(2).trim(),
      "",
    ])
      expect(await reads(key)).toBe(401);
    expect(await reads(TENANT_KEY, OTHER_SHOP)).toBe(401);
    const before = await stored(OTHER_SHOP);
    expect((await save({ brand_name: "Taken over" }, TENANT_KEY, OTHER_SHOP)).status).toBe(401);
    expect(await stored(OTHER_SHOP)).toEqual(before);
  });

  test("of a store does not reveal which other stores exist", async () => {
    expect(await reads(TENANT_KEY, "unknown-store.myshopify.com")).toBe(401);
  });

  test("is accepted with its scheme in any case, and the 401 names the scheme", async () => {
    expect(
      (
        await service.call("GET", `/config?shop=${SHOP}`, {
          key: null,
          headers: { Authorization: `bearer ${TENANT_KEY}` },
        })
      ).status,
    ).toBe(200);
    const refused = await service.call("GET", `/config?shop=${SHOP}`, {
      key: null,
      headers: { Authorization: `Basic ${TENANT_KEY}` },
    });
    expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
  });

  test("of a shared store cannot change where its events go, and may send back what it is shown", async () => {
    await save({ access_role: "shared", enabled_channels: ["archive", "cms"] });
    const before = await stored();
    const routes = [{ event_type: "customer.*", channels: ["archive"] }];
    for (const key of [TENANT_KEY, APP_SECRET])
      for (const [name, value] of Object.entries({
        enabled_channels: ["archive"],
        event_routes: routes,
        event_bus_phase: 5,
      })) {
        const refused = await save({ [name]: value, brand_name: "Sneaked in" }, key);
        expect([refused.status, Object.keys(refused.json.fields)]).toEqual([403, [name]]);
      }
    expect((await save({ enabled_channels: null }, TENANT_KEY)).status).toBe(403);
    expect(await stored()).toEqual(before);
    const { enabled_channels, event_bus_phase, event_routes = null } = await show();
    const shown = { enabled_channels, event_bus_phase, event_routes };
    expect((await save(shown, TENANT_KEY)).status).toBe(200);
    expect((await save({ enabled_channels: null, access_role: null })).status).toBe(200);
  });

  test("does not make a store shared and give it ERP credentials in one save", async () => {
    const refused = await save({ access_role: "shared", erp_username: "sap-user" });
    expect([refused.status, Object.keys(refused.json.fields)]).toEqual([403, ["erp_username"]]);
  });

  test("other than the operator's cannot change access role or region, not even by removing them", async () => {
    await save({ access_role: "shared" });
    const before = await stored();
    for (const key of [TENANT_KEY, APP_SECRET]) {
      for (const body of [
        { access_role: "creator" },
        { access_role: null },
        { region: "eu" },
        { access_role: "private", brand_name: "Sneaked in" },
      ])
        expect((await save(body, key)).status).toBe(403);
      expect((await save({ access_role: "shared", locale: "es" }, key)).status).toBe(200);
    }
    await save({ locale: null });
    expect(await stored()).toEqual(before);
  });
});
