import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { CLAIM, claimEvents, claimOne } from "../../../app/domain/bus/claims/claim.ts";
import {
  LEASE_SECONDS,
  markStarted,
  reclaimLostLeases,
  renewLeases,
} from "../../../app/domain/bus/claims/leases.ts";
import {
  addRows,
  claimAll,
  openCircuit,
  openQueueDatabase,
  type QueueDatabase,
} from "../../support/bus/queue.ts";
import { executedPlanOf, rowsRead } from "../../support/statements/statement-plans.ts";

const A = "a-shop.myshopify.com";
const B = "b-shop.myshopify.com";
let queue: QueueDatabase;

beforeAll(async () => {
  queue = await openQueueDatabase();
});
afterAll(() => queue.stop());
beforeEach(() => queue.test.truncate());

const rowsOf = (ids: number[]) =>
  queue.test.query(
    `SELECT id::int, status, locked_by, attempt_token, retry_count, lease_lost, is_quarantined,
      lost_alone, last_error, dead_lettered_at FROM integration_queue WHERE id = ANY($1) ORDER BY id`,
    [ids],
  );
const loseLeases = () =>
  queue.test.query(
    `UPDATE integration_queue SET locked_until = clock_timestamp() - interval '1 second'
      WHERE locked_until IS NOT NULL`,
  );

describe("claiming", () => {
  test("takes the row: processing, with a holder, a fence token and a lease by the database's clock", async () => {
    await addRows(queue.test, { shop: A });
    const [item] = await claimAll(queue.database);
    const [row] = await queue.test.query(
      `SELECT status, locked_by, attempt_token, extract(epoch
        FROM locked_until - clock_timestamp())::float8 AS lease FROM integration_queue`,
    );
    expect(row).toMatchObject({
      status: "processing",
      locked_by: "test-worker",
      attempt_token: item?.attemptToken,
    });
    expect(row.lease).toBeGreaterThan(LEASE_SECONDS - 2);
    expect(row.lease).toBeLessThanOrEqual(LEASE_SECONDS);
    // With a poll, the rows of a dead worker are back within 15 seconds.
    expect(LEASE_SECONDS).toBeLessThanOrEqual(12);
    expect(await claimAll(queue.database)).toEqual([]);
  });

  test("leaves the rows of a store that moves to another cell, also those asked for by their event", async () => {
    await addRows(queue.test, { shop: A });
    await queue.test.query(
      "INSERT INTO held_stores (shop, move_id, role) VALUES ($1, gen_random_uuid(), 'leaving')",
      [A],
    );
    expect(await claimAll(queue.database)).toEqual([]);
    const [row] = await queue.test.query("SELECT event_id, channel FROM integration_queue");
    const { sql } = queue.database.forTenant(A);
    const { event_id: eventId, channel } = row;
    expect(await claimOne(sql, { eventId, channel, holder: "request" })).toBeNull();
    expect(await claimEvents(sql, { eventIds: [eventId], holder: "request" })).toEqual([]);
    await queue.test.query("DELETE FROM held_stores");
    expect(await claimOne(sql, { eventId, channel, holder: "request" })).toMatchObject({ eventId });
  });

  test("twelve concurrent claims over 400 rows never share one and together get all", async () => {
    for (const shop of [A, B]) await addRows(queue.test, { shop, count: 200 });
    const claimed: number[] = [];
    await Promise.all(
      Array.from({ length: 12 }, async (_, worker) => {
        for (let empty = 0; empty < 5;) {
          const items = await claimAll(queue.database, { limit: 7, worker: `worker-${worker}` });
          claimed.push(...items.map(({ queueId }) => queueId));
          empty = items.length === 0 ? empty + 1 : 0;
        }
      }),
    );
    expect(claimed).toHaveLength(400);
    expect(new Set(claimed).size).toBe(400);
  });

  test("takes the most urgent first, whatever came first", async () => {
    for (const priority of [5, 3, 1, 4, 2]) await addRows(queue.test, { shop: A, priority });
    const priorities: number[] = [];
    for (let n = 0; n < 5; n += 1)
      priorities.push(
        ...(await claimAll(queue.database, { limit: 1 })).map(({ priority }) => priority),
      );
    expect(priorities).toEqual([1, 2, 3, 4, 5]);
  });

  test("skips rows that are not due and rows of other channels", async () => {
    await addRows(queue.test, { shop: A, dueInSeconds: 60 });
    await addRows(queue.test, { shop: A, channel: "web_analytics" });
    expect(await claimAll(queue.database)).toEqual([]);
  });
});

