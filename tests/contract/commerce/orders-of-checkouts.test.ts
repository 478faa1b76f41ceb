// Matching orders to checkouts.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  checkoutAs,
  closeCarts,
  completed,
  itemsOf,
  makeCheckout,
  mandateRow,
  newMandate,
  newPayer,
  openCarts,
  seedProducts,
  type Shelf,
} from "../../support/agents/checkout.ts";
import { newShopper, type Shopper } from "../../support/agents/commerce.ts";
import { SHOP, startService, type Service } from "../../support/service.ts";
import { inboxIsWorked } from "../../support/storefront/storefront.ts";

let service: Service;
let shelf: Shelf;
let shopper: Shopper;
beforeAll(async () => {
  service = await startService({ background: true });
  shelf = await seedProducts(service);
});
afterAll(() => service.stop());
beforeEach(async () => {
  shopper = await newPayer(service);
});

const create = () => makeCheckout(service, shopper, { line_items: itemsOf(shelf.camera) });

// Anyone can put an attribute into their own cart: it names a checkout but proves nothing.
describe("an order that names a checkout", () => {
  const ORDER = "gid://shopify/Order/9007199254743997";
  const named = (id: string) => [{ name: "checkout_id", value: id }];
  const ordered = async (fields: object) => {
    await service.webhook(
      "orders-create",
      JSON.stringify({ admin_graphql_api_id: ORDER, total_price: "1.00", ...fields }),
      { headers: { "X-Shopify-Webhook-Id": randomUUID() } },
    );
    await inboxIsWorked(service);
  };
  const customer = ({ gid }: Shopper) => ({ admin_graphql_api_id: gid });
  const cartOf = async (id: string) => {
    const [{ external_id: cart }] = await service.database.query(
      "SELECT external_id FROM checkout_sessions WHERE id = $1",
      [id],
    );
    return /Cart\/([^?]+)/.exec(cart)?.[1] as string;
  };

  it("of another customer changes neither the checkout nor its mandate", async () => {
    const payer = await newPayer(service);
    const mandate = await newMandate(service, payer);
    const made = await makeCheckout(service, payer, {
      line_items: itemsOf(shelf.camera),
      mandate_id: mandate,
    });
    const { id } = made.json;
    const before = [await checkoutAs(service, id), await mandateRow(service, mandate)];
    const stranger = await newShopper(service);
    for (const fields of [
      { customer: customer(stranger), note_attributes: named(id) },
      { customer: customer(stranger), note_attributes: named(id), cart_token: "their-own-cart" },
      { customer: customer(stranger), note_attributes: named(id), cart_token: await cartOf(id) },
      { customer: customer(stranger), cart_token: await cartOf(id) },
      { customer: null, note_attributes: named(id) },
      { customer: null, note_attributes: named(id), cart_token: "their-own-cart" },
      { note_attributes: named(id) },
      { customer: { id: 1 }, note_attributes: named(id) },
    ]) {
      await ordered(fields);
      expect([fields, await checkoutAs(service, id), await mandateRow(service, mandate)]).toEqual([
        fields,
        ...before,
      ]);
    }
  });

  it("of the same customer completes it, whichever cart was paid", async () => {
    const { id } = (await create()).json;
    await ordered({ customer: customer(shopper), note_attributes: named(id) });
    expect(await completed(service, id)).toMatchObject({ order_id: ORDER });
  });

  it("of a guest completes it by the cart's own token", async () => {
    const { id } = (await create()).json;
    await ordered({
      customer: null,
      note_attributes: named(id),
      cart_token: await cartOf(id),
    });
    expect(await completed(service, id)).toMatchObject({ order_id: ORDER });
  });

  it("of a guest completes it when it is the order of its own draft", async () => {
    closeCarts(service);
    const { id, checkout_url: url } = (await create()).json;
    openCarts(service);
    await ordered({ customer: null, note_attributes: named(id) });
    expect((await checkoutAs(service, id)).status).toBe("requires_escalation");
    // Its own webhook, which names the customer, is lost.
    const { order } = await service.sandbox.storefront.pay(SHOP, url, {
      uri: "http://127.0.0.1:1/",
    });
    await service.sandbox.storefront.sendWebhook(SHOP, "orders/create", {
      admin_graphql_api_id: order.gid,
      customer: null,
      note_attributes: named(id),
    });
    expect(await completed(service, id)).toMatchObject({ order_id: order.gid });
  });

  it("of another person does not complete it but the buyer's own checkout, matched by its cart", async () => {
    const { id: theirs } = (await create()).json;
    const buyer = await newPayer(service);
    const own = await makeCheckout(service, buyer, { line_items: itemsOf(shelf.camera) });
    await ordered({
      customer: customer(buyer),
      note_attributes: named(theirs),
      cart_token: await cartOf(own.json.id),
    });
    expect(await completed(service, own.json.id)).toMatchObject({ order_id: ORDER });
    expect((await checkoutAs(service, theirs)).status).toBe("requires_escalation");
  });
});
