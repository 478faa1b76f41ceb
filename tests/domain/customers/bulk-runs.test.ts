// Bulk runs: the preview is accurate, the run changes exactly these people once, and survives a
// restart.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startBulkRunWorker } from "../../../app/domain/customers/bulk/run-worker.ts";
import { CUSTOMER_ACTIONS } from "../../../app/domain/merchant/customer-actions.ts";
import { previewAction, previewTagRun } from "../../../app/domain/customers/bulk/preview-run.ts";
import { ActionRunInput, TagRunInput } from "../../../app/domain/customers/bulk/run-inputs.ts";
import { findBulkRun } from "../../../app/domain/customers/bulk/run-row.ts";
import { startAction, startTagRun } from "../../../app/domain/customers/bulk/start-run.ts";
import { readChoicesAndRuns } from "../../../app/domain/customers/list/filter-choices.ts";
import { dataOf, getTenant, type Tenant } from "../../../app/domain/tenants/tenant.ts";
import { putPerson, tagsOf } from "../../support/storefront/customers.ts";
import { startTestApp, type TestApp } from "../../support/browser/screens-server.ts";
import { eventually } from "../../support/service.ts";
import {
  beginRunStores,
  endOfRun,
  OTHER,
  SHOP,
  workRun,
} from "../../support/storefront/bulk-runs.ts";

let app: TestApp;
let tenant: Tenant;

beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());
beforeEach(async () => {
  tenant = await beginRunStores(app);
});

const put = (person: Parameters<typeof putPerson>[2], shop = SHOP) =>
  putPerson(app.database, shop, person);
const tags = (id: number, shop = SHOP) => tagsOf(app.database, shop, id);
const input = (value: object) => TagRunInput.parse(value);
const finished = (id: string) => endOfRun(app, tenant, id);

async function perform(run: object) {
  const { id } = await startTagRun(app.ctx, tenant, input(run));
  return workRun(app, tenant, id);
}

test("a preview counts the people who would change, per tag and in all, and changes nothing", async () => {
  await put({ full_name: "A", tags: ["vip"] });
  await put({ full_name: "B", tags: ["old"] });
  await put({ full_name: "C", tags: ["vip", "old"] });
  await put({ full_name: "D", status: "deleted" });
  await put({ full_name: "E", tags: ["old"] }, OTHER);
  const preview = await previewTagRun(
    app.ctx,
    tenant,
    input({ selection: { filter: {} }, add: ["VIP", "brand new"], remove: ["old"] }),
  );
  expect(preview).toEqual({
    total: 3,
    changing: 3,
    tags: [
      { slug: "vip", name: "VIP", action: "add", people: 1 },
      { slug: "brand_new", name: "brand new", action: "add", people: 3 },
      { slug: "old", name: "old", action: "remove", people: 2 },
    ],
  });
  expect(
    await previewTagRun(
      app.ctx,
      tenant,
      input({ selection: { ids: [1, 3, 5, 99] }, add: ["vip"] }),
    ),
  ).toEqual({
    total: 2,
    changing: 0,
    tags: [{ slug: "vip", name: "VIP", action: "add", people: 0 }],
  });
  // What came from the store is removed in the store only; what a rule set follows the rule.
  await app.database.query(
    `UPDATE user_tag_map SET source = CASE WHEN tag_id =
        (SELECT id FROM crm_tags WHERE shop = $1 AND slug = 'vip') THEN 'system' ELSE 'storefront' END
      WHERE shop = $1 AND user_id = 3`,
    [SHOP],
  );
  expect(
    await previewTagRun(
      app.ctx,
      tenant,
      input({ selection: { filter: {} }, add: [], remove: ["old", "vip"] }),
    ),
  ).toEqual({
    total: 3,
    changing: 2,
    tags: [
      { slug: "old", name: "old", action: "remove", people: 1 },
      { slug: "vip", name: "VIP", action: "remove", people: 1 },
    ],
  });
  expect([await tags(1), await tags(2), await tags(3)]).toEqual([["vip"], ["old"], ["old", "vip"]]);
});

