// What a checkout's totals say of discounts beside the delivery.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  act,
  mandateRow,
  newMandate,
  newPayer,
  seedProducts,
  type Shelf,
} from "../../../support/agents/checkout.ts";
import type { Shopper } from "../../../support/agents/commerce.ts";
import { SHOP, startService, type Service } from "../../../support/service.ts";
import { callUcpTool, totalsOf } from "../../../support/agents/ucp-tools.ts";

let service: Service;
let shelf: Shelf;
let shopper: Shopper;
beforeAll(async () => {
  service = await startService();
  shelf = await seedProducts(service);
  shopper = await newPayer(service);
});
afterAll(() => service.stop());
beforeEach(() =>
  service.sandbox.storefront.putDelivery(SHOP, {
    rates: [{ title: "Standard", code: "STD", price: "4.90" }],
    preselects: false,
    parcels: 1,
  }),
);

const tool = (name: string, args: object) => callUcpTool(service, shopper, name, args);
const items = () => [{ item: { id: shelf.camera }, quantity: 1 }];
const to = (option?: string) => ({
  methods: [
    {
      type: "shipping",
      destinations: [{ address_country: "DE", postal_code: "50667" }],
      ...(option && { groups: [{ id: "group_1", selected_option_id: option }] }),
    },
  ],
});
const make = (more: object) =>
  tool("create_checkout", { checkout: { line_items: items(), fulfillment: to(), ...more } });
/** With the first option chosen. */
const choose = (made: any) => {
  const [option] = made.fulfillment.methods[0].groups[0].options;
  const checkout = { line_items: items(), fulfillment: to(option.id) };
  return tool("update_checkout", { id: made.id, checkout });
};
const putDeliveryCode = (percent: number, isActive = true) =>
  service.sandbox.storefront.putDiscount(SHOP, {
    code: "SHIPFREE",
    title: "Delivery",
    percent,
    on: "delivery",
    isActive,
  });

it("names the order's discount and the delivery of several parcels separately", async () => {
  service.sandbox.storefront.putDelivery(SHOP, { parcels: 2, preselects: true });
  const tenOff = { code: "SUMMER10", title: "Summer", percent: 10, on: "order" } as const;
  service.sandbox.storefront.putDiscount(SHOP, tenOff);
  const made = await make({ discounts: { codes: ["SUMMER10"] } });
  expect(made.messages.map(({ code }: any) => code)).toContain("fulfillment_in_parcels");
  expect(made.discounts.applied).toMatchObject([{ code: "SUMMER10", amount: 400 }]);
  expect(made.totals).toEqual([
    expect.objectContaining({ type: "subtotal", amount: 4_000 }),
    { type: "discount", amount: -400 },
    { type: "fee", display_text: "Shipping, taxes and fees", amount: 980 },
    expect.objectContaining({ type: "total", amount: 4_580 }),
  ]);
});

describe("a code that takes off the delivery", () => {
  const withCode = { discounts: { codes: ["SHIPFREE"] } };

  it.each([
    [100, 490, 4_000],
    [50, 245, 4_245],
  ])("of %i percent counts as the storefront counts it", async (percent, off, total) => {
    putDeliveryCode(percent);
    const made = await choose(await make(withCode));
    expect(totalsOf(made)).toEqual({ subtotal: 4_000, discount: -off, fulfillment: 490, total });
    expect(made.discounts).toEqual({
      codes: ["SHIPFREE"],
      applied: [{ code: "SHIPFREE", title: "SHIPFREE", amount: off }],
    });
  });

  it("takes nothing off before an option is chosen, nor after it ended", async () => {
    putDeliveryCode(100);
    const made = await make(withCode);
    expect([totalsOf(made).total, made.discounts.applied]).toEqual([4_000, []]);
    putDeliveryCode(100, false);
    const ended = await choose(made);
    expect([totalsOf(ended).total, ended.discounts.applied]).toEqual([4_490, []]);
  });

  it("is held by a mandate, and is a changed price when it ended before the confirmation", async () => {
    putDeliveryCode(100);
    const mandate = await newMandate(service, shopper, { max_amount: "40.00" });
    const made = await choose(await make({ ...withCode, mandate_id: mandate }));
    expect((await mandateRow(service, mandate)).reserved_amount).toBe("40.00");
    putDeliveryCode(100, false);
    expect((await act(service, shopper, made.id, "complete")).json).toMatchObject({
      status: "requires_escalation",
      messages: [{ code: "price_changed" }],
    });
    putDeliveryCode(100);
    expect((await act(service, shopper, made.id, "complete")).json.status).toBe(
      "complete_in_progress",
    );
  });
});
