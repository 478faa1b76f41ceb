// Resolves the account for an identity that a provider proved (DECISIONS 6). Matching order:
//
//   1. issuer and subject
//   2. the storefront's customer id
//   3. the e-mail address, only when the provider verified it
//
// An account whose address was never proven loses its password and sessions to the verified owner (prove-address.ts).
import type { Ctx } from "../../context.server.ts";
import type { TenantSql } from "../../runtime/database.ts";
import { retryOnConflict } from "../../runtime/retry-on-conflict.ts";
import { recordConsent } from "../consent/record-consent.ts";
import { tombstoneOf } from "../customers/from-storefront.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import {
  ACCOUNT_COLUMNS,
  emailOf,
  findAccountByEmail,
  findWaitingAccount,
  type Account,
} from "./account.ts";
import { enqueueAccountEvent } from "./account-events.ts";
import { enqueueMail } from "./mails.ts";
import type { OidcProvider, ProvenIdentity } from "./oidc-providers.ts";
import {
  endUnprovenWaysIn,
  endWaitingSignUp,
  lockAddress,
  proveAddress,
  type Proof,
} from "./prove-address.ts";
import type { Visit } from "./sign-up.ts";

export type IdentitySignIn =
  | { outcome: "signed_in"; account: Account }
  | { outcome: "refused"; error: "account_exists" | "account_unavailable" };

type Match =
  | { account: Account; how: "identity" | "gid" | "email" }
  | { refused: "account_exists" | "account_unavailable" }
  | null;

export async function signInWithIdentity(
  ctx: Ctx,
  tenant: Tenant,
  provider: OidcProvider,
  identity: ProvenIdentity,
  visit: Visit,
): Promise<IdentitySignIn> {
  return retryOnConflict(() =>
    dataOf(ctx, tenant).transaction((sql) =>
      signInOnce(ctx, tenant, sql, provider, identity, visit),
    ),
  );
}

async function signInOnce(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  provider: OidcProvider,
  identity: ProvenIdentity,
  visit: Visit,
): Promise<IdentitySignIn> {
  const match = await findMatch(ctx, tenant, sql, identity);
  if (match && "refused" in match) return { outcome: "refused", error: match.refused };
  if (match && match.account.status !== "active")
    return { outcome: "refused", error: "account_unavailable" };
  const isNew = match === null;
  const isNewlyLinked = match !== null && match.how !== "identity";
  const matchedId = match ? match.account.id : await createAccount(sql, identity);
  const userId = await applyProof(ctx, tenant, sql, matchedId, {
    identity,
    provider,
    visit,
    isNewlyLinked,
  });
  if (userId === null) return { outcome: "refused", error: "account_unavailable" };
  // No upsert: on a concurrent first sign-in the unique violation makes the caller retry and find the other account.
  if (isNew || isNewlyLinked)
    await sql(
      "INSERT INTO identity_links (shop, issuer, sub, user_id, provider) VALUES ($1, $2, $3, $4, $5)",
      [identity.issuer, identity.sub, userId, identity.provider],
    );
  const account = await updateAccount(sql, userId, identity);
  await updateClaims(ctx, tenant, sql, userId, identity, isNew);
  if (isNew || isNewlyLinked) await recordSignInConsent(ctx, sql, userId, provider, isNew, visit);
  await enqueueAccountEvent(
    ctx,
    tenant,
    sql,
    provider.name === "federated" ? "federated_sign_in" : "storefront_sign_in",
    userId,
  );
  if (isNewlyLinked)
    await enqueueMail(ctx, tenant, sql, {
      template: "sign_in_linked",
      userId,
      provider: provider.name,
    });
  if (isNew && account.email && !account.email_verified)
    await enqueueMail(ctx, tenant, sql, { template: "verify_email", userId });
  ctx.log.done("account.signed_in", {
    shop: tenant.shop,
    user_id: userId,
    method: provider.name,
    is_new: isNew,
    is_linked: isNewlyLinked,
  });
  return { outcome: "signed_in", account };
}

const columns = ACCOUNT_COLUMNS.map((column) => `u.${column}`).join(", ");

