// Rows that are kept for the same number of days in every store.
import { afterAll, beforeAll, expect, test } from "vitest";
import { REGION_RULES } from "../../app/domain/inventory/row-rules.ts";
import { openDatabase, type Database } from "../../app/runtime/database/database.ts";
import { createLog } from "../../app/runtime/log.ts";
import { forgetHistory } from "../../app/runtime/database/retention.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";

let storage: TestDatabase;
let database: Database;
beforeAll(async () => {
  storage = await freshDatabase();
  database = openDatabase({
    url: storage.url,
    region: "default",
    poolSize: 2,
    log: createLog("silent"),
  });
});
afterAll(async () => {
  await database.close();
  await storage.drop();
});

const forget = () => forgetHistory(database, REGION_RULES, new AbortController().signal);

const checkout = (source: string, status: string, days: number) =>
  storage.query(
    `INSERT INTO checkout_sessions (shop, id, customer_id, status, source, line_items, subtotal, total,
      currency, created_at, expires_at) VALUES ('a', gen_random_uuid(), 1, $2, $1, '[]', 1, 1, 'EUR',
      now() - make_interval(days => $3), now())`,
    [source, status, days],
  );

test("canceled checkouts are kept 30 days and completed ones 400; open ones are kept at any age", async () => {
  await checkout("canceled long ago", "canceled", 31);
  await checkout("canceled", "canceled", 29);
  await checkout("completed long ago", "completed", 401);
  await checkout("completed", "completed", 399);
  await checkout("open", "incomplete", 500);
  expect(await forget()).toBe(2);
  expect(
    (await storage.query("SELECT source FROM checkout_sessions ORDER BY source")).map(
      ({ source }) => source,
    ),
  ).toEqual(["canceled", "completed", "open"]);
  expect(await forget()).toBe(0);
});

test("more rows than one statement deletes are deleted in one call", async () => {
  await storage.query(
    `INSERT INTO channel_minutes (shop, channel, minute, delivered, failed, latency_ms_sum)
      SELECT 'a', 'cms', now() - interval '9 days' - n * interval '1 minute', 1, 0, 1
      FROM generate_series(1, 12000) n`,
  );
  expect(await forget()).toBe(12_000);
});

test("the ledger is never deleted", async () => {
  await storage.query(
    `INSERT INTO event_ledger (shop, event_id, idempotency_key, source, event_type, entity_type,
      entity_id, destinations, priority, payload_sha256, occurred_at, received_at)
      VALUES ('a', 'e', 'k', 'manual', 't', 'order', '1', '[]', 1, 'x', now(), now() - interval '10 years')`,
  );
  await forget();
  expect(await storage.query("SELECT 1 FROM event_ledger")).toHaveLength(1);
});
