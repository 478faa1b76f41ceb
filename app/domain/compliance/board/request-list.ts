// Privacy requests on the merchant's screens: the list with its filters, one request with its steps,
// and the file that proves what was done.
import { z } from "zod";
import type { Ctx } from "../../../context.server.ts";
import { PLATFORM, type Columns, type PrivacyRequest } from "../../../db.server.ts";
import { daysUntil } from "../../../runtime/calendar-days.ts";
import type { OutboundErrorKind } from "../../../runtime/errors.ts";
import { toFailure, type Failure } from "../../bus/log/failure-kind.ts";
import { timeZoneOf } from "../../tenants/storefront/time-zone.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { isByHand, type PrivacyKind } from "../requests/privacy-requests.ts";
import { storeKey } from "../subject.ts";
import type { Steps } from "../requests/request-steps.ts";
import { findOwners, identifiersOf, type Owner } from "./request-people.ts";
import { toShownSteps, type ShownStep } from "./shown-steps.ts";

const MAX_SEARCH_LENGTH = 200;
/** Unfinished requests whose sealed names a search opens. */
const MAX_OPENED = 200;

export const RequestFilters = z.object({
  q: z
    .string()
    .trim()
    .min(1)
    .transform((text) => text.slice(0, MAX_SEARCH_LENGTH))
    .optional()
    .catch(undefined),
  kind: z.enum(["data_request", "customer_redact", "shop_redact"]).optional().catch(undefined),
  state: z.enum(["open", "failed", "finished"]).optional().catch(undefined),
  overdue: z.enum(["yes"]).optional().catch(undefined),
});
export type RequestFilters = z.output<typeof RequestFilters>;

/**
 * `system`: the system failed or rejected the call; `left_behind`: data of the person was still
 * found.
 */
export type RequestProblem = {
  kind: "no_email_provider" | "no_recipient" | "mail_refused" | "system" | "left_behind" | "ours";
  system: string | null;
  /** How the system failed. */
  failure: Failure | null;
};

export type BoardRequest = {
  id: number;
  kind: PrivacyKind;
  owner: Owner;
  state: "received" | "running" | "done" | "retained" | "failed";
  external_id: string | null;
  is_by_hand: boolean;
  received_at: string;
  due_by: string;
  /** In the store's time zone; 0 is today, negative is past. Null for a finished request. */
  due_in_days: number | null;
  is_overdue: boolean;
  completed_at: string | null;
  attempts: number;
  next_attempt_at: string | null;
  problem: RequestProblem | null;
  has_export: boolean;
  can_retry: boolean;
  /** Where the merchant erases a customer that the store still has. */
  store_customers_url: string | null;
  steps: ShownStep[];
};

type Row = Columns<
  PrivacyRequest,
  | "id"
  | "shop"
  | "kind"
  | "state"
  | "external_id"
  | "delivery_id"
  | "received_at"
  | "due_by"
  | "completed_at"
  | "attempts"
  | "next_attempt_at"
  | "last_error"
  | "user_ids"
> & {
  kind: PrivacyKind;
  state: BoardRequest["state"];
  payload: Record<string, unknown>;
  steps: Steps;
  has_export: boolean;
};

const URGENT_DAYS = 7;
const IS_OPEN = "state IN ('received', 'running')";
const IS_DUE = "state NOT IN ('done', 'retained')";
/** What the merchant has to look at before its deadline: Home counts it, and the list filters by it. */
export const NEEDS_MERCHANT = `(state = 'failed' OR (${IS_OPEN} AND (due_by < clock_timestamp()
  OR (last_error IS NOT NULL AND due_by < clock_timestamp() + interval '${URGENT_DAYS} days'))))`;
// Requests to delete the store have no row of the tenant.
const OF_STORE = "(shop = $1 OR (shop = $2 AND subject_hmac = $3))";
const COLUMNS = `id, shop, kind, state, external_id, delivery_id, received_at, due_by, completed_at,
  attempts, next_attempt_at, last_error, user_ids, payload, steps,
  coalesce(evidence ? 'archive', false) AS has_export`;
/**
 * Unfinished requests by their due date, then the others, newest first, as one number that a cursor
 * can hold: it has 15 digits at most. The index privacy_requests_position_idx has the same expression, which
 * may not depend on the session's time zone.
 */
