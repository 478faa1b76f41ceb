// Bulk tag runs: the preview is accurate, the run changes exactly these people once, and survives a
// restart.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startTagRunWorker } from "../../../app/domain/customers/list/tag-run-worker.ts";
import {
  findTagRun,
  previewTagRun,
  startTagRun,
  TagRunInput,
} from "../../../app/domain/customers/list/tag-runs.ts";
import { registerTenant } from "../../../app/domain/tenants/tenant-record.ts";
import { getTenant, type Tenant } from "../../../app/domain/tenants/tenant.ts";
import { putPerson, tagsOf } from "../../support/storefront/customers.ts";
import { startTestApp, type TestApp } from "../../support/browser/screens-server.ts";
import { eventually } from "../../support/service.ts";

const [SHOP, OTHER] = ["runs.myshopify.com", "other.myshopify.com"];
let world: TestApp;
let tenant: Tenant;

beforeAll(async () => {
  world = await startTestApp();
});
afterAll(() => world.stop());
beforeEach(async () => {
  await world.database.truncate();
  await Promise.all([SHOP, OTHER].map((shop) => registerTenant(world.ctx, shop)));
  tenant = await getTenant(world.ctx, SHOP);
});

const put = (person: Parameters<typeof putPerson>[2], shop = SHOP) =>
  putPerson(world.database, shop, person);
const tags = (id: number, shop = SHOP) => tagsOf(world.database, shop, id);
const input = (value: object) => TagRunInput.parse(value);
const finished = (id: string) =>
  eventually(`run ${id}`, async () => {
    const run = await findTagRun(world.ctx, tenant, id);
    return run?.state === "done" || run?.state === "failed" ? run : undefined;
  });

async function perform(run: object) {
  const { id } = await startTagRun(world.ctx, tenant, input(run));
  const worker = await startTagRunWorker(world.ctx, world.ctx.home);
  const end = await finished(id);
  await worker.stop();
  return end;
}

test("a preview counts the people who would change, per tag and in all, and changes nothing", async () => {
  await put({ full_name: "A", tags: ["vip"] });
  await put({ full_name: "B", tags: ["old"] });
  await put({ full_name: "C", tags: ["vip", "old"] });
  await put({ full_name: "D", status: "deleted" });
  await put({ full_name: "E", tags: ["old"] }, OTHER);
  const preview = await previewTagRun(
    world.ctx,
    tenant,
    input({ selection: { filter: {} }, add: ["VIP", "brand new"], remove: ["old"] }),
  );
  expect(preview).toEqual({
    total: 3,
    changing: 3,
    tags: [
      { slug: "vip", action: "add", people: 1 },
      { slug: "brand_new", action: "add", people: 3 },
      { slug: "old", action: "remove", people: 2 },
    ],
  });
  expect(
    await previewTagRun(
      world.ctx,
      tenant,
      input({ selection: { ids: [1, 3, 5, 99] }, add: ["vip"] }),
    ),
  ).toEqual({ total: 2, changing: 0, tags: [{ slug: "vip", action: "add", people: 0 }] });
  expect([await tags(1), await tags(2), await tags(3)]).toEqual([["vip"], ["old"], ["old", "vip"]]);
});

test("a run by a filter changes exactly these people, enqueues each for the systems, and keeps other stores and a merchant's own tags", async () => {
  const french = await put({ full_name: "F", country: "FR", tags: ["old"] });
  await world.database.query(
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
  const [row] = await world.database.query(
    "SELECT tags FROM storefront_users WHERE shop = $1 AND id = $2",
    [SHOP, french],
  );
  expect(row.tags.sort()).toEqual(["Merchant own", "vip"]);
  expect(
    await world.database.query(
      "SELECT DISTINCT entity_id FROM event_ledger WHERE event_type = 'customer.tags_changed'",
    ),
  ).toEqual([{ entity_id: String(french) }]);
});

test("several slices of people are all changed, and no one added after the start", async () => {
  await world.database.query(
    `INSERT INTO storefront_users (shop, email) SELECT $1, 'p' || n || '@x.example'
      FROM generate_series(1, 120) AS n`,
    [SHOP],
  );
  const { id } = await startTagRun(
    world.ctx,
    tenant,
    input({ selection: { filter: {} }, add: ["vip"] }),
  );
  const late = await put({ full_name: "Late" });
  const worker = await startTagRunWorker(world.ctx, world.ctx.home);
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
  await world.database.query(
    `INSERT INTO storefront_users (shop, email) SELECT $1, 'p' || n || '@x.example'
      FROM generate_series(1, 60) AS n`,
    [SHOP],
  );
  const { id } = await startTagRun(
    world.ctx,
    tenant,
    input({ selection: { filter: {} }, add: ["vip"] }),
  );
  // The state of a process killed after its first slice.
  await world.database.query(
    `UPDATE tag_runs SET state = 'running', attempt_token = gen_random_uuid(),
      locked_until = now() - interval '1 second', position = 50, processed = 50, changed = 50 WHERE id = $1`,
    [id],
  );
  const worker = await startTagRunWorker(world.ctx, world.ctx.home);
  expect(await finished(id)).toMatchObject({ state: "done", processed: 60, changed: 60 });
  await worker.stop();
  expect([await tags(50), await tags(51)]).toEqual([[], ["vip"]]);
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

test("the selection is stored encrypted while the run waits and deleted when it is done", async () => {
  await put({ full_name: "Ada", email: "ada@secret.example" });
  const { id } = await startTagRun(
    world.ctx,
    tenant,
    input({ selection: { filter: { q: "ada@secret" } }, add: ["vip"] }),
  );
  const [waiting] = await world.database.query("SELECT selection FROM tag_runs WHERE id = $1", [
    id,
  ]);
  expect(waiting.selection).not.toContain("ada");
  const worker = await startTagRunWorker(world.ctx, world.ctx.home);
  await finished(id);
  await worker.stop();
  expect(await world.database.query("SELECT selection FROM tag_runs WHERE id = $1", [id])).toEqual([
    { selection: "" },
  ]);
});

test("a run is visible to its own store only; an empty selection and invalid input are rejected", async () => {
  await put({ full_name: "A" });
  const { id } = await startTagRun(
    world.ctx,
    tenant,
    input({ selection: { filter: {} }, add: ["vip"] }),
  );
  expect(await findTagRun(world.ctx, await getTenant(world.ctx, OTHER), id)).toBeNull();
  expect(await findTagRun(world.ctx, tenant, "not-an-id")).toBeNull();
  await expect(
    startTagRun(world.ctx, tenant, input({ selection: { ids: [999] }, add: ["vip"] })),
  ).rejects.toMatchObject({ code: "invalid_request" });
  for (const wrong of [
    { selection: { filter: {} } },
    { selection: { ids: [] }, add: ["vip"] },
    { selection: { filter: {} }, add: ["!!"] },
    { selection: { filter: {} }, add: ["vip"], remove: ["VIP"] },
  ])
    expect(TagRunInput.safeParse(wrong).success).toBe(false);
});
