// The look-up of a paid cart in a store with many checkouts: every order of the store asks.
import { afterAll, beforeAll, expect, test } from "vitest";
import { BY_CART } from "../../../app/domain/commerce/checkout/complete-from-order.ts";
import { freshDatabase, type TestDatabase } from "../../support/database.ts";
import { SHOP } from "../../support/service.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await freshDatabase();
  await database.query(
    "INSERT INTO storefront_users (shop, id, email) VALUES ($1, 1, 'a@x.example')",
    [SHOP],
  );
  await database.query(
    `INSERT INTO checkout_sessions (shop, id, customer_id, status, source, line_items, subtotal, total, currency,
      expires_at, external_id, replaced_carts)
     SELECT $1, gen_random_uuid(), 1, 'completed', 'cart', '[]', 1, 1, 'EUR', now(),
       'gid://shopify/Cart/c' || n || '?key=k',
       CASE WHEN n % 10 = 0 THEN jsonb_build_array(jsonb_build_object('id', 'r' || n, 'total', '1.00')) END
     FROM generate_series(1, 20000) AS n`,
    [SHOP],
  );
  await database.query("ANALYZE checkout_sessions");
});
afterAll(() => database.drop());

test.each([
  ["c17", 1],
  ["r20", 1],
  ["of-no-checkout", 0],
])("the cart %s is looked for by indexes", async (token, found) => {
  expect(await database.query(BY_CART, [SHOP, token])).toHaveLength(found);
  const plan = await database.query<{ "QUERY PLAN": string }>(
    `EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) ${BY_CART}`,
    [SHOP, token],
  );
  const text = plan.map((row) => row["QUERY PLAN"]).join("\n");
  expect(text).not.toMatch(/Seq Scan on checkout_sessions/);
  expect(text).not.toMatch(/Rows Removed by Filter: \d{3}/);
});
