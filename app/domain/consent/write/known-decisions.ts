// What is known about the subjects of a batch before it is written: their flags, their last decisions, and what a retry
// would repeat.
import type { Columns, ConsentRecord, TenantSql, UserClaims } from "../../../db.server.ts";
import type { Submission } from "../consent-input.ts";
import {
  CONSENT_TYPES,
  consentColumn,
  type ConsentFlags,
  type ConsentType,
} from "../consent-types.ts";
import { lockHead, type ChainHead } from "../record-consent.ts";

/**
 * A known person. `sessionsValidAfter`: of the account, when the session of the request was checked; absent for a
 * request without one.
 */
export type KnownPerson = { userId: number; sessionsValidAfter?: Date | null };

/** The subject of a consent: a known person, or a browser. */
export type Subject = KnownPerson | { visitorId: string };

/** A submission about its subject. */
export type About = { subject: Subject; submission: Submission };

/** A subject's current consents, updated within the batch. */
export type SubjectState = {
  /** Null for a browser: it has no flags, only its log. */
  flags: ConsentFlags | null;
  /** Last action per consent type, by the server's order. */
  last: Map<string, string>;
  /** When the last action was recorded, by the database's time. */
  lastAt: Map<string, Date>;
  /** Last action per `consent_id/type`: the same action again is a retry and adds no row. */
  rows: Map<string, string>;
};

export const keyOf = (subject: Subject) =>
  "userId" in subject ? `u${subject.userId}` : `v${subject.visitorId}`;

/** The batch's known people, in the order in which every transaction locks them. */
export const usersOf = (batch: readonly About[]): number[] =>
  [...new Set(batch.flatMap(({ subject }) => ("userId" in subject ? [subject.userId] : [])))].sort(
    (a, b) => a - b,
  );

type ClaimRow = Columns<UserClaims, "user_id" | `consent_${ConsentType}`>;
type LogRow = Columns<
  ConsentRecord,
  "user_id" | "visitor_id" | "consent_type" | "action" | "created_at"
>;

// The last decision per subject and type, and the rows of the same submissions, oldest first.
//
// A scan here would slow every write down as the log grows, so each subject is an index look-up,
// whatever the planner's statistics say. A row has a user or a visitor, and each has its own branch: with
// `user_id IS NULL` the planner would take the index of users and read all visitors. OFFSET 0 keeps it
// from joining the branches.
const lastOf = (column: "user_id" | "visitor_id", values: string) =>
  `SELECT last.* FROM unnest(${values}) AS subject(id) CROSS JOIN LATERAL (
     SELECT DISTINCT ON (consent_type) user_id, visitor_id, consent_type, action,
       NULL::text AS consent_id, created_at, seq FROM consent_records
     WHERE shop = $1 AND ${column} = subject.id AND action IN ('granted', 'revoked')
       ORDER BY consent_type, seq DESC) AS last`;
const READ_LOG = `
  SELECT user_id, visitor_id, consent_type, action, consent_id, created_at FROM (
    ${lastOf("user_id", "$2::int[]")}
    UNION ALL ${lastOf("visitor_id", "$3::text[]")}
    UNION ALL SELECT same.* FROM unnest($4::text[]) AS submission(id) CROSS JOIN LATERAL (
      SELECT user_id, visitor_id, consent_type, action, consent_id, created_at, seq FROM consent_records
        WHERE shop = $1 AND consent_id = submission.id AND action IN ('granted', 'revoked') OFFSET 0) AS same
  ) AS log ORDER BY seq`;

const toState = (flags: ConsentFlags | null): SubjectState => ({
  flags,
  last: new Map(),
  lastAt: new Map(),
  rows: new Map(),
});

/** Locks the people's flags and the tenant's chain head, so that what was read stays true until the commit. */
export async function readKnown(
  sql: TenantSql,
  batch: readonly About[],
): Promise<{ known: Map<string, SubjectState>; head: ChainHead }> {
  const users = usersOf(batch);
  const visitors = [
    ...new Set(batch.flatMap(({ subject }) => ("visitorId" in subject ? [subject.visitorId] : []))),
  ];
  const claims =
    users.length > 0
      ? await sql<ClaimRow>(
          `SELECT user_id, ${CONSENT_TYPES.map(consentColumn).join(", ")} FROM user_claims
            WHERE shop = $1 AND user_id = ANY($2::int[]) ORDER BY user_id FOR UPDATE`,
          [users],
        )
      : [];
  const known = new Map<string, SubjectState>();
  for (const userId of users) {
    const row = claims.find((claim) => claim.user_id === userId);
    const flags = Object.fromEntries(
      CONSENT_TYPES.map((type) => [type, row?.[consentColumn(type)] ?? false]),
    ) as ConsentFlags;
    known.set(`u${userId}`, toState(flags));
  }
  for (const visitorId of visitors) known.set(`v${visitorId}`, toState(null));

  // Before the log is read: a browser has no claims row to lock, and another process may be writing
  // the same retry.
  const head = await lockHead(sql);
  const subjectOf = (row: LogRow) =>
    known.get(row.user_id === null ? `v${row.visitor_id}` : `u${row.user_id}`);
  const rows = await sql<LogRow & { consent_id: string | null }>(READ_LOG, [
    users,
    visitors,
    [...new Set(batch.map(({ submission }) => submission.consentId))],
  ]);
  for (const row of rows) {
    const state = subjectOf(row);
    if (row.consent_id !== null)
      state?.rows.set(`${row.consent_id}/${row.consent_type}`, row.action);
    else {
      state?.last.set(row.consent_type, row.action);
      state?.lastAt.set(row.consent_type, row.created_at);
    }
  }
  return { known, head };
}
