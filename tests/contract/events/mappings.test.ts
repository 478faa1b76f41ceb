import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { ADMIN_KEY, OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";

const MAPPING = {
  fields: { number: "name", "items[].sku": "line_items[].sku" },
  required: ["number"],
};
const PATH = "/admin/mappings/erp_generic/order";
let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  await service.database.truncate();
  await service.addTenant(SHOP, { admin_key: "tenant-admin-key-1" });
  await service.addTenant(OTHER_SHOP, { admin_key: "tenant-admin-key-2" });
});

const put = (body: unknown, path = PATH, key: string | null = ADMIN_KEY) =>
  service.call("PUT", `${path}?shop=${SHOP}`, { body, key });
const get = (path = PATH, key: string | null = ADMIN_KEY, shop = SHOP) =>
  service.call("GET", `${path}?shop=${shop}`, { key });

test("a mapping is stored whole, returned, and replaced by the next", async () => {
  expect(await put(MAPPING)).toMatchObject({
    status: 200,
    json: { ok: true, channel: "erp_generic", entity_type: "order", mapping: MAPPING },
  });
  expect(await get()).toMatchObject({
    status: 200,
    json: {
      channel: "erp_generic",
      entity_type: "order",
      mapping: MAPPING,
      updated_at: expect.stringMatching(/Z$/),
    },
  });
  expect((await put({ mapping: { fields: { id: "entity_id" } } })).json.mapping).toEqual({
    fields: { id: "entity_id" },
    required: [],
  });
  expect((await get()).json.mapping).toEqual({ fields: { id: "entity_id" }, required: [] });
});

test("is empty until one is saved, and never another store's", async () => {
  await put(MAPPING);
  expect(await get("/admin/mappings/erp_generic/invoice")).toMatchObject({
    status: 404,
    json: { code: "not_found" },
  });
  expect((await get(PATH, ADMIN_KEY, OTHER_SHOP)).status).toBe(404);
});

test.each([
  [{ fields: {} }, "fields"],
  [{ fields: { a: "b..c" } }, "fields.a"],
  [{ fields: { a: "__proto__.x" } }, "fields.a"],
  [{ fields: { a: 1 } }, "fields.a"],
  [{ fields: { a: "x" }, required: ["b"] }, "required.0"],
  [{ required: [] }, "fields"],
  [{ fields: { "a.constructor": "x" } }, "fields.a.constructor"],
])("rejects %j and names %s", async (body, field) => {
  const answer = await put(body);
  expect(answer).toMatchObject({ status: 400, json: { code: "invalid_request" } });
  expect(Object.keys(answer.json.fields)).toContain(field);
  expect((await get()).status).toBe(404);
});

test("an unconfigured destination and an unknown entity have different errors", async () => {
  expect((await put(MAPPING, "/admin/mappings/cms/order")).status).toBe(404);
  expect(await put(MAPPING, "/admin/mappings/erp_generic/person")).toMatchObject({
    status: 400,
    json: { fields: { entity_type: expect.any(String) } },
  });
});

test.each([
  [null, 401],
  ["wrong-key", 401],
  ["tenant-admin-key-2", 401],
  ["tenant-admin-key-1", 200],
] as const)("the key %s answers %i", async (key, status) => {
  expect((await put(MAPPING, PATH, key)).status).toBe(status);
  if (status === 401)
    expect(await service.database.query("SELECT 1 FROM integration_mappings")).toEqual([]);
});

test("a shared store has no mappings", async () => {
  await service.call("POST", `/config?shop=${SHOP}`, { body: { access_role: "shared" } });
  for (const answer of [await put(MAPPING), await get()])
    expect(answer).toMatchObject({ status: 403, json: { code: "forbidden" } });
});
