// `GET /commerce/returns/:rma` (DECISIONS 11). The warehouse files returns by the order alone, in its own words; whose they
// are is asked of the storefront, once.
import type { Ctx } from "../../context.server.ts";
import type { Person } from "../identity/account.ts";
import { AppError } from "../../runtime/errors.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { customerOf, findOrder, hasOrderNamed, toOrderGid } from "./orders.ts";

type Unit = { serial: string; mpn?: string | null; received_at: string };
type ReturnRow = {
  rma: string;
  order_id: string | null;
  user_id: number | null;
  status: string;
  units: Unit[];
};

/** `person` null: whoever holds the admin key. Somebody else's is `not_found`. */
export async function getReturn(ctx: Ctx, tenant: Tenant, person: Person | null, rma: string) {
  const [row] = await dataOf(ctx, tenant).sql<ReturnRow>(
    "SELECT rma, order_id, user_id, status, units FROM return_cases WHERE shop = $1 AND rma = $2",
    [rma],
  );
  if (!row || (person && !(await isOwner(ctx, tenant, person, row))))
    throw new AppError("not_found");
  // Workers file units side by side: the order in which they stand says nothing.
  const units = row.units
    .toSorted(
      (one, other) =>
        one.received_at.localeCompare(other.received_at) || one.serial.localeCompare(other.serial),
    )
    .map(({ serial, mpn, received_at }) => ({ serial, mpn: mpn ?? null, received_at }));
  return { return: { rma: row.rma, order_id: row.order_id, status: row.status, units } };
}

async function isOwner(
  ctx: Ctx,
  tenant: Tenant,
  { account }: Person,
  { rma, order_id: order, user_id: owner }: ReturnRow,
): Promise<boolean> {
  if (!customerOf(account) || order === null) return false;
  if (owner === account.id) return true;
  // A number may be an order's id or the digits of its name.
  const isOwn =
    (toOrderGid(order) !== null && (await findOrder(ctx, tenant, account, order)) !== null) ||
    (await hasOrderNamed(ctx, tenant, account, order));
  // The storefront shows orders of the last 60 days: what it said once is kept, and is how a redaction finds the case.
  if (isOwn)
    await dataOf(ctx, tenant).sql(
      "UPDATE return_cases SET user_id = $3 WHERE shop = $1 AND rma = $2 AND order_id = $4",
      [rma, account.id, order],
    );
  return isOwn;
}