test("a run by a filter changes exactly these people, enqueues each for the systems, and keeps other stores and a merchant's own tags", async () => {
  const french = await put({ full_name: "F", country: "FR", tags: ["old"] });
  await app.database.query(
    "UPDATE storefront_users SET tags = tags || '[\"Merchant own\"]' WHERE shop = $1 AND id = $2",
    [SHOP, french],
  );
  const already = await put({ full_name: "G", country: "FR", tags: ["vip"] });
  const british = await put({ full_name: "H", country: "GB", tags: ["old"] });
  const foreign = await put({ full_name: "I", country: "FR", tags: ["old"] }, OTHER);
  expect(
    await perform({ selection: { filter: { country: "FR" } }, add: ["vip"], remove: ["old"] }),
  ).toMatchObject({ state: "done", total: 2, processed: 2, changed: 1, refused: 0 });
  expect([
    await tags(french),
    await tags(already),
    await tags(british),
    await tags(foreign, OTHER),
  ]).toEqual([["vip"], ["vip"], ["old"], ["old"]]);
  const [row] = await app.database.query(
    "SELECT tags FROM storefront_users WHERE shop = $1 AND id = $2",
    [SHOP, french],
  );
  expect(row.tags.sort()).toEqual(["Merchant own", "vip"]);
  expect(
    await app.database.query(
      "SELECT DISTINCT entity_id FROM event_ledger WHERE event_type = 'customer.tags_changed'",
    ),
  ).toEqual([{ entity_id: String(french) }]);
});

test("a tag that a run creates has the name that was typed, and its slug without what a slug does not take", async () => {
  await put({ full_name: "J" });
  expect(
    await perform({ selection: { filter: {} }, add: ["  Gala  & VIP "], remove: [] }),
  ).toMatchObject({ state: "done", changed: 1 });
  expect(
    await app.database.query(
      "SELECT slug, name FROM crm_tags WHERE shop = $1 AND slug LIKE '%vip'",
      [SHOP],
    ),
  ).toEqual([{ slug: "gala_vip", name: "Gala & VIP" }]);
});

test("several slices of people are all changed, and no one added after the start", async () => {
  await app.database.query(
    `INSERT INTO storefront_users (shop, email) SELECT $1, 'p' || n || '@x.example'
      FROM generate_series(1, 120) AS n`,
    [SHOP],
  );
  const { id } = await startTagRun(
    app.ctx,
    tenant,
    input({ selection: { filter: {} }, add: ["vip"] }),
  );
  const late = await put({ full_name: "Late" });
  const worker = await startBulkRunWorker(app.ctx, app.ctx.home, CUSTOMER_ACTIONS);
  expect(await finished(id)).toMatchObject({
    state: "done",
    total: 120,
    processed: 120,
    changed: 120,
  });
  await worker.stop();
  expect(await tags(late)).toEqual([]);
  expect(await tags(120)).toEqual(["vip"]);
});

test("a run whose worker died halfway continues from there and counts each person once", async () => {
  await app.database.query(
    `INSERT INTO storefront_users (shop, email) SELECT $1, 'p' || n || '@x.example'
      FROM generate_series(1, 60) AS n`,
    [SHOP],
  );
  const { id } = await startTagRun(
    app.ctx,
    tenant,
    input({ selection: { filter: {} }, add: ["vip"] }),
  );
  // The state of a process killed after its first slice.
  await app.database.query(
    `UPDATE tag_runs SET state = 'running', attempt_token = gen_random_uuid(),
      locked_until = now() - interval '1 second', position = 50, processed = 50, changed = 50 WHERE id = $1`,
    [id],
  );
  const worker = await startBulkRunWorker(app.ctx, app.ctx.home, CUSTOMER_ACTIONS);
  expect(await finished(id)).toMatchObject({ state: "done", processed: 60, changed: 60 });
  await worker.stop();
  expect([await tags(50), await tags(51)]).toEqual([[], ["vip"]]);
});

