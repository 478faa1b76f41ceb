// Who is in a segment now, for whatever acts on its customers.
import type { Ctx } from "../../../context.server.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { selectionOf } from "../list/customer-selection.ts";

/** Throws `not_found` for an unknown segment. False for a customer that is unknown or deleted. */
export async function isInSegment(
  ctx: Ctx,
  tenant: Tenant,
  userId: number,
  segmentId: string,
): Promise<boolean> {
  const condition = await selectionOf(ctx, tenant, { segment: segmentId }, 3);
  const [found] = await dataOf(ctx, tenant).sql(
    `SELECT 1 FROM storefront_users u WHERE ${condition.sql} AND u.id = $2
      AND u.status <> 'deleted'`,
    [userId, ...condition.values],
  );
  return found !== undefined;
}
