// Registers the web pixels of stores in the background: when a store is connected, and when it grants the
// scopes. The scheduled run brings all other stores in line.
import type { Ctx } from "../../../../context.server.ts";
import { PLATFORM_KEYS } from "../../../../runtime/database/kv-keys.ts";
import type { WorkQueue } from "../../../../runtime/database/queue/work-queue.ts";
import { startRequestWorker, storeRequests, trySettle } from "../../store-requests.ts";
import { findTenant } from "../../tenant.ts";
import { isPixelOutdated, writeWebPixel } from "./web-pixel.ts";

const CONCURRENCY = 2;
const RETRY_MS = 30_000;

const pixelRequests = storeRequests(PLATFORM_KEYS.pixelRequest);

/** Nothing is requested when the pixel is written already, or when the store does not allow one. */
export async function requestWebPixel(ctx: Ctx, shop: string): Promise<void> {
  const tenant = await findTenant(ctx, shop);
  if (tenant && isPixelOutdated(ctx, tenant)) await pixelRequests.add(ctx, shop);
}

export function startWebPixelWorker(ctx: Ctx): Promise<WorkQueue> {
  return startRequestWorker(ctx, {
    name: "web_pixels",
    requests: pixelRequests,
    concurrency: CONCURRENCY,
    retryMs: RETRY_MS,
    work: (shop) => trySettle(ctx, shop, "web_pixel.not_written", writeWebPixel),
  });
}
