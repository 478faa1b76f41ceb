// The list of bulk changes and the file of refused customers: for the store's staff, of their store alone.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  askAs,
  connectStore,
  startTestApp,
  type TestApp,
} from "../../support/browser/screens-server.ts";
import { putPerson } from "../../support/storefront/customers.ts";

const [SHOP, OTHER] = ["changes.myshopify.com", "other-changes.myshopify.com"];
const LIST = "/app/customers/changes";
const FILE = `${LIST}/refused`;
/** The user of the sandbox's session tokens. */
const STAFF = "1";
let app: TestApp;
let full: number;

beforeAll(async () => {
  app = await startTestApp({ withScreens: true });
  await connectStore(app, SHOP);
  await connectStore(app, OTHER);
});
afterAll(() => app?.stop());
beforeEach(async () => {
  for (const table of [
    "tag_runs",
    "tag_run_refusals",
    "tag_run_members",
    "access_log",
    "storefront_users",
  ])
    await app.database.query(`DELETE FROM ${table}`);
  full = await putPerson(app.database, SHOP, {
    full_name: "Ada Lovelace",
    email: "ada@example.com",
    gid: `gid://shopify/Customer/${Date.now()}`,
  });
});

const ask = (path: string, action?: Parameters<typeof askAs>[3], shop = SHOP) =>
  askAs(app, shop, path, action);
async function insertRun(state = "done", shop = SHOP): Promise<string> {
  const [run] = await app.database.query<{ id: string }>(
    `INSERT INTO tag_runs (shop, id, add, state, total, processed, refused, last_id)
      VALUES ($1, gen_random_uuid(), '{vip}', $2, 3, 3, 1, 9) RETURNING id`,
    [shop, state],
  );
  return run?.id as string;
}
async function insertRefused(): Promise<string> {
  const id = await insertRun();
  await app.database.query(
    "INSERT INTO tag_run_refusals (shop, run_id, user_id, reason) VALUES ($1, $2, $3, 'too_many_tags')",
    [SHOP, id, full],
  );
  return id;
}
const accesses = () =>
  app.database.query(
    "SELECT actor_kind, actor_id, action, user_id, count, place FROM access_log ORDER BY id",
  );
const runs = () =>
  app.database.query("SELECT id, state, is_cancel_requested FROM tag_runs ORDER BY id");

describe("the file of refused customers", () => {
  test("is a CSV of numbers and ids in the store with the reason, in words of the reader's language, and is recorded with its rows", async () => {
    const id = await insertRefused();
    const english = await ask(`${FILE}?id=${id}`);
    expect(english.status).toBe(200);
    const [header, row, end] = english.text.split("\r\n");
    // The byte order mark is not part of the text.
    expect(header).toBe("id,storefront_customer_gid,reason,refused_at,explanation");
    expect(row).toMatch(
      new RegExp(
        `^${full},gid://shopify/Customer/\\d+,too_many_tags,.+,This customer already has as many tags`,
      ),
    );
    expect([end, english.text]).toEqual(["", expect.not.stringMatching(/ada|lovelace/i)]);
    const access = {
      actor_kind: "staff",
      actor_id: STAFF,
      action: "exported",
      user_id: null,
      count: 1,
      place: FILE,
    };
    expect(await accesses()).toEqual([access]);
    const french = await ask(`${FILE}?id=${id}&locale=fr`);
    expect(french.text).toContain("autant de tags");
    expect(await accesses()).toEqual([access, access]);
  });

  test.each([
    ["no id", ""],
    ["an id that is none", "?id=x"],
    ["an unknown id", "?id=00000000-0000-4000-8000-000000000001"],
  ])("is not found for %s, and nothing is recorded", async (_, query) => {
    expect((await ask(FILE + query)).status).toBe(404);
    expect(await accesses()).toEqual([]);
  });

  test("is not found with another store's session token", async () => {
    const id = await insertRefused();
    expect((await ask(`${FILE}?id=${id}`, undefined, OTHER)).status).toBe(404);
    expect(await accesses()).toEqual([]);
  });
});

describe("the list of bulk changes", () => {
  test("has the store's own changes and no other's, and is no access to a customer", async () => {
    const [own, theirs] = [await insertRun(), await insertRun("done", OTHER)];
    const { status, text } = await ask(`${LIST}.data`);
    expect([status, text.includes(own), text.includes(theirs)]).toEqual([200, true, false]);
    expect(await accesses()).toEqual([]);
  });

  test("rejects a cursor that is damaged or another store's", async () => {
    for (let n = 0; n < 26; n += 1) await insertRun();
    const { text } = await ask(`${LIST}.data`);
    const cursor = /"next","([\w-]+)"/.exec(text)?.[1] ?? "";
    expect((await ask(`${LIST}.data?cursor=${cursor}`)).status).toBe(200);
    expect((await ask(`${LIST}.data?cursor=${cursor}`, undefined, OTHER)).status).toBe(400);
    expect((await ask(`${LIST}.data?cursor=x`)).status).toBe(400);
  });

  test("stops a change that waits, never another store's, and rejects an id that is none", async () => {
    const id = await insertRun("waiting");
    const stop = { intent: "cancel_run", id };
    const before = await runs();
    expect((await ask(`${LIST}.data?index`, stop, OTHER)).text).toContain("not_found");
    expect((await ask(`${LIST}.data?index`, { ...stop, id: "x" })).text).toContain(
      "invalid_request",
    );
    expect(await runs()).toEqual(before);
    expect((await ask(`${LIST}.data?index`, stop)).status).toBe(200);
    expect(await runs()).toMatchObject([{ id, state: "cancelled" }]);
  });
});

test("a change that staff start in the list of customers keeps who it was, and how the customers were chosen", async () => {
  const started = await ask("/app/customers.data?index", {
    intent: "start_tags",
    selection: { ids: [full] },
    add: ["gala"],
  });
  expect(started.status).toBe(200);
  expect(await app.database.query("SELECT started_by, chosen FROM tag_runs")).toEqual([
    { started_by: STAFF, chosen: { ids: true } },
  ]);
});

test("nothing is shown, handed out or stopped without a session token", async () => {
  const id = await insertRefused();
  const headers = {
    "User-Agent": "Mozilla/5.0 (X11; Linux x86_64) Chrome/153.0.0.0 Safari/537.36",
  };
  const before = await runs();
  for (const [path, method] of [
    [LIST, "GET"],
    [`${FILE}?id=${id}`, "GET"],
    [`${LIST}?index`, "POST"],
  ] as const) {
    const url = new URL(path, app.url);
    url.searchParams.set("shop", SHOP);
    const body = method === "POST" ? { body: JSON.stringify({ intent: "cancel_run", id }) } : {};
    const response = await fetch(url, { method, headers, redirect: "manual", ...body });
    expect([path, [302, 401, 410].includes(response.status), await response.text()]).toEqual([
      path,
      true,
      expect.not.stringContaining(id),
    ]);
  }
  expect([await runs(), await accesses()]).toEqual([before, []]);
});
