// GET and POST /platform/config: the configuration shared by all stores, opened by the operator's
// key only.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { getTenant } from "../../../app/domain/tenants/tenant.ts";
import { sign } from "../../support/service.ts";
import {
  ADMIN_KEY,
  APP_SECRET,
  CLIENT_ID,
  SHOP,
  startService,
  type Service,
} from "../../support/service.ts";

const TENANT_KEY = "tenant-key-of-the-test-store";
const NEW_SECRET = "rotated-app-secret-0123456789";
let service: Service;

beforeAll(async () => {
  service = await startService();
  await service.addTenant(SHOP, { admin_key: TENANT_KEY, access_role: "creator" });
});
afterAll(() => service.stop());

const save = (body: unknown, key: string | null = ADMIN_KEY) =>
  service.call("POST", "/platform/config", { body, key });
const show = async () =>
  (await service.call("GET", "/platform/config")).json.config as Record<string, unknown>;

const SHARED = {
  email_api_key: "shared-mail-key-in-the-clear",
  erp_username: "shared-user",
  erp_password: "shared-erp-in-the-clear",
};
/** What a test of the shared configuration may leave beside these. */
const OTHERS = {
  erp_base_url: null,
  federated_client_id: null,
  archive_url: null,
  email_from: null,
};

describe("the shared configuration", () => {
  let atFirst: Record<string, unknown>;
  beforeAll(async () => {
    atFirst = await show();
  });
  beforeEach(async () => {
    await save({ ...SHARED, ...OTHERS });
  });

  test("is empty at first", () => {
    expect(atFirst).toEqual({});
  });

  test("is returned with every credential masked, and survives being sent back", async () => {
    expect((await save(SHARED)).json).toEqual({ ok: true });
    expect(await show()).toEqual({
      email_api_key: "shar****lear",
      erp_username: "shared-user",
      erp_password: "shar****lear",
    });
    expect((await save(await show())).status).toBe(200);
    expect((await getTenant(service.ctx, SHOP)).config).toMatchObject({
      email_api_key: "shared-mail-key-in-the-clear",
      erp_password: "shared-erp-in-the-clear",
    });
  });

  test("is stored encrypted", async () => {
    const [row] = await service.database.query(
      "SELECT value::text AS text FROM kv WHERE shop = '*' AND key = 'platform:config'",
    );
    expect(row.text).not.toContain("in-the-clear");
    expect(row.text).toContain("shared-user");
  });

  test.each(["private", "shared"])(
    "shares no ERP settings with a `%s` store",
    async (access_role) => {
      await service.addTenant(SHOP, { access_role });
      const { config } = await getTenant(service.ctx, SHOP);
      expect([config.erp_username, config.erp_password, config.email_api_key]).toEqual([
        undefined,
        undefined,
        "shared-mail-key-in-the-clear",
      ]);
      await service.addTenant(SHOP, { access_role: "creator" });
    },
  );

  test("applies to a store that saved nothing of the same group, never mixed with the store's own", async () => {
    await service.addTenant(SHOP, { erp_username: "own-user" });
    const own = (await getTenant(service.ctx, SHOP)).config;
    expect([own.erp_username, own.erp_password]).toEqual(["own-user", undefined]);
    await service.addTenant(SHOP, { erp_username: null });
    const lent = (await getTenant(service.ctx, SHOP)).config;
    expect([lent.erp_username, lent.erp_password]).toEqual([
      "shared-user",
      "shared-erp-in-the-clear",
    ]);
  });

  test("is not returned as a store's own", async () => {
    expect((await service.call("GET", `/config?shop=${SHOP}`)).json.config).not.toHaveProperty(
      "erp_username",
    );
  });

  test("loses a field that is sent as null", async () => {
    await save({ erp_username: null, erp_password: null });
    expect(await show()).toEqual({ email_api_key: "shar****lear" });
  });

  test("stores nothing when a field is unknown, invalid or a private address", async () => {
    const before = await show();
    for (const body of [
      { erp_username: "x", admin_key: "y" },
      { erp_username: "x", email_from: "nobody" },
      { erp_username: "x", erp_base_url: "https://10.0.0.1" },
      { erp_username: "x", archive_url: "ftp://x" },
      { erp_username: "x", archive_url: "file:" },
      { erp_username: "x", archive_url: "s3:///no-bucket" },
      { erp_username: "x", archive_url: "s3://bucket?endpoint=http://objects.example" },
      { erp_username: "x", archive_url: "s3://bucket?endpoint=objects.example" },
    ]) {
      const answer = await save(body);
      expect([answer.status, Object.keys(answer.json.fields)]).toEqual([
        400,
        [Object.keys(body)[1]],
      ]);
    }
    expect(await show()).toEqual(before);
  });

  test("loses no field when five are saved concurrently: a save is applied or must be repeated", async () => {
    const bodies = [
      { erp_username: "a" },
      { erp_base_url: "https://erp.example" },
      { federated_client_id: "c" },
      { archive_url: "s3://bucket/prefix" },
      { email_from: "A <a@b.example>" },
    ];
    const answers = await Promise.all(bodies.map((body) => save(body)));
    const config = await show();
    for (const [index, { status }] of answers.entries()) {
      expect([200, 409]).toContain(status);
      if (status === 200) expect(config).toMatchObject(bodies[index] as object);
    }
  });
});

