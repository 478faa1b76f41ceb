// Works the webhook inbox of one region.
import type { Ctx } from "../../context.server.ts";
import { isDatabaseAway, type Database } from "../../runtime/database.ts";
import { settleWaiting } from "../bus/waiting-rows.ts";
import { findTenant } from "../tenants/tenant.ts";
import { handleWebhook, type WebhookFollowers } from "./storefront-webhooks.ts";
import {
  claimWebhooks,
  finishWebhook,
  INBOX_LEASE_SECONDS,
  INBOX_NOTIFICATION,
  postponeWebhook,
  releaseWebhooks,
  renewWebhookLeases,
  type InboxItem,
} from "./webhook-inbox.ts";

const PLACES = 16;
const RENEW_MS = (INBOX_LEASE_SECONDS * 1_000) / 3;

export async function startInboxWorker(
  ctx: Ctx,
  database: Database,
  followers: WebhookFollowers = {},
): Promise<{ stop(): Promise<void> }> {
  const inFlight = new Map<InboxItem, Promise<void>>();
  let claiming: Promise<void> | null = null;
  let isWanted = false;
  let isFailing = false;
  let stopping = false;

  async function work(item: InboxItem): Promise<void> {
    const started = performance.now();
    const about = { shop: item.shop, topic: item.topic, delivery_id: item.deliveryId };
    try {
      const tenant = await findTenant(ctx, item.shop);
      const outcome = tenant ? await handleWebhook(ctx, tenant, item, followers) : "ignored";
      if (item.eventId)
        await settleWaiting(
          database.forTenant(item.shop).sql,
          item.eventId,
          `nothing to deliver: ${outcome}`,
        );
      await finishWebhook(database, item);
      ctx.log.done("webhook.handled", {
        ...about,
        outcome,
        ms: Math.round(performance.now() - started),
      });
    } catch (error) {
      // Without the database the row cannot even be postponed: its lease runs out and it comes back.
      if (isDatabaseAway(error)) return;
      const state = await postponeWebhook(database, item, (error as Error).message).catch(
        () => "pending" as const,
      );
      if (state === "failed") ctx.log.failed("webhook.given_up", error, about);
      else ctx.log.troubled("webhook.postponed", { ...about, reason: (error as Error).message });
    } finally {
      inFlight.delete(item);
      fill();
    }
  }

  function fill(): void {
    isWanted = true;
    if (!stopping && !claiming && inFlight.size < PLACES) claiming = claimWanted();
  }

  async function claimWanted(): Promise<void> {
    try {
      while (isWanted && !stopping && inFlight.size < PLACES) {
        isWanted = false;
        const free = PLACES - inFlight.size;
        const items = await claimWebhooks(database, free);
        isFailing = false;
        if (stopping) {
          await releaseWebhooks(database, items);
          break;
        }
        for (const item of items) inFlight.set(item, work(item));
        if (items.length >= free) isWanted = true;
      }
    } catch (error) {
      // Told once, not at every poll: a region that is not provisioned yet has no inbox.
      if (!isDatabaseAway(error) && !isFailing)
        ctx.log.failed("webhooks.not_claimed", error, { region: database.region });
      isFailing = true;
    } finally {
      claiming = null;
    }
  }

  const listener = await database.listen(INBOX_NOTIFICATION, fill);
  const poll = setInterval(fill, ctx.config.WORKER_POLL_MS);
  const renew = setInterval(() => {
    if (inFlight.size > 0)
      renewWebhookLeases(database, [...inFlight.keys()]).catch((error: Error) =>
        ctx.log.troubled("leases.not_renewed", { reason: error.message }),
      );
  }, RENEW_MS);
  fill();
  return {
    async stop() {
      stopping = true;
      clearInterval(poll);
      await listener.stop();
      await claiming;
      await Promise.all(inFlight.values());
      clearInterval(renew);
    },
  };
}
