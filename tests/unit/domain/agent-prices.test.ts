// Prices that agents see before the checkout.
import { expect, test } from "vitest";
import { toPriceUnits } from "../../../app/domain/agents/minor-units.ts";
import { toUcpProduct } from "../../../app/domain/agents/ucp/products.ts";

test("a price is what a checkout counts: two decimals, rounded up, in the currency's minor unit", () => {
  for (const [amount, currency, units] of [
    ["1.234", "KWD", 1_240],
    ["0.001", "BHD", 10],
    ["1.230", "KWD", 1_230],
    ["40.00", "EUR", 4_000],
    ["40", "JPY", 40],
  ] as const)
    expect([amount, currency, toPriceUnits(amount, currency)]).toEqual([amount, currency, units]);
});

test("the catalog shows that price for a product and its variants", () => {
  const price = { amount: "1.234", currency: "KWD" };
  const product = toUcpProduct({
    id: "gid://shopify/Product/1",
    handle: "lamp",
    title: "Lamp",
    description: "",
    url: "https://test-store.myshopify.com/products/lamp",
    product_type: "",
    image: null,
    tags: [],
    price_range: { min: price, max: price },
    variants: [
      {
        id: "gid://shopify/ProductVariant/1",
        title: "Default Title",
        sku: null,
        barcode: null,
        price,
        available: true,
      },
    ],
  } as unknown as Parameters<typeof toUcpProduct>[0]);
  expect([product.price_range.min.amount, product.variants[0]?.price.amount]).toEqual([
    1_240, 1_240,
  ]);
});
