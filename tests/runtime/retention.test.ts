import { afterAll, beforeAll, expect, test } from "vitest";
import { openDatabase, type Database } from "../../app/runtime/database/database.ts";
import { createLog } from "../../app/runtime/log.ts";
import { ACCESS_LOG_DAYS, forgetHistory } from "../../app/runtime/database/retention.ts";
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

const row = (id: string, status: string, days: number, isArchived = true) =>
  storage.query(
    `INSERT INTO integration_queue (shop, event_id, channel, source, event_type, entity_type,
      entity_id, max_retries, status, created_at, archived_at)
      VALUES ('a', $1, 'cms', 'manual', 't', 'order', '1', 3, $2, now() - make_interval(days => $3),
      CASE WHEN $4 THEN now() END)`,
    [id, status, days, isArchived],
  );

test("old delivered and archived rows are deleted; pending, dead and unarchived ones are kept at any age", async () => {
  await row("old", "delivered", 31);
  await row("young", "delivered", 29);
  await row("waiting", "pending", 400);
  await row("dead", "dead_letter", 400);
  await row("unfiled", "delivered", 400, false);
  expect(await forgetHistory(database, new AbortController().signal)).toBe(1);
  expect(
    (await storage.query("SELECT event_id FROM integration_queue ORDER BY event_id")).map(
      ({ event_id }) => event_id,
    ),
  ).toEqual(["dead", "unfiled", "waiting", "young"]);
});

test("more rows than one statement deletes are deleted in one call", async () => {
  await storage.query(
    `INSERT INTO delivery_attempts (shop, queue_id, event_id, channel, attempt, status, latency_ms,
      created_at) SELECT 'a', n, n::text, 'cms', 1, 'delivered', 1, now() - interval '31 days'
      FROM generate_series(1, 12000) n`,
  );
  expect(await forgetHistory(database, new AbortController().signal)).toBe(12_000);
});

test("the ledger is never deleted", async () => {
  await storage.query(
    `INSERT INTO event_ledger (shop, event_id, idempotency_key, source, event_type, entity_type,
      entity_id, destinations, priority, payload_sha256, occurred_at, received_at)
      VALUES ('a', 'e', 'k', 'manual', 't', 'order', '1', '[]', 1, 'x', now(), now() - interval '10 years')`,
  );
  await forgetHistory(database, new AbortController().signal);
  expect(await storage.query("SELECT 1 FROM event_ledger")).toHaveLength(1);
});

test("the access log is kept for a year", async () => {
  await storage.query(
    `INSERT INTO access_log (shop, actor_kind, action, place, request_id, created_at)
      SELECT 'a', 'staff', 'viewed', '/', days::text, now() - make_interval(days => days)
      FROM unnest(ARRAY[1, $1 - 1, $1 + 1, 4000]) days`,
    [ACCESS_LOG_DAYS],
  );
  expect(await forgetHistory(database, new AbortController().signal)).toBe(2);
  expect(await storage.query("SELECT request_id FROM access_log ORDER BY created_at DESC")).toEqual(
    [{ request_id: "1" }, { request_id: "364" }],
  );
});
