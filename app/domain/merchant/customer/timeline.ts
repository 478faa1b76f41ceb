// Everything that happened to a customer, newest first, in pages: one statement over the customer's own
// indexes (timeline-sources.ts).
import { z } from "zod";
import type { Ctx } from "../../../context.server.ts";
import type { AccessAction, Actor } from "../../compliance/access-log/record-access.ts";
import { NO_ROWS, type Read } from "../../../runtime/database/read-together.ts";
import { toSkip } from "../../bus/outcome.ts";
import { subjectKey } from "../../compliance/subject.ts";
import { outcomeOf, type ConsentOutcome } from "../../consent/consent-outcomes.ts";
import type { Tenant } from "../../tenants/tenant.ts";
import { sourcesOf, TIMELINE_KINDS, type TimelineKind } from "./timeline-sources.ts";

const PAGE = 20;

type TypedTimelineItem<Kind extends TimelineKind, Data> = {
  key: string;
  kind: Kind;
  at: string;
} & Data;
/** `isSkipped`: nothing was sent. */
type SystemDelivery = { channel: string; status: string; isSkipped: boolean };

export type TimelineItem =
  | TypedTimelineItem<
      "consent",
      {
        seq: number;
        type: string;
        decision: ConsentOutcome;
        method: string;
        version: string | null;
      }
    >
  | TypedTimelineItem<
      "tag",
      {
        change: "added" | "removed";
        names: string[];
        slug?: string;
        source?: string;
        event?: string;
      }
    >
  | TypedTimelineItem<"delivery", { event: string; type: string; systems: SystemDelivery[] }>
  | TypedTimelineItem<"agent", { change: "linked" | "ended"; name: string }>
  | TypedTimelineItem<
      "mandate",
      {
        change: "created" | "used" | "revoked" | "expired";
        amount: string | null;
        currency: string | null;
      }
    >
  | TypedTimelineItem<"privacy", { request: number; request_kind: string; state: string }>
  | TypedTimelineItem<
      "access",
      { action: AccessAction; actor_kind: Actor["kind"]; actor: string | null }
    >;

/** The position of a page's end: time and key of its last item. */
const CURSOR = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) ([^\p{Cc}]{1,300})$/u;
const isPosition = (text: string) => !Number.isNaN(Date.parse(CURSOR.exec(text)?.[1] ?? ""));

/** Invalid values are ignored: the page then starts at the newest item. */
export const TimelineQuery = z.object({
  kind: z.enum(TIMELINE_KINDS).nullable().catch(null),
  before: z.string().refine(isPosition).nullable().catch(null),
});
export type TimelineQuery = z.output<typeof TimelineQuery>;

export type Timeline = {
  kind: TimelineKind | null;
  items: TimelineItem[];
  /** The end of the previous page; null on the first. */
  before: string | null;
  next: string | null;
};

type Person = { id: number; gid: string | null; email: string | null; names: readonly string[] };

export function timelineRead(
  ctx: Ctx,
  tenant: Tenant,
  { id, gid, email, names }: Person,
  { kind, before }: TimelineQuery,
): Read<StoredItem> {
  const sources = sourcesOf(kind);
  if (sources.length === 0) return NO_ROWS;
  const [, at = null, key = null] = CURSOR.exec(before ?? "") ?? [];
  const marks = [gid && { gid }, email && { email: email.toLowerCase() }].flatMap((subject) =>
    subject ? (subjectKey(ctx, tenant.shop, subject) ?? []) : [],
  );
  return { sql: statementOf(sources), values: [id, names, marks, at, key, PAGE + 1] };
}

export function toTimeline({ kind, before }: TimelineQuery, rows: readonly StoredItem[]): Timeline {
  const items = rows.slice(0, PAGE).map(toItem);
  const last = items.at(-1);
  return {
    kind,
    items,
    before,
    next: rows.length > PAGE && last ? `${last.at} ${last.key}` : null,
  };
}

type StoredDelivery = {
  systems: { channel: string; status: string }[];
  /** The note of each channel's last attempt. */
  notes: Record<string, string> | null;
};
/** `at`: ISO 8601. */
export type StoredItem = { key: string; kind: TimelineKind; at: string; data: object };

function toItem({ key, kind, at, data }: StoredItem): TimelineItem {
  const shown = kind === "delivery" ? toDelivery(data as StoredDelivery) : data;
  return { key, kind, at: new Date(at).toISOString(), ...shown } as TimelineItem;
}

const toDelivery = ({ notes, ...data }: StoredDelivery) => ({
  ...data,
  systems: data.systems.map(({ channel, status }): SystemDelivery => {
    const error = notes?.[channel] ?? null;
    return { channel, status, isSkipped: toSkip({ status, error }) !== null };
  }),
});

/**
 * `asked` gives each value its type, also one that no source of this kind reads. A consent's outcome
 * needs the records before it, and a delivery its attempts: both are read for the page's items only.
 */
const statementOf = (sources: readonly string[]) => `
  WITH asked AS (SELECT $2::int AS user_id, $3::text[] AS names, $4::text[] AS marks WHERE $1 <> ''),
  page AS MATERIALIZED (
    SELECT key, kind, at, data FROM (${sources.map(pageOf).join(" UNION ALL ")}) AS items
    ORDER BY at DESC, key DESC LIMIT $7
  )
  SELECT key, kind, at, CASE kind WHEN 'consent' THEN data || jsonb_build_object('decision',
    (SELECT ${outcomeOf("r")} FROM consent_records r WHERE r.shop = $1 AND r.seq = (data->>'seq')::bigint))
    WHEN 'delivery' THEN data || jsonb_build_object('notes',
    (SELECT jsonb_object_agg(last.channel, last.error) FROM (
      SELECT DISTINCT ON (channel) channel, error FROM delivery_attempts
      WHERE shop = $1 AND event_id = data->>'event' ORDER BY channel, id DESC
    ) last WHERE last.error IS NOT NULL))
    ELSE data END AS data
  FROM page ORDER BY at DESC, key DESC`;

const pageOf = (source: string) => `
  (SELECT * FROM (${source}) AS item(key, kind, at, data)
   WHERE $5::timestamptz IS NULL OR (at, key) < ($5, $6::text) ORDER BY at DESC, key DESC LIMIT $7)`;
