// One mail to the store before the legal deadline of privacy requests that are not done. It names how
// many there are: a system that is away holds up all of them at once.
import type { Ctx } from "../../../context.server.ts";
import { compareAndSetKey, findKey, putKeyIfAbsent } from "../../../runtime/database/kv.ts";
import { KEYS } from "../../../runtime/database/kv-keys.ts";
import { isChannelEnabled } from "../../bus/channel.ts";
import { enqueue } from "../../bus/enqueue.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";

const NOTICE_MS = 7 * 86_400_000;

/** ISO 8601: no later deadline has been mailed yet. */
type Mailed = { until: string };

/**
 * Mails what came within the notice since the last mail, so that every request is mailed once. Returns how
 * many requests the mail is about.
 */
export async function mailDueRequests(ctx: Ctx, tenant: Tenant): Promise<number> {
  if (!isChannelEnabled(ctx, tenant, "email")) return 0;
  return dataOf(ctx, tenant).transaction(async (sql, prisma) => {
    const now = ctx.clock.now();
    const until = new Date(now.getTime() + NOTICE_MS);
    const mailed = await findKey<Mailed>(sql, KEYS.dueRequestsMailed);
    const from = Math.max(now.getTime(), Date.parse(mailed?.value.until ?? "") || 0);
    const { _count: requests, _min: first } = await prisma.privacyRequest.aggregate({
      _count: true,
      _min: { due_by: true },
      where: {
        state: { in: ["received", "running", "failed"] },
        due_by: { gt: new Date(from), lte: until },
      },
    });
    if (first.due_by === null) return 0;
    const key = KEYS.dueRequestsMailed;
    const value: Mailed = { until: until.toISOString() };
    const isFirst = mailed
      ? await compareAndSetKey(sql, key, mailed.version, value)
      : await putKeyIfAbsent(sql, key, value);
    // Another run mails these.
    if (!isFirst) return 0;
    await enqueue(sql, {
      eventId: ctx.random.uuid(),
      source: "backend",
      eventType: "mail.privacy_due",
      entityType: "store",
      entityId: tenant.shop,
      payload: { template: "privacy_due", due: { requests, by: first.due_by.toISOString() } },
      occurredAt: now,
      destinations: ["email"],
      priority: 2,
    });
    return requests;
  });
}
