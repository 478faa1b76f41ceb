// The data of the app's home: what needs the merchant, the metrics, the state of the systems, and
// recent activity. Every part reads an index from its newest end or a rollup, so the cost of a large
// store is that of its last days.
import type { Ctx } from "../../context.server.ts";
import type { HealthState } from "../bus/log/health-rules.ts";
import { readDeliveryHealth } from "../channels/delivery-health.ts";
import { findRetainedStore } from "../compliance/find-retained-store.ts";
import { readSyncProgress } from "../customers/sync/sync-request.ts";
import { forReading } from "../tenants/reading.ts";
import { dataOf, findTenant, type Tenant } from "../tenants/tenant.ts";
import { readHomeMetrics, type HomeMetrics } from "./home-metrics.ts";
import { readRecentActivity, type ActivityItem } from "./recent-activity.ts";
import { isGuideDismissed } from "./setup-guide.ts";

const MAX_COUNTED = 1_000;

export type StoreHealth = {
  /** The sync's own words for why it could not be done. */ syncError: string | null;
  /** Counted up to 1,000. */ deadLetters: number;
  /** Privacy requests that did not succeed. */ failedRequests: number;
  /** The platform's topics that it refused to report. */ refusedTopics: string[];
  /** Whether the setup guide is hidden on Home. */ isGuideDismissed: boolean;
  /**
   * When a request of the platform to delete the store was last answered by keeping everything. ISO
   * 8601.
   */
  keptDataAt?: string;
};

const NO_PROBLEMS: StoreHealth = {
  syncError: null,
  deadLetters: 0,
  failedRequests: 0,
  refusedTopics: [],
  isGuideDismissed: false,
};

/** Read before the page is sent: a later banner would cause a layout shift. */
export async function readStoreHealth(ctx: Ctx, shop: string): Promise<StoreHealth> {
  const tenant = await findTenant(ctx, shop);
  if (!tenant) return NO_PROBLEMS;
  const [sync, dead, failedRequests, keptAt, isDismissed] = await Promise.all([
    readSyncProgress(ctx, tenant),
    dataOf(ctx, tenant).prisma.integrationQueue.count({
      where: { status: "dead_letter" },
      take: MAX_COUNTED,
    }),
    dataOf(ctx, tenant).prisma.privacyRequest.count({ where: { state: "failed" } }),
    findRetainedStore(ctx, tenant),
    isGuideDismissed(ctx, tenant),
  ]);
  return {
    // Without access to customers no sync can succeed, and Home says so already.
    syncError: sync.state === "failed" && !isWithheld(tenant, "Customer") ? sync.error : null,
    deadLetters: dead,
    failedRequests,
    refusedTopics: (tenant.connection.refused_webhooks ?? []).map(({ topic }) => topic),
    isGuideDismissed: isDismissed,
    ...(keptAt && { keptDataAt: keptAt.toISOString() }),
  };
}

const isWithheld = ({ connection }: Tenant, name: string): boolean =>
  connection.withheld_data?.parts.some((part) => part.name === name) ?? false;

/** The systems that are set up, and those of them that need a look. */
export type SystemsLine = {
  total: number;
  unhealthy: { name: string; state: Extract<HealthState, "degraded" | "paused"> }[];
};

export type StoreOverview =
  | { state: "known"; metrics: HomeMetrics; systems: SystemsLine; activity: ActivityItem[] }
  | { state: "not_connected" }
  | { state: "unknown" };

/** How many activities name a customer. */
export const namedCustomers = (overview: StoreOverview): number =>
  overview.state === "known"
    ? overview.activity.filter((item) => item.kind === "person" && item.name !== null).length
    : 0;

/** Loads after the rest of the page; never rejects. */
export async function readStoreOverview(ctx: Ctx, shop: string): Promise<StoreOverview> {
  try {
    const tenant = await findTenant(ctx, shop);
    if (!tenant) return { state: "not_connected" };
    const reader = await forReading(ctx, tenant);
    const [metrics, systems, activity] = await Promise.all([
      readHomeMetrics(reader, tenant),
      readSystemsLine(reader, tenant),
      readRecentActivity(reader, tenant),
    ]);
    return { state: "known", metrics, systems, activity };
  } catch (error) {
    ctx.log.error("store_overview.unknown", error, { shop });
    return { state: "unknown" };
  }
}

async function readSystemsLine(ctx: Ctx, tenant: Tenant): Promise<SystemsLine> {
  const { systems } = await readDeliveryHealth(ctx, tenant, "24h");
  return {
    total: systems.length,
    unhealthy: systems.flatMap(({ name, state }) =>
      state === "degraded" || state === "paused" ? [{ name, state }] : [],
    ),
  };
}
