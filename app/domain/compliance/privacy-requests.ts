// What the storefront asks under privacy law, as durable rows: stored before they are answered, worked afterwards
// (SPEC "Compliance", shopify.dev "Privacy law compliance").
//
//   received -> running -> done | retained | failed
//          ^------'  (later, with backoff, until the day it is due)
//
// `retained`: finished, and something was kept for a reason that `evidence` names. The payload names a person: it is
// sealed while the row waits and emptied when it is finished.
import { hash } from "node:crypto";
import type { Ctx } from "../../context.server.ts";
import { PLATFORM, type Database, type TenantSql } from "../../runtime/database.ts";
import type { Tenant } from "../tenants/tenant.ts";
import { HOME_REGION } from "../../runtime/settings.ts";
import { hasIdentifier, type Subject, subjectKey } from "./subject.ts";

export const PRIVACY_NOTIFICATION = "privacy_requests";
export const PRIVACY_LEASE_SECONDS = 10;
const DUE_DAYS = 30;
const FIRST_RETRY_SECONDS = 5;
const LONGEST_RETRY_SECONDS = 21_600;

export type PrivacyKind = "data_request" | "customer_redact" | "shop_redact";
export type FinalState = "done" | "retained" | "failed";

export type Arrival = {
  kind: PrivacyKind;
  deliveryId: string | undefined;
  raw: Buffer;
  subject: Subject;
  externalId: string | null;
  triggeredAt: Date | null;
};

/** A claimed request. `shop` is the store it is about, `home` the name its row stands under. */
export type PrivacyRequest = {
  home: string;
  shop: string;
  id: number;
  kind: PrivacyKind;
  externalId: string | null;
  payload: Record<string, unknown>;
  evidence: Record<string, unknown>;
  triggeredAt: Date | null;
  receivedAt: Date;
  dueBy: Date;
  attempts: number;
  token: string;
};

/** Of a store that is gone only a keyed hash is kept, so that the fulfilment can still be shown. */
export const storeKey = (ctx: Ctx, shop: string): string =>
  ctx.secrets.pseudonym("privacy/store", shop);

export const sealSubject = (ctx: Ctx, shop: string, subject: object) => ({
  sealed: ctx.secrets.seal(`${shop}/privacy`, JSON.stringify(subject)),
});

export function openSubject<T extends object>(ctx: Ctx, request: PrivacyRequest): T | null {
  const { sealed } = request.payload;
  return typeof sealed === "string"
    ? (JSON.parse(ctx.secrets.unseal(`${request.shop}/privacy`, sealed)) as T)
    : null;
}

/**
 * One row per delivery, however often it comes. A store we do not know has nothing of anybody: its requests are recorded
 * as finished, without what they say, because the platform expects a 2xx for every valid one.
 */
export async function receivePrivacyRequest(
  ctx: Ctx,
  shop: string,
  tenant: Tenant | null,
  arrival: Arrival,
): Promise<{ id: number; dueBy: Date; isNew: boolean }> {
  const { kind, subject } = arrival;
  const database = ctx.regions.get(tenant?.region ?? HOME_REGION);
  const isWholeStore = kind === "shop_redact";
  const home = tenant && !isWholeStore ? shop : PLATFORM;
  const sql = database.forTenant(home).sql;
  const delivery =
    arrival.deliveryId?.slice(0, 200) ??
    `sha256:${hash("sha256", Buffer.concat([Buffer.from(`${kind}\n`), arrival.raw]))}`;
  const deliveryId =
    home === PLATFORM ? `${storeKey(ctx, shop).slice(0, 16)}:${delivery}` : `${kind}:${delivery}`;
  const isWork = isWholeStore || (tenant !== null && hasIdentifier(subject));
  const payload = isWholeStore ? { shop } : isWork ? sealSubject(ctx, shop, subject) : {};
  const subjectHmac = home === PLATFORM ? storeKey(ctx, shop) : subjectKey(ctx, shop, subject);
  const evidence = isWork
    ? null
    : { outcome: tenant ? "the request names nobody" : "the store is not known here" };
  const [made] = await sql<{ id: number; due_by: Date }>(
    `INSERT INTO privacy_requests (shop, kind, delivery_id, external_id, subject_hmac, payload, state, triggered_at, due_by, evidence, completed_at)
     VALUES ($1, $2, $3, $4, $5, $6::jsonb, $7, $8, clock_timestamp() + make_interval(days => ${DUE_DAYS}), $9::jsonb, CASE WHEN $7 = 'done' THEN clock_timestamp() END)
     ON CONFLICT (shop, delivery_id) DO NOTHING RETURNING id, due_by`,
    [
      kind,
      deliveryId,
      arrival.externalId,
      subjectHmac,
      JSON.stringify(payload),
      isWork ? "received" : "done",
      arrival.triggeredAt,
      evidence && JSON.stringify(evidence),
    ],
  );
  if (made) return { id: made.id, dueBy: made.due_by, isNew: true };
  const [known] = await sql<{ id: number; due_by: Date }>(
    "SELECT id, due_by FROM privacy_requests WHERE shop = $1 AND delivery_id = $2",
    [deliveryId],
  );
  if (!known) throw new Error("a privacy request vanished while it was received");
  return { id: known.id, dueBy: known.due_by, isNew: false };
}

type ClaimedRow = {
  shop: string;
  id: number;
  kind: PrivacyKind;
  external_id: string | null;
  payload: Record<string, unknown>;
  evidence: Record<string, unknown> | null;
  triggered_at: Date | null;
  received_at: Date;
  due_by: Date;
  attempts: number;
  attempt_token: string;
};

