// The storefront's privacy requests as durable rows: stored before the response (receive-request.ts), worked
// afterwards (SPEC "Compliance", shopify.dev "Privacy law compliance").
//
//   received -> running -> done | retained | failed
//      ^------'  (later, with backoff, until the due date)
//
// `retained`: finished, but something was kept for a reason given in `evidence`. The payload names
// a person: it is sealed while the row waits and emptied when it is finished.
import { hash } from "node:crypto";
import type { Ctx } from "../../../context.server.ts";
import type { Columns, PrivacyRequest as StoredRequest } from "../../../db.server.ts";
import type { Database, TenantSql } from "../../../runtime/database/database.ts";
import {
  leasedTable,
  type Held,
  type LeasedRow,
} from "../../../runtime/database/queue/leased-table.ts";
import type { Steps } from "./request-steps.ts";

export const PRIVACY_NOTIFICATION = "privacy_requests";
export const PRIVACY_LEASE_SECONDS = 10;
const FIRST_RETRY_SECONDS = 5;
const MAX_RETRY_SECONDS = 21_600;

export type PrivacyKind = "data_request" | "customer_redact" | "shop_redact";
export type FinalState = "done" | "retained" | "failed";

/** A claimed request. `shop` is its store, `home` the tenant key of its row. */
export type PrivacyRequest = {
  home: string;
  shop: string;
  id: number;
  kind: PrivacyKind;
  externalId: string | null;
  payload: Record<string, unknown>;
  evidence: Record<string, unknown>;
  steps: Steps;
  /** The merchant made it by a button. */
  isByHand: boolean;
  triggeredAt: Date | null;
  receivedAt: Date;
  dueBy: Date;
  attempts: number;
  token: string;
};

/** The delivery ids of requests that a merchant made by a button. */
const BY_HAND = /(?:^|:)merchant[:-]/;
export const isByHand = (deliveryId: string): boolean => BY_HAND.test(deliveryId);

/** The delivery id of a request that a merchant's bulk run makes. */
export const bulkDeliveryId = (runId: string, userId: number): string =>
  `merchant-${runId}-${userId}`;
/**
 * SQL: these are thousands at once, and are worked after all others. No regular expression: with 10,000 waiting it makes
 * a claim take a quarter of a second instead of 40 ms.
 */
const IS_BULK = `delivery_id LIKE '%:merchant-${"_".repeat(36)}-%'`;

export const sealSubject = (ctx: Ctx, shop: string, subject: object) => ({
  sealed: ctx.secrets.seal(`${shop}/privacy`, JSON.stringify(subject)),
});

export function openSubject<T extends object>(ctx: Ctx, request: PrivacyRequest): T | null {
  const { sealed } = request.payload;
  return typeof sealed === "string"
    ? (JSON.parse(ctx.secrets.unseal(`${request.shop}/privacy`, sealed)) as T)
    : null;
}

export const privacyRequests = leasedTable<LeasedRow & ClaimedRow>({
  table: "privacy_requests",
  idType: "int",
  stateColumn: "state",
  waiting: "received",
  running: "running",
  orderBy: "next_attempt_at",
  isLast: IS_BULK,
  leaseSeconds: PRIVACY_LEASE_SECONDS,
  columns: [
    "kind",
    "external_id",
    "delivery_id",
    "payload",
    "evidence",
    "steps",
    "triggered_at",
    "received_at",
    "due_by",
    "attempts",
  ],
});

type ClaimedRow = Columns<
  StoredRequest,
  | "id"
  | "kind"
  | "external_id"
  | "delivery_id"
  | "payload"
  | "evidence"
  | "triggered_at"
  | "received_at"
  | "due_by"
  | "attempts"
> & {
  kind: PrivacyKind;
  payload: Record<string, unknown>;
  evidence: Record<string, unknown> | null;
  steps: Steps;
};

/** Claims due rows and rows with an expired lease, one store's after another's. */
export function claimInTurns(database: Database): (limit: number) => Promise<PrivacyRequest[]> {
  let lastShop = "";
  return async (limit) => {
    const rows = await privacyRequests.claim(database, limit, lastShop);
    lastShop = rows.at(-1)?.shop ?? lastShop;
    return rows.map(toRequest);
  };
}

const toRequest = (row: LeasedRow & ClaimedRow): PrivacyRequest => ({
  home: row.shop,
  shop: row.kind === "shop_redact" ? String(row.payload.shop) : row.shop,
  id: row.id,
  kind: row.kind,
  externalId: row.external_id,
  payload: row.payload,
  evidence: row.evidence ?? {},
  steps: row.steps,
  isByHand: isByHand(row.delivery_id),
  triggeredAt: row.triggered_at,
  receivedAt: row.received_at,
  dueBy: row.due_by,
  attempts: row.attempts,
  token: row.attempt_token,
});

