// Decides what a batch of submissions adds to the consent log and changes in the flags. Reads and writes nothing.
import type { HistoricTime } from "../../../runtime/historic-time.ts";
import type { Submission } from "../consent-input.ts";
import type { ConsentFlags, ConsentType } from "../consent-types.ts";
import type { ConsentEntry } from "../record-consent.ts";
import { keyOf, type About, type SubjectState } from "./known-decisions.ts";

export type Recorded = { consent_type: string; action: "granted" | "revoked" };

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
  results: Map<Write, Recorded[]>;
  /** By the person's id. */
  changes: Map<number, ConsentChange>;
};

/** What the batch adds and changes. Updates what is known, so that later writes see the earlier ones. */
export function planBatch(
  batch: readonly Write[],
  known: ReadonlyMap<string, SubjectState>,
): BatchPlan {
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
