// Appends to the consent log, inside the transaction that changes the flags. Each tenant's rows
// form a chain: a row's hash covers its evidence and the previous row, so an edited, moved or
// missing row is detected (verify-chain.ts).
import type { Columns, ConsentChainHead, ConsentRecord, TenantSql } from "../../db.server.ts";
import { hash } from "node:crypto";
import { timeZoneOf } from "../tenants/storefront/time-zone.ts";
import type { Tenant } from "../tenants/tenant.ts";
import { batchColumns } from "../../runtime/database/batch-columns.ts";
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

/** An entry at its position in the chain. */
type Link = {
  entry: ConsentEntry;
  createdAt: Date;
  seq: number;
  prevHash: string;
  hash: string;
};

const LINKS = batchColumns<Link>({
  user_id: ["int", ({ entry }) => entry.userId],
  visitor_id: ["text", ({ entry }) => entry.visitorId ?? null],
  consent_type: ["text", ({ entry }) => entry.consentType],
  action: ["text", ({ entry }) => entry.action],
  method: ["text", ({ entry }) => entry.method],
  consent_version: ["text", ({ entry }) => entry.consentVersion ?? null],
  consent_id: ["text", ({ entry }) => entry.consentId],
  user_agent: ["text", ({ entry }) => entry.userAgent ?? null],
  ga_session_id: ["text", ({ entry }) => entry.gaSessionId ?? null],
  timestamp: ["text", ({ entry }) => entry.timestamp ?? null],
  form_type: ["text", ({ entry }) => entry.formType ?? null],
  source_page: ["text", ({ entry }) => entry.sourcePage ?? null],
  policy_hash: ["text", ({ entry }) => entry.policyHash ?? null],
  gpc: ["boolean", ({ entry }) => entry.gpc ?? false],
  created_at: ["timestamptz", ({ createdAt }) => createdAt],
  seq: ["bigint", ({ seq }) => seq],
  prev_hash: ["text", ({ prevHash }) => prevHash],
  hash: ["text", ({ hash: own }) => own],
});

// Rows and head in one statement. The head row is locked already; $2 and $3 are its new values. The
// trigger that counts the rows per day reads the store's time zone of this transaction.
const APPEND = `
  WITH moved AS (UPDATE consent_chain_heads
    SET seq = $2, hash = $3, updated_at = clock_timestamp() WHERE shop = $1),
  zone AS MATERIALIZED (SELECT set_config('consent.time_zone', $4, true))
  INSERT INTO consent_records (shop, ${LINKS.names})
  SELECT $1, link.* FROM zone, unnest(${LINKS.arrays(5)}) AS link`;

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
  let last = { seq: head.seq, hash: head.hash };
  const links = entries.map((entry): Link => {
    const createdAt = entry.createdAt ?? head.now;
    const prevHash = last.hash;
    const seq = last.seq + 1;
    last = { seq, hash: chainHash(prevHash, seq, entry, createdAt) };
    return { entry, createdAt, prevHash, ...last };
  });
  await sql(APPEND, [last.seq, last.hash, timeZoneOf(tenant), ...LINKS.values(links)]);
}
