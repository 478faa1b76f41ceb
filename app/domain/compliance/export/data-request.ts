// customers/data_request: writes a person's stored data to the archive as one JSON document, and
// mails a link to the merchant, who forwards it (shopify.dev: "provide this data to the store owner
// directly"). The request is done when a mail was delivered, not when it was queued.
import type { Ctx } from "../../../context.server.ts";
import { isChannelEnabled } from "../../bus/channel.ts";
import { enqueue } from "../../bus/enqueue.ts";
import { findMerchantRecipients } from "../../mails/merchant-recipients.ts";
import type { TenantSql } from "../../../runtime/database/database.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { exportPath } from "./export-link.ts";
import { compileExport } from "./compile-export.ts";
import {
  finishPrivacyRequest,
  openSubject,
  Reschedule,
  savePeople,
  saveQueuedMails,
  sealEvidence,
  type PrivacyRequest,
} from "../requests/privacy-requests.ts";
import { recordSteps } from "../requests/request-steps.ts";
import type { Subject } from "../subject.ts";

const MIN_MAIL_WAIT_MS = 500;
const MAX_MAIL_WAIT_MS = 300_000;

const MAIL_REFUSED = "mail_refused";

/** The evidence while the mails are on their way: no personal data. */
type QueuedMails = { recipients: string; event_ids: string[] };

/** Throws Reschedule while a mail waits for its delivery. */
export async function answerDataRequest(
  ctx: Ctx,
  tenant: Tenant,
  request: PrivacyRequest,
): Promise<void> {
  if (request.steps.mail?.outcome === "queued") return settleMails(ctx, tenant, request);
  const isQueued = await exportAndMail(ctx, tenant, request);
  if (isQueued) throw new Reschedule(MIN_MAIL_WAIT_MS);
}

/** Returns whether mails were queued; without a recipient the request has failed. */
async function exportAndMail(ctx: Ctx, tenant: Tenant, request: PrivacyRequest): Promise<boolean> {
  const subject = openSubject<Subject>(ctx, request) ?? {};
  const { document, counts, userIds } = await compileExport(ctx, tenant, request, subject);
  const { sql } = dataOf(ctx, tenant);
  await savePeople(sql, request, userIds);
  await recordSteps(ctx, sql, request, {
    tables: {
      outcome: userIds.length > 0 ? "exported" : "nothing_found",
      count: Object.values(counts).reduce((sum, rows) => sum + rows, 0),
    },
  });
  const path = exportPath(tenant.shop, request.id);
  const archive = ctx.archive.ofStore(tenant.shop);
  await archive.put(path, JSON.stringify(document, null, 2), "application/json");
  await recordSteps(ctx, sql, request, { archive: { outcome: "stored", count: 1 } });
  const { addresses, found } = await findMerchantRecipients(ctx, tenant, "privacy_emails");
  const canMail = isChannelEnabled(ctx, tenant, "email");
  const evidence = { exported: counts, archive: archive.pathOf(path) };
  const problem = findMailProblem(canMail, addresses);
  // One transaction for the row and the mails: otherwise a mail could be sent twice or never.
  await dataOf(ctx, tenant).transaction(async (tx) => {
    if (problem !== null) {
      await recordSteps(ctx, tx, request, { mail: { outcome: "not_mailed" } });
      return finishPrivacyRequest(tx, request, {
        state: "failed",
        evidence: { ...evidence, mailed: canMail ? found : "nobody" },
        error: problem,
      });
    }
    const mails: QueuedMails = { recipients: found, event_ids: [] };
    for (const address of addresses)
      mails.event_ids.push(await enqueueMail(ctx, tenant, tx, request, address));
    await recordSteps(ctx, tx, request, {
      mail: { outcome: "queued", count: addresses.length },
    });
    await saveQueuedMails(tx, request, { ...evidence, mails });
  });
  return problem === null;
}

/** Why the merchant cannot be mailed; null when they can. */
function findMailProblem(canMail: boolean, addresses: readonly string[]): string | null {
  if (!canMail) return "no_email_provider";
  return addresses.length === 0 ? "no_recipient" : null;
}