/** The row's shop is its home, which is not the store for a request about a whole store. */
const rowOf = ({ home, id, token }: PrivacyRequest): Held => ({ shop: home, id, token });

export const renewPrivacyLeases = (database: Database, items: readonly PrivacyRequest[]) =>
  privacyRequests.renew(database, items.map(rowOf));

export const releasePrivacyRequests = (database: Database, items: readonly PrivacyRequest[]) =>
  privacyRequests.release(database, items.map(rowOf));

/**
 * Stores what a later attempt needs, before the rows with this information are erased. Throws
 * LeaseLost.
 */
export async function saveProgress(
  sql: TenantSql,
  request: PrivacyRequest,
  payload: object,
  evidence: object,
): Promise<void> {
  await privacyRequests.update(sql, rowOf(request), "payload = $4::jsonb, evidence = $5::jsonb", [
    JSON.stringify(payload),
    JSON.stringify(evidence),
  ]);
}

/**
 * Keeps what settles the request once its mails are delivered. The problem of an earlier attempt is
 * over. Throws LeaseLost.
 */
export async function saveQueuedMails(
  sql: TenantSql,
  request: PrivacyRequest,
  evidence: object,
): Promise<void> {
  await privacyRequests.update(sql, rowOf(request), "evidence = $4::jsonb, last_error = NULL", [
    JSON.stringify(evidence),
  ]);
}

/** Merges the steps into the row's. Throws LeaseLost. */
export async function saveSteps(
  sql: TenantSql,
  request: PrivacyRequest,
  steps: Steps,
): Promise<void> {
  await privacyRequests.update(sql, rowOf(request), "steps = steps || $4::jsonb", [
    JSON.stringify(steps),
  ]);
}

/** Keeps which accounts the request is about. Throws LeaseLost. */
export async function savePeople(
  sql: TenantSql,
  request: PrivacyRequest,
  userIds: readonly number[],
): Promise<void> {
  await privacyRequests.update(sql, rowOf(request), "user_ids = $4::int[]", [userIds]);
}

/** The evidence with its own digest, so that a copy can be compared with the row. */
export const sealEvidence = <Evidence extends object>(evidence: Evidence) => ({
  ...evidence,
  sha256: hash("sha256", JSON.stringify(evidence)),
});

type Ending = {
  state: FinalState;
  /** What was found, done and kept. */
  evidence: object;
  error?: string | null;
};

/** Throws LeaseLost. */
export async function finishPrivacyRequest(
  sql: TenantSql,
  request: PrivacyRequest,
  { state, evidence, error = null }: Ending,
): Promise<void> {
  await privacyRequests.settle(
    sql,
    rowOf(request),
    "state = $4, payload = '{}', evidence = $5::jsonb, last_error = $6, completed_at = clock_timestamp()",
    [state, JSON.stringify(sealEvidence(evidence)), error],
  );
}

/** Schedules another pass that does not count as an attempt. Throws LeaseLost. */
export async function requeuePrivacyRequest(
  database: Database,
  request: PrivacyRequest,
  delayMs: number,
): Promise<void> {
  await privacyRequests.settle(
    database.forTenant(request.home).sql,
    rowOf(request),
    "state = 'received', next_attempt_at = clock_timestamp() + make_interval(secs => $4::float8)",
    [delayMs / 1_000],
  );
}

/**
 * Schedules a retry until the due date: after it the request has failed and needs an operator.
 * Throws LeaseLost.
 */
export async function postponePrivacyRequest(
  database: Database,
  request: PrivacyRequest,
  reason: string,
): Promise<"received" | "failed"> {
  const delaySeconds = Math.min(FIRST_RETRY_SECONDS * 4 ** request.attempts, MAX_RETRY_SECONDS);
  const { state } = await privacyRequests.settle(
    database.forTenant(request.home).sql,
    rowOf(request),
    `state = CASE WHEN due_by < clock_timestamp() THEN 'failed' ELSE 'received' END,
     attempts = attempts + 1, last_error = $4,
     next_attempt_at = clock_timestamp() + make_interval(secs => $5::float8)`,
    [reason, delaySeconds],
  );
  return state === "failed" ? "failed" : "received";
}

/** Thrown by unfinished work that has not failed: another pass is due after `delayMs`. */
export class Reschedule extends Error {
  override name = "Reschedule";
  readonly delayMs: number;
  constructor(delayMs: number) {
    super("another pass is needed");
    this.delayMs = delayMs;
  }
}
