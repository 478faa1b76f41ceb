// A store's segments for their screen: each with its last count and its last run, in one statement.
import type { Ctx } from "../../../context.server.ts";
import type { Columns, Segment as SegmentRow } from "../../../db.server.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { toState, type BulkRunState, type ShownRun } from "../bulk/run-row.ts";
import { readChoicesAndRuns } from "../list/filter-choices.ts";
import { currencyOf } from "../list/list-screen.ts";
import { isChannelEnabled } from "../../bus/channel.ts";
import { IS_STALE } from "./count-segments.ts";
import { PROFILE_CHANNEL } from "./profile-audience.ts";
import { toSegment, type Segment } from "./segment.ts";

export type ListedSegment = Segment & {
  /** Null until it is counted. */
  counted: { customers: number; at: string } | null;
  /** Whether the segment has to be counted again. */
  isStale: boolean;
  lastRun: BulkRunState | null;
};

type Row = Columns<SegmentRow, "id" | "name" | "sort" | "version" | "customers" | "counted_at"> & {
  filter: unknown;
  is_stale: boolean;
  run: (Omit<ShownRun, "created_at"> & { created_at: string }) | null;
};

const LIST = `
  SELECT s.id, s.name, s.filter, s.sort, s.version, s.customers, s.counted_at,
    ${IS_STALE} AS is_stale, row_to_json(r) AS run
  FROM segments s LEFT JOIN LATERAL (
    SELECT id, kind, state, created_at, total, processed, changed, refused, unknown
    FROM tag_runs
    WHERE shop = s.shop AND segment_id = s.id ORDER BY created_at DESC LIMIT 1
  ) AS r ON true
  WHERE s.shop = $1 ORDER BY lower(s.name COLLATE "und-x-icu"), s.id`;

async function listSegments(ctx: Ctx, tenant: Tenant): Promise<ListedSegment[]> {
  const rows = await dataOf(ctx, tenant).sql<Row>(LIST);
  return rows.flatMap(({ customers, counted_at: at, is_stale: isStale, run, ...row }) => {
    const segment = toSegment(row);
    if (!segment) return [];
    return {
      ...segment,
      counted: customers === null || at === null ? null : { customers, at: at.toISOString() },
      isStale,
      lastRun: run && toState({ ...run, created_at: new Date(run.created_at) }),
    };
  });
}

/** The data of the screen of segments, in two statements. */
export async function readSegmentScreen(ctx: Ctx, tenant: Tenant) {
  const [segments, { choices, runs }] = await Promise.all([
    listSegments(ctx, tenant),
    readChoicesAndRuns(ctx, tenant),
  ]);
  return {
    segments,
    choices,
    runs,
    currency: currencyOf(tenant),
    hasProfiles: isChannelEnabled(ctx, tenant, PROFILE_CHANNEL),
  };
}
