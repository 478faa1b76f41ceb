// The steps of the scheduled run for each tenant, in this order, each separately (SPEC "Scheduled run").
import type { Ctx } from "../../context.server.ts";
import { isAppError } from "../../runtime/errors.ts";
import { sweepDeadLetters } from "../bus/dead-letters/requeue-dead-letters.ts";
import { foldHours } from "../bus/log/fold-hours.ts";
import { cmsChannel } from "../channels/cms/cms.ts";
import { syncCms } from "../channels/cms/sync.ts";
import { endCheckouts } from "../commerce/checkout/expire-checkouts.ts";
import { finishMailedLate } from "../compliance/export/data-request.ts";
import { mailDueRequests } from "../compliance/requests/due-mail.ts";
import { eraseCopies } from "../compliance/erasure/erase-copies.ts";
import {
  applyArchiveRetention,
  applyRowRetention,
} from "../compliance/retention/apply-retention.ts";
import { writeCheckpoint } from "../consent/checkpoints.ts";
import { foldCustomerDays } from "../customers/customer-days.ts";
import { updateDueTags } from "../customers/system-tags/due-tags.ts";
import { runChangedRules } from "../customers/system-tags/rule-run.ts";
import { syncCustomers } from "../customers/sync/catch-up.ts";
import { repeatStorefrontCheck } from "../storefront-check/storefront-check.ts";
import { busFlags } from "../tenants/bus-phase.ts";
import { isConnected, isUninstalled, tokenState } from "../tenants/store-access.ts";
import { checkHosts } from "../tenants/public-hosts.ts";
import { keepStorefrontToken } from "../tenants/storefront/access-token.ts";
import { writeLoaderMetafield } from "../tenants/storefront/loader-metafield.ts";
import { readPrimaryDomain } from "../tenants/storefront/primary-domain.ts";
import { writeWebPixel } from "../tenants/storefront/web-pixel/web-pixel.ts";
import { registerWebhooks } from "../tenants/storefront/webhook-registration.ts";
import type { Tenant } from "../tenants/tenant.ts";

/**
 * Returns counts for the report; `skipped`: nothing to do, or another process is doing it. Throws
 * on failure.
 */
export type StepResult = "skipped" | Record<string, number>;
export type TenantStep = {
  name: string;
  /** Does nothing without the storefront: when that gave an earlier step of the store no answer, it fails at once. */
  asksStorefront?: true;
  /** `archive`: the service's own, which fails at once while it is silent. */
  run(ctx: Ctx, tenant: Tenant, signal: AbortSignal, archive: Ctx["archive"]): Promise<StepResult>;
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
    asksStorefront: true,
    async run(ctx, tenant) {
      if (tokenState(tenant) === "none") return "skipped";
      await keepStorefrontToken(ctx, tenant);
      return {};
    },
  },
  {
    name: "webhooks",
    asksStorefront: true,
    async run(ctx, tenant) {
      if (!isConnected(tenant)) return "skipped";
      const { created, updated, removed, refused } = await registerWebhooks(ctx, tenant.shop);
      return { created, updated, removed, refused: refused.length };
    },
  },
  {
    name: "loader",
    asksStorefront: true,
    run: async (ctx, tenant) =>
      (await writeLoaderMetafield(ctx, tenant.shop)) === "written" ? { written: 1 } : "skipped",
  },
  {
    name: "web_pixel",
    asksStorefront: true,
    run: async (ctx, tenant) =>
      (await writeWebPixel(ctx, tenant.shop)) === "written" ? { written: 1 } : "skipped",
  },
  {
    name: "primary_domain",
    asksStorefront: true,
    async run(ctx, tenant) {
      if (!isConnected(tenant)) return "skipped";
      return { changed: (await readPrimaryDomain(ctx, tenant.shop)) ? 1 : 0 };
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
    asksStorefront: true,
    async run(ctx, tenant, signal) {
      if (!isConnected(tenant)) return "skipped";
      return toResult(await syncCustomers(ctx, tenant, { signal }));
    },
  },
  {
    name: "system_tags",
    async run(ctx, tenant, signal) {
      // Each change would go to the store's other systems.
      if (isUninstalled(tenant)) return "skipped";
      const run = await runChangedRules(ctx, tenant);
      return { ...(await updateDueTags(ctx, tenant, signal)), runs: run ? 1 : 0 };
    },
  },
  {
    name: "cms",
    async run(ctx, tenant, signal) {
      const isLeftOut = isUninstalled(tenant) || busFlags(tenant).isSafetyNetOnly;
      if (isLeftOut || !cmsChannel.isEnabled(tenant)) return "skipped";
      try {
        return toResult(await syncCms(ctx, tenant, { signal }));
      } catch (error) {
        // The CMS is in the list of destinations, but has no settings.
        if (isAppError(error) && error.code === "cms_not_configured") return "skipped";
        throw error;
      }
    },
  },
  {
    name: "consent_checkpoint",
    run: async (ctx, tenant, _signal, archive) => ({
      written: (await writeCheckpoint(ctx, tenant, archive)) ? 1 : 0,
    }),
  },
  { name: "checkouts", run: (ctx, tenant, signal) => endCheckouts(ctx, tenant, signal) },
  {
    name: "dead_letters",
    async run(ctx, tenant) {
      await finishMailedLate(ctx, tenant);
      return { requeued: await sweepDeadLetters(ctx, tenant) };
    },
  },
  {
    name: "privacy_deadlines",
    async run(ctx, tenant) {
      const mailed = await mailDueRequests(ctx, tenant);
      return mailed > 0 ? { mailed } : "skipped";
    },
  },
  {
    name: "storefront_check",
    run: async (ctx, tenant, signal) =>
      (await repeatStorefrontCheck(ctx, tenant, signal)) ?? "skipped",
  },
  {
    name: "rollups",
    run: async (ctx, tenant) => ({
      hours: await foldHours(ctx, tenant),
      customer_days: await foldCustomerDays(ctx, tenant),
    }),
  },
  {
    name: "deleted_accounts",
    run: async (ctx, tenant) => (await eraseCopies(ctx, tenant)) ?? "skipped",
  },
  {
    name: "retention",
    run: async (ctx, tenant, signal) => (await applyRowRetention(ctx, tenant, signal)) ?? "skipped",
  },
  {
    name: "archive_retention",
    run: async (ctx, tenant, signal, archive) =>
      (await applyArchiveRetention(ctx, tenant, signal, archive)) ?? "skipped",
  },
];
