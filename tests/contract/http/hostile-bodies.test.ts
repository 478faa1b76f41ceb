// Bodies as large as they may be, made of what is slow for a pattern that backtracks. Each costs
// less than two seconds of processor time, and other callers are answered meanwhile, also while the
// workers handle what was accepted.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { syncAnonymous } from "../../support/consent.ts";
import { ERP_FIELDS } from "../../support/bus/erp-receiver.ts";
import { order } from "../../support/bus/events.ts";
import { eventually, SHOP, sign, startService, type Service } from "../../support/service.ts";
import { processorMs } from "../../support/processor-time.ts";

const MIB = 1024 * 1024;
/** Leaves room for the document around a value, and for characters that JSON escapes. */
const ROOM = 16 * 1024;
const MAX_ANSWER_MS = 2_000;
const MAX_HEALTH_MS = 1_000;

/** A text of about `bytes` bytes in JSON. */
const repeat = (unit: string, bytes: number, end = ""): string =>
  unit.repeat(Math.floor(bytes / (Buffer.byteLength(JSON.stringify(unit)) - 2))) + end;

const FILLS: [name: string, fill: (bytes: number) => string][] = [
  ["letters before no @", (bytes) => repeat("a", bytes, "@")],
  ["letters, then an address", (bytes) => repeat("a", bytes, "@b.example")],
  ["an @ and dots", (bytes) => `a@${repeat("a.", bytes)}`],
  ["nothing but @", (bytes) => repeat("@", bytes)],
  ["addresses without an end", (bytes) => repeat("a@a", bytes)],
  ["escaped @", (bytes) => repeat("a%40", bytes)],
  ["slashes", (bytes) => repeat("/", bytes, "x")],
  ["spaces", (bytes) => `x${repeat(" ", bytes)}x`],
  ["line ends", (bytes) => repeat("?\n", bytes)],
  ["digits", (bytes) => repeat("1", bytes, "x")],
  ["unclosed markup", (bytes) => repeat("<script <!--", bytes)],
  ["markup that almost closes", (bytes) => repeat("<script></script ", bytes)],
  ["backslashes", (bytes) => repeat("\\", bytes)],
  ["halves of characters", (bytes) => repeat("\ud800", bytes)],
  ["customers without a number", (bytes) => repeat("gid://shopify/Customer/", bytes)],
  ["combining marks", (bytes) => repeat("\u0301", bytes)],
  ["separators", (bytes) => repeat(",;:-_.", bytes)],
];

let service: Service;

beforeAll(async () => {
  service = await startService({ background: true });
  await service.addTenant(SHOP, {
    ...ERP_FIELDS,
    erp_base_url: service.sandbox.addresses.erpBaseUrl,
  });
});
afterAll(() => service.stop());

/**
 * Asks for /health without a pause. Returns the most processor time that passed between question
 * and answer.
 */
function watchHealth(): { stop(): Promise<number> } {
  let isWatching = true;
  const watching = (async () => {
    let longest = 0;
    while (isWatching) {
      const begunAt = processorMs();
      await service.call("GET", "/health", { key: null });
      longest = Math.max(longest, processorMs() - begunAt);
      await new Promise((next) => setTimeout(next, 20));
    }
    return longest;
  })();
  return {
    stop: () => {
      isWatching = false;
      return watching;
    },
  };
}

async function untilQuiet(): Promise<void> {
  await eventually(
    "no webhook and no delivery under way",
    async () => {
      const [row] = await service.database.query(
        `SELECT (SELECT count(*)::int FROM webhook_inbox WHERE status = 'pending' AND attempts = 0) AS webhooks,
                (SELECT count(*)::int FROM integration_queue
                  WHERE status IN ('pending', 'processing', 'ready') AND retry_count = 0) AS deliveries`,
      );
      return row.webhooks === 0 && row.deliveries === 0;
    },
    30_000,
  );
}

type Post = (fill: string) => Promise<{ status: number }>;

