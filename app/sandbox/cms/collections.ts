/** Collections of a site, and their fields. */
import { cmsError, methodNotAllowed, notFound } from "./errors.ts";
import { newCmsId, newCollection, newField } from "./state.ts";
import type { CmsCollection, CmsState } from "./state.ts";
import { fieldsOf, json, textOf } from "../exchange.ts";
import type { ApiResponse, Call } from "../exchange.ts";

/** Lists a site's collections, or creates one. */
export function answerSite(state: CmsState, call: Call, siteId: string): ApiResponse {
  const ofSite = Object.values(state.collections).filter(
    (collection) => collection.siteId === siteId,
  );
  if (call.method === "GET")
    return json(200, { collections: ofSite.map((collection) => toWire(collection, false)) });
  if (call.method !== "POST") return methodNotAllowed();
  const { displayName, singularName, slug: givenSlug, fields } = fieldsOf(call.body);
  if (typeof displayName !== "string" || typeof singularName !== "string") {
    return cmsError(400, "validation_error", "Validation Error", [
      { param: "displayName", description: "displayName and singularName are required" },
    ]);
  }
  const slug = typeof givenSlug === "string" ? givenSlug : slugOf(displayName);
  if (ofSite.some((collection) => collection.slug === slug))
    return cmsError(409, "conflict", "Collection already exists");
  const collection = newCollection({ id: newCmsId(), siteId, displayName, singularName, slug });
  // The fields of a new collection are given by their names: slugs in the request are ignored.
  for (const { slug: _slug, ...field } of Array.isArray(fields) ? fields.map(fieldsOf) : [])
    collection.fields.push(toField(field));
  state.collections[collection.id] = collection;
  return json(200, toWire(collection, true));
}

/** Shows or deletes a collection, or adds a field; `part`: the path below the collection. */
export function answerCollection(
  state: CmsState,
  call: Call,
  collection: CmsCollection,
  part: string | undefined,
): ApiResponse {
  if (part === "fields" && call.method === "POST") {
    const field = toField(fieldsOf(call.body));
    collection.fields.push(field);
    return json(200, field);
  }
  if (part !== undefined) return notFound(call.path);
  if (call.method === "GET") return json(200, toWire(collection, true));
  if (call.method !== "DELETE") return methodNotAllowed();
  delete state.collections[collection.id];
  return { status: 204 };
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
