// Writes consent changes: flags, log rows and queue rows in one transaction. Concurrent submissions
// of one tenant share it, because each needs the tenant's chain head: one COMMIT for all of them,
// in order of arrival.
import type { Ctx } from "../../context.server.ts";
import type { Columns, ConsentRecord, TenantSql, UserClaims } from "../../db.server.ts";
import { createGroupCommit, type GroupCommit } from "../../runtime/database/group-commit.ts";
import { AppError } from "../../runtime/errors.ts";
import type { HistoricTime } from "../../runtime/historic-time.ts";
import { consentsRecorded } from "../../runtime/telemetry/metrics.ts";
import { activeTraceParent } from "../../runtime/telemetry/tracing.ts";
import { FLOW_CHANNEL } from "../bus/channel.ts";
import { enqueue } from "../bus/enqueue.ts";
import { channelsFor } from "../inventory/write-matrix.ts";
import {
  applyTagRules,
  lockCustomers,
  lockTaggedCustomers,
  type TaggedCustomer,
} from "../tags/system-tags.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { toConsentChanges } from "./announce-decisions.ts";
import type { Submission } from "./consent-input.ts";
import {
  CONSENT_TYPES,
  consentColumn,
  TRACKING_METHODS,
  type ConsentFlags,
  type ConsentType,
} from "./consent-types.ts";
import { lockHead, recordConsent, type ChainHead, type ConsentEntry } from "./record-consent.ts";

/** The subject of a consent: a known person, or a browser. */
export type Subject = { userId: number } | { visitorId: string };

export type Recorded = { consent_type: string; action: "granted" | "revoked" };

/** `at`: in the history of the demo store. */
type Write = {
  subject: Subject;
  submission: Submission;
  at?: HistoricTime | undefined;
  traceParent: string | null;
};

const MAX_BATCH = 100;
// Keyed by the tenant object, not by its name: a store that moved or enabled a channel gets a new
// writer.
const writers = new WeakMap<Tenant, GroupCommit<Write, Recorded[] | null>>();

/** Resolves after the COMMIT, with the added rows. Throws `unauthorized` when the person was deleted meanwhile. */
export async function writeConsents(
  ctx: Ctx,
  tenant: Tenant,
  subject: Subject,
  submission: Submission,
  at?: HistoricTime,
): Promise<Recorded[]> {
  const writer =
    writers.get(tenant) ??
    createGroupCommit<Write, Recorded[] | null>(
      (batch) => dataOf(ctx, tenant).transaction((sql) => writeBatch(ctx, tenant, sql, batch)),
      { maxItems: MAX_BATCH, flushers: 1 },
    );
  writers.set(tenant, writer);
  return requireWritten(
    await writer.add({ subject, submission, at, traceParent: activeTraceParent() }),
  );
}

/**
 * The same inside the caller's transaction, for changes that must commit together with the consent.
 */
export async function writeConsentsWithin(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  subject: Subject,
  submission: Submission,
  at?: HistoricTime,
): Promise<Recorded[]> {
  const [recorded = []] = await writeBatch(ctx, tenant, sql, [
    { subject, submission, at, traceParent: activeTraceParent() },
  ]);
  return requireWritten(recorded);
}

function requireWritten(recorded: Recorded[] | null): Recorded[] {
  if (!recorded) throw new AppError("unauthorized");
  return recorded;
}

/** A subject's current consents, updated within the batch. */
type SubjectState = {
  /** Null for a browser: it has no flags, only its log. */
  flags: ConsentFlags | null;
  /** Last action per consent type, by the server's order. */
  last: Map<string, string>;
  /** Last action per `consent_id/type`: the same action again is a retry and adds no row. */
  rows: Map<string, string>;
};

const keyOf = (subject: Subject) =>
  "userId" in subject ? `u${subject.userId}` : `v${subject.visitorId}`;

async function writeBatch(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  all: readonly Write[],
): Promise<(Recorded[] | null)[]> {
  // Before claims and head: a transaction that locks a customer and the log locks the customer first.
  const present = await lockCustomers(sql, usersOf(all));
  // Skips people who were deleted while this batch waited for the lock.
  const isWritable = ({ subject }: Write) => !("userId" in subject) || present.has(subject.userId);
  const batch = all.filter(isWritable);
  const customers = await lockTaggedCustomers(sql, usersOf(batch));
  const { known, head } = await readKnown(sql, batch);
  const { entries, results, changes } = planBatch(batch, known);
  await recordConsent(sql, tenant, entries, head);
  await updateFlags(sql, changes);
  await rememberClients(sql, batch);
  await applyTagRules(
    ctx,
    tenant,
    sql,
    customers.map((customer) => withConsents(customer, known)),
    channelsFor("tag_change", tenant, ctx.channels),
  );
  for (const [userId, change] of changes) await enqueueConsent(ctx, tenant, sql, userId, change);
  for (const { action } of entries) consentsRecorded.inc({ action });
  return all.map((write) => results.get(write) ?? null);
}

