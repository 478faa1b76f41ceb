// Webhook signatures: which are accepted, and that a rejected webhook changes nothing.
import { createHmac } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CUSTOMER_2024_10 } from "../../support/storefront/payloads.ts";
import { rawRequest } from "../../support/raw-request.ts";
import {
  APP_SECRET,
  OTHER_SHOP,
  SHOP,
  sign,
  startService,
  type Answer,
  type Service,
} from "../../support/service.ts";

const OLD_SECRET = "old-app-secret-0123456789";
const MIB = 1024 * 1024;
const TABLES = [
  "storefront_users",
  "webhook_inbox",
  "integration_queue",
  "event_ledger",
  "user_claims",
  "delivery_attempts",
];
let service: Service;

beforeAll(async () => {
  service = await startService({ env: { PLATFORM_APP_SECRET: `${APP_SECRET},${OLD_SECRET}` } });
  await service.addTenant(SHOP);
  await service.addTenant(OTHER_SHOP, { storefront_app_secret: "own-app-secret-of-other-store" });
});
afterAll(() => service.stop());

const counts = () =>
  Promise.all(
    TABLES.map(async (table) => [
      table,
      (await service.database.query(`SELECT count(*)::int AS n FROM ${table}`))[0].n,
    ]),
  );

/** Sends raw header lines and checks that a rejected webhook stores nothing and calls no system. */
async function refused(
  raw: string | Buffer,
  headers: [string, string][],
  path = "/webhooks/customer-update",
): Promise<{ status: number; json: Answer["json"] }> {
  const [rows, calls] = [await counts(), service.sandbox.requests("cms").length];
  const answer = await rawRequest(service.url, path, {
    method: "POST",
    headers: [["Content-Type", "application/json"], ...headers],
    chunks: [raw],
  });
  expect(answer.status).toBeGreaterThanOrEqual(400);
  expect(await counts()).toEqual(rows);
  expect(service.sandbox.requests("cms")).toHaveLength(calls);
  return answer;
}

const OF_SHOP: [string, string] = ["X-Storefront-Shop-Domain", SHOP];
const signed = (signature: string, name = "X-Storefront-Hmac-SHA256"): [string, string] => [
  name,
  signature,
];

describe("an invalid signature answers 401 and changes nothing", () => {
  const good = sign(CUSTOMER_2024_10);
  const cases: [string, [string, string][]][] = [
    ["missing", []],
    ["empty", [signed("")]],
    ["of another secret", [signed(sign(CUSTOMER_2024_10, "another-secret-0123456789"))]],
    ["of another body", [signed(sign(`${CUSTOMER_2024_10} `))]],
    ["in hex", [signed(createHmac("sha256", APP_SECRET).update(CUSTOMER_2024_10).digest("hex"))]],
    ["in base64url", [signed(createHmac("sha256", APP_SECRET).update("{}").digest("base64url"))]],
    ["truncated", [signed(good.slice(0, -4))]],
    ["without its padding", [signed(good.slice(0, -1))]],
    ["with something after it", [signed(`${good}x`)]],
    ["twice in one header", [signed(good), signed(good)]],
    ["twice, one of them wrong", [signed(sign("x")), signed(good)]],
    [
      "differing between the two header families",
      [signed(good), signed(sign("x"), "X-Shopify-Hmac-Sha256")],
    ],
    [
      "empty in one family and right in the other",
      [signed(""), signed(good, "X-Shopify-Hmac-Sha256")],
    ],
  ];

  test.each(cases)("%s", async (_, headers) => {
    const answer = await refused(CUSTOMER_2024_10, [OF_SHOP, ...headers]);
    expect([answer.status, answer.json.code]).toEqual([401, "invalid_signature"]);
  });

  test("when one byte of the body was changed", async () => {
    const bytes = Buffer.from(CUSTOMER_2024_10);
    const changed = Buffer.from(bytes);
    changed[100] = (changed[100] as number) ^ 1;
    expect((await refused(changed, [OF_SHOP, signed(sign(bytes))])).status).toBe(401);
  });

  test("when it is of another store's own app, or of the shared app for a store with its own", async () => {
    expect(
      (
        await refused(CUSTOMER_2024_10, [
          OF_SHOP,
          signed(sign(CUSTOMER_2024_10, "own-app-secret-of-other-store")),
        ])
      ).status,
    ).toBe(401);
  });

  test("before anything about the store or the topic is disclosed", async () => {
    for (const [shop, path] of [
      ["unknown-store.myshopify.com", "/webhooks/customer-update"],
      ["NO SHOP", "/webhooks/customer-update"],
      [SHOP, "/webhooks/no-topic"],
    ] as const)
      expect(
        (await refused("{}", [["X-Storefront-Shop-Domain", shop], signed(sign("[]"))], path))
          .status,
      ).toBe(401);
  });
});

