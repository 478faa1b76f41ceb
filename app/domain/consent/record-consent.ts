// Appends to the consent log, inside the transaction that changes the flags. Each tenant's rows form a chain: a row's
// hash covers the row before it, so an edited, moved or missing row shows.
import { hash } from "node:crypto";
import type { TenantSql } from "../../runtime/database.ts";

export type ConsentEntry = {
  userId: number | null;
  visitorId?: string | null;
  consentType: string;
  action: string;
  method: string;
  consentVersion?: string | null;
  /** Groups what was decided at once. */
  consentId: string;
  userAgent?: string | null;
  gaSessionId?: string | null;
  /** The client's own time, as it said it. */
  timestamp?: string | null;
  formType?: string | null;
  sourcePage?: string | null;
  gpc?: boolean;
};

export const CHAIN_START = "0".repeat(64);

/** What a row's hash covers: the evidence in a fixed order, and the hash before it. */
export function chainHash(prevHash: string, seq: number, entry: ConsentEntry, createdAt: Date): string {
  const evidence = [
    seq, entry.userId, entry.visitorId ?? null, entry.consentType, entry.action, entry.method, entry.consentVersion ?? null, entry.consentId,
    entry.timestamp ?? null, entry.formType ?? null, entry.sourcePage ?? null, entry.gpc ?? false, createdAt.toISOString(),
  ];
  return hash("sha256", `${prevHash}\n${JSON.stringify(evidence)}`);
}

/** Locks the tenant's chain head until the transaction ends; rows get their place in commit order. */
export async function recordConsent(sql: TenantSql, entries: readonly ConsentEntry[]): Promise<void> {
  if (entries.length === 0) return;
  await sql("INSERT INTO consent_chain_heads (shop, seq, hash) VALUES ($1, 0, $2) ON CONFLICT (shop) DO NOTHING", [CHAIN_START]);
  const [head] = await sql<{ seq: number; hash: string; now: Date }>("SELECT seq, hash, date_trunc('milliseconds', clock_timestamp()) AS now FROM consent_chain_heads WHERE shop = $1 FOR UPDATE");
  if (!head) throw new Error("the consent chain has no head");
  let { seq, hash: prevHash } = head;
  for (const entry of entries) {
    seq += 1;
    const rowHash = chainHash(prevHash, seq, entry, head.now);
    await sql(
      `INSERT INTO consent_records (shop, user_id, visitor_id, consent_type, action, method, consent_version, consent_id, user_agent, ga_session_id, timestamp, form_type, source_page, gpc, created_at, seq, prev_hash, hash)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)`,
      [
        entry.userId, entry.visitorId ?? null, entry.consentType, entry.action, entry.method, entry.consentVersion ?? null, entry.consentId, entry.userAgent ?? null,
        entry.gaSessionId ?? null, entry.timestamp ?? null, entry.formType ?? null, entry.sourcePage ?? null, entry.gpc ?? false, head.now, seq, prevHash, rowHash,
      ],
    );
    prevHash = rowHash;
  }
  await sql("UPDATE consent_chain_heads SET seq = $2, hash = $3, updated_at = clock_timestamp() WHERE shop = $1", [seq, prevHash]);
}
