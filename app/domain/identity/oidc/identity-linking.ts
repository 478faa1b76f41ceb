// Signs in with an identity that a provider proved: links it to the account that match-identity.ts finds,
// or to a new one, and writes what it says. An account whose address was never proven loses its password
// and sessions to the verified owner (prove-address.ts).
import type { Ctx } from "../../../context.server.ts";
import type { Transaction } from "../../../db.server.ts";
import { retryOnConflict } from "../../../runtime/database/retry-on-conflict.ts";
import { leaveCustomer } from "../../customers/storefront-person.ts";
import { liftUnprovenTombstones } from "../../customers/tombstones.ts";
import { updateSystemTags } from "../../tags/system-tags.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import {
  ACCOUNT_COLUMNS,
  emailOf,
  findAccountByEmail,
  freeAddressOf,
  type Account,
} from "../account.ts";
import { enqueueAccountEvent } from "../account-events.ts";
import { enqueueMail } from "../mails.ts";
import { tryConsumeWithin } from "../rate-limits.ts";
import { findMatch, type Matched } from "./match-identity.ts";
import { recordSignInConsent } from "./sign-in-consent.ts";
import type { OidcProvider, ProvenIdentity } from "./providers.ts";
import {
  endUnprovenWaysIn,
  endWaitingSignUp,
  lockAddress,
  proveAddress,
  type Proof,
} from "../prove-address.ts";
import type { Visit } from "../../consent/visit.ts";

export type IdentitySignIn =
  | { outcome: "signed_in"; account: Account }
  | { outcome: "refused"; error: "account_exists" | "account_unavailable" };

/** One sign-in inside its transaction. */
export type SignIn = {
  ctx: Ctx;
  tenant: Tenant;
  tx: Transaction;
  provider: OidcProvider;
  identity: ProvenIdentity;
  visit: Visit;
  /** Whether the account is made now, had another sign-in method until now, or signed in like this before. */
  match: "new" | "newly_linked" | "known";
  /** The account that the subject was linked to until now. */
  formerId: number | null;
  /** The account had another customer until now. */
  hasLeftCustomer: boolean;
};

export async function signInWithIdentity(
  ctx: Ctx,
  tenant: Tenant,
  provider: OidcProvider,
  identity: ProvenIdentity,
  visit: Visit,
): Promise<IdentitySignIn> {
  return retryOnConflict(() =>
    dataOf(ctx, tenant).transaction((sql, prisma) =>
      signInOnce({ ctx, tenant, tx: { sql, prisma }, provider, identity, visit }),
    ),
  );
}

async function signInOnce(
  attempt: Omit<SignIn, "match" | "formerId" | "hasLeftCustomer">,
): Promise<IdentitySignIn> {
  const { ctx, tenant, tx, provider, identity } = attempt;
  const match = await findMatch(ctx, tenant, tx, identity);
  if ("refused" in match) return { outcome: "refused", error: match.refused };
  const { account: matched, formerId } = match;
  if (matched && matched.status !== "active")
    return { outcome: "refused", error: "account_unavailable" };
  const hasLeftCustomer = hasOtherCustomer(match, identity);
  const signIn: SignIn = { ...attempt, match: kindOf(match), formerId, hasLeftCustomer };

  if (matched && hasLeftCustomer) await leaveCustomer(tx, matched.id);
  const matchedId = matched ? matched.id : await createAccount(signIn);
  const userId = await applyProof(signIn, matchedId);
  if (userId === null) return { outcome: "refused", error: "account_unavailable" };
  if (signIn.match !== "known") await linkIdentity(signIn, userId);
  const account = await updateAccount(signIn, userId);
  await updateClaims(signIn, userId);
  if (signIn.match !== "known") await recordSignInConsent(signIn, userId);
  // The sign-in's own event takes the tags to every system.
  await updateSystemTags(ctx, tenant, tx.sql, [userId], { announce: "flow_only" });
  await enqueueAccountEvent(ctx, tenant, tx.sql, SIGN_IN_EVENT[provider.name], userId);
  await enqueueSignInMail(signIn, account);
  ctx.log.info("account.signed_in", {
    shop: tenant.shop,
    user_id: userId,
    method: provider.name,
    is_new: signIn.match === "new",
    is_linked: signIn.match === "newly_linked",
  });
  return { outcome: "signed_in", account };
}

