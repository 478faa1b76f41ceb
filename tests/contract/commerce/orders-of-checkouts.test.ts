// Matching orders to checkouts.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { findCheckoutOfOrder } from "../../../app/domain/agents/ucp/orders.ts";
import { getTenant } from "../../../app/domain/tenants/tenant.ts";
import {
  act,
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
import { callsOf, newShopper, variantOf, type Shopper } from "../../support/agents/commerce.ts";
import { SHOP, startService, type Service } from "../../support/service.ts";
import { inboxIsWorked } from "../../support/storefront/storefront.ts";

let service: Service;
let shelf: Shelf;
let lantern: string;
let shopper: Shopper;
beforeAll(async () => {
  service = await startService({ background: true });
  shelf = await seedProducts(service);
  lantern = (await variantOf(service, "LAN-G")).id;
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
      { customer: { id: 1 }, cart_token: await cartOf(id) },
      { customer: { id: "1" }, note_attributes: named(id), cart_token: await cartOf(id) },
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

  it("of the same customer completes it also when the order has the customer's number only", async () => {
    const { id } = (await create()).json;
    const number = shopper.gid.split("/").at(-1);
    await ordered({ customer: { id: number }, note_attributes: named(id) });
    expect(await completed(service, id)).toMatchObject({ order_id: ORDER });
  });

  it.each([
    ["", ""],
    ["", "?key=a1b2"],
    ["gid://shopify/Cart/", "?key=a1b2"],
  ])("of a guest completes it by the cart's own token, as %s…%s", async (before, after) => {
    const { id } = (await create()).json;
    await ordered({
      customer: null,
      note_attributes: named(id),
      cart_token: `${before}${await cartOf(id)}${after}`,
    });
    expect(await completed(service, id)).toMatchObject({ order_id: ORDER });
  });

  it.each([
    ["gid", (gid: string) => ({ admin_graphql_api_id: gid })],
    ["number", (gid: string) => ({ id: gid.split("/").at(-1) })],
  ])("of a guest completes it when its %s is that of its own draft's order", async (_, naming) => {
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
      ...naming(order.gid),
      customer: null,
      note_attributes: named(id),
    });
    expect(await completed(service, id)).toMatchObject({ order_id: order.gid });
  });

  it("of the same customer completes a draft also while the storefront cannot say which order it became", async () => {
    closeCarts(service);
    const { id } = (await create()).json;
    openCarts(service);
    service.sandbox.failNext("storefront", { status: 422, match: "/admin/api/" }, 5);
    await ordered({ customer: customer(shopper), note_attributes: named(id) });
    expect(await completed(service, id)).toMatchObject({ order_id: ORDER });
    service.sandbox.clearFaults();
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

// A cart stays payable after an update, and a mandate's budget covers all that is bought with it.
describe("the budget of a mandate", () => {
  let mandate: string;
  beforeEach(async () => {
    mandate = await newMandate(service, shopper, { usage: "multi" });
  });
  let orders = 9_007_199_254_800_000n;
  const newOrderId = () => `gid://shopify/Order/${(orders += 1n)}`;
  const buy = (items = itemsOf(shelf.camera)) =>
    makeCheckout(service, shopper, { line_items: items, mandate_id: mandate });
  const bought = async (items = itemsOf(shelf.camera)) => (await buy(items)).json;
  const change = async (id: string, items: object) =>
    (await act(service, shopper, id, "update", { line_items: items })).json;
  const lamp = () => itemsOf(shelf.lamp);
  const tokenOf = ({ checkout_url: url }: { checkout_url: string }) =>
    /\/c\/([^?]+)/.exec(url)?.[1] as string;
  const send = (id: string, fields: object) =>
    service.webhook(
      "orders-create",
      JSON.stringify({
        admin_graphql_api_id: newOrderId(),
        customer: { admin_graphql_api_id: shopper.gid },
        note_attributes: [{ name: "checkout_id", value: id }],
        currency: "EUR",
        ...fields,
      }),
      { headers: { "X-Shopify-Webhook-Id": randomUUID() } },
    );
  const ordered = async (id: string, fields: object) => {
    await send(id, fields);
    await inboxIsWorked(service);
  };
  const paid = async (url: string): Promise<string> => {
    const { order } = await service.sandbox.storefront.pay(SHOP, url);
    await inboxIsWorked(service);
    return order.gid;
  };
  const spent = async () => {
    const { spent_amount: amount, reserved_amount: held } = await mandateRow(service, mandate);
    return { spent: amount, held };
  };
  const checkoutOf = async (order: string): Promise<string> => {
    const person = { account: { id: shopper.id } } as Parameters<typeof findCheckoutOfOrder>[2];
    return findCheckoutOfOrder(service.ctx, await getTenant(service.ctx, SHOP), person, order);
  };

  it("is not freed by a small order that only names the checkout, and its own order then counts once", async () => {
    const made = await bought(lamp());
    await ordered(made.id, { cart_token: "a-cart-of-anybody", subtotal_price: "1.00" });
    expect([(await checkoutAs(service, made.id)).status, await spent()]).toEqual([
      "completed",
      { spent: "60.00", held: "0.00" },
    ]);
    const order = await paid(made.checkout_url);
    expect(await spent()).toEqual({ spent: "60.00", held: "0.00" });
    expect(await checkoutOf(order)).toBe(made.id);
    expect((await buy(lamp())).json).toMatchObject({ code: "mandate_refused", reason: "exceeded" });
  });

  it("counts an order that only names the checkout with its own amount when that is more", async () => {
    const made = await bought();
    await ordered(made.id, { cart_token: "another-cart", subtotal_price: "70.00" });
    expect(await spent()).toEqual({ spent: "70.00", held: "0.00" });
    await ordered(made.id, { cart_token: "a-third-cart", subtotal_price: "20.00" });
    expect(await spent()).toEqual({ spent: "70.00", held: "0.00" });
  });

  it.each(["first", "last"])("covers a replaced cart that is paid %s", async (place) => {
    const made = await bought();
    const changed = await change(made.id, lamp());
    const urls = [made.checkout_url, changed.checkout_url];
    const paidOrders: string[] = [];
    for (const url of place === "first" ? urls : urls.toReversed())
      paidOrders.push(await paid(url));
    expect(await spent()).toEqual({ spent: "100.00", held: "0.00" });
    for (const order of paidOrders) expect(await checkoutOf(order)).toBe(made.id);
    expect((await checkoutAs(service, made.id)).order_id).toBe(paidOrders[0]);
    expect((await buy()).json.reason).toBe("used");
  });

  it("covers both carts of a canceled checkout", async () => {
    const made = await bought();
    const changed = await change(made.id, itemsOf(lantern));
    await act(service, shopper, made.id, "cancel");
    await paid(changed.checkout_url);
    expect(await spent()).toEqual({ spent: "25.00", held: "0.00" });
    await paid(made.checkout_url);
    expect(await spent()).toEqual({ spent: "65.00", held: "0.00" });
  });

  it("counts a replaced cart with the delivery that was chosen for it, also in another currency", async () => {
    const { storefront } = service.sandbox;
    storefront.putDelivery(SHOP, {
      rates: [{ title: "Express", code: "EXP", price: "12.90" }],
      preselects: true,
    });
    const address = { address_country: "DE", postal_code: "50667" };
    const withDelivery = async () => {
      mandate = await newMandate(service, shopper, { usage: "multi" });
      const { json } = await makeCheckout(service, shopper, {
        line_items: itemsOf(shelf.camera),
        mandate_id: mandate,
        delivery: { address },
      });
      expect(json.totals.total).toBe("52.90");
      await act(service, shopper, json.id, "update", {
        line_items: itemsOf(shelf.camera),
        delivery: null,
      });
      return json;
    };
    const prices = { subtotal_price: "40.00", total_price: "52.90" };
    const made = await withDelivery();
    await ordered(made.id, { cart_token: tokenOf(made), ...prices });
    expect(await spent()).toEqual({ spent: "52.90", held: "0.00" });
    const foreign = await withDelivery();
    await ordered(foreign.id, {
      cart_token: tokenOf(foreign),
      subtotal_price: "8000.00",
      currency: "JPY",
    });
    expect(await spent()).toEqual({ spent: "52.90", held: "0.00" });
  });

  it("counts an order once, however often and at once it is reported", async () => {
    const made = await bought();
    const changed = await change(made.id, itemsOf(lantern));
    const order = (one: object) => ({
      admin_graphql_api_id: newOrderId(),
      cart_token: tokenOf(one as { checkout_url: string }),
    });
    const [first, second] = [order(changed), order(made)];
    await Promise.all(
      [first, second, first, second, first, second].map((one) => send(made.id, one)),
    );
    await inboxIsWorked(service);
    for (const one of [second, first, { ...second, admin_graphql_api_id: null }])
      await ordered(made.id, one);
    expect(await spent()).toEqual({ spent: "65.00", held: "0.00" });
  });

  it("counts the order of a checkout that was completed before its orders were remembered once", async () => {
    const made = await bought();
    const order = { admin_graphql_api_id: newOrderId(), cart_token: tokenOf(made) };
    await ordered(made.id, order);
    await service.database.query("UPDATE checkout_sessions SET orders = NULL WHERE id = $1", [
      made.id,
    ]);
    await ordered(made.id, order);
    expect(await spent()).toEqual({ spent: "40.00", held: "0.00" });
  });

  it("is charged for the checkout whose cart was paid, whatever checkout the cart names", async () => {
    const small = await bought(itemsOf(lantern));
    const large = await bought(lamp());
    await ordered(small.id, { cart_token: tokenOf(large), subtotal_price: "60.00" });
    expect(await spent()).toEqual({ spent: "60.00", held: "25.00" });
    expect((await checkoutAs(service, large.id)).status).toBe("completed");
    expect((await checkoutAs(service, small.id)).status).toBe("ready_for_complete");
  });

  // Anyone with a cart's address can give it attributes.
  it.each([
    ["a name that is too long", { note_attributes: [{ name: "x".repeat(300), value: "y" }] }],
    ["no name", { note_attributes: [{ name: null, value: "y" }] }],
    [
      "more names than a store needs",
      { note_attributes: Array.from({ length: 600 }, () => ({ name: "n" })) },
    ],
    ["no list", { note_attributes: {} }],
    ["prices as numbers", { subtotal_price: 40, total_price: 40.0 }],
    ["prices as nothing known", { subtotal_price: {}, currency: 978 }],
  ])("counts the order of its cart whatever else the order has: %s", async (_, fields) => {
    const made = await bought();
    await ordered(made.id, { cart_token: tokenOf(made), ...fields });
    expect(await spent()).toEqual({ spent: "40.00", held: "0.00" });
    expect((await checkoutAs(service, made.id)).status).toBe("completed");
  });

  it("remembers an order for which other checkouts leave no room until one of them ends", async () => {
    const made = await bought();
    const changed = await change(made.id, lamp());
    await paid(changed.checkout_url);
    const held = await bought();
    await paid(made.checkout_url);
    expect(await spent()).toEqual({ spent: "60.00", held: "40.00" });
    await act(service, shopper, held.id, "cancel");
    expect(await mandateRow(service, mandate)).toMatchObject({
      spent_amount: "100.00",
      reserved_amount: "0.00",
      status: "used",
    });
  });

  it("covers 500 replaced carts: a checkout that has as many no longer changes", async () => {
    const { id } = await bought();
    await service.database.query(
      `UPDATE checkout_sessions SET replaced_carts = (SELECT jsonb_agg(jsonb_build_object(
        'id', 'cart-' || n, 'total', '1.00')) FROM generate_series(1, 499) AS n) WHERE id = $1`,
      [id],
    );
    expect((await change(id, lamp())).id).toBe(id);
    expect((await change(id, lamp())).code).toBe("checkout_closed");
  });

  it("covers a replaced draft order that the storefront did not delete", async () => {
    closeCarts(service);
    const made = await bought();
    openCarts(service);
    service.sandbox.failNext("storefront", { status: 403, match: /\/admin\/api\// }, 1);
    const deletions = callsOf(service, "draftOrderDelete");
    const changed = await change(made.id, lamp());
    expect(callsOf(service, "draftOrderDelete")).toBe(deletions + 1);
    openCarts(service);
    await paid(changed.checkout_url);
    await paid(made.checkout_url);
    expect(await spent()).toEqual({ spent: "100.00", held: "0.00" });
  });
});
