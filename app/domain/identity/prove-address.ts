// The only place where an email address becomes verified: by a verify link, a reset or welcome
// link, or a provider that verified it (DECISIONS 6). Two things follow in the same transaction:
//
//   1. Every sign-in method from before the verification ends (password, identity links, sessions, agents), except
//      those that the verifying person is known to hold.
//   2. A sign-up that waited for the verification is merged into the account that has the address.
//
// A sign-up waits as a separate row (`unproven_email`), so nothing from before it can be shown,
// pushed or deleted by it.
import type { Ctx } from "../../context.server.ts";
import type { TenantSql, Transaction } from "../../db.server.ts";
import { AGENT_CONSENT_TYPES, consentColumn } from "../consent/consent-types.ts";
import { announceDecisions } from "../consent/announce-decisions.ts";
import { recordConsent } from "../consent/record-consent.ts";
import { updateSystemTags } from "../tags/system-tags.ts";
import type { Tenant } from "../tenants/tenant.ts";
import { ACCOUNT_COLUMNS, findWaitingAccount, isWaiting, type Account } from "./account.ts";
import { enqueueAccountEvent, enqueueForStorefront } from "./account-events.ts";
import { mergeSignUp } from "./merge-sign-up.ts";
import { END_ALL_SESSIONS } from "./session/sessions.ts";

const AGENT_COLUMNS = AGENT_CONSENT_TYPES.map(consentColumn);

export type Proof = {
  /**
   * `everything`: the verifying person created the account (by its session or password). `nothing`:
   * they only own the mailbox. A link: they signed in with this external identity.
   */
  keeps: "everything" | "nothing" | { issuer: string; sub: string };
  /** The new password; ends every session. */
  passwordHash?: string;
  /** The method of the verification, for the consent log. */
  method: string;
  userAgent: string | null;
  gpc?: boolean;
  /** A sign-in never grants marketing, nor a waiting grant of it. */
  isSignIn?: boolean;
};

/**
 * The account, and the one that has its address when that is another; both locked until the caller
 * commits.
 */
export type AddressRows = { account: Account; holder: Account | null };

/**
 * Locks all rows of the account's address, in order of their ids. Null when the account is deleted
 * or not active.
 */
export async function lockAddress(sql: TenantSql, userId: number): Promise<AddressRows | null> {
  const rows = await sql<Account>(
    `SELECT ${ACCOUNT_COLUMNS.join(", ")} FROM storefront_users
     WHERE shop = $1 AND status <> 'deleted' AND (id = $2
       OR lower(email) = (SELECT lower(coalesce(email, unproven_email)) FROM storefront_users
         WHERE shop = $1 AND id = $2)
       OR lower(unproven_email) = (SELECT lower(coalesce(email, unproven_email))
         FROM storefront_users WHERE shop = $1 AND id = $2))
     ORDER BY id FOR UPDATE`,
    [userId],
  );
  const account = rows.find(({ id }) => id === userId);
  if (!account || account.status !== "active") return null;
  const holder = rows.find(({ id, email }) => id !== userId && email !== null) ?? null;
  return { account, holder: isWaiting(account) ? holder : null };
}

/**
 * Marks the address as verified. Inside the caller's transaction, after `lockAddress`. Returns the
 * id of the account that has the address from now on; null when that account is suspended.
 */
export async function proveAddress(
  ctx: Ctx,
  tenant: Tenant,
  tx: Transaction,
  { account, holder }: AddressRows,
  proof: Proof,
): Promise<number | null> {
  if (holder && holder.status !== "active") return null;
  if (!account.email_verified && proof.keeps !== "everything")
    await endUnprovenWaysIn(ctx, tenant, tx, account, proof);
  const mayKeepSessions = proof.passwordHash === undefined;
  await tx.sql(
    `UPDATE storefront_users SET email_verified = true, password_hash = coalesce($3, password_hash),
       sessions_valid_after = CASE WHEN $4 THEN sessions_valid_after
         ELSE ${END_ALL_SESSIONS} END, updated_at = now()
     WHERE shop = $1 AND id = $2`,
    [account.id, proof.passwordHash ?? null, mayKeepSessions],
  );
  if (holder) return joinHolder(ctx, tenant, tx, { account, holder }, proof);
  if (isWaiting(account)) {
    await tx.prisma.storefrontUser.updateMany({
      where: { id: account.id },
      data: { email: account.unproven_email, unproven_email: null },
    });
    await updateSystemTags(ctx, tenant, tx.sql, [account.id], { announce: "flow_only" });
    await enqueueAccountEvent(ctx, tenant, tx.sql, "email_signup", account.id);
    return account.id;
  }
  await endWaitingSignUp(ctx, tenant, tx, account, proof);
  const changed = await updateSystemTags(ctx, tenant, tx.sql, [account.id], {
    announce: "every_system",
  });
  // What this person decided about marketing before the proof reaches the store now.
  if (changed === 0 && proof.keeps === "everything")
    await enqueueForStorefront(ctx, tenant, tx.sql, account.id);
  return account.id;
}

