// The store of a backend's callback that names none: a delivery message has no field for it.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { BACKEND_SECRET, deliver, ingest, order } from "../../support/bus/events.ts";
import { OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";

let service: Service;
// No worker runs: only explicit requests deliver.
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  await service.database.truncate();
  for (const shop of [SHOP, OTHER_SHOP]) await service.addTenant(shop);
});

const attemptedStores = async () =>
  (await service.database.query("SELECT shop FROM delivery_attempts ORDER BY id")).map(
    ({ shop }) => shop,
  );

test("of two stores' events with one id each is found by its queue row", async () => {
  const event_id = randomUUID();
  for (const shop of [SHOP, OTHER_SHOP])
    await ingest(service, order({ event_id, destinations: ["data_lake"] }), { shop });
  const rows = await service.database.query(
    "SELECT id::int AS queue_id, shop FROM integration_queue ORDER BY id",
  );
  expect(rows).toHaveLength(2);
  for (const { queue_id } of rows) {
    const asked = { queue_id, event_id, channel: "data_lake", transformed_payload: { a: 1 } };
    expect((await deliver(service, asked)).status).toBe(200);
  }
  expect(await attemptedStores()).toEqual(rows.map(({ shop }) => shop));
  const unknown = { queue_id: 999_999, event_id, channel: "data_lake" };
  expect((await deliver(service, unknown)).json.code).toBe("tenant_required");
});

test("of a row that another program inserted is the row's store", async () => {
  const [row] = await service.database.query(
    `INSERT INTO integration_queue (shop, event_id, channel, source, event_type, entity_type, entity_id, payload)
      VALUES ($1, $2, 'data_lake', 'manual', 'order.created', 'order', '7', '{"id": 7}') RETURNING id::int, event_id`,
    [OTHER_SHOP, randomUUID()],
  );
  const { id: queue_id, event_id } = row as { id: number; event_id: string };
  const asked = { queue_id, event_id, channel: "data_lake", transformed_payload: { a: 1 } };
  expect((await deliver(service, asked)).status).toBe(200);
  expect(await attemptedStores()).toEqual([OTHER_SHOP]);
  const report = await service.call("PATCH", `/events/${event_id}/status`, {
    body: { status: "delivered" },
    key: null,
    headers: { "x-backend-webhook-secret": BACKEND_SECRET },
  });
  expect(report.status).toBe(200);
});