/** Whether an account that was found by its address belongs to another storefront customer. */
const hasOtherCustomer = (match: Matched, { gid }: ProvenIdentity): boolean =>
  match.account !== null &&
  match.how === "email" &&
  gid !== null &&
  match.account.storefront_customer_gid !== null &&
  match.account.storefront_customer_gid !== gid;

const kindOf = (match: Matched): SignIn["match"] =>
  match.account === null ? "new" : match.how === "identity" ? "known" : "newly_linked";

const SIGN_IN_EVENT = {
  federated: "federated_sign_in",
  storefront: "storefront_sign_in",
} as const;

/**
 * No upsert: on a concurrent first sign-in the unique violation makes the caller retry and find the
 * other account. A subject of another customer's account leaves it, with what that account has from it.
 */
async function linkIdentity(
  { tenant, tx, identity, formerId }: SignIn,
  userId: number,
): Promise<void> {
  const { issuer, sub, provider } = identity;
  if (formerId !== null) {
    await tx.prisma.identityLink.deleteMany({ where: { issuer, sub, user_id: formerId } });
    await tx.prisma.userClaims.updateMany({
      where: { user_id: formerId, storefront_oidc_sub: sub },
      data: { storefront_oidc_sub: null, storefront_customer_access_token: null },
    });
  }
  await tx.prisma.identityLink.create({
    data: { shop: tenant.shop, issuer, sub, user_id: userId, provider },
  });
}

async function enqueueSignInMail(
  { ctx, tenant, tx, provider, match }: SignIn,
  account: Account,
): Promise<void> {
  const userId = account.id;
  if (match === "newly_linked")
    await enqueueMail(ctx, tenant, tx.sql, {
      template: "sign_in_linked",
      userId,
      provider: provider.name,
    });
  if (match !== "new" || !account.email || account.email_verified) return;
  // As a sign-up's: several accounts at the provider may say that they have somebody's address.
  const counted = { sign_up_mail_per_email: account.email };
  if (await tryConsumeWithin(ctx, tenant, tx.sql, counted))
    await enqueueMail(ctx, tenant, tx.sql, { template: "verify_email", userId });
}

/**
 * Applies what the identity proves about the matched account. Names from an unverified owner are
 * removed with the unverified sign-in methods. Returns the resulting account, which differs when
 * the matched account was waiting for verification; null when it is suspended.
 */
async function applyProof(
  { ctx, tenant, tx, provider, identity, visit, match, hasLeftCustomer }: SignIn,
  userId: number,
): Promise<number | null> {
  const isNewAddress = await takeAddress(tx, identity, userId);
  const rows = await lockAddress(tx.sql, userId);
  if (!rows) return null;
  const { account } = rows;
  const provesAddress =
    identity.isEmailVerified && emailOf(account)?.toLowerCase() === identity.email;
  const proof: Proof = {
    keeps: { issuer: identity.issuer, sub: identity.sub },
    method: provider.consentMethod,
    userAgent: visit.userAgent,
    gpc: visit.gpc,
    isSignIn: true,
  };
  // The former customer may be another person, who had proven the address while it was theirs.
  const isOfStranger = match === "newly_linked" && (!account.email_verified || hasLeftCustomer);
  if (isOfStranger && (await endUnprovenWaysIn(ctx, tenant, tx, account, proof)))
    await tx.prisma.storefrontUser.updateMany({
      where: { id: userId },
      data: { full_name: null, first_name: null, last_name: null, avatar_url: null },
    });
  await fillName(tx, identity, userId);
  if (identity.gid !== null)
    await liftUnprovenTombstones(ctx, tx.sql, tenant.shop, {
      gid: identity.gid,
      email: identity.isEmailVerified ? identity.email : null,
    });
  const provesMore =
    isNewAddress || !account.email_verified || match === "newly_linked" || rows.holder !== null;
  if (provesAddress && provesMore) return proveAddress(ctx, tenant, tx, rows, proof);
  // A new account may have the address that a stranger's sign-up waits for. The storefront identifies its
  // customer also when its token has no address.
  const isOwner = provesAddress || identity.gid !== null;
  if (isOwner && match !== "known") await endWaitingSignUp(ctx, tenant, tx, account, proof);
  return userId;
}

/**
 * An account without an address gets the one that the provider verified, unless another account has it. A
 * sign-up that waits for the address ends with the proof. True when the account got it.
 */
