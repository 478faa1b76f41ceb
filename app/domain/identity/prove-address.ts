// The one place where an e-mail address becomes proven: by a verify link, a reset or welcome link, or a provider that
// vouches for it (DECISIONS 6). Two things follow in the same transaction:
//
//   1. Every way into the account that was made while the address was not proven ends (password, identity links,
//      sessions, agents), except what the person who proves the address is known to hold.
//   2. A sign-up that waited for the proof becomes part of the account that holds the address.
//
// A sign-up waits as a row of its own (`unproven_email`), so nothing from before it can be shown, pushed or deleted by it.
import type { Ctx } from "../../context.server.ts";
import type { TenantSql } from "../../runtime/database.ts";
import { consentColumn } from "../consent/consent-types.ts";
import { recordConsent } from "../consent/record-consent.ts";
import type { Tenant } from "../tenants/tenant.ts";
import {
  ACCOUNT_COLUMNS,
  CLAIM_FLAGS,
  findWaitingAccount,
  isWaiting,
  type Account,
  type ClaimRow,
} from "./account.ts";
import { enqueueAccountEvent } from "./account-events.ts";
import { mergeSignUp } from "./merge-sign-up.ts";
import { END_ALL_SESSIONS } from "./sessions.ts";

export type Proof = {
  /**
   * `everything`: who proves the address is who made the account (a session or the password of it).
   * `nothing`: only the mailbox is theirs. A link: they came by this external identity.
   */
  keeps: "everything" | "nothing" | { issuer: string; sub: string };
  /** The new password; ends every session. */
  passwordHash?: string;
  /** How the proof came, for the consent log. */
  method: string;
  userAgent: string | null;
  /** A sign-in never grants marketing, also not what waited. */
  isSignIn?: boolean;
};

/** The account, and the one that holds its address when that is another; both locked until the caller commits. */
export type AddressRows = { account: Account; holder: Account | null };

/** Locks all rows of the account's address, in the order of their ids. Null when the account is gone or not active. */
export async function lockAddress(sql: TenantSql, userId: number): Promise<AddressRows | null> {
  const rows = await sql<Account>(
    `SELECT ${ACCOUNT_COLUMNS.join(", ")} FROM storefront_users
     WHERE shop = $1 AND status <> 'deleted' AND (id = $2
       OR lower(email) = (SELECT lower(coalesce(email, unproven_email)) FROM storefront_users WHERE shop = $1 AND id = $2)
       OR lower(unproven_email) = (SELECT lower(coalesce(email, unproven_email)) FROM storefront_users WHERE shop = $1 AND id = $2))
     ORDER BY id FOR UPDATE`,
    [userId],
  );
  const account = rows.find(({ id }) => id === userId);
  if (!account || account.status !== "active") return null;
  const holder = rows.find(({ id, email }) => id !== userId && email !== null) ?? null;
  return { account, holder: isWaiting(account) ? holder : null };
}

/**
 * Marks the address as proven. Inside the caller's transaction, after `lockAddress`.
 * @returns the id of the account that holds the address from now on; null when that account is suspended.
 */
export async function proveAddress(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  { account, holder }: AddressRows,
  proof: Proof,
): Promise<number | null> {
  if (holder && holder.status !== "active") return null;
  if (!account.email_verified && proof.keeps !== "everything")
    await endUnprovenWaysIn(ctx, sql, account, proof);
  const mayKeepSessions = proof.passwordHash === undefined;
  await sql(
    `UPDATE storefront_users SET email_verified = true, password_hash = coalesce($3, password_hash),
       sessions_valid_after = CASE WHEN $4 THEN sessions_valid_after ELSE ${END_ALL_SESSIONS} END, updated_at = now()
     WHERE shop = $1 AND id = $2`,
    [account.id, proof.passwordHash ?? null, mayKeepSessions],
  );
  if (holder) return joinHolder(ctx, tenant, sql, { account, holder }, proof);
  if (isWaiting(account)) {
    await sql(
      "UPDATE storefront_users SET email = unproven_email, unproven_email = NULL WHERE shop = $1 AND id = $2",
      [account.id],
    );
    await enqueueAccountEvent(ctx, tenant, sql, "email_signup", account.id);
    return account.id;
  }
  await endWaitingSignUp(ctx, sql, account, proof);
  return account.id;
}

