// The segment action of the store admin: the members come from the store, page by page, and each known
// one gets the tag once, also when a worker dies or the store throttles.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { sealContext } from "../../../app/domain/customers/bulk/run-row.ts";
import { readMembers } from "../../../app/domain/customers/store-segments/store-segment.ts";
import {
  readSegmentTagging,
  tagSegment,
} from "../../../app/domain/customers/store-segments/tag-segment.ts";
import { getTenant, type Tenant } from "../../../app/domain/tenants/tenant.ts";
import { OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";
import { putPerson, tagsOf } from "../../support/storefront/customers.ts";
import { workRun } from "../../support/storefront/bulk-runs.ts";
import { connectStore } from "../../support/storefront/storefront.ts";
import { around } from "../../support/storefront/synced-store.ts";
import { addToCatalog } from "../../support/storefront/tag-catalog.ts";

/** The store's limit of a call's cost makes the pages this small. */
const PAGE = 7;
/** Three pages. */
const MANY = 20;
let service: Service;
let tenant: Tenant;
let segment: string;

beforeAll(async () => {
  service = await startService();
  const { storefront } = service.sandbox;
  Object.assign(storefront.settings.graphqlCost, { connections: "page", maximumQueryCost: 15 });
  for (let place = 0; place < MANY; place += 1)
    storefront.putCustomer(SHOP, { firstName: "Many", countryCode: "IT" });
  storefront.putCustomer(SHOP, { firstName: "Other", countryCode: "FR" });
  segment = storefront.putSegment(SHOP, {
    name: "Italy",
    query: "customer_countries CONTAINS 'IT'",
  }).gid;
  storefront.putSegment(OTHER_SHOP, { name: "Theirs", query: "number_of_orders > 0" });
});
afterAll(() => service.stop());
beforeEach(async () => {
  await service.database.truncate();
  for (const shop of [SHOP, OTHER_SHOP])
    await connectStore(service, shop, { enabled_channels: [] });
  await addToCatalog(service, ["gala", "vip"]);
  tenant = await getTenant(service.ctx, SHOP);
  service.sandbox.storefront.setAvailableCost(SHOP, 2_000);
});

const italians = () =>
  service.sandbox.storefront
    .customers(SHOP)
    .filter(({ countryCode }) => countryCode === "IT")
    .map(({ gid }) => gid);
/** The app knows all of them but `unknown`. */
async function sync({ unknown = 0 } = {}): Promise<void> {
  await service.database.query(
    `INSERT INTO storefront_users (shop, storefront_customer_gid, status)
      SELECT $1, gid, 'active' FROM unnest($2::text[]) AS gid`,
    [SHOP, italians().slice(unknown)],
  );
}
const start = (id = segment, tag = "gala") =>
  tagSegment(service.ctx, tenant, { store_segment_id: id, tag });
const work = (id: string) => workRun(service, tenant, id);
const holders = async () =>
  (
    await service.database.query(
      `SELECT count(*)::int AS count, count(DISTINCT m.user_id)::int AS people FROM user_tag_map m
        JOIN crm_tags t ON t.shop = m.shop AND t.id = m.tag_id WHERE t.slug = 'gala'`,
    )
  )[0];
const changes = async () =>
  (
    await service.database.query(
      "SELECT DISTINCT entity_id FROM event_ledger WHERE event_type = 'customer.tags_changed'",
    )
  ).length;
const pagesRead = () =>
  service.sandbox.requests("storefront").filter(({ body }) => {
    const { query = "", variables } = body as { query?: string; variables?: { first: number } };
    return query.includes("customerSegmentMembers") && variables?.first === PAGE;
  }).length;
const members = () => service.database.query("SELECT 1 FROM tag_run_members");

describe("a run over a segment of the store admin", () => {
  test("tags each known member once over several pages, counts the unknown, and leaves others and other stores alone", async () => {
    await sync({ unknown: 2 });
    const outsider = await putPerson(service.database, SHOP, { country: "IT" });
    const [first = ""] = italians().slice(2);
    // The same customer number in another store.
    const foreign = await putPerson(service.database, OTHER_SHOP, { gid: first });
    const run = await start();
    expect(run).toMatchObject({ state: "waiting", total: MANY, processed: 0, unknown: 0 });
    service.sandbox.storefront.setAvailableCost(SHOP, 0);
    expect(await work(run.id)).toMatchObject({
      state: "done",
      total: MANY - 2,
      processed: MANY - 2,
      changed: MANY - 2,
      refused: 0,
      unknown: 2,
    });
    expect(await holders()).toEqual({ count: MANY - 2, people: MANY - 2 });
    expect(await changes()).toBe(MANY - 2);
    expect(await tagsOf(service.database, SHOP, outsider)).toEqual([]);
    expect(await tagsOf(service.database, OTHER_SHOP, foreign)).toEqual([]);
    expect(await members()).toEqual([]);
    expect(await readSegmentTagging(service.ctx, tenant, segment)).toMatchObject({
      run: { id: run.id, state: "done", tag: "gala", unknown: 2 },
    });
  });

  test("whose worker was killed after a page continues with the next page, and after the last one with the customers", async () => {
    await sync({ unknown: 1 });
    const run = await start();
    const signal = new AbortController().signal;
    const page = await readMembers({ ctx: service.ctx, tenant, signal }, segment, null);
    expect(page.gids).toHaveLength(PAGE);
    await service.database.query(
      `INSERT INTO tag_run_members (shop, run_id, user_id) SELECT shop, $2, id
        FROM storefront_users WHERE shop = $1 AND storefront_customer_gid = ANY($3::text[])`,
      [SHOP, run.id, page.gids],
    );
    // What the process has committed, and its lease, which is not renewed any more.
    const killedWith = (state: object, position: number, unknown: number) =>
      service.database.query(
        `UPDATE tag_runs SET state = 'running', attempt_token = gen_random_uuid(), selection = $2,
          locked_until = now() - interval '1 second', position = $3, processed = $3, changed = $3,
          unknown = $4 WHERE id = $1`,
        [
          run.id,
          service.ctx.secrets.seal(sealContext(SHOP), JSON.stringify(state)),
          position,
          unknown,
        ],
      );
    await killedWith({ cursor: page.next, isComplete: false }, 0, 1);
    const before = pagesRead();
    expect(await work(run.id)).toMatchObject({
      state: "done",
      processed: MANY - 1,
      changed: MANY - 1,
      unknown: 1,
    });
    expect([pagesRead() - before, (await holders())?.people]).toEqual([2, MANY - 1]);
  });

  test("starts its reading again when the store no longer takes the cursor of the worker before", async () => {
    await sync();
    const run = await start();
    const stale = { cursor: Buffer.from('{"last_id":"x"}').toString("base64"), isComplete: false };
    await service.database.query("UPDATE tag_runs SET selection = $2, unknown = 7 WHERE id = $1", [
      run.id,
      service.ctx.secrets.seal(sealContext(SHOP), JSON.stringify(stale)),
    ]);
    expect(await work(run.id)).toMatchObject({ state: "done", changed: MANY, unknown: 0 });
  });

  test.each([
    [
      "a page leads to itself",
      {
        data: {
          customerSegmentMembers: {
            totalCount: MANY,
            edges: [],
            pageInfo: { hasNextPage: true, endCursor: "same" },
          },
        },
      },
    ],
    ["the store takes no cursor", { errors: [{ message: "Invalid cursor." }] }],
  ])("ends as failed, not without end, when %s", async (_, body) => {
    await sync();
    const run = await start();
    let pages = 0;
    const restore = around(service, (_call, { document, variables }) => {
      if (!document.includes("SegmentMembers")) return;
      pages += 1;
      if (pages <= 20 && variables?.after)
        service.sandbox.failNext("storefront", { status: 200, body });
    });
    expect(await work(run.id)).toMatchObject({ state: "failed", changed: 0 });
    restore();
    expect(pages).toBeLessThan(10);
  });

  test("ends as failed, with nobody tagged and no members kept, when the store's API does not answer", async () => {
    await sync();
    const run = await start();
    service.sandbox.failNext("storefront", { status: 422 }, 1);
    expect(await work(run.id)).toMatchObject({ state: "failed", changed: 0 });
    const [row] = await service.database.query("SELECT last_error, selection FROM tag_runs");
    expect(row).toEqual({ last_error: "storefront_unavailable", selection: "" });
    expect([await members(), await changes()]).toEqual([[], 0]);
  });

  test("is one run for two requests at once, and a new one after it has ended or for another tag", async () => {
    await sync();
    const [one, two] = await Promise.all([start(), start()]);
    expect(two.id).toBe(one.id);
    const other = await start(segment, "vip").catch((error: unknown) => error);
    expect(other).toMatchObject({ code: "tag_reserved" });
    await addToCatalog(service, ["autumn"]);
    expect((await start(segment, "autumn")).id).not.toBe(one.id);
    await service.database.query("UPDATE tag_runs SET state = 'done'");
    expect((await start()).id).not.toBe(one.id);
  });
});