describe("the app secret saved for all stores", () => {
  test("signs from then on, while webhooks signed with the deployed one are still accepted", async () => {
    await save({ platform_app_secret: NEW_SECRET });
    expect((await getTenant(service.ctx, SHOP)).app.secrets[0]).toBe(NEW_SECRET);
    const raw = '{"id":1}';
    for (const secret of [NEW_SECRET, APP_SECRET])
      expect((await service.webhook("customer-update", raw, { secret })).status).toBe(200);
    expect(
      (
        await service.webhook("customer-update", raw, {
          headers: { "X-Storefront-Hmac-SHA256": sign(raw, "another-secret-0123456789") },
        })
      ).status,
    ).toBe(401);
    await save({ platform_app_secret: null });
    expect((await service.webhook("customer-update", raw, { secret: NEW_SECRET })).status).toBe(
      401,
    );
  });
});

describe("the app saved for all stores", () => {
  test("is the one that an unregistered store installs, and whose requests are accepted", async () => {
    const NEW_SHOP = "not-yet-here.myshopify.com";
    await save({ platform_client_id: "saved-client-id", platform_app_secret: NEW_SECRET });
    const begun = await service.call("GET", `/auth/install?shop=${NEW_SHOP}`, { key: null });
    expect(new URL(begun.headers.get("location") as string).searchParams.get("client_id")).toBe(
      "saved-client-id",
    );
    const raw = JSON.stringify({ shop_domain: NEW_SHOP, customer: { id: 1 } });
    const redact = (secret: string) =>
      service.call("POST", "/gdpr/customer-redact", {
        body: raw,
        key: null,
        headers: {
          "X-Storefront-Hmac-SHA256": sign(raw, secret),
          "X-Storefront-Shop-Domain": NEW_SHOP,
        },
      });
    for (const secret of [NEW_SECRET, APP_SECRET]) expect((await redact(secret)).status).toBe(200);
    expect(
      (await service.call("POST", `/config?shop=${NEW_SHOP}`, { body: {}, key: NEW_SECRET })).json,
    ).toMatchObject({ registered: true });
    await save({ platform_client_id: null, platform_app_secret: null });
    expect((await redact(NEW_SECRET)).status).toBe(401);
    const other = await service.call("GET", "/auth/install?shop=another-new.myshopify.com", {
      key: null,
    });
    expect(new URL(other.headers.get("location") as string).searchParams.get("client_id")).toBe(
      CLIENT_ID,
    );
  });
});

describe("its key", () => {
  test.each([
    ["nobody", null],
    ["a store", TENANT_KEY],
    ["the app", APP_SECRET],
    ["a guess", "wrong-key-0123456789"],
  ])("is the operator's: %s is rejected and changes nothing", async (_, key) => {
    const before = await show();
    expect((await service.call("GET", "/platform/config", { key })).status).toBe(401);
    expect((await service.call("GET", `/platform/config?shop=${SHOP}`, { key })).status).toBe(401);
    expect((await save({ erp_username: "mallory" }, key)).status).toBe(401);
    expect(await show()).toEqual(before);
  });
});
