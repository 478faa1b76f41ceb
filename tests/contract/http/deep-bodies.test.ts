// Deeply nested bodies, which overflow the stack of a recursive parser.
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
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
])("%s never answers 5xx to a deeply nested body, and answers within two seconds", async (path) => {
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

it("a deeply nested event with an admin key never answers 5xx", async () => {
  for (const [kind, body] of BODIES) {
    const answer = await service.call("POST", `/events/ingest?shop=${SHOP}`, {
      body: body.replace('"a":', '"event_type":"a.b","entity_id":"1","payload":'),
    });
    expect([kind, [202, 200, 400].includes(answer.status)]).toEqual([kind, true]);
  }
});

describe("a large body that names its store itself", () => {
  const large = (fields: object) =>
    JSON.stringify({ ...fields, padding: Array.from({ length: 200_000 }, () => 1) });
  const parsed = async (work: () => Promise<{ status: number }>) => {
    const parse = vi.spyOn(JSON, "parse");
    const { status } = await work();
    const sizes = parse.mock.calls.map(([text]) => text.length);
    parse.mockRestore();
    return { status, isParsed: sizes.some((size) => size > 100_000) };
  };
  const post = (path: string, body: string, headers: Record<string, string>) =>
    parsed(() => service.call("POST", path, { key: null, body, headers }));
  const CALLS = [
    ["/gdpr/customer-redact", large({ shop_domain: SHOP })],
    ["/events/ingest?source=storefront", large({ tenant_shop: SHOP })],
  ] as const;

  it.each(CALLS)("%s is refused without a valid proof before it is parsed", async (path, body) => {
    const refused = { status: 401, isParsed: false };
    const JSON_TYPE = { "Content-Type": "application/json" };
    expect(await post(path, body, JSON_TYPE)).toEqual(refused);
    const wrong = { ...JSON_TYPE, "X-Shopify-Hmac-Sha256": sign(`${body} `) };
    expect(await post(path, body, wrong)).toEqual(refused);
    expect(await post(path, body, { ...JSON_TYPE, Authorization: "Bearer x" })).toEqual(refused);
  });

  it.each(CALLS)("%s is taken with its store's signature", async (path, body) => {
    const proven = { "Content-Type": "application/json", "X-Shopify-Hmac-Sha256": sign(body) };
    const { status, isParsed } = await post(path, body, proven);
    expect([status === 401 || status === 404, isParsed]).toEqual([false, true]);
  });

  it("is taken with the key of the store that it names, wherever the name stands in it", async () => {
    const saved = await service.call("POST", `/config?shop=${SHOP}`, {
      body: { admin_key: "key-of-this-store-alone-0123" },
    });
    expect(saved.status).toBe(200);
    const body = JSON.stringify({
      payload: { tenant_shop: "other-store.myshopify.com", padding: "x".repeat(100_000) },
      tenant_shop: SHOP,
    });
    const answer = await parsed(() =>
      service.call("POST", "/events/ingest", { key: "key-of-this-store-alone-0123", body }),
    );
    expect([answer.status === 401, answer.isParsed]).toEqual([false, true]);
  });
});
