// The worker against failing systems, over real HTTP.
import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { QueueItem } from "../../../app/domain/bus/channel.ts";
import { deliver } from "../../../app/domain/bus/deliver.ts";
import { settlerOf } from "../../../app/domain/bus/settle.ts";
import {
  addRows,
  channelTo,
  claimAll,
  letCircuitsClose,
  letRetriesComeDue,
} from "../../support/bus/queue.ts";
import { eventually, SHOP } from "../../support/service.ts";
import { startWorkerApp, type WorkerApp } from "../../support/bus/worker.ts";

const OTHER = "other-store.myshopify.com";
let app: WorkerApp;

beforeAll(async () => {
  app = await startWorkerApp();
});
afterAll(() => app.stop());
beforeEach(() => app.reset());

const add = (options: Partial<Parameters<typeof addRows>[1]> = {}) =>
  addRows(app.service.database, { shop: SHOP, channel: "fast", ...options });
const settled = (
  what: string,
  isSettled: (row: Awaited<ReturnType<WorkerApp["rows"]>>[number]) => boolean,
) =>
  eventually(what, async () => {
    const rows = await app.rows();
    return rows.every(isSettled) && rows;
  });

/** Five attempts failed, the circuit is open, and no row is claimed. */
const parked = () =>
  eventually("five failures, and all rows waiting", async () => {
    const rows = await app.rows();
    return (
      rows.reduce((sum, { retry_count: n }) => sum + n, 0) === 5 &&
      rows.every(({ status, locked_by }) => status === "pending" && locked_by === null) &&
      rows
    );
  });

describe("a system that answers 500", () => {
  test("is retried on SPEC's schedule of priority 1, an attempt row each, and the fifth failure makes the dead letter", async () => {
    app.fast.answer((_, response) => void response.writeHead(500).end("down"));
    await add({ priority: 1 });
    await app.start();
    for (const [index, delay] of [10, 30, 120, 600].entries()) {
      const [row] = await settled(
        `failure ${index + 1}`,
        ({ status, retry_count: retries }) => status === "pending" && retries === index + 1,
      );
      expect(row?.due_in).toBeGreaterThan(delay - 2);
      expect(row?.due_in).toBeLessThanOrEqual(delay * 1.1);
      await letRetriesComeDue(app.service.database);
    }
    const [dead] = await settled("the dead letter", ({ status }) => status === "dead_letter");
    expect(dead).toMatchObject({ retry_count: 5, last_error: "fast answered 500: down" });
    expect(
      (await app.attempts()).map(({ attempt, status, http_status }) => [
        attempt,
        status,
        http_status,
      ]),
    ).toEqual([1, 2, 3, 4, 5].map((n) => [n, "failed", 500]));
  });

  test("gets exactly five attempts with 30 pending rows, none while the circuit is open, and the rest after it closes", async () => {
    app.fast.answer(
      (_, response, count) =>
        void setTimeout(() => response.writeHead(500).end(), (count * 7) % 30),
    );
    await add({ count: 30 });
    await app.start();
    await parked();
    // A row of another store shows that the worker runs and still skips the open circuit.
    await app.service.addTenant(OTHER);
    app.fast.answer((_, response) => void response.end("{}"));
    await add({ shop: OTHER });
    await app.allDelivered(1);
    expect(app.fast.received).toHaveLength(5 + 1);
    expect((await app.rows()).map(({ retry_count: n }) => n).reduce((sum, n) => sum + n)).toBe(5);

    await letCircuitsClose(app.service.database);
    const rows = await app.allDelivered(31);
    process.stdout.write(
      `attempts at a dead system with 30 rows waiting: 5; after it came back: ${app.fast.received.length - 6} for 30 rows\n`,
    );
    expect(app.fast.received).toHaveLength(36);
    expect(rows.filter(({ retry_count: n }) => n === 1)).toHaveLength(5);
    expect(rows.filter(({ retry_count: n }) => n === 0)).toHaveLength(26);
  });

  test.each([[-3_600_000], [3_600_000]])(
    "is skipped for five minutes of the database's clock by a worker whose own clock is %i ms off",
    async (offMs) => {
      app.fast.answer((_, response) => void response.writeHead(503).end());
      await add({ count: 12 });
      await app.start({ clock: { now: () => new Date(Date.now() + offMs) } });
      const untouched = (await parked()).filter(({ retry_count: n }) => n === 0);
      expect(untouched).toHaveLength(7);
      const [circuit] = await app.service.database.query(
        `SELECT extract(epoch
          FROM (value->>'open_until')::timestamptz - clock_timestamp())::float8 AS open_for FROM kv
          WHERE key = 'circuit:fast'`,
      );
      // Rows that were claimed wait in their rows, the others behind the circuit.
      const inHand = untouched.map(({ due_in: due }) => due).filter((due) => due > 1);
      expect(inHand.length).toBeGreaterThan(0);
      for (const seconds of [circuit.open_for, ...inHand]) {
        expect(seconds).toBeGreaterThan(290);
        expect(seconds).toBeLessThanOrEqual(300);
      }
    },
  );
});

