// How a worker wakes up, survives lost connections, and stops.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { addRows } from "../../support/bus/queue.ts";
import { eventually, SHOP } from "../../support/service.ts";
import { startWorkerApp, type WorkerApp } from "../../support/bus/worker.ts";

let app: WorkerApp;

beforeAll(async () => {
  app = await startWorkerApp();
});
afterAll(() => app.stop());
beforeEach(() => app.reset());

const add = (options: Partial<Parameters<typeof addRows>[1]> = {}) =>
  addRows(app.service.database, { shop: SHOP, channel: "fast", ...options });
const query = (sql: string) => app.service.database.query(sql);
const claimed = async () =>
  (await app.rows()).filter(
    ({ status, locked_by }) => status === "processing" || status === "ready" || locked_by !== null,
  ).length;
const listeners = () =>
  query(
    "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'",
  );

describe("waking up", () => {
  test("a row without a notification is found by the poll", async () => {
    await app.start();
    await query("ALTER TABLE integration_queue DISABLE TRIGGER integration_queue_notify");
    await add();
    await app.allDelivered(1, 3_000);
    await query("ALTER TABLE integration_queue ENABLE TRIGGER integration_queue_notify");
  });

  test("a row that comes due while idle is found by the poll", async () => {
    await app.start();
    await add({ dueInSeconds: 1 });
    await app.allDelivered(1, 4_000);
    expect(app.fast.received).toHaveLength(1);
  });

  test("a dead worker's row is found by another worker's sweep", async () => {
    await query(`INSERT INTO integration_queue (shop, event_id, channel, source, event_type,
      entity_type, entity_id, max_retries, status, locked_by, attempt_token, locked_until)
      VALUES ('${SHOP}', 'lost', 'fast', 'manual', 'customer.updated', 'customer', '1', 3, 'ready',
        'dead-worker', gen_random_uuid(), clock_timestamp() + interval '500 milliseconds')`);
    await app.start();
    const [row] = await app.allDelivered(1, 4_000);
    expect(row).toMatchObject({ retry_count: 0, lease_lost: 1 });
  });

  // Behind a pooler without a direct address nothing is listened to.
  test.skipIf(process.env.TEST_POOLER)(
    "a terminated LISTEN connection is opened again and wakes the worker; rows written in between are delivered",
    async () => {
      await app.start();
      const [before] = await eventually(
        "the listener",
        async () => (await listeners()).length === 1 && (await listeners()),
      );
      await query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()
        AND query LIKE 'LISTEN%'`,
      );
      await add({ count: 3 });
      await app.allDelivered(3, 5_000);
      const [after] = await eventually(
        "another listener",
        async () => (await listeners()).length === 1 && (await listeners()),
        5_000,
      );
      expect(after.pid).not.toBe(before.pid);
      await add({ count: 3 });
      await app.allDelivered(6, 5_000);
    },
  );

  test("all of its connections are terminated during 40 deliveries: everything is delivered, and no attempt is used up", async () => {
    app.fast.answer((_, response) => void setTimeout(() => response.end("{}"), 20));
    await add({ count: 40 });
    await app.start();
    await eventually("deliveries under way", () => app.fast.received.length >= 8);
    await query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()
        AND application_name = 'customer-identity-service'`,
    );
    // Rows in flight wait for their lease; the test moves the time on.
    await eventually(
      "everything else delivered",
      async () => {
        await query(
          `UPDATE integration_queue SET locked_until = clock_timestamp()
            WHERE locked_until < clock_timestamp() + interval '7 seconds'`,
        );
        return (await app.rows()).every(({ status }) => status === "delivered");
      },
      15_000,
    );
    const rows = await app.rows();
    process.stdout.write(
      `connections ended under 40 deliveries: ${app.fast.received.length} attempts at the receiver\n`,
    );
    expect(rows.every(({ retry_count: n }) => n === 0)).toBe(true);
  }, 30_000);
});

