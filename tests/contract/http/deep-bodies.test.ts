// Deeply nested bodies, which overflow the stack of a recursive parser.
import { afterAll, beforeAll, expect, it } from "vitest";
import { SHOP, sign, startService, type Service } from "../../support/service.ts";
import { processorMs } from "../../support/processor-time.ts";

const MIB = 1024 * 1024;
let service: Service;
beforeAll(async () => {
  service = await startService();
  await service.addTenant(SHOP);
});
afterAll(() => service.stop());

/** A JSON object of `bytes` bytes: the store, and one value nested as deep as the size allows. */
function deep(open: string, close: string, bytes = 1.9 * MIB): string {
  const depth = Math.floor((bytes - 100) / (open.length + close.length));
  return `{"shop_domain":"${SHOP}","a":${open.repeat(depth)}1${close.repeat(depth)}}`;
}
const BODIES: [string, string][] = [
  ["arrays", deep("[", "]")],
  ["objects", deep('{"a":', "}")],
  ["both", deep('[{"a":', "}]")],
  ["as few as overflow a stack", deep("[", "]", 20_000)],
  ["inside the customer", deep("[", "]").replace('"a":', '"customer":')],
  ["inside the orders", deep("[", "]").replace('"a":', '"orders_to_redact":')],
];

it.each([
  "/gdpr/customer-redact",
  "/gdpr/data-request",
  "/gdpr/shop-redact",
  "/webhooks/customer-update",
  "/webhooks/orders-create",
  "/webhooks/app-uninstalled",
  "/events/ingest?source=storefront",
])("%s never answers 5xx, and answers within two seconds", async (path) => {
  for (const [kind, body] of BODIES) {
    const started = processorMs();
    const answer = await service.call("POST", path, {
      key: null,
      body,
      headers: {
        "X-Shopify-Hmac-Sha256": sign(body),
        "X-Shopify-Shop-Domain": SHOP,
        "X-Shopify-Topic": "customers/update",
        "X-Shopify-Webhook-Id": `${path} ${kind}`,
      },
    });
    expect([kind, [200, 202, 400].includes(answer.status), answer.text.slice(0, 200)]).toEqual([
      kind,
      true,
      answer.text.slice(0, 200),
    ]);
    expect([kind, processorMs() - started < 2_000]).toEqual([kind, true]);
  }
});

it("an unsigned event with an admin key never answers 5xx either", async () => {
  for (const [kind, body] of BODIES) {
    const answer = await service.call("POST", `/events/ingest?shop=${SHOP}`, {
      body: body.replace('"a":', '"event_type":"a.b","entity_id":"1","payload":'),
    });
    expect([kind, [202, 200, 400].includes(answer.status)]).toEqual([kind, true]);
  }
});
