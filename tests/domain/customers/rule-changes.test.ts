// The thresholds of the tag rules are changed while something else is under way: a run over all customers, or
// another change of the store's record.
import pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startBulkRunWorker } from "../../../app/domain/customers/bulk/run-worker.ts";
import { runChangedRules } from "../../../app/domain/customers/system-tags/rule-run.ts";
import {
  readRuleSettings,
  saveRules,
} from "../../../app/domain/customers/system-tags/rule-settings.ts";
import { CUSTOMER_ACTIONS } from "../../../app/domain/merchant/customer-actions.ts";
import { changeTenantRecord } from "../../../app/domain/tenants/tenant-record.ts";
import { getTenant, type Tenant } from "../../../app/domain/tenants/tenant.ts";
import { startDatabaseProxy, type DatabaseProxy } from "../../support/processes/database-proxy.ts";
import { startService, type Service } from "../../support/service.ts";
import { beginRunStores, endOfRun, SHOP } from "../../support/storefront/bulk-runs.ts";
import { addToCatalog } from "../../support/storefront/tag-catalog.ts";
import { statementsWait } from "../../support/processes/locked-rows.ts";

/** More than a worker changes at once. */
const CUSTOMERS = 510;

let service: Service;
let proxy: DatabaseProxy;
let tenant: Tenant;

beforeAll(async () => {
  service = await startService({
    databaseThrough: async (url) => (proxy = await startDatabaseProxy(url)).url,
  });
});
afterAll(() => service.stop());
beforeEach(async () => {
  tenant = await beginRunStores(service);
  await addToCatalog(service, ["VIP"], { shop: SHOP, category: "tier" });
  await service.database.query("UPDATE crm_tags SET matched_to = NULL");
});

const settings = async () => readRuleSettings(service.ctx, await getTenant(service.ctx, SHOP));
/** Returns the run that the new threshold starts. */
async function saveVipAmount(amount: number): Promise<string> {
  const { rules, version } = await settings();
  const input = { rules: { ...rules, vip_amount: amount }, version };
  return (await saveRules(service.ctx, tenant, input))?.id as string;
}
const startWorker = () => startBulkRunWorker(service.ctx, service.ctx.home, CUSTOMER_ACTIONS);

test("a run whose worker was held up tags nobody by the thresholds of before", async () => {
  await service.database.query(
    `INSERT INTO storefront_users (shop, provider, email, amount_spent)
      SELECT $1, 'storefront', n || '@x.example', 200 FROM generate_series(1, ${CUSTOMERS}) n`,
    [SHOP],
  );
  await runChangedRules(service.ctx, tenant);
  await service.database.query("UPDATE tag_runs SET state = 'done', finished_at = now()");
  const holder = new pg.Client({ connectionString: service.database.url });
  await holder.connect();
  await holder.query("BEGIN");
  await holder.query(
    "SELECT 1 FROM storefront_users WHERE shop = $1 ORDER BY id LIMIT 1 FOR UPDATE",
    [SHOP],
  );
  const early = await saveVipAmount(100);
  const slow = await startWorker();
  await statementsWait(service.database);
  const { held, release } = proxy.hold("ORDER BY u.id LIMIT $4");
  await holder.query("COMMIT");
  await holder.end();
  await held;
  const late = await saveVipAmount(500);
  const fast = await startWorker();
  await endOfRun(service, tenant, late);
  release();
  await endOfRun(service, tenant, early);
  await Promise.all([slow.stop(), fast.stop()]);
  const vips = await service.database.query(
    "SELECT 1 FROM user_tag_map m JOIN crm_tags t ON t.id = m.tag_id WHERE t.slug = 'vip'",
  );
  expect(vips).toHaveLength(0);
});

test("are saved although the record is changed in another field at that moment", async () => {
  const { held, release } = proxy.hold("value = (value || $3::jsonb)");
  const saved = saveVipAmount(300);
  await held;
  await changeTenantRecord(service.ctx, SHOP, { connection: { currency: "EUR" } });
  release();
  await saved;
  expect((await settings()).rules.vip_amount).toBe(300);
});
