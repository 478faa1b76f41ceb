// A merchant's privacy requests for a customer by a button, or for many by a bulk run: an export and an
// erasure. Each is a row among the privacy requests, as a record of what was requested and done.
import type { Ctx } from "../../../context.server.ts";
import type { Columns, PrivacyRequest as StoredRequest, TenantSql } from "../../../db.server.ts";
import { AppError } from "../../../runtime/errors.ts";
import { findPerson, type Account } from "../../identity/account.ts";
import { dataOf, getTenant, type Tenant } from "../../tenants/tenant.ts";
import { compileExport } from "../export/compile-export.ts";
import { bulkDeliveryId, type PrivacyRequest } from "./privacy-requests.ts";
import { insertRequest, receivePrivacyRequest, toNewRequest } from "./receive-request.ts";
import type { Steps } from "./request-steps.ts";
import { hasIdentifier, subjectKey, type Subject } from "../subject.ts";

const DUE_DAYS = 30;

const toSubject = ({ email, storefront_customer_gid: gid }: Account): Subject => ({
  ...(gid && { gid }),
  ...(email && { email: email.toLowerCase() }),
});

/**
 * The customer and the identifiers for a request. Throws `not_found`, also for an erased customer.
 */
async function getSubject(sql: TenantSql, userId: number): Promise<Subject> {
  const person = await findPerson(sql, userId);
  const subject = person ? toSubject(person.account) : {};
  if (!hasIdentifier(subject)) throw new AppError("not_found");
  return subject;
}

/**
 * The export of a data request, returned directly to the merchant; nothing is archived or mailed.
 */
export async function exportForMerchant(
  ctx: Ctx,
  tenant: Tenant,
  userId: number,
): Promise<{ requestId: number; document: string }> {
  const { sql } = dataOf(ctx, tenant);
  const subject = await getSubject(sql, userId);
  // Stored as failed until it is compiled: if the process dies in between, the row does not claim
  // success.
  const [row] = await sql<Columns<StoredRequest, "id" | "received_at" | "due_by">>(
    `INSERT INTO privacy_requests (shop, kind, delivery_id, subject_hmac, state, due_by, last_error, completed_at)
     VALUES ($1, 'data_request', $2, $3, 'failed',
       clock_timestamp() + make_interval(days => ${DUE_DAYS}), 'not_finished', clock_timestamp())
       RETURNING id, received_at, due_by`,
    [`merchant:${ctx.random.uuid()}`, subjectKey(ctx, tenant.shop, subject)],
  );
  if (!row) throw new Error("a privacy request vanished while it was made");
  const request = {
    home: tenant.shop,
    shop: tenant.shop,
    id: row.id,
    kind: "data_request",
    externalId: null,
    payload: {},
    evidence: {},
    steps: {},
    isByHand: true,
    triggeredAt: null,
    receivedAt: row.received_at,
    dueBy: row.due_by,
    attempts: 0,
    token: "",
  } satisfies PrivacyRequest;
  const { document, counts, userIds } = await compileExport(ctx, tenant, request, subject);
  // The store may have moved to another cell meanwhile.
  const current = await getTenant(ctx, tenant.shop);
  await dataOf(ctx, current).sql(
    `UPDATE privacy_requests SET state = 'done', last_error = NULL, user_ids = $4::int[],
      completed_at = clock_timestamp(), evidence = $3::jsonb, steps = $5::jsonb
      WHERE shop = $1 AND id = $2`,
    [
      row.id,
      JSON.stringify({ asked_by: "merchant", exported: counts }),
      userIds,
      JSON.stringify(downloadedSteps(ctx, counts)),
    ],
  );
  ctx.log.info("privacy_export.downloaded", {
    shop: tenant.shop,
    request_id: row.id,
    asked_by: "merchant",
  });
  return { requestId: row.id, document: JSON.stringify(document, null, 2) };
}

/** The steps of a downloaded copy, which is neither archived nor mailed. */
function downloadedSteps(ctx: Ctx, counts: Record<string, number>): Steps {
  const at = ctx.clock.now().toISOString();
  const rows = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return {
    tables: { at, outcome: "exported", count: rows },
    mail: { at, outcome: "handed_over", count: 0 },
  };
}

/** The confirmation phrase of an erasure: the address, or the customer number without one. */
export const confirmationPhrase = (account: Pick<Account, "id" | "email">): string =>
  account.email ?? `#${account.id}`;

/** Throws `invalid_request` for a text that is not the phrase. */
export function requireConfirmation(typed: string, phrase: string | null): void {
  if (phrase === null || typed.trim().toLowerCase() !== phrase.toLowerCase())
    throw new AppError("invalid_request", { fields: { typed: "does not match" } });
}

/** Same processing as the storefront's `customers/redact`: recorded now, worked later. */
export async function eraseForMerchant(
  ctx: Ctx,
  tenant: Tenant,
  userId: number,
  typed: string,
): Promise<{ requestId: number }> {
  const { sql } = dataOf(ctx, tenant);
  const subject = await getSubject(sql, userId);
  const person = await findPerson(sql, userId);
  requireConfirmation(typed, person && confirmationPhrase(person.account));
  const { id } = await receivePrivacyRequest(ctx, tenant.shop, tenant, {
    kind: "customer_redact",
    deliveryId: `merchant-${ctx.random.uuid()}`,
    raw: Buffer.alloc(0),
    subject,
    externalId: null,
    triggeredAt: null,
  });
  ctx.log.info("customer.erasure_asked", {
    shop: tenant.shop,
    user_id: userId,
    request_id: id,
    asked_by: "merchant",
  });
  return { requestId: id };
}

/**
 * One request of a bulk run, worked later like the storefront's own, in the caller's transaction. False
 * when the run has requested it before. Throws `not_found` as above.
 */
export async function requestForMerchant(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  {
    kind,
    userId,
    runId,
  }: { kind: "data_request" | "customer_redact"; userId: number; runId: string },
): Promise<boolean> {
  const arrival = {
    kind,
    deliveryId: bulkDeliveryId(runId, userId),
    raw: Buffer.alloc(0),
    subject: await getSubject(sql, userId),
    externalId: null,
    triggeredAt: null,
  };
  const request = toNewRequest(ctx, tenant.shop, tenant, arrival);
  return (await insertRequest(sql, request, arrival)).isNew;
}
