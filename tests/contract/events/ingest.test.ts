import { createHash, randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { eventually, OTHER_SHOP, SHOP, sign, startService, type Service } from "../../support/service.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  await service.database.truncate();
  await service.addTenant(SHOP, { erp_token: "erp-inbound-token-0123456789", admin_key: "tenant-key-0123456789", erp_base_url: service.sandbox.addresses.erpBaseUrl });
  await service.addTenant(OTHER_SHOP);
});

const order = (fields: object = {}) => ({ source: "manual", event_type: "order.created", entity_id: "gid://shopify/Order/9007199254740993", timestamp: "2026-11-21T10:00:00Z", payload: { total: "12.50" }, ...fields });
const ingest = (body: unknown, options: { shop?: string; query?: string; headers?: Record<string, string>; key?: string | null } = {}) =>
  service.call("POST", `/events/ingest?shop=${options.shop ?? SHOP}${options.query ?? ""}`, { body, ...(options.headers && { headers: options.headers }), ...(options.key !== undefined && { key: options.key }) });
const rows = () => service.database.query("SELECT * FROM integration_queue ORDER BY channel");

describe("an event that is accepted", () => {
  test("answers 202 with its id, and has a marker, a ledger row and one queue row per destination", async () => {
    const event_id = randomUUID();
    const { status, json } = await ingest(order({ event_id }));
    expect({ status, json }).toEqual({ status: 202, json: { ok: true, event_id, queued: 2, destinations: ["erpsys", "web_analytics"] } });
    const key = createHash("sha256").update("manual:gid://shopify/Order/9007199254740993:order.created:2026-11-21T10:00:00Z").digest("hex");
    expect(await service.database.query("SELECT value, round(extract(epoch FROM expires_at - now()) / 1000) AS ttl FROM kv WHERE key = $1", [`evt:${key}`])).toEqual([{ value: event_id, ttl: "605" }]);
    expect(await service.database.query("SELECT event_id, idempotency_key, source, entity_type, destinations, priority FROM event_ledger")).toEqual([
      { event_id, idempotency_key: key, source: "manual", entity_type: "order", destinations: ["erpsys", "web_analytics"], priority: 2 },
    ]);
    expect(await rows()).toMatchObject([
      { shop: SHOP, event_id, channel: "erpsys", status: "pending", priority: 2, retry_count: 0, max_retries: 4, payload: { total: "12.50" }, delivery_config: null },
      { shop: SHOP, event_id, channel: "web_analytics", status: "pending" },
    ]);
  });
});
void eventually; void sign;
