// `GET /commerce/returns/:rma` (DECISIONS 11). The warehouse reports returns with the order only,
// by its own name; the storefront is asked once whose order it is.
import type { Ctx } from "../../context.server.ts";
import type { ReturnCase } from "../../db.server.ts";
import type { Person } from "../identity/account.ts";
import { AppError } from "../../runtime/errors.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { customerOf, findOrder, hasOrderNamed, toOrderGid } from "./orders.ts";

type Unit = { serial: string; mpn?: string | null; received_at: string };

/** `person` null: a caller with the admin key. Another person's return is `not_found`. */
export async function getReturn(ctx: Ctx, tenant: Tenant, person: Person | null, rma: string) {
  const row = await dataOf(ctx, tenant).prisma.returnCase.findUnique({
    where: { shop_rma: { shop: tenant.shop, rma } },
  });
  if (!row || (person && !(await isOwner(ctx, tenant, person, row))))
    throw new AppError("not_found", { message: "There is no such return." });
  // Workers store units concurrently: their stored order has no meaning.
  const units = (row.units as Unit[])
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
  { rma, order_id: order, user_id: owner }: ReturnCase,
): Promise<boolean> {
  if (!customerOf(account) || order === null) return false;
  if (owner === account.id) return true;
  // A number may be an order's id or the digits of its name.
  const isOwn =
    (toOrderGid(order) !== null && (await findOrder(ctx, tenant, account, order)) !== null) ||
    (await hasOrderNamed(ctx, tenant, account, order));
  // The storefront shows orders of the last 60 days only: its answer is stored, which also lets a
  // redaction find the case.
  if (isOwn)
    await dataOf(ctx, tenant).prisma.returnCase.updateMany({
      where: { rma, order_id: order },
      data: { user_id: account.id },
    });
  return isOwn;
}
