// Writes the loader's values of stores in the background: when a store is connected, and when a setting in
// them changed. The scheduled run brings all other stores in line.
import type { Ctx } from "../../../context.server.ts";
import { PLATFORM_KEYS } from "../../../runtime/database/kv-keys.ts";
import type { WorkQueue } from "../../../runtime/database/queue/work-queue.ts";
import { startRequestWorker, storeRequests, trySettle } from "../store-requests.ts";
import { findTenant, type Tenant } from "../tenant.ts";
import { isLoaderOutdated, writeLoaderMetafield } from "./loader-metafield.ts";

const CONCURRENCY = 2;
const RETRY_MS = 30_000;

export const loaderRequests = storeRequests(PLATFORM_KEYS.loaderRequest);

/** Nothing is requested when the values are already written, or when the store is not connected. */
export async function requestLoaderMetafield(ctx: Ctx, shop: string): Promise<void> {
  const tenant = await findTenant(ctx, shop);
  if (tenant && (await isLoaderOutdated(ctx, tenant))) await loaderRequests.add(ctx, shop);
}

/** A write that takes longer was refused, or finds no answer. */
const LATE_SECONDS = 60;

/** Whether shoppers still get former values, because the store has not accepted the present ones. */
export const isLoaderLate = async (ctx: Ctx, tenant: Tenant): Promise<boolean> =>
  (await isLoaderOutdated(ctx, tenant)) &&
  !(await loaderRequests.isRecent(ctx, tenant.shop, LATE_SECONDS));

export function startLoaderWorker(
  ctx: Ctx,
  { retryMs = RETRY_MS }: { retryMs?: number } = {},
): Promise<WorkQueue> {
  return startRequestWorker(ctx, {
    name: "loader_metafields",
    requests: loaderRequests,
    concurrency: CONCURRENCY,
    retryMs,
    work: (shop) => trySettle(ctx, shop, "loader_metafield.not_written", writeLoaderMetafield),
  });
}
