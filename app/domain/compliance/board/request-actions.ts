// A merchant's actions on privacy requests: retry now, download the export, mark it as handed over,
// and request an export or an erasure for an address manually.
import { z } from "zod";
import type { Ctx } from "../../../context.server.ts";
import type { Columns, PrivacyRequest } from "../../../db.server.ts";
import { AppError } from "../../../runtime/errors.ts";
import { normaliseEmail } from "../../customers/customer-change.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { createExportLink, peopleOfExport, readExport } from "../export/export-link.ts";
import { findPeople } from "../find-people.ts";
import { requireConfirmation } from "../requests/merchant-requests.ts";
import { PRIVACY_NOTIFICATION, sealEvidence } from "../requests/privacy-requests.ts";
import { receivePrivacyRequest } from "../requests/receive-request.ts";
import type { Step } from "../requests/request-steps.ts";

export const RequestId = z.object({ id: z.int().positive().max(999_999_999) });
const email = z.string().trim().max(320).pipe(z.email());
export const CustomerAddress = z.object({ email });
/** `typed`: the confirmation of an erasure, the address once more. */
export const ManualRequest = z.object({
  kind: z.enum(["data_request", "customer_redact"]),
  email,
  typed: z.string().max(400).default(""),
});

/**
 * Retries now; a failed request starts again. Throws `conflict` for a request that is worked on or
 * finished, and `not_found` for one that cannot be retried.
 */
export async function retryRequest(ctx: Ctx, tenant: Tenant, id: number): Promise<void> {
  const rows = await dataOf(ctx, tenant).sql(
    `WITH again AS (
       UPDATE privacy_requests SET state = 'received', next_attempt_at = clock_timestamp()
         WHERE shop = $1 AND id = $2 AND state IN ('received', 'failed') AND payload <> '{}' RETURNING id
     ) SELECT id, pg_notify('${PRIVACY_NOTIFICATION}', '') FROM again`,
    [id],
  );
  if (rows.length === 0) throw await refusalOf(ctx, tenant, id, ["running", "done", "retained"]);
  ctx.log.info("privacy_request.retried", { shop: tenant.shop, request_id: id });
}

/**
 * Why nothing was changed: the page is older than the request's state, which the error has as its
 * field `state`.
 */
async function refusalOf(
  ctx: Ctx,
  tenant: Tenant,
  id: number,
  reached: readonly string[],
): Promise<AppError> {
  const request = await dataOf(ctx, tenant).prisma.privacyRequest.findFirst({
    select: { state: true },
    where: { id, state: { in: [...reached] } },
  });
  return request
    ? new AppError("conflict", { fields: { state: request.state } })
    : new AppError("not_found");
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
 * records it, and its digest covers it. Throws `conflict` for a request that is done already.
 */
export async function markHandedOver(ctx: Ctx, tenant: Tenant, id: number): Promise<void> {
  const isMarked = await dataOf(ctx, tenant).transaction(async (sql, prisma) => {
    const [row] = await sql<
      Columns<PrivacyRequest, "evidence" | "steps"> & {
        evidence: Record<string, unknown>;
        steps: Record<string, Step>;
      }
    >(
      `SELECT evidence, steps FROM privacy_requests WHERE shop = $1 AND id = $2 AND kind = 'data_request'
        AND state = 'failed' AND evidence ? 'archive' FOR UPDATE`,
      [id],
    );
    if (!row) return false;
    const { sha256: _before, ...known } = row.evidence;
    const at = ctx.clock.now().toISOString();
    const evidence = { ...known, handed_over_at: at };
    const mail: Step = { at, outcome: "handed_over", count: 0 };
    await prisma.privacyRequest.updateMany({
      where: { id },
      data: {
        state: "done",
        last_error: null,
        steps: { ...row.steps, mail },
        evidence: sealEvidence(evidence),
      },
    });
    return true;
  });
  if (!isMarked) throw await refusalOf(ctx, tenant, id, ["done", "retained"]);
  ctx.log.info("privacy_request.handed_over", { shop: tenant.shop, request_id: id });
}

/** Whether a customer of the store has the address. */
export async function isCustomerAddress(
  ctx: Ctx,
  tenant: Tenant,
  { email }: z.output<typeof CustomerAddress>,
): Promise<{ isKnown: boolean }> {
  const subject = { email: normaliseEmail(email) };
  const people = await findPeople(ctx, tenant, dataOf(ctx, tenant).sql, subject);
  return { isKnown: people.length > 0 };
}

/**
 * The same row, work and due date as a request of the storefront; `userIds`: whom it is about.
 * Throws `invalid_request` for an erasure that is not confirmed.
 */
export async function requestByHand(
  ctx: Ctx,
  tenant: Tenant,
  { kind, email, typed }: z.output<typeof ManualRequest>,
): Promise<{ id: number; userIds: number[] }> {
  if (kind === "customer_redact") requireConfirmation(typed, email);
  const subject = { email: normaliseEmail(email) };
  // Found now: an erasure may be done before the next statement.
  const people = await findPeople(ctx, tenant, dataOf(ctx, tenant).sql, subject);
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
