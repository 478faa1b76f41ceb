// The progress of a tenant's catch-up. It is written in the transaction of each page, so a killed
// run continues where it was; the watermark moves only when its window is drained.
//
//   (none) -> window open (pages | bulk) -> drained: watermark = window_end -> next window
import type { Ctx } from "../../../context.server.ts";
import type { TenantSql } from "../../../runtime/database/database.ts";
import { OutboundError } from "../../../runtime/errors.ts";
import { findKey, putKey } from "../../../runtime/database/kv.ts";
import { KEYS } from "../../../runtime/database/kv-keys.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Reads again what changed while the storefront's index lagged behind. */
const OVERLAP_MS = 5 * MINUTE_MS;
const TAIL_MS = MINUTE_MS;
const MAX_WINDOW_MS = DAY_MS;
const MAX_GAP_MS = 7 * DAY_MS;

export type SyncState = {
  /** Every change before this time is applied. ISO 8601, as all times below. */
  watermark: string | null;
  run_id: string | null;
  window_start: string | null;
  /** Null: no window is open. */
  window_end: string | null;
  mode: "pages" | "bulk";
  /** Pages hold customers changed on this day or before: it moves back at the end of paging. */
  until_day: string | null;
  cursor: string | null;
  /** Read since paging last restarted. */
  objects: number;
  bulk_id: string | null;
  bulk_line: number;
  /** Bulk operations of this window that ended without a result, and readings of a file that is none. */
  bulk_failures: number;
  /** The platform withheld fields of customers since the last complete reading. */
  lacks_fields: boolean;
  synced_at: string | null;
  error: string | null;
};

const NO_WINDOW = {
  window_start: null,
  window_end: null,
  mode: "pages",
  until_day: null,
  cursor: null,
  objects: 0,
  bulk_id: null,
  bulk_line: 0,
  bulk_failures: 0,
} as const;

export async function readSyncState(ctx: Ctx, tenant: Tenant): Promise<SyncState> {
  const stored = await findKey(dataOf(ctx, tenant).sql, KEYS.customerSync);
  return toSyncState(stored?.value);
}

/** `stored`: the value of `KEYS.customerSync`; undefined before the first sync. */
export const toSyncState = (stored: unknown): SyncState => ({
  watermark: null,
  run_id: null,
  synced_at: null,
  error: null,
  lacks_fields: false,
  ...NO_WINDOW,
  ...(stored as Partial<SyncState> | undefined),
});

export async function saveSyncState(sql: TenantSql, state: SyncState): Promise<void> {
  await putKey(sql, KEYS.customerSync, state);
}

/**
 * A state whose times lie in the future was written by a wrong clock. What changed meanwhile was not
 * read: it starts again a week back.
 */
export function repairSyncState(state: SyncState, now: Date): SyncState {
  const latest = Math.max(
    ...[state.watermark, state.window_end].map((time) => (time === null ? 0 : Date.parse(time))),
  );
  if (latest <= now.getTime()) return state;
  return {
    ...state,
    ...NO_WINDOW,
    watermark: new Date(now.getTime() - MAX_GAP_MS).toISOString(),
  };
}

/** The end of the next window: the newest minute is left to the window after it. */
export const targetOf = (now: Date): Date => new Date(now.getTime() - TAIL_MS);

export function openWindow(state: SyncState, now: Date, runId: string): SyncState {
  const target = targetOf(now).getTime();
  const watermark = state.watermark === null ? null : Date.parse(state.watermark);
  const start = watermark === null ? null : new Date(watermark - OVERLAP_MS);
  const isFar = watermark === null || target - watermark > MAX_GAP_MS;
  const end = new Date(
    isFar ? target : Math.max(watermark, Math.min(target, watermark + MAX_WINDOW_MS)),
  );
  return {
    ...state,
    ...NO_WINDOW,
    run_id: runId,
    window_start: start?.toISOString() ?? null,
    window_end: end.toISOString(),
    mode: isFar ? "bulk" : "pages",
    until_day: dayBeside(end, 1),
  };
}

export function closeWindow(state: SyncState, now: Date): SyncState {
  return {
    ...state,
    ...NO_WINDOW,
    watermark: state.window_end,
    synced_at: now.toISOString(),
    error: null,
  };
}

const THROTTLED = 429;
/** After so many the window is read page by page, which takes more calls. */
const MAX_BULK_FAILURES = 2;
const MAX_ERROR_CHARACTERS = 500;

/**
 * Drops a cursor that the storefront rejects, or at which it fails: it may fail there forever. The window is then read
 * again from its start, which is safe to repeat. A bulk operation is expensive to start, so only a rejection drops it;
 * after two failures of a window it is read page by page.
 */
export function failWindow(state: SyncState, error: Error): SyncState {
  const isOutbound = error instanceof OutboundError;
  const isRefused = isOutbound && !error.retryable;
  const isAnswered = isOutbound && error.kind === "graphql" && error.status !== THROTTLED;
  const failures = state.bulk_failures + (isRefused && state.bulk_id !== null ? 1 : 0);
  return {
    ...state,
    ...((isRefused || isAnswered) && { cursor: null, objects: 0 }),
    ...(isRefused && { bulk_id: null, bulk_line: 0, bulk_failures: failures }),
    ...(failures >= MAX_BULK_FAILURES && { mode: "pages" as const, bulk_id: null, bulk_line: 0 }),
    error: error.message.slice(0, MAX_ERROR_CHARACTERS),
  };
}

/**
 * The filter compares whole days in an unknown time zone: one more day on either side covers them
 * all.
 */
export function dayBeside(at: Date, days: number): string {
  return new Date(at.getTime() + days * DAY_MS).toISOString().slice(0, 10);
}
