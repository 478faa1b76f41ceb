/**
 * Requests below /storefront/{shop}: which part of the store answers which path. Each part answers null for
 * the paths of others.
 */
import { fieldsOf, json, redirect, text } from "../exchange.ts";
import type { ApiResponse, Call, Handler } from "../exchange.ts";
import type { Saving } from "../state-file.ts";
import { answerAdmin } from "./admin/admin.ts";
import { authorize } from "./authorize.ts";
import { answerCartApi } from "./checkout/cart-api.ts";
import { closedAnswer } from "./closed-store.ts";
import type { CustomerPatch } from "./customers.ts";
import { showFile, takeUpload, type FileSettings } from "./files.ts";
import type { CostBucket } from "./graphql/admin-api.ts";
import { createApiEndpoint } from "./graphql/api-endpoint.ts";
import type { BulkDesk } from "./graphql/bulk-operations.ts";
import {
  SHOP_DOMAIN,
  type Customer,
  type ShopState,
  type StorefrontSettings,
  type StorefrontState,
} from "./state.ts";
import type { SandboxApp } from "./storefront.ts";
import { answerTokenRequest } from "./tokens.ts";
import { keepOut, passwordPage } from "./visitors/visitor-access.ts";

const STORE_PAGES = /^\/(?:products|collections|pages|policies|cart)(?:\/[\w-]+)?$/;
const CART_API = /^\/api\/[\w-]+\/graphql\.json$/;

type StoreParts = {
  state: StorefrontState;
  saving: Saving;
  app: SandboxApp;
  settings: StorefrontSettings;
  bulk: BulkDesk;
  files: FileSettings;
  ensureShop(domain: string): ShopState;
  bucketOf(domain: string): CostBucket;
  /** Saves the customer and sends the webhooks of the change. */
  saveCustomer(domain: string, patch: CustomerPatch): Customer;
};

/** A request to a store that exists; `path` is the one inside the store. */
type StoreVisit = { shop: ShopState; path: string; call: Call };
type Answer = ApiResponse | null;

export function createRequestHandler(parts: StoreParts): Handler {
  const answerApi = createApiEndpoint({ ...parts, changed: () => parts.saving.soon() });

  return async (call) => {
    const [, domain = "", ...rest] = call.path.split("/");
    const path = `/${rest.join("/")}`;
    if (!SHOP_DOMAIN.test(domain)) return text(404, "There is no store here");
    // The grant screen makes the store; every other request needs one.
    if (path === "/admin/oauth/authorize" && call.method === "GET")
      return showGrantScreen(parts, domain, call);
    const shop = parts.state.shops[domain];
    if (!shop) return json(404, { errors: "Not Found" });
    const visit = { shop, path, call };
    return (
      closedAnswer(shop, path) ??
      (await answerTokenEndpoint(parts, visit)) ??
      (await answerAdminPage(parts, visit)) ??
      (await answerFile(parts, visit)) ??
      (await answerVisitor(parts, visit)) ??
      answerApi(shop, path, call)
    );
  };
}

function showGrantScreen(
  { app, saving, settings, ensureShop }: StoreParts,
  domain: string,
  call: Call,
): ApiResponse {
  const credentials = { ...app, url: app.url() };
  const reply = authorize(ensureShop(domain), call, credentials, settings.autoApprove);
  saving.now();
  return reply;
}

async function answerTokenEndpoint(
  { app, saving, settings }: StoreParts,
  { shop, path, call }: StoreVisit,
): Promise<Answer> {
  if (path !== "/admin/oauth/access_token") return null;
  if (call.method !== "POST") return json(404, { errors: "Not Found" });
  const reply = await answerTokenRequest(shop, fieldsOf(call.body), app, settings);
  // Before the response: the app stores the pair, so a restarted sandbox must know it too.
  saving.now();
  return reply;
}

const answerAdminPage = (
  { app, saving, saveCustomer }: StoreParts,
  { shop, path, call }: StoreVisit,
): Answer | Promise<ApiResponse> =>
  answerAdmin(path, {
    shop,
    app: { ...app, url: app.url() },
    call,
    saveCustomer: (patch) => saveCustomer(shop.domain, patch),
    changed: () => saving.soon(),
  });

/** The files of bulk operations and uploads. */
async function answerFile(
  { bulk, saving }: StoreParts,
  { shop, path, call }: StoreVisit,
): Promise<Answer> {
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
}

/** The cart's API, and the way to the store's pages. */
async function answerVisitor(
  { saving }: StoreParts,
  { shop, path, call }: StoreVisit,
): Promise<Answer> {
  if (CART_API.test(path) && call.method === "POST")
    return answerCartApi(shop, call.body, () => saving.soon());
  if (path === "/password") return passwordPage(shop);
  // A visitor is led to the store's primary domain, which is the theme's page here.
  if (path === "/") return (await keepOut(shop)) ?? redirect(`/store/${shop.domain}`, 301);
  if (STORE_PAGES.test(path) && call.method === "GET")
    return (await keepOut(shop)) ?? redirect(`/store/${shop.domain}${path}`, 301);
  return null;
}