describe("fairness between tenants", () => {
  test("a tenant with three rows behind another's 2,000 is served in the first claim", async () => {
    await addRows(queue.test, { shop: A, count: 2_000 });
    await addRows(queue.test, { shop: B, count: 3 });
    const items = await claimAll(queue.database, { limit: 8 });
    expect(items.filter(({ shop }) => shop === B)).toHaveLength(3);
    expect(items).toHaveLength(8);
  });

  test("a tenant late in the alphabet is reached past 450 tenants without due rows", async () => {
    await queue.test.query(
      `INSERT INTO integration_queue (shop, event_id, channel, source, event_type, entity_type,
        entity_id, max_retries, next_attempt_at)
       SELECT 'm' || lpad(n::text, 4, '0') || '.myshopify.com', 'e' || n, 'cms', 'manual',
         'customer.updated', 'customer', '1', 3, clock_timestamp() + interval '1 hour'
         FROM generate_series(1, 450) n`,
    );
    const [waiting] = await addRows(queue.test, { shop: "z-shop.myshopify.com" });
    const items = await claimAll(queue.database);
    expect(items.map(({ queueId }) => queueId)).toEqual([waiting]);
  });

  test("a claim that starts past the last tenant wraps around to the first", async () => {
    const [id] = await addRows(queue.test, { shop: A });
    expect(
      (await claimAll(queue.database, { fromShop: "zzz" })).map(({ queueId }) => queueId),
    ).toEqual([id]);
  });
});

describe("an open circuit", () => {
  test("keeps its rows from being claimed and affects no other tenant or channel", async () => {
    await addRows(queue.test, { shop: A, count: 3 });
    await addRows(queue.test, { shop: A, channel: "web_analytics" });
    const [other] = await addRows(queue.test, { shop: B });
    await openCircuit(queue.test, A, "cms");
    expect((await claimAll(queue.database)).map(({ queueId }) => queueId)).toEqual([other]);
    expect(await claimAll(queue.database, { channel: "web_analytics" })).toHaveLength(1);
    const parked = await queue.test.query(
      "SELECT status, retry_count, lease_lost FROM integration_queue WHERE shop = $1 AND channel = 'cms'",
      [A],
    );
    expect(parked).toEqual(
      Array.from({ length: 3 }, () => ({ status: "pending", retry_count: 0, lease_lost: 0 })),
    );
  });

  test("with 20,000 rows behind it makes neither another channel's claim nor its own read more than a handful of rows", async () => {
    await openCircuit(queue.test, A, "cms");
    await addRows(queue.test, { shop: A, count: 20_000 });
    await queue.test.query("VACUUM ANALYZE integration_queue");
    for (const channel of ["web_analytics", "cms"])
      expect([channel, await rowsReadByClaim(channel)]).toEqual([
        channel,
        expect.toSatisfy((rows: number) => rows < 50),
      ]);
  });
});

test("20,000 rows that wait for a later attempt are not read by a claim, whatever the statistics say", async () => {
  await queue.test.query("VACUUM ANALYZE integration_queue");
  await addRows(queue.test, { shop: A, count: 20_000 });
  await queue.test.query(
    "UPDATE integration_queue SET next_attempt_at = clock_timestamp() + interval '1 hour'",
  );
  const due = await addRows(queue.test, { shop: A, count: 3 });
  expect(await rowsReadByClaim("cms")).toBeLessThan(50);
  await queue.test.query("VACUUM ANALYZE integration_queue");
  expect(await rowsReadByClaim("cms")).toBeLessThan(50);
  expect((await claimAll(queue.database)).map(({ queueId }) => queueId)).toEqual(due);
});

