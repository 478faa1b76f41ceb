import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { enqueue, idempotencyKeyOf, type BusEvent } from "../../../app/domain/bus/enqueue.ts";
import { eventually } from "../../support/service.ts";
import { openQueueDatabase, type QueueDatabase } from "../../support/bus/queue.ts";

const SHOP = "first-shop.myshopify.com";
const OTHER = "other-shop.myshopify.com";
let queue: QueueDatabase;

beforeAll(async () => {
  queue = await openQueueDatabase();
});
afterAll(() => queue.stop());
beforeEach(() => queue.test.truncate());

const event = (fields: Partial<BusEvent> = {}): BusEvent => ({
  eventId: "event-1",
  source: "storefront",
  eventType: "customer.updated",
  entityType: "customer",
  entityId: "7",
  payload: { user_id: 7 },
  occurredAt: new Date("2026-01-02T03:04:05.678Z"),
  destinations: ["cms", "web_analytics"],
  ...fields,
});
const count = async (table: string) =>
  (await queue.test.query(`SELECT count(*)::int AS n FROM ${table}`))[0].n as number;

describe("in the caller's transaction", () => {
  test("commit leaves one ledger row and one pending row per destination, due at once", async () => {
    const ids = await queue.database.forTenant(SHOP).transaction((sql) => enqueue(sql, event()));
    expect(ids).toHaveLength(2);
    const rows = await queue.test.query(
      `SELECT channel, status, priority, max_retries, retry_count, payload,
        next_attempt_at <= clock_timestamp() AS due FROM integration_queue ORDER BY channel`,
    );
    const common = {
      status: "pending",
      priority: 3,
      max_retries: 3,
      retry_count: 0,
      payload: { user_id: 7 },
      due: true,
    };
    expect(rows).toEqual([
      { channel: "cms", ...common },
      { channel: "web_analytics", ...common },
    ]);
    expect(await count("event_ledger")).toBe(1);
  });

  test("rollback leaves nothing and sends no NOTIFY", async () => {
    const work = queue.database.forTenant(SHOP).transaction(async (sql) => {
      await enqueue(sql, event());
      throw new Error("the cause failed");
    });
    await expect(work).rejects.toThrow("the cause failed");
    expect(await count("integration_queue")).toBe(0);
    expect(await count("event_ledger")).toBe(0);
  });

  test("the same event id again adds nothing, also from 10 concurrent callers; another tenant's is separate", async () => {
    const results = await Promise.all(
      Array.from({ length: 10 }, () => enqueue(queue.database.forTenant(SHOP).sql, event())),
    );
    expect(results.flat()).toHaveLength(2);
    expect(
      await enqueue(queue.database.forTenant(SHOP).sql, event({ payload: { user_id: 8 } })),
    ).toEqual([]);
    expect(await count("integration_queue")).toBe(2);
    expect(await enqueue(queue.database.forTenant(OTHER).sql, event())).toHaveLength(2);
    expect(await count("event_ledger")).toBe(2);
  });

  test("an event without destinations is in the ledger too", async () => {
    expect(await enqueue(queue.database.forTenant(SHOP).sql, event({ destinations: [] }))).toEqual(
      [],
    );
    expect(await count("event_ledger")).toBe(1);
  });
});

describe("NOTIFY", () => {
  let client: pg.Client;
  const heard: string[] = [];
  beforeAll(async () => {
    client = new pg.Client({ connectionString: queue.test.url });
    await client.connect();
    client.on("notification", ({ payload }) => heard.push(payload ?? ""));
    await client.query("LISTEN integration_queue");
  });
  afterAll(() => client.end());
  beforeEach(() => void (heard.length = 0));

  test("arrives after the commit, once, naming the channels that have work", async () => {
    await queue.database.forTenant(SHOP).transaction(async (sql) => {
      await enqueue(sql, event());
      await client.query("SELECT 1");
      expect(heard).toEqual([]);
    });
    await eventually("the notification", () => heard.length > 0);
    await client.query("SELECT 1");
    expect(heard.map((payload) => payload.split(",").sort())).toEqual([["cms", "web_analytics"]]);
  });

  test("is sent for a row that waited for its webhook, which is then due", async () => {
    const [row] = await queue.test.query(
      `INSERT INTO integration_queue (shop, event_id, channel, source, event_type, entity_type,
        entity_id, payload, max_retries, next_attempt_at)
       VALUES ($1, $2, 'cms', 'storefront', 'customer.updated', 'customer', '7', '{}', 3,
        clock_timestamp() + interval '10 minutes') RETURNING id`,
      [SHOP, event().eventId],
    );
    await enqueue(queue.database.forTenant(SHOP).sql, event({ destinations: ["web_analytics"] }));
    await eventually("the notifications of the insertions", () => heard.length === 2);
    await enqueue(queue.database.forTenant(SHOP).sql, event());
    await eventually("the third", () => heard.length === 3);
    expect(heard[2]).toBe("cms");
    expect(
      await queue.test.query(
        "SELECT payload, next_attempt_at <= now() AS is_due FROM integration_queue WHERE id = $1",
        [row.id],
      ),
    ).toEqual([{ payload: event().payload, is_due: true }]);
  });

  test("is not sent for a repetition", async () => {
    await enqueue(queue.database.forTenant(SHOP).sql, event());
    await eventually("the first notification", () => heard.length === 1);
    await enqueue(queue.database.forTenant(SHOP).sql, event());
    await client.query("SELECT pg_notify('integration_queue', 'end')");
    await eventually("the end", () => heard.includes("end"));
    expect(heard).toHaveLength(2);
  });
});

describe("the ledger", () => {
  test.each([
    "UPDATE event_ledger SET source = 'x'",
    "DELETE FROM event_ledger",
    "TRUNCATE event_ledger",
  ])("rejects %s", async (statement) => {
    await enqueue(queue.database.forTenant(SHOP).sql, event());
    await expect(queue.test.query(statement)).rejects.toThrow(/append-only/);
    expect(await count("event_ledger")).toBe(1);
  });

  test("stores a hash of the payload and no personal data", async () => {
    await enqueue(
      queue.database.forTenant(SHOP).sql,
      event({
        payload: { user_id: 7, email: "ann@example.com", name: "Ann Example", phone: "+4912345" },
      }),
    );
    const [row] = await queue.test.query("SELECT * FROM event_ledger");
    expect(JSON.stringify(row)).not.toMatch(/ann|Example|4912345/i);
    expect(row).toMatchObject({
      event_id: "event-1",
      payload_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      idempotency_key: idempotencyKeyOf(event()),
    });
  });

  test("identifies an event by SHA-256 over source, entity id, type and timestamp", () => {
    expect(idempotencyKeyOf(event())).toMatch(/^[0-9a-f]{64}$/);
    const changed = [
      { source: "wms" },
      { entityId: "8" },
      { eventType: "customer.created" },
      { occurredAt: new Date("2026-01-02T03:04:05.679Z") },
    ];
    expect(new Set([{}, ...changed].map((fields) => idempotencyKeyOf(event(fields)))).size).toBe(5);
  });
});
