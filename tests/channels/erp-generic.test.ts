// A store's custom ERP mapping: what a source path can read and what it never can.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { enqueue } from "../../app/domain/bus/enqueue.ts";
import { applyMapping } from "../../app/domain/channels/erp/field-mapping.ts";
import { Mapping } from "../../app/domain/events/mappings.ts";
import { startChannelApp, storeFields, type ChannelApp } from "../support/bus/channels.ts";
import { OTHER_SHOP, SHOP } from "../support/service.ts";

let app: ChannelApp;
beforeAll(async () => {
  app = await startChannelApp();
});
afterAll(() => app.stop());
beforeEach(() => app.reset());

const ORDER = {
  name: "#1001",
  total_price: "398.00",
  customer: { email: "ann@example.com" },
  line_items: [
    { sku: "A", quantity: 2, tags: ["x", "y"] },
    { sku: "B", quantity: 1 },
  ],
};
const envelope = (payload: Record<string, unknown> = ORDER) => ({
  event_id: "e-1",
  event_type: "order.created",
  entity_id: "42",
  timestamp: "2026-03-01T10:00:00.000Z",
  payload,
});
const map = (
  fields: Record<string, string>,
  required: string[] = [],
  payload?: Record<string, unknown>,
) => applyMapping(Mapping.parse({ fields, required }), envelope(payload));

describe("a source path", () => {
  test.each<[string, unknown]>([
    ["name", "#1001"],
    ["payload.name", "#1001"],
    ["customer.email", "ann@example.com"],
    ["line_items[0].sku", "A"],
    ["line_items.1.sku", "B"],
    ["line_items[].sku", ["A", "B"]],
    ["line_items[].tags[0]", ["x", null]],
    ["line_items[].tags[]", [["x", "y"], null]],
    ["event_id", "e-1"],
    ["entity_id", "42"],
    ["timestamp", "2026-03-01T10:00:00.000Z"],
  ])("%s reads %j", (path, value) => {
    expect(map({ out: path })).toEqual({ out: value });
  });

  test.each([
    "nothing",
    "name.length",
    "line_items.length",
    "customer.toString",
    "line_items[9].sku",
    "name[0]",
    "customer[].email",
    "hasOwnProperty",
    "payload.valueOf",
  ])("%s reads nothing", (path) => {
    expect(map({ out: path })).toEqual({});
  });

  test("never reads properties of a prototype, even when the payload tries to change it", () => {
    const payload = JSON.parse(
      '{"__proto__":{"polluted":"yes"},"a":{"__proto__":{"b":"yes"}}}',
    ) as Record<string, unknown>;
    expect(map({ x: "polluted", y: "a.b" }, [], payload)).toEqual({});
  });

  test.each([
    "__proto__",
    "a.__proto__.b",
    "constructor",
    "a.constructor.prototype",
    "prototype.x",
    "a[0].__proto__",
    "a..b",
    ".a",
    "a.",
    "a[x]",
    "a b",
    "",
    "a[]b",
  ])("%j is invalid", (path) => {
    expect(Mapping.safeParse({ fields: { out: path } }).success).toBe(false);
  });
});

describe("a target", () => {
  test("with dots is nested, and with [] each list element has its own object", () => {
    expect(
      map({
        "header.number": "name",
        "header.total": "total_price",
        "items[].material": "line_items[].sku",
        "items[].qty": "line_items[].quantity",
        "skus[]": "line_items[].sku",
      }),
    ).toEqual({
      header: { number: "#1001", total: "398.00" },
      items: [
        { material: "A", qty: 2 },
        { material: "B", qty: 1 },
      ],
      skus: ["A", "B"],
    });
  });

  test.each<Record<string, string>>([
    { __proto__x: "name", constructor: "name" },
    { "a.__proto__.polluted": "name" },
    { "a[].prototype": "name" },
    { "a[0]": "name" },
    { "a..b": "name" },
    { a: "name", "a.b": "name" },
    { "a[].b": "name", a: "name" },
    {},
  ])("%j is rejected", (fields) => {
    expect(Mapping.safeParse({ fields }).success).toBe(false);
  });

  test("named __proto__ in the JSON changes no object", () => {
    const parsed = Mapping.safeParse(
      JSON.parse('{"fields":{"__proto__":"name","ok":"name"},"required":[]}'),
    );
    const mapped = parsed.success ? applyMapping(parsed.data, envelope()) : {};
    expect(Object.keys(mapped).filter((name) => name !== "ok")).toEqual([]);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(Object.getPrototypeOf(mapped)).toBe(Object.prototype);
  });
});

