// Products in UCP's shape (schemas/shopping/types/product.json), converted from `/commerce/products`.
import type { Product } from "../../commerce/products.ts";
import { toPriceUnits } from "../minor-units.ts";

type Money = Product["price_range"]["min"];
type Variant = Product["variants"][number];

const toPrice = ({ amount, currency }: Money) => ({
  amount: toPriceUnits(amount, currency),
  currency,
});

function toUcpVariant(product: Product, variant: Variant) {
  const number = variant.id.split("/").pop() ?? "";
  // The storefront's title for the only variant of a product without options.
  const title = variant.title === "Default Title" ? product.title : variant.title;
  return {
    id: variant.id,
    title,
    description: { plain: title },
    ...(variant.sku && { sku: variant.sku }),
    ...(variant.barcode && { barcodes: [{ type: "GTIN", value: variant.barcode }] }),
    url: `${product.url}?variant=${number}`,
    price: toPrice(variant.price),
    availability: {
      available: variant.available,
      status: variant.available ? "in_stock" : "out_of_stock",
    },
  };
}

export function toUcpProduct(product: Product) {
  return {
    id: product.id,
    handle: product.handle,
    title: product.title,
    description: { plain: product.description || product.title },
    url: product.url,
    ...(product.product_type && {
      categories: [{ value: product.product_type, taxonomy: "merchant" }],
    }),
    price_range: { min: toPrice(product.price_range.min), max: toPrice(product.price_range.max) },
    ...(product.image && {
      media: [
        {
          type: "image",
          url: product.image.url,
          ...(product.image.alt && { alt_text: product.image.alt }),
        },
      ],
    }),
    variants: product.variants.map((variant) => toUcpVariant(product, variant)),
    tags: product.tags,
  };
}

export type UcpProduct = ReturnType<typeof toUcpProduct>;
