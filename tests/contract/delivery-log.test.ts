// GET /admin/events/log: delivery attempts, newest first, page by page.
import { afterAll, beforeAll, expect, test } from "vitest";
import { OTHER_SHOP, SHOP, startService, type Service } from "../support/service.ts";

const TENANT_KEY = "tenant-key-of-the-test-store";
const ATTEMPTS = 45;
let service: Service;

beforeAll(async () => {
  service = await startService();
  await service.addTenant(SHOP, { admin_key: TENANT_KEY });
  await service.addTenant(OTHER_SHOP);
  await service.database.query(
    `INSERT INTO delivery_attempts (shop, queue_id, event_id, channel, attempt, status, http_status,
      latency_ms, error)
     SELECT $1, n, 'event-' || n, CASE WHEN n % 3 = 0 THEN 'cms' ELSE 'web_analytics' END, 1, CASE
       WHEN n = 45 THEN 'failed' ELSE 'delivered' END, CASE WHEN n = 45 THEN 500
       ELSE 200 END, n, CASE WHEN n = 45 THEN 'cms answered 500' END
     FROM generate_series(1, $2::int) n`,
    [SHOP, ATTEMPTS],
  );
});
afterAll(() => service.stop());

const read = (query = "", options: { shop?: string; key?: string | null } = {}) =>
  service.call(
    "GET",
    `/admin/events/log?shop=${options.shop ?? SHOP}${query}`,
    options.key === undefined ? {} : { key: options.key },
  );

async function walk(query: string): Promise<number[]> {
  const seen: number[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const { json } = await read(`${query}${cursor && `&cursor=${cursor}`}`);
    seen.push(...json.entries.map(({ queue_id: id }: { queue_id: number }) => id));
    cursor = json.next_cursor;
  }
  return seen;
}

test("an entry has the event, channel, status, latency, attempt number and error", async () => {
  const { json } = await read("&limit=1");
  expect(json.entries).toEqual([
    {
      event_id: "event-45",
      queue_id: 45,
      channel: "cms",
      status: "failed",
      http_status: 500,
      latency_ms: 45,
      attempt: 1,
      error: "cms answered 500",
      created_at: expect.stringMatching(/Z$/),
    },
  ]);
});

test("a page has 20 entries by default, newest first", async () => {
  expect((await read()).json.entries.map(({ queue_id: id }: { queue_id: number }) => id)).toEqual(
    Array.from({ length: 20 }, (_, index) => ATTEMPTS - index),
  );
});

test.each([1, 7, 20, 45, 100])(
  "pages of %i follow each other without gap or repetition and end with null",
  async (limit) => {
    expect(await walk(`&limit=${limit}`)).toEqual(
      Array.from({ length: ATTEMPTS }, (_, index) => ATTEMPTS - index),
    );
  },
);

test("an attempt added between two pages does not shift them", async () => {
  const first = (await read("&limit=10")).json;
  await service.database.query(
    `INSERT INTO delivery_attempts (shop, queue_id, event_id, channel, attempt, status, latency_ms)
      VALUES ($1, 999, 'late', 'cms', 1, 'delivered', 1)`,
    [SHOP],
  );
  const second = (await read(`&limit=10&cursor=${first.next_cursor}`)).json;
  await service.database.query("DELETE FROM delivery_attempts WHERE queue_id = 999");
  expect(second.entries[0].queue_id).toBe(35);
});

test("the log filters by channel; an unknown channel has no entries", async () => {
  expect(await walk("&channel=cms&limit=4")).toHaveLength(15);
  expect((await read("&channel=nothing")).json).toEqual({ entries: [], next_cursor: null });
});

test.each(["0", "101", "-1", "1.5", "abc", "", "1e2", "99999999999"])(
  "a limit outside 1..100 answers 400: %s",
  async (limit) => {
    const answer = await read(`&limit=${limit}`);
    expect([answer.status, answer.json.code, Object.keys(answer.json.fields)]).toEqual([
      400,
      "invalid_request",
      ["limit"],
    ]);
  },
);

test("a cursor that is damaged, of another list or of another store answers 400", async () => {
  const { next_cursor: cursor } = (await read("&limit=1")).json as { next_cursor: string };
  const forged = Buffer.from("40.aaaaaaaaaaaaaaaaaaaaaa").toString("base64url");
  for (const damaged of [
    "x",
    "",
    "%F0%9F%92%A5",
    cursor.slice(0, -1),
    `${cursor}A`,
    cursor.toLowerCase(),
    forged,
    "a".repeat(600),
  ])
    expect([damaged, (await read(`&limit=1&cursor=${damaged}`)).status]).toEqual([damaged, 400]);
  expect((await read(`&limit=1&channel=cms&cursor=${cursor}`)).json.code).toBe("invalid_cursor");
  expect((await read(`&limit=1&cursor=${cursor}`, { shop: OTHER_SHOP })).json.code).toBe(
    "invalid_cursor",
  );
});

test("another store's log is empty with the operator's key and answers 401 with this store's", async () => {
  expect((await read("", { shop: OTHER_SHOP })).json).toEqual({ entries: [], next_cursor: null });
  expect((await read("", { shop: OTHER_SHOP, key: TENANT_KEY })).status).toBe(401);
  expect((await read("", { key: TENANT_KEY })).json.entries).toHaveLength(20);
});

test("without a key, or for an unregistered store, nothing is returned", async () => {
  expect((await read("", { key: null })).status).toBe(401);
  expect((await read("", { shop: "unknown-store.myshopify.com" })).status).toBe(404);
});
