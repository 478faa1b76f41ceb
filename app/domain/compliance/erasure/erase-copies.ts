// What was archived and kept for a while of accounts that their owners deleted. The deletion empties the rows
// at once and leaves a mark; the archive is in another system, and the key-value store is walked in slices, so
// both follow with the scheduled run.
import type { Ctx } from "../../../context.server.ts";
import type { Database, TenantPrisma } from "../../../db.server.ts";
import { deleteKey } from "../../../runtime/database/kv.ts";
import { KEYS } from "../../../runtime/database/kv-keys.ts";
import {
  deletedGid,
  markDeletedAccount,
  type DeletedAccount,
} from "../../customers/deleted-account.ts";
import { emptyDeliveries } from "../../identity/account-deletion.ts";
import { clearAccount, clearPurchases } from "../../identity/clear-account.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { eraseArchived } from "./erase-outside.ts";
import { tableSlices } from "./table-slices.ts";

const AT_ONCE = 200;
/** By `kv_deleted_accounts_idx`: most keys of a store belong to its events. */
const FIND_MARKS = `
  SELECT value FROM kv WHERE shop = $1 AND left(key, 16) = '${KEYS.deletedAccount("")}' ORDER BY key LIMIT $2`;

/** Null when no account was deleted. Safe to repeat: a mark is deleted after its objects. */
export async function eraseCopies(
  ctx: Ctx,
  tenant: Tenant,
): Promise<{ accounts: number; objects: number } | null> {
  const { sql, prisma } = dataOf(ctx, tenant);
  const marks = await sql<{ value: DeletedAccount }>(FIND_MARKS, [AT_ONCE]);
  if (marks.length === 0) return null;
  const userIds = marks.map(({ value }) => value.user_id);
  await deleteKeptAnswers(ctx.regions.get(tenant.region), tenant.shop, userIds.map(String));
  await deleteMergedAccounts(ctx, tenant, userIds);
  let [accounts, objects] = [0, 0];
  for (const { value: mark } of marks) {
    const gid = deletedGid(ctx, tenant.shop, mark);
    const named = {
      entity_type: "customer",
      entity_id: { in: [String(mark.user_id), ...(gid ? [gid] : [])] },
    };
    // What is delivered later is archived later: the next run looks again.
    if (await isDelivering(prisma, named)) continue;
    // A delivery that was under way during the deletion has kept what it sent.
    await emptyDeliveries(sql, { id: mark.user_id, storefront_customer_gid: gid });
    const eventIds = await findEventIds(prisma, named);
    objects += await eraseArchived(ctx, tenant, { ...NOBODY, eventIds });
    await deleteKey(sql, KEYS.deletedAccount(String(mark.user_id)));
    accounts += 1;
  }
  return { accounts, objects };
}

/** The events alone: texts that mention the customer belong to orders, which stay. */
const NOBODY = { userIds: [], gids: [], emails: [], phones: [], names: [], orders: [] };

/** Those that the store had merged into them. Each leaves its own mark, for the next run. */
async function deleteMergedAccounts(
  ctx: Ctx,
  tenant: Tenant,
  userIds: readonly number[],
): Promise<void> {
  const data = dataOf(ctx, tenant);
  const merged = await data.prisma.storefrontUser.findMany({
    select: { id: true, merged_into: true },
    where: {
      merged_into: { in: [...userIds] },
      status: "deleted",
      OR: [{ email: { not: null } }, { full_name: { not: null } }, { phone_hash: { not: null } }],
    },
  });
  for (const { id, merged_into: into } of merged)
    await data.transaction(async (sql, prisma) => {
      await clearPurchases(sql, [id]);
      await clearAccount({ sql, prisma }, id, into);
      await emptyDeliveries(sql, { id, storefront_customer_gid: null });
      await markDeletedAccount(ctx, sql, tenant.shop, { userId: id, gid: null });
    });
}

/**
 * Answers kept for a repeated request, pages of orders, links that were mailed. The marks themselves stay until
 * the archive is done.
 */
async function deleteKeptAnswers(
  database: Database,
  shop: string,
  userIds: readonly string[],
): Promise<void> {
  const { sql } = database.forTenant(shop);
  for await (const { condition, values } of tableSlices(database, shop, "kv", 4))
    await sql(
      `DELETE FROM kv WHERE shop = $1 AND jsonb_typeof(value) = 'object'
        AND value->>'user_id' = ANY($2::text[]) AND NOT starts_with(key, $3) AND ${condition}`,
      [userIds, KEYS.deletedAccount(""), ...values],
    );
}

type Named = { entity_type: string; entity_id: { in: string[] } };

async function isDelivering(prisma: TenantPrisma, named: Named): Promise<boolean> {
  const row = await prisma.integrationQueue.findFirst({
    select: { id: true },
    where: { ...named, status: { in: ["pending", "processing", "ready"] } },
  });
  return row !== null;
}

async function findEventIds(prisma: TenantPrisma, where: Named): Promise<string[]> {
  const select = { event_id: true };
  const rows = [
    ...(await prisma.eventLedger.findMany({ select, where })),
    ...(await prisma.integrationQueue.findMany({ select, where })),
  ];
  return [...new Set(rows.map(({ event_id: id }) => id))];
}
