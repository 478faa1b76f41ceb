// SPEC "Circuit per destination channel": 5 failures within 10 minutes open it for 5 minutes.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
  findOpenUntil,
  recordFailure,
  type CircuitRecord,
} from "../../../app/domain/bus/circuit.ts";
import type { TenantSql } from "../../../app/runtime/database/database.ts";
import {
  addRows,
  claimAll,
  openQueueDatabase,
  type QueueDatabase,
} from "../../support/bus/queue.ts";

const SHOP = "first-shop.myshopify.com";
const OTHER = "other-shop.myshopify.com";
let queue: QueueDatabase;
let sql: TenantSql;

beforeAll(async () => {
  queue = await openQueueDatabase();
  sql = queue.database.forTenant(SHOP).sql;
});
afterAll(() => queue.stop());
beforeEach(() => queue.test.truncate());

async function fail(times: number): Promise<{ hasOpened: boolean; failures: number }> {
  let last = { hasOpened: false, failures: 0 };
  for (let n = 0; n < times; n += 1) last = await recordFailure(sql, "cms");
  return last;
}

async function record(): Promise<CircuitRecord> {
  const [row] = await queue.test.query<{ value: CircuitRecord }>(
    "SELECT value FROM kv WHERE shop = $1 AND key = 'circuit:cms'",
    [SHOP],
  );
  return row?.value as CircuitRecord;
}

/** Moves every recorded time into the past. */
const age = (minutes: number) =>
  queue.test.query(
    `UPDATE kv SET value = value || jsonb_build_object(
       'open_until', to_jsonb((value->>'open_until')::timestamptz - make_interval(secs => 60 * $1::float8)),
       'recent', (SELECT coalesce(jsonb_agg(to_jsonb(at::timestamptz - make_interval(secs => 60 * $1::float8))), '[]') FROM jsonb_array_elements_text(value->'recent') AS at))
     WHERE key LIKE 'circuit:%'`,
    [minutes],
  );

test("the fourth failure keeps it closed and the fifth opens it, for five minutes by the database's clock", async () => {
  expect(await fail(4)).toEqual({ hasOpened: false, failures: 4 });
  expect(await findOpenUntil(sql, "cms")).toBeNull();
  expect(await fail(1)).toEqual({ hasOpened: true, failures: 5 });
  const [left] = await queue.test.query<{ seconds: number }>(
    `SELECT extract(epoch
      FROM (value->>'open_until')::timestamptz - clock_timestamp())::float8 AS seconds FROM kv
      WHERE key = 'circuit:cms'`,
  );
  expect(left?.seconds).toBeGreaterThan(295);
  expect(left?.seconds).toBeLessThanOrEqual(300);
  expect(await findOpenUntil(sql, "cms")).toBeInstanceOf(Date);
});

test("the record has SPEC's fields: failures, last_failure and open_until, null while closed", async () => {
  await fail(2);
  expect(await record()).toMatchObject({
    failures: 2,
    last_failure: expect.stringMatching(/^\d{4}-/),
    open_until: null,
  });
});

test("four failures and one more after ten minutes keep it closed", async () => {
  await fail(4);
  await age(10.1);
  expect(await fail(1)).toEqual({ hasOpened: false, failures: 1 });
});

test("failures count while they are younger than ten minutes", async () => {
  await fail(2);
  await age(9);
  expect(await fail(3)).toEqual({ hasOpened: true, failures: 5 });
});

test("of eight concurrent failures the fifth opens it, is the only one that says so, and the others change nothing", async () => {
  const results = await Promise.all(Array.from({ length: 8 }, () => recordFailure(sql, "cms")));
  expect(results.filter(({ hasOpened }) => hasOpened)).toEqual([{ hasOpened: true, failures: 5 }]);
  const opened = await record();
  expect(opened.failures).toBe(5);
  expect(
    results
      .filter(({ hasOpened }) => !hasOpened)
      .map(({ failures }) => failures)
      .sort((a, b) => a - b),
  ).toEqual([1, 2, 3, 4, 5, 5, 5]);
});

test("a failure while the circuit is open neither counts nor prolongs it", async () => {
  await fail(5);
  const before = await record();
  expect(await fail(3)).toEqual({ hasOpened: false, failures: 5 });
  expect(await record()).toEqual(before);
});

test("a failure of an attempt counts while its worker holds the row, and not once another one does", async () => {
  await addRows(queue.test, { shop: SHOP });
  const [item] = await claimAll(queue.database);
  expect(item).toBeDefined();
  expect((await recordFailure(sql, "cms", item)).failures).toBe(1);
  await queue.test.query("UPDATE integration_queue SET attempt_token = gen_random_uuid()");
  await recordFailure(sql, "cms", item);
  expect(await record()).toMatchObject({ failures: 1 });
});

test("an open circuit closes by itself after the cooldown, and counting restarts", async () => {
  await fail(5);
  await age(5.1);
  expect(await findOpenUntil(sql, "cms")).toBeNull();
  expect(await fail(1)).toEqual({ hasOpened: false, failures: 1 });
  expect(await fail(3)).toEqual({ hasOpened: false, failures: 4 });
  expect(await fail(1)).toEqual({ hasOpened: true, failures: 5 });
});

test("an open circuit affects one channel of one tenant only", async () => {
  await fail(5);
  const others = queue.database.forTenant(OTHER).sql;
  expect(await findOpenUntil(sql, "web_analytics")).toBeNull();
  expect(await findOpenUntil(others, "cms")).toBeNull();
  expect(await recordFailure(others, "cms")).toEqual({ hasOpened: false, failures: 1 });
  expect(await recordFailure(sql, "web_analytics")).toEqual({ hasOpened: false, failures: 1 });
});

/** Writes SPEC's fields alone, as another program does; a field that is not named stays as it is. */
const write = ({ failures, minutesAgo = 0 }: { failures?: number; minutesAgo?: number }) =>
  queue.test.query(
    `INSERT INTO kv (shop, key, value) SELECT $1, 'circuit:cms', jsonb_strip_nulls(jsonb_build_object(
       'failures', $2::int, 'last_failure', clock_timestamp() - make_interval(secs => 60 * $3::float8)))
     ON CONFLICT (shop, key) DO UPDATE SET value = kv.value || excluded.value`,
    [SHOP, failures ?? null, minutesAgo],
  );

test("a record with SPEC's fields alone counts as that many failures at the time of the last", async () => {
  await write({ failures: 4, minutesAgo: 9 });
  expect(await fail(1)).toEqual({ hasOpened: true, failures: 5 });
});

test("a record whose last failure is older than ten minutes counts as none", async () => {
  await write({ failures: 4, minutesAgo: 10.1 });
  expect(await fail(1)).toEqual({ hasOpened: false, failures: 1 });
});

test("a failure is at the latest at the time of the last failure of the record", async () => {
  await fail(4);
  await write({ minutesAgo: 10.1 });
  expect(await fail(1)).toEqual({ hasOpened: false, failures: 1 });
});

test("a record set to no failures counts from the start", async () => {
  await fail(4);
  await write({ failures: 0 });
  expect(await fail(1)).toEqual({ hasOpened: false, failures: 1 });
});
