// A person's own consent log: pages, CSV, and the receipt of one decision.
import type { Ctx } from "../../context.server.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";

const COLUMNS = [
  "id",
  "user_id",
  "consent_type",
  "action",
  "method",
  "consent_version",
  "consent_id",
  "user_agent",
  "ga_session_id",
  "timestamp",
  "created_at",
] as const;

type HistoryRow = Record<
  Exclude<(typeof COLUMNS)[number], "id" | "created_at">,
  string | number | null
> & { id: number; created_at: Date };

const toRecord = (row: HistoryRow) => ({ ...row, created_at: row.created_at.toISOString() });

/** Newest first; `next` is the position of the following page. */
export async function listConsents(
  ctx: Ctx,
  tenant: Tenant,
  userId: number,
  options: { limit: number; before: number | null },
) {
  const rows = await dataOf(ctx, tenant).sql<HistoryRow>(
    `SELECT ${COLUMNS.join(", ")} FROM consent_records WHERE shop = $1 AND user_id = $2 AND ($3::int IS NULL OR id < $3) ORDER BY id DESC LIMIT $4`,
    [userId, options.before, options.limit + 1],
  );
  const page = rows.slice(0, options.limit);
  return {
    records: page.map(toRecord),
    next: rows.length > options.limit ? (page.at(-1)?.id ?? null) : null,
  };
}

/** A spreadsheet must not run what somebody typed: a leading sign of a formula is quoted away. */
export function toCell(value: string | number | boolean | Date | null): string {
  const text = value instanceof Date ? value.toISOString() : String(value ?? "");
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export async function exportConsents(ctx: Ctx, tenant: Tenant, userId: number): Promise<string> {
  const lines = [COLUMNS.join(",")];
  for (let before: number | null = null; ;) {
    const { records, next }: Awaited<ReturnType<typeof listConsents>> = await listConsents(
      ctx,
      tenant,
      userId,
      { limit: 1_000, before },
    );
    for (const record of records)
      lines.push(COLUMNS.map((column) => toCell(record[column])).join(","));
    if (next === null) return `${lines.join("\r\n")}\r\n`;
    before = next;
  }
}

/** What a row of the log belongs to: the decision and whoever made it. */
export async function findDecision(
  ctx: Ctx,
  tenant: Tenant,
  seq: number,
): Promise<{ consentId: string; userId: number | null; visitorId: string | null } | null> {
  const [row] = await dataOf(ctx, tenant).sql<{
    consent_id: string;
    user_id: number | null;
    visitor_id: string | null;
  }>("SELECT consent_id, user_id, visitor_id FROM consent_records WHERE shop = $1 AND seq = $2", [
    seq,
  ]);
  return row ? { consentId: row.consent_id, userId: row.user_id, visitorId: row.visitor_id } : null;
}

type ReceiptRow = {
  seq: number;
  hash: string;
  prev_hash: string;
  consent_type: string;
  action: string;
  method: string;
  consent_version: string | null;
  policy_hash: string | null;
  source_page: string | null;
  gpc: boolean;
  timestamp: string | null;
  created_at: Date;
};

/** After ISO/IEC TS 27560 and the Kantara receipt: who, when, what, told what, how, and where it stands in the chain. */
export async function findReceipt(
  ctx: Ctx,
  tenant: Tenant,
  userId: number | null,
  consentId: string,
  visitorId: string | null = null,
) {
  const rows = await dataOf(ctx, tenant).sql<ReceiptRow>(
    `SELECT seq, hash, prev_hash, consent_type, action, method, consent_version, policy_hash, source_page, gpc, timestamp, created_at
     FROM consent_records WHERE shop = $1 AND consent_id = $2 AND user_id IS NOT DISTINCT FROM $3 AND (user_id IS NOT NULL OR visitor_id IS NOT DISTINCT FROM $4) ORDER BY seq`,
    [consentId, userId, visitorId],
  );
  const [first] = rows;
  if (!first) return null;
  return {
    consentReceiptID: consentId,
    version: "ISO/IEC TS 27560:2023",
    consentTimestamp: first.created_at.toISOString(),
    collectionMethod: first.method,
    piiPrincipalId: ctx.secrets.pseudonym(
      `${tenant.shop}/receipt`,
      userId === null ? `visitor/${visitorId ?? ""}` : String(userId),
    ),
    piiControllers: [
      {
        name: tenant.config.brand_name ?? tenant.shop,
        domain: tenant.shop,
        ...(tenant.config.support_email && { email: tenant.config.support_email }),
      },
    ],
    policyUrl: tenant.config.privacy_url ?? null,
    policyVersion: first.consent_version,
    policyHash: first.policy_hash,
    sourcePage: first.source_page,
    globalPrivacyControl: first.gpc,
    services: rows.map((row) => ({
      purpose: row.consent_type,
      action: row.action,
      clientTime: row.timestamp,
      chain: { seq: row.seq, hash: row.hash, previous: row.prev_hash },
    })),
  };
}
