// Deleted customers: no webhook and no sync restores one.
import type { Ctx } from "../../context.server.ts";
import type { Columns, CustomerTombstone, TenantSql } from "../../db.server.ts";
import { anyLength } from "../../runtime/database/array-parameters.ts";
import type { CustomerChange } from "./customer-change.ts";

/**
 * A tombstoned gid is never recreated; nor is an address whose customer record is older than its
 * deletion.
 */
export async function isGone(
  ctx: Ctx,
  sql: TenantSql,
  shop: string,
  change: CustomerChange,
): Promise<boolean> {
  const tombs = await sql<Columns<CustomerTombstone, "kind" | "created_at">>(
    `SELECT kind, created_at FROM customer_tombstones WHERE shop = $1 AND ((kind = 'gid'
      AND subject_hmac = $2) OR (kind = 'email' AND subject_hmac = $3))`,
    [
      tombstoneOf(ctx, shop, "gid", change.gid),
      tombstoneOf(ctx, shop, "email", change.email ?? ""),
    ],
    "find_tombstones",
  );
  return tombs.some(
    ({ kind, created_at: buriedAt }) =>
      kind === "gid" || !change.createdAt || change.createdAt <= buriedAt,
  );
}

/**
 * Whether the customer of this gid was deleted here. A deletion by a person who had not verified the address does
 * not count as the customer's.
 */
export async function isDeletedHere(
  ctx: Ctx,
  sql: TenantSql,
  shop: string,
  gid: string,
): Promise<boolean> {
  const tombs = await sql(
    "SELECT 1 FROM customer_tombstones WHERE shop = $1 AND kind = 'gid' AND subject_hmac = $2 AND NOT unproven",
    [tombstoneOf(ctx, shop, "gid", gid)],
  );
  return tombs.length > 0;
}

/** Of a customer whom the storefront has proven: a stranger's deletion with their address is no longer theirs. */
export async function liftUnprovenTombstones(
  ctx: Ctx,
  sql: TenantSql,
  shop: string,
  customer: { gid: string | null; email: string | null },
): Promise<void> {
  await sql(
    `DELETE FROM customer_tombstones WHERE shop = $1 AND unproven AND ((kind = 'gid'
      AND subject_hmac = $2) OR (kind = 'email' AND subject_hmac = $3))`,
    [
      tombstoneOf(ctx, shop, "gid", customer.gid ?? ""),
      tombstoneOf(ctx, shop, "email", customer.email ?? ""),
    ],
  );
}

/**
 * Waits for running deletions of these customers, and lets later ones wait for this transaction. To
 * be called before an account gets a gid; the tombstones are read after it.
 */
export async function awaitDeletions(sql: TenantSql, gids: readonly string[]): Promise<void> {
  await sql(
    `SELECT pg_advisory_xact_lock_shared(hashtextextended(shop || ' ' || gid, 0))
      FROM (SELECT $1::text AS shop) AS named, unnest(${anyLength(2, "text")}) AS gid WHERE shop = $1`,
    [gids],
    "await_deletions",
  );
}

export function tombstoneOf(ctx: Ctx, shop: string, kind: "gid" | "email", value: string): string {
  return ctx.secrets.pseudonym(`${shop}/tombstone/${kind}`, value);
}
