// What a deletion reads while the consents of its store wait for it.
import { afterAll, beforeAll, expect, test } from "vitest";
import { emptyDeliveries } from "../../../app/domain/identity/account-deletion.ts";
import { OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";

const ROWS = 2_000;
let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service?.stop());

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
