/**
 * Sandbox CMS: Webflow CMS API v2 (developers.webflow.com/data/reference/cms), collections and
 * items.
 */
import { answerCollection, answerSite } from "./collections.ts";
import { cmsError, notFound } from "./errors.ts";
import { answerItems } from "./item-requests.ts";
import { createLiveCalls } from "./live-calls.ts";
import { CMS_CUSTOMERS_COLLECTION_ID, CMS_SITE_ID, CMS_TAGS_COLLECTION_ID } from "./state.ts";
import type { CmsCollection, CmsItem, CmsState } from "./state.ts";
import type { Call, ApiResponse } from "../exchange.ts";
import type { Saving } from "../state-file.ts";

export type CmsSettings = { requestsPerMinute: number; retryAfterSeconds: number };

const WINDOW_MS = 60_000;

export function createCms(state: CmsState, saving: Saving, overrides: Partial<CmsSettings> = {}) {
  const settings: CmsSettings = { requestsPerMinute: 100_000, retryAfterSeconds: 60, ...overrides };
  const liveCalls = createLiveCalls();
  const isOverRate = createRateLimit(settings);

  function handle(call: Call): ApiResponse {
    const key = /^Bearer (\S+)$/.exec(call.headers.authorization ?? "")?.[1];
    if (!key) return cmsError(401, "not_authorized", "Request not authorized");
    if (isOverRate(key)) {
      return cmsError(429, "too_many_requests", "Too many requests", [], {
        "retry-after": String(settings.retryAfterSeconds),
        "x-ratelimit-remaining": "0",
      });
    }
    const isWrite = call.method === "POST" || call.method === "PATCH" || call.method === "PUT";
    if (isWrite && typeof call.body !== "object")
      return cmsError(400, "bad_request", "The body is not JSON");
    const reply = route(call);
    if (call.method !== "GET") saving.soon();
    return reply;
  }

  function route(call: Call): ApiResponse {
    const [root, id = "", part, ...rest] = call.path.split("/").filter(Boolean);
    if (root === "sites" && part === "collections" && rest.length === 0)
      return answerSite(state, call, id);
    const collection = Object.hasOwn(state.collections, id) ? state.collections[id] : undefined;
    if (root !== "collections" || !collection) return notFound(call.path);
    if (part === "items") return answerItems(state, call, collection, rest, liveCalls);
    return answerCollection(state, call, collection, part);
  }

  return {
    handle,
    settings,
    siteId: CMS_SITE_ID,
    customersCollectionId: CMS_CUSTOMERS_COLLECTION_ID,
    tagsCollectionId: CMS_TAGS_COLLECTION_ID,
    items: (collectionId: string = CMS_CUSTOMERS_COLLECTION_ID): CmsItem[] =>
      Object.values(state.collections[collectionId]?.items ?? {}),
    collections: (): CmsCollection[] => Object.values(state.collections),
    liveCalls: liveCalls.all,
  };
}

/** Counts the calls of each API key in each minute, as the vendor does. */
function createRateLimit(settings: CmsSettings): (key: string) => boolean {
  const windows = new Map<string, { startedAt: number; count: number }>();
  return (key) => {
    const now = Date.now();
    const known = windows.get(key);
    const current =
      known && now - known.startedAt < WINDOW_MS ? known : { startedAt: now, count: 0 };
    current.count += 1;
    windows.set(key, current);
    return current.count > settings.requestsPerMinute;
  };
}