test("a run whose worker stops ends after the customer in progress, is released with its counts, and continues with the next", async () => {
  const ids: number[] = [];
  for (const name of ["A", "B", "C", "D"])
    ids.push(await put({ full_name: name, email: `${name}@x.example` }));
  const { id } = await startAction(
    app.ctx,
    tenant,
    ActionRunInput.parse({ kind: "suspend", selection: { filter: {} } }),
  );
  const stops: Promise<void>[] = [];
  const first = await startBulkRunWorker(app.ctx, app.ctx.home, {
    ...CUSTOMER_ACTIONS,
    async suspend(ctx, store, sql, userId, runId) {
      if (userId === ids[1]) stops.push(first.stop());
      return CUSTOMER_ACTIONS.suspend(ctx, store, sql, userId, runId);
    },
  });
  await eventually("the stop", () => stops.length > 0);
  await Promise.all(stops);
  expect(await findBulkRun(app.ctx, tenant, id)).toMatchObject({
    state: "waiting",
    processed: 2,
    changed: 2,
  });
  const second = await startBulkRunWorker(app.ctx, app.ctx.home, CUSTOMER_ACTIONS);
  expect(await finished(id)).toMatchObject({ state: "done", processed: 4, changed: 4 });
  await second.stop();
});

test("a person at the tag limit is counted as rejected, the others get theirs", async () => {
  const full = await put({
    full_name: "Full",
    tags: Array.from({ length: 128 }, (_, place) => `t_${place}`),
  });
  const other = await put({ full_name: "Other" });
  expect(await perform({ selection: { ids: [full, other] }, add: ["vip"] })).toMatchObject({
    state: "done",
    processed: 2,
    changed: 1,
    refused: 1,
  });
  expect(await tags(other)).toEqual(["vip"]);
});

test("a run is visible to its own store only; an empty selection and invalid input are rejected", async () => {
  await put({ full_name: "A" });
  const { id } = await startTagRun(
    app.ctx,
    tenant,
    input({ selection: { filter: {} }, add: ["vip"] }),
  );
  expect(await findBulkRun(app.ctx, await getTenant(app.ctx, OTHER), id)).toBeNull();
  expect(await findBulkRun(app.ctx, tenant, "not-an-id")).toBeNull();
  await expect(
    startTagRun(app.ctx, tenant, input({ selection: { ids: [999] }, add: ["vip"] })),
  ).rejects.toMatchObject({ code: "invalid_request" });
  for (const wrong of [
    { selection: { filter: {} } },
    { selection: { ids: [] }, add: ["vip"] },
    { selection: { filter: {} }, add: ["!!"] },
    { selection: { filter: {} }, add: ["vip"], remove: ["VIP"] },
  ])
    expect(TagRunInput.safeParse(wrong).success).toBe(false);
});

test("who comes back is shown the five oldest open runs, and for a day the five newest that left customers as they were", async () => {
  const insert = async (state: string, hoursAgo: number, { refused = 0, shop = SHOP } = {}) => {
    const [row] = await app.database.query<{ id: string }>(
      `INSERT INTO tag_runs (shop, id, add, last_id, total, state, refused, created_at, finished_at)
        VALUES ($1, gen_random_uuid(), '{vip}', 1, 1, $2, $3, now() - make_interval(hours => $4),
          CASE WHEN $2 NOT IN ('waiting', 'running') THEN now() - make_interval(hours => $4) END)
        RETURNING id`,
      [shop, state, refused, hoursAgo],
    );
    return row?.id;
  };
  const running = await insert("running", 40);
  const waiting = [];
  for (const hoursAgo of [39, 38, 37, 36, 35]) waiting.push(await insert("waiting", hoursAgo));
  await insert("failed", 25);
  const failed = [];
  for (const hoursAgo of [10, 9, 8, 7, 6]) failed.push(await insert("failed", hoursAgo));
  const refused = await insert("done", 5, { refused: 1 });
  await insert("done", 4);
  await insert("cancelled", 3, { refused: 1 });
  await insert("failed", 2, { shop: OTHER });
  const { runs } = await readChoicesAndRuns(app.ctx, tenant);
  expect(runs.map(({ id }) => id)).toEqual([
    running,
    ...waiting.slice(0, 4),
    ...failed.slice(1),
    refused,
  ]);
});

test("a run of a later version's kind waits for a worker of that version", async () => {
  await put({ full_name: "A" });
  await app.database.query("ALTER TABLE tag_runs DROP CONSTRAINT tag_runs_kind_check");
  await app.database.query(
    `INSERT INTO tag_runs (shop, id, kind, total, last_id, created_at)
      VALUES ($1, gen_random_uuid(), 'invented_later', 1, 1, now() - interval '1 hour')`,
    [SHOP],
  );
  const known = await perform({ selection: { filter: {} }, add: ["vip"], remove: [] });
  expect(known).toMatchObject({ state: "done", changed: 1 });
  expect(
    await app.database.query("SELECT state, attempt_token FROM tag_runs WHERE kind = $1", [
      "invented_later",
    ]),
  ).toEqual([{ state: "waiting", attempt_token: null }]);
});