/** The owner of the address is here: a sign-up that waited for it leaves what the account lacks, and ends. */
export async function endWaitingSignUp(
  ctx: Ctx,
  sql: TenantSql,
  holder: Account,
  proof: Proof,
): Promise<void> {
  const waiting = holder.email ? await findWaitingAccount(sql, holder.email, true) : null;
  if (waiting) await mergeSignUp(ctx, sql, holder.id, waiting, { ...proof, keeps: "nothing" });
}

/** The sign-up waited beside the account that holds the address: that account goes on, with what waited. */
async function joinHolder(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  { account, holder }: { account: Account; holder: Account },
  proof: Proof,
): Promise<number> {
  await mergeSignUp(ctx, sql, holder.id, account, proof);
  await sql(
    `UPDATE storefront_users SET email_verified = true, provider = 'email', last_login_at = now(), updated_at = now(),
       password_hash = CASE WHEN $3 = '' THEN password_hash ELSE $3 END
     WHERE shop = $1 AND id = $2`,
    [holder.id, proof.passwordHash ?? (proof.keeps === "everything" ? account.password_hash : "")],
  );
  await enqueueAccountEvent(ctx, tenant, sql, "email_signup", holder.id);
  return holder.id;
}

/**
 * Ends the ways into an account whose address was never proven. A link to the storefront stays: the store vouches for its
 * customers. What agents were allowed is withdrawn, in the log too. True when there was a way in.
 */
export async function endUnprovenWaysIn(
  ctx: Ctx,
  sql: TenantSql,
  account: Account,
  proof: Proof,
): Promise<boolean> {
  const kept = typeof proof.keeps === "object" ? proof.keeps : { issuer: null, sub: null };
  const links = await sql(
    `DELETE FROM identity_links WHERE shop = $1 AND user_id = $2 AND provider <> 'storefront'
       AND (issuer, sub) IS DISTINCT FROM ($3::text, $4::text) RETURNING sub`,
    [account.id, kept.issuer, kept.sub],
  );
  if (account.password_hash === "" && links.length === 0) return false;
  await sql(
    `UPDATE storefront_users SET password_hash = '', sessions_valid_after = ${END_ALL_SESSIONS},
       federated_sub = CASE WHEN federated_sub = $3 THEN federated_sub END
     WHERE shop = $1 AND id = $2`,
    [account.id, kept.sub],
  );
  const [claims] = await sql<ClaimRow>(
    `SELECT ${CLAIM_FLAGS.join(", ")} FROM user_claims WHERE shop = $1 AND user_id = $2`,
    [account.id],
  );
  await sql(
    `UPDATE user_claims SET federated_sub = CASE WHEN federated_sub = $3 THEN federated_sub END,
       consent_a2a = false, consent_ap2 = false, consent_marketing = consent_marketing AND NOT $4, updated_at = now()
     WHERE shop = $1 AND user_id = $2 AND (federated_sub IS NOT NULL OR consent_a2a OR consent_ap2 OR (consent_marketing AND $4))`,
    [account.id, kept.sub, proof.isSignIn ?? false],
  );
  const consentId = ctx.random.uuid();
  // A sign-in never grants marketing: what a stranger chose before it does not stay either.
  const withdrawn = proof.isSignIn
    ? (["a2a", "ap2", "marketing"] as const)
    : (["a2a", "ap2"] as const);
  const ended = withdrawn.filter((type) => claims?.[consentColumn(type)]);
  await recordConsent(
    sql,
    ended.map((consentType) => ({
      userId: account.id,
      consentType,
      action: "revoked",
      method: proof.method,
      consentId,
      userAgent: proof.userAgent,
      timestamp: ctx.clock.now().toISOString(),
    })),
  );
  return true;
}
