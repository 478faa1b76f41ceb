// The CMS (Webflow CMS API v2, developers.webflow.com "Collection Items"). Items are written staged, never `/live` and
// never published: they hold personal data, and a live item is on the public site and its CDN.
import { OutboundError } from "../runtime/errors.ts";
import { parseAnswer, type Outbound } from "../runtime/outbound.ts";

const SYSTEM = "cms";
/** The largest batch and the largest page, and room for what the vendor answers to them. */
export const CMS_BATCH = 100;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

type CmsItem = { id: string };
export type CmsAccess = Access;
export type CmsFields = Record<string, string | number | boolean | string[] | null>;
type Access = { token: string; collectionId: string; about?: Record<string, unknown> };

type SiteAccess = { token: string; siteId: string };
type CmsCollection = { id: string; slug: string };
type CmsCollectionField = { slug: string; type: string };

export type CmsClient = {
  listCollections(access: SiteAccess): Promise<CmsCollection[]>;
  createCollection(
    access: SiteAccess,
    collection: { displayName: string; singularName: string; slug: string },
  ): Promise<CmsCollection>;
  getCollection(access: Access): Promise<CmsCollection & { fields: CmsCollectionField[] }>;
  createField(
    access: Access,
    field: { displayName: string; type: string; metadata?: Record<string, string> },
  ): Promise<void>;
  /** Every item of the collection, in pages of 100. */
  listAllItems(access: Access): Promise<(CmsItem & { slug: string })[]>;
  /** Throws `CmsSlugTaken` (an OutboundError of status 409) when an item with this slug is there already. */
  createItem(access: Access, fields: CmsFields): Promise<CmsItem>;
  updateItem(access: Access, itemId: string, fields: CmsFields): Promise<CmsItem>;
  /** At most 100 at once; all of them or none. In the order given. */
  createItems(access: Access, items: readonly CmsFields[]): Promise<CmsItem[]>;
  /** At most 100 at once; all of them or none. */
  updateItems(access: Access, items: readonly { id: string; fields: CmsFields }[]): Promise<void>;
  /** At most 100 items from `offset` on, and how many there are. */
  listItems(
    access: Access,
    offset: number,
  ): Promise<{ items: (CmsItem & { slug: string | null })[]; total: number }>;
  findItemBySlug(access: Access, slug: string): Promise<CmsItem | null>;
  deleteItem(access: Access, itemId: string): Promise<void>;
};

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
        parseAnswer<{ collections?: CmsCollection[] }>(
          SYSTEM,
          await sendTo(access, "GET", collectionsOf(access)),
        ).collections ?? []
      );
    },
    createCollection: async (access, collection) =>
      parseAnswer<CmsCollection>(
        SYSTEM,
        await sendTo(access, "POST", collectionsOf(access), collection),
      ),
    getCollection: async (access) =>
      parseAnswer<CmsCollection & { fields: CmsCollectionField[] }>(
        SYSTEM,
        await sendTo(access, "GET", collectionOf(access)),
      ),
    async createField(access, field) {
      await sendTo(access, "POST", `${collectionOf(access)}/fields`, {
        isRequired: false,
        ...field,
      });
    },
    async listAllItems(access) {
      type Listed = {
        items?: { id: string; fieldData?: { slug?: string } }[];
        pagination?: { total?: number };
      };
      const found: (CmsItem & { slug: string })[] = [];
      for (let offset = 0; ; offset += CMS_BATCH) {
        const { items = [], pagination } = parseAnswer<Listed>(
          SYSTEM,
          await sendTo(
            access,
            "GET",
            `${collectionOf(access)}/items?limit=${CMS_BATCH}&offset=${offset}`,
          ),
        );
        found.push(...items.map(({ id, fieldData }) => ({ id, slug: fieldData?.slug ?? "" })));
        if (items.length === 0 || offset + CMS_BATCH >= (pagination?.total ?? 0)) return found;
      }
    },
    createItem: async (access, fields) =>
      parseAnswer<CmsItem>(SYSTEM, await send(access, "POST", "", staged(fields))),
    updateItem: async (access, itemId, fields) =>
      parseAnswer<CmsItem>(
        SYSTEM,
        await send(access, "PATCH", `/${encodeURIComponent(itemId)}`, staged(fields)),
      ),
    async createItems(access, items) {
      const answer = parseAnswer<{ items?: (CmsItem & { fieldData?: { slug?: string } })[] }>(
        SYSTEM,
        await send(access, "POST", "", { items: items.map(staged) }),
      );
      const ids = new Map(answer.items?.map((item) => [item.fieldData?.slug, item.id]));
      return items.map(({ slug }) => {
        const id = ids.get(String(slug));
        if (!id)
          throw new OutboundError(SYSTEM, "malformed", {
            message: "cms answered fewer items than were created",
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
      type Page = {
        items?: { id: string; fieldData?: { slug?: string } }[];
        pagination?: { total?: number };
      };
      const { items = [], pagination } = parseAnswer<Page>(
        SYSTEM,
        await send(access, "GET", `?limit=${CMS_BATCH}&offset=${offset}`),
      );
      return {
        items: items.map(({ id, fieldData }) => ({ id, slug: fieldData?.slug ?? null })),
        total: pagination?.total ?? items.length,
      };
    },
    async findItemBySlug(access, slug) {
      const { items = [] } = parseAnswer<{ items?: CmsItem[] }>(
        SYSTEM,
        await send(access, "GET", `?slug=${encodeURIComponent(slug)}&limit=1`),
      );
      return items[0] ?? null;
    },
    async deleteItem(access, itemId) {
      await send(access, "DELETE", `/${encodeURIComponent(itemId)}`);
    },
  };
}

/** Whether a refused creation means that the slug is in use: an earlier creation whose answer was lost. */
export function isSlugTaken(error: unknown): boolean {
  return (
    error instanceof OutboundError &&
    (error.status === 409 || (error.status === 400 && /slug/i.test(error.body ?? "")))
  );
}
