// What a merchant asks for a customer by a button, and the law calls by the same names: the customer's data, and to be
// forgotten. Each is a row among the privacy requests, so that it can be shown later what was asked and done.
import type { Ctx } from "../../context.server.ts";
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

/** The person by whom a request can name them. Throws `not_found`, also for who is erased already. */
async function getSubject(ctx: Ctx, tenant: Tenant, userId: number): Promise<Subject> {
  const person = await findPerson(dataOf(ctx, tenant).sql, userId);
  const subject = person ? toSubject(person.account) : {};
  if (!hasIdentifier(subject)) throw new AppError("not_found");
  return subject;
}

/** The document of a data request, at once and for the merchant's own eyes; nothing is filed and nothing is mailed. */
export async function exportForMerchant(
  ctx: Ctx,
  tenant: Tenant,
  userId: number,
): Promise<{ requestId: number; document: string }> {
  const subject = await getSubject(ctx, tenant, userId);
  const { sql } = dataOf(ctx, tenant);
  // Stored as failed until it is compiled: a process that ends in between leaves no claim that it was done.
  const [row] = await sql<{ id: number; received_at: Date; due_by: Date }>(
    `INSERT INTO privacy_requests (shop, kind, delivery_id, subject_hmac, state, due_by, last_error, completed_at)
     VALUES ($1, 'data_request', $2, $3, 'failed', clock_timestamp() + make_interval(days => ${DUE_DAYS}), 'not_finished', clock_timestamp()) RETURNING id, received_at, due_by`,
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
    "UPDATE privacy_requests SET state = 'done', last_error = NULL, completed_at = clock_timestamp(), evidence = $3::jsonb WHERE shop = $1 AND id = $2",
    [row.id, JSON.stringify({ asked_by: "merchant", exported: counts })],
  );
  ctx.log.done("privacy_export.downloaded", {
    shop: tenant.shop,
    request_id: row.id,
    asked_by: "merchant",
  });
  return { requestId: row.id, document: JSON.stringify(document, null, 2) };
}

/** What has to be typed to erase somebody: the address, or the number of who has none. */
export const erasureWord = (account: Pick<Account, "id" | "email">): string =>
  account.email ?? `#${account.id}`;

/** The same way as the storefront's `customers/redact`: recorded now, worked after. */
export async function eraseForMerchant(
  ctx: Ctx,
  tenant: Tenant,
  userId: number,
  typed: string,
): Promise<{ requestId: number }> {
  const subject = await getSubject(ctx, tenant, userId);
  const person = await findPerson(dataOf(ctx, tenant).sql, userId);
  if (!person || typed.trim().toLowerCase() !== erasureWord(person.account).toLowerCase())
    throw new AppError("invalid_request", { fields: { typed: "does not match" } });
  const { id } = await receivePrivacyRequest(ctx, tenant.shop, tenant, {
    kind: "customer_redact",
    deliveryId: `merchant-${ctx.random.uuid()}`,
    raw: Buffer.alloc(0),
    subject,
    externalId: null,
    triggeredAt: null,
  });
  ctx.log.done("customer.erasure_asked", {
    shop: tenant.shop,
    user_id: userId,
    request_id: id,
    asked_by: "merchant",
  });
  return { requestId: id };
}
