// Registries for the event bus: UPCs by SKU, firmware versions by product.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ADMIN_KEY, OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";

const SHA = "Ab".repeat(32);
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

const at = (path: string, shop = SHOP) => `${path}${path.includes("?") ? "&" : "?"}shop=${shop}`;
const put = (path: string, body: unknown, key: string | null = ADMIN_KEY) =>
  service.call("PUT", at(path), { body, key });
const get = (path: string, shop = SHOP, key: string | null = ADMIN_KEY) =>
  service.call("GET", at(path, shop), { key });
const UPCS = "/admin/upc-mappings";
const FIRMWARE = "/admin/firmware";
const mapping = (n: number) => ({
  sku: `SKU-${String(n).padStart(4, "0")}`,
  upc: String(100_000_000_000 + n),
});

describe("UPC mappings", () => {
  test("are added and updated, others stay; of a SKU named twice the last one counts", async () => {
    expect(
      await put(UPCS, {
        mappings: [
          { sku: "A", upc: "012345678905" },
          { sku: "B", upc: "4006381333931" },
        ],
      }),
    ).toMatchObject({ status: 200, json: { ok: true, saved: 2 } });
    expect(
      (
        await put(UPCS, {
          mappings: [
            { sku: "A", upc: "11111111" },
            { sku: " A ", upc: "22222222" },
          ],
        })
      ).json,
    ).toEqual({ ok: true, saved: 1 });
    expect((await get(UPCS)).json).toEqual({
      mappings: [
        { sku: "A", upc: "22222222" },
        { sku: "B", upc: "4006381333931" },
      ],
      next_cursor: null,
    });
    expect((await get(UPCS, OTHER_SHOP)).json).toEqual({ mappings: [], next_cursor: null });
  });

  test("accepts 1,000 at once, rejects 1,001 and none", async () => {
    const many = Array.from({ length: 1_001 }, (_, n) => mapping(n));
    expect((await put(UPCS, { mappings: many })).status).toBe(400);
    expect((await put(UPCS, { mappings: [] })).status).toBe(400);
    expect((await put(UPCS, { mappings: many.slice(1) })).json).toEqual({ ok: true, saved: 1_000 });
  });

  test("are listed in pages without gap or repetition, and a cursor works for its own list only", async () => {
    await put(UPCS, { mappings: Array.from({ length: 25 }, (_, n) => mapping(n)) });
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const { json } = await get(`${UPCS}?limit=10${cursor ? `&cursor=${cursor}` : ""}`);
      seen.push(...json.mappings.map(({ sku }: { sku: string }) => sku));
      cursor = json.next_cursor as string | null;
      if (cursor)
        for (const other of [
          at(`${FIRMWARE}?cursor=${cursor}`),
          at(`${UPCS}?cursor=${cursor}`, OTHER_SHOP),
          at(`${UPCS}?cursor=${cursor}x`),
        ])
          expect(await service.call("GET", other)).toMatchObject({
            status: 400,
            json: { code: "invalid_cursor" },
          });
    } while (cursor);
    expect(seen).toEqual(Array.from({ length: 25 }, (_, n) => mapping(n).sku));
  });

  test.each([
    [{ sku: "", upc: "12345678" }, "mappings.0.sku"],
    [{ sku: "A", upc: "1234" }, "mappings.0.upc"],
    [{ sku: "A", upc: 12345678 }, "mappings.0.upc"],
    [{ upc: "12345678" }, "mappings.0.sku"],
  ])("rejects %j and names %s", async (one, field) => {
    const answer = await put(UPCS, { mappings: [one, mapping(1)] });
    expect(answer.status).toBe(400);
    expect(Object.keys(answer.json.fields)).toContain(field);
    expect((await get(UPCS)).json.mappings).toEqual([]);
  });
});

describe("the firmware registry", () => {
  test("has one version per product, with its start time", async () => {
    expect(await put(`${FIRMWARE}/CAM-9`, { version: "1.4.2", sha256: SHA })).toMatchObject({
      status: 200,
      json: {
        ok: true,
        firmware: {
          mpn: "CAM-9",
          version: "1.4.2",
          sha256: SHA.toLowerCase(),
          updated_at: expect.stringMatching(/Z$/),
        },
      },
    });
    await put(`${FIRMWARE}/CAM-9`, { version: "2.0", sha256: SHA });
    await put(`${FIRMWARE}/${encodeURIComponent("A/B 1")}`, { version: "1", sha256: SHA });
    expect((await get(FIRMWARE)).json).toMatchObject({
      firmware: [{ mpn: "A/B 1" }, { mpn: "CAM-9", version: "2.0" }],
      next_cursor: null,
    });
    expect((await get(FIRMWARE, OTHER_SHOP)).json.firmware).toEqual([]);
    const first = await get(`${FIRMWARE}?limit=1`);
    expect((await get(`${FIRMWARE}?limit=1&cursor=${first.json.next_cursor}`)).json).toMatchObject({
      firmware: [{ mpn: "CAM-9" }],
      next_cursor: null,
    });
  });

  test.each([
    [{ version: "1", sha256: "abc" }, "sha256"],
    [{ version: "", sha256: SHA }, "version"],
    [{ sha256: SHA }, "version"],
  ])("rejects %j and names %s", async (body, field) => {
    const answer = await put(`${FIRMWARE}/CAM-9`, body);
    expect(answer.status).toBe(400);
    expect(Object.keys(answer.json.fields)).toContain(field);
    expect((await get(FIRMWARE)).json.firmware).toEqual([]);
  });

  test("rejects a product number that is too long", async () => {
    expect(
      await put(`${FIRMWARE}/${"x".repeat(201)}`, { version: "1", sha256: SHA }),
    ).toMatchObject({ status: 400, json: { fields: { mpn: expect.any(String) } } });
  });
});

describe.each([
  ["UPC mappings", UPCS, { mappings: [mapping(1)] }],
  ["firmware", `${FIRMWARE}/CAM-9`, { version: "1", sha256: SHA }],
])("%s", (_, path, body) => {
  const list = path.replace("/CAM-9", "");

  test.each([
    [null, 401],
    ["wrong-key", 401],
    ["tenant-admin-key-2", 401],
    ["tenant-admin-key-1", 200],
  ] as const)("answers the key %s with %i", async (key, status) => {
    expect((await put(path, body, key)).status).toBe(status);
    expect((await get(list, SHOP, key)).status).toBe(status);
    if (status === 401)
      expect(
        await service.database.query(
          "SELECT 1 FROM product_upc_mapping UNION ALL SELECT 1 FROM firmware_registry",
        ),
      ).toEqual([]);
  });

  test("rejects a shared store", async () => {
    await service.call("POST", `/config?shop=${SHOP}`, { body: { access_role: "shared" } });
    for (const answer of [await put(path, body), await get(list)])
      expect(answer).toMatchObject({ status: 403, json: { code: "forbidden" } });
  });
});
