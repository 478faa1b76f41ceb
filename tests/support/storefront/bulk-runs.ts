// Two stores without customers, and bulk runs that are worked to their end.
import { findBulkRun, type BulkRunState } from "../../../app/domain/customers/bulk/run-row.ts";
import { startBulkRunWorker } from "../../../app/domain/customers/bulk/run-worker.ts";
import { CUSTOMER_ACTIONS } from "../../../app/domain/merchant/customer-actions.ts";
import { registerTenant } from "../../../app/domain/tenants/tenant-record.ts";
import { getTenant, type Tenant } from "../../../app/domain/tenants/tenant.ts";
import { eventually, type Service } from "../service.ts";

export const [SHOP, OTHER] = ["runs.myshopify.com", "other.myshopify.com"];

/** Empties the database, registers both stores and returns the first. */
export async function beginRunStores({ ctx, database }: Service): Promise<Tenant> {
  await database.truncate();
  await Promise.all([SHOP, OTHER].map((shop) => registerTenant(ctx, shop)));
  return getTenant(ctx, SHOP);
}

/** Resolves with the run once no worker has anything to do for it. */
export const endOfRun = ({ ctx }: Service, tenant: Tenant, id: string): Promise<BulkRunState> =>
  eventually(`run ${id}`, async () => {
    const run = await findBulkRun(ctx, tenant, id);
    return run && run.state !== "waiting" && run.state !== "running" ? run : undefined;
  });

/** Starts a worker until this run has ended. */
export async function workRun(
  service: Service,
  tenant: Tenant,
  id: string,
  actions = CUSTOMER_ACTIONS,
): Promise<BulkRunState> {
  const worker = await startBulkRunWorker(service.ctx, service.ctx.home, actions);
  const end = await endOfRun(service, tenant, id);
  await worker.stop();
  return end;
}
