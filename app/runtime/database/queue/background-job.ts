// A background job that outlives its request: its progress is in the key-value store, so that a
// reloaded page sees it at any process. One at a time per store and name; the lease shows whether a
// process still runs it.
//
//   running -> done | failed;   interrupted: its process died, and it may be started again
import type { Kv } from "../../../generated/prisma/client.ts";
import type { Columns } from "../columns.ts";
import { putKey } from "../kv.ts";
import { KEYS } from "../kv-keys.ts";
import type { Read } from "../read-together.ts";
import { withLease } from "./lease.ts";
import type { Clock } from "../../clock.ts";
import type { Log } from "../../log.ts";
import type { TenantSql } from "../database.ts";

export type BackgroundJob<Progress, Result> = {
  state: "running" | "done" | "failed" | "interrupted";
  started_at: string;
  finished_at: string | null;
  progress: Progress | null;
  result: Result | null;
};

type Stored = Omit<BackgroundJob<unknown, unknown>, "state"> & {
  state: "running" | "done" | "failed";
};

export type RunEquipment = { sql: TenantSql; log: Log; clock: Clock };

/** How long the result of a job is kept. */
const RETENTION_SECONDS = 604_800;
const REPORT_EVERY_MS = 250;

// One statement for record and lease: a client that sees the end may start again at once.
const FINISH = `
  WITH released AS (DELETE FROM kv WHERE shop = $1 AND key = $3 AND value = $4::jsonb)
  UPDATE kv SET value = $5::jsonb, version = version + 1, updated_at = clock_timestamp()
    WHERE shop = $1 AND key = $2`;

type Work<Progress, Result> = (report: (progress: Progress) => Promise<void>) => Promise<Result>;

/**
 * Resolves at the start: true, or false when a run is in progress. An error of `work` ends the run
 * as `failed`.
 */
export function startBackgroundJob<Progress, Result>(
  equipment: RunEquipment,
  name: string,
  work: Work<Progress, Result>,
): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const onStart = () => resolve(true);
    const onEnd = (held: Held<Result> | null) => {
      if (held === null) resolve(false);
    };
    runUnderLease(equipment, name, work, onStart).then(onEnd, reject);
  });
}

/** The same job, for a caller that waits: resolves at its end, or at once with null when a run is in progress. */
export async function runBackgroundJob<Progress, Result>(
  equipment: RunEquipment,
  name: string,
  work: Work<Progress, Result>,
): Promise<Result | null> {
  const held = await runUnderLease(equipment, name, work, () => {});
  if (!held) return null;
  if ("error" in held.result) throw held.result.error;
  return held.result.value;
}

type Held<Result> = { result: { value: Result } | { error: unknown } };

/** Null when another process holds the lease of this job. */
function runUnderLease<Progress, Result>(
  { sql, log, clock }: RunEquipment,
  name: string,
  work: Work<Progress, Result>,
  onStart: () => void,
): Promise<Held<Result> | null> {
  return withLease(sql, name, async ({ holder }) => {
    const record: Stored = {
      state: "running",
      started_at: clock.now().toISOString(),
      finished_at: null,
      progress: null,
      result: null,
    };
    const save = (changes: Partial<Stored>) =>
      putKey(sql, KEYS.backgroundJob(name), Object.assign(record, changes), RETENTION_SECONDS);
    const finish = (changes: Partial<Stored>) =>
      sql(FINISH, [
        KEYS.backgroundJob(name),
        KEYS.lease(name),
        JSON.stringify(holder),
        JSON.stringify(Object.assign(record, changes, { finished_at: clock.now().toISOString() })),
      ]);
    await save({});
    onStart();
    let reportedAt = 0;
    const report = async (progress: Progress) => {
      record.progress = progress;
      if (performance.now() - reportedAt < REPORT_EVERY_MS) return;
      reportedAt = performance.now();
      await save({});
    };
    try {
      const value = await work(report);
      await finish({ state: "done", result: value });
      return { value };
    } catch (error) {
      log.error("background_job.failed", error, { name });
      await finish({ state: "failed" });
      return { error };
    }
  });
}

// One read for lease and record: between two reads a run could start or end, and would appear
// interrupted.
const selectRun = (column: string) => `
  SELECT ${column}, EXISTS (SELECT 1 FROM kv WHERE shop = $1 AND key = $3
    AND expires_at > clock_timestamp()) AS is_held
  FROM kv run WHERE run.shop = $1 AND run.key = $2 AND run.expires_at > clock_timestamp()`;
const READ = selectRun("run.value");
const keysOf = (name: string) => [KEYS.backgroundJob(name), KEYS.lease(name)];

/** Null without a run in the last week. */
export async function readBackgroundJob<Progress, Result>(
  sql: TenantSql,
  name: string,
): Promise<BackgroundJob<Progress, Result> | null> {
  const [row] = await sql<
    Columns<Kv, "value"> & { value: BackgroundJob<Progress, Result>; is_held: boolean }
  >(READ, keysOf(name));
  if (!row) return null;
  const { value, is_held } = row;
  return { ...value, state: stateOf({ state: value.state, is_held }) };
}

type JobState = BackgroundJob<unknown, unknown>["state"];
export type JobStateRow = { state: JobState; is_held: boolean };

/** Reads a job's state alone with `readTogether`, because progress and result may be long. */
export const jobStateRead = (name: string): Read<JobStateRow> => ({
  sql: selectRun("run.value->>'state' AS state"),
  values: keysOf(name),
});

/** Null without a run in the last week. */
export const toJobState = ([row]: readonly JobStateRow[]): JobState | null =>
  row ? stateOf(row) : null;

const stateOf = ({ state, is_held: isHeld }: JobStateRow): JobState =>
  state === "running" && !isHeld ? "interrupted" : state;
