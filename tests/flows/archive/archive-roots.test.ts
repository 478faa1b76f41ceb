// Two stores that send the same event id have separate objects, and deleting one store keeps the
// other's.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { eventually, OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";
import { privacy, shopBody } from "../../support/privacy.ts";

let service: Service;
const EVENT = randomUUID();

beforeAll(async () => {
  service = await startService({ background: true });
  for (const shop of [SHOP, OTHER_SHOP]) await service.addTenant(shop);
});
afterAll(() => service.stop());

const ingest = (shop: string, body: Record<string, unknown>) =>
  service.call("POST", `/events/ingest?shop=${shop}&source=manual`, {
    body: { event_id: EVENT, entity_id: "1", ...body },
  });
const objectsOf = async () =>
  (await service.objects.list("")).filter((path) => path.includes(EVENT));

it("the same event id in two stores is two objects, for deliveries and dead letters, each in its store's root", async () => {
  for (const shop of [SHOP, OTHER_SHOP]) {
    const answer = await ingest(shop, {
      event_type: "order.created",
      payload: { secret_of: shop },
      // The ERP is not configured: a dead letter at once.
      destinations: ["archive", "erpsys"],
    });
    expect(answer.status).toBe(202);
  }
  const day = new Date().toISOString().slice(0, 10);
  const paths = await eventually("the objects", async () => {
    const waiting = await service.database.query(
      "SELECT 1 FROM integration_queue WHERE event_id = $1 AND archived_at IS NULL",
      [EVENT],
    );
    const found = await objectsOf();
    return waiting.length === 0 && found.length >= 4 && found;
  });
  for (const shop of [SHOP, OTHER_SHOP]) {
    expect(paths).toContain(`${shop}/events/archive/${day}/${EVENT}.json`);
    const object = await service.objects.get(`${shop}/events/archive/${day}/${EVENT}.json`);
    expect(JSON.parse(String(object))).toMatchObject({
      tenant_shop: shop,
      transformed_payload: { secret_of: shop },
    });
  }
  expect(paths.every((path) => path.startsWith(`${SHOP}/`) || path.startsWith(OTHER_SHOP))).toBe(
    true,
  );
});

it("deleting one store deletes its root and nothing of the other's", async () => {
  const others = (await objectsOf()).filter((path) => path.startsWith(`${OTHER_SHOP}/`));
  expect(others.length).toBeGreaterThan(1);
  await privacy(service, "shop-redact", shopBody());
  await eventually("the removal", async () =>
    (await service.objects.list("")).every((path) => !path.startsWith(`${SHOP}/`)),
  );
  expect(await objectsOf()).toEqual(others);
});
