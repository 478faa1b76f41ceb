// A bulk run changes the customers who were selected when it was requested, and nobody else: their ids are
// kept until it ends.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { cancelRun } from "../../../app/domain/customers/bulk/cancel-run.ts";
import { ActionRunInput, TagRunInput } from "../../../app/domain/customers/bulk/run-inputs.ts";
import { sealContext } from "../../../app/domain/customers/bulk/run-row.ts";
import { startAction, startTagRun } from "../../../app/domain/customers/bulk/start-run.ts";
import { anonymiseAccounts } from "../../../app/domain/compliance/erasure/erase-rows.ts";
import { CUSTOMER_ACTIONS } from "../../../app/domain/merchant/customer-actions.ts";
import { dataOf, type Tenant } from "../../../app/domain/tenants/tenant.ts";
import { startTestApp, type TestApp } from "../../support/browser/screens-server.ts";
import { putPerson, tagsOf } from "../../support/storefront/customers.ts";
import { beginRunStores, OTHER, SHOP, workRun } from "../../support/storefront/bulk-runs.ts";

const FRENCH = { filter: { country: "FR" } };
let app: TestApp;
let tenant: Tenant;

beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());
beforeEach(async () => {
  tenant = await beginRunStores(app);
});

const put = (name: string, country: string, person = {}, shop = SHOP) =>
  putPerson(app.database, shop, {
    full_name: name,
    email: `${name}@x.example`,
    country,
    ...person,
  });
const startKind = (kind: string, typed?: string, selection: object = FRENCH) =>
  startAction(app.ctx, tenant, ActionRunInput.parse({ kind, selection, typed }));
const startTags = () =>
  startTagRun(app.ctx, tenant, TagRunInput.parse({ selection: FRENCH, add: ["vip"] }));
const move = (id: number, country: string) =>
  app.database.query("UPDATE storefront_users SET country = $2 WHERE id = $1", [id, country]);
const members = async () =>
  (
    await app.database.query<{ user_id: number }>(
      "SELECT user_id FROM tag_run_members ORDER BY user_id",
    )
  ).map((row) => row.user_id);
const runs = () => app.database.query("SELECT state FROM tag_runs");
const requested = async () => (await app.database.query("SELECT 1 FROM privacy_requests")).length;

const work = (id: string, actions = CUSTOMER_ACTIONS) => workRun(app, tenant, id, actions);

describe("while a run waits", () => {
  test.each(["suspend", "reactivate", "data_request", "erase"] as const)(
    "nobody who comes to match its filter is changed by %s, and all that were selected still are",
    async (kind) => {
      const status = kind === "reactivate" ? "suspended" : "active";
      const [first, second] = [
        await put("first", "FR", { status }),
        await put("second", "FR", { status }),
      ];
      const late = await put("late", "GB", { status });
      await put("theirs", "FR", { status }, OTHER);
      const { id, total } = await startKind(kind, "2");
      expect(total).toBe(2);
      expect(await members()).toEqual([first, second]);
      await move(late, "FR");
      await move(second, "GB");
      const changed: number[] = [];
      expect(
        await work(id, {
          ...CUSTOMER_ACTIONS,
          [kind]: async (...call: Parameters<(typeof CUSTOMER_ACTIONS)["suspend"]>) => {
            changed.push(call[3]);
            return CUSTOMER_ACTIONS[kind](...call);
          },
        }),
      ).toMatchObject({ state: "done", total: 2, processed: 2, changed: 2 });
      expect(changed).toEqual([first, second]);
    },
  );

  test("nobody who comes to match its filter gets its tag, and all that were selected do", async () => {
    const [first, late] = [await put("first", "FR"), await put("late", "GB")];
    const { id } = await startTags();
    await move(late, "FR");
    await move(first, "GB");
    expect(await work(id)).toMatchObject({ state: "done", total: 1, processed: 1, changed: 1 });
    expect([
      await tagsOf(app.database, SHOP, first),
      await tagsOf(app.database, SHOP, late),
    ]).toEqual([["vip"], []]);
  });

  test("whom it would no longer change is left out", async () => {
    const [first, second] = [await put("first", "FR"), await put("second", "FR")];
    const { id } = await startKind("erase", "2");
    await app.database.query("UPDATE storefront_users SET email = NULL WHERE id = $1", [first]);
    expect(await work(id)).toMatchObject({ state: "done", total: 2, processed: 1, changed: 1 });
    expect(await requested()).toBe(1);
    const tags = await startTags();
    await dataOf(app.ctx, tenant).transaction((sql) => anonymiseAccounts(sql, [second]));
    expect(await members()).toEqual([first]);
    expect(await work(tags.id)).toMatchObject({ state: "done", processed: 1, changed: 1 });
  });

  test("its filter is not kept, only who was selected", async () => {
    const id = await put("ada", "FR");
    const run = await startKind("suspend", undefined, { filter: { q: "ada@x" } });
    const [row] = await app.database.query("SELECT selection FROM tag_runs WHERE id = $1", [
      run.id,
    ]);
    expect(JSON.parse(app.ctx.secrets.unseal(sealContext(SHOP), row.selection))).toEqual({
      audience: null,
    });
    expect(await members()).toEqual([id]);
  });
});

