import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { runScheduledNow } from "../../../app/domain/scheduled-run/scheduled-run.ts";
import { registerWebhooks } from "../../../app/domain/tenants/storefront/webhook-registration.ts";
import { ingest, order, unit } from "../../support/bus/events.ts";
import { SHOP, startService, type Service } from "../../support/service.ts";
import { connectStore } from "../../support/storefront/storefront.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  await service.database.truncate();
  await connectStore(service, SHOP, { erp_base_url: service.sandbox.addresses.erpBaseUrl });
  await registerWebhooks(service.ctx, SHOP);
});

const enter = (phase: number | null) =>
  service.call("POST", `/config?shop=${SHOP}`, { body: { event_bus_phase: phase } });
const webhookPaths = () =>
  new Set(
    service.sandbox.storefront
      .subscriptions(SHOP)
      .map(({ uri }) => uri.replace(service.url, "").replace(/\/webhooks\/.*/, "/webhooks")),
  );
const filedOnly = async () =>
  (
    await service.database.query(
      "SELECT channel FROM integration_queue WHERE delivery_config->>'method' = 'ARCHIVE' ORDER BY channel",
    )
  ).map(({ channel }) => channel as string);

describe.each([
  [null, ["/webhooks"], [], false],
  [1, ["/webhooks"], ["erpsys", "web_analytics"], false],
  [2, ["/events/ingest?source=storefront"], ["erpsys", "web_analytics"], false],
  [3, ["/events/ingest?source=storefront"], ["erpsys", "web_analytics"], false],
  [4, ["/events/ingest?source=storefront"], [], false],
  [5, ["/events/ingest?source=storefront"], [], true],
])("a store in phase %s", (phase, paths, filed, isSafetyNet) => {
  test("has the webhooks, deliveries and schedule of that phase", async () => {
    expect((await enter(phase)).status).toBe(200);
    expect([...webhookPaths()]).toEqual(paths);
    await ingest(service, order());
    expect(await filedOnly()).toEqual(filed);
    const { steps } = await runScheduledNow(service.ctx);
    expect(steps.cms?.skipped).toBe(isSafetyNet ? 1 : 0);
  });
});

test("a warehouse event is processed although the phase archives other events only", async () => {
  await enter(3);
  await ingest(service, unit("unit.received"));
  expect(await filedOnly()).toEqual([]);
});

test.each([0, 6, "4"])("phase %j is rejected", async (phase) => {
  expect(
    (await service.call("POST", `/config?shop=${SHOP}`, { body: { event_bus_phase: phase } }))
      .status,
  ).toBe(400);
});