async function rowsReadByClaim(channel: string): Promise<number> {
  const values = [[channel], [""], [32], [8], [], [], [], "test-worker"];
  return rowsRead(
    await executedPlanOf(queue.test.url, { text: CLAIM, values }),
    "integration_queue",
  );
}

describe("an expired lease", () => {
  test("returns the row without using up an attempt, and names the channel that has work", async () => {
    const ids = await addRows(queue.test, { shop: A });
    await claimAll(queue.database);
    expect(await reclaimLostLeases(queue.database)).toEqual({ channels: [], returned: 0, dead: 0 });
    await loseLeases();
    expect(await reclaimLostLeases(queue.database)).toEqual({
      channels: ["cms"],
      returned: 1,
      dead: 0,
    });
    expect(await rowsOf(ids)).toMatchObject([
      { status: "pending", retry_count: 0, lease_lost: 1, attempt_token: null, locked_by: null },
    ]);
    expect(await claimAll(queue.database)).toHaveLength(1);
  });

  test("is also one that another program left out: the row returns, and nobody died", async () => {
    const ids = await addRows(queue.test, { shop: A, count: 2 });
    await queue.test.query(
      "UPDATE integration_queue SET status = CASE WHEN id = $1 THEN 'ready' ELSE 'processing' END",
      [ids[0]],
    );
    expect(await reclaimLostLeases(queue.database)).toEqual({
      channels: ["cms"],
      returned: 2,
      dead: 0,
    });
    const free = { status: "pending", lease_lost: 0, lost_alone: 0, is_quarantined: false };
    expect(await rowsOf(ids)).toMatchObject([free, free]);
    expect(await claimAll(queue.database)).toHaveLength(2);
  });

  test("is renewed without waiting for a row that is being settled, so that the two cannot deadlock", async () => {
    const ids = await addRows(queue.test, { shop: A, count: 3 });
    const held = await claimAll(queue.database);
    await queue.test.query("UPDATE integration_queue SET locked_until = clock_timestamp()");
    const mover = new pg.Client({ connectionString: queue.test.url });
    await mover.connect();
    await mover.query("BEGIN");
    await mover.query("SELECT 1 FROM integration_queue WHERE id = $1 FOR UPDATE", [ids[1]]);
    await renewLeases(queue.database, held);
    await mover.query("COMMIT");
    await mover.end();
    expect(
      (
        await queue.test.query(
          "SELECT id::int FROM integration_queue WHERE locked_until > clock_timestamp() ORDER BY id",
        )
      ).map(({ id }) => id),
    ).toEqual([ids[0], ids[2]]);
  });

  test("of the only row of three workers in a row makes a dead letter with `worker_lost`", async () => {
    const ids = await addRows(queue.test, { shop: A });
    for (let loss = 1; loss <= 3; loss += 1) {
      const [item] = await claimAll(queue.database);
      expect(item).toMatchObject({
        losses: loss - 1,
        lossesAlone: loss - 1,
        isQuarantined: loss > 1,
      });
      if (item && loss > 1) expect(await markStarted(queue.database, item, "alone")).toBe(true);
      await loseLeases();
      await reclaimLostLeases(queue.database);
    }
    const [row] = await rowsOf(ids);
    expect(row).toMatchObject({
      status: "dead_letter",
      last_error: "worker_lost",
      retry_count: 0,
      lease_lost: 3,
      lost_alone: 3,
    });
    expect(row.dead_lettered_at).not.toBeNull();
    expect(await claimAll(queue.database)).toEqual([]);
  });

  test("of a row that was only claimed does not count: six lost workers in a row leave 200 of them pending", async () => {
    const ids = await addRows(queue.test, { shop: A, count: 200 });
    for (let loss = 1; loss <= 6; loss += 1) {
      expect(await claimAll(queue.database, { limit: 200 })).toHaveLength(200);
      await loseLeases();
      expect(await reclaimLostLeases(queue.database)).toMatchObject({ returned: 200, dead: 0 });
    }
    expect(
      (await rowsOf(ids)).filter(
        ({ status, retry_count, is_quarantined, lost_alone }) =>
          status !== "pending" || retry_count > 0 || is_quarantined || lost_alone > 0,
      ),
    ).toEqual([]);
  });

  test("of rows that were in flight together puts them in quarantine and counts for none", async () => {
    const ids = await addRows(queue.test, { shop: A, count: 5 });
    for (let loss = 1; loss <= 6; loss += 1) {
      const items = await claimAll(queue.database);
      // The first loss identifies them by their message, later ones by their mark.
      if (loss === 1) await queue.test.query("UPDATE integration_queue SET status = 'ready'");
      else for (const item of items) await markStarted(queue.database, item, "begun");
      await loseLeases();
      expect(await reclaimLostLeases(queue.database)).toMatchObject({ returned: 5, dead: 0 });
    }
    expect(await rowsOf(ids)).toEqual(
      ids.map((id) =>
        expect.objectContaining({ id, is_quarantined: true, lost_alone: 0, lease_lost: 6 }),
      ),
    );
  });

  test("of a row that ran alone counts, and of rows that were only claimed does not", async () => {
    const ids = await addRows(queue.test, { shop: A, count: 4 });
    const [alone] = await claimAll(queue.database);
    await markStarted(queue.database, alone as NonNullable<typeof alone>, "alone");
    await loseLeases();
    await reclaimLostLeases(queue.database);
    expect((await rowsOf(ids)).map(({ lost_alone: n }) => n)).toEqual(
      ids.map((id) => (id === alone?.queueId ? 1 : 0)),
    );
  });

  test("of rows that one worker claimed at different times counts for none, also when they expire one after the other", async () => {
    const ids = await addRows(queue.test, { shop: A, count: 3 });
    await claimAll(queue.database);
    for (const id of ids) {
      await queue.test.query(
        "UPDATE integration_queue SET locked_until = clock_timestamp() - interval '1 second' WHERE id = $1",
        [id],
      );
      expect(await reclaimLostLeases(queue.database)).toMatchObject({ returned: 1, dead: 0 });
    }
    expect((await rowsOf(ids)).map(({ lost_alone: n }) => n)).toEqual([0, 0, 0]);
  });

  test("of a delivery made by an API request does not count for the row", async () => {
    const ids = await addRows(queue.test, { shop: A });
    await claimAll(queue.database, { worker: "request-1" });
    await loseLeases();
    await reclaimLostLeases(queue.database);
    expect(await rowsOf(ids)).toMatchObject([{ lost_alone: 0, lease_lost: 1 }]);
  });

  test("cannot be started by a holder that lost it", async () => {
    await addRows(queue.test, { shop: A });
    const [held] = await claimAll(queue.database);
    await loseLeases();
    await reclaimLostLeases(queue.database);
    await claimAll(queue.database, { worker: "second" });
    expect(await markStarted(queue.database, held as NonNullable<typeof held>, "begun")).toBe(
      false,
    );
    expect(await queue.test.query("SELECT locked_by FROM integration_queue")).toEqual([
      { locked_by: "second" },
    ]);
  });

  test("is never lost while its holder renews it, and a holder that lost it renews nothing", async () => {
    await addRows(queue.test, { shop: A });
    const held = await claimAll(queue.database);
    await queue.test.query(
      "UPDATE integration_queue SET locked_until = clock_timestamp() + interval '1 millisecond'",
    );
    await renewLeases(queue.database, held);
    expect((await reclaimLostLeases(queue.database)).returned).toBe(0);
    await loseLeases();
    await reclaimLostLeases(queue.database);
    await claimAll(queue.database, { worker: "second" });
    const before = await queue.test.query("SELECT locked_until FROM integration_queue");
    await renewLeases(queue.database, held);
    expect(await queue.test.query("SELECT locked_until FROM integration_queue")).toEqual(before);
  });
});
