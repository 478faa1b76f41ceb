// Delivery attempts for the merchant, newest first.
import type { Ctx } from "../../../context.server.ts";
import type {
  Columns,
  DeliveryAttempt,
  IntegrationQueue,
  NullableColumns,
  TenantSql,
} from "../../../db.server.ts";
import { timeZoneOf } from "../../tenants/storefront/time-zone.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { toSkip, type Skip } from "../outcome.ts";
import { toAttemptQuery, type AttemptFilters, type AttemptQuery } from "./attempt-filters.ts";
import { toFailure, type Failure } from "./failure-kind.ts";

/** How many rows one page compares; with the event's own fields, which cost a look-up each, fewer. */
const MAX_COMPARED = 5_000;
const MAX_JOINED = 2_500;
/** How many events of one object or customer are looked up. */
const MAX_EVENTS = 500;
const MAX_EVENTS_SORTED = 5_000;

export type ListedAttempt = {
  id: number;
  event_id: string;
  event_type: string | null;
  channel: string;
  status: string;
  http_status: number | null;
  latency_ms: number;
  attempt: number;
  created_at: string;
  failure: Failure | null;
  /** Set when nothing was sent. */
  skip: Skip | null;
};

export type AttemptPage = {
  attempts: ListedAttempt[];
  next: number | null;
  /** The search stopped at its bound: older attempts follow on the next page. */
  isCut: boolean;
};

type Row = Columns<
  DeliveryAttempt,
  | "id"
  | "event_id"
  | "channel"
  | "status"
  | "latency_ms"
  | "attempt"
  | "created_at"
  | "error"
  | "http_status"
> &
  NullableColumns<IntegrationQueue, "event_type">;

const FIELDS = `a.id, a.event_id, q.event_type, a.channel, a.status, a.http_status, a.latency_ms,
  a.attempt, a.error, a.created_at`;
const WITH_EVENT = "LEFT JOIN integration_queue q ON q.shop = a.shop AND q.id = a.queue_id";

type AttemptPageOptions = {
  limit: number;
  /** The end of the previous page. */
  before: number | null;
  /** The ids of the customers whose events are meant. */
  customer?: readonly string[] | null;
  /** The types of objects that an id may belong to. */
  types?: readonly string[];
};

export async function listAttempts(
  ctx: Ctx,
  tenant: Tenant,
  filters: AttemptFilters,
  { limit, before, customer = null, types = [] }: AttemptPageOptions,
): Promise<AttemptPage> {
  const { sql } = dataOf(ctx, tenant);
  const query = toAttemptQuery(filters, timeZoneOf(tenant));
  const eventIds = await eventIdsOf(sql, filters.event, { customer, types });
  if (eventIds) {
    const rows = await readOfEvents(sql, query, { eventIds, before, limit: limit + 1 });
    return toPage(rows, limit, null);
  }
  const rows = await readNewest(sql, query, { before, limit: limit + 1 });
  const end = rows.length > limit ? null : await findEnd(sql, query, before);
  return toPage(rows, limit, end);
}

function toPage(rows: readonly Row[], limit: number, end: number | null): AttemptPage {
  const attempts = rows.slice(0, limit).map(toListed);
  const last = rows.length > limit ? (attempts.at(-1)?.id ?? null) : null;
  return { attempts, next: last ?? end, isCut: last === null && end !== null };
}

const boundOf = ({ readsQueue }: AttemptQuery) => (readsQueue ? MAX_JOINED : MAX_COMPARED);

/** `before`: the place of the parameter. Read lazily: a page that is full early reads few rows. */
const newestOf = (query: AttemptQuery, before: number) =>
  `SELECT a.* FROM delivery_attempts a WHERE a.shop = $1${query.indexed}
     AND ($${before}::bigint IS NULL OR a.id < $${before})
   ORDER BY a.id DESC LIMIT ${boundOf(query)}`;

