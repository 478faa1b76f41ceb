// The store's customer goes to another account while a change for that customer waits for the row.
import { hash, randomUUID } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { addCustomer } from "../support/bus/queue.ts";
import { addToCatalog } from "../support/storefront/tag-catalog.ts";
import { SHOP, sign, startService, type Answer, type Service } from "../support/service.ts";
import { statementsWait } from "../support/processes/locked-rows.ts";

const NUMBER = "9007199254740993";
const GID = `gid://shopify/Customer/${NUMBER}`;

let service: Service;
let before: number;
let after: number;

const query = (sql: string, values: unknown[] = []) => service.database.query(sql, values);

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  await service.database.truncate();
  await service.addTenant(SHOP, { enabled_channels: ["email"] });
  await addToCatalog(service, ["gold"]);
  before = await addCustomer(service.database, SHOP, { email: "former@example.com" });
  after = await addCustomer(service.database, SHOP, { email: "ada@example.com" });
  await query("UPDATE storefront_users SET storefront_customer_gid = $2 WHERE id = $1", [
    before,
    GID,
  ]);
});

/**
 * Makes the request, which finds the customer's account, and gives the customer another one before its change. With
 * `key`, the request waits for this key, and not for the account's row.
 */
async function moveDuring(request: () => Promise<Answer>, key = ""): Promise<Answer> {
  const store = new pg.Client({ connectionString: service.database.url });
  await store.connect();
  const move = (id: number, gid: string | null) =>
    store.query("UPDATE storefront_users SET storefront_customer_gid = $2 WHERE id = $1", [
      id,
      gid,
    ]);
  try {
    await store.query("BEGIN");
    await move(before, null);
    await move(after, GID);
    await store.query("INSERT INTO kv (shop, key, value) VALUES ($1, $2, '{}')", [SHOP, key]);
    const answer = request();
    await statementsWait(service.database);
    await store.query("DELETE FROM kv WHERE shop = $1 AND key = $2", [SHOP, key]);
    await store.query("COMMIT");
    return await answer;
  } finally {
    await store.end();
  }
}

const flow = (action: string, properties: object, runId: string = randomUUID()) => {
  const body = JSON.stringify({
    shop_id: "954889",
    shopify_domain: SHOP,
    action_run_id: runId,
    action_definition_id: "An action",
    handle: action,
    properties: { customer_id: NUMBER, ...properties },
  });
  return service.call("POST", `/flow/actions/${action}`, {
    body,
    key: null,
    headers: { "X-Shopify-Hmac-SHA256": sign(body) },
  });
};

const tagged = () =>
  query(
    `SELECT m.user_id, t.slug FROM user_tag_map m JOIN crm_tags t ON t.shop = m.shop
      AND t.id = m.tag_id WHERE m.source = 'admin'`,
  );

test("a tag by the API is not given to the customer's former account", async () => {
  const { status } = await moveDuring(() =>
    service.call("POST", `/admin/tags/assign?shop=${SHOP}`, { body: { gid: GID, add: ["gold"] } }),
  );
  expect(status).toBe(404);
  expect(await tagged()).toEqual([]);
});

test("a workflow's tag is given to the account that the customer has by then", async () => {
  const answer = await moveDuring(() => flow("add-tag", { tag: "gold" }));
  expect([answer.status, answer.json.outcome]).toEqual([200, "changed"]);
  expect(await tagged()).toEqual([{ user_id: after, slug: "gold" }]);
});

test("a workflow's run is kept for the account that the customer has by then, also before it locks one", async () => {
  const runId = randomUUID();
  const key = `flow_run:${hash("sha256", runId)}`;
  const answer = await moveDuring(() => flow("add-tag", { tag: "gold" }, runId), key);
  expect([answer.status, answer.json.outcome]).toEqual([200, "changed"]);
  const [kept] = await query("SELECT value->>'user_id' AS id FROM kv WHERE key = $1", [key]);
  expect(kept).toEqual({ id: String(after) });
});

test("a workflow's request for a consent is sent to the account that the customer has by then", async () => {
  const answer = await moveDuring(() => flow("record-consent-request", {}));
  expect([answer.status, answer.json.outcome]).toEqual([200, "asked"]);
  const mails = await query("SELECT payload->>'user_id' AS id FROM integration_queue");
  expect(mails).toEqual([{ id: String(after) }]);
});

test("a tag by an address is given to the person who registered again, not to the deleted account", async () => {
  await query("UPDATE storefront_users SET status = 'deleted' WHERE id = $1", [before]);
  await query("UPDATE storefront_users SET email = 'former@example.com' WHERE id = $1", [after]);
  const { status } = await service.call("POST", `/admin/tags/assign?shop=${SHOP}`, {
    body: { email: "former@example.com", add: ["gold"] },
  });
  expect(status).toBe(200);
  expect(await tagged()).toEqual([{ user_id: after, slug: "gold" }]);
});
