// The customer behind a checkout or return, for the record of an operator's access.
import type { Ctx } from "../../../context.server.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";

export async function findCheckoutOwner(ctx: Ctx, tenant: Tenant, id: string): Promise<number[]> {
  const rows = await dataOf(ctx, tenant).prisma.checkoutSession.findMany({
    select: { customer_id: true },
    where: { id },
  });
  return rows.map((row) => row.customer_id);
}

/** Empty for a return whose customer is not known yet. */
export async function findReturnOwner(ctx: Ctx, tenant: Tenant, rma: string): Promise<number[]> {
  const rows = await dataOf(ctx, tenant).prisma.returnCase.findMany({
    select: { user_id: true },
    where: { rma },
  });
  return rows.flatMap((row) => row.user_id ?? []);
}
