// Verifies a tenant's consent log against itself, its head and its signed checkpoints: an edited,
// reordered or missing row is detected, the tail included. A person's history is in the order of the rows'
// ids, which no hash covers: they must rise with the log.
import { setImmediate } from "node:timers/promises";
import type { Ctx } from "../../context.server.ts";
import type {
  Columns,
  ConsentChainHead,
  ConsentRecord,
  NullableColumns,
  TenantData,
  TenantPrisma,
  TenantSql,
} from "../../db.server.ts";
import { readWhereStoreIs } from "../tenants/reading.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { readCheckpoints } from "./checkpoints.ts";
import {
  CHAIN_START,
  EVIDENCE_COLUMNS,
  evidenceOf,
  linkHash,
  type StoredEvidence,
} from "./record-consent.ts";

export type ChainProblem = {
  id: number | null;
  seq: number;
  kind:
    | "edited"
    | "missing"
    | "broken_link"
    | "tail_missing"
    | "head_missing"
    | "checkpoint_mismatch"
    | "checkpoint_forged"
    | "checkpoint_missing";
};
export type ChainReport = { ok: boolean; rows: number; problems: ChainProblem[] };

const SLICE = 5_000;
const MAX_PROBLEMS = 1_000;

type Row = StoredEvidence & Columns<ConsentRecord, "id" | "prev_hash" | "hash">;
type Head = { seq: number; hash: string };
type Position = Head & { id: number };

type OnSlice = (rows: number, of: number) => Promise<void>;

/**
 * `onSlice` receives the number of verified rows and the total. Begins again when the store moved meanwhile: its
 * rows are missing in the cell that it left.
 */
export const verifyConsentChain = (
  ctx: Ctx,
  tenant: Tenant,
  onSlice?: OnSlice,
): Promise<ChainReport> => readWhereStoreIs(ctx, tenant, (at) => verifyChainOf(ctx, at, onSlice));

async function verifyChainOf(
  ctx: Ctx,
  tenant: Tenant,
  onSlice: OnSlice | undefined,
): Promise<ChainReport> {
  const data = dataOf(ctx, tenant);
  const { checkpoints, forged, missing } = await readCheckpoints(ctx, tenant);
  const problems: ChainProblem[] = [
    ...forged.map((seq) => ({ id: null, seq, kind: "checkpoint_forged" as const })),
    ...missing.map((seq) => ({ id: null, seq, kind: "checkpoint_missing" as const })),
  ];
  const ends = await readEnds(data.sql);
  let rows = 0;
  let last: Position = { id: 0, seq: 0, hash: CHAIN_START };
  for await (const slice of slicesOf(data, ends.lastSeq)) {
    for (const row of slice) {
      problems.push(...findRowProblems(row, last, ends.head, checkpoints.get(row.seq)));
      last = { id: row.id, seq: row.seq, hash: row.hash };
    }
    rows += slice.length;
    await onSlice?.(rows, ends.lastSeq);
    if (problems.length >= MAX_PROBLEMS) break;
  }
  problems.push(...findEndProblems(ends, last, Math.max(0, ...checkpoints.keys())));
  return { ok: problems.length === 0, rows, problems: problems.slice(0, MAX_PROBLEMS) };
}

/** What is wrong with a row behind `last`. `checkpoint`: the hash that was signed for its place, if any. */
function findRowProblems(
  row: Row,
  last: Position,
  head: Head | null,
  checkpoint: string | undefined,
): ChainProblem[] {
  const { id, seq } = row;
  const problems: ChainProblem[] = [];
  const isNext = seq === last.seq + 1;
  if (!isNext) problems.push({ id: null, seq: last.seq + 1, kind: "missing" });
  if (id <= last.id || (isNext && row.prev_hash !== last.hash))
    problems.push({ id, seq, kind: "broken_link" });
  if (linkHash(row.prev_hash, evidenceOf(row)) !== row.hash)
    problems.push({ id, seq, kind: "edited" });
  if (seq === head?.seq && row.hash !== head.hash) problems.push({ id, seq, kind: "broken_link" });
  if (checkpoint !== undefined && checkpoint !== row.hash)
    problems.push({ id, seq, kind: "checkpoint_mismatch" });
  return problems;
}