describe("a signature is accepted", () => {
  test.each([
    ["the contract's", "X-Storefront-Hmac-SHA256"],
    ["the platform's", "X-Shopify-Hmac-Sha256"],
  ])("in %s header", async (_, name) => {
    const answer = await rawRequest(service.url, "/webhooks/customer-update", {
      method: "POST",
      headers: [OF_SHOP, signed(sign(CUSTOMER_2024_10), name)],
      chunks: [CUSTOMER_2024_10],
    });
    expect([answer.status, answer.json.ok]).toEqual([200, true]);
  });

  test("in both headers when they agree", async () => {
    const good = sign(CUSTOMER_2024_10);
    const answer = await rawRequest(service.url, "/webhooks/customer-update", {
      method: "POST",
      headers: [OF_SHOP, signed(good), signed(good, "X-Shopify-Hmac-Sha256")],
      chunks: [CUSTOMER_2024_10],
    });
    expect(answer.status).toBe(200);
  });

  test("with the second of two secrets, while the app's secret is being rotated", async () => {
    expect(
      (await service.webhook("customer-update", CUSTOMER_2024_10, { secret: OLD_SECRET })).status,
    ).toBe(200);
  });

  test("over the exact bytes, whatever their whitespace and letter case", async () => {
    expect(
      (await service.webhook("customer-update", `{ "id" : 7, "first_name": "Zoë \u{1f600}" }  \n`))
        .status,
    ).toBe(200);
  });
});

describe("a signed but unusable body is rejected and changes nothing", () => {
  test.each([
    ["not JSON", Buffer.from("{customer=1}"), "malformed_json"],
    ["not UTF-8", Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d]), "malformed_body"],
  ])("%s", async (_, raw, code) => {
    const answer = await refused(raw, [OF_SHOP, signed(sign(raw))]);
    expect([answer.status, answer.json.code]).toEqual([400, code]);
  });

  // The same secret signs other texts that visitors influence; those texts begin with a parameter name.
  test.each([
    ["empty", ""],
    ["a query", "customer=1"],
    ["an array", "[{}]"],
    ["a text", '"text"'],
    ["null", "null"],
    ["an object after a space", ' {"id":1}'],
    ["an object after a byte order mark", '\ufeff{"id":1}'],
  ])("when it is not a JSON object: %s", async (_, text) => {
    const raw = Buffer.from(text);
    const answer = await refused(raw, [OF_SHOP, signed(sign(raw))]);
    expect([answer.status, answer.json.code]).toEqual([401, "invalid_signature"]);
  });

  test("above 2 MiB answers 413; exactly 2 MiB is accepted", async () => {
    const exact = `{"id":1${" ".repeat(2 * MIB - 8)}}`;
    expect((await refused(`${exact} `, [OF_SHOP, signed(sign(`${exact} `))])).status).toBe(413);
    expect((await service.webhook("customer-update", exact)).status).toBe(200);
  });

  test("an unknown topic answers 404", async () => {
    expect(
      (await refused("{}", [OF_SHOP, signed(sign("{}"))], "/webhooks/products-create")).status,
    ).toBe(404);
  });

  test("an unknown store answers 404, a missing one 400", async () => {
    expect(
      (
        await refused("{}", [
          ["X-Storefront-Shop-Domain", "unknown-store.myshopify.com"],
          signed(sign("{}")),
        ])
      ).json.code,
    ).toBe("unknown_tenant");
    expect((await refused("{}", [signed(sign("{}"))])).json.code).toBe("tenant_required");
  });

  test("a body that names another store than the request answers 401", async () => {
    for (const name of ["shop_domain", "myshopify_domain", "shopify_domain"]) {
      const raw = JSON.stringify({ id: 1, [name]: OTHER_SHOP });
      expect((await refused(raw, [OF_SHOP, signed(sign(raw))])).json.code).toBe(
        "invalid_signature",
      );
    }
    expect(
      (
        await refused(
          "{}",
          [OF_SHOP, signed(sign("{}"))],
          `/webhooks/customer-update?shop=${OTHER_SHOP}`,
        )
      ).status,
    ).toBe(401);
  });
});

test("a webhook path accepts POST only", async () => {
  for (const method of ["GET", "PUT", "DELETE"]) {
    const answer = await service.call(method, "/webhooks/customer-update", {
      headers: { "X-Storefront-Shop-Domain": SHOP },
    });
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "POST, OPTIONS"]);
  }
});
