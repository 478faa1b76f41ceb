// A person's own consent log: pages, CSV, and the receipt of one decision.
import type { Ctx } from "../../context.server.ts";
import type { ConsentRecord } from "../../db.server.ts";
import { toCsvLine } from "../../runtime/text/csv.ts";
import { readWhereStoreIs } from "../tenants/reading.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { withOutcomes } from "./consent-outcomes.ts";

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

type Column = (typeof COLUMNS)[number];
const SELECTED = Object.fromEntries(COLUMNS.map((column) => [column, true])) as Record<
  Column,
  true
>;

const toRecord = (row: Pick<ConsentRecord, Column>) => ({
  ...row,
  created_at: row.created_at.toISOString(),
});

/** Newest first; `next` is the position of the following page. */
export async function listConsents(
  ctx: Ctx,
  tenant: Tenant,
  userId: number,
  options: { limit: number; before: number | null },
) {
  const rows = await dataOf(ctx, tenant).prisma.consentRecord.findMany({
    select: SELECTED,
    where: { user_id: userId, ...(options.before !== null && { id: { lt: options.before } }) },
    orderBy: { id: "desc" },
    take: options.limit + 1,
  });
  const page = rows.slice(0, options.limit);
  return {
    records: page.map(toRecord),
    next: rows.length > options.limit ? (page.at(-1)?.id ?? null) : null,
  };
}

export async function exportConsents(ctx: Ctx, tenant: Tenant, userId: number): Promise<string> {
  const lines = [toCsvLine(COLUMNS)];
  for (let before: number | null = null; ;) {
    const page: Parameters<typeof listConsents>[3] = { limit: 1_000, before };
    const { records, next }: Awaited<ReturnType<typeof listConsents>> = await readWhereStoreIs(
      ctx,
      tenant,
      (at) => listConsents(ctx, at, userId, page),
    );
    for (const record of records) lines.push(toCsvLine(COLUMNS.map((column) => record[column])));
    if (next === null) return lines.join("");
    before = next;
  }
}

/** The rows of one decision and its subject. */
export async function findDecision(
  ctx: Ctx,
  tenant: Tenant,
  seq: number,
): Promise<{ consentId: string; userId: number | null; visitorId: string | null } | null> {
  const row = await dataOf(ctx, tenant).prisma.consentRecord.findUnique({
    where: { shop_seq: { shop: tenant.shop, seq } },
  });
  return row ? { consentId: row.consent_id, userId: row.user_id, visitorId: row.visitor_id } : null;
}

type ReceiptOwner = {
  consentId: string;
  userId: number | null;
  /** Without a user: of whom. */
  visitorId?: string | null;
};

/**
 * Follows ISO/IEC TS 27560 and the Kantara receipt: person, time, decision, policy, method, and
 * position in the chain.
 */
export async function findReceipt(
  ctx: Ctx,
  tenant: Tenant,
  { consentId, userId, visitorId = null }: ReceiptOwner,
) {
  const { sql, prisma } = dataOf(ctx, tenant);
  const found = await prisma.consentRecord.findMany({
    where: {
      consent_id: consentId,
      user_id: userId,
      ...(userId === null && { visitor_id: visitorId }),
    },
    orderBy: { seq: "asc" },
  });
  const rows = await withOutcomes(sql, found);
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
      ...(row.outcome && { outcome: row.outcome }),
      clientTime: row.timestamp,
      chain: { seq: Number(row.seq), hash: row.hash, previous: row.prev_hash },
    })),
  };
}
