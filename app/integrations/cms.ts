// The CMS (Webflow CMS API v2, developers.webflow.com "Collection Items"). Items are written
// staged, never `/live` and never published: they hold personal data, and a live item is on the
// public site and its CDN.
import { z } from "zod";
import { OutboundError } from "../runtime/errors.ts";
import { parseAnswer } from "../runtime/outbound/answers.ts";
import type { Outbound } from "../runtime/outbound/outbound.ts";

const SYSTEM = "cms";
/**
 * Items per bulk call and per page: the vendor's maximum. MAX_ANSWER_BYTES fits a response of that
 * size.
 */
export const CMS_BATCH = 100;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

const Item = z.looseObject({ id: z.string().min(1) });
const ListedItem = z.looseObject({
  id: z.string().min(1),
  fieldData: z.looseObject({ slug: z.string().nullish() }).nullish(),
});
const hasSlug = ({ fieldData }: z.output<typeof ListedItem>): boolean => Boolean(fieldData?.slug);
const ItemList = z.looseObject({
  items: z.array(ListedItem).nullish(),
  pagination: z.looseObject({ total: z.number().nullish() }).nullish(),
});
const Collection = z.looseObject({ id: z.string().min(1), slug: z.string().nullish() });
const CollectionList = z.looseObject({ collections: z.array(Collection).nullish() });
const WholeCollection = z.looseObject({
  fields: z.array(z.looseObject({ slug: z.string().nullish() })).nullish(),
});

type CmsItem = { id: string };
export type CmsFields = Record<string, string | number | boolean | string[] | null>;
/** `about`: for the log line of the call. */
export type CmsAccess = { token: string; collectionId: string; about?: Record<string, unknown> };

type SiteAccess = { token: string; siteId: string };
type CmsCollection = { id: string; slug?: string | null | undefined };
type CmsCollectionField = { slug?: string | null | undefined };

/**
 * One method per endpoint of Webflow CMS API v2. Every method throws an OutboundError of system
 * `cms`: `status` for any status but 2xx, `timeout` after 15 s, `network`, and `malformed` when the
 * response is not the expected JSON.
 */
export type CmsClient = {
  /** GET /sites/{site_id}/collections. */
  listCollections(access: SiteAccess): Promise<CmsCollection[]>;
  /** POST /sites/{site_id}/collections. The vendor adds the fields `name` and `slug`. */
  createCollection(
    access: SiteAccess,
    collection: { displayName: string; singularName: string; slug: string },
  ): Promise<CmsCollection>;
  /** GET /collections/{collection_id}: the collection's fields. */
  getCollection(access: CmsAccess): Promise<{ fields: CmsCollectionField[] }>;
  /** POST /collections/{collection_id}/fields. The field is optional on items. */
  createField(
    access: CmsAccess,
    field: { displayName: string; type: string; metadata?: Record<string, string> },
  ): Promise<void>;
  /** GET /collections/{collection_id}/items until the last page, 100 items per call. */
  listAllItems(access: CmsAccess): Promise<(CmsItem & { slug: string })[]>;
  /**
   * POST /collections/{collection_id}/items: one staged item. See `isSlugTaken` for the error of a
   * slug in use.
   */
  createItem(access: CmsAccess, fields: CmsFields): Promise<CmsItem>;
  /** PATCH /collections/{collection_id}/items/{item_id}: the fields given; others stay. */
  updateItem(access: CmsAccess, itemId: string, fields: CmsFields): Promise<void>;
  /**
   * POST /collections/{collection_id}/items with at most 100 items; atomic. Returns the ids in the
   * order of `items`, matched by slug, or by place when the response has all items and no slug. Throws
   * `malformed` when the response lacks one of them.
   */
  createItems(access: CmsAccess, items: readonly CmsFields[]): Promise<CmsItem[]>;
  /** PATCH /collections/{collection_id}/items with at most 100 items; atomic. */
  updateItems(
    access: CmsAccess,
    items: readonly { id: string; fields: CmsFields }[],
  ): Promise<void>;
  /**
   * GET /collections/{collection_id}/items: at most 100 items from `offset`, and the total of the
   * collection.
   */
  listItems(
    access: CmsAccess,
    offset: number,
  ): Promise<{ items: (CmsItem & { slug: string | null })[]; total: number }>;
  /** GET /collections/{collection_id}/items?slug=: the item, or null. */
  findItemBySlug(access: CmsAccess, slug: string): Promise<CmsItem | null>;
  /** DELETE /collections/{collection_id}/items/{item_id}. A missing item throws `status` 404. */
  deleteItem(access: CmsAccess, itemId: string): Promise<void>;
};

