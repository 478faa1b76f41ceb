// What Home shows at once, before the metrics: the connection, the setup guide and what needs the
// merchant. Read before the page is sent: a later banner would cause a layout shift.
import type { Ctx } from "../../../context.server.ts";
import { readConnectionState, type ConnectionState } from "../../tenants/connection-state.ts";
import type { Tenant } from "../../tenants/tenant.ts";
import { readProgress, toSetupGuide, type SetupGuide } from "../setup-guide.ts";
import { NO_PROBLEMS, readProblems, toStoreHealth, type StoreHealth } from "./store-overview.ts";

export type Home = { connection: ConnectionState; guide: SetupGuide; health: StoreHealth };

/** `tenant`: null for a store that was never connected. */
export async function readHome(ctx: Ctx, shop: string, tenant: Tenant | null): Promise<Home> {
  const [connection, store] = await Promise.all([
    readConnectionState(ctx, shop, tenant),
    tenant && readStore(ctx, tenant),
  ]);
  return {
    connection,
    guide: toSetupGuide(ctx, shop, store),
    health: store?.health ?? NO_PROBLEMS,
  };
}

async function readStore(ctx: Ctx, tenant: Tenant) {
  const [progress, problems] = await Promise.all([
    readProgress(ctx, tenant),
    readProblems(ctx, tenant),
  ]);
  return { tenant, progress, health: toStoreHealth(tenant, progress, problems) };
}