function readNewest(
  sql: TenantSql,
  query: AttemptQuery,
  { before, limit }: { before: number | null; limit: number },
): Promise<Row[]> {
  const values = [...query.indexedValues, ...query.comparedValues];
  const next = values.length + 2;
  return sql<Row>(
    `SELECT ${FIELDS} FROM (${newestOf(query, next)}) a ${WITH_EVENT}
     WHERE a.shop = $1${query.compared} ORDER BY a.id DESC LIMIT $${next + 1}`,
    [...values, before, limit],
  );
}

/** Where the bounded search stopped; null when it reached the oldest attempt. */
async function findEnd(
  sql: TenantSql,
  query: AttemptQuery,
  before: number | null,
): Promise<number | null> {
  if (query.compared === "") return null;
  const [row] = await sql<{ rows: number; last: number | null }>(
    `SELECT count(*)::int AS rows, min(a.id) AS last
     FROM (${newestOf(query, query.indexedValues.length + 2)}) a WHERE a.shop = $1`,
    [...query.indexedValues, before],
  );
  return row && row.rows >= boundOf(query) ? row.last : null;
}

function readOfEvents(
  sql: TenantSql,
  query: AttemptQuery,
  page: { eventIds: readonly string[]; before: number | null; limit: number },
): Promise<Row[]> {
  const values = [...query.indexedValues, ...query.comparedValues];
  const next = values.length + 2;
  return sql<Row>(
    `WITH found AS MATERIALIZED (
       SELECT * FROM delivery_attempts WHERE shop = $1 AND event_id = ANY($${next}::text[])
     )
     SELECT ${FIELDS} FROM found a ${WITH_EVENT}
     WHERE a.shop = $1${query.indexed}${query.compared}
       AND ($${next + 1}::bigint IS NULL OR a.id < $${next + 1})
     ORDER BY a.id DESC LIMIT $${next + 2}`,
    [...values, page.eventIds, page.before, page.limit],
  );
}

// The index of objects leads with the type. The inner rows are not sorted, so that a busy object
// costs a bounded part of the index.
const FIND_EVENTS = `
  SELECT q.event_id FROM (
    SELECT id, event_id FROM integration_queue WHERE shop = $1 AND entity_type = ANY($2::text[])
      AND entity_id = ANY($3::text[]) LIMIT ${MAX_EVENTS_SORTED}
  ) q ORDER BY q.id DESC LIMIT ${MAX_EVENTS}`;

type Narrowed = { customer: readonly string[] | null; types: readonly string[] };

/** Null: not narrowed to events. */
async function eventIdsOf(
  sql: TenantSql,
  text: string | undefined,
  { customer, types }: Narrowed,
): Promise<string[] | null> {
  if (text === undefined && customer === null) return null;
  const find = async (of: readonly string[], ids: readonly string[]) =>
    (await sql<Columns<IntegrationQueue, "event_id">>(FIND_EVENTS, [of, ids])).map(
      (row) => row.event_id,
    );
  const ofText = text === undefined ? null : [text, ...(await find(types, objectIdsOf(text)))];
  const ofCustomer = customer && (await find(["customer"], customer));
  const known = ofText ?? ofCustomer ?? [];
  return [...new Set(ofCustomer ? known.filter((id) => ofCustomer.includes(id)) : known)];
}

/** A bare number is the object's own id or the end of the store's. */
const objectIdsOf = (text: string): string[] =>
  /^\d{1,20}$/.test(text)
    ? [text, ...["Order", "Customer", "Product"].map((kind) => `gid://shopify/${kind}/${text}`)]
    : [text];

export function toListed({ error, created_at: at, ...row }: Row): ListedAttempt {
  return {
    ...row,
    created_at: at.toISOString(),
    failure: row.status === "failed" ? toFailure({ error, http_status: row.http_status }) : null,
    skip: toSkip({ status: row.status, error }),
  };
}
