// An account as stored, and as returned to its owner.
import type {
  Columns,
  NullableColumns,
  StorefrontUser,
  TenantSql,
  Transaction,
  UserClaims,
} from "../../db.server.ts";
import { CONSENT_TYPES, consentColumn, type ConsentFlags } from "../consent/consent-types.ts";

export const ACCOUNT_COLUMNS = [
  "id",
  "email",
  "unproven_email",
  "merged_into",
  "password_hash",
  "full_name",
  "first_name",
  "last_name",
  "avatar_url",
  "provider",
  "federated_sub",
  "storefront_customer_gid",
  "status",
  "language_pref",
  "tags",
  "number_of_orders",
  "amount_spent",
  "email_subscription_status",
  "sms_subscription_status",
  "country",
  "last_login_at",
  "updated_at",
  "email_verified",
  "sessions_valid_after",
  "cms_item_id",
] as const satisfies readonly (keyof StorefrontUser)[];

export type Account = Columns<StorefrontUser, (typeof ACCOUNT_COLUMNS)[number]> & {
  tags: string[];
};

/** Locks the row until the transaction ends. */
type Lock = { lock?: boolean };

/** The active account of an address; a deleted one only when there is no other. */
export async function findAccountByEmail(
  sql: TenantSql,
  email: string,
  { lock }: Lock = {},
): Promise<Account | null> {
  const [row] = await sql<Account>(
    `SELECT ${ACCOUNT_COLUMNS.join(", ")} FROM storefront_users WHERE shop = $1
      AND lower(email) = $2 ORDER BY (status = 'deleted') LIMIT 1 ${lock ? "FOR UPDATE" : ""}`,
    [email],
  );
  return row ?? null;
}

/** A customer that the storefront deleted left the address: the next account gets it. */
export async function freeAddressOf(
  { prisma }: Pick<Transaction, "prisma">,
  known: Account | null,
): Promise<void> {
  if (known?.status !== "deleted") return;
  await prisma.storefrontUser.updateMany({
    where: { id: known.id, status: "deleted" },
    data: { email: null },
  });
}

/**
 * The account for a sign-in with this address: the one that has the address, or, while that one has no
 * password, a sign-up waiting for verification.
 */
export async function findSignInAccount(sql: TenantSql, email: string): Promise<Account | null> {
  const [row] = await sql<Account>(
    `SELECT ${ACCOUNT_COLUMNS.join(", ")} FROM storefront_users
     WHERE shop = $1 AND (lower(email) = $2 OR lower(unproven_email) = $2)
     ORDER BY (status = 'deleted'), (password_hash = ''), (email IS NULL) LIMIT 1`,
    [email],
  );
  return row ?? null;
}

/** The sign-up waiting for this address's verification. */
export async function findWaitingAccount(
  sql: TenantSql,
  email: string,
  { lock }: Lock = {},
): Promise<Account | null> {
  const [row] = await sql<Account>(
    `SELECT ${ACCOUNT_COLUMNS.join(", ")} FROM storefront_users
     WHERE shop = $1 AND lower(unproven_email) = $2 AND unproven_email IS NOT NULL ${lock ? "FOR UPDATE" : ""}`,
    [email],
  );
  return row ?? null;
}

export async function findAccount(
  sql: TenantSql,
  id: number,
  { lock }: Lock = {},
): Promise<Account | null> {
  const [row] = await sql<Account>(
    `SELECT ${ACCOUNT_COLUMNS.join(", ")} FROM storefront_users WHERE shop = $1
      AND id = $2 ${lock ? "FOR UPDATE" : ""}`,
    [id],
  );
  return row ?? null;
}

export async function getAccount(sql: TenantSql, id: number, options?: Lock): Promise<Account> {
  const account = await findAccount(sql, id, options);
  if (!account) throw new Error(`account ${id} is gone`);
  return account;
}

type Address = Pick<Account, "email" | "unproven_email">;

/** Whether another row has the address of this account until it is verified. */
export const isWaiting = (account: Address): boolean => account.unproven_email !== null;

/** The address as its owner submitted it, verified or not. */
export const emailOf = (account: Address): string | null => account.email ?? account.unproven_email;

/** Whether the owner is verified as the storefront's customer, by mail or by signing in there. */
export const isProven = (account: Account): boolean =>
  !isWaiting(account) && (account.email_verified || account.provider === "storefront");

/**
 * DECISIONS 6 "user object". The storefront's data of a customer is returned only to the verified
 * customer: anyone can sign up with another person's address.
 */
export function toUser(account: Account) {
  const shown = isProven(account);
  return {
    id: account.id,
    email: emailOf(account),
    full_name: account.full_name,
    first_name: account.first_name,
    last_name: account.last_name,
    avatar_url: account.avatar_url,
    provider: account.provider,
    status: account.status,
    language_pref: account.language_pref,
    tags: shown ? account.tags : [],
    number_of_orders: shown ? account.number_of_orders : 0,
    amount_spent: shown ? account.amount_spent : 0,
    email_subscription_status: shown ? account.email_subscription_status : null,
    sms_subscription_status: shown ? account.sms_subscription_status : null,
    country: shown ? account.country : null,
    storefront_customer_gid: shown ? account.storefront_customer_gid : null,
    email_verified: account.email_verified,
    last_login_at: account.last_login_at?.toISOString() ?? null,
    updated_at: account.updated_at.toISOString(),
  };
}

export type User = ReturnType<typeof toUser>;

/** Null where there is no row of claims. */
export type ClaimRow = NullableColumns<UserClaims, `consent_${(typeof CONSENT_TYPES)[number]}`>;

export const CLAIM_FLAGS = CONSENT_TYPES.map(consentColumn);

export function toConsents(claims: ClaimRow): ConsentFlags {
  return Object.fromEntries(
    CONSENT_TYPES.map((type) => [type, claims[consentColumn(type)] ?? false]),
  ) as ConsentFlags;
}

/**
 * An account with its consents, as returned to callers that act for its owner; `clientId` when that
 * is an agent with its own token, of the grant `grantId`. `isAgent`: an agent, with its own token or the
 * shopper's, that may act only while `consent_a2a` is granted.
 */
export type Person = {
  account: Account;
  consents: ConsentFlags;
  clientId?: string;
  grantId?: string;
  isAgent?: true;
};

export async function findPerson(sql: TenantSql, id: number): Promise<Person | null> {
  const columns = [
    ...ACCOUNT_COLUMNS.map((column) => `u.${column}`),
    ...CLAIM_FLAGS.map((flag) => `c.${flag}`),
  ];
  const [row] = await sql<Account & ClaimRow>(
    `SELECT ${columns.join(", ")} FROM storefront_users u LEFT JOIN user_claims c ON c.shop = u.shop
      AND c.user_id = u.id WHERE u.shop = $1 AND u.id = $2`,
    [id],
  );
  return row ? { account: row, consents: toConsents(row) } : null;
}