test("every missing required field is named", () => {
  expect(() =>
    map({ a: "name", b: "nothing", "c[]": "line_items[].tags", "d[]": "line_items[].sku" }, [
      "a",
      "b",
      "c[]",
      "d[]",
    ]),
  ).toThrow("missing required field: b, c[]");
  expect(() => map({ a: "x", b: "y" }, ["a", "b"], { x: "", y: [] })).toThrow(
    "missing required field: a, b",
  );
  expect(map({ a: "x" }, ["a"], { x: 0 })).toEqual({ a: 0 });
});

describe("delivered", () => {
  async function deliver(entity = "order", payload: Record<string, unknown> = ORDER, shop = SHOP) {
    const eventId = randomUUID();
    await enqueue(app.service.ctx.home.forTenant(shop).sql, {
      eventId,
      source: "erp",
      eventType: `${entity}.created`,
      entityType: entity,
      entityId: "42",
      payload,
      occurredAt: new Date("2026-03-01T10:00:00Z"),
      destinations: ["erp_generic"],
    });
    return { eventId, ...(await app.settled(eventId)) };
  }
  const save = (mapping: unknown, shop = SHOP) =>
    app.service.call("PUT", `/admin/mappings/erp_generic/order?shop=${shop}`, { body: mapping });

  test("it is sent to the entity's path, with the store's credentials and one key per event", async () => {
    await save({ fields: { number: "name", at: "timestamp" }, required: ["number"] });
    const { eventId, status } = await deliver();
    expect(status).toBe("delivered");
    expect(app.service.sandbox.requests("erp").at(-1)).toMatchObject({
      method: "POST",
      path: "/generic/order",
      body: { number: "#1001", at: "2026-03-01T10:00:00.000Z" },
      headers: {
        "idempotency-key": `${eventId}:erp_generic`,
        authorization: expect.stringMatching(/^Basic /),
      },
    });
  });

  test("without a mapping, with another store's, or without a required field it is a dead letter that says so", async () => {
    await app.service.addTenant(OTHER_SHOP, storeFields(app.service.sandbox));
    expect((await save({ fields: { number: "name" } }, OTHER_SHOP)).status).toBe(200);
    const before = app.calls("erp_generic");
    expect(await deliver()).toMatchObject({
      status: "dead_letter",
      retry_count: 1,
      last_error: "no mapping for erp_generic/order",
    });
    await save({ fields: { number: "number" }, required: ["number"] });
    expect(await deliver()).toMatchObject({
      status: "dead_letter",
      retry_count: 1,
      last_error: "missing required field: number",
    });
    expect(app.calls("erp_generic")).toBe(before);
  });

  test("a stored mapping that requires a field it does not fill makes a dead letter that names the field", async () => {
    await app.service.database.query(
      `INSERT INTO integration_mappings (shop, channel, entity_type, mapping)
        VALUES ($1, 'erp_generic', 'order', $2)`,
      [SHOP, '{"fields":{"number":"name"},"required":["number","vat_id"]}'],
    );
    expect(await deliver()).toMatchObject({
      status: "dead_letter",
      last_error: "missing required field: vat_id",
    });
  });

  test("an invalid stored mapping makes a dead letter, not a crash", async () => {
    await app.service.database.query(
      `INSERT INTO integration_mappings (shop, channel, entity_type, mapping)
        VALUES ($1, 'erp_generic', 'order', $2)`,
      [SHOP, '{"fields":{"a":"__proto__.x"}}'],
    );
    expect(await deliver()).toMatchObject({
      status: "dead_letter",
      last_error: expect.stringContaining("the mapping for erp_generic/order is not one"),
    });
  });
});
