// The mails of the account subject; they are sent through queue rows of the causing transaction.
import type { Ctx } from "../../context.server.ts";
import type { TenantSql } from "../../runtime/database/database.ts";
import { isChannelEnabled } from "../bus/channel.ts";
import { enqueue } from "../bus/enqueue.ts";
import type { MailTemplate } from "../mails/mail-texts.ts";
import type { Tenant } from "../tenants/tenant.ts";

/**
 * `sealedTo` has the encrypted address for an account being deleted; other mails go to the
 * account's address at the time of sending.
 */
export async function enqueueMail(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  mail: {
    template: MailTemplate;
    userId: number;
    provider?: string;
    sealedTo?: string;
    language?: string | null;
  },
): Promise<void> {
  if (!isChannelEnabled(ctx, tenant, "email")) return;
  await enqueue(sql, {
    eventId: ctx.random.orderedUuid(),
    source: "backend",
    eventType: `mail.${mail.template}`,
    entityType: "customer",
    entityId: String(mail.userId),
    payload: {
      user_id: mail.userId,
      template: mail.template,
      ...(mail.provider && { provider: mail.provider }),
      ...(mail.sealedTo && { sealed_to: mail.sealedTo, language: mail.language ?? null }),
    },
    occurredAt: ctx.clock.now(),
    destinations: ["email"],
    priority: 2,
  });
}
