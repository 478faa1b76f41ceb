// Registers the webhooks of stores in the background, and reads their primary domain. The page that connects
// a store only asks for it: a dozen calls to the platform would hold up its first paint.
import type { Ctx } from "../../../context.server.ts";
import type { WorkQueue } from "../../../runtime/database/queue/work-queue.ts";
import { isConnected } from "../store-access.ts";
import { startRequestWorker, trySettle } from "../store-requests.ts";
import { findTenant } from "../tenant.ts";
import { readPrimaryDomain } from "./primary-domain.ts";
import { registerWebhooks, registrationRequests } from "./webhook-registration.ts";

const CONCURRENCY = 2;
const RETRY_MS = 30_000;

export function startRegistrationWorker(ctx: Ctx): Promise<WorkQueue> {
  return startRequestWorker(ctx, {
    name: "webhook_registrations",
    requests: registrationRequests,
    concurrency: CONCURRENCY,
    retryMs: RETRY_MS,
    work: (shop) => isRegistered(ctx, shop),
  });
}

/** A store that is not connected any more needs no webhooks, and asks again when it is. */
async function isRegistered(ctx: Ctx, shop: string): Promise<boolean> {
  const tenant = await findTenant(ctx, shop);
  if (!tenant || !isConnected(tenant)) return true;
  return trySettle(ctx, shop, "webhooks.not_registered", async () => {
    await readPrimaryDomain(ctx, shop);
    await registerWebhooks(ctx, shop);
    return "registered";
  });
}
