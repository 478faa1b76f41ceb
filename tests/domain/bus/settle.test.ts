import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { settlerOf, type Settlement, type Settler } from "../../../app/domain/bus/settle.ts";
import { reclaimLostLeases } from "../../../app/domain/bus/claims/leases.ts";
import type { QueueItem } from "../../../app/domain/bus/channel.ts";
import {
  addRows,
  claimAll,
  openCircuit,
  openQueueDatabase,
  type QueueDatabase,
} from "../../support/bus/queue.ts";

const SHOP = "first-shop.myshopify.com";
const MESSAGE = {
  transformed_payload: { a: 1 },
  delivery_config: { method: "POST", endpoint: "/x", credentials_key: "cms_api_token" },
};
const DELIVERED = {
  to: "delivered",
  httpStatus: 202,
  latencyMs: 12,
  note: null,
  isArchived: true,
} as const satisfies Settlement;
let queue: QueueDatabase;
let settler: Settler;

beforeAll(async () => {
  queue = await openQueueDatabase();
  settler = settlerOf(queue.database);
});
afterAll(() => queue.stop());
beforeEach(() => queue.test.truncate());

async function claimOne(): Promise<QueueItem> {
  await addRows(queue.test, { shop: SHOP });
  const [item] = await claimAll(queue.database);
  return item as QueueItem;
}
const row = async () =>
  (
    await queue.test.query(
      "SELECT *, extract(epoch FROM next_attempt_at - clock_timestamp())::float8 AS due_in FROM integration_queue",
    )
  )[0];
const attempts = () =>
  queue.test.query(
    "SELECT attempt, status, http_status, latency_ms, error FROM delivery_attempts ORDER BY id",
  );

describe("each settlement updates the row and writes its attempt", () => {
  test("ready: the message is stored and no attempt is written yet", async () => {
    const item = await claimOne();
    expect(await settler.ready(item, MESSAGE)).toMatchObject({ held: true });
    expect(await row()).toMatchObject({
      status: "ready",
      ...MESSAGE,
      attempt_token: item.attemptToken,
    });
    expect(await attempts()).toEqual([]);
  });

  test("delivered: time, no error, also of an attempt before, no lease, no attempt used up, one attempt row", async () => {
    const item = await claimOne();
    await queue.test.query("UPDATE integration_queue SET last_error = 'cms answered 503'");
    await settler.ready(item, MESSAGE);
    expect(await settler.settle(item, DELIVERED)).toBe(true);
    expect(await row()).toMatchObject({
      status: "delivered",
      retry_count: 0,
      last_error: null,
      attempt_token: null,
      locked_by: null,
      locked_until: null,
      dead_lettered_at: null,
    });
    expect((await row()).delivered_at).toBeInstanceOf(Date);
    expect(await attempts()).toEqual([
      { attempt: 1, status: "delivered", http_status: 202, latency_ms: 12, error: null },
    ]);
  });

  test("retry: pending again, due after the delay by the database's clock, one attempt used up, the reason stored, lost workers forgotten", async () => {
    const item = await claimOne();
    await queue.test.query(
      "UPDATE integration_queue SET lease_lost = 2, is_quarantined = true, lost_alone = 2",
    );
    await settler.settle(item, {
      to: "retry",
      delayMs: 120_000,
      httpStatus: 503,
      latencyMs: 5,
      error: "cms answered 503",
    });
    const { due_in: dueIn, ...settled } = await row();
    expect(settled).toMatchObject({
      status: "pending",
      retry_count: 1,
      last_error: "cms answered 503",
      attempt_token: null,
      delivered_at: null,
      lease_lost: 0,
      is_quarantined: false,
      lost_alone: 0,
    });
    expect(dueIn).toBeGreaterThan(118);
    expect(dueIn).toBeLessThanOrEqual(120);
    expect(await attempts()).toEqual([
      { attempt: 1, status: "failed", http_status: 503, latency_ms: 5, error: "cms answered 503" },
    ]);
  });

  test("dead letter: time and reason are stored, and the row is not claimed again", async () => {
    const item = await claimOne();
    await settler.settle(item, {
      to: "dead_letter",
      isSweepable: true,
      httpStatus: 400,
      latencyMs: 5,
      error: "cms answered 400",
    });
    expect(await row()).toMatchObject({
      status: "dead_letter",
      retry_count: 1,
      last_error: "cms answered 400",
      attempt_token: null,
    });
    expect((await row()).dead_lettered_at).toBeInstanceOf(Date);
    expect(await claimAll(queue.database)).toEqual([]);
  });

  test("deferred: pending again, no attempt used up and none written", async () => {
    const item = await claimOne();
    await settler.settle(item, { to: "deferred", delayMs: 0 });
    expect(await row()).toMatchObject({ status: "pending", retry_count: 0, attempt_token: null });
    expect(await attempts()).toEqual([]);
    expect(await claimAll(queue.database)).toHaveLength(1);
  });

  test("an error longer than the column is truncated, and characters that the database rejects do not fail the settlement", async () => {
    const long = await claimOne();
    await settler.settle(long, {
      to: "retry",
      delayMs: 0,
      httpStatus: null,
      latencyMs: 1,
      error: "x".repeat(10_000),
    });
    expect((await row()).last_error).toHaveLength(2_000);
    const [again] = await claimAll(queue.database);
    expect(
      await settler.settle(again as QueueItem, {
        to: "retry",
        delayMs: 0,
        httpStatus: null,
        latencyMs: 1,
        error: "half \u0000 a \ud800 body",
      }),
    ).toBe(true);
    expect((await row()).last_error).toContain("half");
  });
});

