/** Products and collections of a sandbox shop, and product search. */
import { GraphQLError } from "graphql";
import type { ShopState } from "./state.ts";

export type Variant = {
  gid: string;
  title: string;
  sku: string;
  barcode: string | null;
  /** Decimal, as text. */
  price: string;
  /** null: stock is not tracked. */
  stock: number | null;
  /** False for what is downloaded. */
  requiresShipping?: boolean;
};

export type Product = {
  gid: string;
  handle: string;
  title: string;
  description: string;
  vendor: string;
  productType: string;
  status: "ACTIVE" | "DRAFT" | "ARCHIVED";
  /** null: not in the online store. */
  publishedAt: string | null;
  tags: string[];
  image: { url: string; altText: string | null } | null;
  variants: Variant[];
};

export type Collection = { gid: string; handle: string; /** gids */ products: string[] };
export type Catalog = {
  products: Record<string, Product>;
  collections: Record<string, Collection>;
  nextId: number;
};

export type ProductPatch = Partial<Omit<Product, "variants">> & {
  title: string;
  variants?: Partial<Variant>[];
  collections?: string[];
};

const FIRST_ID = 8_100_000_000_001;
const SAMPLES: ProductPatch[] = [
  {
    title: "Trail Camera",
    vendor: "Northwood",
    productType: "Cameras",
    tags: ["outdoor"],
    description: "Takes a picture when it detects movement.",
    variants: [{ sku: "CAM-9", price: "40.00", stock: 500 }],
    collections: ["outdoor"],
  },
  {
    title: "Camp Lantern",
    vendor: "Northwood",
    productType: "Lights",
    tags: ["outdoor", "light"],
    description: "Light for a night outside.",
    variants: [
      { title: "Green", sku: "LAN-G", price: "25.00", stock: 500 },
      { title: "Red", sku: "LAN-R", price: "27.50", stock: 0 },
    ],
    collections: ["outdoor"],
  },
  {
    title: "Desk Lamp",
    vendor: "Indoor & Co",
    productType: "Lights",
    tags: ["light"],
    description: "Light for a day inside.",
    variants: [{ sku: "LMP-1", price: "60.00", stock: 500 }],
    collections: ["home"],
  },
];

/** The catalog of a shop; created with default products on first use. */
export function catalogOf(shop: ShopState): Catalog {
  if (!shop.catalog) {
    shop.catalog = { products: {}, collections: {}, nextId: FIRST_ID };
    for (const sample of SAMPLES) putProduct(shop, sample);
  }
  return shop.catalog;
}

/** Creates a product (no gid) or updates fields of one. */
export function putProduct(
  shop: ShopState,
  { collections = [], variants, ...fields }: ProductPatch,
): Product {
  const catalog = catalogOf(shop);
  const known = fields.gid === undefined ? undefined : catalog.products[fields.gid];
  const nextId = () => String(catalog.nextId++);
  const made: Product = {
    gid: `gid://shopify/Product/${nextId()}`,
    handle: toHandle(fields.title),
    description: "",
    vendor: "",
    productType: "",
    status: "ACTIVE",
    publishedAt: "2026-01-01T00:00:00Z",
    tags: [],
    image: null,
    variants: [],
    ...known,
    ...fields,
  };
  if (variants || made.variants.length === 0)
    made.variants = (variants ?? [{}]).map((variant) => ({
      gid: `gid://shopify/ProductVariant/${nextId()}`,
      title: "Default Title",
      sku: "",
      barcode: null,
      price: "10.00",
      stock: null,
      ...variant,
    }));
  catalog.products[made.gid] = made;
  for (const handle of collections) {
    const collection = (catalog.collections[handle] ??= {
      gid: `gid://shopify/Collection/${nextId()}`,
      handle,
      products: [],
    });
    if (!collection.products.includes(made.gid)) collection.products.push(made.gid);
  }
  return made;
}

export function findVariant(
  shop: ShopState,
  gid: string,
): { product: Product; variant: Variant } | null {
  for (const product of Object.values(catalogOf(shop).products)) {
    const variant = product.variants.find((one) => one.gid === gid);
    if (variant) return { product, variant };
  }
  return null;
}

export const collectionsOf = (shop: ShopState, productGid: string): Collection[] =>
  Object.values(catalogOf(shop).collections).filter(({ products }) =>
    products.includes(productGid),
  );

/**
 * Whether a shopper can buy it. Draft and unpublished products are neither in carts nor on public
 * pages.
 */
export const isPublic = (product: Product): boolean =>
  product.status === "ACTIVE" && product.publishedAt !== null;

export const isForSale = ({ stock }: Variant): boolean => stock === null || stock > 0;

/** A subset of shopify.dev "API search syntax": terms joined by AND. */
export function searchProducts(shop: ShopState, query: string): Product[] {
  const terms = query
    .split(/\s+/)
    .filter((term) => term !== "" && term !== "AND")
    .map((term) => toCondition(shop, term));
  return Object.values(catalogOf(shop).products).filter((product) =>
    terms.every((holds) => holds(product)),
  );
}

function toCondition(shop: ShopState, term: string): (product: Product) => boolean {
  const [, field, value = ""] = /^([a-z_]+):(.*)$/.exec(term) ?? [];
  if (field === "status") return ({ status }) => status.toLowerCase() === value;
  if (field === "published_status")
    return ({ publishedAt }) => (value === "published") === (publishedAt !== null);
  if (field === "collection_id")
    return ({ gid }) =>
      collectionsOf(shop, gid).some((collection) => collection.gid.endsWith(`/${value}`));
  if (field !== undefined || /^[-"(]|["()\\]/.test(term) || ["OR", "NOT"].includes(term))
    throw new GraphQLError(`The sandbox does not support the search term ${term}`);
  const word = term.toLowerCase();
  return ({ title, vendor, productType, tags, variants }) =>
    [title, vendor, productType, ...tags, ...variants.map(({ sku }) => sku)].some((text) =>
      text.toLowerCase().includes(word),
    );
}

const toHandle = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");
