// Marks an account that its owner deleted, until what was archived of it is deleted too
// (compliance/erasure/erase-copies.ts).
import type { Ctx } from "../../context.server.ts";
import type { TenantSql } from "../../db.server.ts";
import { putKey } from "../../runtime/database/kv.ts";
import { KEYS } from "../../runtime/database/kv-keys.ts";

export type DeletedAccount = {
  user_id: number;
  /** The storefront's id, by which events of other sources name the customer; encrypted. */
  sealed_gid: string | null;
};

const sealContext = (shop: string): string => `${shop}/deleted_account`;

/** Runs in the transaction of the deletion. */
export async function markDeletedAccount(
  ctx: Ctx,
  sql: TenantSql,
  shop: string,
  { userId, gid }: { userId: number; gid: string | null },
): Promise<void> {
  const mark: DeletedAccount = {
    user_id: userId,
    sealed_gid: gid && ctx.secrets.seal(sealContext(shop), gid),
  };
  await putKey(sql, KEYS.deletedAccount(String(userId)), mark);
}

/** The storefront's id of the customer who was deleted with the account. */
export const deletedGid = (
  ctx: Ctx,
  shop: string,
  { sealed_gid: gid }: DeletedAccount,
): string | null => gid && ctx.secrets.unseal(sealContext(shop), gid);
