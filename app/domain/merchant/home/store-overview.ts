// The data of the app's home: what needs the merchant, the metrics, the state of the systems, and
// recent activity. Every part reads an index from its newest end or a rollup, so the cost of a large
// store is that of its last days.
import type { Ctx } from "../../../context.server.ts";
import type { HealthState } from "../../bus/log/health-rules.ts";
import { IS_DEAD } from "../../bus/outcome.ts";
import { readTogether, type Read } from "../../../runtime/database/read-together.ts";
import { deliveryHealthQuery, type DeliveryHealth } from "../../channels/delivery-health.ts";
import { NEEDS_MERCHANT } from "../../compliance/board/request-list.ts";
import { forReading } from "../../tenants/reading.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { homeMetricsQuery, type HomeMetrics } from "./home-metrics.ts";
import { recentActivityRead, toRecentActivity, type ActivityItem } from "./recent-activity.ts";
import type { SetupProgress } from "../setup-guide/read-guide.ts";

/** Counted exactly; what is beyond it is shown as more. */
const MAX_COUNTED = 1_000;

export type StoreHealth = {
  /** The sync's own words for why it could not be done. */
  syncError: string | null;
  /** Counted up to 1,000: one more stands for more. */
  deadLetters: number;
  /** Privacy requests that failed, are overdue, or are due soon and have a problem. */
  urgentRequests: number;
  /** Scripts of others that load before consent, as of the last check of the storefront. */
  earlyScripts: number;
  /** The store has not accepted the published banner, so that shoppers see the former one. */
  isBannerLate: boolean;
  /** The platform's topics that it refused to report. */
  refusedTopics: string[];
  /** The merchant's switch refuses every agent. */
  areAgentsBlocked: boolean;
  /** Whether the setup guide is hidden on Home. */
  isGuideDismissed: boolean;
  /**
   * When a request of the platform to delete the store was last answered by keeping everything. ISO
   * 8601.
   */
  keptDataAt?: string;
};

/** The health of a store that was never connected. */
export const NO_PROBLEMS: StoreHealth = {
  syncError: null,
  deadLetters: 0,
  urgentRequests: 0,
  earlyScripts: 0,
  isBannerLate: false,
  refusedTopics: [],
  areAgentsBlocked: false,
  isGuideDismissed: false,
};

// Dead letters and unfinished requests are few, or counted up to a bound, by their indexes.
const PROBLEMS = `
  SELECT (SELECT count(*)::int FROM (SELECT 1 FROM integration_queue
      WHERE shop = $1 AND ${IS_DEAD} LIMIT ${MAX_COUNTED + 1}) AS dead) AS "deadLetters",
    (SELECT count(*)::int FROM privacy_requests WHERE shop = $1 AND ${NEEDS_MERCHANT}) AS "urgentRequests"`;

export type ProblemCounts = Pick<StoreHealth, "deadLetters" | "urgentRequests">;
export const problemCountsRead: Read<ProblemCounts> = { sql: PROBLEMS };

export const toStoreHealth = (
  tenant: Tenant,
  { check, sync, isDismissed }: SetupProgress,
  [counts = { deadLetters: 0, urgentRequests: 0 }]: readonly ProblemCounts[],
  keptAt: Date | null,
): Omit<StoreHealth, "isBannerLate"> => ({
  ...counts,
  ...(keptAt && { keptDataAt: keptAt.toISOString() }),
  // Without access to customers no sync can succeed, and Home says so already.
  syncError: sync.state === "failed" && !isWithheld(tenant, "Customer") ? sync.error : null,
  refusedTopics: (tenant.connection.refused_webhooks ?? []).map(({ topic }) => topic),
  earlyScripts: check.early,
  areAgentsBlocked: !tenant.config.agent_access_enabled,
  isGuideDismissed: isDismissed,
});

const isWithheld = ({ connection }: Tenant, name: string): boolean =>
  connection.withheld_data?.parts.some((part) => part.name === name) ?? false;

/** The systems that are set up, and those of them that need a look. */
export type SystemsLine = {
  total: number;
  /** Nothing was sent to any of them in the last 24 hours, and nothing waits. */
  isIdle: boolean;
  unhealthy: { name: string; state: Extract<HealthState, "degraded" | "paused"> }[];
};

export type StoreOverview =
  | { state: "known"; metrics: HomeMetrics; systems: SystemsLine; activity: ActivityItem[] }
  | { state: "not_connected" }
  | { state: "unknown" };

/** How many activities name a customer. */
export const countNamedCustomers = (overview: StoreOverview): number =>
  overview.state === "known"
    ? overview.activity.filter((item) => item.kind === "person" && item.name !== null).length
    : 0;

/** Loads after the rest of the page; never rejects. */
export async function readStoreOverview(ctx: Ctx, tenant: Tenant | null): Promise<StoreOverview> {
  if (!tenant) return { state: "not_connected" };
  try {
    const reader = await forReading(ctx, tenant);
    const metrics = homeMetricsQuery(reader, tenant);
    const health = deliveryHealthQuery(reader, tenant, "24h");
    const rows = await readTogether(dataOf(reader, tenant).sql, {
      ...metrics.reads,
      ...health.reads,
      activity: recentActivityRead,
    });
    return {
      state: "known",
      metrics: metrics.toMetrics(rows),
      systems: toSystemsLine(health.toHealth(rows)),
      activity: toRecentActivity(rows.activity),
    };
  } catch (error) {
    ctx.log.error("store_overview.unknown", error, { shop: tenant.shop });
    return { state: "unknown" };
  }
}

const toSystemsLine = ({ systems }: DeliveryHealth): SystemsLine => ({
  total: systems.length,
  isIdle: systems.every(({ state }) => state === "idle"),
  unhealthy: systems.flatMap(({ name, state }) =>
    state === "degraded" || state === "paused" ? [{ name, state }] : [],
  ),
});