const exchanges = () =>
  queue.test.query(
    `SELECT e.sealed, e.token, a.attempt FROM delivery_exchanges e
      JOIN delivery_attempts a ON a.shop = e.shop AND a.id = e.attempt_id AND a.event_id = e.event_id`,
  );

test("the exchange is stored with its attempt; what counts no attempt stores none", async () => {
  const item = await claimOne();
  expect(await settler.settle(item, { to: "deferred", delayMs: 0 }, { exchange: "sealed" })).toBe(
    true,
  );
  expect(await exchanges()).toEqual([]);
  const [again] = await claimAll(queue.database);
  expect(await settler.settle(again as QueueItem, DELIVERED, { exchange: "sealed" })).toBe(true);
  expect(await exchanges()).toEqual([{ sealed: "sealed", token: again?.attemptToken, attempt: 1 }]);
  // The lease is gone: nothing more is stored.
  expect(await settler.settle(again as QueueItem, DELIVERED, { exchange: "sealed" })).toBe(false);
  expect(await exchanges()).toHaveLength(1);
});

describe("a worker that lost its lease", () => {
  async function lose(): Promise<{ late: QueueItem; current: QueueItem }> {
    const late = await claimOne();
    await queue.test.query(
      "UPDATE integration_queue SET locked_until = clock_timestamp() - interval '1 second'",
    );
    await reclaimLostLeases(queue.database);
    const [current] = await claimAll(queue.database, { worker: "second" });
    return { late, current: current as QueueItem };
  }

  test.each<[string, Settlement]>([
    ["delivered", DELIVERED],
    ["retry", { to: "retry", delayMs: 0, httpStatus: 500, latencyMs: 1, error: "late" }],
    [
      "dead letter",
      { to: "dead_letter", isSweepable: true, httpStatus: 400, latencyMs: 1, error: "late" },
    ],
    ["deferred", { to: "deferred", delayMs: 0 }],
  ])("cannot settle as %s: row and log stay unchanged", async (_, settlement) => {
    const { late } = await lose();
    const before = await queue.test.query("SELECT * FROM integration_queue");
    expect(await settler.settle(late, settlement)).toBe(false);
    expect(await queue.test.query("SELECT * FROM integration_queue")).toEqual(before);
    expect(await attempts()).toEqual([]);
  });

  test("cannot store its message and learns that it lost the lease", async () => {
    const { late, current } = await lose();
    expect(await settler.ready(late, MESSAGE)).toMatchObject({ held: false });
    expect((await row()).transformed_payload).toBeNull();
    expect(await settler.settle(current, DELIVERED)).toBe(true);
  });

  test("or has settled already changes nothing with a second settlement", async () => {
    const item = await claimOne();
    expect(await settler.settle(item, DELIVERED)).toBe(true);
    expect(
      await settler.settle(item, {
        to: "retry",
        delayMs: 0,
        httpStatus: 500,
        latencyMs: 1,
        error: "late",
      }),
    ).toBe(false);
    expect(await attempts()).toHaveLength(1);
    expect((await row()).status).toBe("delivered");
  });
});

test("when the attempt cannot be written the row is not updated: both commit together", async () => {
  const item = await claimOne();
  await queue.test.query(
    "ALTER TABLE delivery_attempts ADD CONSTRAINT refuse CHECK (latency_ms < 1000)",
  );
  await expect(settler.settle(item, { ...DELIVERED, latencyMs: 5_000 })).rejects.toThrow(/refuse/);
  expect((await row()).status).toBe("processing");
  await queue.test.query("ALTER TABLE delivery_attempts DROP CONSTRAINT refuse");
});

test("200 concurrent settlements each update their own row and write their own attempt", async () => {
  await addRows(queue.test, { shop: SHOP, count: 200 });
  const items = await claimAll(queue.database, { limit: 200 });
  const results = await Promise.all(
    items.map((item, n) =>
      settler.settle(item, {
        to: "retry",
        delayMs: 1_000,
        httpStatus: 500,
        latencyMs: n,
        error: `error ${item.queueId}`,
      }),
    ),
  );
  expect(results.every(Boolean)).toBe(true);
  const [mixed] = await queue.test.query(
    `SELECT count(*)::int AS n FROM integration_queue q
      JOIN delivery_attempts a ON a.queue_id = q.id WHERE q.last_error = 'error ' || q.id
      AND a.error = q.last_error`,
  );
  expect(mixed.n).toBe(200);
});

test("ready reports that the circuit opened since the claim", async () => {
  const item = await claimOne();
  await openCircuit(queue.test, SHOP, "cms");
  const { openForMs } = await settler.ready(item, MESSAGE);
  expect(openForMs).toBeGreaterThan(295_000);
  expect(openForMs).toBeLessThanOrEqual(300_000);
});