describe("handling of a response", () => {
  test.each([400, 401, 404, 410, 422])(
    "%i makes a dead letter at once, with the reason, and does not count towards the circuit",
    async (status) => {
      app.fast.answer((_, response) => void response.writeHead(status).end("no such field"));
      await add({ count: 7 });
      await app.start();
      const rows = await settled("7 dead letters", (row) => row.status === "dead_letter");
      expect(app.fast.received).toHaveLength(7);
      expect(rows[0]?.last_error).toBe(`fast answered ${status}: no such field`);
      expect(
        await app.service.database.query("SELECT 1 FROM kv WHERE key LIKE 'circuit:%'"),
      ).toEqual([]);
    },
  );

  test.each([408, 423])("%i is retried and does not count towards the circuit", async (status) => {
    app.fast.answer((_, response) => void response.writeHead(status).end());
    await add({ count: 7 });
    await app.start();
    await settled("7 retries", (row) => row.status === "pending" && row.retry_count === 1);
    expect(await app.service.database.query("SELECT 1 FROM kv WHERE key LIKE 'circuit:%'")).toEqual(
      [],
    );
  });

  test("a row whose lease was lost before the call is not sent", async () => {
    await add({ count: 1 });
    const { ctx } = app.service;
    const [item] = await claimAll(ctx.home, { channel: "fast" });
    const lost = { ...(item as QueueItem), attemptToken: randomUUID() };
    const channels = [channelTo("fast", app.fast.url, 1_000)];
    expect(await deliver({ ...ctx, channels }, settlerOf(ctx.home), lost)).toMatchObject({
      status: "lease_lost",
    });
    expect(app.fast.received).toEqual([]);
  });

  test("a failure counts towards the circuit only while its worker holds the row", async () => {
    const taken = async (response: ServerResponse) => {
      // As another worker takes over the row of one that was suspended.
      await app.service.database.query(
        "UPDATE integration_queue SET attempt_token = gen_random_uuid(), locked_by = 'another', locked_until = now() + interval '1 hour'",
      );
      response.writeHead(500).end();
    };
    app.fast.answer((_, response) => void taken(response));
    await add({ count: 1 });
    await app.start();
    await eventually("the lost lease", () =>
      app.service.logged.some(({ outcome }) => outcome === "lease_lost"),
    );
    expect(await app.service.database.query("SELECT 1 FROM kv WHERE key LIKE 'circuit:%'")).toEqual(
      [],
    );
  });

  test.each([
    ["seconds", () => "900"],
    ["a date", () => new Date(Date.now() + 900_000).toUTCString()],
  ])(
    "429 with a Retry-After in %s waits that long and counts towards the circuit",
    async (_, header) => {
      app.fast.answer(
        (__, response) => void response.writeHead(429, { "Retry-After": header() }).end(),
      );
      await add({ priority: 1 });
      await app.start();
      const [row] = await settled(
        "the retry",
        ({ status, retry_count: n }) => status === "pending" && n === 1,
      );
      expect(row?.due_in).toBeGreaterThan(896);
      expect(row?.due_in).toBeLessThanOrEqual(901);
      expect(
        await app.service.database.query(
          "SELECT value->>'failures' AS n FROM kv WHERE key = 'circuit:fast'",
        ),
      ).toEqual([{ n: "1" }]);
    },
  );

  test.each<[string, Parameters<WorkerApp["fast"]["answer"]>[0], RegExp]>([
    ["half a JSON body", (_, response) => void response.end('{"data":{"id":"12'), /not JSON/],
    [
      "less than it announced",
      (_, response) =>
        void response
          .writeHead(200, { "Content-Length": "100" })
          .write("{", () => response.destroy()),
      /cannot be reached/,
    ],
    [
      "one byte at a time, for ever",
      (_, response) => void setInterval(() => response.write(" "), 50).unref(),
      /did not answer in time/,
    ],
    [
      "bytes without end",
      (_, response) => {
        const more = () => {
          while (!response.destroyed && response.write(Buffer.alloc(65_536, "x")));
          response.once("drain", more);
        };
        more();
      },
      /not JSON/,
    ],
    ["nothing", () => {}, /did not answer in time/],
    [
      "a closed connection",
      (request) => void request.socket.resetAndDestroy(),
      /cannot be reached/,
    ],
    [
      "an error full of NUL and broken letters",
      (_, response) => void response.writeHead(500).end(Buffer.from([0, 0xff, 0xd8, 0, 0x41])),
      /answered 500/,
    ],
  ])("%s is a retryable failure, with its reason in row and log", async (_, act, reason) => {
    app.fast.answer(act);
    await add();
    await app.start({ timeoutMs: 700 });
    const [row] = await settled(
      "the retry",
      ({ status, retry_count: n }) => status === "pending" && n === 1,
    );
    expect(row?.last_error).toMatch(reason);
    expect(await app.attempts()).toMatchObject([
      { attempt: 1, status: "failed", error: expect.stringMatching(reason) },
    ]);
  });
});