async function expectQuick(post: Post, bytes: number, expected: readonly number[]): Promise<void> {
  const health = watchHealth();
  const slow: string[] = [];
  const statuses = new Set<number>();
  for (const [name, fill] of FILLS) {
    const value = fill(bytes);
    const begunAt = processorMs();
    const { status } = await post(value);
    const ms = processorMs() - begunAt;
    statuses.add(status);
    if (ms > MAX_ANSWER_MS) slow.push(`${name}: ${Math.round(ms)} ms`);
  }
  await untilQuiet();
  const longestHealth = await health.stop();
  expect(slow).toEqual([]);
  expect(longestHealth).toBeLessThan(MAX_HEALTH_MS);
  expect([...statuses].filter((status) => !expected.includes(status))).toEqual([]);
}

describe("2 MiB of text", () => {
  test("in an event's payload is accepted or rejected within two seconds", async () => {
    await expectQuick(
      (note) =>
        service.call("POST", `/events/ingest?shop=${SHOP}`, { body: order({ payload: { note } }) }),
      2 * MIB - ROOM,
      [202, 400],
    );
  }, 120_000);

  test("in an event's own fields is rejected within two seconds", async () => {
    await expectQuick(
      (text) =>
        service.call("POST", `/events/ingest?shop=${SHOP}`, {
          body: order({ entity_id: text, event_type: text, source: text, timestamp: text }),
        }),
      (2 * MIB - ROOM) / 4,
      [400, 401],
    );
  }, 120_000);

  test("in an order's cart attribute of a webhook is handled within two seconds", async () => {
    let number = 1_000;
    await expectQuick(
      (value) => {
        number += 1;
        return service.webhook(
          "orders-create",
          JSON.stringify({
            id: number,
            admin_graphql_api_id: `gid://shopify/Order/${number}`,
            updated_at: "2026-11-21T10:00:00Z",
            note_attributes: [{ name: "checkout_id", value }],
          }),
        );
      },
      2 * MIB - ROOM,
      [200, 400],
    );
  }, 120_000);

  test("in a customer's fields of a webhook is handled within two seconds", async () => {
    let number = 1_000;
    await expectQuick(
      (text) => {
        number += 1;
        return service.webhook(
          "customer-update",
          JSON.stringify({
            admin_graphql_api_id: `gid://shopify/Customer/${number}`,
            updated_at: "2026-11-21T10:00:00Z",
            email: text,
            first_name: text,
            tags: text,
            phone: text,
          }),
        );
      },
      (2 * MIB - ROOM) / 4,
      [200, 400],
    );
  }, 120_000);

  test("as the raw body of a signed webhook is rejected within two seconds", async () => {
    await expectQuick(
      (text) => service.webhook("customer-update", `{${text}`),
      2 * MIB - ROOM,
      [400],
    );
  }, 120_000);

  test("in a privacy request of the storefront is accepted or rejected within two seconds", async () => {
    await expectQuick(
      (text) => {
        const raw = JSON.stringify({
          shop_domain: SHOP,
          customer: { id: 1, email: text, phone: text },
        });
        return service.call("POST", "/gdpr/data-request", {
          body: raw,
          key: null,
          headers: { "X-Storefront-Hmac-SHA256": sign(raw) },
        });
      },
      (2 * MIB - ROOM) / 2,
      [200, 400, 401],
    );
  }, 120_000);

  test("in a consent change is rejected within two seconds", async () => {
    const fields = ["email", "source_page", "consent_id", "method", "form_type", "timestamp"];
    await expectQuick(
      (text) => syncAnonymous(service, Object.fromEntries(fields.map((name) => [name, text]))),
      (MIB - ROOM) / fields.length,
      [400],
    );
    await expectQuick((text) => syncAnonymous(service, { source_page: text }), 2 * MIB, [400, 413]);
  }, 120_000);

  test("in a store's settings is rejected within two seconds", async () => {
    const fields = [
      "email_from",
      "brand_name",
      "logo_url",
      "erp_base_url",
      "support_email",
      "public_hosts",
    ];
    await expectQuick(
      (text) =>
        service.call("POST", `/config?shop=${SHOP}`, {
          body: Object.fromEntries(fields.map((name) => [name, text])),
        }),
      (MIB - ROOM) / fields.length,
      [400],
    );
    await expectQuick(
      (text) => service.call("POST", `/config?shop=${SHOP}`, { body: { brand_name: text } }),
      2 * MIB,
      [400, 413],
    );
  }, 120_000);
});