/** What is wrong with the end of the log. `last`: the last row that was read. */
function findEndProblems(
  { head, lastSeq, lastId }: Ends,
  last: Position,
  lastCheckpoint: number,
): ChainProblem[] {
  const problems: ChainProblem[] = [];
  // No append gave the last row this id: the next row's is lower.
  if (lastId !== null && last.id > lastId)
    problems.push({ id: last.id, seq: last.seq, kind: "broken_link" });
  // The head, or a checkpoint outside of the database, names rows that the table no longer has.
  if (Math.max(head?.seq ?? 0, lastCheckpoint) > lastSeq)
    problems.push({ id: null, seq: lastSeq + 1, kind: "tail_missing" });
  if (!head && lastSeq > 0) problems.push({ id: null, seq: lastSeq, kind: "head_missing" });
  if (head && head.seq < lastSeq)
    problems.push({ id: null, seq: head.seq + 1, kind: "broken_link" });
  return problems;
}

type Ends = { head: Head | null; lastSeq: number; lastId: number | null };

/**
 * Head and last row of one snapshot: rows written during the verification only extend the log. `lastId` is
 * the highest id that was given to any row so far; null when the database does not return it.
 */
async function readEnds(sql: TenantSql): Promise<Ends> {
  const [ends] = await sql<
    NullableColumns<ConsentChainHead, "seq"> &
      Columns<ConsentChainHead, "hash"> & { last_seq: number; last_id: number | null }
  >(
    `SELECT head.seq, head.hash, coalesce((SELECT max(seq) FROM consent_records WHERE shop = $1), 0) AS last_seq,
       pg_sequence_last_value(pg_get_serial_sequence('consent_records', 'id')::regclass) AS last_id
     FROM (SELECT 1) AS one LEFT JOIN consent_chain_heads head ON head.shop = $1`,
  );
  return {
    head: ends?.seq ? { seq: ends.seq, hash: ends.hash } : null,
    lastSeq: ends?.last_seq ?? 0,
    lastId: ends?.last_id ?? null,
  };
}

/** The rows in order; the database reads the next slice while the caller processes this one. */
async function* slicesOf({ sql, prisma }: TenantData, lastSeq: number): AsyncGenerator<Row[]> {
  if (lastSeq === 0) return;
  let after = 0;
  let next = readSlice(sql, after, lastSeq);
  while (after < lastSeq) {
    const slice = await next;
    after = slice.length > 0 ? after + SLICE : await seqBeforeNext(prisma, after);
    if (after < lastSeq) {
      next = readSlice(sql, after, lastSeq);
      // When the consumer stops early, this promise is left over: ignore its failure.
      next.catch(() => {});
      // Yields to the event loop once, so that the query is sent before the hashing begins.
      await setImmediate();
    }
    yield slice;
  }
}

/**
 * Bounded at both ends: with a LIMIT, a planner without statistics sorts the rest of the log for
 * every slice.
 */
function readSlice(sql: TenantSql, afterSeq: number, lastSeq: number): Promise<Row[]> {
  return sql<Row>(
    `SELECT id, prev_hash, hash, ${EVIDENCE_COLUMNS} FROM consent_records WHERE shop = $1
      AND seq > $2 AND seq <= $3 ORDER BY seq`,
    [afterSeq, Math.min(afterSeq + SLICE, lastSeq)],
  );
}

async function seqBeforeNext(prisma: TenantPrisma, afterSeq: number): Promise<number> {
  const next = await prisma.consentRecord.findFirst({
    select: { seq: true },
    where: { seq: { gt: afterSeq } },
    orderBy: { seq: "asc" },
  });
  return Number(next?.seq ?? Number.MAX_SAFE_INTEGER) - 1;
}
