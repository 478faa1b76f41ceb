// Checks a tenant's consent log against itself, its head and its signed checkpoints: an edited, reordered or missing row
// is found, the tail included.
import { createPrivateKey, createPublicKey, hkdfSync, sign, verify, type KeyObject } from "node:crypto";
import { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import type { TenantSql } from "../../runtime/database.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { CHAIN_START, chainHash } from "./record-consent.ts";

export type ChainProblem = { id: number | null; seq: number; kind: "edited" | "missing" | "broken_link" | "tail_missing" | "head_missing" | "checkpoint_mismatch" | "checkpoint_forged" };
export type ChainReport = { ok: boolean; rows: number; problems: ChainProblem[] };

const SLICE = 5_000;
const MAX_PROBLEMS = 1_000;

type Row = {
  id: number; seq: number; prev_hash: string; hash: string; user_id: number | null; visitor_id: string | null; consent_type: string; action: string; method: string;
  consent_version: string | null; consent_id: string; user_agent: string | null; ga_session_id: string | null; timestamp: string | null; form_type: string | null;
  source_page: string | null; policy_hash: string | null; gpc: boolean; created_at: Date;
};

export async function verifyConsentChain(ctx: Ctx, tenant: Tenant): Promise<ChainReport> {
  const { sql } = dataOf(ctx, tenant);
  // Head and checkpoints before the rows: what is written meanwhile only makes the log longer.
  const head = await readHead(sql);
  const problems: ChainProblem[] = [];
  const checkpoints = await readCheckpoints(ctx, tenant, problems);
  let rows = 0;
  let last = { seq: 0, hash: CHAIN_START };
  for (;;) {
    const slice = await readSlice(sql, last.seq);
    for (const row of slice) {
      if (row.seq !== last.seq + 1) problems.push({ id: null, seq: last.seq + 1, kind: "missing" });
      else if (row.prev_hash !== last.hash) problems.push({ id: row.id, seq: row.seq, kind: "broken_link" });
      if (hashOf(row) !== row.hash) problems.push({ id: row.id, seq: row.seq, kind: "edited" });
      const checkpoint = checkpoints.get(row.seq);
      if (row.seq === head?.seq && row.hash !== head.hash) problems.push({ id: row.id, seq: row.seq, kind: "broken_link" });
      if (checkpoint !== undefined && checkpoint !== row.hash) problems.push({ id: row.id, seq: row.seq, kind: "checkpoint_mismatch" });
      last = { seq: row.seq, hash: row.hash };
    }
    rows += slice.length;
    if (slice.length < SLICE || problems.length >= MAX_PROBLEMS) break;
  }
  await checkTail(sql, { last, head, checkpointSeq: Math.max(0, ...checkpoints.keys()) }, problems);
  return { ok: problems.length === 0, rows, problems: problems.slice(0, MAX_PROBLEMS) };
}

function readSlice(sql: TenantSql, afterSeq: number): Promise<Row[]> {
  return sql<Row>(
    `SELECT id, seq, prev_hash, hash, user_id, visitor_id, consent_type, action, method, consent_version, consent_id, user_agent, ga_session_id, timestamp, form_type, source_page, policy_hash, gpc, created_at
     FROM consent_records WHERE shop = $1 AND seq > $2 ORDER BY seq LIMIT ${SLICE}`,
    [afterSeq],
  );
}

function hashOf(row: Row): string {
  const entry = {
    userId: row.user_id, visitorId: row.visitor_id, consentType: row.consent_type, action: row.action, method: row.method, consentVersion: row.consent_version, consentId: row.consent_id,
    userAgent: row.user_agent, gaSessionId: row.ga_session_id, timestamp: row.timestamp, formType: row.form_type, sourcePage: row.source_page, policyHash: row.policy_hash, gpc: row.gpc,
  };
  return chainHash(row.prev_hash, row.seq, entry, row.created_at);
}

type Head = { seq: number; hash: string };
const readHead = async (sql: TenantSql): Promise<Head | undefined> => (await sql<Head>("SELECT seq, hash FROM consent_chain_heads WHERE shop = $1"))[0];

/** The head, or a checkpoint outside of the database, remembers rows that the table no longer has. */
async function checkTail(sql: TenantSql, found: { last: Head; head: Head | undefined; checkpointSeq: number }, problems: ChainProblem[]): Promise<void> {
  const { last, head, checkpointSeq } = found;
  if (Math.max(head?.seq ?? 0, checkpointSeq) > last.seq) problems.push({ id: null, seq: last.seq + 1, kind: "tail_missing" });
  // Rows past the head are fine when the head has followed them by now.
  const now = last.seq > (head?.seq ?? 0) ? await readHead(sql) : head;
  if (!now && last.seq > 0) problems.push({ id: null, seq: last.seq, kind: "head_missing" });
  else if (now && now.seq < last.seq) problems.push({ id: null, seq: now.seq + 1, kind: "broken_link" });
}

// Signed with a key that the database does not hold: who can rewrite every row still cannot rewrite these.
const ED25519_PKCS8 = Buffer.from("302e020100300506032b657004220420", "hex");

function signingKey(ctx: Ctx): KeyObject {
  const seed = Buffer.from(hkdfSync("sha256", ctx.config.SECRETS_KEY, Buffer.alloc(0), "consent-checkpoints", 32));
  return createPrivateKey({ key: Buffer.concat([ED25519_PKCS8, seed]), format: "der", type: "pkcs8" });
}

const Signed = z.object({ shop: z.string(), seq: z.number().int().positive(), hash: z.string(), at: z.string(), signature: z.string() });
type Checkpoint = Omit<z.output<typeof Signed>, "signature">;
const folderOf = (shop: string) => `consent/checkpoints/${shop}/`;
const messageOf = ({ shop, seq, hash, at }: Checkpoint) => Buffer.from(`${shop}\n${seq}\n${hash}\n${at}`);

/** Archives the head, signed, when it moved since the last checkpoint. Safe to repeat. */
export async function writeCheckpoint(ctx: Ctx, tenant: Tenant): Promise<boolean> {
  const [head] = await dataOf(ctx, tenant).sql<{ seq: number; hash: string }>("SELECT seq, hash FROM consent_chain_heads WHERE shop = $1 AND seq > 0");
  if (!head) return false;
  const path = `${folderOf(tenant.shop)}${String(head.seq).padStart(12, "0")}.json`;
  if (await ctx.archive.get(path)) return false;
  const checkpoint: Checkpoint = { shop: tenant.shop, seq: head.seq, hash: head.hash, at: ctx.clock.now().toISOString() };
  const signature = sign(null, messageOf(checkpoint), signingKey(ctx)).toString("base64");
  await ctx.archive.put(path, JSON.stringify({ ...checkpoint, signature }), "application/json");
  return true;
}

async function readCheckpoints(ctx: Ctx, tenant: Tenant, problems: ChainProblem[]): Promise<Map<number, string>> {
  const publicKey = createPublicKey(signingKey(ctx));
  const checkpoints = new Map<number, string>();
  for (const path of await ctx.archive.list(folderOf(tenant.shop))) {
    const checkpoint = parseCheckpoint(await ctx.archive.get(path));
    const isOurs = checkpoint?.shop === tenant.shop && verify(null, messageOf(checkpoint), publicKey, Buffer.from(checkpoint.signature, "base64"));
    if (isOurs) checkpoints.set(checkpoint.seq, checkpoint.hash);
    else problems.push({ id: null, seq: Number(/(\d+)\.json$/.exec(path)?.[1] ?? 0), kind: "checkpoint_forged" });
  }
  return checkpoints;
}

/** Null for what we never wrote: whoever can forge a checkpoint can also write nonsense into it. */
function parseCheckpoint(object: Buffer | null): z.output<typeof Signed> | null {
  try {
    return Signed.parse(JSON.parse(object?.toString("utf8") ?? "null"));
  } catch {
    return null;
  }
}