/** `apiUrl` has no trailing slash: https://api.webflow.com/v2, or the sandbox. */
export function createCmsClient({
  outbound,
  apiUrl,
}: {
  outbound: Outbound;
  apiUrl: string;
}): CmsClient {
  const send = (
    { token, about }: Pick<CmsAccess, "token" | "about">,
    method: "GET" | "POST" | "PATCH" | "DELETE",
    path: string,
    body?: unknown,
  ) =>
    outbound.call({
      system: SYSTEM,
      url: `${apiUrl}${path}`,
      method,
      headers: {
        Authorization: `Bearer ${token}`,
        Accept: "application/json",
        ...(body !== undefined && { "Content-Type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(about && { about }),
      maxAnswerBytes: MAX_ANSWER_BYTES,
    });
  const ask = async <T>(schema: z.ZodType<T>, ...call: Parameters<typeof send>): Promise<T> =>
    parseAnswer(SYSTEM, await send(...call), schema);

  const collectionsOf = ({ siteId }: SiteAccess) =>
    `/sites/${encodeURIComponent(siteId)}/collections`;
  const collectionOf = ({ collectionId }: CmsAccess) =>
    `/collections/${encodeURIComponent(collectionId)}`;
  const itemsOf = (access: CmsAccess) => `${collectionOf(access)}/items`;
  const itemOf = (access: CmsAccess, id: string) => `${itemsOf(access)}/${encodeURIComponent(id)}`;
  const staged = (fields: CmsFields) => ({ isArchived: false, isDraft: true, fieldData: fields });

  const listItems: CmsClient["listItems"] = async (access, offset) => {
    const path = `${itemsOf(access)}?limit=${CMS_BATCH}&offset=${offset}`;
    const page = await ask(ItemList, access, "GET", path);
    const items = page.items ?? [];
    return {
      items: items.map(({ id, fieldData }) => ({ id, slug: fieldData?.slug ?? null })),
      total: page.pagination?.total ?? items.length,
    };
  };

  return {
    async listCollections(access) {
      const { collections } = await ask(CollectionList, access, "GET", collectionsOf(access));
      return collections ?? [];
    },
    createCollection: (access, collection) =>
      ask(Collection, access, "POST", collectionsOf(access), collection),
    async getCollection(access) {
      const { fields } = await ask(WholeCollection, access, "GET", collectionOf(access));
      return { fields: fields ?? [] };
    },
    async createField(access, field) {
      const path = `${collectionOf(access)}/fields`;
      await send(access, "POST", path, { isRequired: false, ...field });
    },
    async listAllItems(access) {
      const found: (CmsItem & { slug: string })[] = [];
      for (let offset = 0; ; offset += CMS_BATCH) {
        const { items, total } = await listItems(access, offset);
        found.push(...items.map(({ id, slug }) => ({ id, slug: slug ?? "" })));
        if (items.length === 0 || offset + CMS_BATCH >= total) return found;
      }
    },
    createItem: (access, fields) => ask(Item, access, "POST", itemsOf(access), staged(fields)),
    async updateItem(access, itemId, fields) {
      parseAnswer(SYSTEM, await send(access, "PATCH", itemOf(access, itemId), staged(fields)));
    },
    async createItems(access, items) {
      const body = { items: items.map(staged) };
      const answer = await ask(ItemList, access, "POST", itemsOf(access), body);
      const created = answer.items ?? [];
      const ids = new Map(created.map((item) => [item.fieldData?.slug, item.id]));
      const isByPlace = created.length === items.length && !created.some(hasSlug);
      return items.map(({ slug }, place) => {
        const id = isByPlace ? created[place]?.id : ids.get(String(slug));
        if (!id)
          throw new OutboundError(SYSTEM, "malformed", {
            message: "cms returned fewer items than were created",
          });
        return { id };
      });
    },
    async updateItems(access, items) {
      const changes = items.map(({ id, fields }) => ({ id, ...staged(fields) }));
      await send(access, "PATCH", itemsOf(access), { items: changes });
    },
    listItems,
    async findItemBySlug(access, slug) {
      const path = `${itemsOf(access)}?slug=${encodeURIComponent(slug)}&limit=1`;
      const { items } = await ask(ItemList, access, "GET", path);
      return items?.[0] ?? null;
    },
    async deleteItem(access, itemId) {
      await send(access, "DELETE", itemOf(access, itemId));
    },
  };
}

/**
 * Whether a failed creation means that the slug is in use, for example by an earlier creation whose
 * response was lost.
 */
export function isSlugTaken(error: unknown): boolean {
  return (
    error instanceof OutboundError &&
    (error.status === 409 || (error.status === 400 && /slug/i.test(error.body ?? "")))
  );
}
