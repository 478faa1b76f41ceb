// What Home and the setup guide show of the storefront check, read beside theirs: the whole result has a
// hundred scripts.
import { KEYS } from "../../runtime/database/kv-keys.ts";
import { jobStateRead, toJobState } from "../../runtime/database/queue/background-job.ts";
import type { Read, RowsOf } from "../../runtime/database/read-together.ts";
import { CHECK_JOB } from "./storefront-check.ts";

export type CheckSummary = {
  /** `failed`: no check has read the store's pages yet. */
  state: "never" | "running" | "done" | "failed";
  /** Scripts of others that load before consent, as of the last complete check. */
  early: number;
};

const earlyScriptsRead: Read<{ early: number | null }> = {
  sql: `SELECT (value #>> '{counts,before_consent}')::int AS early FROM kv
    WHERE shop = $1 AND key = '${KEYS.storefrontCheck}'`,
};

/** What `toCheckSummary` needs, for a statement that reads more beside it. */
export const CHECK_READS = {
  checkState: jobStateRead(CHECK_JOB),
  earlyScripts: earlyScriptsRead,
};

export function toCheckSummary({
  checkState,
  earlyScripts,
}: RowsOf<typeof CHECK_READS>): CheckSummary {
  const job = toJobState(checkState);
  const known = earlyScripts[0]?.early ?? null;
  const early = known ?? 0;
  if (job === "running") return { state: "running", early };
  if (known !== null) return { state: "done", early };
  return { state: job === null ? "never" : "failed", early };
}
