/**
 * Sandbox CMS: Webflow CMS API v2 (developers.webflow.com/data/reference/cms), collections and
 * items.
 */
import { changeItems, createItems, deleteItems, listItems, publishItems } from "./items.ts";
import type { CmsPlace } from "./items.ts";
import { cmsError } from "./errors.ts";
import {
  CMS_CUSTOMERS_COLLECTION_ID,
  CMS_SITE_ID,
  CMS_TAGS_COLLECTION_ID,
  newCmsId,
  newCollection,
  newField,
} from "./state.ts";
import type { CmsCollection, CmsItem, CmsState } from "./state.ts";
import { fieldsOf, json, textOf } from "../exchange.ts";
import type { Call, ApiResponse } from "../exchange.ts";
import type { Saving } from "../state-file.ts";

export type Cms = ReturnType<typeof createCms>;
export type CmsSettings = { requestsPerMinute: number; retryAfterSeconds: number };
/** A call that publishes items and so makes them readable on the web. */
export type CmsLiveCall = { method: string; path: string; itemIds: string[]; at: string };

const WINDOW_MS = 60_000;

export function createCms(state: CmsState, saving: Saving, overrides: Partial<CmsSettings> = {}) {
  const settings: CmsSettings = { requestsPerMinute: 100_000, retryAfterSeconds: 60, ...overrides };
  const liveCalls: CmsLiveCall[] = [];
  // Rate limits count per API key, as the vendor's do.
  const windows = new Map<string, { startedAt: number; count: number }>();

  const isOverRate = (key: string): boolean => {
    const now = Date.now();
    const known = windows.get(key);
    const current =
      known && now - known.startedAt < WINDOW_MS ? known : { startedAt: now, count: 0 };
    current.count += 1;
    windows.set(key, current);
    return current.count > settings.requestsPerMinute;
  };

  const handle = (call: Call): ApiResponse => {
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
  };

  const route = (call: Call): ApiResponse => {
    const [root, id = "", part, ...rest] = call.path.split("/").filter(Boolean);
    if (root === "sites" && part === "collections" && rest.length === 0) return sites(call, id);
    const collection = Object.hasOwn(state.collections, id) ? state.collections[id] : undefined;
    if (root !== "collections" || !collection)
      return cmsError(404, "resource_not_found", `Requested resource not found: ${call.path}`);
    if (part === undefined) {
      if (call.method === "GET") return json(200, toWire(collection, true));
      if (call.method !== "DELETE") return notAllowed();
      delete state.collections[id];
      return { status: 204 };
    }
    if (part === "fields" && call.method === "POST") {
      const field = toField(fieldsOf(call.body));
      collection.fields.push(field);
      return json(200, field);
    }
    if (part !== "items")
      return cmsError(404, "resource_not_found", `Requested resource not found: ${call.path}`);
    return items(call, collection, rest);
  };

  const items = (call: Call, collection: CmsCollection, rest: string[]): ApiResponse => {
    const [first, second] = rest;
    const isLive = first === "live" || second === "live";
    const itemId =
      first === undefined || first === "live" || first === "publish" ? undefined : first;
    const place: CmsPlace = { state, collection, isLive };
    if (first === "publish" && call.method === "POST")
      return recordLive(call, publishItems(place, call.body));
    if (itemId !== undefined && !Object.hasOwn(collection.items, itemId))
      return cmsError(404, "resource_not_found", `Requested resource not found: ${itemId}`);
    const answer = (): ApiResponse => {
      switch (call.method) {
        case "GET":
          return itemId === undefined
            ? listItems(place, call.query)
            : json(200, collection.items[itemId]);
        case "POST":
          return itemId === undefined ? createItems(place, call.body) : notAllowed();
        case "PATCH":
          return changeItems(place, call.body, itemId);
        case "DELETE":
          return deleteItems(place, call.body, itemId);
        default:
          return notAllowed();
      }
    };
    return isLive && call.method !== "GET" ? recordLive(call, answer()) : answer();
  };

  const recordLive = (call: Call, reply: ApiResponse): ApiResponse => {
    const answered = fieldsOf(reply.body ? JSON.parse(String(reply.body)) : {});
    const listed = Array.isArray(answered["items"])
      ? (answered["items"] as CmsItem[]).map(({ id }) => id)
      : [answered["id"]];
    liveCalls.push({
      method: call.method,
      path: call.path,
      itemIds: listed.filter((id) => typeof id === "string"),
      at: new Date().toISOString(),
    });
    return reply;
  };

  const sites = (call: Call, siteId: string): ApiResponse => {
    const ofSite = Object.values(state.collections).filter(
      (collection) => collection.siteId === siteId,
    );
    if (call.method === "GET")
      return json(200, { collections: ofSite.map((collection) => toWire(collection, false)) });
    if (call.method !== "POST") return notAllowed();
    const { displayName, singularName, slug: givenSlug, fields } = fieldsOf(call.body);
    if (typeof displayName !== "string" || typeof singularName !== "string") {
      return cmsError(400, "validation_error", "Validation Error", [
        { param: "displayName", description: "displayName and singularName are required" },
      ]);
    }
    const slug = typeof givenSlug === "string" ? givenSlug : slugOf(displayName);
    if (ofSite.some((collection) => collection.slug === slug))
      return cmsError(409, "conflict", "Collection already exists");
    const collection = newCollection(newCmsId(), siteId, displayName, singularName, slug, {});
    // Of a new collection by their names alone.
    for (const { slug: _slug, ...field } of Array.isArray(fields) ? fields.map(fieldsOf) : [])
      collection.fields.push(toField(field));
    state.collections[collection.id] = collection;
    return json(200, toWire(collection, true));
  };

  return {
    handle,
    settings,
    siteId: CMS_SITE_ID,
    customersCollectionId: CMS_CUSTOMERS_COLLECTION_ID,
    tagsCollectionId: CMS_TAGS_COLLECTION_ID,
    items: (collectionId: string = CMS_CUSTOMERS_COLLECTION_ID): CmsItem[] =>
      Object.values(state.collections[collectionId]?.items ?? {}),
    collections: (): CmsCollection[] => Object.values(state.collections),
    liveCalls: (): CmsLiveCall[] => [...liveCalls],
  };
}

function toWire(
  { items: _items, siteId: _siteId, fields, ...rest }: CmsCollection,
  withFields: boolean,
): Record<string, unknown> {
  return withFields ? { ...rest, fields } : rest;
}

function toField({ displayName, type, isRequired, slug }: Record<string, unknown>) {
  return newField(
    typeof slug === "string" ? slug : slugOf(textOf(displayName)),
    textOf(type) || "PlainText",
    isRequired === true,
  );
}

function slugOf(displayName: string): string {
  return displayName
    .toLowerCase()
    .trim()
    .replaceAll(/[^a-z0-9]+/g, "-");
}

function notAllowed(): ApiResponse {
  return cmsError(405, "method_not_allowed", "Method not allowed");
}
