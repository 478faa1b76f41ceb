// The customers whom a bulk run refuses: recorded with the reason, read as a file, and gone with the
// customer's data.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { anonymiseAccounts } from "../../../app/domain/compliance/erasure/erase-rows.ts";
import { readAccountSections } from "../../../app/domain/compliance/export/compile-export.ts";
import {
  exportRefusals,
  MAX_REFUSALS,
  recordRefusal,
} from "../../../app/domain/customers/bulk/refusals.ts";
import { TagRunInput } from "../../../app/domain/customers/bulk/run-inputs.ts";
import { startTagRun } from "../../../app/domain/customers/bulk/start-run.ts";
import { clearAccount } from "../../../app/domain/identity/clear-account.ts";
import { dataOf, getTenant, type Tenant } from "../../../app/domain/tenants/tenant.ts";
import { startTestApp, type TestApp } from "../../support/browser/screens-server.ts";
import { putPerson } from "../../support/storefront/customers.ts";
import { beginRunStores, OTHER, SHOP, workRun } from "../../support/storefront/bulk-runs.ts";
import { statementsWait } from "../../support/processes/locked-rows.ts";

let app: TestApp;
let tenant: Tenant;

beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());
beforeEach(async () => {
  tenant = await beginRunStores(app);
});

const put = (name: string, person = {}) =>
  putPerson(app.database, SHOP, { full_name: name, email: `${name}@x.example`, ...person });
/** A customer with as many tags as the store takes. */
async function putFull(name: string, person = {}): Promise<number> {
  const id = await put(name, person);
  await app.database.query(
    `UPDATE storefront_users SET tags = (SELECT jsonb_agg('own ' || n) FROM generate_series(1, 250) AS n)
      WHERE id = $1`,
    [id],
  );
  return id;
}

async function tagAll() {
  const run = TagRunInput.parse({ selection: { filter: {} }, add: ["vip"] });
  const { id } = await startTagRun(app.ctx, tenant, run);
  return workRun(app, tenant, id);
}
const refused = () =>
  app.database.query("SELECT shop, user_id, reason FROM tag_run_refusals ORDER BY user_id");

async function fileOf(runId: string, of = tenant) {
  const counted: number[] = [];
  const parts = exportRefusals(app.ctx, of, runId, {
    explain: (reason) => `why: ${reason}`,
    onEnd: async (rows) => void counted.push(rows),
  });
  let text = "";
  for await (const part of parts) text += part;
  return { lines: text.split("\r\n").slice(0, -1), counted };
}

/** A run in which one of three customers was refused. */
async function refuseOne(person = {}) {
  await put("first");
  const full = await putFull("full", person);
  await put("last");
  return { full, run: await tagAll() };
}

test("a customer whom the tag change refuses is recorded once with the reason; the others are changed", async () => {
  const { full, run } = await refuseOne();
  expect(run).toMatchObject({ processed: 3, changed: 2, refused: 1 });
  expect(await refused()).toEqual([{ shop: SHOP, user_id: full, reason: "too_many_tags" }]);
});

test("a customer who is gone when their turn comes is not refused", async () => {
  const { full, run } = await refuseOne();
  await app.database.query("DELETE FROM tag_run_refusals");
  await app.database.query("UPDATE storefront_users SET status = 'deleted' WHERE id = $1", [full]);
  await recordRefusal(dataOf(app.ctx, tenant).sql, {
    runId: run.id,
    userId: full,
    reason: "too_many_tags",
  });
  expect(await refused()).toEqual([]);
});

test("beyond the bound of one run refusals are counted only", async () => {
  const { full, run } = await refuseOne();
  const again = { runId: run.id, userId: full, reason: "too_many_tags" };
  await app.database.query("DELETE FROM tag_run_refusals");
  await app.database.query("UPDATE tag_runs SET refused = $1", [MAX_REFUSALS]);
  await recordRefusal(dataOf(app.ctx, tenant).sql, again);
  expect(await refused()).toEqual([]);
  await app.database.query("UPDATE tag_runs SET refused = $1", [MAX_REFUSALS - 1]);
  await recordRefusal(dataOf(app.ctx, tenant).sql, again);
  expect(await refused()).toHaveLength(1);
});

