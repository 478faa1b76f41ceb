// Finds the account of an identity that a provider proved (DECISIONS 6). Matching order:
//
//   1. issuer and subject, unless that account is another storefront customer's
//   2. the storefront's customer id
//   3. the email address, only when the provider verified it
//
// An account that the storefront deleted leaves its address, and its subject at the storefront, to a new
// customer; the deleted customer itself stays deleted.
import type { Ctx } from "../../../context.server.ts";
import type { Transaction } from "../../../db.server.ts";
import { awaitDeletions, isDeletedHere } from "../../customers/tombstones.ts";
import { hasWayIn } from "../../customers/unproven-account.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import {
  ACCOUNT_COLUMNS,
  findAccountByEmail,
  findWaitingAccount,
  type Account,
} from "../account.ts";
import type { ProvenIdentity } from "./providers.ts";

/** `account` null: the identity gets a new account. */
export type Matched = { account: Account; how: "identity" | "gid" | "email" } | { account: null };
type Match = Matched | { refused: "account_exists" | "account_unavailable" };

/** `formerId`: the account that the subject is linked to and that is not the identity's. */
type Found = Match & { formerId: number | null };

const columns = ACCOUNT_COLUMNS.map((column) => `u.${column}`).join(", ");

/** Locks the accounts that it returns. */
export async function findMatch(
  ctx: Ctx,
  tenant: Tenant,
  tx: Transaction,
  identity: ProvenIdentity,
): Promise<Found> {
  // Before any row is locked: a running deletion may wait for one.
  if (identity.gid) await awaitDeletions(tx.sql, [identity.gid]);
  const linked = await findLinked(tx, identity);
  if (linked && decides(linked, identity))
    return { account: linked, how: "identity", formerId: null };
  const match = await matchByCustomerOrEmail(ctx, tenant, tx, identity);
  if ("refused" in match && match.refused === "account_exists") {
    // It may be the account of the same person: another first sign-in at the same moment has made it since.
    const made = await findLinked(tx, identity);
    if (made && decides(made, identity)) return { account: made, how: "identity", formerId: null };
  }
  return { ...match, formerId: linked?.id ?? null };
}

/** Whether this subject signed in before. */
export async function isLinked(
  ctx: Ctx,
  tenant: Tenant,
  { issuer, sub }: Pick<ProvenIdentity, "issuer" | "sub">,
): Promise<boolean> {
  const link = await dataOf(ctx, tenant).prisma.identityLink.findFirst({
    where: { issuer, sub },
    select: { user_id: true },
  });
  return link !== null;
}

async function findLinked(
  { sql }: Transaction,
  { issuer, sub }: ProvenIdentity,
): Promise<Account | null> {
  const [linked] = await sql<Account>(
    `SELECT ${columns} FROM identity_links l JOIN storefront_users u ON u.shop = l.shop
      AND u.id = l.user_id WHERE l.shop = $1 AND l.issuer = $2 AND l.sub = $3 FOR UPDATE OF u`,
    [issuer, sub],
  );
  return linked ?? null;
}

/**
 * Whether the account of the subject is the identity's. The storefront names its customer, so the account of
 * another customer is not; nor is a deleted one. A suspension holds whatever customer is named.
 */
function decides({ status, storefront_customer_gid: own }: Account, { gid }: ProvenIdentity) {
  if (gid === null || own === gid || status === "suspended") return true;
  return own === null && status === "active";
}

async function matchByCustomerOrEmail(
  ctx: Ctx,
  tenant: Tenant,
  tx: Transaction,
  identity: ProvenIdentity,
): Promise<Match> {
  const [customer] = identity.gid
    ? await tx.sql<Account>(
        `SELECT ${columns} FROM storefront_users u WHERE u.shop = $1 AND u.storefront_customer_gid = $2 FOR UPDATE`,
        [identity.gid],
      )
    : [];
  if (customer) return { account: customer, how: "gid" };
  // A customer whose account was deleted here stays deleted, also when the account had never used this
  // sign-in method.
  if (identity.gid && (await isDeletedHere(ctx, tx.sql, tenant.shop, identity.gid)))
    return { refused: "account_unavailable" };
  return matchByEmail(tx, identity);
}

async function matchByEmail(tx: Transaction, identity: ProvenIdentity): Promise<Match> {
  const owner = identity.email
    ? await findAccountByEmail(tx.sql, identity.email, { lock: true })
    : null;
  if (!owner || isLeftByStore(owner)) {
    const isTaken =
      identity.email !== null &&
      !identity.isEmailVerified &&
      (await findWaitingAccount(tx.sql, identity.email)) !== null;
    return isTaken ? { refused: "account_exists" } : { account: null };
  }
  if (owner.status !== "active") return { refused: "account_unavailable" };
  // The mailbox may have been reassigned: the account stays with its first owner. One whose address was never
  // proven has no owner yet, and its other ways in end with this sign-in (prove-address.ts), except a storefront's.
  const mayHaveOwner = owner.email_verified || identity.gid !== null;
  const other =
    mayHaveOwner &&
    (await tx.prisma.identityLink.findFirst({
      where: { user_id: owner.id, issuer: identity.issuer, sub: { not: identity.sub } },
    }));
  if (!identity.isEmailVerified || other || (await isOfOtherCustomer(tx, owner, identity)))
    return { refused: "account_exists" };
  return { account: owner, how: "email" };
}

/**
 * Whether the account is another customer's: one who signed in with the storefront. The customer of any other
 * account was found, or created, by the address alone, which the storefront now gives to this one.
 */
async function isOfOtherCustomer(
  { prisma }: Transaction,
  owner: Account,
  { gid }: ProvenIdentity,
): Promise<boolean> {
  const own = owner.storefront_customer_gid;
  if (gid === null || own === null || own === gid) return false;
  if (owner.provider === "storefront" || !hasWayIn(owner)) return true;
  const where = { user_id: owner.id, provider: "storefront" };
  return (await prisma.identityLink.count({ where })) > 0;
}

/** The storefront deleted the customer, who had no other way to sign in. */
const isLeftByStore = (account: Account): boolean =>
  account.status === "deleted" &&
  account.storefront_customer_gid === null &&
  account.password_hash === "" &&
  account.federated_sub === null;
