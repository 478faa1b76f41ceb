// Deletes a store's access log up to a date, in small statements.
import type { Ctx } from "../../../context.server.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";

const ROWS_PER_STATEMENT = 5_000;

/** Deletes rows older than `before`. Returns how many. Safe to repeat and to run twice at once. */
export async function deleteAccessesBefore(
  ctx: Ctx,
  tenant: Tenant,
  before: Date,
): Promise<number> {
  const { prisma } = dataOf(ctx, tenant);
  for (let total = 0; ;) {
    const { count } = await prisma.accessLog.deleteMany({
      where: { created_at: { lt: before } },
      limit: ROWS_PER_STATEMENT,
    });
    total += count;
    if (count < ROWS_PER_STATEMENT) return total;
  }
}
