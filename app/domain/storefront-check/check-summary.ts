// What Home and the setup guide show of the storefront check, in one read beside theirs: the whole result has a
// hundred scripts.
import { KEYS } from "../../runtime/database/kv-keys.ts";
import type { Read } from "../../runtime/database/read-together.ts";
import { CHECK_JOB } from "./storefront-check.ts";

export type CheckSummary = {
  /** `failed`: no check has read the store's pages yet. */
  state: "never" | "running" | "done" | "failed";
  /** Scripts of others that load before consent, as of the last complete check. */
  early: number;
};

type SummaryRow = { early: number | null; was_started: boolean; is_running: boolean };

const JOB = `FROM kv WHERE shop = $1 AND key = '${KEYS.backgroundJob(CHECK_JOB)}' AND expires_at > clock_timestamp()`;
export const checkSummaryRead: Read<SummaryRow> = {
  sql: `
    SELECT
      (SELECT (value #>> '{counts,before_consent}')::int FROM kv
        WHERE shop = $1 AND key = '${KEYS.storefrontCheck}') AS early,
      EXISTS (SELECT 1 ${JOB}) AS was_started,
      EXISTS (SELECT 1 ${JOB} AND value->>'state' = 'running')
        AND EXISTS (SELECT 1 FROM kv WHERE shop = $1 AND key = '${KEYS.lease(CHECK_JOB)}'
          AND expires_at > clock_timestamp()) AS is_running`,
};

export function toCheckSummary([row]: readonly SummaryRow[]): CheckSummary {
  const early = row?.early ?? 0;
  if (row?.is_running) return { state: "running", early };
  if (row && row.early !== null) return { state: "done", early };
  return { state: row?.was_started ? "failed" : "never", early };
}