describe("other bulk changes", () => {
  const act = async (action: object) => {
    const { id } = await startAction(app.ctx, tenant, ActionRunInput.parse(action));
    return workRun(app, tenant, id);
  };
  const statuses = async () =>
    (await app.database.query("SELECT full_name, status FROM storefront_users ORDER BY id")).map(
      ({ full_name: name, status }) => `${name} ${status}`,
    );
  const requests = () =>
    app.database.query("SELECT shop, kind, state FROM privacy_requests ORDER BY shop, kind, id");

  test("suspending and reactivating change exactly the matching customers of this store", async () => {
    await put({ full_name: "A", country: "FR", email: "a@x.example" });
    await put({ full_name: "B", country: "FR", status: "suspended", email: "b@x.example" });
    await put({ full_name: "C", country: "GB", email: "c@x.example" });
    await put({ full_name: "D", country: "FR", email: "d@x.example" }, OTHER);
    const selection = { filter: { country: "FR" } };
    expect(
      await previewAction(app.ctx, tenant, {
        kind: "suspend",
        selection: input({ selection, add: ["x"] }).selection,
      }),
    ).toEqual({ total: 2, changing: 1 });
    expect(await act({ kind: "suspend", selection })).toMatchObject({
      state: "done",
      kind: "suspend",
      total: 1,
      changed: 1,
    });
    expect(await statuses()).toEqual(["A suspended", "B suspended", "C active", "D active"]);
    expect(await act({ kind: "reactivate", selection })).toMatchObject({ changed: 2 });
    expect(await statuses()).toEqual(["A active", "B active", "C active", "D active"]);
  });

  test("an erasure starts only with the right number typed, and requests each customer once", async () => {
    const ids = [
      await put({ full_name: "A", email: "a@x.example" }),
      await put({ full_name: "B", gid: "gid://shopify/Customer/7" }),
      await put({ full_name: "No identifier" }),
    ];
    const foreign = await put({ full_name: "D", email: "d@x.example" }, OTHER);
    const selection = { ids: [...ids, foreign] };
    for (const typed of [undefined, "", "3", "erase"])
      await expect(
        startAction(app.ctx, tenant, ActionRunInput.parse({ kind: "erase", selection, typed })),
      ).rejects.toMatchObject({ code: "conflict" });
    expect(await requests()).toEqual([]);
    expect(await act({ kind: "erase", selection, typed: "2" })).toMatchObject({
      state: "done",
      total: 2,
      changed: 2,
    });
    expect(await requests()).toEqual([
      { shop: SHOP, kind: "customer_redact", state: "received" },
      { shop: SHOP, kind: "customer_redact", state: "received" },
    ]);
    const [run] = await app.database.query("SELECT id FROM tag_runs WHERE kind = 'erase'");
    expect(
      await CUSTOMER_ACTIONS.erase(
        app.ctx,
        tenant,
        dataOf(app.ctx, tenant).sql,
        ids[0] as number,
        run.id,
      ),
    ).toBe(false);
    expect(await requests()).toHaveLength(2);
  });

  test("data requests are made for each customer, and refused for more than the merchant can be mailed", async () => {
    await app.database.query(
      `INSERT INTO storefront_users (shop, email, country) SELECT $1, 'p' || n || '@x.example',
        CASE WHEN n < 4 THEN 'FR' END FROM generate_series(1, 251) AS n`,
      [SHOP],
    );
    await expect(
      startAction(
        app.ctx,
        tenant,
        ActionRunInput.parse({ kind: "data_request", selection: { filter: {} } }),
      ),
    ).rejects.toMatchObject({
      code: "invalid_request",
      fields: { selection: "selects more customers than allowed" },
    });
    expect(
      await act({ kind: "data_request", selection: { filter: { country: "FR" } } }),
    ).toMatchObject({ state: "done", changed: 3 });
    expect(await requests()).toEqual(
      Array.from({ length: 3 }, () => ({ shop: SHOP, kind: "data_request", state: "received" })),
    );
  });
});
