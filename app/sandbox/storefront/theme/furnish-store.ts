/** Makes a new store one that looks open: a full shelf, and the app's blocks in its theme. */
import { catalogOf, putProduct, type ProductPatch } from "../catalog.ts";
import type { ShopState } from "../state.ts";
import { SCRIPTS_OF_OTHERS } from "../visitors/scripts-of-others.ts";
import { blockNames, hasExtension } from "./theme-blocks.ts";

const SHELF: ProductPatch[] = [
  {
    title: "Enamel Mug",
    vendor: "Harbour Works",
    productType: "Kitchen",
    tags: ["outdoor"],
    description: "Holds coffee by the fire and soup at the lake. Survives both falls.",
    variants: [{ sku: "MUG-1", price: "14.00", stock: 500 }],
    collections: ["outdoor", "home"],
  },
  {
    title: "Canvas Backpack",
    vendor: "Northwood",
    productType: "Bags",
    tags: ["outdoor"],
    description: "Waxed canvas, leather straps, and room for a weekend.",
    variants: [
      { title: "18 litres", sku: "BAG-18", price: "89.00", stock: 500 },
      { title: "26 litres", sku: "BAG-26", price: "109.00", stock: 500 },
    ],
    collections: ["outdoor"],
  },
  {
    title: "Wool Blanket",
    vendor: "Indoor & Co",
    productType: "Textiles",
    tags: ["home"],
    description: "Woven from the wool of mountain sheep. Warm when wet.",
    variants: [{ sku: "BLK-1", price: "75.00", stock: 500 }],
    collections: ["home"],
  },
  {
    title: "Field Notebook",
    vendor: "Harbour Works",
    productType: "Paper",
    tags: ["outdoor"],
    description: "Stone paper that takes pencil in the rain. With a pencil.",
    variants: [{ sku: "NTB-1", price: "12.50", stock: 500 }],
    collections: ["outdoor"],
  },
  {
    title: "Thermo Flask",
    vendor: "Harbour Works",
    productType: "Kitchen",
    tags: ["outdoor"],
    description: "Tea stays hot from breakfast to the summit and back.",
    variants: [{ sku: "FLK-1", price: "32.00", stock: 500 }],
    collections: ["outdoor"],
  },
];

/** Safe to repeat: later changes of the merchant stay. */
export function furnishStore(shop: ShopState): void {
  const { products } = catalogOf(shop);
  const known = new Set(Object.values(products).map(({ title }) => title));
  for (const product of SHELF) if (!known.has(product.title)) putProduct(shop, product);
  if (shop.activeBlocks === undefined && hasExtension()) shop.activeBlocks = blockNames();
  shop.themeHtml ??= SCRIPTS_OF_OTHERS;
}
