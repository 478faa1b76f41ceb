// The data of the app's home: problems, the last day in numbers, and recent activity. Every part
// reads an index from its newest end, so the cost of a large store is that of its last day.
import type { Ctx } from "../../context.server.ts";
import type { Columns, ConsentRecord } from "../../db.server.ts";
import { findRetainedStore } from "../compliance/find-retained-store.ts";
import { readSyncProgress } from "../customers/sync/sync-request.ts";
import { dataOf, findTenant, type Tenant } from "../tenants/tenant.ts";

const MAX_COUNTED = 1_000;
const SHOWN = 8;

export type StoreHealth = {
  /** The sync's own words for why it could not be done. */ syncError: string | null;
  /** Counted up to 1,000. */ deadLetters: number;
  /**
   * When a request of the platform to delete the store was last answered by keeping everything. ISO
   * 8601.
   */
  keptDataAt?: string;
};

/** Read before the page is sent: a later banner would cause a layout shift. */
export async function readStoreHealth(ctx: Ctx, shop: string): Promise<StoreHealth> {
  const tenant = await findTenant(ctx, shop);
  if (!tenant) return { syncError: null, deadLetters: 0 };
  const [sync, dead, keptAt] = await Promise.all([
    readSyncProgress(ctx, tenant),
    dataOf(ctx, tenant).prisma.integrationQueue.count({
      where: { status: "dead_letter" },
      take: MAX_COUNTED,
    }),
    findRetainedStore(ctx, tenant),
  ]);
  return {
    // Without access to customers no sync can succeed, and Home says so already.
    syncError: sync.state === "failed" && !isWithheld(tenant, "Customer") ? sync.error : null,
    deadLetters: dead,
    ...(keptAt && { keptDataAt: keptAt.toISOString() }),
  };
}

const isWithheld = ({ connection }: Tenant, name: string): boolean =>
  connection.withheld_data?.parts.some((part) => part.name === name) ?? false;

export type DayNumbers = {
  synced: number;
  signUps: number;
  granted: number;
  withdrawn: number;
  delivered: number;
  failed: number;
};
export type ActivityItem =
  | {
      kind: "consent";
      at: string;
      userId: number | null;
      name: string | null;
      type: string;
      action: string;
    }
  | { kind: "customer"; at: string; userId: number; name: string | null }
  | { kind: "privacy"; at: string; request: string; state: string };
export type StoreOverview =
  { state: "known"; day: DayNumbers; happenings: ActivityItem[] } | { state: "unknown" };

/** How many activities name a customer. */
export const namedCustomers = (overview: StoreOverview): number =>
  overview.state === "known"
    ? overview.happenings.filter((item) => item.kind !== "privacy" && item.name !== null).length
    : 0;

/** Loads after the rest of the page; never rejects. */
export async function readStoreOverview(ctx: Ctx, shop: string): Promise<StoreOverview> {
  try {
    const tenant = await findTenant(ctx, shop);
    if (!tenant)
      return {
        state: "known",
        day: { synced: 0, signUps: 0, granted: 0, withdrawn: 0, delivered: 0, failed: 0 },
        happenings: [],
      };
    const [day, happenings] = await Promise.all([
      readDay(ctx, tenant),
      readHappenings(ctx, tenant),
    ]);
    return { state: "known", day, happenings };
  } catch (error) {
    ctx.log.error("store_overview.unknown", error, { shop });
    return { state: "unknown" };
  }
}

const SINCE = "clock_timestamp() - interval '24 hours'";

async function readDay(ctx: Ctx, tenant: Tenant): Promise<DayNumbers> {
  const { sql } = dataOf(ctx, tenant);
  const [[people], [signUps], [consents], [events]] = await Promise.all([
    sql<{ synced: number }>(
      `SELECT count(*)::int AS synced FROM storefront_users WHERE shop = $1
        AND updated_at > ${SINCE} AND storefront_customer_gid IS NOT NULL`,
    ),
    // New customers who have signed in, and contacts who became customers.
    sql<{ count: number }>(
      `SELECT count(*)::int AS count FROM (
         SELECT id FROM storefront_users WHERE shop = $1 AND updated_at > ${SINCE}
           AND created_at > ${SINCE} AND last_login_at IS NOT NULL
         UNION SELECT user_id FROM consent_records WHERE shop = $1 AND created_at > ${SINCE}
           AND method = 'signup' AND user_id IS NOT NULL
       ) AS fresh`,
    ),
    sql<{ granted: number; withdrawn: number }>(
      `SELECT count(*) FILTER (WHERE action = 'granted')::int AS granted,
        count(*) FILTER (WHERE action = 'revoked')::int AS withdrawn FROM consent_records
        WHERE shop = $1 AND created_at > ${SINCE}`,
    ),
    sql<{ delivered: number; failed: number }>(
      `SELECT coalesce(sum(delivered), 0)::int AS delivered, coalesce(sum(failed), 0)::int AS failed
        FROM channel_minutes WHERE shop = $1 AND minute > ${SINCE}`,
    ),
  ]);
  return {
    synced: people?.synced ?? 0,
    signUps: signUps?.count ?? 0,
    granted: consents?.granted ?? 0,
    withdrawn: consents?.withdrawn ?? 0,
    delivered: events?.delivered ?? 0,
    failed: events?.failed ?? 0,
  };
}

async function readHappenings(ctx: Ctx, tenant: Tenant): Promise<ActivityItem[]> {
  const { sql, prisma } = dataOf(ctx, tenant);
  const [consents, customers, requests] = await Promise.all([
    sql<
      Columns<ConsentRecord, "user_id" | "action"> & { at: Date; name: string | null; type: string }
    >(
      `SELECT r.created_at AS at, r.user_id, coalesce(u.full_name, u.email) AS name,
        r.consent_type AS type, r.action
       FROM (SELECT * FROM consent_records WHERE shop = $1 ORDER BY seq DESC LIMIT ${SHOWN}) AS r
         LEFT JOIN storefront_users u ON u.shop = $1 AND u.id = r.user_id ORDER BY r.seq DESC`,
    ),
    prisma.storefrontUser.findMany({
      select: { id: true, created_at: true, full_name: true, email: true },
      orderBy: { id: "desc" },
      take: SHOWN,
    }),
    prisma.privacyRequest.findMany({
      select: { received_at: true, kind: true, state: true },
      orderBy: { id: "desc" },
      take: SHOWN,
    }),
  ]);
  const all: ActivityItem[] = [
    ...consents.map(({ at, user_id: userId, ...rest }) => ({
      kind: "consent" as const,
      at: at.toISOString(),
      userId,
      ...rest,
    })),
    ...customers.map(({ id, created_at: at, full_name: name, email }) => ({
      kind: "customer" as const,
      at: at.toISOString(),
      userId: id,
      name: name ?? email,
    })),
    ...requests.map(({ received_at: at, kind: request, state }) => ({
      kind: "privacy" as const,
      at: at.toISOString(),
      request,
      state,
    })),
  ];
  return all.sort((a, b) => (a.at < b.at ? 1 : -1)).slice(0, SHOWN);
}
