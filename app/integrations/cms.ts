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
const ItemList = z.looseObject({
  items: z.array(ListedItem).nullish(),
  pagination: z.looseObject({ total: z.number().nullish() }).nullish(),
});
const Collection = z.looseObject({ id: z.string().min(1), slug: z.string().nullish() });
const CollectionList = z.looseObject({ collections: z.array(Collection).nullish() });
const WholeCollection = z.looseObject({
  fields: z.array(z.looseObject({ slug: z.string().nullish() })),
});

type CmsItem = { id: string };
export type CmsAccess = Access;
export type CmsFields = Record<string, string | number | boolean | string[] | null>;
type Access = { token: string; collectionId: string; about?: Record<string, unknown> };

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
  getCollection(access: Access): Promise<{ fields: CmsCollectionField[] }>;
  /** POST /collections/{collection_id}/fields. The field is optional on items. */
  createField(
    access: Access,
    field: { displayName: string; type: string; metadata?: Record<string, string> },
  ): Promise<void>;
  /** GET /collections/{collection_id}/items until the last page, 100 items per call. */
  listAllItems(access: Access): Promise<(CmsItem & { slug: string })[]>;
  /**
   * POST /collections/{collection_id}/items: one staged item. See `isSlugTaken` for the error of a
   * slug in use.
   */
  createItem(access: Access, fields: CmsFields): Promise<CmsItem>;
  /** PATCH /collections/{collection_id}/items/{item_id}: the fields given; others stay. */
  updateItem(access: Access, itemId: string, fields: CmsFields): Promise<void>;
  /**
   * POST /collections/{collection_id}/items with at most 100 items; atomic. Returns the ids in the
   * order of `items`, matched by slug. Throws `malformed` when the response lacks one of them.
   */
  createItems(access: Access, items: readonly CmsFields[]): Promise<CmsItem[]>;
  /** PATCH /collections/{collection_id}/items with at most 100 items; atomic. */
  updateItems(access: Access, items: readonly { id: string; fields: CmsFields }[]): Promise<void>;
  /**
   * GET /collections/{collection_id}/items: at most 100 items from `offset`, and the total of the
   * collection.
   */
  listItems(
    access: Access,
    offset: number,
  ): Promise<{ items: (CmsItem & { slug: string | null })[]; total: number }>;
  /** GET /collections/{collection_id}/items?slug=: the item, or null. */
  findItemBySlug(access: Access, slug: string): Promise<CmsItem | null>;
  /** DELETE /collections/{collection_id}/items/{item_id}. A missing item throws `status` 404. */
  deleteItem(access: Access, itemId: string): Promise<void>;
};

/** `apiUrl` has no trailing slash: https://api.webflow.com/v2, or the sandbox. */
export function createCmsClient({
  outbound,
  apiUrl,
}: {
  outbound: Outbound;
  apiUrl: string;
}): CmsClient {
  async function sendTo(
    access: { token: string; about?: Record<string, unknown> },
    method: "GET" | "POST" | "PATCH" | "DELETE",
    path: string,
    body?: unknown,
  ) {
    return outbound.call({
      system: SYSTEM,
      url: `${apiUrl}${path}`,
      method,
      headers: {
        Authorization: `Bearer ${access.token}`,
        Accept: "application/json",
        ...(body !== undefined && { "Content-Type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(access.about && { about: access.about }),
      maxAnswerBytes: MAX_ANSWER_BYTES,
    });
  }
  const collectionOf = ({ collectionId }: Access) =>
    `/collections/${encodeURIComponent(collectionId)}`;
  const collectionsOf = ({ siteId }: SiteAccess) =>
    `/sites/${encodeURIComponent(siteId)}/collections`;
  const send = (
    access: Access,
    method: "GET" | "POST" | "PATCH" | "DELETE",
    path: string,
    body?: unknown,
  ) => sendTo(access, method, `${collectionOf(access)}/items${path}`, body);
  const staged = (fields: CmsFields) => ({ isArchived: false, isDraft: true, fieldData: fields });

  return {
    async listCollections(access) {
      return (
        parseAnswer(SYSTEM, await sendTo(access, "GET", collectionsOf(access)), CollectionList)
          .collections ?? []
      );
    },
    createCollection: async (access, collection) =>
      parseAnswer(
        SYSTEM,
        await sendTo(access, "POST", collectionsOf(access), collection),
        Collection,
      ),
    getCollection: async (access) =>
      parseAnswer(SYSTEM, await sendTo(access, "GET", collectionOf(access)), WholeCollection),
    async createField(access, field) {
      await sendTo(access, "POST", `${collectionOf(access)}/fields`, {
        isRequired: false,
        ...field,
      });
    },
    async listAllItems(access) {
      const found: (CmsItem & { slug: string })[] = [];
      for (let offset = 0; ; offset += CMS_BATCH) {
        const { items, pagination } = parseAnswer(
          SYSTEM,
          await sendTo(
            access,
            "GET",
            `${collectionOf(access)}/items?limit=${CMS_BATCH}&offset=${offset}`,
          ),
          ItemList,
        );
        if (!items) return found;
        found.push(...items.map(({ id, fieldData }) => ({ id, slug: fieldData?.slug ?? "" })));
        if (items.length === 0 || offset + CMS_BATCH >= (pagination?.total ?? 0)) return found;
      }
    },
    createItem: async (access, fields) =>
      parseAnswer(SYSTEM, await send(access, "POST", "", staged(fields)), Item),
    async updateItem(access, itemId, fields) {
      parseAnswer(
        SYSTEM,
        await send(access, "PATCH", `/${encodeURIComponent(itemId)}`, staged(fields)),
      );
    },
    async createItems(access, items) {
      const answer = parseAnswer(
        SYSTEM,
        await send(access, "POST", "", { items: items.map(staged) }),
        ItemList,
      );
      const ids = new Map(answer.items?.map((item) => [item.fieldData?.slug, item.id]));
      return items.map(({ slug }) => {
        const id = ids.get(String(slug));
        if (!id)
          throw new OutboundError(SYSTEM, "malformed", {
            message: "cms returned fewer items than were created",
          });
        return { id };
      });
    },
    async updateItems(access, items) {
      await send(access, "PATCH", "", {
        items: items.map(({ id, fields }) => ({ id, ...staged(fields) })),
      });
    },
    async listItems(access, offset) {
      const page = parseAnswer(
        SYSTEM,
        await send(access, "GET", `?limit=${CMS_BATCH}&offset=${offset}`),
        ItemList,
      );
      const items = page.items ?? [];
      return {
        items: items.map(({ id, fieldData }) => ({ id, slug: fieldData?.slug ?? null })),
        total: page.pagination?.total ?? items.length,
      };
    },
    async findItemBySlug(access, slug) {
      const { items } = parseAnswer(
        SYSTEM,
        await send(access, "GET", `?slug=${encodeURIComponent(slug)}&limit=1`),
        ItemList,
      );
      return items?.[0] ?? null;
    },
    async deleteItem(access, itemId) {
      await send(access, "DELETE", `/${encodeURIComponent(itemId)}`);
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
