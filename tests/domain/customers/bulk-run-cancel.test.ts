// A cancelled bulk run changes nobody else, keeps what it changed, and says how far it came.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { cancelRun } from "../../../app/domain/customers/bulk/cancel-run.ts";
import { ActionRunInput } from "../../../app/domain/customers/bulk/run-inputs.ts";
import { findBulkRun } from "../../../app/domain/customers/bulk/run-row.ts";
import { startBulkRunWorker } from "../../../app/domain/customers/bulk/run-worker.ts";
import { startAction, startRuleRun } from "../../../app/domain/customers/bulk/start-run.ts";
import { CUSTOMER_ACTIONS } from "../../../app/domain/merchant/customer-actions.ts";
import { dataOf, getTenant, type Tenant } from "../../../app/domain/tenants/tenant.ts";
import { startTestApp, type TestApp } from "../../support/browser/screens-server.ts";
import { beginRunStores, endOfRun, OTHER, SHOP } from "../../support/storefront/bulk-runs.ts";

let app: TestApp;
let tenant: Tenant;

beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());
beforeEach(async () => {
  tenant = await beginRunStores(app);
  await app.database.query(
    `INSERT INTO storefront_users (shop, email) SELECT $1, 'p' || n || '@x.example'
      FROM generate_series(1, 120) AS n`,
    [SHOP],
  );
});

const start = (filter = {}) =>
  startAction(app.ctx, tenant, ActionRunInput.parse({ kind: "suspend", selection: { filter } }));
const suspended = async () => {
  const [row] = await app.database.query(
    "SELECT count(*)::int AS n FROM storefront_users WHERE status = 'suspended'",
  );
  return row.n as number;
};
const ended = (id: string) => endOfRun(app, tenant, id);

test("a waiting run ends at once, without its selection, and no worker takes it", async () => {
  const { id } = await start();
  expect(await cancelRun(app.ctx, tenant, id)).toMatchObject({ id, state: "cancelled" });
  const next = await start();
  const worker = await startBulkRunWorker(app.ctx, app.ctx.home, {
    ...CUSTOMER_ACTIONS,
    suspend: async () => false,
  });
  expect(await ended(next.id)).toMatchObject({ state: "done", processed: 120 });
  await worker.stop();
  expect(await findBulkRun(app.ctx, tenant, id)).toMatchObject({
    state: "cancelled",
    processed: 0,
  });
  expect(
    await app.database.query(
      "SELECT selection, finished_at IS NOT NULL AS ended FROM tag_runs WHERE id = $1",
      [id],
    ),
  ).toEqual([{ selection: "", ended: true }]);
});

test("a running run ends after its slice: its customers stay changed and are counted", async () => {
  const { id } = await start();
  let isCancelled = false;
  const worker = await startBulkRunWorker(app.ctx, app.ctx.home, {
    ...CUSTOMER_ACTIONS,
    async suspend(ctx, store, sql, userId, runId) {
      if (!isCancelled)
        expect(await cancelRun(ctx, store, runId)).toMatchObject({ state: "running" });
      isCancelled = true;
      return CUSTOMER_ACTIONS.suspend(ctx, store, sql, userId, runId);
    },
  });
  expect(await ended(id)).toMatchObject({ state: "cancelled", processed: 50, changed: 50 });
  await worker.stop();
  expect(await suspended()).toBe(50);
});

test("a run that was cancelled while its worker stopped is ended by the next worker", async () => {
  const { id } = await start();
  await app.database.query(
    `UPDATE tag_runs SET state = 'running', attempt_token = gen_random_uuid(),
      locked_until = now() - interval '1 second' WHERE id = $1`,
    [id],
  );
  await cancelRun(app.ctx, tenant, id);
  const worker = await startBulkRunWorker(app.ctx, app.ctx.home, CUSTOMER_ACTIONS);
  expect(await ended(id)).toMatchObject({ state: "cancelled", processed: 0 });
  await worker.stop();
  expect(await suspended()).toBe(0);
});

test("a run that has ended, one of another store, and the run of the rules stay as they are", async () => {
  const { id } = await start();
  const other = await getTenant(app.ctx, OTHER);
  await expect(cancelRun(app.ctx, other, id)).rejects.toMatchObject({ code: "not_found" });
  const rules = await startRuleRun(app.ctx, tenant, dataOf(app.ctx, tenant).sql);
  await expect(cancelRun(app.ctx, tenant, rules?.id ?? "")).rejects.toMatchObject({
    code: "not_found",
  });
  const worker = await startBulkRunWorker(app.ctx, app.ctx.home, CUSTOMER_ACTIONS);
  expect(await ended(id)).toMatchObject({ state: "done", changed: 120 });
  expect(await ended(rules?.id ?? "")).toMatchObject({ state: "done" });
  await worker.stop();
  expect(await cancelRun(app.ctx, tenant, id)).toMatchObject({ state: "done", changed: 120 });
});
