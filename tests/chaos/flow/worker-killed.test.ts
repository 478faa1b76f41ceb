// A worker is killed while Shopify Flow works on its calls.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { enqueue } from "../../../app/domain/bus/enqueue.ts";
import { addCustomer } from "../../support/bus/queue.ts";
import { endChildren, startRoles } from "../../support/processes/child.ts";
import { eventually, SHOP, startService, type Service } from "../../support/service.ts";
import { connectStore } from "../../support/storefront/storefront.ts";

const EVENTS = 4;

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await endChildren();
  await service.stop();
});

const query = (sql: string, values: unknown[] = []) => service.database.query(sql, values);
const startWorker = () => startRoles(service, "worker");

test("each change of a tag starts one workflow, also when the worker is killed during the calls", async () => {
  await connectStore(service, SHOP, { flow_enabled: true });
  const userId = await addCustomer(service.database, SHOP);
  await query("UPDATE storefront_users SET storefront_customer_gid = $2 WHERE id = $1", [
    userId,
    "gid://shopify/Customer/9007199254740993",
  ]);
  for (let n = 0; n < EVENTS; n += 1)
    await enqueue(service.ctx.home.forTenant(SHOP).sql, {
      eventId: randomUUID(),
      source: "backend",
      eventType: "customer.tags_changed",
      entityType: "customer",
      entityId: String(userId),
      payload: { user_id: userId, tags_added: [`tag_${n}`], tags_removed: ["old"] },
      occurredAt: new Date(),
      destinations: ["flow"],
    });
  const slow = { delayMs: 2_000, match: "/graphql.json" };
  service.sandbox.failNext("storefront", slow, Number.POSITIVE_INFINITY);

  const victim = await startWorker();
  // The first call of every event has reached the platform, which does its work after the kill.
  const arrived = () =>
    service.sandbox
      .requests("storefront")
      .filter(({ body }) => JSON.stringify(body).includes("flowTriggerReceive"));
  await eventually("the calls to arrive", () => arrived().length >= EVENTS);
  victim.signal("SIGKILL");
  await victim.ended;
  service.sandbox.clearFaults();
  await query(
    "UPDATE integration_queue SET locked_until = clock_timestamp() WHERE locked_by IS NOT NULL",
  );
  await startWorker();
  await eventually(
    "everything to be delivered",
    async () =>
      (await query("SELECT 1 FROM integration_queue WHERE status <> 'delivered'")).length === 0,
    20_000,
  );

  const received = await eventually("the late answers", () => {
    const ids = service.sandbox.storefront
      .flowTriggers(SHOP)
      .map(({ payload }) => String(payload["Change id"]));
    return ids.length >= 2 * EVENTS && ids;
  });
  expect(new Set(received).size).toBe(received.length);
  expect(received).toHaveLength(2 * EVENTS);
});
