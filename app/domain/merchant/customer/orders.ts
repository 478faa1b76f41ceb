// The newest orders of a customer, from the store's API.
import type { Ctx } from "../../../context.server.ts";
import { inTime, LATE_PART_MS } from "../../../runtime/deadlines/in-time.ts";
import { isAppError, OutboundError } from "../../../runtime/errors.ts";
import { STORE_LATE, storeProblemOf, type SystemProblem } from "../../bus/log/system-problem.ts";
import { listOrdersOf } from "../../commerce/orders.ts";
import type { Tenant } from "../../tenants/tenant.ts";

const ORDERS = 10;

type Order = Awaited<ReturnType<typeof listOrdersOf>>["orders"][number];
/** `url`: its page in the store's admin. */
export type OrderView = Order & { url: string };
export type OrdersPart =
  | { state: "known"; orders: OrderView[] }
  | { state: "none" }
  | { state: "unavailable"; problem: SystemProblem };

const orderUrl = (ctx: Ctx, { shop }: Tenant, gid: string): string =>
  ctx.storefront.adminUrl(shop, `/admin/orders/${gid.slice(gid.lastIndexOf("/") + 1)}`);

/** Calls the store's API, so it loads after the rest; never rejects. */
export async function readOrders(
  ctx: Ctx,
  tenant: Tenant,
  id: number,
  gid: string | null,
): Promise<OrdersPart> {
  if (!gid) return { state: "none" };
  const asked = listOrdersOf(
    ctx,
    tenant,
    { userId: id, customer: gid },
    { limit: ORDERS, after: null },
  ).then(
    ({ orders }): OrdersPart => ({
      state: "known",
      orders: orders.map((order) => ({ ...order, url: orderUrl(ctx, tenant, order.id) })),
    }),
    (error: unknown): OrdersPart => {
      if (!isAppError(error) && !(error instanceof OutboundError))
        ctx.log.error("customer_orders.unknown", error, { shop: tenant.shop });
      return { state: "unavailable", problem: storeProblemOf(error) };
    },
  );
  return inTime<OrdersPart>(asked, LATE_PART_MS, () => ({
    state: "unavailable",
    problem: STORE_LATE,
  }));
}