async function takeAddress(
  { sql }: Transaction,
  { email, isEmailVerified }: ProvenIdentity,
  userId: number,
): Promise<boolean> {
  if (email === null || !isEmailVerified) return false;
  const taken = await sql(
    `UPDATE storefront_users SET email = $3, updated_at = now()
     WHERE shop = $1 AND id = $2 AND status = 'active' AND email IS NULL AND unproven_email IS NULL
       AND NOT EXISTS (SELECT 1 FROM storefront_users o
         WHERE o.shop = $1 AND lower(o.email) = $3 AND o.status <> 'deleted') RETURNING id`,
    [userId, email],
  );
  return taken.length > 0;
}

/** Before a sign-up that waits for the address would: its name may be a stranger's choice. */
async function fillName({ sql }: Transaction, { name }: ProvenIdentity, userId: number) {
  if (name === null) return;
  await sql(
    `UPDATE storefront_users SET full_name = $3 WHERE shop = $1 AND id = $2 AND unproven_email IS NULL
      AND full_name IS NULL AND first_name IS NULL AND last_name IS NULL`,
    [userId, name],
  );
}

async function createAccount({ tenant, tx, identity }: SignIn): Promise<number> {
  const { shop, config } = tenant;
  const { prisma } = tx;
  if (identity.email) await freeAddressOf(tx, await findAccountByEmail(tx.sql, identity.email));
  const { id } = await prisma.storefrontUser.create({
    select: { id: true },
    data: {
      shop,
      email: identity.email,
      full_name: identity.name,
      provider: identity.provider,
      email_verified: identity.isEmailVerified,
    },
  });
  await prisma.userClaims.create({
    data: {
      shop,
      user_id: id,
      consent_tos: true,
      consent_privacy: true,
      consent_version: config.consent_policy_version ?? null,
    },
  });
  await prisma.userExtras.create({ data: { shop, user_id: id } });
  return id;
}

/**
 * Writes what the identity says. An account that only the storefront can sign in to gets the provider `storefront`.
 * An account that has a customer keeps that customer.
 */
async function updateAccount({ tx, identity }: SignIn, userId: number): Promise<Account> {
  const isFederated = identity.provider === "federated";
  const [account] = await tx.sql<Account>(
    `UPDATE storefront_users SET last_login_at = now(), updated_at = now(),
       federated_sub = coalesce($3, federated_sub), avatar_url = coalesce($4, avatar_url),
         full_name = coalesce(full_name, $5),
       storefront_customer_gid = CASE WHEN storefront_customer_gid IS NOT NULL OR EXISTS (
         SELECT 1 FROM storefront_users o
         WHERE o.shop = $1 AND o.storefront_customer_gid = $6 AND o.id <> $2
       ) THEN storefront_customer_gid ELSE $6 END,
       provider = CASE WHEN $6::text IS NOT NULL AND password_hash = '' AND federated_sub IS NULL
         AND NOT email_verified THEN 'storefront' ELSE provider END
     WHERE shop = $1 AND id = $2 RETURNING ${ACCOUNT_COLUMNS.join(", ")}`,
    [
      userId,
      isFederated ? identity.sub : null,
      isFederated ? identity.avatarUrl : null,
      identity.name,
      identity.gid,
    ],
  );
  return account as Account;
}

async function updateClaims(
  { ctx, tenant, tx, identity, match }: SignIn,
  userId: number,
): Promise<void> {
  const isFederated = identity.provider === "federated";
  const token = identity.accessToken
    ? ctx.secrets.seal(`${tenant.shop}/storefront_customer_access_token`, identity.accessToken)
    : null;
  await tx.sql(
    `INSERT INTO user_claims (shop, user_id, oidc_provider, federated_sub, storefront_oidc_sub,
      storefront_customer_access_token, consent_tos, consent_privacy)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $7)
     ON CONFLICT (shop, user_id) DO UPDATE
       SET oidc_provider = excluded.oidc_provider, federated_sub = coalesce(excluded.federated_sub,
       user_claims.federated_sub),
       storefront_oidc_sub = coalesce(excluded.storefront_oidc_sub, user_claims.storefront_oidc_sub),
       storefront_customer_access_token = coalesce(excluded.storefront_customer_access_token,
         user_claims.storefront_customer_access_token), updated_at = now()`,
    [
      userId,
      identity.provider,
      isFederated ? identity.sub : null,
      isFederated ? null : identity.sub,
      token,
      match === "new",
    ],
  );
}
