/** Collections and items of the sandbox CMS, and the fields that each collection declares. */

export type CmsField = {
  id: string;
  slug: string;
  displayName: string;
  type: string;
  isRequired: boolean;
  isEditable: boolean;
};

export type CmsItem = {
  id: string;
  cmsLocaleId: string;
  lastPublished: string | null;
  lastUpdated: string;
  createdOn: string;
  isArchived: boolean;
  isDraft: boolean;
  fieldData: Record<string, unknown>;
};

export type CmsCollection = {
  id: string;
  siteId: string;
  displayName: string;
  singularName: string;
  slug: string;
  createdOn: string;
  lastUpdated: string;
  fields: CmsField[];
  items: Record<string, CmsItem>;
};

export type CmsState = { collections: Record<string, CmsCollection> };

export const CMS_SITE_ID = "650000000000000000000001";
export const CMS_CUSTOMERS_COLLECTION_ID = "650000000000000000000002";
export const CMS_TAGS_COLLECTION_ID = "650000000000000000000003";

const CUSTOMER_FIELDS: Record<string, string> = {
  email: "Email",
  "first-name": "PlainText",
  "last-name": "PlainText",
  provider: "PlainText",
  status: "PlainText",
  language: "PlainText",
  tags: "PlainText",
  "number-of-orders": "Number",
  "amount-spent": "Number",
  "consent-tos": "PlainText",
  "consent-privacy": "PlainText",
  "consent-cookie": "PlainText",
  "consent-marketing": "PlainText",
  "email-subscription": "PlainText",
  "sms-subscription": "PlainText",
  "storefront-customer-id": "PlainText",
  country: "PlainText",
  "tag-refs": "MultiReference",
};
const TAG_FIELDS: Record<string, string> = {
  category: "PlainText",
  description: "PlainText",
  color: "PlainText",
  source: "PlainText",
  "tag-id": "PlainText",
};

export function initialCmsState(): CmsState {
  return {
    collections: {
      [CMS_CUSTOMERS_COLLECTION_ID]: newCollection(
        {
          id: CMS_CUSTOMERS_COLLECTION_ID,
          siteId: CMS_SITE_ID,
          displayName: "Customers",
          singularName: "Customer",
          slug: "customers",
        },
        CUSTOMER_FIELDS,
      ),
      [CMS_TAGS_COLLECTION_ID]: newCollection(
        {
          id: CMS_TAGS_COLLECTION_ID,
          siteId: CMS_SITE_ID,
          displayName: "Tags",
          singularName: "Tag",
          slug: "tags",
        },
        TAG_FIELDS,
      ),
    },
  };
}

type CollectionNames = Pick<
  CmsCollection,
  "id" | "siteId" | "displayName" | "singularName" | "slug"
>;

/** `fieldTypes`: the types of its own fields by their slugs. */
export function newCollection(
  names: CollectionNames,
  fieldTypes: Record<string, string> = {},
): CmsCollection {
  const now = new Date().toISOString();
  // Every collection has these two fields.
  const types = { name: "PlainText", slug: "PlainText", ...fieldTypes };
  const fields = Object.entries(types).map(([fieldSlug, type]) =>
    newField(fieldSlug, type, fieldSlug === "name" || fieldSlug === "slug"),
  );
  return { ...names, createdOn: now, lastUpdated: now, fields, items: {} };
}

export function newField(slug: string, type: string, isRequired: boolean): CmsField {
  return {
    id: newCmsId(),
    slug,
    displayName: slug.replaceAll("-", " "),
    type,
    isRequired,
    isEditable: true,
  };
}

/** 24 hex digits, like the vendor's ids. */
export function newCmsId(): string {
  return crypto.randomUUID().replaceAll("-", "").slice(0, 24);
}
