// What every queue of leased rows guarantees: the webhook inbox, the privacy requests and the tag runs.
// The event bus has its own claim and its own tests; the syncs' lease is proven in sync-killed.test.ts.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openDatabase, type Database } from "../../app/runtime/database/database.ts";
import { LeaseLost } from "../../app/runtime/database/queue/lease.ts";
import type { Held } from "../../app/runtime/database/queue/leased-table.ts";
import type { QueueNotification } from "../../app/runtime/database/queue/notifications.ts";
import { startWorkQueue, type WorkQueue } from "../../app/runtime/database/queue/work-queue.ts";
import { createLog } from "../../app/runtime/log.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { endChildren, startChild } from "../support/processes/child.ts";
import { eventually } from "../support/service.ts";
import { QUEUE_SHOP, WORK_QUEUES, type TestedQueue } from "../support/work-queues.ts";

const HOUR_MS = 3_600_000;
const log = createLog("silent");
let test: TestDatabase;
let database: Database;
let started: WorkQueue[] = [];

beforeAll(async () => {
  test = await freshDatabase();
  database = openDatabase({ url: test.serviceUrl, region: "default", poolSize: 8, log });
});
afterAll(async () => {
  await endChildren();
  await database.close();
  await test.drop();
});
beforeEach(() => test.truncate());
afterEach(async () => {
  await Promise.all(started.map((queue) => queue.stop()));
  started = [];
});

async function start(
  queue: TestedQueue,
  work: (item: Held, stopping: AbortSignal) => Promise<void>,
  options: {
    concurrency?: number;
    pollMs?: number;
    notification?: QueueNotification;
    claim?: (limit: number) => Promise<Held[]>;
  } = {},
): Promise<WorkQueue> {
  const running = await startWorkQueue<Held>({
    name: queue.name,
    database,
    notification: options.notification ?? null,
    pollMs: options.pollMs ?? 50,
    leaseSeconds: queue.table.leaseSeconds,
    concurrency: options.concurrency ?? 1,
    stopWaitMs: 5_000,
    log,
    claim: options.claim ?? ((limit) => queue.claim(database, limit)),
    renew: (items) => queue.table.renew(database, items),
    release: (items) => queue.table.release(database, items),
    work,
  });
  started.push(running);
  return running;
}