test("a run that is refused keeps nobody: another number typed, nobody selected, or too many", async () => {
  await expect(startTags()).rejects.toMatchObject({ code: "invalid_request" });
  await expect(startKind("erase", "1")).rejects.toMatchObject({ code: "conflict" });
  await app.database.query(
    `INSERT INTO storefront_users (shop, email, country)
      SELECT $1, 'p' || n || '@x.example', 'FR' FROM generate_series(1, 10001) AS n`,
    [SHOP],
  );
  await expect(startKind("data_request")).rejects.toMatchObject({ code: "invalid_request" });
  await expect(startKind("erase", "10001")).rejects.toMatchObject({ code: "invalid_request" });
  await app.database.query("UPDATE storefront_users SET country = 'GB' WHERE id > 3");
  for (const typed of ["2", "4", "10001"])
    await expect(startKind("erase", typed)).rejects.toMatchObject({ code: "conflict" });
  expect([await members(), await runs()]).toEqual([[], []]);
  expect(await startKind("erase", "3")).toMatchObject({ state: "waiting", total: 3 });
});

describe("the ids of the selected customers are forgotten", () => {
  test("when the run is done, and with them the name of its segment", async () => {
    await put("first", "FR");
    const { id } = await startKind("suspend");
    expect(await work(id)).toMatchObject({ state: "done" });
    expect(await members()).toEqual([]);
    expect(await app.database.query("SELECT selection FROM tag_runs")).toEqual([{ selection: "" }]);
  });

  test("when the run fails", async () => {
    await put("first", "FR");
    const { id } = await startKind("suspend");
    const suspend = () => Promise.reject(new Error("broken"));
    expect(await work(id, { ...CUSTOMER_ACTIONS, suspend })).toMatchObject({ state: "failed" });
    expect(await members()).toEqual([]);
  });

  test("when a worker of an earlier version fails the run, and no other run's", async () => {
    const first = await put("first", "FR");
    const failed = await startKind("suspend");
    await startTags();
    await app.database.query("UPDATE tag_runs SET state = 'running' WHERE id = $1", [failed.id]);
    expect(await members()).toEqual([first, first]);
    // As it ends a run whose stored selection it does not understand.
    await app.database.query(
      `UPDATE tag_runs SET state = 'failed', last_error = 'internal_error', selection = '',
        finished_at = clock_timestamp() WHERE id = $1`,
      [failed.id],
    );
    expect(await members()).toEqual([first]);
  });

  test("when the run is cancelled, waiting or running, and no other run's", async () => {
    const first = await put("first", "FR");
    const waiting = await startKind("suspend");
    const other = await startTags();
    await cancelRun(app.ctx, tenant, waiting.id);
    expect(await members()).toEqual([first]);
    await app.database.query(
      `UPDATE tag_runs SET state = 'running', attempt_token = gen_random_uuid(),
        locked_until = now() - interval '1 second' WHERE id = $1`,
      [other.id],
    );
    await cancelRun(app.ctx, tenant, other.id);
    expect(await work(other.id)).toMatchObject({ state: "cancelled", processed: 0 });
    expect(await members()).toEqual([]);
  });
});

test("a run that an earlier version stored, with its filter and without members, is worked", async () => {
  const [first, british] = [await put("first", "FR"), await put("british", "GB")];
  const [run] = await app.database.query(
    `INSERT INTO tag_runs (shop, id, kind, selection, add, remove, total, last_id)
      VALUES ($1, gen_random_uuid(), 'suspend', $2, '{}', '{}', 1, $3) RETURNING id`,
    [
      SHOP,
      app.ctx.secrets.seal(sealContext(SHOP), JSON.stringify({ ...FRENCH, audience: null })),
      british,
    ],
  );
  expect(await work(run.id)).toMatchObject({ state: "done", processed: 1, changed: 1 });
  expect(
    await app.database.query("SELECT id FROM storefront_users WHERE status = 'suspended'"),
  ).toEqual([{ id: first }]);
});
