// What Home shows at once, before the metrics: the connection, the setup guide and what needs the
// merchant. Read before the page is sent: a later banner would cause a layout shift.
import type { Ctx } from "../../../context.server.ts";
import { readTogether } from "../../../runtime/database/read-together.ts";
import { toRetainedAt, wholeStoreRequestRead } from "../../compliance/find-retained-store.ts";
import { isSyncRequested } from "../../customers/sync/sync-request.ts";
import {
  openCircuitsRead,
  toChannels,
  toConnectionState,
  type ConnectionState,
} from "../../tenants/connection-state.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { isBannerLate } from "../places.ts";
import {
  SETUP_READS,
  toSetupGuide,
  toSetupProgress,
  type SetupGuide,
} from "../setup-guide/read-guide.ts";
import {
  NO_PROBLEMS,
  problemCountsRead,
  toStoreHealth,
  type StoreHealth,
} from "./store-overview.ts";

export type Home = { connection: ConnectionState; guide: SetupGuide; health: StoreHealth };

/** `tenant`: null for a store that was never connected. */
export async function readHome(ctx: Ctx, shop: string, tenant: Tenant | null): Promise<Home> {
  if (!tenant)
    return {
      connection: toConnectionState(ctx, shop, null, { state: "known", list: [] }),
      guide: toSetupGuide(ctx, shop, null),
      health: NO_PROBLEMS,
    };
  const [isRequested, isLate, rows] = await Promise.all([
    isSyncRequested(ctx, tenant),
    isBannerLate(ctx, tenant),
    readTogether(dataOf(ctx, tenant).sql, {
      ...SETUP_READS,
      circuits: openCircuitsRead(ctx),
      problems: problemCountsRead,
      wholeStoreRequests: wholeStoreRequestRead(ctx, shop),
    }),
  ]);
  const progress = toSetupProgress(isRequested, rows);
  const keptAt = toRetainedAt(rows.wholeStoreRequests);
  return {
    connection: toConnectionState(ctx, shop, tenant, toChannels(ctx, tenant, rows.circuits)),
    guide: toSetupGuide(ctx, shop, { tenant, progress }),
    health: {
      ...toStoreHealth(tenant, progress, rows.problems, keptAt),
      isBannerLate: isLate && progress.hasEmbed,
    },
  };
}
