// The CMS sync as a background job of the merchant, with progress that survives a reload.
import type { Ctx } from "../../../context.server.ts";
import { AppError, OutboundError } from "../../../runtime/errors.ts";
import {
  readBackgroundJob,
  startBackgroundJob,
  type BackgroundJob,
} from "../../../runtime/database/queue/background-job.ts";
import { toFailure, type Failure } from "../../bus/log/failure-kind.ts";
import { noCounts, type PageCounts } from "../../customers/sync/page-counts.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { cmsChannel } from "./cms.ts";
import { syncCms } from "./sync.ts";

const NAME = "cms_sync_asked";

/** `busy`: the scheduled run was in progress. `failure`: the reason of `failed`. */
type Outcome = {
  outcome: "done" | "unfinished" | "failed" | "busy";
  counts: PageCounts;
  failure: Failure | null;
};
export type CmsSyncRun = BackgroundJob<PageCounts, Outcome>;

/** False when a run is in progress. Throws `cms_not_configured`. */
export function startCmsSync(ctx: Ctx, tenant: Tenant): Promise<boolean> {
  if (!cmsChannel.isEnabled(tenant)) throw new AppError("cms_not_configured");
  const { sql } = dataOf(ctx, tenant);
  return startBackgroundJob<PageCounts, Outcome>(
    { sql, log: ctx.log, clock: ctx.clock },
    NAME,
    async (report) => {
      const synced = await syncCms(ctx, tenant, { report, signal: ctx.stopping });
      if (synced.outcome === "busy") return { outcome: "busy", counts: noCounts(), failure: null };
      const { outcome, counts } = synced;
      return {
        outcome,
        counts,
        failure:
          outcome === "failed"
            ? toFailure({
                error: synced.error.message,
                http_status:
                  synced.error instanceof OutboundError ? (synced.error.status ?? null) : null,
              })
            : null,
      };
    },
  );
}

export const readCmsSync = (ctx: Ctx, tenant: Tenant): Promise<CmsSyncRun | null> =>
  readBackgroundJob(dataOf(ctx, tenant).sql, NAME);
