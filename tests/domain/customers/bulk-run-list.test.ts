// The list of bulk changes: what each was, who started it, whom it meant, and what came of it.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { listRuns, type ListedRun } from "../../../app/domain/customers/bulk/list-runs.ts";
import { MAX_REFUSALS } from "../../../app/domain/customers/bulk/refusals.ts";
import { ActionRunInput, TagRunInput } from "../../../app/domain/customers/bulk/run-inputs.ts";
import { startAction, startTagRun } from "../../../app/domain/customers/bulk/start-run.ts";
import { runChangedRules } from "../../../app/domain/customers/system-tags/rule-run.ts";
import { type Tenant } from "../../../app/domain/tenants/tenant.ts";
import { startTestApp, type TestApp } from "../../support/browser/screens-server.ts";
import { putPerson } from "../../support/storefront/customers.ts";
import { beginRunStores, OTHER, SHOP } from "../../support/storefront/bulk-runs.ts";

const STAFF = "7001";
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
const list = (limit = 25, after: string | null = null) =>
  listRuns(app.ctx, tenant, { limit, after });
const first = async (): Promise<ListedRun> => (await list()).runs[0] as ListedRun;
const startTags = (selection: object, change: object = { add: ["vip"] }) =>
  startTagRun(app.ctx, tenant, TagRunInput.parse({ selection, ...change }), STAFF);
/** A run as it is stored; `of` beside a change of tags that is done. */
async function insert(of: Record<string, unknown> = {}): Promise<string> {
  const row: Record<string, unknown> = {
    shop: SHOP,
    id: crypto.randomUUID(),
    add: ["vip"],
    state: "done",
    total: 10,
    last_id: 10,
    ...of,
  };
  const names = Object.keys(row);
  await app.database.query(
    `INSERT INTO tag_runs (${names.join(", ")})
      VALUES (${names.map((_, at) => `$${at + 1}`).join(", ")})`,
    Object.values(row),
  );
  return row.id as string;
}

describe("whom a change meant", () => {
  test("is the filter in its parts, without the words of a search, which stand nowhere in the row", async () => {
    await put({ full_name: "Ada Lovelace", country: "GB", tags: ["vip", "old"] });
    await startTags({ filter: { q: "lovelace", country: "GB", tag: ["vip"], orders_min: 0 } });
    const { runs, choices } = await list();
    expect(runs[0]?.meant).toEqual({
      by: "filter",
      filter: { country: "GB", tag: ["vip"], orders_min: 0 },
      searched: true,
    });
    expect(choices.tags).toEqual([{ slug: "vip", name: "VIP" }]);
    expect(choices.countries.map(({ code, names }) => [code, names.fr])).toEqual([
      ["GB", "Royaume-Uni"],
    ]);
    const [row] = await app.database.query("SELECT to_jsonb(r)::text AS text FROM tag_runs r");
    expect(row.text.toLowerCase()).not.toContain("lovelace");
  });

  test("is a filter without parts for all customers, and the selection for customers chosen one by one", async () => {
    const id = await put({ full_name: "Ada" });
    await startTags({ filter: {} });
    expect((await first()).meant).toEqual({ by: "filter", filter: {}, searched: false });
    await startTags({ ids: [id] });
    expect((await first()).meant).toEqual({ by: "ids" });
  });

  test("is a segment by its name of today, also once it is deleted, and never another store's", async () => {
    await put({ full_name: "Ada" });
    const [segment] = await app.database.query(
      `INSERT INTO segments (shop, id, name, filter) VALUES ($1, gen_random_uuid(), 'Before', '{}')
        RETURNING id`,
      [SHOP],
    );
    await startTags({ segment: segment.id });
    await app.database.query("UPDATE segments SET name = 'After'");
    expect((await first()).meant).toEqual({ by: "segment", name: "After" });
    await app.database.query("UPDATE segments SET shop = $1", [OTHER]);
    expect((await first()).meant).toEqual({ by: "segment", name: null });
    await app.database.query("DELETE FROM segments");
    expect((await first()).meant).toEqual({ by: "segment", name: null });
  });

  test("is a link for a segment of the store admin", async () => {
    await insert({ store_segment: "gid://shopify/Segment/55" });
    expect((await first()).meant).toEqual({
      by: "store_segment",
      url: app.ctx.storefront.adminUrl(SHOP, "/admin/customers/segments/55"),
    });
  });

  test("is not known of a run of an earlier version, or of one whose filter is not understood", async () => {
    await insert();
    expect((await first()).meant).toEqual({ by: "unknown" });
    await app.database.query(`UPDATE tag_runs SET chosen = '{"later": 1}'`);
    expect((await first()).meant).toEqual({ by: "unknown" });
  });
});

