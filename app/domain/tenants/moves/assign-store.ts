// Assigns a store without rows to another cell. Its writes are closed at the cell that it leaves before anybody
// looks for rows, so that none is written between the look and the change of the record, or after it by a process
// that has the old record.
import type { Ctx } from "../../../context.server.ts";
import {
  OwnerBehindPooler,
  type OwnerConnection,
} from "../../../runtime/database/cells/owner-connection.ts";
import { AppError } from "../../../runtime/errors.ts";
import { isLockTimeout } from "../../../runtime/database/postgres-errors.ts";
import { changeTenantRecord } from "../tenant-record.ts";
import { findTenant, type Tenant } from "../tenant.ts";
import { closeForGood, dropGuards, findHolder, putGuards, removeHold } from "./barrier.ts";
import { findRows, readMovedTables } from "./moved-tables.ts";
import { CellAway, openCell } from "./open-cell.ts";
import { findNoOwner, findOneDatabase } from "./prerequisites.ts";

/**
 * Returns a table with rows of the store, which then stays where it is; null when it is assigned. Throws
 * `move_not_possible` with what is missing, and `database_unavailable`.
 */
export async function assignStore(ctx: Ctx, tenant: Tenant, to: string): Promise<string | null> {
  const opened: OwnerConnection[] = [];
  try {
    for (const cell of [tenant.region, to]) opened.push(await openCell(ctx, cell));
    const [source, target] = opened as [OwnerConnection, OwnerConnection];
    const missing = [
      ...(await findOneDatabase(source, target, { from: tenant.region, to })),
      ...(await findNoOwner([
        [tenant.region, source],
        [to, target],
      ])),
    ];
    if (missing.length > 0) throw notPossible(missing);
    return (await findCopy(target, tenant.shop)) ?? (await assign(ctx, tenant, to, source));
  } catch (error) {
    if (error instanceof OwnerBehindPooler) throw notPossible([error.message]);
    if (error instanceof CellAway)
      throw new AppError("database_unavailable", {
        message: `The database of the cell ${error.cell} does not answer.`,
      });
    // A transaction of before did not end: the store is in use.
    if (isLockTimeout(error)) throw new AppError("store_moving");
    throw error;
  } finally {
    await Promise.all(opened.map((connection) => connection.close()));
  }
}

const notPossible = (missing: string[]) =>
  new AppError("move_not_possible", {
    message: `The store cannot be assigned yet. ${missing.join(" ")}`,
    details: { missing },
  });

/**
 * What an earlier move left at the target, which only a move deletes; null without any. What refused the store
 * there since it left is taken away.
 */
async function findCopy(target: OwnerConnection, shop: string): Promise<string | null> {
  const holder = await findHolder(target, shop);
  if (holder?.role === "arriving") return "held_stores";
  const table = await findRows(target, await readMovedTables(target), shop);
  if (table) return table;
  await dropGuards(target, shop);
  await removeHold(target, shop);
  return null;
}

async function assign(
  ctx: Ctx,
  { shop, region, version }: Tenant,
  to: string,
  source: OwnerConnection,
): Promise<string | null> {
  const id = ctx.random.orderedUuid();
  const tables = await readMovedTables(source);
  const reopen = async () => {
    await removeHold(source, shop);
    await dropGuards(source, shop, id);
  };
  try {
    // Waits for the transactions that are open: they wrote before the guards were there.
    await putGuards(source, tables, shop, id);
    const table = await closeForGood(source, shop, id, () => findRows(source, tables, shop));
    if (table) {
      await reopen();
      return table;
    }
  } catch (error) {
    await reopen().catch(() => {});
    throw error;
  }
  // A process that is killed here leaves the store's writes refused until its guards are taken down.
  const isChanged = await changeTenantRecord(ctx, shop, {
    set: { region: to },
    ifVersion: version.tenant,
  }).catch(async (error: unknown) => {
    // The answer was lost: the record says what happened.
    if ((await findTenant(ctx, shop))?.region !== to) throw error;
    return true;
  });
  if (isChanged) return null;
  await reopen();
  throw new AppError("store_moving", { message: `The store was changed meanwhile, in ${region}.` });
}