describe.each(WORK_QUEUES)("the queue $name", (queue) => {
  const settle = (item: Held) =>
    queue.table.settle(database.forTenant(item.shop).sql, item, `${queue.stateColumn} = $4`, [
      queue.final,
    ]);
  const states = async (): Promise<Record<string, number>> => {
    const rows = await test.query<{ state: string; count: number }>(
      `SELECT ${queue.stateColumn} AS state, count(*)::int AS count FROM ${queue.name} GROUP BY 1`,
    );
    return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
  };
  const expireLeases = () =>
    test.query(
      `UPDATE ${queue.name} SET locked_until = clock_timestamp() - interval '1 second'
        WHERE locked_until IS NOT NULL`,
    );

  it("gives each row to one of eight concurrent claims, and all rows to somebody", async () => {
    await queue.seed(test, 100);
    const claims = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const held: Held[] = [];
        for (;;) {
          const rows = await queue.claim(database, 7);
          if (rows.length === 0) return held;
          held.push(...rows);
        }
      }),
    );
    const ids = claims.flat().map(({ id }) => String(id));
    expect(ids).toHaveLength(100);
    expect(new Set(ids).size).toBe(100);
  });

  it("loses nothing when a worker is killed: the row comes back when its lease ends", async () => {
    const [id] = await queue.seed(test, 1);
    const child = startChild("tests/support/processes/work-queue-child.ts", {
      QUEUE: queue.name,
      DATABASE_URL: test.serviceUrl,
    });
    await child.line("its row", /^holds (.+)$/);
    expect(await queue.claim(database, 1)).toEqual([]);
    child.signal("SIGKILL");
    await child.ended;
    expect(await queue.claim(database, 1)).toEqual([]);
    await expireLeases();
    const done: string[] = [];
    await start(queue, async (item) => {
      await settle(item);
      done.push(String(item.id));
    });
    await eventually("the row is done", async () => done.length > 0);
    expect(done).toEqual([id]);
    expect(await states()).toEqual({ [queue.final]: 1 });
  });

  it("claims a row whose holder died before rows that wait, however many they are", async () => {
    await queue.seed(test, 6);
    const [lost] = await queue.claim(database, 1);
    await expireLeases();
    expect((await queue.claim(database, 1)).map(({ id }) => id)).toEqual([lost?.id]);
    expect(await queue.claim(database, 10)).toHaveLength(5);
  });

  it("claims others before a row whose fourth holder died, and that row after its wait, which grows to an hour", async () => {
    const [poison, other] = await queue.seed(test, 2);
    const claimOne = async () => (await queue.claim(database, 1)).map(({ id }) => String(id));
    for (let holder = 1; holder <= 4; holder += 1) {
      expect(await claimOne()).toEqual([poison]);
      await expireLeases();
    }
    expect(await claimOne()).toEqual([other]);
    expect(await claimOne()).toEqual([]);
    const wait = (seconds: number) =>
      test.query(
        `UPDATE ${queue.name} SET locked_until = locked_until - make_interval(secs => $2) WHERE id::text = $1`,
        [poison, seconds],
      );
    await wait(25);
    expect(await claimOne()).toEqual([]);
    await wait(36);
    expect(await claimOne()).toEqual([poison]);

    await test.query(
      `UPDATE ${queue.name} SET lease_lost = 900, locked_until = now() - interval '25 minutes'
        WHERE id::text = $1`,
      [poison],
    );
    expect(await claimOne()).toEqual([]);
    await wait(36 * 60);
    expect(await claimOne()).toEqual([poison]);
  });

  it("forgets the deaths of earlier holders once a holder ends its lease itself", async () => {
    await queue.seed(test, 1);
    const losses = () => test.query(`SELECT lease_lost FROM ${queue.name}`);
    await queue.claim(database, 1);
    await expireLeases();
    const [held] = await queue.claim(database, 1);
    expect(await losses()).toEqual([{ lease_lost: 1 }]);
    await queue.table.release(database, [held as Held]);
    expect(await losses()).toEqual([{ lease_lost: 0 }]);
  });

  it("refuses the late holder of a lost lease, and rolls back what it did beside", async () => {
    await queue.seed(test, 1);
    const [late] = await queue.claim(database, 1);
    await expireLeases();
    const [current] = await queue.claim(database, 1);
    expect(current?.id).toEqual(late?.id);
    const store = database.forTenant(QUEUE_SHOP);
    const lateWork = store.transaction(async (sql) => {
      await sql("INSERT INTO kv (shop, key, value) VALUES ($1, 'late', '1')");
      await queue.table.settle(sql, late as Held, `${queue.stateColumn} = $4`, [queue.final]);
    });
    await expect(lateWork).rejects.toThrow(LeaseLost);
    expect(await test.query("SELECT 1 FROM kv WHERE key = 'late'")).toEqual([]);
    expect(await queue.table.renew(database, [late as Held])).toBe(0);
    expect(await states()).toEqual({ [queue.running]: 1 });
    await settle(current as Held);
    expect(await states()).toEqual({ [queue.final]: 1 });
  });

  it("leaves the rows of a store that moves to another cell", async () => {
    await queue.seed(test, 1);
    await test.query(
      "INSERT INTO held_stores (shop, move_id, role) VALUES ($1, gen_random_uuid(), 'leaving')",
      [QUEUE_SHOP],
    );
    expect(await queue.claim(database, 1)).toEqual([]);
  });

  it("renews what is held, so that long work is not claimed twice", async () => {
    await queue.seed(test, 1);
    const [held] = await queue.claim(database, 1);
    await test.query(
      `UPDATE ${queue.name} SET locked_until = clock_timestamp() + interval '1 second'`,
    );
    expect(await queue.table.renew(database, [held as Held])).toBe(1);
    const [{ left }] = (await test.query<{ left: number }>(
      `SELECT extract(epoch FROM locked_until - clock_timestamp())::float8 AS left FROM ${queue.name}`,
    )) as [{ left: number }];
    expect(left).toBeGreaterThan(queue.table.leaseSeconds - 2);
  });

  it("works on beside a row whose work always throws, and leaves that row to its lease", async () => {
    const [poison, ...others] = await queue.seed(test, 5);
    const attempts: string[] = [];
    await start(queue, async (item) => {
      attempts.push(String(item.id));
      if (String(item.id) === poison) throw new Error("cannot be worked");
      await settle(item);
    });
    // The row that throws may be claimed last.
    await eventually(
      "each was claimed and the others are done",
      async () => attempts.length >= 5 && (await states())[queue.final] === 4,
    );
    expect(await states()).toEqual({ [queue.running]: 1, [queue.final]: 4 });
    expect(new Set(attempts)).toEqual(new Set([poison, ...others]));
    expect(attempts).toHaveLength(5);
  });

  it("stops: tells the work, waits for it, and claims nothing more", async () => {
    await queue.seed(test, 3);
    const begun: string[] = [];
    const running = await start(queue, async (item, stopping) => {
      begun.push(String(item.id));
      await new Promise<void>((resolve) => stopping.addEventListener("abort", () => resolve()));
      await queue.table.release(database, [item]);
    });
    await eventually("one is begun", async () => begun.length === 1);
    await running.stop();
    expect(begun).toHaveLength(1);
    expect(await states()).toEqual({ [queue.waiting]: 3 });
    expect(await queue.claim(database, 5)).toHaveLength(3);
  });

  it("gives back what a claim under way returns after the stop", async () => {
    await queue.seed(test, 1);
    let goOn = () => {};
    const stopped = new Promise<void>((resolve) => (goOn = resolve));
    let isClaimed = false;
    const running = await start(queue, async () => {}, {
      claim: async (limit) => {
        const items = await queue.claim(database, limit);
        isClaimed = true;
        await stopped;
        return items;
      },
    });
    await eventually("the claim has its row", () => isClaimed);
    const stopping = running.stop();
    goOn();
    await stopping;
    expect(await states()).toEqual({ [queue.waiting]: 1 });
  });

  it("wakes by NOTIFY without waiting for the poll", async () => {
    const done: string[] = [];
    await start(
      queue,
      async (item) => {
        await settle(item);
        done.push(String(item.id));
      },
      { pollMs: HOUR_MS, notification: "tag_runs" },
    );
    const ids = await queue.seed(test, 2);
    await test.query("SELECT pg_notify('tag_runs', '')");
    await eventually("both are done", async () => done.length === 2);
    expect(new Set(done)).toEqual(new Set(ids));
  });
});
