// The key-value store's three atomic operations and its expiry under concurrent callers.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  openDatabase,
  type Database,
  type TenantSql,
} from "../../app/runtime/database/database.ts";
import {
  compareAndSetKey,
  deleteExpiredKeys,
  deleteKeyIfHeld,
  findKey,
  putKey,
  putKeyIfAbsent,
  takeKey,
} from "../../app/runtime/database/kv.ts";
import { KEYS, type Key } from "../../app/runtime/database/kv-keys.ts";
import { runBackgroundJob } from "../../app/runtime/database/queue/background-job.ts";
import { endLeases, putLeaseIfFree } from "../../app/runtime/database/queue/lease.ts";
import { systemClock } from "../../app/runtime/clock.ts";
import { createLog } from "../../app/runtime/log.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import {
  executedPlanOf,
  recordStatements,
  rowsRead,
} from "../support/statements/statement-plans.ts";

const CALLERS = Array.from({ length: 20 }, (_, index) => index);
let storage: TestDatabase;
let database: Database;
let sql: TenantSql;

beforeAll(async () => {
  storage = await freshDatabase();
  database = openDatabase({
    url: storage.url,
    region: "default",
    poolSize: 20,
    log: createLog("silent"),
  });
  sql = database.forTenant("a.myshopify.com").sql;
});
afterAll(async () => {
  await database.close();
  await storage.drop();
});
beforeEach(() => storage.truncate());

const named = (text: string) => text as Key;
const [K, LEASE] = [named("k"), named("lease")];
const expire = (key: string) =>
  storage.query("UPDATE kv SET expires_at = now() - interval '1 millisecond' WHERE key = $1", [
    key,
  ]);

describe("put if absent", () => {
  test("of 20 callers lets one win, and its value stays", async () => {
    const won = await Promise.all(CALLERS.map((caller) => putKeyIfAbsent(sql, K, caller, 60)));
    expect(won.filter(Boolean)).toHaveLength(1);
    expect((await findKey<number>(sql, K))?.value).toBe(won.indexOf(true));
  });

  test("counts an expired key as absent, and again lets one of 20 win", async () => {
    await putKey(sql, K, "old", 60);
    await expire(K);
    const won = await Promise.all(CALLERS.map((caller) => putKeyIfAbsent(sql, K, caller, 60)));
    expect(won.filter(Boolean)).toHaveLength(1);
  });

  test("never replaces a key without an expiry", async () => {
    await putKey(sql, K, "kept");
    expect(await putKeyIfAbsent(sql, K, "new")).toBe(false);
    expect((await findKey(sql, K))?.value).toBe("kept");
  });
});

describe("take", () => {
  test("returns the value to one of 20 callers and leaves nothing", async () => {
    await putKey(sql, K, { state: 1 }, 60);
    const taken = await Promise.all(CALLERS.map(() => takeKey(sql, K)));
    expect(taken.filter((value) => value !== null)).toEqual([{ state: 1 }]);
    expect(await findKey(sql, K)).toBeNull();
  });

  test("never returns an expired key", async () => {
    await putKey(sql, K, 1, 60);
    await expire(K);
    expect(await takeKey(sql, K)).toBeNull();
  });
});

describe("compare and set", () => {
  test("of 20 callers that read the same version lets one win", async () => {
    await putKey(sql, K, 0);
    const version = (await findKey(sql, K))?.version as number;
    const won = await Promise.all(
      CALLERS.map((caller) => compareAndSetKey(sql, K, version, caller)),
    );
    expect(won.filter(Boolean)).toHaveLength(1);
    expect(await findKey<number>(sql, K)).toEqual({
      value: won.indexOf(true),
      version: version + 1,
    });
  });

  test("loses no increment when every caller repeats until it wins", async () => {
    await putKey(sql, K, 0);
    await Promise.all(
      CALLERS.map(async () => {
        for (;;) {
          const read = await findKey<number>(sql, K);
          if (read && (await compareAndSetKey(sql, K, read.version, read.value + 1))) return;
        }
      }),
    );
    expect((await findKey(sql, K))?.value).toBe(CALLERS.length);
  });

  test("fails for a key that is absent or has expired", async () => {
    expect(await compareAndSetKey(sql, named("absent"), 1, "x")).toBe(false);
    await putKey(sql, K, 1, 60);
    await expire(K);
    expect(await compareAndSetKey(sql, K, 1, "x")).toBe(false);
  });
});

