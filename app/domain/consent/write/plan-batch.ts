// Decides what a batch of submissions adds to the consent log and changes in the flags. Reads and writes nothing.
import type { HistoricTime } from "../../../runtime/historic-time.ts";
import type { Submission } from "../consent-input.ts";
import type { ConsentFlags, ConsentType } from "../consent-types.ts";
import type { ConsentEntry } from "../record-consent.ts";
import { keyOf, type About, type SubjectState } from "./known-decisions.ts";

type ConsentAction = "granted" | "revoked";
export type Recorded = { consent_type: string; action: ConsentAction };
/** `ignored`: the types whose grant came too late. */
export type Written = { recorded: Recorded[]; ignored: string[] };

/** `at`: in the history of the demo store. */
export type Write = About & {
  at?: HistoricTime | undefined;
  traceParent: string | null;
};

/** One person's change by a batch; of several submissions, the last one is its cause. */
export type ConsentChange = {
  flags: ConsentFlags;
  version: string | null;
  cause: Submission;
  traceParent: string | null;
  entries: readonly ConsentEntry[];
};

type BatchPlan = {
  /** The rows of the log, in their order. */
  entries: ConsentEntry[];
  results: Map<Write, Written>;
  /** Keyed by the person's id. */
  changes: Map<number, ConsentChange>;
};

/**
 * What the batch adds and changes. Updates what is known, so that later writes see the earlier ones.
 * `now`: the time of the rows that the batch adds.
 */
export function planBatch(
  batch: readonly Write[],
  known: ReadonlyMap<string, SubjectState>,
  now: Date,
): BatchPlan {
  const plan: BatchPlan = { entries: [], results: new Map(), changes: new Map() };
  for (const write of batch) {
    const { subject, submission } = write;
    const state = known.get(keyOf(subject)) as SubjectState;
    const { added, ignored } = toEntries(write, state, now);
    plan.entries.push(...added);
    plan.results.set(write, { recorded: added.map(toRecorded), ignored });
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

/** A decision that waited less counts as made now: a request and its retries take this long. */
const ON_TIME_SECONDS = 300;

/**
 * Whether the grant is older than the recorded refusal: it waited in one browser while the person refused in
 * another. The last row is what counts, so such a grant must not become a row. Both times are by the service's
 * clock: the browser only says how long the grant waited. A refusal counts whenever it arrives.
 */
function isOverruled(
  { waitedSeconds = 0 }: Submission,
  type: string,
  { last, lastAt }: SubjectState,
  now: Date,
): boolean {
  const refusedAt = last.get(type) === "revoked" && lastAt.get(type);
  return (
    !!refusedAt &&
    waitedSeconds > ON_TIME_SECONDS &&
    refusedAt.getTime() > now.getTime() - waitedSeconds * 1_000
  );
}

/**
 * One row per flag whose value changes or is first expressed, and one per form or its withdrawal; the
 * opposite action always adds one, except a grant that came too late.
 */
function toEntries(
  write: Write,
  state: SubjectState,
  now: Date,
): { added: ConsentEntry[]; ignored: string[] } {
  const { submission } = write;
  const added: ConsentEntry[] = [];
  const ignored: string[] = [];
  const add = (consentType: string, action: ConsentAction) => {
    state.rows.set(`${submission.consentId}/${consentType}`, action);
    state.last.set(consentType, action);
    state.lastAt.set(consentType, write.at ?? now);
    added.push(toEntry(write, consentType, action));
  };
  const flags = Object.entries(flagsOf(submission, state)) as [ConsentType, boolean][];
  for (const [type, value] of flags) {
    const action = value ? "granted" : "revoked";
    if (value && isOverruled(submission, type, state, now)) {
      ignored.push(type);
      continue;
    }
    const isNews =
      state.last.get(type) !== action || (state.flags !== null && state.flags[type] !== value);
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
    if (formAction === "granted" && isOverruled(submission, formType, state, now))
      ignored.push(formType);
    else if (isNews && !isRetry) add(formType, formAction);
  }
  return { added, ignored };
}

const toEntry = (
  { subject, submission, at }: Write,
  consentType: string,
  action: ConsentAction,
): ConsentEntry => ({
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

/** Global Privacy Control denies marketing by default, where nothing was decided about it yet. */
function flagsOf(
  { flags, gpc }: Submission,
  state: SubjectState,
): Partial<Record<ConsentType, boolean>> {
  const isSilent = flags.marketing === undefined && !state.last.has("marketing");
  return gpc && isSilent && Object.keys(flags).length > 0 ? { ...flags, marketing: false } : flags;
}