type BatchPlan = {
  /** The rows of the log, in their order. */
  entries: ConsentEntry[];
  results: Map<Write, Recorded[]>;
  /** By the person's id. */
  changes: Map<number, ConsentChange>;
};

/** What the batch adds and changes. Updates what is known, so that later writes see the earlier ones. */
function planBatch(batch: readonly Write[], known: ReadonlyMap<string, SubjectState>): BatchPlan {
  const plan: BatchPlan = { entries: [], results: new Map(), changes: new Map() };
  for (const write of batch) {
    const { subject, submission } = write;
    const state = known.get(keyOf(subject)) as SubjectState;
    const added = toEntries(write, state);
    plan.entries.push(...added);
    plan.results.set(write, added.map(toRecorded));
    if (!("userId" in subject) || !state.flags || added.length === 0) continue;
    const before = plan.changes.get(subject.userId)?.entries ?? [];
    plan.changes.set(subject.userId, {
      flags: state.flags,
      version: submission.consentVersion,
      cause: submission,
      traceParent: write.traceParent,
      entries: [...before, ...added],
    });
  }
  return plan;
}

const toRecorded = ({ consentType, action }: ConsentEntry): Recorded => ({
  consent_type: consentType,
  action: action as Recorded["action"],
});

const usersOf = (batch: readonly Write[]): number[] =>
  [...new Set(batch.flatMap(({ subject }) => ("userId" in subject ? [subject.userId] : [])))].sort(
    (a, b) => a - b,
  );

/** The customer's facts with the consents of this batch. */
function withConsents(
  customer: TaggedCustomer,
  known: ReadonlyMap<string, SubjectState>,
): TaggedCustomer {
  const { flags, last } = known.get(`u${customer.id}`) as SubjectState;
  const marketing = (last.get("marketing") ?? null) as TaggedCustomer["facts"]["marketing"];
  return {
    ...customer,
    facts: {
      ...customer.facts,
      marketing,
      ...(flags && { tos: flags.tos, privacy: flags.privacy, cookie: flags.cookie }),
    },
  };
}

/**
 * One row per flag whose value changes or is first expressed, and one per form or its withdrawal; the
 * opposite action always adds one.
 */
function toEntries({ subject, submission, at }: Write, state: SubjectState): ConsentEntry[] {
  const entries: ConsentEntry[] = [];
  const add = (consentType: string, action: "granted" | "revoked") => {
    state.rows.set(`${submission.consentId}/${consentType}`, action);
    state.last.set(consentType, action);
    entries.push({
      userId: "userId" in subject ? subject.userId : null,
      visitorId: "visitorId" in subject ? subject.visitorId : null,
      consentType,
      action,
      method: submission.method,
      consentVersion: submission.consentVersion,
      consentId: submission.consentId,
      userAgent: submission.userAgent,
      gaSessionId: submission.gaSessionId,
      timestamp: submission.timestamp,
      formType: submission.formType,
      sourcePage: submission.sourcePage,
      policyHash: submission.policyHash,
      gpc: submission.gpc,
      createdAt: at,
    });
  };
  for (const [type, value] of Object.entries(flagsOf(submission, state)) as [
    ConsentType,
    boolean,
  ][]) {
    const action = value ? "granted" : "revoked";
    const last = state.last.get(type);
    const isNews =
      last === undefined ||
      last !== action ||
      (state.flags !== null && state.flags[type] !== value);
    // A retry that arrives after the opposite was decided is still a retry: it changes nothing.
    if (!isNews || state.rows.get(`${submission.consentId}/${type}`) === action) continue;
    if (state.flags) state.flags[type] = value;
    add(type, action);
  }
  const { formType, formAction = "granted" } = submission;
  if (formType) {
    const isRetry = state.rows.has(`${submission.consentId}/${formType}`);
    // A form is submitted again and again; only what it granted can be withdrawn, and once.
    const isNews = formAction === "granted" || state.last.get(formType) === "granted";
    if (isNews && !isRetry) add(formType, formAction);
  }
  return entries;
}

/** Global Privacy Control denies marketing by default, where nothing was decided about it yet. */
function flagsOf(
  { flags, gpc }: Submission,
  state: SubjectState,
): Partial<Record<ConsentType, boolean>> {
  const isSilent = flags.marketing === undefined && !state.last.has("marketing");
  return gpc && isSilent && Object.keys(flags).length > 0 ? { ...flags, marketing: false } : flags;
}

type ClaimRow = Columns<UserClaims, "user_id" | `consent_${ConsentType}`>;
type LogRow = Columns<ConsentRecord, "user_id" | "visitor_id" | "consent_type" | "action">;

// The last decision per subject and type, and the rows of the same submissions, oldest first.
// Subject by subject, so that each is an index look-up whatever the statistics say (a row has a
// user or a visitor; `user_id IS NULL` would be taken for the index of users, and all visitors
// read; OFFSET 0 keeps the planner from making it one join): a scan here would slow every write
// down as the log grows.
const lastOf = (column: "user_id" | "visitor_id", values: string) =>
  `SELECT last.* FROM unnest(${values}) AS subject(id) CROSS JOIN LATERAL (
     SELECT DISTINCT ON (consent_type) user_id, visitor_id, consent_type, action,
       NULL::text AS consent_id, seq FROM consent_records
     WHERE shop = $1 AND ${column} = subject.id AND action IN ('granted', 'revoked')
       ORDER BY consent_type, seq DESC) AS last`;
