// Whether the setup guide is shown on Home.
import type { Ctx } from "../../../context.server.ts";
import { deleteKey, findKey, putKey } from "../../../runtime/database/kv.ts";
import { KEYS } from "../../../runtime/database/kv-keys.ts";
import { dataOf, findTenant, type Tenant } from "../../tenants/tenant.ts";

/** Whether the merchant took the guide off Home. It stays a page of its own. */
export const isGuideDismissed = async (ctx: Ctx, tenant: Tenant): Promise<boolean> =>
  (await findKey(dataOf(ctx, tenant).sql, KEYS.guideDismissed)) !== null;

export async function setGuideDismissed(
  ctx: Ctx,
  shop: string,
  isDismissed: boolean,
): Promise<void> {
  const tenant = await findTenant(ctx, shop);
  if (!tenant) return;
  const { sql } = dataOf(ctx, tenant);
  if (isDismissed) await putKey(sql, KEYS.guideDismissed, { at: ctx.clock.now().toISOString() });
  else await deleteKey(sql, KEYS.guideDismissed);
}
