// Archiving dead letters beside other workers and a redaction: what happens between the steps of one pass.
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { announceDeadLetters } from "../../../app/domain/bus/dead-letters/announce-dead-letters.ts";
import { archiveDeadLetters } from "../../../app/domain/bus/dead-letters/archive-dead-letters.ts";
import { putKeyIfAbsent } from "../../../app/runtime/database/kv.ts";
import { KEYS } from "../../../app/runtime/database/kv-keys.ts";
import { eventually, OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";

const EVENT = "11111111-1111-4111-8111-111111111111";
let service: Service;
/** Runs when the object is written and its rows are not marked yet. */
let afterWrite: () => Promise<unknown> = async () => {};
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service?.stop());
beforeEach(async () => {
  await service.database.truncate();
  await service.addTenant(SHOP, { alert_emails: ["ops@store.example"] });
});

const query = (sql: string, values: unknown[] = []) => service.database.query(sql, values);
const objectOf = (): string => {
  const today = new Date().toISOString().slice(0, 10);
  return fileURLToPath(
    service.ctx.archive.ofStore(SHOP).urlOf(`events/dead_letter/${today}/${EVENT}.json`),
  );
};

const addDead = (channel: string) =>
  query(
    `INSERT INTO integration_queue (shop, event_id, channel, source, event_type, entity_type, entity_id, payload,
      priority, max_retries, status, dead_lettered_at, last_error, updated_at)
     VALUES ($1, $2, $3, 'manual', 'customer.updated', 'customer', '1', '{"name":"Ada"}', 3, 3, 'dead_letter', now(),
      'answered 503', now() - interval '1 second')`,
    [SHOP, EVENT, channel],
  );
const rows = () =>
  query(
    `SELECT channel, archived_at IS NOT NULL AS archived, alerted_at IS NOT NULL AS alerted
      FROM integration_queue WHERE event_id = $1 ORDER BY channel`,
    [EVENT],
  );

let original: Service["ctx"]["archive"]["ofStore"];
beforeEach(() => {
  original = service.ctx.archive.ofStore;
  service.ctx.archive.ofStore = (shop) => {
    const store = original(shop);
    return {
      ...store,
      async put(...args) {
        await store.put(...args);
        await afterWrite();
      },
    };
  };
});
afterEach(() => {
  service.ctx.archive.ofStore = original;
  afterWrite = async () => {};
});

test("a channel that dies between the alert and the archive gets its own alert", async () => {
  await addDead("cms");
  await announceDeadLetters(service.ctx, service.ctx.home);
  await addDead("erpsys");
  await archiveDeadLetters(service.ctx, service.ctx.home);
  expect(await rows()).toEqual([
    { channel: "cms", archived: true, alerted: true },
    { channel: "erpsys", archived: true, alerted: true },
  ]);
});

test("two processes that announce two channels of several events do not block each other", async () => {
  // The rows lie in the opposite order of their channels' names.
  await addDead("erpsys");
  await addDead("cms");
  const alertOf = (channel: string) => KEYS.deadLetterAlert(channel);
  const other = await service.ctx.home.forTenant(SHOP).transaction(async (sql) => {
    await putKeyIfAbsent(sql, alertOf("cms"), "another event", 900);
    const announced = announceDeadLetters(service.ctx, service.ctx.home);
    await eventually("the announcement waits for the other process", async () => {
      const waiting = await query(
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database()
          AND wait_event_type = 'Lock'`,
      );
      return waiting.length > 0;
    });
    await putKeyIfAbsent(sql, alertOf("erpsys"), "another event", 900);
    return { announced };
  });
  await other.announced;
  expect((await rows()).map(({ alerted }) => alerted)).toEqual([true, true]);
});

test("a process that stops does not go on to the dead letters of the next store", async () => {
  await service.addTenant(OTHER_SHOP);
  await addDead("cms");
  await query(
    `INSERT INTO integration_queue SELECT (jsonb_populate_record(q, jsonb_build_object('shop', $1::text))).*
      FROM integration_queue q`,
    [OTHER_SHOP],
  );
  const stop = new AbortController();
  afterWrite = async () => stop.abort();
  await archiveDeadLetters({ ...service.ctx, stopping: stop.signal }, service.ctx.home);
  expect((await rows()).filter(({ archived }) => archived)).toHaveLength(1);
});

test("an object stays when another worker marks one of its rows meanwhile", async () => {
  await addDead("cms");
  await addDead("erpsys");
  afterWrite = () =>
    query("UPDATE integration_queue SET archived_at = now() WHERE channel = 'erpsys'");
  await archiveDeadLetters(service.ctx, service.ctx.home);
  expect(JSON.parse(readFileSync(objectOf(), "utf8"))).toMatchObject({ event_id: EVENT });
});

test.each([
  ["a row that waited for the archive", "NULL"],
  ["a row that was archived before", "now()"],
])("an object does not outlive the redaction of %s", async (_, archivedAt) => {
  await addDead("cms");
  await addDead("erpsys");
  await query(`UPDATE integration_queue SET archived_at = ${archivedAt} WHERE channel = 'erpsys'`);
  afterWrite = () =>
    query(
      `UPDATE integration_queue SET payload = '{}', last_error = 'redacted',
        archived_at = coalesce(archived_at, now()) WHERE channel = 'erpsys'`,
    );
  await archiveDeadLetters(service.ctx, service.ctx.home);
  expect(existsSync(objectOf())).toBe(false);
});

test("an object does not outlive the deletion of its rows", async () => {
  await addDead("cms");
  afterWrite = () => query("DELETE FROM integration_queue");
  await archiveDeadLetters(service.ctx, service.ctx.home);
  expect(existsSync(objectOf())).toBe(false);
});
