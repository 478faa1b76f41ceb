// Deleted customers: no webhook and no sync restores one.
import type { Ctx } from "../../context.server.ts";
import type { Columns, CustomerTombstone, TenantSql } from "../../db.server.ts";
import { anyLength } from "../../runtime/database/array-parameters.ts";
import type { CustomerChange } from "./customer-change.ts";

/**
 * The gids among these changes that stay deleted. A deleted gid is never created again; nor is an
 * address, unless its customer record is newer than the deletion.
 */
export async function findDeletedGids(
  ctx: Ctx,
  sql: TenantSql,
  shop: string,
  changes: readonly CustomerChange[],
): Promise<Set<string>> {
  const subjects = changes.map((change) => ({
    change,
    gid: tombstoneOf(ctx, shop, "gid", change.gid),
    email: change.email ? tombstoneOf(ctx, shop, "email", change.email) : "",
  }));
  const tombstones = await sql<Columns<CustomerTombstone, "subject_hmac" | "created_at">>(
    `SELECT subject_hmac, created_at FROM customer_tombstones WHERE shop = $1 AND ((kind = 'gid'
      AND subject_hmac = ANY($2::text[])) OR (kind = 'email'
      AND subject_hmac = ANY($3::text[])))`,
    [subjects.map(({ gid }) => gid), subjects.map(({ email }) => email)],
    "find_tombstones",
  );
  const deletedAt = new Map(tombstones.map((row) => [row.subject_hmac, row.created_at]));
  const isDeleted = ({ change, gid, email }: (typeof subjects)[number]) => {
    const at = deletedAt.get(email);
    return (
      deletedAt.has(gid) || (at !== undefined && (!change.createdAt || change.createdAt <= at))
    );
  };
  return new Set(subjects.filter(isDeleted).map(({ change }) => change.gid));
}

export async function isDeletedCustomer(
  ctx: Ctx,
  sql: TenantSql,
  shop: string,
  change: CustomerChange,
): Promise<boolean> {
  return (await findDeletedGids(ctx, sql, shop, [change])).has(change.gid);
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
  return (await findDeletion(ctx, sql, shop, gid)) !== null;
}

/** The deletion, as above, with the account that the customer had here; null for a customer who was not deleted. */
export async function findDeletion(
  ctx: Ctx,
  sql: TenantSql,
  shop: string,
  gid: string,
): Promise<Columns<CustomerTombstone, "user_id"> | null> {
  const [tomb] = await sql<Columns<CustomerTombstone, "user_id">>(
    "SELECT user_id FROM customer_tombstones WHERE shop = $1 AND kind = 'gid' AND subject_hmac = $2 AND NOT unproven",
    [tombstoneOf(ctx, shop, "gid", gid)],
  );
  return tomb ?? null;
}

/** Whether a person was deleted here whom the store knew by this gid or address. */
export async function isDeletedPerson(
  ctx: Ctx,
  sql: TenantSql,
  shop: string,
  person: { gid: string | null; email: string | null },
): Promise<boolean> {
  const tombs = await sql(
    `SELECT 1 FROM customer_tombstones WHERE shop = $1 AND ((kind = 'gid' AND subject_hmac = $2)
      OR (kind = 'email' AND subject_hmac = $3)) LIMIT 1`,
    [
      tombstoneOf(ctx, shop, "gid", person.gid ?? ""),
      tombstoneOf(ctx, shop, "email", person.email ?? ""),
    ],
  );
  return tombs.length > 0;
}

/** Removes tombstones that an unverified account left. Call it once the storefront has authenticated the customer. */
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