async function findMatch(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  identity: ProvenIdentity,
): Promise<Match> {
  const [linked] = await sql<Account>(
    `SELECT ${columns} FROM identity_links l JOIN storefront_users u ON u.shop = l.shop AND u.id = l.user_id WHERE l.shop = $1 AND l.issuer = $2 AND l.sub = $3 FOR UPDATE OF u`,
    [identity.issuer, identity.sub],
  );
  if (linked) return { account: linked, how: "identity" };
  const [customer] = identity.gid
    ? await sql<Account>(
        `SELECT ${columns} FROM storefront_users u WHERE u.shop = $1 AND u.storefront_customer_gid = $2 FOR UPDATE`,
        [identity.gid],
      )
    : [];
  if (customer) return { account: customer, how: "gid" };
  // A customer whose account was deleted here stays deleted, also where the account had never been signed in to this way.
  if (identity.gid && (await isBuried(ctx, tenant, sql, identity.gid)))
    return { refused: "account_unavailable" };
  const owner = identity.email ? await findAccountByEmail(sql, identity.email, true) : null;
  if (!owner) {
    const isTaken =
      identity.email !== null &&
      !identity.isEmailVerified &&
      (await findWaitingAccount(sql, identity.email)) !== null;
    return isTaken ? { refused: "account_exists" } : null;
  }
  if (owner.status !== "active") return { refused: "account_unavailable" };
  // A mailbox that was given to somebody else: the account stays with its first owner.
  const [other] = await sql(
    "SELECT 1 FROM identity_links WHERE shop = $1 AND user_id = $2 AND issuer = $3 AND sub <> $4",
    [owner.id, identity.issuer, identity.sub],
  );
  const hasOtherCustomer =
    identity.gid !== null &&
    owner.storefront_customer_gid !== null &&
    owner.storefront_customer_gid !== identity.gid;
  if (!identity.isEmailVerified || other || hasOtherCustomer) return { refused: "account_exists" };
  return { account: owner, how: "email" };
}

/** A deletion by somebody who had not proven the address is not the customer's own word. */
async function isBuried(ctx: Ctx, tenant: Tenant, sql: TenantSql, gid: string): Promise<boolean> {
  const found = await sql(
    "SELECT 1 FROM customer_tombstones WHERE shop = $1 AND kind = 'gid' AND subject_hmac = $2 AND NOT unproven",
    [tombstoneOf(ctx, tenant.shop, "gid", gid)],
  );
  return found.length > 0;
}

type SignInProof = {
  identity: ProvenIdentity;
  provider: OidcProvider;
  visit: Visit;
  isNewlyLinked: boolean;
};

/**
 * What the identity proves about the matched account. The names that a stranger gave go with the stranger.
 * @returns the account that goes on, which is another one when the matched account waited for its proof; null when that
 * one is suspended.
 */
async function applyProof(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  userId: number,
  { identity, provider, visit, isNewlyLinked }: SignInProof,
): Promise<number | null> {
  const rows = await lockAddress(sql, userId);
  if (!rows) return null;
  const { account } = rows;
  const provesAddress =
    identity.isEmailVerified && emailOf(account)?.toLowerCase() === identity.email;
  const proof: Proof = {
    keeps: { issuer: identity.issuer, sub: identity.sub },
    method: provider.consentMethod,
    userAgent: visit.userAgent,
    isSignIn: true,
  };
  const isStrangers = isNewlyLinked && !account.email_verified;
  if (isStrangers && (await endUnprovenWaysIn(ctx, sql, account, proof)))
    await sql(
      "UPDATE storefront_users SET full_name = NULL, first_name = NULL, last_name = NULL, avatar_url = NULL WHERE shop = $1 AND id = $2",
      [userId],
    );
  if (identity.gid !== null) await liftTombstones(ctx, tenant, sql, identity);
  const isNews = !account.email_verified || isNewlyLinked || rows.holder !== null;
  if (provesAddress && isNews) return proveAddress(ctx, tenant, sql, rows, proof);
  // The storefront vouches for its customer also where its token names no address.
  if (identity.gid !== null && isNewlyLinked) await endWaitingSignUp(ctx, sql, account, proof);
  return userId;
}

async function liftTombstones(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  { gid, email, isEmailVerified }: ProvenIdentity,
): Promise<void> {
  await sql(
    `DELETE FROM customer_tombstones WHERE shop = $1 AND unproven
       AND ((kind = 'gid' AND subject_hmac = $2) OR (kind = 'email' AND subject_hmac = $3))`,
    [
      tombstoneOf(ctx, tenant.shop, "gid", gid ?? ""),
      tombstoneOf(ctx, tenant.shop, "email", isEmailVerified ? (email ?? "") : ""),
    ],
  );
}

