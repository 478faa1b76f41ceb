// What is stored of a delivery's request and response: sealed, without credentials, bounded, and gone
// with its person and its time.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openExchange } from "../../../app/domain/bus/exchanges/exchange.ts";
import {
  exchangesRead,
  readOpenExchange,
  toMaskedExchange,
} from "../../../app/domain/bus/exchanges/read-exchange.ts";
import { REGION_RULES } from "../../../app/domain/inventory/row-rules.ts";
import { dataOf, getTenant, type Tenant } from "../../../app/domain/tenants/tenant.ts";
import { readTogether } from "../../../app/runtime/database/read-together.ts";
import { forgetHistory } from "../../../app/runtime/database/retention.ts";
import { deliver, ingest, order } from "../../support/bus/events.ts";
import { OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";

const PASSWORD = "erp-password-0123456789";
const BASIC = Buffer.from(`erp:${PASSWORD}`).toString("base64");

let service: Service;
let answer: (response: ServerResponse, request: IncomingMessage, body: string) => void;
const erp = createServer((request, response) => {
  response.on("error", () => {});
  let body = "";
  request.on("data", (chunk: Buffer) => (body += chunk.toString()));
  request.on("end", () => answer(response, request, body));
});

async function readMasked(tenant: Tenant, key: { eventId: string; attemptId: number }) {
  const { exchanges } = await readTogether(dataOf(service.ctx, tenant).sql, {
    exchanges: exchangesRead(key.eventId, key.attemptId),
  });
  return toMaskedExchange(service.ctx, tenant, exchanges);
}

// No worker runs: only explicit requests deliver.
beforeAll(async () => {
  service = await startService();
  await new Promise<void>((ready) => erp.listen(0, "127.0.0.1", ready));
});
afterAll(async () => {
  erp.closeAllConnections();
  erp.close();
  await service.stop();
});
beforeEach(async () => {
  await service.database.truncate();
  const url = `http://127.0.0.1:${(erp.address() as AddressInfo).port}/odata?sap-client=100&code=function-secret-42`;
  for (const shop of [SHOP, OTHER_SHOP])
    await service.addTenant(shop, {
      erp_base_url: url,
      erp_username: "erp",
      erp_password: PASSWORD,
      erp_defaults: { bukrs: "1000", vkorg: "1000", vtweg: "10" },
    });
});

type Stored = { shop: string; attempt_id: number; token: string; sealed: string };

/** Delivers one order and returns what is stored of it. */
async function deliverOrder(shop = SHOP): Promise<{ eventId: string; stored: Stored }> {
  const event = order({
    destinations: ["erpsys"],
    payload: { email: "ada@example.com", total_price: "12.50", currency: "EUR" },
  });
  const { json } = await ingest(service, event, { shop });
  const eventId = json.event_id as string;
  await deliver(
    service,
    { queue_id: 1, event_id: eventId, channel: "erpsys" },
    { query: `?shop=${shop}` },
  );
  const [stored] = await service.database.query<Stored>(
    `SELECT shop, attempt_id::int, token, sealed FROM delivery_exchanges WHERE event_id = $1`,
    [eventId],
  );
  return { eventId, stored: stored as Stored };
}

const reject =
  (body: string, headers: Record<string, string> = {}): typeof answer =>
  (response) =>
    void response.writeHead(422, { "Content-Type": "application/json", ...headers }).end(body);

test("a stored exchange is sealed at rest, and opens for its own store and attempt only", async () => {
  answer = reject('{"error":{"message":{"value":"Ada Lovelace has no sales area"}}}');
  const { eventId, stored } = await deliverOrder();
  expect(JSON.stringify(stored)).not.toMatch(/sales area|Lovelace|A_SalesOrder/);
  const [attempt] = await service.database.query(
    "SELECT id::int, status, http_status FROM delivery_attempts WHERE event_id = $1",
    [eventId],
  );
  expect(attempt).toEqual({ id: stored.attempt_id, status: "failed", http_status: 422 });

  const tenant = await getTenant(service.ctx, SHOP);
  const key = { eventId, attemptId: stored.attempt_id };
  const open = await readOpenExchange(service.ctx, tenant, key);
  expect(open).toMatchObject({
    request: { method: "POST" },
    response: { status: 422 },
    message: "Ada Lovelace has no sales area",
  });
  expect(open.request.body.text).toContain("12.50");
  const masked = JSON.stringify(await readMasked(tenant, key));
  expect(masked).not.toMatch(/Lovelace|sales area|12\.50/);

  // An attempt that is older than those listed: the newest is shown in its place.
  await service.database.query(
    `INSERT INTO delivery_exchanges (shop, event_id, attempt_id, token, sealed)
      SELECT shop, event_id, attempt_id + n, token, sealed FROM delivery_exchanges, generate_series(1, 200) n
      WHERE event_id = $1 AND attempt_id = $2`,
    [eventId, stored.attempt_id],
  );
  expect((await readMasked(tenant, key))?.attempt_id).toBe(stored.attempt_id + 200);
  await service.database.query(
    "DELETE FROM delivery_exchanges WHERE event_id = $1 AND attempt_id > $2",
    [eventId, stored.attempt_id],
  );

  const other = await getTenant(service.ctx, OTHER_SHOP);
  expect(await readMasked(other, key)).toBeNull();
  expect(() => openExchange(service.ctx, OTHER_SHOP, stored)).toThrow(/does not open/);
  const second = await deliverOrder();
  expect(() =>
    openExchange(service.ctx, SHOP, { token: second.stored.token, sealed: stored.sealed }),
  ).toThrow(/does not open/);
});

test("no credential is stored, whether sent, returned, or repeated by the system", async () => {
  answer = (response, request) =>
    reject(
      JSON.stringify({
        message: `bad credentials ${request.headers.authorization} for ${PASSWORD}`,
        access_token: "returned-token-77",
        nested: { client_secret: "returned-secret-78" },
        link: "https://erp.example/reset?token=link-token-79&user=ada",
      }),
      { "Set-Cookie": "SESSION=cookie-80; Path=/", "X-Erp-Key": "header-81" },
    )(response, request, "");
  const { stored } = await deliverOrder();
  const opened = JSON.stringify(openExchange(service.ctx, SHOP, stored));
  for (const secret of [
    PASSWORD,
    BASIC,
    "function-secret-42",
    /returned-|link-token|cookie-80|header-81/,
  ])
    expect(opened).not.toMatch(secret);
  expect(opened).toContain("sap-client=100");
  expect(opened).toContain("code=<hidden>");
});

test("of a response of 50 MB only the first 4 kB are kept, and the system is cut off before it has sent half", async () => {
  let left = 0;
  answer = (response) => {
    response.writeHead(500, { "Content-Type": "text/plain" });
    const chunk = "x".repeat(64 * 1024);
    left = 800;
    const send = (): void => {
      while (left > 0 && !response.destroyed) {
        left -= 1;
        if (!response.write(chunk)) return void response.once("drain", send);
      }
      if (!response.destroyed) response.end();
    };
    send();
  };
  const { stored } = await deliverOrder();
  const { response } = openExchange(service.ctx, SHOP, stored);
  expect(response?.body.isCut).toBe(true);
  expect(Buffer.byteLength(response?.body.text ?? "")).toBe(4_096);
  expect(response?.body.bytes).toBeLessThanOrEqual(64 * 1024);
  expect(stored.sealed.length).toBeLessThan(16_000);
  // What was read and what waits in the sockets' buffers.
  expect(left).toBeGreaterThan(400);
});

test("a system that does not answer leaves its request and the kind of failure", async () => {
  answer = (response) => void response.destroy();
  const { stored } = await deliverOrder();
  expect(openExchange(service.ctx, SHOP, stored)).toMatchObject({
    request: { method: "POST" },
    response: null,
    failure: "network",
  });
});

test("a stored exchange is deleted after 14 days", async () => {
  answer = reject("{}");
  const [old, young] = [await deliverOrder(), await deliverOrder()];
  await service.database.query(
    `UPDATE delivery_exchanges SET created_at = now() - CASE WHEN event_id = $1
      THEN interval '14 days 1 minute' ELSE interval '13 days 23 hours' END`,
    [old.eventId],
  );
  await forgetHistory(service.ctx.home, REGION_RULES, new AbortController().signal);
  expect(await service.database.query("SELECT event_id FROM delivery_exchanges")).toEqual([
    { event_id: young.eventId },
  ]);
});