/** Enqueues the mail with the link to one address. Returns the id of its event. */
async function enqueueMail(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  request: PrivacyRequest,
  address: string,
): Promise<string> {
  const eventId = ctx.random.uuid();
  await enqueue(sql, {
    eventId,
    source: "backend",
    eventType: "mail.data_export",
    entityType: "privacy_request",
    entityId: String(request.id),
    payload: {
      template: "data_export",
      request_id: request.id,
      sealed_to: ctx.secrets.seal(`${tenant.shop}/mail`, address),
      language: tenant.config.locale,
    },
    occurredAt: ctx.clock.now(),
    destinations: ["email"],
    priority: 2,
  });
  return eventId;
}

/**
 * Finishes the request when every mail is delivered or dead: one that was delivered is enough.
 * Throws Reschedule before that.
 */
async function settleMails(ctx: Ctx, tenant: Tenant, request: PrivacyRequest): Promise<void> {
  const { mails, ...evidence } = request.evidence as { mails: QueuedMails };
  const { waiting, delivered } = await countMails(ctx, tenant, mails);
  if (waiting > 0) throw new Reschedule(waitOf(ctx, request));
  await dataOf(ctx, tenant).transaction(async (tx) => {
    if (delivered === 0) {
      await recordSteps(ctx, tx, request, { mail: { outcome: "not_mailed" } });
      return finishPrivacyRequest(tx, request, {
        state: "failed",
        evidence: { ...evidence, mails, mailed: "nobody" },
        error: MAIL_REFUSED,
      });
    }
    await recordSteps(ctx, tx, request, { mail: { outcome: "mailed", count: delivered } });
    return finishPrivacyRequest(tx, request, {
      state: "done",
      evidence: { ...evidence, mailed: mails.recipients },
    });
  });
}

async function countMails(ctx: Ctx, tenant: Tenant, { event_ids: ids }: QueuedMails) {
  const rows = await dataOf(ctx, tenant).prisma.integrationQueue.findMany({
    select: { status: true },
    where: { event_id: { in: ids } },
  });
  const dead = rows.filter(({ status }) => status === "dead_letter").length;
  const waiting = rows.filter(({ status }) => status !== "delivered").length - dead;
  // Only delivered rows are ever removed from the queue.
  return { waiting, delivered: ids.length - waiting - dead };
}

/**
 * Finishes the requests whose refused mail was delivered after all, by a replay or the sweep of the dead letters,
 * once none of its mails waits: the proof has the number of all. Returns how many.
 */
export async function finishMailedLate(ctx: Ctx, tenant: Tenant): Promise<number> {
  const { prisma } = dataOf(ctx, tenant);
  const refused = { state: "failed", last_error: MAIL_REFUSED, kind: "data_request" };
  const requests = await prisma.privacyRequest.findMany({
    select: { id: true, evidence: true, steps: true },
    where: refused,
    orderBy: { id: "asc" },
  });
  let finished = 0;
  for (const { id, evidence: stored, steps } of requests) {
    const { mails, sha256: _, ...evidence } = stored as { mails: QueuedMails; sha256: string };
    const { waiting, delivered } = await countMails(ctx, tenant, mails);
    if (waiting > 0 || delivered === 0) continue;
    const at = ctx.clock.now();
    const mail = { at: at.toISOString(), outcome: "mailed", count: delivered };
    const { count } = await prisma.privacyRequest.updateMany({
      where: { id, ...refused },
      data: {
        state: "done",
        last_error: null,
        completed_at: at,
        steps: { ...(steps as object), mail },
        evidence: sealEvidence({ ...evidence, mailed: mails.recipients }),
      },
    });
    finished += count;
  }
  return finished;
}

/** As long again as the mails have waited: soon at first, rarely during an outage. */
function waitOf(ctx: Ctx, { steps }: PrivacyRequest): number {
  const queuedAt = Date.parse(steps.mail?.at ?? "");
  const waitedMs = ctx.clock.now().getTime() - queuedAt;
  return Math.min(Math.max(waitedMs, MIN_MAIL_WAIT_MS), MAX_MAIL_WAIT_MS);
}
