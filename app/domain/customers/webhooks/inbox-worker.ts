// Runs the webhook inbox of one region.
import type { Ctx } from "../../../context.server.ts";
import type { Database } from "../../../runtime/database/database.ts";
import { isDatabaseAway } from "../../../runtime/database/postgres-errors.ts";
import { LeaseLost } from "../../../runtime/database/queue/lease.ts";
import { startWorkQueue, type WorkQueue } from "../../../runtime/database/queue/work-queue.ts";
import { inSpan, SpanKind } from "../../../runtime/telemetry/tracing.ts";
import { settlePlaceholders } from "../../bus/placeholder-rows.ts";
import { findTenant } from "../../tenants/tenant.ts";
import { handleWebhook } from "./storefront-webhooks.ts";
import { ignored, type WebhookFollowers } from "./webhook.ts";
import {
  claimWebhooks,
  finishWebhook,
  INBOX_CONCURRENCY,
  INBOX_LEASE_SECONDS,
  INBOX_NOTIFICATION,
  postponeWebhook,
  releaseWebhooks,
  renewWebhookLeases,
  type InboxItem,
} from "./webhook-inbox.ts";

const STOP_WAIT_MS = 25_000;

export function startInboxWorker(
  ctx: Ctx,
  database: Database,
  followers: WebhookFollowers = {},
): Promise<WorkQueue> {
  let lastShop = "";
  return startWorkQueue<InboxItem>({
    name: "webhook_inbox",
    database,
    notification: INBOX_NOTIFICATION,
    pollMs: ctx.config.WORKER_POLL_MS,
    leaseSeconds: INBOX_LEASE_SECONDS,
    concurrency: INBOX_CONCURRENCY,
    stopWaitMs: STOP_WAIT_MS,
    log: ctx.log,
    async claim(limit, inWork) {
      const turns = { lastShop, inWork: countByShop(inWork) };
      const items = await claimWebhooks(database, limit, turns);
      ({ lastShop } = turns);
      return items;
    },
    renew: (items) => renewWebhookLeases(database, items),
    release: (items) => releaseWebhooks(database, items),
    work: (item) =>
      inSpan(
        `webhook ${item.topic}`,
        {
          kind: SpanKind.CONSUMER,
          parent: item.traceParent,
          attributes: { "store.domain": item.shop, "messaging.message.id": item.deliveryId },
        },
        () => workOn(ctx, database, item, followers),
      ),
  });
}

function countByShop(items: Iterable<InboxItem>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { shop } of items) counts.set(shop, (counts.get(shop) ?? 0) + 1);
  return counts;
}

async function workOn(
  ctx: Ctx,
  database: Database,
  item: InboxItem,
  followers: WebhookFollowers,
): Promise<void> {
  const started = performance.now();
  const about = { shop: item.shop, topic: item.topic, delivery_id: item.deliveryId };
  try {
    const tenant = await findTenant(ctx, item.shop);
    const handled = tenant
      ? await handleWebhook(ctx, tenant, item, followers)
      : ignored("unknown_store");
    if (item.eventId)
      await settlePlaceholders(
        database.forTenant(item.shop).sql,
        item.eventId,
        `nothing to deliver: ${handled.outcome}`,
      );
    await finishWebhook(database, item);
    ctx.log.info("webhook.handled", {
      ...about,
      ...handled,
      ms: Math.round(performance.now() - started),
    });
  } catch (error) {
    // Without the database or the lease the row cannot be postponed: it returns when the lease expires.
    if (isDatabaseAway(error) || error instanceof LeaseLost) throw error;
    const state = await postponeWebhook(database, item, (error as Error).message);
    if (state === "failed") ctx.log.error("webhook.given_up", error, about);
    else ctx.log.warn("webhook.postponed", { ...about, reason: (error as Error).message });
  }
}
