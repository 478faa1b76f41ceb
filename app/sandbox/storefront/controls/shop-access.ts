/** What every control works with: the shops, their saving, and their webhooks. */
import type { Saving } from "../../state-file.ts";
import type { CostBucket } from "../graphql/admin-api.ts";
import type { ShopState, StorefrontSettings, StorefrontState } from "../state.ts";
import type { createWebhookSender } from "../webhooks/sender.ts";

export type ShopAccess = {
  state: StorefrontState;
  saving: Saving;
  settings: StorefrontSettings;
  /** Throws for a shop that does not exist. */
  getShop: (domain: string) => ShopState;
  ensureShop: (domain: string) => ShopState;
  bucketOf: (domain: string) => CostBucket;
  webhooks: ReturnType<typeof createWebhookSender>;
};
