/**
 * Items of one collection: single and bulk (at most 100), staged or live. A bulk call is atomic.
 */
import { cmsError } from "./errors.ts";
import { newCmsId } from "./state.ts";
import type { CmsCollection, CmsItem, CmsState } from "./state.ts";
import { findItemProblems } from "./validation.ts";
import { fieldsOf, json } from "../exchange.ts";
import type { ApiResponse } from "../exchange.ts";

export type CmsPlace = { state: CmsState; collection: CmsCollection; isLive: boolean };

const MAX_BULK = 100;
const MAX_PAGE = 100;
const LOCALE_ID = "650000000000000000000009";

export function listItems({ collection, isLive }: CmsPlace, query: URLSearchParams): ApiResponse {
  const limit = Number(query.get("limit") ?? MAX_PAGE);
  const offset = Number(query.get("offset") ?? 0);
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PAGE)
    return invalid("limit", `Value must be between 1 and ${MAX_PAGE}`);
  if (!Number.isInteger(offset) || offset < 0)
    return invalid("offset", "Value must not be negative");
  const [slug, name] = [query.get("slug"), query.get("name")];
  const found = Object.values(collection.items).filter(
    (item) =>
      (!isLive || item.lastPublished !== null) &&
      (slug === null || item.fieldData["slug"] === slug) &&
      (name === null || item.fieldData["name"] === name),
  );
  return json(200, {
    items: found.slice(offset, offset + limit),
    pagination: { limit, offset, total: found.length },
  });
}

export function createItems(place: CmsPlace, body: unknown): ApiResponse {
  const isBulk = fieldsOf(body)["items"] !== undefined;
  const entries = isBulk ? bulkEntries(body) : [fieldsOf(body)];
  const refusal = refuseSize(entries.length);
  if (refusal) return refusal;
  const created: CmsItem[] = [];
  for (const entry of entries) {
    const fieldData = fieldsOf(entry["fieldData"]);
    const problems = findItemProblems(place.state, place.collection, fieldData);
    if (problems.length > 0) {
      for (const { id } of created) delete place.collection.items[id];
      return cmsError(400, "validation_error", "Validation Error", problems);
    }
    const now = new Date().toISOString();
    const item: CmsItem = {
      id: newCmsId(),
      cmsLocaleId: LOCALE_ID,
      lastPublished: place.isLive ? now : null,
      lastUpdated: now,
      createdOn: now,
      isArchived: entry["isArchived"] === true,
      // The vendor's default is isDraft false: such an item goes live with the next site publish.
      isDraft: !place.isLive && entry["isDraft"] === true,
      fieldData: { ...fieldData },
    };
    place.collection.items[item.id] = item;
    created.push(item);
  }
  return json(202, isBulk ? { items: created } : created[0]);
}

export function changeItems(
  place: CmsPlace,
  body: unknown,
  itemId: string | undefined,
): ApiResponse {
  const entries = itemId === undefined ? bulkEntries(body) : [{ ...fieldsOf(body), id: itemId }];
  const refusal = refuseSize(entries.length);
  if (refusal) return refusal;
  const changed: CmsItem[] = [];
  for (const entry of entries) {
    const item = findItem(place, entry["id"]);
    if (!item)
      return cmsError(
        404,
        "resource_not_found",
        `Requested resource not found: ${String(entry["id"])}`,
      );
    const fieldData = { ...item.fieldData, ...fieldsOf(entry["fieldData"]) };
    const problems = findItemProblems(place.state, place.collection, fieldData, item.id);
    if (problems.length > 0) return cmsError(400, "validation_error", "Validation Error", problems);
    const now = new Date().toISOString();
    changed.push({
      ...item,
      fieldData,
      lastUpdated: now,
      lastPublished: place.isLive ? now : item.lastPublished,
      isDraft: !place.isLive && flagOf(entry["isDraft"], item.isDraft),
      isArchived: flagOf(entry["isArchived"], item.isArchived),
    });
  }
  for (const item of changed) place.collection.items[item.id] = item;
  return json(200, itemId === undefined ? { items: changed } : changed[0]);
}

export function deleteItems(
  place: CmsPlace,
  body: unknown,
  itemId: string | undefined,
): ApiResponse {
  const ids = itemId === undefined ? bulkEntries(body).map(({ id }) => id) : [itemId];
  const refusal = refuseSize(ids.length);
  if (refusal) return refusal;
  const found = ids.map((id) => findItem(place, id));
  const missing = found.indexOf(undefined);
  if (missing >= 0)
    return cmsError(
      404,
      "resource_not_found",
      `Requested resource not found: ${String(ids[missing])}`,
    );
  for (const item of found) {
    if (!item) continue;
    // Deleting the live item unpublishes it; the staged item stays.
    if (place.isLive)
      place.collection.items[item.id] = { ...item, lastPublished: null, isDraft: true };
    else delete place.collection.items[item.id];
  }
  return { status: 204 };
}

export function publishItems(place: CmsPlace, body: unknown): ApiResponse {
  const { itemIds } = fieldsOf(body);
  const ids = Array.isArray(itemIds) ? itemIds.map(String) : [];
  const refusal = refuseSize(ids.length);
  if (refusal) return refusal;
  const now = new Date().toISOString();
  const published = ids.map((id) => findItem(place, id)).filter((item) => item !== undefined);
  for (const item of published)
    place.collection.items[item.id] = { ...item, lastPublished: now, isDraft: false };
  return json(202, {
    publishedItemIds: published.map(({ id }) => id),
    items: published.map(({ id }) => ({ id })),
    errors: [],
  });
}

/** The items of a bulk call; none when `items` is no list. */
function bulkEntries(body: unknown): Record<string, unknown>[] {
  const { items } = fieldsOf(body);
  return Array.isArray(items) ? items.map(fieldsOf) : [];
}

/** The flag of a change; without one the item keeps its own. */
const flagOf = (given: unknown, current: boolean): boolean =>
  typeof given === "boolean" ? given : current;

function findItem({ collection }: CmsPlace, id: unknown): CmsItem | undefined {
  return typeof id === "string" && Object.hasOwn(collection.items, id)
    ? collection.items[id]
    : undefined;
}

function refuseSize(count: number): ApiResponse | null {
  if (count === 0) return invalid("items", "Value must hold at least one item");
  return count > MAX_BULK ? invalid("items", `Value must hold at most ${MAX_BULK} items`) : null;
}

function invalid(param: string, description: string): ApiResponse {
  return cmsError(400, "validation_error", "Validation Error", [{ param, description }]);
}