describe("the file of refused customers", () => {
  test("has their numbers, ids in the store and reasons, no name and no address, and no formula", async () => {
    const { full, run } = await refuseOne({ gid: "=HYPERLINK(1)" });
    const { lines, counted } = await fileOf(run.id);
    expect(lines).toEqual([
      "\ufeffid,storefront_customer_gid,reason,refused_at,explanation",
      expect.stringMatching(
        new RegExp(`^${full},'=HYPERLINK\\(1\\),too_many_tags,\\d{4}-\\S+Z,why: too_many_tags$`),
      ),
    ]);
    expect(counted).toEqual([1]);
  });

  test("has every customer of a run with several slices once, in the order of their numbers", async () => {
    const { run } = await refuseOne();
    await app.database.query(
      `WITH people AS (INSERT INTO storefront_users (shop, email)
          SELECT $1, 'p' || n || '@x.example' FROM generate_series(1, 2500) AS n RETURNING id)
        INSERT INTO tag_run_refusals (shop, run_id, user_id, reason)
          SELECT $1, $2, id, 'too_many_tags' FROM people`,
      [SHOP, run.id],
    );
    const { lines, counted } = await fileOf(run.id);
    const ids = lines.slice(1).map((line) => Number(line.split(",")[0]));
    expect(ids).toEqual([...new Set(ids)].toSorted((one, other) => one - other));
    expect([ids.length, counted]).toEqual([2_501, [2_501]]);
  });

  test("is empty for another store's run", async () => {
    const { run } = await refuseOne();
    expect((await fileOf(run.id, await getTenant(app.ctx, OTHER))).lines).toHaveLength(1);
  });
});

describe("what is recorded of a refused customer", () => {
  test("is part of the copy of their data", async () => {
    const { full } = await refuseOne();
    const { sql } = dataOf(app.ctx, tenant);
    expect((await readAccountSections(sql, [full])).bulk_changes_refused).toEqual([
      { user_id: full, reason: "too_many_tags", created_at: expect.any(Date) },
    ]);
  });

  test("goes with an erasure, and nobody else's", async () => {
    const { full, run } = await refuseOne();
    const other = await put("other");
    const { sql, transaction } = dataOf(app.ctx, tenant);
    await recordRefusal(sql, { runId: run.id, userId: other, reason: "too_many_tags" });
    const counts = await transaction((within) => anonymiseAccounts(within, [full]));
    expect(counts.tag_run_refusals).toBe(1);
    expect(await refused()).toEqual([{ shop: SHOP, user_id: other, reason: "too_many_tags" }]);
  });

  test("goes with the account that its owner deletes, and so does the choice of a run that waits", async () => {
    const { full } = await refuseOne();
    const waiting = TagRunInput.parse({ selection: { ids: [full] }, add: ["gala"] });
    await startTagRun(app.ctx, tenant, waiting);
    const members = () => app.database.query("SELECT user_id FROM tag_run_members");
    expect(await members()).toEqual([{ user_id: full }]);
    await dataOf(app.ctx, tenant).transaction((sql, prisma) => clearAccount({ sql, prisma }, full));
    expect([await refused(), await members()]).toEqual([[], []]);
  });

  test("is not recorded when the customer is erased at the same moment", async () => {
    const { full, run } = await refuseOne();
    await app.database.query("DELETE FROM tag_run_refusals");
    const { sql, transaction } = dataOf(app.ctx, tenant);
    let recording: Promise<void> | undefined;
    await transaction(async (within) => {
      await anonymiseAccounts(within, [full]);
      recording = recordRefusal(sql, { runId: run.id, userId: full, reason: "too_many_tags" });
      await statementsWait(app.database);
    });
    await recording;
    expect(await refused()).toEqual([]);
  });
});
