// Whether the platform asked to delete a store that is installed: its merchant is told that everything was kept.
import type { Ctx } from "../../context.server.ts";
import { PLATFORM } from "../../runtime/database.ts";
import type { Tenant } from "../tenants/tenant.ts";
import { storeKey } from "./privacy-requests.ts";

/** Longer than this it is no news to the merchant. */
const SHOWN_DAYS = 30;

/** When the last request to delete this store was answered by keeping it; null when there was none lately. */
export async function findRetainedStore(ctx: Ctx, tenant: Tenant): Promise<Date | null> {
  const [last] = await ctx.regions
    .get(tenant.region)
    .forTenant(PLATFORM)
    .sql<{ state: string; completed_at: Date }>(
      `SELECT state, completed_at FROM privacy_requests
       WHERE shop = $1 AND kind = 'shop_redact' AND subject_hmac = $2 AND completed_at > clock_timestamp() - make_interval(days => ${SHOWN_DAYS})
       ORDER BY completed_at DESC LIMIT 1`,
      [storeKey(ctx, tenant.shop)],
    );
  return last?.state === "retained" ? last.completed_at : null;
}