const POSITION = `(CASE WHEN ${IS_DUE} THEN floor(extract(epoch FROM due_by AT TIME ZONE 'UTC'))::bigint * 100000 + id % 100000
  ELSE 900000000000000 - id END)::float8`;

// A search reads the accounts of these requests only, however many customers the store has.
const listed = (condition: string) => `
  SELECT ${COLUMNS}, ${POSITION} AS position FROM privacy_requests r WHERE ${condition}
    AND ${POSITION} > coalesce($4::float8, 0)
    AND ($5::text IS NULL OR kind = $5)
    AND CASE $6::text WHEN 'open' THEN ${IS_OPEN} WHEN 'failed' THEN ${NEEDS_MERCHANT}
      WHEN 'finished' THEN state IN ('done', 'retained') ELSE true END
    AND ($7::timestamptz IS NULL OR (${IS_DUE} AND due_by < $7))
    AND ($8::text IS NULL OR id = ANY($9::int[]) OR EXISTS (SELECT FROM storefront_users u
      WHERE u.shop = $1 AND u.id = ANY(r.user_ids) AND (u.full_name ILIKE $8 OR u.email ILIKE $8)))`;

// A store has thousands of requests after an erasure of many customers: a page of them is read in their order. The few to
// delete the store are among those of all stores, and are read by their mark.
export const LIST = `
  SELECT * FROM (
    (${listed("shop = $1")} ORDER BY position LIMIT $10)
    UNION ALL ${listed("shop = $2 AND subject_hmac = $3")}
  ) AS requests ORDER BY position LIMIT $10`;

const ONE = `SELECT ${COLUMNS}, evidence FROM privacy_requests WHERE ${OF_STORE} AND id = $4`;

const cursorContext = (ctx: Ctx, tenant: Tenant) => [PLATFORM, storeKey(ctx, tenant.shop)];

/** `before`: the end of the previous page. */
export async function listBoard(
  ctx: Ctx,
  tenant: Tenant,
  { q, kind, state, overdue }: RequestFilters,
  { limit, before }: { limit: number; before: number | null },
): Promise<{ requests: BoardRequest[]; next: number | null }> {
  const rows = await dataOf(ctx, tenant).sql<Row & { position: number }>(LIST, [
    ...cursorContext(ctx, tenant),
    before,
    kind ?? null,
    state ?? null,
    overdue ? ctx.clock.now() : null,
    q === undefined ? null : `%${q.replace(/[\\%_]/g, "\\$&")}%`,
    q === undefined ? [] : await findUnfinished(ctx, tenant, q),
    limit + 1,
  ]);
  const shown = rows.slice(0, limit);
  const owners = await findOwners(ctx, tenant, shown);
  const requests = shown.map((row, at) => toBoardRequest(ctx, tenant, row, owners[at] as Owner));
  return { requests, next: rows.length > limit ? (shown.at(-1)?.position ?? null) : null };
}

/** The unfinished requests that name the person so, and the request of this number. */
async function findUnfinished(ctx: Ctx, tenant: Tenant, q: string): Promise<number[]> {
  const rows = await dataOf(ctx, tenant).sql<Pick<Row, "id" | "payload">>(
    `SELECT id, payload FROM privacy_requests WHERE shop = $1 AND payload <> '{}'
      ORDER BY id DESC LIMIT ${MAX_OPENED}`,
    [],
  );
  const text = q.toLowerCase();
  const found = rows.filter(({ payload }) => {
    const { name = "", email } = identifiersOf(ctx, tenant, payload) ?? {};
    return [name, email ?? ""].some((known) => known.toLowerCase().includes(text));
  });
  const number = /^#?(\d{1,9})$/.exec(q)?.[1];
  return [...found.map(({ id }) => id), ...(number === undefined ? [] : [Number(number)])];
}

/** Null for a number without a request of this store. */
export async function findBoardRequest(
  ctx: Ctx,
  tenant: Tenant,
  id: number,
): Promise<BoardRequest | null> {
  const row = await findRow(ctx, tenant, id);
  if (!row) return null;
  const [owner] = await findOwners(ctx, tenant, [row]);
  return toBoardRequest(ctx, tenant, row, owner as Owner);
}

type DetailRow = Row & { evidence: Record<string, unknown> | null };