describe("an expired key", () => {
  test("is invisible at once, before it is deleted", async () => {
    await putKey(sql, K, 1, 0);
    expect(await findKey(sql, K)).toBeNull();
    expect(await storage.query("SELECT 1 FROM kv")).toHaveLength(1);
  });

  test("is deleted by the clean-up of all tenants, in batches, without deleting a valid one", async () => {
    for (let index = 0; index < 25; index += 1)
      await putKey(
        database.forTenant(`shop-${index % 3}.myshopify.com`).sql,
        named(`old-${index}`),
        1,
        0,
      );
    await putKey(sql, named("alive"), 1, 60);
    await putKey(sql, named("for-ever"), 1);
    const [one, two] = await Promise.all([
      deleteExpiredKeys(database, 10),
      deleteExpiredKeys(database, 10),
    ]);
    expect([one, two, await deleteExpiredKeys(database, 10)]).toEqual([10, 10, 5]);
    expect((await storage.query("SELECT key FROM kv ORDER BY key")).map(({ key }) => key)).toEqual([
      "alive",
      "for-ever",
    ]);
  });

  test("is found without reading the keys that expire later", async () => {
    await storage.query(
      `INSERT INTO kv (shop, key, value, expires_at)
        SELECT 'a.myshopify.com', 'later:' || n, '1', now() + interval '1 day' FROM generate_series(1, 5000) n`,
    );
    await storage.query("VACUUM ANALYZE kv");
    const [sweep] = await recordStatements(() => deleteExpiredKeys(database));
    if (!sweep) throw new Error("The clean-up sent no statement.");
    expect(rowsRead(await executedPlanOf(storage.url, sweep), "kv")).toBeLessThan(50);
  });
});

test("a lease is released only by its own holder", async () => {
  await putLeaseIfFree(sql, LEASE, "mine", 60);
  await deleteKeyIfHeld(sql, LEASE, "somebody else's");
  expect(await putLeaseIfFree(sql, LEASE, "other", 60)).toBe(false);
  await deleteKeyIfHeld(sql, LEASE, "mine");
  expect(await putLeaseIfFree(sql, LEASE, "other", 60)).toBe(true);
});

test("of leases that end together those of another holder stay", async () => {
  const [other, own] = [named("other"), named("own")];
  await putLeaseIfFree(sql, other, "somebody else", 60);
  await putLeaseIfFree(sql, own, "me", 60);
  await endLeases(sql, [
    { key: other, holder: "me" },
    { key: own, holder: "me" },
  ]);
  expect(await putLeaseIfFree(sql, other, "third", 60)).toBe(false);
  expect(await putLeaseIfFree(sql, own, "third", 60)).toBe(true);
});

test("a job in the background that lost its lease leaves the next one's", async () => {
  const equipment = { sql, log: createLog("silent"), clock: systemClock };
  await runBackgroundJob(equipment, "job", async () => {
    await storage.query(`UPDATE kv SET value = '"second"' WHERE key = $1`, [KEYS.lease("job")]);
  });
  expect(await storage.query(`SELECT 1 FROM kv WHERE value = '"second"'`)).toHaveLength(1);
});

test("a lease from before the clock was set back by a day is free", async () => {
  await putLeaseIfFree(sql, LEASE, "killed", 60);
  await storage.query("UPDATE kv SET expires_at = expires_at + interval '1 day'");
  expect(await putLeaseIfFree(sql, LEASE, "new", 60)).toBe(true);
  expect(await putLeaseIfFree(sql, LEASE, "third", 60)).toBe(false);
});

test("the same key of two tenants is two keys, for every operation", async () => {
  const other = database.forTenant("b.myshopify.com").sql;
  await putKey(sql, K, "a");
  expect(await findKey(other, K)).toBeNull();
  expect(await takeKey(other, K)).toBeNull();
  expect(await compareAndSetKey(other, K, 1, "b")).toBe(false);
  expect(await putKeyIfAbsent(other, K, "b")).toBe(true);
  await deleteKeyIfHeld(other, K, "b");
  expect((await findKey(sql, K))?.value).toBe("a");
});
