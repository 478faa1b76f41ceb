// What stays of an account that its owner deleted: nothing, also not what was archived of it.
import { afterAll, beforeAll, expect, it } from "vitest";
import { eraseCopies } from "../../../app/domain/compliance/erasure/erase-copies.ts";
import { getTenant } from "../../../app/domain/tenants/tenant.ts";
import { findEverywhere, startPrivacyService } from "../../support/privacy.ts";
import { eventually, SHOP, type Service } from "../../support/service.ts";
import {
  COST_OF_FEW,
  planOfLargeTables,
  recordStatements,
} from "../../support/statements/statement-plans.ts";
import { newEmail, PASSWORD, queueIsEmpty, signUp } from "../../contract/identity/people.ts";

let service: Service;

beforeAll(async () => {
  service = await startPrivacyService();
  await service.addTenant(SHOP);
});
afterAll(() => service.stop());

const archivedOf = async (words: string[]) =>
  (await findEverywhere(service, words)).filter((place) => place.includes("events/"));

it("a deleted account's archived messages go with the next scheduled run, and nobody else's", async () => {
  const [gone, kept] = [newEmail("gone"), newEmail("kept")];
  const { id, token } = await signUp(service, { email: gone, last_name: "Goneunique" });
  await signUp(service, { email: kept, last_name: "Keptunique" });
  await queueIsEmpty(service);
  await eventually("both archived", async () => {
    const places = await archivedOf([gone, kept]);
    return places.length >= 2;
  });
  const deleted = await service.call("DELETE", `/auth/me?shop=${SHOP}`, {
    key: token,
    body: { password: PASSWORD },
  });
  expect(deleted.status).toBe(200);
  await queueIsEmpty(service);
  // Its last mail went to the address that is kept nowhere else.
  expect(
    await service.database.query(
      `SELECT q.status, e.attempt_id IS NOT NULL AS is_kept FROM integration_queue q
        LEFT JOIN delivery_exchanges e ON e.event_id = q.event_id
        WHERE q.event_type = 'mail.account_deleted' AND q.entity_id = $1`,
      [String(id)],
    ),
  ).toEqual([{ status: "delivered", is_kept: false }]);
  const { json } = await service.call("POST", "/admin/scheduled-run");
  expect(json.report.steps.deleted_accounts).toMatchObject({ failed: 0, counts: { accounts: 1 } });
  expect(await findEverywhere(service, [gone, "Goneunique"])).toEqual([]);
  expect(await archivedOf([kept])).not.toEqual([]);
  const marks = "SELECT 1 FROM kv WHERE key LIKE 'deleted_account:%'";
  expect(await service.database.query(marks)).toEqual([]);
});

it("the search for deleted accounts does not read the store's other keys", async () => {
  await service.database.query(
    `INSERT INTO kv (shop, key, value, expires_at)
      SELECT $1, 'evt:' || n, '1', now() + interval '1 day' FROM generate_series(1, 5000) n`,
    [SHOP],
  );
  await service.database.query("VACUUM ANALYZE kv");
  const { ctx, database } = service;
  const tenant = await getTenant(ctx, SHOP);
  const [search] = await recordStatements(() => eraseCopies(ctx, tenant));
  if (!search) throw new Error("The search sent no statement.");
  const plan = await planOfLargeTables(database.url, search.text);
  expect(plan["Total Cost"]).toBeLessThan(COST_OF_FEW);
});