async function findRow(ctx: Ctx, tenant: Tenant, id: number): Promise<DetailRow | null> {
  const values = [...cursorContext(ctx, tenant), id];
  const [row] = await dataOf(ctx, tenant).sql<DetailRow>(ONE, values);
  return row ?? null;
}

/**
 * What was done, as a file: the steps and the evidence with its digest, without personal data. Null
 * for a number without a request of this store.
 */
export async function findProof(ctx: Ctx, tenant: Tenant, id: number): Promise<object | null> {
  const row = await findRow(ctx, tenant, id);
  return (
    row && {
      request_id: row.id,
      store: tenant.shop,
      kind: row.kind,
      state: row.state,
      external_id: row.external_id,
      received_at: row.received_at.toISOString(),
      due_by: row.due_by.toISOString(),
      completed_at: row.completed_at?.toISOString() ?? null,
      steps: row.steps,
      evidence: row.evidence,
    }
  );
}

/**
 * Changes when one of the store's requests makes progress, for a screen that waits for it. Holds
 * nothing about people.
 */
export async function readProgressMark(ctx: Ctx, tenant: Tenant): Promise<string> {
  const [row] = await dataOf(ctx, tenant).sql<{ mark: string | null }>(
    `SELECT md5(string_agg(concat_ws('|', id, state, attempts, steps::text), ',' ORDER BY id)) AS mark
      FROM privacy_requests WHERE ${OF_STORE} AND ${IS_OPEN}`,
    cursorContext(ctx, tenant),
  );
  return row?.mark ?? "";
}

function toBoardRequest(ctx: Ctx, tenant: Tenant, row: Row, owner: Owner): BoardRequest {
  const isFinished = row.state === "done" || row.state === "retained";
  // After a failed attempt.
  const waitsAgain = row.state === "received" && row.attempts > 0;
  const hasSubject = row.shop === tenant.shop && Object.keys(row.payload).length > 0;
  const now = ctx.clock.now();
  const problem = row.last_error === null ? null : toProblem(row.last_error);
  return {
    id: row.id,
    kind: row.kind,
    owner,
    state: row.state,
    external_id: row.external_id,
    is_by_hand: isByHand(row.delivery_id),
    received_at: row.received_at.toISOString(),
    due_by: row.due_by.toISOString(),
    due_in_days: isFinished ? null : daysUntil(timeZoneOf(tenant), now, row.due_by),
    is_overdue: !isFinished && row.due_by < now,
    completed_at: row.completed_at?.toISOString() ?? null,
    attempts: row.attempts,
    next_attempt_at: waitsAgain ? row.next_attempt_at.toISOString() : null,
    problem,
    has_export: row.has_export,
    can_retry: hasSubject && (waitsAgain || row.state === "failed"),
    store_customers_url:
      row.steps.storefront?.outcome === "stays_in_store"
        ? ctx.storefront.adminUrl(tenant.shop, "/admin/customers")
        : null,
    steps: toShownSteps(row.kind, row.state, row.steps, problem),
  };
}

function toProblem(error: string): RequestProblem {
  const without = { system: null, failure: null };
  if (error === "no_email_provider" || error === "no_recipient" || error === "mail_refused")
    return { kind: error, ...without };
  if (error.startsWith("residual in ")) return { kind: "left_behind", ...without };
  const [, system, how = "", status] = /^([a-z_]+): (\w+)(?: (\d{3}))?/.exec(error) ?? [];
  if (system === undefined) return { kind: "ours", ...without };
  // An earlier version stored a GraphQL answer that refused the call as `malformed`, with a status below 500.
  const isRefused = status !== undefined && Number(status) < 500;
  const kind = Object.hasOwn(WITHOUT_STATUS, how) && !isRefused ? WITHOUT_STATUS[how] : undefined;
  const failure = kind
    ? { kind, about: null, http_status: null }
    : toFailure({ error, http_status: status === undefined ? null : Number(status) });
  return { kind: "system", system, failure };
}

/** The kinds of `OutboundError` whose status says nothing about the failure. */
const WITHOUT_STATUS: Record<string, Failure["kind"]> = {
  network: "unreachable",
  timeout: "slow",
  refused_address: "address_refused",
  foreign_redirect: "address_refused",
  malformed: "unreadable",
} satisfies Record<Exclude<OutboundErrorKind, "status" | "graphql">, Failure["kind"]>;