describe("rows in quarantine", () => {
  test("run one after another, those with the fewest lost workers first", async () => {
    const ids = await add({ channel: "slow", count: 6 });
    await query("UPDATE integration_queue SET is_quarantined = true, lost_alone = 1 - id % 2");
    let [inFlight, most] = [0, 0];
    app.slow.answer((_, response) => {
      most = Math.max(most, (inFlight += 1));
      setTimeout(() => {
        inFlight -= 1;
        response.end("{}");
      }, 20);
    });
    await app.start();
    await app.allDelivered(6);
    expect(most).toBe(1);
    expect(app.slow.received.map(({ queueId }) => queueId)).toEqual([
      ...ids.filter((id) => id % 2 === 1),
      ...ids.filter((id) => id % 2 === 0),
    ]);
  });

  test("are started alone, and marked as started, while the others wait", async () => {
    await add({ channel: "slow" });
    await query("UPDATE integration_queue SET is_quarantined = true");
    const waiting: (() => void)[] = [];
    app.slow.answer((_, response) => void waiting.push(() => response.end("{}")));
    await app.start();
    await eventually("the row that runs alone", () => waiting.length === 1);
    await add({ count: 5 });
    await eventually(
      "the others claimed",
      async () =>
        (await query("SELECT 1 FROM integration_queue WHERE status = 'processing'")).length === 5,
    );
    expect(
      await query(
        "SELECT split_part(locked_by, ' ', 2) AS how FROM integration_queue WHERE status = 'ready'",
      ),
    ).toEqual([{ how: "alone" }]);
    expect(app.fast.received).toEqual([]);
    waiting[0]?.();
    await app.allDelivered(6);
  });

  test("take turns with the others: a second of slow ones, then all others, then the next of them", async () => {
    await add({ channel: "slow", count: 2 });
    await query("UPDATE integration_queue SET is_quarantined = true");
    app.slow.answer((_, response) => void setTimeout(() => response.end("{}"), 1_100));
    await app.start();
    await eventually("the first of them", () => app.slow.received.length === 1);
    await add({ count: 5 });
    await app.allDelivered(7);
    const [, second] = app.slow.received;
    expect(app.fast.received.filter(({ at }) => at < (second?.at ?? 0))).toHaveLength(5);
  });

  test("wait until the deliveries in flight have ended, and delay others only briefly when they do not end", async () => {
    const hanging: (() => void)[] = [];
    app.slow.answer((_, response) => void hanging.push(() => response.end("{}")));
    await add({ channel: "slow" });
    await app.start();
    await eventually("a delivery that hangs", () => hanging.length === 1);
    const [alone] = await add({ channel: "slow", dueInSeconds: 1 });
    await query(`UPDATE integration_queue SET is_quarantined = true WHERE id = ${alone}`);
    await eventually(
      "the row claimed",
      async () =>
        (
          await query(
            `SELECT 1 FROM integration_queue WHERE id = ${alone} AND status = 'processing'`,
          )
        ).length === 1,
    );
    await add({ count: 20 });
    await eventually("the other channel's rows", () => app.fast.received.length === 20, 5_000);
    expect(hanging).toHaveLength(1);
    hanging[0]?.();
    await eventually("the row that runs alone", () => hanging.length === 2, 10_000);
    hanging[1]?.();
    await app.allDelivered(22);
  }, 30_000);

  test("are released at once when the worker stops", async () => {
    const hanging: (() => void)[] = [];
    app.slow.answer((_, response) => void hanging.push(() => response.end("{}")));
    await add({ channel: "slow", count: 4 });
    await query("UPDATE integration_queue SET is_quarantined = true");
    const worker = await app.start();
    await eventually("the first of them", () => hanging.length === 1);
    const stopped = worker.stop();
    await eventually(
      "three given back",
      async () => (await app.rows()).filter(({ status }) => status === "pending").length === 3,
      2_000,
    );
    hanging[0]?.();
    await stopped;
    expect(await claimed()).toBe(0);
  });

  test("leave quarantine when an attempt was made, whatever its result", async () => {
    app.fast.answer((_, response) => void response.writeHead(500).end());
    await add();
    await query(
      "UPDATE integration_queue SET is_quarantined = true, lost_alone = 2, lease_lost = 4",
    );
    await app.start();
    await eventually("a failed attempt", async () => (await app.rows())[0]?.retry_count === 1);
    expect(
      await query("SELECT is_quarantined, lost_alone, lease_lost FROM integration_queue"),
    ).toEqual([{ is_quarantined: false, lost_alone: 0, lease_lost: 0 }]);
  });
});

describe("stopping", () => {
  test("releases rows that were not started at once, and waits for those in flight", async () => {
    const waiting: (() => void)[] = [];
    app.fast.answer((_, response) => void waiting.push(() => response.end("{}")));
    await add({ count: 30 });
    const worker = await app.start();
    await eventually("five deliveries in flight", () => app.fast.received.length === 5);
    let hasStopped = false;
    const stopped = worker.stop().then(() => (hasStopped = true));
    await eventually(
      "25 rows given back",
      async () => (await app.rows()).filter(({ status }) => status === "pending").length === 25,
      2_000,
    );
    expect(hasStopped).toBe(false);
    expect(await claimed()).toBe(5);
    for (const finish of waiting) finish();
    await stopped;
    const rows = await app.rows();
    expect(rows.filter(({ status }) => status === "delivered")).toHaveLength(5);
    expect(rows.filter(({ retry_count, lease_lost }) => retry_count + lease_lost > 0)).toEqual([]);
    expect(await claimed()).toBe(0);
    expect(app.fast.received).toHaveLength(5);
  });

  test("during a claim leaves no row claimed, 30 times out of 30", async () => {
    const left: number[] = [];
    for (let round = 0; round < 30; round += 1) {
      await add({ count: 20 });
      const worker = await app.start();
      if (round % 2) await new Promise((turn) => setImmediate(turn));
      await worker.stop();
      left.push(await claimed());
    }
    process.stdout.write(`rows left claimed after 30 stops: ${left.reduce((sum, n) => sum + n)}\n`);
    expect(left).toEqual(Array(30).fill(0));
  }, 30_000);

  test("a worker started afterwards delivers the released rows", async () => {
    app.fast.answer((_, response) => void setTimeout(() => response.end("{}"), 30));
    await add({ count: 60 });
    const first = await app.start();
    await eventually("some deliveries", () => app.fast.received.length > 3);
    await first.stop();
    await app.start();
    await app.allDelivered(60);
    expect(app.fast.received).toHaveLength(60);
  });
});
