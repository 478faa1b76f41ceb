// customers/data_request: writes a person's stored data to the archive as one JSON document, and
// mails a link to the merchant, who forwards it (shopify.dev: "provide this data to the store owner
// directly").
import type { Ctx } from "../../context.server.ts";
import { isChannelEnabled } from "../bus/channel.ts";
import { enqueue } from "../bus/enqueue.ts";
import { findMerchantRecipients } from "../mails/merchant-recipients.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { exportPath } from "./export-link.ts";
import { compileExport } from "./compile-export.ts";
import {
  finishPrivacyRequest,
  openSubject,
  savePeople,
  type PrivacyRequest,
} from "./privacy-requests.ts";
import { recordSteps, type StepResult } from "./request-steps.ts";
import type { Subject } from "./subject.ts";

export async function answerDataRequest(
  ctx: Ctx,
  tenant: Tenant,
  request: PrivacyRequest,
): Promise<void> {
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
  const evidence = {
    exported: counts,
    archive: archive.pathOf(path),
    mailed: canMail ? found : "nobody",
  };
  // One transaction for the settlement and the mails: otherwise the mail could be sent twice or never.
  await dataOf(ctx, tenant).transaction(async (tx) => {
    const isMailed = canMail && addresses.length > 0;
    const mail: StepResult = isMailed
      ? { outcome: "mailed", count: addresses.length }
      : { outcome: "not_mailed" };
    await recordSteps(ctx, tx, request, { mail });
    if (!canMail) return finishPrivacyRequest(tx, request, "failed", evidence, "no_email_provider");
    if (addresses.length === 0)
      return finishPrivacyRequest(tx, request, "failed", evidence, "no_recipient");
    for (const address of addresses)
      await enqueue(tx, {
        eventId: ctx.random.uuid(),
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
    await finishPrivacyRequest(tx, request, "done", evidence);
  });
}