async function createAccount(sql: TenantSql, identity: ProvenIdentity): Promise<number> {
  const [row] = await sql<{ id: number }>(
    "INSERT INTO storefront_users (shop, email, full_name, provider, email_verified) VALUES ($1, $2, $3, $4, $5) RETURNING id",
    [identity.email, identity.name, identity.provider, identity.isEmailVerified],
  );
  const userId = row?.id as number;
  await sql(
    "INSERT INTO user_claims (shop, user_id, consent_tos, consent_privacy) VALUES ($1, $2, true, true)",
    [userId],
  );
  await sql("INSERT INTO user_extras (shop, user_id) VALUES ($1, $2)", [userId]);
  return userId;
}

async function updateAccount(
  sql: TenantSql,
  userId: number,
  identity: ProvenIdentity,
): Promise<Account> {
  const isFederated = identity.provider === "federated";
  const [account] = await sql<Account>(
    `UPDATE storefront_users SET last_login_at = now(), updated_at = now(),
       federated_sub = coalesce($3, federated_sub), avatar_url = coalesce($4, avatar_url), full_name = coalesce(full_name, $5),
       storefront_customer_gid = coalesce($6, storefront_customer_gid),
       email_verified = email_verified OR ($7 AND email = $8)
     WHERE shop = $1 AND id = $2 RETURNING ${ACCOUNT_COLUMNS.join(", ")}`,
    [
      userId,
      isFederated ? identity.sub : null,
      isFederated ? identity.avatarUrl : null,
      identity.name,
      identity.gid,
      identity.isEmailVerified,
      identity.email,
    ],
  );
  return account as Account;
}

async function updateClaims(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  userId: number,
  identity: ProvenIdentity,
  isNew: boolean,
): Promise<void> {
  const isFederated = identity.provider === "federated";
  const token = identity.accessToken
    ? ctx.secrets.seal(`${tenant.shop}/storefront_customer_access_token`, identity.accessToken)
    : null;
  await sql(
    `INSERT INTO user_claims (shop, user_id, oidc_provider, federated_sub, storefront_oidc_sub, storefront_customer_access_token, consent_tos, consent_privacy)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $7)
     ON CONFLICT (shop, user_id) DO UPDATE SET oidc_provider = excluded.oidc_provider, federated_sub = coalesce(excluded.federated_sub, user_claims.federated_sub),
       storefront_oidc_sub = coalesce(excluded.storefront_oidc_sub, user_claims.storefront_oidc_sub),
       storefront_customer_access_token = coalesce(excluded.storefront_customer_access_token, user_claims.storefront_customer_access_token), updated_at = now()`,
    [
      userId,
      identity.provider,
      isFederated ? identity.sub : null,
      isFederated ? null : identity.sub,
      token,
      isNew,
    ],
  );
}

/** Terms and privacy with the first sign-in, by the method that it came by. Never marketing: nobody asked for it. */
async function recordSignInConsent(
  ctx: Ctx,
  sql: TenantSql,
  userId: number,
  provider: OidcProvider,
  isNew: boolean,
  visit: Visit,
): Promise<void> {
  const [claims] = await sql<{ consent_tos: boolean }>(
    "SELECT consent_tos FROM user_claims WHERE shop = $1 AND user_id = $2",
    [userId],
  );
  const [said] = await sql(
    "SELECT 1 FROM consent_records WHERE shop = $1 AND user_id = $2 AND consent_type = 'tos' LIMIT 1",
    [userId],
  );
  // Somebody who withdrew it is not made to have given it again by signing in.
  if (!isNew && said && !claims?.consent_tos) return;
  await sql(
    "UPDATE user_claims SET consent_tos = true, consent_privacy = true WHERE shop = $1 AND user_id = $2",
    [userId],
  );
  const consentId = ctx.random.uuid();
  await recordConsent(
    sql,
    (["tos", "privacy"] as const).map((consentType) => ({
      userId,
      consentType,
      action: "granted",
      method: provider.consentMethod,
      consentId,
      userAgent: visit.userAgent,
      timestamp: ctx.clock.now().toISOString(),
    })),
  );
}
