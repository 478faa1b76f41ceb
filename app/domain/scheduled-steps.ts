// What the scheduled run does for each tenant, in this order, each step alone (SPEC "Scheduled run").
import type { Ctx } from "../context.server.ts";
import { isAppError } from "../runtime/errors.ts";
import { sweepDeadLetters } from "./bus/dead-letters.ts";
import { cmsChannel } from "./channels/cms.ts";
import { syncCms } from "./channels/cms-sync.ts";
import { endCheckouts } from "./commerce/end-checkouts.ts";
import { writeCheckpoint } from "./consent/checkpoints.ts";
import { syncCustomers } from "./customers/catch-up.ts";
import { busFlags } from "./tenants/bus-phase.ts";
import { tokenState } from "./tenants/directory.ts";
import { checkHosts } from "./tenants/public-hosts.ts";
import { keepStorefrontToken } from "./tenants/storefront-token.ts";
import type { Tenant } from "./tenants/tenant.ts";

/** Counts for the report; `skipped`: there was nothing to do here, or somebody else is doing it. Throws when it failed. */
export type StepResult = "skipped" | Record<string, number>;
export type TenantStep = {
  name: string;
  run(ctx: Ctx, tenant: Tenant, signal: AbortSignal): Promise<StepResult>;
};

type SyncOutcome = Awaited<ReturnType<typeof syncCustomers>>;

function toResult(result: SyncOutcome): StepResult {
  if (result.outcome === "busy") return "skipped";
  if (result.outcome === "failed") throw result.error;
  return result.counts;
}

export const TENANT_STEPS: readonly TenantStep[] = [
  {
    name: "token",
    async run(ctx, tenant) {
      if (tokenState(tenant) === "none") return "skipped";
      await keepStorefrontToken(ctx, tenant);
      return {};
    },
  },
  {
    name: "public_hosts",
    async run(ctx, tenant) {
      const listed = tenant.config.public_hosts?.length ?? 0;
      if (listed <= tenant.publicHosts.length) return "skipped";
      return { proven: await checkHosts(ctx, tenant) };
    },
  },
  {
    name: "customers",
    async run(ctx, tenant, signal) {
      if (tokenState(tenant) !== "valid") return "skipped";
      return toResult(await syncCustomers(ctx, tenant, { signal }));
    },
  },
  {
    name: "cms",
    async run(ctx, tenant, signal) {
      if (!cmsChannel.isEnabled(tenant) || busFlags(tenant).isSafetyNetOnly) return "skipped";
      try {
        return toResult(await syncCms(ctx, tenant, { signal }));
      } catch (error) {
        // Enabled by name, without its settings.
        if (isAppError(error) && error.code === "cms_not_configured") return "skipped";
        throw error;
      }
    },
  },
  {
    name: "consent_checkpoint",
    run: async (ctx, tenant) => ({ written: (await writeCheckpoint(ctx, tenant)) ? 1 : 0 }),
  },
  { name: "checkouts", run: (ctx, tenant, signal) => endCheckouts(ctx, tenant, signal) },
  {
    name: "dead_letters",
    run: async (ctx, tenant) => ({ requeued: await sweepDeadLetters(ctx, tenant) }),
  },
];
