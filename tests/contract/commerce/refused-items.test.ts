// Items that the store's own rules refuse: quantity rules, subscriptions, the merchant's validation of carts.
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  CART_API,
  itemsOf,
  makeCheckout,
  newPayer,
  seedProducts,
  sentAs,
  type Shelf,
} from "../../support/agents/checkout.ts";
import type { Shopper } from "../../support/agents/commerce.ts";
import { startService, type Service } from "../../support/service.ts";

let service: Service;
let shelf: Shelf;
let shopper: Shopper;
beforeAll(async () => {
  service = await startService();
  shelf = await seedProducts(service);
  shopper = await newPayer(service);
});
afterAll(() => service.stop());

const refuse = (code: string, field: string[] | null) =>
  service.sandbox.failNext("storefront", {
    status: 200,
    body: {
      data: {
        cartCreate: { cart: null, userErrors: [{ field, message: "Not allowed.", code }] },
      },
    },
    match: CART_API,
  });

it.each([
  "INVALID_INCREMENT",
  "MAXIMUM_EXCEEDED",
  "MINIMUM_NOT_MET",
  "VALIDATION_CUSTOM",
  "VARIANT_REQUIRES_SELLING_PLAN",
])("an agent cannot buy by a draft order what the store's cart refuses (%s)", async (code) => {
  refuse(code, ["input", "lines", "1", "quantity"]);
  const { status, json } = await makeCheckout(service, shopper, {
    line_items: [...itemsOf(shelf.camera), ...itemsOf(shelf.lamp, 7)],
  });
  expect([status, json.code, json.unavailable]).toEqual([409, "items_unavailable", [shelf.lamp]]);
  expect(sentAs(service, "DraftOrderCreate")).toEqual([]);
});

it("a refusal that names no item counts for every item", async () => {
  refuse("VALIDATION_CUSTOM", null);
  const { status, json } = await makeCheckout(service, shopper, {
    line_items: itemsOf(shelf.camera),
  });
  expect([status, json.unavailable]).toEqual([409, [shelf.camera]]);
});
