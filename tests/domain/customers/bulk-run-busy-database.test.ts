// A bulk run while the database gives a statement up, as when a customer's row stays locked.
import { afterAll, beforeAll, expect, test } from "vitest";
import { startBulkRunWorker } from "../../../app/domain/customers/bulk/run-worker.ts";
import { TagRunInput } from "../../../app/domain/customers/bulk/run-inputs.ts";
import { startTagRun } from "../../../app/domain/customers/bulk/start-run.ts";
import { CUSTOMER_ACTIONS } from "../../../app/domain/merchant/customer-actions.ts";
import { startTestApp, type TestApp } from "../../support/browser/screens-server.ts";
import { lockRows } from "../../support/processes/locked-rows.ts";
import { eventually } from "../../support/service.ts";
import { beginRunStores, endOfRun, SHOP } from "../../support/storefront/bulk-runs.ts";
import { putPerson, tagsOf } from "../../support/storefront/customers.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

test("the run goes on with the customer whose row was locked", async () => {
  const tenant = await beginRunStores(app);
  const ids = [
    await putPerson(app.database, SHOP, { full_name: "Ada" }),
    await putPerson(app.database, SHOP, { full_name: "Grace" }),
  ];
  const input = TagRunInput.parse({ selection: { filter: {} }, add: ["vip"] });
  const { id } = await startTagRun(app.ctx, tenant, input);
  const rows = await lockRows(
    app.database,
    "SELECT 1 FROM storefront_users WHERE id = $1",
    ids.slice(1),
  );
  const worker = await startBulkRunWorker(app.ctx, app.ctx.home, CUSTOMER_ACTIONS);
  try {
    await rows.cancel();
    await rows.release();
    await eventually("the worker to give it up", () =>
      app.logged.some(({ event }) => event === "queue.work_failed"),
    );
    await app.database.query("UPDATE tag_runs SET locked_until = now() - interval '1 second'");
    expect(await endOfRun(app, tenant, id)).toMatchObject({ state: "done", processed: 2 });
  } finally {
    await worker.stop();
  }
  for (const person of ids) expect(await tagsOf(app.database, SHOP, person)).toEqual(["vip"]);
});
