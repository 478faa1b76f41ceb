// How far the catch-up of a tenant's customers has come. It is written in the transaction of each page, so a run that is
// killed anywhere goes on where it was; the watermark moves only when its window is drained.
//
//   (none) -> window open (pages | bulk) -> drained: watermark = window_end -> next window
import type { Ctx } from "../../context.server.ts";
import type { TenantSql } from "../../runtime/database.ts";
import { OutboundError } from "../../runtime/errors.ts";
import { getKey, KEYS, putKey } from "../../runtime/kv.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** What changed while the storefront's index lagged behind is read again. */
const OVERLAP_MS = 5 * MINUTE_MS;
const TAIL_MS = MINUTE_MS;
const LONGEST_WINDOW_MS = DAY_MS;
const LONGEST_GAP_MS = 7 * DAY_MS;

export type SyncState = {
  /** Everything changed before this moment is here. ISO 8601, as all moments below. */
  watermark: string | null;
  run_id: string | null;
  window_start: string | null;
  /** Null: no window is open. */
  window_end: string | null;
  mode: "pages" | "bulk";
  /** Pages hold customers changed on this day or before: it goes back when paging comes to its end. */
  until_day: string | null;
  cursor: string | null;
  /** Read since paging last began anew. */
  objects: number;
  bulk_id: string | null;
  bulk_line: number;
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
} as const;

export async function loadSyncState(ctx: Ctx, tenant: Tenant): Promise<SyncState> {
  const stored = await getKey<Partial<SyncState>>(dataOf(ctx, tenant).sql, KEYS.customerSync);
  return {
    watermark: null,
    run_id: null,
    synced_at: null,
    error: null,
    ...NO_WINDOW,
    ...stored?.value,
  };
}

export async function saveSyncState(sql: TenantSql, state: SyncState): Promise<void> {
  await putKey(sql, KEYS.customerSync, state);
}

/** Until when a run that starts now can be complete: the newest minute is left to the next one. */
export const targetOf = (now: Date): Date => new Date(now.getTime() - TAIL_MS);

export function openWindow(state: SyncState, now: Date, runId: string): SyncState {
  const target = targetOf(now).getTime();
  const watermark = state.watermark === null ? null : Date.parse(state.watermark);
  const start = watermark === null ? null : new Date(watermark - OVERLAP_MS);
  const isFar = watermark === null || target - watermark > LONGEST_GAP_MS;
  const end = new Date(
    isFar ? target : Math.max(watermark, Math.min(target, watermark + LONGEST_WINDOW_MS)),
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

/** A place that the storefront refuses to continue from is forgotten, and the window read again: that repeats no effect. */
export function failWindow(state: SyncState, error: Error): SyncState {
  const isRefused = error instanceof OutboundError && !error.retryable;
  return {
    ...state,
    ...(isRefused && { cursor: null, objects: 0, bulk_id: null, bulk_line: 0 }),
    error: error.message.slice(0, 500),
  };
}

/** The filter compares whole days, in whichever time zone: a day more on either side covers them all. */
export function dayBeside(at: Date, days: number): string {
  return new Date(at.getTime() + days * DAY_MS).toISOString().slice(0, 10);
}
