// How a worker wakes, survives its connections, and ends.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { addRows } from "../../support/queue.ts";
import { eventually, SHOP } from "../../support/service.ts";
import { startWorkerWorld, type WorkerWorld } from "../../support/worker.ts";

let world: WorkerWorld;

beforeAll(async () => {
  world = await startWorkerWorld();
});
afterAll(() => world.stop());
beforeEach(() => world.reset());

const add = (options: Partial<Parameters<typeof addRows>[1]> = {}) =>
  addRows(world.service.database, { shop: SHOP, channel: "fast", ...options });
const query = (sql: string) => world.service.database.query(sql);
const claimed = async () =>
  (await world.rows()).filter(
    ({ status, locked_by }) => status === "processing" || status === "ready" || locked_by !== null,
  ).length;
const listeners = () =>
  query(
    "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'",
  );

describe("waking", () => {
  test("a row that came with no notification is found by the poll", async () => {
    await world.start();
    await query("ALTER TABLE integration_queue DISABLE TRIGGER integration_queue_notify");
    await add();
    await world.allDelivered(1, 3_000);
    await query("ALTER TABLE integration_queue ENABLE TRIGGER integration_queue_notify");
  });

  test("a row that comes due while nothing happens is found by the poll", async () => {
    await world.start();
    await add({ dueInSeconds: 1 });
    await world.allDelivered(1, 4_000);
    expect(world.fast.received).toHaveLength(1);
  });

  test("a row of a worker that died is found by the others' sweep", async () => {
    await query(`INSERT INTO integration_queue (shop, event_id, channel, source, event_type, entity_type, entity_id, max_retries, status, locked_by, attempt_token, locked_until)
      VALUES ('${SHOP}', 'lost', 'fast', 'manual', 'customer.updated', 'customer', '1', 3, 'ready', 'dead-worker', gen_random_uuid(), clock_timestamp() + interval '500 milliseconds')`);
    await world.start();
    const [row] = await world.allDelivered(1, 4_000);
    expect(row).toMatchObject({ retry_count: 0, lease_lost: 1 });
  });

  test("a LISTEN connection that is ended comes back and wakes it again; rows written in between are delivered", async () => {
    await world.start();
    const [before] = await eventually(
      "the listener",
      async () => (await listeners()).length === 1 && (await listeners()),
    );
    await query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'",
    );
    await add({ count: 3 });
    await world.allDelivered(3, 5_000);
    const [after] = await eventually(
      "another listener",
      async () => (await listeners()).length === 1 && (await listeners()),
      5_000,
    );
    expect(after.pid).not.toBe(before.pid);
    await add({ count: 3 });
    await world.allDelivered(6, 5_000);
  });

  test("all of its connections are ended under 40 deliveries: everything is delivered, and no retry is used up", async () => {
    world.fast.answer((_, response) => void setTimeout(() => response.end("{}"), 20));
    await add({ count: 40 });
    await world.start();
    await eventually("deliveries under way", () => world.fast.received.length >= 8);
    await query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'customer-identity-service'",
    );
    // What was in flight waits for its lease; time is moved for it.
    await eventually(
      "everything else delivered",
      async () => {
        await query(
          "UPDATE integration_queue SET locked_until = clock_timestamp() WHERE locked_until < clock_timestamp() + interval '7 seconds'",
        );
        return (await world.rows()).every(({ status }) => status === "delivered");
      },
      15_000,
    );
    const rows = await world.rows();
    process.stdout.write(
      `connections ended under 40 deliveries: ${world.fast.received.length} attempts at the receiver\n`,
    );
    expect(rows.every(({ retry_count: n }) => n === 0)).toBe(true);
  }, 30_000);
});

describe("rows that two workers died with", () => {
  test("are begun after the rows that one died with, whatever their order", async () => {
    const ids = await add({ channel: "slow", count: 6 });
    await query("UPDATE integration_queue SET lease_lost = 2 - id % 2");
    await world.start();
    await world.allDelivered(6);
    expect(world.slow.received.map(({ queueId }) => queueId).slice(3)).toEqual(
      ids.filter((id) => id % 2 === 0),
    );
  });

  test("are begun one at a time and say so, while all others go on beside them", async () => {
    await add({ channel: "slow", count: 6 });
    await query("UPDATE integration_queue SET lease_lost = 2");
    const waiting: (() => void)[] = [];
    world.slow.answer((_, response) => void waiting.push(() => response.end("{}")));
    await world.start();
    const begun = () =>
      query(
        "SELECT id FROM integration_queue WHERE locked_by LIKE '% begun' AND status <> 'delivered'",
      );
    for (let done = 0; done < 6; done += 1) {
      await eventually("the next one", () => waiting.length === done + 1);
      await add({ count: 5 });
      await world.allDelivered(done + 5 * (done + 1));
      expect(world.slow.received).toHaveLength(done + 1);
      expect(await begun()).toHaveLength(1);
      waiting[done]?.();
    }
    await world.allDelivered(36);
  });
});

describe("stopping", () => {
  test("gives rows that were not started back at once, and waits for those in flight", async () => {
    const waiting: (() => void)[] = [];
    world.fast.answer((_, response) => void waiting.push(() => response.end("{}")));
    await add({ count: 30 });
    const worker = await world.start();
    await eventually("five deliveries in flight", () => world.fast.received.length === 5);
    let hasStopped = false;
    const stopped = worker.stop().then(() => (hasStopped = true));
    await eventually(
      "25 rows given back",
      async () => (await world.rows()).filter(({ status }) => status === "pending").length === 25,
      2_000,
    );
    expect(hasStopped).toBe(false);
    expect(await claimed()).toBe(5);
    for (const finish of waiting) finish();
    await stopped;
    const rows = await world.rows();
    expect(rows.filter(({ status }) => status === "delivered")).toHaveLength(5);
    expect(rows.filter(({ retry_count, lease_lost }) => retry_count + lease_lost > 0)).toEqual([]);
    expect(await claimed()).toBe(0);
    expect(world.fast.received).toHaveLength(5);
  });

  test("in the middle of claiming leaves no row claimed, 30 times out of 30", async () => {
    const left: number[] = [];
    for (let round = 0; round < 30; round += 1) {
      await add({ count: 20 });
      const worker = await world.start();
      if (round % 2) await new Promise((turn) => setImmediate(turn));
      await worker.stop();
      left.push(await claimed());
    }
    process.stdout.write(`rows left claimed after 30 stops: ${left.reduce((sum, n) => sum + n)}\n`);
    expect(left).toEqual(Array(30).fill(0));
  }, 30_000);

  test("a worker started afterwards delivers what was given back", async () => {
    world.fast.answer((_, response) => void setTimeout(() => response.end("{}"), 30));
    await add({ count: 60 });
    const first = await world.start();
    await eventually("some deliveries", () => world.fast.received.length > 3);
    await first.stop();
    await world.start();
    await world.allDelivered(60);
    expect(world.fast.received).toHaveLength(60);
  });
});
