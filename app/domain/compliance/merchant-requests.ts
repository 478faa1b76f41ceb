// A merchant's privacy requests for a customer by a button: an export and an erasure. Each is a row
// among the privacy requests, as a record of what was requested and done.
import type { Ctx } from "../../context.server.ts";
import type { Columns, PrivacyRequest as StoredRequest } from "../../db.server.ts";
import { AppError } from "../../runtime/errors.ts";
import { findPerson, type Account } from "../identity/account.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { compileExport } from "./compile-export.ts";
import { receivePrivacyRequest, type PrivacyRequest } from "./privacy-requests.ts";
import { hasIdentifier, subjectKey, type Subject } from "./subject.ts";

const DUE_DAYS = 30;

const toSubject = ({ email, storefront_customer_gid: gid }: Account): Subject => ({
  ...(gid && { gid }),
  ...(email && { email: email.toLowerCase() }),
});

/**
 * The customer and the identifiers for a request. Throws `not_found`, also for an erased customer.
 */
async function getSubject(ctx: Ctx, tenant: Tenant, userId: number): Promise<Subject> {
  const person = await findPerson(dataOf(ctx, tenant).sql, userId);
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
  const subject = await getSubject(ctx, tenant, userId);
  const { sql } = dataOf(ctx, tenant);
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
    triggeredAt: null,
    receivedAt: row.received_at,
    dueBy: row.due_by,
    attempts: 0,
    token: "",
  } satisfies PrivacyRequest;
  const { document, counts } = await compileExport(ctx, tenant, request, subject);
  await sql(
    `UPDATE privacy_requests SET state = 'done', last_error = NULL,
      completed_at = clock_timestamp(), evidence = $3::jsonb WHERE shop = $1 AND id = $2`,
    [row.id, JSON.stringify({ asked_by: "merchant", exported: counts })],
  );
  ctx.log.info("privacy_export.downloaded", {
    shop: tenant.shop,
    request_id: row.id,
    asked_by: "merchant",
  });
  return { requestId: row.id, document: JSON.stringify(document, null, 2) };
}

/** The confirmation phrase of an erasure: the address, or the customer number without one. */
export const confirmationPhrase = (account: Pick<Account, "id" | "email">): string =>
  account.email ?? `#${account.id}`;

/** Same processing as the storefront's `customers/redact`: recorded now, worked later. */
export async function eraseForMerchant(
  ctx: Ctx,
  tenant: Tenant,
  userId: number,
  typed: string,
): Promise<{ requestId: number }> {
  const subject = await getSubject(ctx, tenant, userId);
  const person = await findPerson(dataOf(ctx, tenant).sql, userId);
  if (!person || typed.trim().toLowerCase() !== confirmationPhrase(person.account).toLowerCase())
    throw new AppError("invalid_request", { fields: { typed: "does not match" } });
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
