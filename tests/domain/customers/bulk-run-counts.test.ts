// The counts of a bulk run are those of its customers, each once, also when a worker loses the run in the
// middle of a slice: what a customer's change commits, it commits with its count.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { ActionRunInput, TagRunInput } from "../../../app/domain/customers/bulk/run-inputs.ts";
import { type BulkRunState } from "../../../app/domain/customers/bulk/run-row.ts";
import { startBulkRunWorker } from "../../../app/domain/customers/bulk/run-worker.ts";
import {
  startAction,
  startRuleRun,
  startTagRun,
} from "../../../app/domain/customers/bulk/start-run.ts";
import { CUSTOMER_ACTIONS } from "../../../app/domain/merchant/customer-actions.ts";
import { dataOf, type Tenant } from "../../../app/domain/tenants/tenant.ts";
import { startTestApp, type TestApp } from "../../support/browser/screens-server.ts";
import { eventually } from "../../support/service.ts";
import { beginRunStores, SHOP, workRun } from "../../support/storefront/bulk-runs.ts";

const CUSTOMERS = 6;
const ALL = { filter: {} };
let app: TestApp;
let tenant: Tenant;

beforeAll(async () => {
  app = await startTestApp();
  // Another worker takes the run in the transaction that changes a customer of this number. The sequence
  // keeps that when the transaction is rolled back.
  await app.database.query(
    `CREATE TABLE loses_at (number int);
     CREATE SEQUENCE losses;
     CREATE FUNCTION lose_run() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
     BEGIN
       IF NEW.id = (SELECT number FROM loses_at) THEN
         PERFORM nextval('losses');
         UPDATE tag_runs SET attempt_token = gen_random_uuid() WHERE state = 'running';
       END IF;
       RETURN NEW;
     END $$;
     CREATE TRIGGER lose_run BEFORE UPDATE ON storefront_users FOR EACH ROW EXECUTE FUNCTION lose_run()`,
  );
});
afterAll(() => app.stop());
beforeEach(async () => {
  tenant = await beginRunStores(app);
  await app.database.query(
    `INSERT INTO storefront_users (shop, email, number_of_orders, amount_spent)
      SELECT $1, 'p' || n || '@x.example', 50, 100000 FROM generate_series(1, ${CUSTOMERS}) AS n`,
    [SHOP],
  );
  await app.database.query(
    "INSERT INTO crm_tags (shop, name, slug) VALUES ($1, 'Active', 'active')",
    [SHOP],
  );
});

test.each<[string, () => Promise<BulkRunState | null>]>([
  [
    "suspended",
    () => startAction(app.ctx, tenant, ActionRunInput.parse({ kind: "suspend", selection: ALL })),
  ],
  [
    "tagged",
    () => startTagRun(app.ctx, tenant, TagRunInput.parse({ selection: ALL, add: ["vip"] })),
  ],
  ["tagged by the rules", () => startRuleRun(app.ctx, tenant, dataOf(app.ctx, tenant).sql)],
])(
  "customers who are %s are counted once when the run is lost within a slice",
  async (_changed, start) => {
    const run = await start();
    const id = run?.id ?? "";
    await app.database.query("INSERT INTO loses_at VALUES (3); SELECT setval('losses', 1, false)");
    const first = await startBulkRunWorker(app.ctx, app.ctx.home, CUSTOMER_ACTIONS);
    await eventually("the run is lost", async () => {
      const [row] = await app.database.query("SELECT is_called FROM losses");
      return row.is_called as boolean;
    });
    await first.stop();
    await app.database.query("DELETE FROM loses_at");
    await app.database.query(
      "UPDATE tag_runs SET locked_until = now() - interval '1 second' WHERE state = 'running'",
    );
    expect(await workRun(app, tenant, id)).toMatchObject({
      state: "done",
      processed: CUSTOMERS,
      changed: CUSTOMERS,
      refused: 0,
    });
  },
);
