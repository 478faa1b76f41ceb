import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { ingest, unit } from "../../support/bus/events.ts";
import { SHOP, startService, type Service } from "../../support/service.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  await service.database.truncate();
  await service.addTenant(SHOP);
});

const rows = () =>
  service.database.query(
    "SELECT channel, priority, entity_type, entity_id, source FROM integration_queue ORDER BY channel",
  );

test.each(["unit.received", "unit.picked", "unit.packed", "unit.shipped"])(
  "%s goes to the backend and the warehouse archive with priority 2, whatever its sender requests",
  async (type) => {
    const event = unit(type, { serial: "SN-A" });
    const { status, json } = await ingest(service, {
      ...event,
      entity_id: "other",
      entity_type: "customer",
      priority: 5,
      destinations: ["cms", "web_analytics"],
    });
    expect({ status, queued: json.queued, destinations: json.destinations }).toEqual({
      status: 202,
      queued: 2,
      destinations: ["backend", "archive"],
    });
    const row = { priority: 2, entity_type: "inventory", entity_id: "SN-A", source: "wms" };
    expect(await rows()).toEqual([
      { channel: "archive", ...row },
      { channel: "backend", ...row },
    ]);
  },
);

test("the store's own routes do not redirect a warehouse event", async () => {
  await service.call("PUT", `/admin/destinations?shop=${SHOP}`, {
    body: {
      event_routes: [{ event_type: "*", channels: ["web_analytics"] }],
      enabled_channels: ["web_analytics"],
    },
  });
  expect((await ingest(service, unit("unit.received"))).json.destinations).toEqual([
    "backend",
    "archive",
  ]);
});

test("a warehouse type from another source follows the warehouse's rules", async () => {
  expect(
    (
      await ingest(service, {
        ...unit("unit.packed", { contact: "ann@example.com" }),
        source: "manual",
      })
    ).json.code,
  ).toBe("personal_data_not_accepted");
});

test("the database rejects a warehouse row for a marketing system", async () => {
  const insert = (channel: string) =>
    service.database.query(
      `INSERT INTO integration_queue (shop, event_id, channel, source, event_type, entity_type,
        entity_id, max_retries) VALUES ($1, 'e', $2, 'wms', 'unit.packed', 'inventory', 's', 1)`,
      [SHOP, channel],
    );
  await expect(insert("cms")).rejects.toThrow(/integration_queue_wms_check/);
  await insert("archive");
});

test.each([
  [{ customer_name: "Ann" }, ["payload.customer_name"]],
  [{ email: "ann@example.com", phone: "1" }, ["payload.email", "payload.phone"]],
  [{ address: { city: "Köln" } }, ["payload.address"]],
])(
  "fields other than the twelve references are rejected as personal, by name: %j",
  async (extra, fields) => {
    const { status, json } = await ingest(service, unit("unit.picked", extra));
    expect({ status, code: json.code, fields: Object.keys(json.fields) }).toEqual({
      status: 400,
      code: "personal_data_not_accepted",
      fields,
    });
    expect(JSON.stringify(json)).not.toContain("Ann");
    expect(await rows()).toEqual([]);
  },
);

test.each<[string, string, Record<string, unknown>, string[]]>([
  ["a return without its case", "unit.returned", {}, ["payload.rma_ref"]],
  ["a case on anything but a return", "unit.shipped", { rma_ref: "RMA-1" }, ["payload.rma_ref"]],
  ["an unknown movement", "unit.received", { movement: "sideways" }, ["payload.movement"]],
  ["a reference that is no text", "unit.received", { mpn: 7 }, ["payload.mpn"]],
  ["an empty reference", "unit.received", { mpn: "" }, ["payload.mpn"]],
  ["a text instead of a reference", "unit.received", { mpn: "x".repeat(201) }, ["payload.mpn"]],
  ["no serial", "unit.received", { serial: undefined }, ["payload.serial"]],
  ["a type that the socket does not have", "unit.lost", {}, ["event_type"]],
])("%s is rejected", async (_, type, fields, named) => {
  const { status, json } = await ingest(service, unit(type, fields));
  expect({ status, fields: Object.keys(json.fields ?? {}) }).toEqual({
    status: 400,
    fields: named,
  });
  expect(await rows()).toEqual([]);
});

test("a return with its case is accepted", async () => {
  expect(
    (await ingest(service, unit("unit.returned", { rma_ref: "RMA-1", movement: "return" }))).status,
  ).toBe(202);
});
