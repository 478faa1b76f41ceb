// Appends to the consent log, inside the transaction that changes the flags. Each tenant's rows
// form a chain: a row's hash covers its evidence and the previous row, so an edited, moved or
// missing row is detected (verify-chain.ts).
import type { Columns, ConsentChainHead, ConsentRecord, TenantSql } from "../../db.server.ts";
import { hash } from "node:crypto";
import { timeZoneOf } from "../tenants/storefront/time-zone.ts";
import type { Tenant } from "../tenants/tenant.ts";
import { redactEmailAddresses } from "../../runtime/email-addresses.ts";
import type { HistoricTime } from "../../runtime/historic-time.ts";

export type ConsentEntry = {
  userId: number | null;
  visitorId?: string | null;
  consentType: string;
  action: string;
  method: string;
  /** The policy's version; without it the store's current one. Null: a decision of an earlier time, which had none. */
  consentVersion?: string | null | undefined;
  /** Groups the decisions of one request. */
  consentId: string;
  userAgent?: string | null;
  gaSessionId?: string | null;
  /** The client's own time, as sent. */
  timestamp?: string | null;
  formType?: string | null;
  sourcePage?: string | null;
  /** SHA-256 of the policy's text in this version, if the tenant registered it. */
  policyHash?: string | null;
  gpc?: boolean;
  /** For the history of the demo store; otherwise the time at which the head was locked. */
  createdAt?: HistoricTime | undefined;
};

export const CHAIN_START = "0".repeat(64);

/** The input of a row's hash: all evidence in a fixed order, and the previous hash. */
export function chainHash(
  prevHash: string,
  seq: number,
  entry: ConsentEntry,
  createdAt: Date,
): string {
  const evidence = [
    seq,
    entry.userId,
    entry.visitorId ?? null,
    entry.consentType,
    entry.action,
    entry.method,
    entry.consentVersion ?? null,
    entry.consentId,
    entry.userAgent ?? null,
    entry.gaSessionId ?? null,
    entry.timestamp ?? null,
    entry.formType ?? null,
    entry.sourcePage ?? null,
    entry.policyHash ?? null,
    entry.gpc ?? false,
    createdAt.toISOString(),
  ];
  return linkHash(prevHash, JSON.stringify(evidence));
}

export const linkHash = (prevHash: string, evidence: string): string =>
  hash("sha256", `${prevHash}\n${evidence}`);

// The texts of a row's evidence as one JSON array built by the database, which escapes like
// JSON.stringify: one column instead of twelve makes verification several times as fast.
const TEXTS = [
  "visitor_id",
  "consent_type",
  "action",
  "method",
  "consent_version",
  "consent_id",
  "user_agent",
  "ga_session_id",
  "timestamp",
  "form_type",
  "source_page",
  "policy_hash",
];
export const EVIDENCE_COLUMNS = `seq, user_id, array_to_json(ARRAY[${TEXTS.join(", ")}])::text AS texts, gpc, to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at`;
export type StoredEvidence = Columns<ConsentRecord, "seq" | "user_id" | "gpc"> & {
  texts: string;
  at: string;
};

/** The same text as `chainHash` covers, from a stored row. */
export const evidenceOf = ({ seq, user_id: userId, texts, gpc, at }: StoredEvidence): string =>
  `[${seq},${userId},${texts.slice(1, -1)},${gpc},"${at}"]`;

// Rows and head in one statement. The head row is locked already; $20 and $21 are its new values. The
// trigger that counts the rows per day reads the store's time zone of this transaction.
const APPEND = `
  WITH moved AS (UPDATE consent_chain_heads
    SET seq = $20, hash = $21, updated_at = clock_timestamp() WHERE shop = $1),
  zone AS MATERIALIZED (SELECT set_config('consent.time_zone', $22, true))
  INSERT INTO consent_records (shop, user_id, visitor_id, consent_type, action, method,
    consent_version, consent_id, user_agent, ga_session_id, timestamp, form_type, source_page,
    policy_hash, gpc, created_at, seq, prev_hash, hash)
  SELECT $1, entry.* FROM zone, unnest($2::int[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
    $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[],
    $15::bool[], $16::timestamptz[], $17::bigint[], $18::text[], $19::text[]) AS entry`;

export type ChainHead = Columns<ConsentChainHead, "seq" | "hash"> & { now: Date };

/**
 * The tenant's chain head, locked until the transaction ends: rows get their position in commit
 * order. Lock claims first.
 */
export async function lockHead(sql: TenantSql): Promise<ChainHead> {
  const read = () =>
    sql<ChainHead>(
      `SELECT seq, hash, date_trunc('milliseconds', clock_timestamp()) AS now
        FROM consent_chain_heads WHERE shop = $1 FOR UPDATE`,
    );
  const [head] = await read();
  if (head) return head;
  await sql(
    "INSERT INTO consent_chain_heads (shop, seq, hash) VALUES ($1, 0, $2) ON CONFLICT (shop) DO NOTHING",
    [CHAIN_START],
  );
  const [made] = await read();
  if (!made) throw new Error("the consent chain has no head");
  return made;
}

/**
 * Half a surrogate pair is stored as U+FFFD: hashed as sent, the row would look edited. Rows are never
 * erased, so their texts must not contain an email address from any sender.
 */
const asStored = (entry: ConsentEntry): ConsentEntry =>
  Object.fromEntries(
    Object.entries(entry).map(([name, value]) => [
      name,
      typeof value === "string"
        ? redactEmailAddresses(value.replace(/\p{Surrogate}/gu, "\ufffd"))
        : value,
    ]),
  ) as ConsentEntry;

export async function recordConsent(
  sql: TenantSql,
  tenant: Pick<Tenant, "connection"> & Partial<Pick<Tenant, "config">>,
  submitted: readonly ConsentEntry[],
  locked?: ChainHead,
): Promise<void> {
  if (submitted.length === 0) return;
  const version = tenant.config?.consent_policy_version ?? null;
  const entries = submitted.map(({ consentVersion = version, ...entry }) =>
    asStored({ ...entry, consentVersion }),
  );
  const head = locked ?? (await lockHead(sql));
  let { hash: prevHash } = head;
  const createdAt = (entry: ConsentEntry) => entry.createdAt ?? head.now;
  const links = entries.map((entry, index) => {
    const seq = head.seq + index + 1;
    const link = { seq, prevHash, hash: chainHash(prevHash, seq, entry, createdAt(entry)) };
    prevHash = link.hash;
    return link;
  });
  const column = <T>(of: (entry: ConsentEntry) => T) => entries.map(of);
  await sql(APPEND, [
    column((entry) => entry.userId),
    column((entry) => entry.visitorId ?? null),
    column((entry) => entry.consentType),
    column((entry) => entry.action),
    column((entry) => entry.method),
    column((entry) => entry.consentVersion ?? null),
    column((entry) => entry.consentId),
    column((entry) => entry.userAgent ?? null),
    column((entry) => entry.gaSessionId ?? null),
    column((entry) => entry.timestamp ?? null),
    column((entry) => entry.formType ?? null),
    column((entry) => entry.sourcePage ?? null),
    column((entry) => entry.policyHash ?? null),
    column((entry) => entry.gpc ?? false),
    column(createdAt),
    links.map(({ seq }) => seq),
    links.map((link) => link.prevHash),
    links.map((link) => link.hash),
    head.seq + entries.length,
    prevHash,
    timeZoneOf(tenant),
  ]);
}
