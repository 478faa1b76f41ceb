/**
 * The sandbox storefront: one shop per path prefix, each with its own tokens, customers and webhook
 * subscriptions.
 */
import type { Saving } from "../state-file.ts";
import { createStorefrontControls } from "./controls/controls.ts";
import { FILE_DEFAULTS } from "./files.ts";
import type { CostBucket } from "./graphql/admin-api.ts";
import { createBulkDesk } from "./graphql/bulk-operations.ts";
import { createRequestHandler } from "./request-handler.ts";
import { mintCustomerToken, mintSessionToken } from "./session-token.ts";
import {
  newShop,
  primaryHostOf,
  SHOP_DOMAIN,
  storeOfFirstHost,
  STOREFRONT_DEFAULTS,
} from "./state.ts";
import type { ShopState, StorefrontSettings, StorefrontState } from "./state.ts";
import { listExtensions } from "./theme/theme-state.ts";

export type SandboxApp = {
  url: () => string;
  clientId: string;
  clientSecret: string;
  handle: string;
};

export function createStorefront(
  state: StorefrontState,
  saving: Saving,
  app: SandboxApp,
  overrides: Partial<StorefrontSettings> = {},
) {
  const settings: StorefrontSettings = { ...structuredClone(STOREFRONT_DEFAULTS), ...overrides };
  const bulk = createBulkDesk({ runningPolls: 1, failWith: null, hasExpired: false });
  const files = { ...FILE_DEFAULTS };
  const buckets = new Map<string, CostBucket>();
  addMissingMetafields(state);

  const ensureShop = (domain: string): ShopState => {
    if (!SHOP_DOMAIN.test(domain)) throw new Error(`${domain} is not a store domain`);
    return (state.shops[domain] ??= newShop(domain, Object.keys(state.shops).length));
  };
  const bucketOf = (domain: string): CostBucket => {
    const bucket = buckets.get(domain) ?? {
      available: settings.graphqlCost.maximumAvailable,
      at: Date.now(),
    };
    buckets.set(domain, bucket);
    return bucket;
  };
  const controls = createStorefrontControls({ state, saving, app, settings, ensureShop, bucketOf });
  const handle = createRequestHandler({
    state,
    saving,
    app,
    settings,
    bulk,
    files,
    ensureShop,
    bucketOf,
    saveCustomer: (domain, patch) => controls.saveCustomer(domain, patch),
  });

  return {
    ...controls,
    bulk: bulk.settings,
    files,
    ensureShop,
    handle,
    settings,
    shops: (): string[] => Object.keys(state.shops),
    extensions: (domain: string): object[] => listExtensions(ensureShop(domain)),
    shopAtPrimaryHost(host: string): ShopState | undefined {
      const found = Object.values(state.shops).find((shop) => primaryHostOf(shop) === host);
      const domain = storeOfFirstHost(host);
      // As every store, it exists once it is asked for; but not at a domain that it left.
      return found ?? (domain && !state.shops[domain] ? ensureShop(domain) : undefined);
    },
    sessionToken: (domain: string): Promise<string> =>
      mintSessionToken(ensureShop(domain).domain, app),
    /** A token of a customer who is signed in at the store's customer accounts. */
    customerSessionToken: (domain: string, customerGid: string): Promise<string> =>
      mintCustomerToken(ensureShop(domain).domain, customerGid, app),
  };
}

/** Customers in a state file from before metafields have none. */
function addMissingMetafields(state: StorefrontState): void {
  for (const shop of Object.values(state.shops))
    for (const customer of Object.values(shop.customers)) customer.metafields ??= [];
}