/** The address's owner is verified: a waiting sign-up fills in what the account lacks, and ends. */
export async function endWaitingSignUp(
  ctx: Ctx,
  tenant: Tenant,
  tx: Transaction,
  holder: Account,
  proof: Proof,
): Promise<void> {
  const waiting = holder.email
    ? await findWaitingAccount(tx.sql, holder.email, { lock: true })
    : null;
  if (waiting)
    await mergeSignUp(ctx, tenant, tx, {
      holderId: holder.id,
      waiting,
      proof: { ...proof, keeps: "nothing" },
    });
}

/**
 * The sign-up waited beside the account that has the address: that account continues with the
 * merged data.
 */
async function joinHolder(
  ctx: Ctx,
  tenant: Tenant,
  tx: Transaction,
  { account, holder }: { account: Account; holder: Account },
  proof: Proof,
): Promise<number> {
  await mergeSignUp(ctx, tenant, tx, { holderId: holder.id, waiting: account, proof });
  // A sign-up without a password, as by a federated sign-in, does not make the provider `email`.
  await tx.sql(
    `UPDATE storefront_users SET email_verified = true, last_login_at = now(), updated_at = now(),
       provider = CASE WHEN $3 = '' THEN provider ELSE 'email' END,
       password_hash = CASE WHEN $3 = '' THEN password_hash ELSE $3 END
     WHERE shop = $1 AND id = $2`,
    [holder.id, proof.passwordHash ?? (proof.keeps === "everything" ? account.password_hash : "")],
  );
  await updateSystemTags(ctx, tenant, tx.sql, [holder.id], { announce: "flow_only" });
  await enqueueAccountEvent(ctx, tenant, tx.sql, "email_signup", holder.id);
  return holder.id;
}

/**
 * Ends the sign-in methods of an account with an unverified address. A storefront link stays, because the store
 * identifies its customers, but not the sessions from it: the store may have given the customer this address
 * since. Consents for agents are revoked, in the log too. True when there was a sign-in method.
 */
export async function endUnprovenWaysIn(
  ctx: Ctx,
  tenant: Tenant,
  tx: Transaction,
  account: Account,
  proof: Proof,
): Promise<boolean> {
  const kept = typeof proof.keeps === "object" ? proof.keeps : null;
  const others = {
    user_id: account.id,
    ...(kept && { NOT: { issuer: kept.issuer, sub: kept.sub } }),
  };
  const ended = await tx.prisma.identityLink.deleteMany({
    where: { ...others, provider: { not: "storefront" } },
  });
  const ofStore = await tx.prisma.identityLink.count({ where: others });
  if (account.password_hash === "" && ended.count + ofStore === 0) return false;
  await tx.sql(
    `UPDATE storefront_users SET password_hash = '', sessions_valid_after = ${END_ALL_SESSIONS},
       federated_sub = CASE WHEN federated_sub = $3 THEN federated_sub END
     WHERE shop = $1 AND id = $2`,
    [account.id, kept?.sub ?? null],
  );
  const claims = await tx.prisma.userClaims.findFirst({ where: { user_id: account.id } });
  await tx.sql(
    `UPDATE user_claims SET federated_sub = CASE WHEN federated_sub = $3 THEN federated_sub END,
       ${AGENT_COLUMNS.map((column) => `${column} = false`).join(", ")},
       consent_marketing = consent_marketing AND NOT $4, updated_at = now()
     WHERE shop = $1 AND user_id = $2 AND (federated_sub IS NOT NULL OR ${AGENT_COLUMNS.join(" OR ")}
       OR (consent_marketing AND $4))`,
    [account.id, kept?.sub ?? null, proof.isSignIn ?? false],
  );
  const consentId = ctx.random.uuid();
  // A sign-in never grants marketing, and revokes a grant from before the verification.
  const withdrawn = proof.isSignIn
    ? ([...AGENT_CONSENT_TYPES, "marketing"] as const)
    : AGENT_CONSENT_TYPES;
  const granted = withdrawn.filter((type) => claims?.[consentColumn(type)]);
  const decisions = granted.map((consentType) => ({
    userId: account.id,
    consentType,
    action: "revoked",
    method: proof.method,
    consentId,
    userAgent: proof.userAgent,
    gpc: proof.gpc ?? false,
    timestamp: ctx.clock.now().toISOString(),
  }));
  await recordConsent(tx.sql, tenant, decisions);
  await announceDecisions(ctx, tenant, tx.sql, account.id, decisions);
  return true;
}