describe("isolation", () => {
  test("a hanging channel delays no other: 60 rows pass while 100 wait", async () => {
    app.slow.answer(() => {});
    await add({ channel: "slow", count: 100 });
    await app.start();
    await eventually("hanging deliveries", () => app.slow.received.length >= 5);
    const started = performance.now();
    await add({ count: 60 });
    await app.allDelivered(60);
    process.stdout.write(
      `60 deliveries beside a hanging channel took ${Math.round(performance.now() - started)} ms\n`,
    );
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  test("a store whose system starts to hang delays no other store on the same channel: 60 rows pass while 100 wait", async () => {
    await app.service.addTenant(OTHER);
    await add({ count: 20 });
    await app.start();
    await app.allDelivered(20);
    const hanging = new Set<number>();
    app.fast.answer(
      (request, response) =>
        void (hanging.has(Number(request.headers["x-queue-id"])) || response.end("{}")),
    );
    await app.service.database.query(
      "ALTER TABLE integration_queue DISABLE TRIGGER integration_queue_notify",
    );
    for (const id of await add({ count: 100, dueInSeconds: 1 })) hanging.add(id);
    await app.service.database.query(
      "ALTER TABLE integration_queue ENABLE TRIGGER integration_queue_notify",
    );
    await eventually("hanging deliveries", () => app.fast.received.length >= 20 + 16);
    const started = performance.now();
    await add({ shop: OTHER, count: 60 });
    await app.allDelivered(80, 5_000);
    process.stdout.write(
      `60 deliveries of another store beside one that hangs took ${Math.round(performance.now() - started)} ms\n`,
    );
    expect(app.fast.received).toHaveLength(20 + 16 + 60);
  });

  test("a payload that cannot be transformed affects none of its 20 neighbours and is logged as our own bug", async () => {
    await add({ count: 10 });
    const [poison] = await add({ payload: { poison: true } });
    await add({ count: 10 });
    await app.start();
    await app.allDelivered(20);
    const row = (await app.rows()).find(({ id }) => id === poison);
    expect(row).toMatchObject({ status: "pending", retry_count: 1, last_error: "internal_error" });
    expect(
      app.service.logged.some(
        ({ event, stack }) =>
          event === "delivery.crashed" && String(stack).includes("cannot be read"),
      ),
    ).toBe(true);
  });

  test("a row of an unregistered store makes a dead letter that says so", async () => {
    await add({ shop: "nobody.myshopify.com" });
    await app.start();
    const [row] = await settled("the dead letter", ({ status }) => status === "dead_letter");
    expect(row?.last_error).toBe("unknown_tenant");
  });
});
