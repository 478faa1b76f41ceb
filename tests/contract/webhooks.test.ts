// What becomes of a webhook that is believed: stored once, answered at once, worked after.
import { afterAll, beforeAll, expect, test } from "vitest";
import { CUSTOMER_2024_10, customerPayload } from "../support/payloads.ts";
import { send, untilHandled } from "../support/storefront.ts";
import { eventually, OTHER_SHOP, SHOP, startService, type Service } from "../support/service.ts";

let service: Service;

beforeAll(async () => {
  service = await startService({ background: true });
  await service.addTenant(SHOP);
  await service.addTenant(OTHER_SHOP);
});
afterAll(() => service.stop());

const rowsOf = (id: string) =>
  service.database.query("SELECT * FROM webhook_inbox WHERE delivery_id = $1", [id]);

test("a delivery that comes twice, also at the same moment, is one row in the inbox and has one effect", async () => {
  const raw = customerPayload({
    id: "5001",
    admin_graphql_api_id: '"gid://shopify/Customer/5001"',
    email: '"twice@store.example"',
  });
  const answers = await Promise.all(
    Array.from({ length: 8 }, () =>
      service.webhook("customer-create", raw, { headers: { "X-Shopify-Webhook-Id": "same-id" } }),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200));
  expect(answers.filter(({ json }) => !json.deduplicated)).toHaveLength(1);
  await untilHandled(service, "same-id");
  expect(
    (
      await service.webhook("customer-create", raw, {
        headers: { "X-Storefront-Webhook-Id": "same-id" },
      })
    ).json,
  ).toEqual({ ok: true, deduplicated: true });
  expect(await rowsOf("same-id")).toHaveLength(1);
  expect(
    await service.database.query(
      "SELECT 1 FROM storefront_users WHERE email = 'twice@store.example'",
    ),
  ).toHaveLength(1);
});

test("a delivery without an id is known by what it says", async () => {
  const raw = '{"id":77,"first_name":"No id"}';
  expect((await service.webhook("customer-update", raw)).json).toEqual({ ok: true });
  expect((await service.webhook("customer-update", raw)).json).toEqual({
    ok: true,
    deduplicated: true,
  });
  expect((await service.webhook("customer-create", raw)).json).toEqual({ ok: true });
});

test("a delivery of the same id in another store is another one", async () => {
  const answer = await service.webhook("customer-update", '{"id":1}', {
    shop: OTHER_SHOP,
    headers: { "X-Shopify-Webhook-Id": "same-id" },
  });
  expect(answer.json).toEqual({ ok: true });
  expect(await rowsOf("same-id")).toHaveLength(2);
});

test("a delivery keeps its body only until it is handled", async () => {
  const id = await send(service, "customer-update", CUSTOMER_2024_10);
  await untilHandled(service, id);
  expect((await rowsOf(id))[0].body).toBe("");
});

test("a delivery is answered while every outside system hangs: no call to one has been answered by then", async () => {
  await eventually("all earlier work to be done", async () => {
    const [row] = await service.database.query(
      "SELECT (SELECT count(*) FROM webhook_inbox WHERE status <> 'done') + (SELECT count(*) FROM integration_queue WHERE status <> 'delivered') AS n",
    );
    return row.n === 0;
  });
  for (const system of ["storefront", "cms", "analytics", "profilePlatform", "email"] as const)
    service.sandbox.failNext(system, { hang: 1_500 }, Infinity);
  const before = service.logged.filter(
    ({ event }) => event === "outbound.called" || event === "outbound.failed",
  ).length;
  const raw = (index: number) =>
    customerPayload({
      id: `60${index}`,
      admin_graphql_api_id: `"gid://shopify/Customer/60${index}"`,
      email: `"hang-${index}@store.example"`,
    });
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      service.webhook("customer-create", raw(index), {
        headers: { "X-Shopify-Webhook-Id": `hang-${index}` },
      }),
    ),
  );
  expect(answers.every(({ status }) => status === 200)).toBe(true);
  expect(
    service.logged.filter(
      ({ event }) => event === "outbound.called" || event === "outbound.failed",
    ),
  ).toHaveLength(before);
  // The calls were really made and really hung: it was not for want of work that none was answered.
  await eventually(
    "calls that hang",
    () =>
      service.sandbox.requests("analytics").length > 0 &&
      service.logged.some(({ event }) => event === "outbound.failed"),
  );
  service.sandbox.clearFaults();
});
