// Finds the accounts of a privacy request: by the storefront's id, by address, by phone number.
import type { Ctx } from "../../context.server.ts";
import type { Columns, StorefrontUser, TenantSql } from "../../db.server.ts";
import { phoneHash } from "../customers/storefront-columns.ts";
import { tombstoneOf } from "../customers/tombstones.ts";
import type { Tenant } from "../tenants/tenant.ts";
import type { Subject } from "./subject.ts";

export type MatchedAccount = Columns<
  StorefrontUser,
  | "id"
  | "email"
  | "unproven_email"
  | "full_name"
  | "first_name"
  | "last_name"
  | "storefront_customer_gid"
  | "phone_hash"
  | "status"
  | "federated_sub"
  | "cms_item_id"
>;

// Each way to find an account has its index; joined by OR they would be searched by none, but by reading every customer.
// The limits change no result, because one account at most waits for an address: without them the planner expects many.
//
// The gid is also in the federated identity of the storefront. Gid and address are on the tombstones of
// a customer who was deleted earlier, by the storefront or here: `customers/redact` usually follows
// `customers/delete`, when the account has lost both.
const MATCHES = `
    SELECT id FROM storefront_users WHERE shop = $1 AND storefront_customer_gid = $2
    UNION SELECT id FROM storefront_users WHERE shop = $1 AND lower(email) = $3
    UNION (SELECT id FROM storefront_users WHERE shop = $1 AND lower(unproven_email) = $3 LIMIT 1)
    UNION (SELECT waiting.id FROM storefront_users named
      JOIN storefront_users waiting ON waiting.shop = $1 AND lower(waiting.unproven_email) = lower(named.email)
      WHERE named.shop = $1 AND named.storefront_customer_gid = $2 LIMIT 1)
    UNION SELECT user_id FROM identity_links WHERE shop = $1 AND provider = 'storefront' AND sub IN ($2, $4)
    UNION SELECT user_id FROM customer_tombstones WHERE shop = $1
      AND ((kind = 'gid' AND subject_hmac = $5) OR (kind = 'email' AND subject_hmac = $7))
    UNION SELECT id FROM storefront_users WHERE shop = $1 AND phone_hash = $6
      AND (storefront_customer_gid IS NULL OR $2::text IS NULL) AND (email IS NULL OR $3::text IS NULL)`;

// With the ended accounts that were merged into theirs: a store that merges two customers names the kept one only.
const FIND = `
  WITH RECURSIVE matching AS (${MATCHES}),
  people AS (
    SELECT id FROM matching
    UNION SELECT m.id FROM people p JOIN storefront_users m ON m.shop = $1 AND m.merged_into = p.id
      AND m.status = 'deleted'
  )
  SELECT id, email, unproven_email, full_name, first_name, last_name, storefront_customer_gid,
    phone_hash, status, federated_sub, cms_item_id FROM storefront_users u
  WHERE shop = $1 AND id IN (SELECT id FROM people) ORDER BY id`;

/** Families share phone numbers: a match by phone is ignored when the other identifiers differ. */
export async function findPeople(
  ctx: Ctx,
  { shop }: Tenant,
  sql: TenantSql,
  subject: Subject,
  { lock }: { lock?: boolean } = {},
): Promise<MatchedAccount[]> {
  const { gid = null, email = null, phone } = subject;
  const digits = gid?.slice(gid.lastIndexOf("/") + 1) ?? null;
  return sql<MatchedAccount>(lock ? `${FIND} FOR UPDATE` : FIND, [
    gid,
    email,
    digits,
    gid ? tombstoneOf(ctx, shop, "gid", gid) : null,
    // Phone numbers without a digit would all be the same.
    phone && /\d/.test(phone) ? phoneHash(ctx, shop, phone) : null,
    email ? tombstoneOf(ctx, shop, "email", email) : null,
  ]);
}

/** Whether the account is deleted and holds no identifier of the person any more. */
export const isErased = (person: MatchedAccount): boolean =>
  person.status === "deleted" &&
  [
    person.email,
    person.unproven_email,
    person.full_name,
    person.first_name,
    person.last_name,
    person.storefront_customer_gid,
    person.phone_hash,
    person.federated_sub,
  ].every((value) => value === null);
