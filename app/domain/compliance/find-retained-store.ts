// Whether the platform asked to delete an installed store: the merchant is informed that everything
// was kept.
import type { Ctx } from "../../context.server.ts";
import { PLATFORM, type Columns, type PrivacyRequest } from "../../db.server.ts";
import type { Tenant } from "../tenants/tenant.ts";
import { storeKey } from "./privacy-requests.ts";

/** The notice is shown for at most this long. */
const SHOWN_DAYS = 30;

/**
 * When the last request to delete this store was answered by keeping it; null without a recent one.
 */
export async function findRetainedStore(ctx: Ctx, tenant: Tenant): Promise<Date | null> {
  const [last] = await ctx.regions
    .get(tenant.region)
    .forTenant(PLATFORM)
    .sql<Columns<PrivacyRequest, "state" | "completed_at"> & { completed_at: Date }>(
      `SELECT state, completed_at FROM privacy_requests
       WHERE shop = $1 AND kind = 'shop_redact' AND subject_hmac = $2
         AND completed_at > clock_timestamp() - make_interval(days => ${SHOWN_DAYS})
       ORDER BY completed_at DESC LIMIT 1`,
      [storeKey(ctx, tenant.shop)],
    );
  return last?.state === "retained" ? last.completed_at : null;
}