it("a deleted account's checkouts are canceled, its mandates hold nothing, and nothing says which orders were its own", async () => {
  const { id, token } = await signUp(service);
  const insert = (columns: string, values: string) =>
    service.database.query(
      `INSERT INTO checkout_sessions (shop, id, customer_id, source, checkout_url, line_items, subtotal, total,
        currency, expires_at, ${columns}) VALUES ($1, gen_random_uuid(), $2, 'cart', 'https://x.example/c', '[]',
        40, 40, 'EUR', now() + interval '1 hour', ${values})`,
      [SHOP, id],
    );
  const mandate = "00000000-0000-4000-8000-000000000001";
  await service.database.query(
    `INSERT INTO mandates (shop, mandate_id, customer_id, max_amount, spent_amount, reserved_amount, owed_amount,
      reservations, currency, scope, usage, signature, proof, expires_at)
      VALUES ($1, $3, $2, 100, 60, 40, 40, 1, 'EUR', 'all', 'multi', 's', 'p', now() + interval '1 day')`,
    [SHOP, id, mandate],
  );
  await insert(
    "status, external_id, mandate_id, reserved_amount",
    `'ready_for_complete', 'gid://shopify/Cart/open', '${mandate}', 40`,
  );
  await insert(
    "status, external_id, order_id, orders",
    `'completed', 'gid://shopify/Cart/paid', 'gid://shopify/Order/1',
      '[{"id":"gid://shopify/Order/1","amount":"40.00","is_own":true}]'`,
  );
  await service.database.query(
    `INSERT INTO return_cases (shop, rma, order_id, user_id, status)
      VALUES ($1, 'RMA-deleted', 'gid://shopify/Order/1', $2, 'open')`,
    [SHOP, id],
  );
  await service.database.query(
    `INSERT INTO kv (shop, key, value) VALUES ($1, 'idempotent:deleted', $2), ($1, 'orders:deleted', $2)`,
    [SHOP, JSON.stringify({ user_id: id, answer: "{}" })],
  );
  const { status } = await service.call("DELETE", `/auth/me?shop=${SHOP}`, {
    key: token,
    body: { password: PASSWORD },
  });
  expect(status).toBe(200);
  expect(
    await service.database.query(
      `SELECT status, checkout_url, external_id, order_id, orders, reserved_amount FROM checkout_sessions
        WHERE customer_id = $1 ORDER BY status`,
      [id],
    ),
  ).toEqual(
    ["canceled", "completed"].map((ended) => ({
      status: ended,
      checkout_url: null,
      external_id: null,
      order_id: null,
      orders: null,
      reserved_amount: "0.00",
    })),
  );
  expect(
    await service.database.query(
      "SELECT status, spent_amount, reserved_amount, reservations, owed_amount FROM mandates WHERE mandate_id = $1",
      [mandate],
    ),
  ).toEqual([
    {
      status: "revoked",
      spent_amount: "100.00",
      reserved_amount: "0.00",
      reservations: 0,
      owed_amount: "0.00",
    },
  ]);
  expect(
    await service.database.query(
      "SELECT user_id, order_id FROM return_cases WHERE rma = 'RMA-deleted'",
    ),
  ).toEqual([{ user_id: null, order_id: null }]);
  await queueIsEmpty(service);
  await service.call("POST", "/admin/scheduled-run");
  expect(
    await service.database.query("SELECT key FROM kv WHERE value->>'user_id' = $1", [String(id)]),
  ).toEqual([]);
});

it("what a deleted account's delivery sent while the deletion came is not kept either", async () => {
  service.sandbox.failNext("cms", { delayReplyMs: 3_000 }, 1);
  const before = service.sandbox.requests("cms").length;
  const { id, email, token } = await signUp(service);
  await eventually("the delivery under way", () => service.sandbox.requests("cms").length > before);
  const { status } = await service.call("DELETE", `/auth/me?shop=${SHOP}`, {
    key: token,
    body: { password: PASSWORD },
  });
  expect(status).toBe(200);
  // A run meanwhile leaves the rest to the next one.
  await service.call("POST", "/admin/scheduled-run");
  await queueIsEmpty(service);
  await service.call("POST", "/admin/scheduled-run");
  expect(
    await service.database.query(
      `SELECT a.channel, q.event_type FROM delivery_exchanges e JOIN delivery_attempts a ON a.id = e.attempt_id
        JOIN integration_queue q ON q.id = a.queue_id
        WHERE q.entity_id = $1 AND q.event_type = 'customer.signed_up'`,
      [String(id)],
    ),
  ).toEqual([]);
  expect(
    await service.database.query(
      "SELECT channel FROM integration_queue WHERE strpos(transformed_payload::text, $1) > 0",
      [email],
    ),
  ).toEqual([]);
});
