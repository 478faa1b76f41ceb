// GET /admin/tenants: the operator sees all stores, a store's key sees its own.
import { afterAll, beforeAll, expect, test } from "vitest";
import { connectStore } from "../../support/storefront/storefront.ts";
import { APP_SECRET, OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";

const TENANT_KEY = "tenant-key-of-the-test-store";
let service: Service;

beforeAll(async () => {
  service = await startService();
  await connectStore(service, SHOP, { admin_key: TENANT_KEY });
  await service.call("POST", `/config?shop=${OTHER_SHOP}`, {
    body: { access_role: "shared", enabled_channels: [] },
  });
});
afterAll(() => service.stop());

const list = (query = "", key?: string | null) =>
  service.call("GET", `/admin/tenants${query}`, key === undefined ? {} : { key });

test("every registered store is listed with its region, role, token state, channels and registration time", async () => {
  expect((await list()).json).toEqual({
    tenants: [
      {
        shop: OTHER_SHOP,
        region: "default",
        access_role: "shared",
        token: { state: "none", expires_at: null },
        registered_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        channels: ["email", "archive", "backend"],
      },
      {
        shop: SHOP,
        region: "default",
        access_role: "private",
        token: { state: "valid", expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) },
        registered_at: expect.any(String),
        channels: expect.arrayContaining(["cms", "web_analytics", "profile_platform"]),
      },
    ],
    next_cursor: null,
  });
});

test("the list is paged on request, each store once, and an invalid page is rejected", async () => {
  const first = (await list("?limit=1")).json;
  expect(first.tenants.map(({ shop }: { shop: string }) => shop)).toEqual([OTHER_SHOP]);
  const second = (await list(`?limit=1&cursor=${first.next_cursor}`)).json;
  expect(second.tenants.map(({ shop }: { shop: string }) => shop)).toEqual([SHOP]);
  expect(second.next_cursor).toBeNull();
  for (const limit of ["0", "101", "-1", "x", ""])
    expect((await list(`?limit=${limit}`)).json).toMatchObject({
      code: "invalid_request",
      fields: { limit: expect.any(String) },
    });
  expect((await list("?cursor=damaged")).json.code).toBe("invalid_cursor");
});

test("a region's stores are listed separately, and a region without stores is an empty list", async () => {
  expect((await list("?region=default")).json.tenants).toHaveLength(2);
  expect((await list("?region=eu")).json).toEqual({ tenants: [], next_cursor: null });
  expect((await list(`?shop=${SHOP}&region=eu`, TENANT_KEY)).json).toEqual({
    tenants: [],
    next_cursor: null,
  });
});

test.each([
  ["own key", TENANT_KEY],
  ["app secret", APP_SECRET],
])("with a store's %s only that store is listed", async (_, key) => {
  const { json } = await list(`?shop=${SHOP}`, key);
  expect(json.tenants.map(({ shop }: { shop: string }) => shop)).toEqual([SHOP]);
});

test("a store's key opens neither another store's list nor the whole list", async () => {
  expect((await list(`?shop=${OTHER_SHOP}`, TENANT_KEY)).status).toBe(401);
  expect((await list("", TENANT_KEY)).status).toBe(401);
  expect((await list("", APP_SECRET)).json.code).toBe("tenant_required");
});

test("without a key nothing is listed", async () => {
  for (const key of [null, "wrong-key-0123456789"])
    expect((await list(`?shop=${SHOP}`, key)).status).toBe(401);
});

test("the list contains no credential, not even masked", async () => {
  expect((await list()).text).not.toMatch(/\*{4}|token-|secret|sandbox-access/);
});

test("a store's key works as it was saved, also one with spaces and commas", async () => {
  const key = "key of, the test store";
  await service.call("POST", `/config?shop=${OTHER_SHOP}`, { body: { admin_key: key } });
  expect((await list(`?shop=${OTHER_SHOP}`, key)).json.tenants).toHaveLength(1);
  for (const other of [`${key},`, "key of", `${key} ${key}`])
    expect((await list(`?shop=${OTHER_SHOP}`, other)).status).toBe(401);
});
