// The cart of a checkout whose transaction failed.
import type { Ctx } from "../../../context.server.ts";
import {
  isDatabaseAway,
  isPassingDatabaseError,
} from "../../../runtime/database/postgres-errors.ts";
import type { Person } from "../../identity/account.ts";
import { dataOf, findTenant, type Tenant } from "../../tenants/tenant.ts";
import type { Cart } from "./cart.ts";
import { discardCart } from "./draft-order.ts";

/** A draft order without a checkout would stay in the merchant's list forever. `id`: the checkout it is made for. */
export async function discardCartOnError<T>(
  ctx: Ctx,
  tenant: Tenant,
  person: Person,
  { id, cart }: { id: string; cart: Cart },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isUsed =
      cart.source === "draft_order" &&
      isDatabaseAway(error) &&
      (await mayBeUsed(ctx, tenant, person, { id, cart }));
    if (!isUsed) await discardCart(ctx, tenant, cart);
    throw error;
  }
}

/**
 * Whether the checkout was committed with this cart although the connection broke before the answer came.
 * Waits for a commit that is still under way, which holds the caller's row. True also when the database does
 * not answer: a draft order too many does less harm than a checkout without one.
 */
async function mayBeUsed(
  ctx: Ctx,
  tenant: Tenant,
  person: Person,
  { id, cart }: { id: string; cart: Cart },
): Promise<boolean> {
  try {
    const current = (await findTenant(ctx, tenant.shop)) ?? tenant;
    return await dataOf(ctx, current).transaction(async (sql) => {
      await sql("SELECT 1 FROM storefront_users WHERE shop = $1 AND id = $2 FOR NO KEY UPDATE", [
        person.account.id,
      ]);
      const rows = await sql(
        "SELECT 1 FROM checkout_sessions WHERE shop = $1 AND id = $2 AND external_id = $3",
        [id, cart.externalId],
      );
      return rows.length > 0;
    });
  } catch (error) {
    if (!isPassingDatabaseError(error)) throw error;
    return true;
  }
}
