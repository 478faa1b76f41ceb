// The CMS sync (SPEC "CMS collections", DECISIONS 9): writes every customer whose content differs
// from the last write, in batches, staged. It repairs failed deliveries of the channel; a tenant
// without differences costs no call.
import type { Ctx } from "../../../context.server.ts";
import { CMS_BATCH } from "../../../integrations/cms.ts";
import { AppError, OutboundError } from "../../../runtime/errors.ts";
import { LeaseLost, withLease } from "../../../runtime/database/queue/lease.ts";
import { noCounts, type PageCounts } from "../../customers/sync/page-counts.ts";
import { listCustomerSnapshots, type CustomerSnapshot } from "../../customers/customer-snapshot.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { cmsChannel, digestOf, toCmsFields } from "./cms.ts";
import { writeBatch, type CmsRun } from "./batch.ts";

const READ_PAGE = 500;
const MAX_RUN_MS = 10 * 60_000;

export type CmsSyncResult =
  | { outcome: "busy" }
  | { outcome: "done" | "unfinished"; counts: PageCounts }
  | { outcome: "failed"; counts: PageCounts; error: Error };

type SyncOptions = {
  signal?: AbortSignal;
  /** Called after each page of customers. */
  report?: (counts: PageCounts) => Promise<void>;
};

/** Throws `cms_not_configured`; errors of the CMS are a result with the progress made so far. */
export async function syncCms(
  ctx: Ctx,
  tenant: Tenant,
  options: SyncOptions = {},
): Promise<CmsSyncResult> {
  const { cms_api_token: token, cms_customers_collection_id: collectionId } = tenant.config;
  if (!token || !collectionId || !cmsChannel.isEnabled(tenant))
    throw new AppError("cms_not_configured");
  const bound = AbortSignal.timeout(MAX_RUN_MS);
  const run: CmsRun = {
    ctx,
    tenant,
    access: { token, collectionId, about: { shop: tenant.shop } },
    counts: noCounts(),
    signal: options.signal ? AbortSignal.any([options.signal, bound]) : bound,
  };
  const started = performance.now();
  const held = await withLease(dataOf(ctx, tenant).sql, "sync_cms", () =>
    runUnderLease(run, options.report),
  );
  const result: CmsSyncResult = held?.result ?? { outcome: "busy" };
  ctx.log.info("cms_sync.finished", {
    shop: tenant.shop,
    outcome: result.outcome,
    ...run.counts,
    ms: Math.round(performance.now() - started),
  });
  return result;
}

async function runUnderLease(run: CmsRun, report: SyncOptions["report"]): Promise<CmsSyncResult> {
  try {
    return { outcome: (await writeAll(run, report)) ? "done" : "unfinished", counts: run.counts };
  } catch (error) {
    if (error instanceof LeaseLost) return { outcome: "busy" };
    if (error instanceof OutboundError) return { outcome: "failed", counts: run.counts, error };
    throw error;
  }
}

/** Collects ids only until a batch is full: the customers are read again when it is written. */
async function writeAll(run: CmsRun, report: SyncOptions["report"]): Promise<boolean> {
  const waiting = { create: [] as number[], update: [] as number[] };
  for (let after = 0; !run.signal.aborted;) {
    const customers = await listCustomerSnapshots(run.ctx, run.tenant, after, READ_PAGE);
    for (const customer of customers) {
      run.counts.processed += 1;
      if (isWritten(run.tenant, customer)) run.counts.unchanged += 1;
      else waiting[customer.cms_item_id ? "update" : "create"].push(customer.id);
    }
    const isLast = customers.length < READ_PAGE;
    for (const kind of ["create", "update"] as const)
      while (waiting[kind].length >= (isLast ? 1 : CMS_BATCH) && !run.signal.aborted)
        await writeBatch(run, kind, waiting[kind].splice(0, CMS_BATCH));
    await report?.({ ...run.counts });
    if (isLast) return waiting.create.length + waiting.update.length === 0;
    after = customers.at(-1)?.id ?? after;
  }
  return false;
}

/** No call: a tag without an item makes the customer differ. */
function isWritten(tenant: Tenant, customer: CustomerSnapshot): boolean {
  const tagRefs = tenant.config.cms_tags_collection_id
    ? customer.crmTags.map((tag) => tag.cms_item_id ?? "")
    : null;
  return (
    customer.cms_item_id !== null && customer.cms_hash === digestOf(toCmsFields(customer, tagRefs))
  );
}
