// With BACKEND_BASE_URL set: an event goes to the remote backend whole, and it calls back for each destination.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { QueueItem } from "../../app/domain/bus/channel.ts";
import { startWorker, type Worker } from "../../app/domain/bus/worker.ts";
import { backendChannel } from "../../app/domain/channels/backend.ts";
import { getTenant } from "../../app/domain/tenants/tenant.ts";
import { storeFields } from "../support/channels.ts";
import { eventually, SHOP, startService, type Service } from "../support/service.ts";

const KEY = "backend-key-0123456789";
let service: Service;
let worker: Worker;
beforeAll(async () => {
  service = await startService({ envFrom: ({ addresses }) => ({ BACKEND_BASE_URL: addresses.backendUrl, BACKEND_API_KEY: KEY, BACKEND_WORKSPACE_ID: "workspace-1" }) });
  worker = await startWorker(service.ctx, service.ctx.home);
});
afterAll(async () => {
  await worker.stop();
  await service.stop();
});
beforeEach(async () => {
  await service.database.truncate();
  service.sandbox.clearFaults();
  await service.addTenant(SHOP, storeFields(service.sandbox));
});

const ORDER = { admin_graphql_api_id: "gid://shopify/Order/1", name: "#1001", currency: "EUR", total_price: "10.00", email: "ann@example.com", customer: { admin_graphql_api_id: "gid://shopify/Customer/9", first_name: "Ann" }, line_items: [] };

async function ingest(event: Record<string, unknown>, source = "manual"): Promise<string> {
  const answer = await service.call("POST", `/events/ingest?shop=${SHOP}&source=${source}`, { body: event });
  expect(answer.status).toBe(202);
  return answer.json.event_id as string;
}
const rows = (eventId: string) => service.database.query("SELECT channel, status, retry_count, last_error FROM integration_queue WHERE event_id = $1", [eventId]);
const handedOver = (eventId: string) => service.sandbox.backend.enqueued().filter((event) => event.eventId === eventId);
const callbacks = (eventId: string, count: number) =>
  eventually(`${count} callbacks`, () => {
    const found = service.sandbox.backend.deliveries().filter((delivery) => delivery.eventId === eventId);
    return found.length === count && found;
  });

test("the backend gets the event as it was accepted, once, and every destination is delivered when it calls back", async () => {
  const timestamp = "2026-03-01T10:00:00.000Z";
  const destinations = ["erpsys", "web_analytics", "archive", "somewhere"];
  const eventId = await ingest({ event_type: "order.created", entity_id: "gid://shopify/Order/1", payload: ORDER, timestamp, destinations, priority: 2 });
  const delivered = await callbacks(eventId, 4);
  expect(handedOver(eventId)).toMatchObject([
    { workspace: "workspace-1", shop: SHOP, body: { event_id: eventId, source: "manual", event_type: "order.created", entity_type: "order", entity_id: "gid://shopify/Order/1", tenant_shop: SHOP, payload: ORDER, destinations, priority: 2, timestamp } },
  ]);
  expect(service.sandbox.requests("backend").at(-1)?.headers.authorization).toBe(`Bearer ${KEY}`);
  expect(Object.fromEntries(delivered.map(({ channel, status }) => [channel, status]))).toEqual(Object.fromEntries(destinations.map((channel) => [channel, 200])));
  expect(await rows(eventId)).toEqual([{ channel: "backend", status: "delivered", retry_count: 0, last_error: null }]);
  expect(service.sandbox.erp.documents().at(-1)).toMatchObject({ path: "/A_SalesOrder", body: { bukrs: "1000", ExternalDocumentID: eventId } });
  const hit = service.sandbox.analytics.hits().at(-1)?.body;
  expect(hit).toMatchObject({ events: [{ name: "order_created", params: { transaction_id: "#1001" } }] });
  expect(JSON.stringify(hit)).not.toContain("ann@");
});

test("a warehouse event is applied here, once, and the backend has it too", async () => {
  await service.database.query("INSERT INTO firmware_registry (shop, mpn, version, sha256) VALUES ($1, 'CAM-9', '1.4.2', 'x')", [SHOP]);
  const eventId = await ingest({ event_type: "unit.shipped", payload: { mpn: "CAM-9", serial: "SN-1" } }, "wms");
  await callbacks(eventId, 2);
  expect(await service.database.query("SELECT serial, firmware_version, event_id FROM firmware_ledger")).toEqual([{ serial: "SN-1", firmware_version: "1.4.2", event_id: eventId }]);
});

test("an answer that was lost is asked for again, and the backend has the event once", async () => {
  service.sandbox.failNext("backend", { dropReply: true });
  const eventId = await ingest({ event_type: "order.created", entity_id: "2", payload: ORDER, destinations: ["archive"] });
  await eventually("a failed attempt", async () => (await rows(eventId))[0]?.retry_count === 1);
  await service.database.query("UPDATE integration_queue SET next_attempt_at = clock_timestamp() WHERE event_id = $1", [eventId]);
  await eventually("the delivery", async () => (await rows(eventId))[0]?.status === "delivered");
  expect(handedOver(eventId)).toHaveLength(1);
});

test("a 2xx that confirms nothing is no delivery, and a refused key is a dead letter", async () => {
  service.sandbox.failNext("backend", { status: 200, body: { ok: false } });
  const unconfirmed = await ingest({ event_type: "order.created", entity_id: "3", payload: ORDER, destinations: ["archive"] });
  await eventually("a failed attempt", async () => (await rows(unconfirmed))[0]?.retry_count === 1);
  expect(await rows(unconfirmed)).toMatchObject([{ status: "pending", last_error: "backend did not confirm the event" }]);
  service.sandbox.failNext("backend", { status: 401 });
  const refused = await ingest({ event_type: "order.created", entity_id: "4", payload: ORDER, destinations: ["archive"] });
  await eventually("a dead letter", async () => (await rows(refused))[0]?.status === "dead_letter");
});

test("an event that was accepted for a backend which is not set any more does not end as delivered", async () => {
  const eventId = randomUUID();
  const payload = { event_id: eventId, destinations: ["cms"], payload: {} };
  const item: QueueItem = {
    shop: SHOP, queueId: 1, eventId, channel: "backend", source: "manual", eventType: "order.created", entityType: "order", entityId: "1", payload,
    priority: 3, retryCount: 0, maxRetries: 3, createdAt: new Date(), isArchiveOnly: false, attemptToken: randomUUID(),
  };
  const { BACKEND_BASE_URL: _, ...config } = service.ctx.config;
  const ctx = { ...service.ctx, config };
  const tenant = await getTenant(service.ctx, SHOP);
  await expect(backendChannel.deliver(ctx, item, await backendChannel.transform(ctx, item, tenant), tenant)).rejects.toThrow("is not set");
});
