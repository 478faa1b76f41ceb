// Texts that no column can hold, in bodies that the platform signed: it would send a refused webhook
// again, and then no more, so the character is replaced and the rest is kept.
import { afterAll, beforeAll, expect, test } from "vitest";
import { customerPayload } from "../../support/storefront/payloads.ts";
import { inboxIsWorked, send } from "../../support/storefront/storefront.ts";
import { dataRequestBody, privacy, settled } from "../../support/privacy.ts";
import { SHOP, sign, startService, type Service } from "../../support/service.ts";

let service: Service;

beforeAll(async () => {
  service = await startService({ background: true });
  await service.addTenant(SHOP, { support_email: "privacy@test-store.example" });
});
afterAll(() => service.stop());

const NUL = "\\u0000";
const HALF = "\\ud83d";
const states = () =>
  service.database.query("SELECT DISTINCT status FROM webhook_inbox WHERE shop = $1", [SHOP]);
const orderWith = (id: number, note: string) =>
  `{"id":${id},"admin_graphql_api_id":"gid://shopify/Order/${id}","note":"${note}","line_items":[{"title":"${note}"}],"updated_at":"2026-11-21T10:00:00Z"}`;

test.each([
  ["a NUL", NUL, 6101],
  ["half a character", HALF, 6102],
])("a customer with %s in name and tags is stored with a replacement", async (_, mark, id) => {
  const raw = customerPayload({
    id: String(id),
    admin_graphql_api_id: `"gid://shopify/Customer/${id}"`,
    email: `"texts-${id}@store.example"`,
    first_name: `"a${mark}b"`,
    tags: `"v${mark}p, ok"`,
  });
  await send(service, "customer-update", raw);
  await inboxIsWorked(service);
  expect(await states()).toEqual([{ status: "done" }]);
  expect(
    await service.database.query(
      "SELECT first_name, tags FROM storefront_users WHERE storefront_customer_gid = $1",
      [`gid://shopify/Customer/${id}`],
    ),
  ).toEqual([{ first_name: "a\ufffdb", tags: ["v\ufffdp", "ok"] }]);
});

test.each([
  ["a NUL", NUL, 6201],
  ["half a character", HALF, 6202],
])("an order with %s in its note gets its queue rows", async (_, mark, id) => {
  await send(service, "orders-create", orderWith(id, mark));
  await inboxIsWorked(service);
  expect(await states()).toEqual([{ status: "done" }]);
  const rows = await service.database.query(
    "SELECT DISTINCT payload->>'note' AS note FROM integration_queue WHERE entity_id = $1",
    [`gid://shopify/Order/${id}`],
  );
  expect(rows).toEqual([{ note: "\ufffd" }]);
});

test.each([
  ["a NUL", NUL, 6301],
  ["half a character", HALF, 6302],
])("an order with %s is accepted by the event bus too", async (_, mark, id) => {
  const raw = orderWith(id, mark);
  const { status } = await service.call("POST", "/events/ingest?source=storefront", {
    key: null,
    body: raw,
    headers: {
      "X-Shopify-Hmac-Sha256": sign(raw),
      "X-Shopify-Shop-Domain": SHOP,
      "X-Shopify-Topic": "orders/create",
      "X-Shopify-Webhook-Id": `texts-${id}`,
    },
  });
  expect(status).toBe(202);
  await inboxIsWorked(service);
  expect(await states()).toEqual([{ status: "done" }]);
});

test("a privacy request with a NUL in the address is worked", async () => {
  const raw = dataRequestBody({ id: "6401" }).replace(
    '"id":6401',
    `"id":6401,"email":"a${NUL}b@c.de"`,
  );
  const { json } = await privacy(service, "data-request", raw);
  expect((await settled(service, json.request_id)).state).toBe("done");
});
