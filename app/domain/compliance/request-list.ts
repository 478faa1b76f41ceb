// Privacy requests on the merchant's screen, and its actions: retry now, download the export, mark
// it as handed over, and request an export or an erasure for an address manually.
import { hash } from "node:crypto";
import { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import { PLATFORM, type Columns, type PrivacyRequest } from "../../db.server.ts";
import { AppError } from "../../runtime/errors.ts";
import { normaliseEmail } from "../customers/customer-change.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { createExportLink, peopleOfExport, readExport } from "./export-link.ts";
import { findPeople } from "./find-people.ts";
import {
  PRIVACY_NOTIFICATION,
  receivePrivacyRequest,
  storeKey,
  type PrivacyKind,
} from "./privacy-requests.ts";

export const RequestFilters = z.object({
  kind: z.enum(["data_request", "customer_redact", "shop_redact"]).optional().catch(undefined),
  state: z.enum(["open", "failed", "finished"]).optional().catch(undefined),
});
export type RequestFilters = z.output<typeof RequestFilters>;

export const RequestId = z.object({ id: z.int().positive().max(999_999_999) });
export const ManualRequest = z.object({
  kind: z.enum(["data_request", "customer_redact"]),
  email: z.string().trim().max(320).pipe(z.email()),
});

/**
 * `system`: the system failed or rejected the call; `left_behind`: data of the person was still
 * found.
 */
type RequestProblem = {
  kind: "no_email_provider" | "no_recipient" | "system" | "left_behind" | "ours";
  system: string | null;
};

export type BoardRequest = {
  id: number;
  kind: PrivacyKind;
  state: "received" | "running" | "done" | "retained" | "failed";
  external_id: string | null;
  is_by_hand: boolean;
  received_at: string;
  due_by: string;
  is_overdue: boolean;
  completed_at: string | null;
  attempts: number;
  next_attempt_at: string | null;
  problem: RequestProblem | null;
  has_export: boolean;
  can_retry: boolean;
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
> & {
  kind: PrivacyKind;
  state: BoardRequest["state"];
  is_overdue: boolean;
  has_export: boolean;
  has_payload: boolean;
};

/** Requests that a merchant made by a button, here or on the customer page. */
const BY_HAND = /(?:^|:)merchant[:-]/;
const IS_OPEN = "state IN ('received', 'running')";

// Walks the key backwards; privacy requests are few, and those to delete the store have no tenant row.
const LIST = `
  SELECT id, shop, kind, state, external_id, delivery_id, received_at, due_by, completed_at IS NULL
    AND due_by < clock_timestamp() AS is_overdue, completed_at, attempts, next_attempt_at, last_error,
    coalesce(evidence ? 'archive', false) AS has_export, payload <> '{}' AS has_payload
  FROM privacy_requests WHERE (shop = $1 OR (shop = $2 AND subject_hmac = $3)) AND ($4::int IS NULL
    OR id < $4) AND ($5::text IS NULL OR kind = $5)
    AND CASE $6::text WHEN 'open' THEN ${IS_OPEN} WHEN 'failed' THEN state = 'failed'
      WHEN 'finished' THEN state IN ('done', 'retained') ELSE true END
  ORDER BY id DESC LIMIT $7`;

/** `before`: the end of the previous page. */
export async function listBoard(
  ctx: Ctx,
  tenant: Tenant,
  filters: RequestFilters,
  { limit, before }: { limit: number; before: number | null },
): Promise<{ requests: BoardRequest[]; next: number | null }> {
  const rows = await dataOf(ctx, tenant).sql<Row>(LIST, [
    PLATFORM,
    storeKey(ctx, tenant.shop),
    before,
    filters.kind ?? null,
    filters.state ?? null,
    limit + 1,
  ]);
  const requests = rows.slice(0, limit).map((row) => toBoardRequest(tenant, row));
  return { requests, next: rows.length > limit ? (requests.at(-1)?.id ?? null) : null };
}

function toBoardRequest(tenant: Tenant, row: Row): BoardRequest {
  const isOpen = row.state === "received" || row.state === "running";
  const isRetried = row.shop === tenant.shop && row.has_payload;
  return {
    id: row.id,
    kind: row.kind,
    state: row.state,
    external_id: row.external_id,
    is_by_hand: BY_HAND.test(row.delivery_id),
    received_at: row.received_at.toISOString(),
    due_by: row.due_by.toISOString(),
    is_overdue: row.is_overdue,
    completed_at: row.completed_at?.toISOString() ?? null,
    attempts: row.attempts,
    next_attempt_at:
      row.state === "received" && row.attempts > 0 ? row.next_attempt_at.toISOString() : null,
    problem: row.last_error === null ? null : toProblem(row.last_error),
    has_export: row.has_export,
    can_retry: isRetried && ((isOpen && row.attempts > 0) || row.state === "failed"),
  };
}

function toProblem(error: string): RequestProblem {
  if (error === "no_email_provider" || error === "no_recipient")
    return { kind: error, system: null };
  if (error.startsWith("residual in ")) return { kind: "left_behind", system: null };
  const system = /^([a-z_]+): /.exec(error)?.[1];
  return system ? { kind: "system", system } : { kind: "ours", system: null };
}

/**
 * Retries now; a failed request starts again. Throws `not_found` for a request that cannot be
 * retried.
 */
export async function retryRequest(ctx: Ctx, tenant: Tenant, id: number): Promise<void> {
  const rows = await dataOf(ctx, tenant).sql(
    `WITH again AS (
       UPDATE privacy_requests SET state = 'received', next_attempt_at = clock_timestamp()
         WHERE shop = $1 AND id = $2 AND state IN ('received', 'failed') AND payload <> '{}' RETURNING id
     ) SELECT id, pg_notify('${PRIVACY_NOTIFICATION}', '') FROM again`,
    [id],
  );
  if (rows.length === 0) throw new AppError("not_found");
  ctx.log.info("privacy_request.retried", { shop: tenant.shop, request_id: id });
}

/** The export's document. */
async function requireExport(ctx: Ctx, tenant: Tenant, id: number): Promise<string> {
  const request = await dataOf(ctx, tenant).prisma.privacyRequest.findFirst({
    select: { evidence: true },
    where: { id, kind: "data_request" },
  });
  const evidence = (request?.evidence ?? {}) as Record<string, unknown>;
  if (!("archive" in evidence)) throw new AppError("not_found");
  // The person may have been erased since.
  return readExport(ctx, tenant, id);
}

/** The URL of a page that hands over the export once, and the export's accounts. */
export async function offerExport(
  ctx: Ctx,
  tenant: Tenant,
  id: number,
): Promise<{ url: string; userIds: number[] }> {
  const document = await requireExport(ctx, tenant, id);
  return { url: await createExportLink(ctx, tenant, id), userIds: peopleOfExport(document) };
}

/**
 * For an export without a mail recipient: the merchant downloaded and forwarded it. The evidence
 * records it, and its digest covers it.
 */
export async function markHandedOver(ctx: Ctx, tenant: Tenant, id: number): Promise<void> {
  await dataOf(ctx, tenant).transaction(async (sql, prisma) => {
    const [row] = await sql<
      Columns<PrivacyRequest, "evidence"> & { evidence: Record<string, unknown> }
    >(
      `SELECT evidence FROM privacy_requests WHERE shop = $1 AND id = $2 AND kind = 'data_request'
        AND state = 'failed' AND evidence ? 'archive' FOR UPDATE`,
      [id],
    );
    if (!row) throw new AppError("not_found");
    const { sha256: _before, ...known } = row.evidence;
    const evidence = { ...known, handed_over_at: ctx.clock.now().toISOString() };
    await prisma.privacyRequest.updateMany({
      where: { id },
      data: {
        state: "done",
        last_error: null,
        evidence: { ...evidence, sha256: hash("sha256", JSON.stringify(evidence)) },
      },
    });
  });
  ctx.log.info("privacy_request.handed_over", { shop: tenant.shop, request_id: id });
}

/** The same row, work and due date as a request of the storefront; `userIds`: whom it is about. */
export async function requestByHand(
  ctx: Ctx,
  tenant: Tenant,
  { kind, email }: z.output<typeof ManualRequest>,
): Promise<{ id: number; userIds: number[] }> {
  const subject = { email: normaliseEmail(email) };
  // Found now: an erasure may be done before the next statement.
  const people = await findPeople(ctx, dataOf(ctx, tenant).sql, tenant.shop, subject);
  const { id } = await receivePrivacyRequest(ctx, tenant.shop, tenant, {
    kind,
    deliveryId: `merchant-${ctx.random.uuid()}`,
    raw: Buffer.alloc(0),
    subject,
    externalId: null,
    triggeredAt: null,
  });
  ctx.log.info("privacy_request.made_by_hand", { shop: tenant.shop, kind, request_id: id });
  return { id, userIds: people.map((person) => person.id) };
}
