// What a deletion of an account empties in the queue, and reads while the consents of its store wait for it.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { emptyDeliveries } from "../../../app/domain/identity/account-deletion.ts";
import { OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";

const ROWS = 2_000;
let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service?.stop());
beforeEach(() => service.database.truncate());

const query = (sql: string, values: unknown[] = []) => service.database.query(sql, values);

/** Deliveries of one customer, each with its attempt and its answer. */
async function addDeliveries(shop: string): Promise<void> {
  await query(
    `INSERT INTO integration_queue (shop, event_id, channel, source, event_type, entity_type, entity_id, payload,
      priority, max_retries, status, delivered_at)
     SELECT $1, 'event-' || n, 'cms', 'manual', 'customer.updated', 'customer', '7', '{}', 3, 3, 'delivered', now()
     FROM generate_series(1, $2::int) AS n`,
    [shop, ROWS],
  );
  await query(
    `INSERT INTO delivery_attempts (shop, event_id, queue_id, channel, status, attempt, latency_ms, error)
     SELECT $1, 'event-' || n, n, 'cms', 'failed', 1, 5, 'answered 503' FROM generate_series(1, $2::int) AS n`,
    [shop, ROWS],
  );
  await query(
    `INSERT INTO delivery_exchanges (shop, event_id, attempt_id, token, sealed)
     SELECT $1, event_id, id, gen_random_uuid(), 'sealed' FROM delivery_attempts WHERE shop = $1`,
    [shop],
  );
}

test("a deletion in a store that grew since the last ANALYZE reads the person's deliveries a few times, not once for each", async () => {
  await addDeliveries(OTHER_SHOP);
  for (const table of ["integration_queue", "delivery_attempts", "delivery_exchanges"])
    await query(`ANALYZE ${table}`);
  await addDeliveries(SHOP);
  const read = await service.ctx.home.forTenant(SHOP).transaction(async (sql) => {
    await emptyDeliveries(sql, { id: 7, storefront_customer_gid: null });
    const [row] = await sql<{ rows: number }>(
      `SELECT (seq_tup_read + idx_tup_fetch)::int AS rows FROM (SELECT $1 AS shop, * FROM pg_stat_xact_user_tables) AS t
        WHERE shop = $1 AND relname = 'integration_queue'`,
    );
    return row?.rows;
  });
  expect(read).toBeLessThan(20 * ROWS);
  expect(await query("SELECT shop, count(*)::int AS n FROM delivery_exchanges GROUP BY 1")).toEqual(
    [{ shop: OTHER_SHOP, n: ROWS }],
  );
  expect(
    await query(
      "SELECT shop, count(*)::int AS n FROM delivery_attempts WHERE error IS NULL GROUP BY 1",
    ),
  ).toEqual([{ shop: SHOP, n: ROWS }]);
});

test("a deletion empties the customer's deliveries, and none of an order or unit with the same number", async () => {
  const gid = "gid://shopify/Customer/70";
  for (const [entityType, entityId] of [
    ["customer", "7"],
    ["customer", gid],
    ["order", "7"],
    ["inventory", "7"],
    ["inventory", gid],
  ])
    await query(
      `INSERT INTO integration_queue (shop, event_id, channel, source, event_type, entity_type, entity_id, payload,
        transformed_payload, last_error, priority, max_retries, status)
       VALUES ($1, $2, 'cms', 'manual', 'thing.changed', $3, $4, '{"a": 1}', '{"b": 1}', 'answered 503', 3, 3, 'dead_letter')`,
      [SHOP, `${entityType} ${entityId}`, entityType, entityId],
    );
  await service.ctx.home
    .forTenant(SHOP)
    .transaction((sql) => emptyDeliveries(sql, { id: 7, storefront_customer_gid: gid }));
  expect(
    await query(
      `SELECT event_id, payload, transformed_payload, last_error FROM integration_queue ORDER BY id`,
    ),
  ).toEqual([
    // Our own rows are references: their payload names no person.
    { event_id: "customer 7", payload: { a: 1 }, transformed_payload: null, last_error: null },
    { event_id: `customer ${gid}`, payload: {}, transformed_payload: null, last_error: null },
    ...["order 7", "inventory 7", `inventory ${gid}`].map((event_id) => ({
      event_id,
      payload: { a: 1 },
      transformed_payload: { b: 1 },
      last_error: "answered 503",
    })),
  ]);
});