describe("who started a change", () => {
  test("is the staff member, for tags, actions and the rules", async () => {
    await put({ full_name: "Ada" });
    await startTags({ filter: {} });
    expect((await first()).started_by).toBe(STAFF);
    const suspend = ActionRunInput.parse({ kind: "suspend", selection: { filter: {} } });
    await startAction(app.ctx, tenant, suspend, STAFF);
    expect(await first()).toMatchObject({ kind: "suspend", started_by: STAFF });
    await app.database.query(
      `INSERT INTO crm_tags (shop, name, slug, category, matched_to)
        VALUES ($1, 'VIP', 'vip', 'tier', NULL) ON CONFLICT (shop, slug) DO NOTHING`,
      [SHOP],
    );
    await runChangedRules(app.ctx, tenant, STAFF);
    expect(await first()).toMatchObject({
      kind: "rules",
      started_by: STAFF,
      meant: { by: "everybody" },
    });
  });

  test("is nobody for a run of the rules that the scheduled run started", async () => {
    await put({ full_name: "Ada" });
    await app.database.query(
      `INSERT INTO crm_tags (shop, name, slug, category, matched_to)
        VALUES ($1, 'VIP', 'vip', 'tier', NULL) ON CONFLICT (shop, slug) DO NOTHING`,
      [SHOP],
    );
    await runChangedRules(app.ctx, tenant);
    expect(await first()).toMatchObject({ kind: "rules", started_by: null });
  });
});

describe("what came of a change", () => {
  test("tags have their names of the catalog, or as they were typed", async () => {
    await put({ full_name: "Ada", tags: ["vip"] });
    await app.database.query("UPDATE crm_tags SET name = 'Very important'");
    await startTags({ filter: {} }, { add: ["vip", " Brand new "], remove: ["old"] });
    expect(await first()).toMatchObject({
      add: ["Very important", "Brand new"],
      remove: ["old"],
    });
  });

  test.each([
    // Two of a run that is done were changed by somebody else, or are gone: it has not looked at them.
    ["done", { processed: 8, changed: 5, refused: 1 }, { unchanged: 4, left: 0 }],
    ["running", { processed: 8, changed: 5, refused: 1 }, { unchanged: 2, left: 0 }],
    ["waiting", {}, { unchanged: 0, left: 0 }],
    ["cancelled", { processed: 4, changed: 4 }, { unchanged: 0, left: 6 }],
    ["failed", { processed: 4, changed: 1 }, { unchanged: 3, left: 6 }],
    ["done", { processed: 12, changed: 12 }, { unchanged: 0, left: 0 }],
  ])("of one that is %s with %o, the others are %o", async (state, counts, others) => {
    await insert({ state, ...counts });
    expect(await first()).toMatchObject({ state, total: 10, ...counts, ...others });
  });

  test("a failure has its reason: the store did not answer, or a bug of ours", async () => {
    await insert({ state: "failed", last_error: "storefront_unavailable" });
    expect((await first()).problem).toBe("store_away");
    await app.database.query("UPDATE tag_runs SET last_error = 'internal_error'");
    expect((await first()).problem).toBe("ours");
    await app.database.query("UPDATE tag_runs SET state = 'done'");
    expect((await first()).problem).toBeNull();
  });

  test("a file is offered where refused customers are recorded, and says when it has not all", async () => {
    const id = await insert({ refused: 3 });
    expect(await first()).toMatchObject({ has_refusals: false, refusals_cut_at: null });
    const record = (shop: string) =>
      app.database.query(
        "INSERT INTO tag_run_refusals (shop, run_id, user_id, reason) VALUES ($1, $2, 1, 'too_many_tags')",
        [shop, id],
      );
    await record(OTHER);
    expect((await first()).has_refusals).toBe(false);
    await record(SHOP);
    expect((await first()).has_refusals).toBe(true);
    await app.database.query("UPDATE tag_runs SET refused = $1", [MAX_REFUSALS + 1]);
    expect((await first()).refusals_cut_at).toBe(MAX_REFUSALS);
  });
});

test("pages go from the newest to the oldest without losing or repeating one, also of one moment, and have no other store's", async () => {
  const at = new Date("2026-11-20T10:00:00Z");
  const ids: string[] = [];
  for (let n = 0; n < 7; n += 1) ids.push(await insert({ created_at: at }));
  const older = await insert({ created_at: new Date("2026-11-19T10:00:00Z") });
  const newer = await insert({ created_at: new Date("2026-11-21T10:00:00Z") });
  await insert({ shop: OTHER, created_at: at });
  const seen: string[] = [];
  let after: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof list>> = await list(3, after);
    expect(page.runs.length).toBeLessThanOrEqual(3);
    seen.push(...page.runs.map(({ id }) => id));
    after = page.next;
  } while (after !== null);
  expect(seen).toEqual([newer, ...ids.toSorted().toReversed(), older]);
});

test("a store without changes has an empty list", async () => {
  expect(await list()).toMatchObject({ runs: [], next: null });
});