const READ_LOG = `
  SELECT user_id, visitor_id, consent_type, action, consent_id FROM (
    ${lastOf("user_id", "$2::int[]")}
    UNION ALL ${lastOf("visitor_id", "$3::text[]")}
    UNION ALL SELECT same.* FROM unnest($4::text[]) AS submission(id) CROSS JOIN LATERAL (
      SELECT user_id, visitor_id, consent_type, action, consent_id, seq FROM consent_records
        WHERE shop = $1 AND consent_id = submission.id AND action IN ('granted', 'revoked') OFFSET 0) AS same
  ) AS log ORDER BY seq`;

async function readKnown(
  sql: TenantSql,
  batch: readonly Write[],
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
    known.set(`u${userId}`, { flags, last: new Map(), rows: new Map() });
  }
  for (const visitorId of visitors)
    known.set(`v${visitorId}`, { flags: null, last: new Map(), rows: new Map() });

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
  for (const row of rows)
    if (row.consent_id === null) subjectOf(row)?.last.set(row.consent_type, row.action);
    else subjectOf(row)?.rows.set(`${row.consent_id}/${row.consent_type}`, row.action);
  return { known, head };
}

async function updateFlags(
  sql: TenantSql,
  changes: ReadonlyMap<number, ConsentChange>,
): Promise<void> {
  if (changes.size === 0) return;
  const rows = [...changes].map(([userId, change]) => ({ userId, ...change }));
  const columns = CONSENT_TYPES.map(consentColumn);
  await sql(
    `INSERT INTO user_claims (shop, user_id, consent_version, ${columns.join(", ")})
     SELECT $1, * FROM unnest($2::int[],
       $3::text[], ${columns.map((_, index) => `$${index + 4}::bool[]`).join(", ")})
     ON CONFLICT (shop, user_id) DO UPDATE
       SET ${columns.map((column) => `${column} = excluded.${column}`).join(", ")},
       consent_version = coalesce(excluded.consent_version, user_claims.consent_version), updated_at = now()`,
    [
      rows.map(({ userId }) => userId),
      rows.map(({ version }) => version),
      ...CONSENT_TYPES.map((type) => rows.map(({ flags }) => flags[type])),
    ],
  );
}

/**
 * The analytics product's own browser id, first one wins: one person's events share one client id.
 */
async function rememberClients(sql: TenantSql, batch: readonly Write[]): Promise<void> {
  for (const { subject, submission } of batch)
    if ("userId" in subject && submission.gaClientId)
      await sql(
        `INSERT INTO user_extras (shop, user_id, ga_client_id) VALUES ($1, $2, $3)
          ON CONFLICT (shop, user_id) DO UPDATE
          SET ga_client_id = coalesce(user_extras.ga_client_id, excluded.ga_client_id)`,
        [subject.userId, submission.gaClientId],
      );
}

/**
 * The store keeps decisions about marketing by mail, and objections to the sale of data (channels/
 * marketing-consent.ts). Any other choice of a banner reaches it through the browser.
 */
const concernsStore = ({ consentType, method, action, gpc }: ConsentEntry): boolean =>
  consentType === "marketing" &&
  (!TRACKING_METHODS.has(method) ||
    method === "sale-opt-out" ||
    (gpc === true && action === "revoked"));

/** One person's change by a batch; of several submissions, the last one is its cause. */
type ConsentChange = {
  flags: ConsentFlags;
  version: string | null;
  cause: Submission;
  traceParent: string | null;
  entries: readonly ConsentEntry[];
};

/**
 * Enqueues for web analytics (write matrix "Consent update"), for the storefront when it stores this decision,
 * and for Shopify Flow.
 */
async function enqueueConsent(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  userId: number,
  { cause, traceParent, entries }: ConsentChange,
): Promise<void> {
  const isForStore = entries.some(concernsStore);
  const wanted = ["web_analytics", ...(isForStore ? ["storefront"] : []), FLOW_CHANNEL];
  const destinations = wanted.filter((name) =>
    ctx.channels.some((channel) => channel.name === name && channel.isEnabled(tenant)),
  );
  if (destinations.length === 0) return;
  await enqueue(sql, {
    eventId: ctx.random.uuid(),
    source: "backend",
    eventType: "customer.consent_updated",
    entityType: "customer",
    entityId: String(userId),
    payload: {
      user_id: userId,
      cause: "consent_update",
      method: cause.method,
      ...(destinations.includes(FLOW_CHANNEL) && {
        consents: toConsentChanges(entries),
      }),
      ...(cause.gaSessionId && { ga_session_id: cause.gaSessionId }),
    },
    occurredAt: ctx.clock.now(),
    destinations,
    traceParent,
  });
}
