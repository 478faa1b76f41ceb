/**
 * The sandbox storefront: one shop per path prefix, each with its own tokens, customers and webhook
 * subscriptions.
 */
import { fieldsOf, json, redirect, text } from "../exchange.ts";
import type { Call, ApiResponse } from "../exchange.ts";
import type { Saving } from "../state-file.ts";
import { answerAdmin } from "./admin/admin.ts";
import { authorize } from "./authorize.ts";
import { createBulkDesk } from "./graphql/bulk-operations.ts";
import { closedAnswer } from "./closed-store.ts";
import { answerCartApi } from "./checkout/cart-api.ts";
import { createStorefrontControls } from "./controls/controls.ts";
import { FILE_DEFAULTS, showFile, takeUpload } from "./files.ts";
import type { CostBucket } from "./graphql/admin-api.ts";
import { createApiEndpoint } from "./graphql/api-endpoint.ts";
import { mintCustomerToken, mintSessionToken } from "./session-token.ts";
import { newShop, primaryHostOf, storeOfFirstHost, STOREFRONT_DEFAULTS } from "./state.ts";
import type { ShopState, StorefrontSettings, StorefrontState } from "./state.ts";
import { listExtensions } from "./theme/theme-state.ts";
import { answerTokenRequest } from "./tokens.ts";
import { keepOut, passwordPage } from "./visitors/visitor-access.ts";

export type SandboxApp = {
  url: () => string;
  clientId: string;
  clientSecret: string;
  handle: string;
};

export const SHOP_DOMAIN = /^[a-z0-9][a-z0-9-]*\.myshopify\.com$/;
const STORE_PAGES = /^\/(?:products|collections|pages|policies|cart)(?:\/[\w-]+)?$/;

export function createStorefront(
  state: StorefrontState,
  saving: Saving,
  app: SandboxApp,
  overrides: Partial<StorefrontSettings> = {},
) {
  const settings: StorefrontSettings = { ...structuredClone(STOREFRONT_DEFAULTS), ...overrides };
  const bulk = createBulkDesk({ runningPolls: 1, failWith: null });
  const files = { ...FILE_DEFAULTS };
  const buckets = new Map<string, CostBucket>();
  // Customers in a state file from before metafields have none.
  for (const shop of Object.values(state.shops))
    for (const customer of Object.values(shop.customers)) customer.metafields ??= [];

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
  const answerApi = createApiEndpoint({
    settings,
    bulk,
    files,
    bucketOf,
    saveCustomer: (domain, patch) => controls.saveCustomer(domain, patch),
    changed: () => saving.soon(),
  });

  const handle = async (call: Call): Promise<ApiResponse> => {
    const [, domain = "", ...rest] = call.path.split("/");
    const path = `/${rest.join("/")}`;
    if (!SHOP_DOMAIN.test(domain)) return text(404, "There is no store here");
    const credentials = { ...app, url: app.url() };

    if (path === "/admin/oauth/authorize" && call.method === "GET") {
      const reply = authorize(ensureShop(domain), call, credentials, settings.autoApprove);
      saving.now();
      return reply;
    }
    const shop = state.shops[domain];
    if (!shop) return json(404, { errors: "Not Found" });
    const closed = closedAnswer(shop, path);
    if (closed) return closed;
    if (path === "/admin/oauth/access_token") {
      if (call.method !== "POST") return json(404, { errors: "Not Found" });
      const reply = await answerTokenRequest(shop, fieldsOf(call.body), app, settings);
      // Before the response: the app stores the pair, so a restarted sandbox must know it too.
      saving.now();
      return reply;
    }
    const admin = answerAdmin(path, {
      shop,
      app: credentials,
      call,
      saveCustomer: (patch) => controls.saveCustomer(domain, patch),
      changed: () => saving.soon(),
    });
    if (admin !== null) return admin;
    return (
      (await answerFile(shop, path, call)) ??
      (await answerVisitor(shop, path, call)) ??
      answerApi(shop, path, call)
    );
  };

  /** The files of bulk operations and uploads; null for another path. */
  const answerFile = async (
    shop: ShopState,
    path: string,
    call: Call,
  ): Promise<ApiResponse | null> => {
    const bulkFile = /^\/bulk\/([\w-]+)\.jsonl$/.exec(path)?.[1];
    if (bulkFile) {
      const lines = bulk.file(shop.domain, bulkFile);
      return lines === null ? text(404, "No such file") : text(200, lines);
    }
    if (path === "/staged-uploads" && call.method === "POST") {
      const reply = await takeUpload(shop, call);
      saving.soon();
      return reply;
    }
    const upload = /^\/files\/([\w.-]+)$/.exec(path)?.[1];
    return upload ? showFile(shop, upload) : null;
  };

  /** The cart's API and the store's pages; null for another path. */
  const answerVisitor = async (
    shop: ShopState,
    path: string,
    call: Call,
  ): Promise<ApiResponse | null> => {
    if (/^\/api\/[\w-]+\/graphql\.json$/.test(path) && call.method === "POST")
      return answerCartApi(shop, call.body, () => saving.soon());
    if (path === "/password") return passwordPage(shop);
    // A visitor is led to the store's primary domain, which is the theme's page here.
    if (path === "/") return (await keepOut(shop)) ?? redirect(`/store/${shop.domain}`, 301);
    if (STORE_PAGES.test(path) && call.method === "GET")
      return (await keepOut(shop)) ?? redirect(`/store/${shop.domain}${path}`, 301);
    return null;
  };

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
