// Merges a sign-up that waited for its proof into the account that holds the address (prove-address.ts).
//
// When the person who signed up also proves the address, their names and consents replace what was
// there. For anybody else who proves it, they only fill what is empty and was never decided. The
// waiting row ends; its sessions go on, as sessions of the account that holds the address, only for
// the person who signed up.
import type { Ctx } from "../../context.server.ts";
import type { Columns, ConsentRecord, TenantSql, Transaction } from "../../db.server.ts";
import {
  CONSENT_TYPES,
  consentColumn,
  isAgentConsent,
  type ConsentType,
} from "../consent/consent-types.ts";
import { announceDecisions } from "../consent/announce-decisions.ts";
import { recordConsent } from "../consent/record-consent.ts";
import type { Tenant } from "../tenants/tenant.ts";
import { CLAIM_FLAGS, type Account, type ClaimRow } from "./account.ts";
import { clearAccount } from "./clear-account.ts";
import type { Proof } from "./prove-address.ts";

/** Runs inside the caller's transaction, which has locked both rows. */
export async function mergeSignUp(
  ctx: Ctx,
  tenant: Tenant,
  tx: Transaction,
  { holderId, waiting, proof }: { holderId: number; waiting: Account; proof: Proof },
): Promise<void> {
  const isOwn = proof.keeps === "everything";
  const chosen = (column: string) =>
    isOwn ? `coalesce(w.${column}, h.${column})` : `coalesce(h.${column}, w.${column})`;
  // A name is one unit: one person's first name is never combined with another's last name.
  const nameOf = isOwn
    ? "w.full_name IS NOT NULL"
    : "h.full_name IS NULL AND h.first_name IS NULL AND h.last_name IS NULL";
  await tx.sql(
    `UPDATE storefront_users h SET
       first_name = CASE WHEN ${nameOf} THEN w.first_name ELSE h.first_name END,
       last_name = CASE WHEN ${nameOf} THEN w.last_name ELSE h.last_name END,
       full_name = CASE WHEN ${nameOf} THEN w.full_name ELSE h.full_name END,
       language_pref = ${chosen("language_pref")}, avatar_url = ${chosen("avatar_url")},
       federated_sub = coalesce(h.federated_sub, w.federated_sub)
     FROM storefront_users w WHERE h.shop = $1 AND h.id = $2 AND w.shop = $1 AND w.id = $3`,
    [holderId, waiting.id],
  );
  if (isOwn || typeof proof.keeps === "object")
    await tx.prisma.identityLink.updateMany({
      where: { user_id: waiting.id },
      data: { user_id: holderId },
    });
  else await tx.prisma.identityLink.deleteMany({ where: { user_id: waiting.id } });
  await mergeConsents(ctx, tenant, tx.sql, { holderId, waitingId: waiting.id, proof });
  if (isOwn) await mergeTags(tx.sql, holderId, waiting.id);
  await clearAccount(tx, waiting.id, isOwn ? holderId : null);
  ctx.log.info("sign_up.merged", { user_id: holderId, waiting_user_id: waiting.id, is_own: isOwn });
}

type LastAction = Columns<ConsentRecord, "consent_type" | "action" | "method"> & {
  consent_type: ConsentType;
};
type WaitingConsent = LastAction &
  Columns<ConsentRecord, "consent_version" | "consent_id" | "user_agent" | "timestamp">;

const LAST_ACTIONS = `
  SELECT DISTINCT ON (consent_type) consent_type, action, method, consent_version, consent_id, user_agent, timestamp
  FROM consent_records WHERE shop = $1 AND user_id = $2 AND action IN ('granted', 'revoked')
  ORDER BY consent_type, seq DESC`;

type Merge = { holderId: number; waitingId: number; proof: Proof };

async function mergeLanguage(sql: TenantSql, { holderId, waitingId, proof }: Merge): Promise<void> {
  const isOwn = proof.keeps === "everything";
  await sql(
    `INSERT INTO user_claims (shop, user_id, language) SELECT $1, $2, language FROM user_claims
      WHERE shop = $1 AND user_id = $3
     ON CONFLICT (shop, user_id) DO UPDATE
       SET language = ${isOwn ? "coalesce(excluded.language, user_claims.language)" : "coalesce(user_claims.language, excluded.language)"}`,
    [holderId, waitingId],
  );
}

/** The decisions of the waiting account that the holder takes over. Locks the holder's claims. */
async function findDecisionsToMerge(
  sql: TenantSql,
  { holderId, waitingId, proof: { keeps, isSignIn } }: Merge,
): Promise<WaitingConsent[]> {
  const isOwn = keeps === "everything";
  const [claims] = await sql<ClaimRow>(
    `SELECT ${CLAIM_FLAGS.join(", ")} FROM user_claims WHERE shop = $1 AND user_id = $2 FOR UPDATE`,
    [holderId],
  );
  const consents = new Map(
    (await sql<LastAction>(LAST_ACTIONS, [holderId])).map((row) => [row.consent_type, row.action]),
  );
  const waiting = (await sql<WaitingConsent>(LAST_ACTIONS, [waitingId])).filter(
    ({ consent_type: type }) => CONSENT_TYPES.includes(type),
  );
  return waiting.filter(({ consent_type: type, action }) => {
    if (isSignIn && type === "marketing") return false;
    const isOpen = !consents.has(type) && !claims?.[consentColumn(type)];
    // Only the verified person allows agents, never the person who submitted the address.
    if (!isOwn) return isOpen && !isAgentConsent(type);
    return consents.get(type) !== action;
  });
}

async function mergeConsents(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  merge: Merge,
): Promise<void> {
  const { holderId } = merge;
  await mergeLanguage(sql, merge);
  const merged = await findDecisionsToMerge(sql, merge);
  for (const { consent_type: type, action, consent_version: version } of merged)
    await sql(
      `UPDATE user_claims SET ${consentColumn(type)} = $3, consent_version = coalesce($4,
        consent_version), updated_at = now()
       WHERE shop = $1 AND user_id = $2`,
      [holderId, action === "granted", version],
    );
  const decisions = merged.map((row) => ({
    userId: holderId,
    consentType: row.consent_type,
    action: row.action as "granted" | "revoked",
    method: row.method,
    consentVersion: row.consent_version,
    consentId: row.consent_id,
    userAgent: row.user_agent,
    timestamp: row.timestamp ?? ctx.clock.now().toISOString(),
  }));
  await recordConsent(sql, tenant, decisions);
  await announceDecisions(ctx, tenant, sql, holderId, decisions);
}

/** Tags that the person chose while waiting. */
async function mergeTags(sql: TenantSql, holderId: number, waitingId: number): Promise<void> {
  await sql(
    `UPDATE user_tag_map SET user_id = $2 WHERE shop = $1 AND user_id = $3
       AND tag_id NOT IN (SELECT tag_id FROM user_tag_map WHERE shop = $1 AND user_id = $2)`,
    [holderId, waitingId],
  );
  await sql(
    `UPDATE storefront_users h SET tags = h.tags || coalesce((
       SELECT jsonb_agg(tag) FROM storefront_users w, jsonb_array_elements_text(w.tags) AS tag
       WHERE w.shop = $1 AND w.id = $3 AND NOT h.tags ? tag), '[]'::jsonb)
     WHERE h.shop = $1 AND h.id = $2`,
    [holderId, waitingId],
  );
}