/** Claims what is due, and what a dead worker held. Two claims never return the same row. */
export async function claimPrivacyRequests(
  database: Database,
  limit: number,
): Promise<PrivacyRequest[]> {
  const rows = await database.acrossTenants<ClaimedRow>(
    `WITH due AS (
       SELECT shop, id FROM privacy_requests WHERE state = 'received' AND next_attempt_at <= clock_timestamp() ORDER BY next_attempt_at, id LIMIT $1 FOR UPDATE SKIP LOCKED
     ),
     lost AS (
       SELECT shop, id FROM privacy_requests WHERE state = 'running' AND locked_until < clock_timestamp() ORDER BY locked_until LIMIT $1 FOR UPDATE SKIP LOCKED
     ),
     chosen AS (SELECT * FROM due UNION ALL SELECT * FROM lost LIMIT $1)
     UPDATE privacy_requests p SET state = 'running', locked_until = clock_timestamp() + make_interval(secs => ${PRIVACY_LEASE_SECONDS}), attempt_token = gen_random_uuid()
     FROM chosen WHERE p.shop = chosen.shop AND p.id = chosen.id
     RETURNING p.shop, p.id, p.kind, p.external_id, p.payload, p.evidence, p.triggered_at, p.received_at, p.due_by, p.attempts, p.attempt_token`,
    [limit],
  );
  return rows.map((row) => ({
    home: row.shop,
    shop: row.kind === "shop_redact" ? String(row.payload.shop) : row.shop,
    id: row.id,
    kind: row.kind,
    externalId: row.external_id,
    payload: row.payload,
    evidence: row.evidence ?? {},
    triggeredAt: row.triggered_at,
    receivedAt: row.received_at,
    dueBy: row.due_by,
    attempts: row.attempts,
    token: row.attempt_token,
  }));
}

const HELD = "shop = $1 AND id = $2 AND attempt_token = $3 AND state = 'running'";

/** Keeps the lease; false when somebody else holds the request by now. */
export async function renewPrivacyLease(
  database: Database,
  request: PrivacyRequest,
): Promise<boolean> {
  const rows = await database
    .forTenant(request.home)
    .sql(
      `UPDATE privacy_requests SET locked_until = clock_timestamp() + make_interval(secs => ${PRIVACY_LEASE_SECONDS}) WHERE ${HELD} RETURNING id`,
      [request.id, request.token],
    );
  return rows.length === 1;
}

/** Stores what a later attempt must know, before anything is erased that says it. */
export async function saveProgress(
  sql: TenantSql,
  request: PrivacyRequest,
  payload: object,
  evidence: object,
): Promise<void> {
  const rows = await sql(
    `UPDATE privacy_requests SET payload = $4::jsonb, evidence = $5::jsonb WHERE ${HELD} RETURNING id`,
    [request.id, request.token, JSON.stringify(payload), JSON.stringify(evidence)],
  );
  if (rows.length === 0) throw new LeaseLost();
}

/** The evidence carries its own digest, so that a copy of it can be compared with the row. */
export async function finishPrivacyRequest(
  sql: TenantSql,
  request: PrivacyRequest,
  state: FinalState,
  evidence: object,
  error: string | null = null,
): Promise<void> {
  const sealed = { ...evidence, sha256: hash("sha256", JSON.stringify(evidence)) };
  const rows = await sql(
    `UPDATE privacy_requests SET state = $4, payload = '{}', evidence = $5::jsonb, last_error = $6, completed_at = clock_timestamp(), attempt_token = NULL, locked_until = NULL WHERE ${HELD} RETURNING id`,
    [request.id, request.token, state, JSON.stringify(sealed), error],
  );
  if (rows.length === 0) throw new LeaseLost();
}

/** Another pass in a moment: nobody's fault, so nothing is counted. */
export async function passPrivacyRequest(
  database: Database,
  request: PrivacyRequest,
  delayMs: number,
): Promise<void> {
  await database
    .forTenant(request.home)
    .sql(
      `UPDATE privacy_requests SET state = 'received', attempt_token = NULL, locked_until = NULL, next_attempt_at = clock_timestamp() + make_interval(secs => $4::float8) WHERE ${HELD}`,
      [request.id, request.token, delayMs / 1_000],
    );
}

/** Later again, until the day it is due: then it has failed, and an operator must look. */
export async function postponePrivacyRequest(
  database: Database,
  request: PrivacyRequest,
  reason: string,
): Promise<"received" | "failed"> {
  const delaySeconds = Math.min(FIRST_RETRY_SECONDS * 4 ** request.attempts, LONGEST_RETRY_SECONDS);
  const [row] = await database.forTenant(request.home).sql<{ state: "received" | "failed" }>(
    `UPDATE privacy_requests SET state = CASE WHEN due_by < clock_timestamp() THEN 'failed' ELSE 'received' END, attempts = attempts + 1, last_error = $4, attempt_token = NULL, locked_until = NULL,
       next_attempt_at = clock_timestamp() + make_interval(secs => $5::float8) WHERE ${HELD} RETURNING state`,
    [request.id, request.token, reason, delaySeconds],
  );
  return row?.state ?? "received";
}

/** The lease ran out and another worker has the request: whatever it does, we stop. */
export class LeaseLost extends Error {
  override name = "LeaseLost";
}

/** Not finished, and nobody's fault: another pass after `delayMs`. */
export class AnotherPass extends Error {
  override name = "AnotherPass";
  readonly delayMs: number;
  constructor(delayMs: number) {
    super("another pass is needed");
    this.delayMs = delayMs;
  }
}
