import { describe, expect, it } from "vitest";
import {
  deliveryOfDraft,
  findChoice,
  readDelivery,
  totalWithDelivery,
} from "../../../app/domain/commerce/cart/cart-delivery.ts";

const money = (amount: string) => ({ amount, currencyCode: "EUR" });
const option = (title: string, price: string, more: object = {}) => ({
  handle: `handle of ${title} at ${price}`,
  code: title,
  title,
  description: null,
  deliveryMethodType: "SHIPPING",
  estimatedCost: money(price),
  ...more,
});
const groups = (...all: ReturnType<typeof option>[][]) => ({
  deliveryGroups: {
    nodes: all.map((deliveryOptions, index) => ({ id: `group ${index}`, deliveryOptions })),
  },
});
const shipment = (optionId: string | null = null) => ({
  address: { countryCode: "DE" },
  destinationId: "destination_1",
  optionId,
  isLost: false,
});
const read = (cart: ReturnType<typeof groups>, optionId: string | null = null) =>
  readDelivery(shipment(optionId), ["v"], cart);

describe("delivery options of a cart", () => {
  it("keep their ids when the storefront's handles and prices change", () => {
    const [first] = read(groups([option("Standard", "4.90")])).options;
    const [later] = read(
      groups([option("Express", "9"), option("Standard", "5.90")]),
    ).options.slice(1);
    expect([later?.id, later?.amount]).toEqual([first?.id, "5.90"]);
  });

  it("have different ids, also when two have one name", () => {
    const cart = groups([option("Standard", "4.90"), option("Standard", "7.90")]);
    const [one, two] = read(cart).options;
    expect(one?.id).not.toBe(two?.id);
    expect(findChoice(shipment(two?.id), cart)).toEqual({
      deliveryGroupId: "group 0",
      deliveryOptionHandle: "handle of Standard at 7.90",
    });
  });

  it("leave out those for which the shopper chooses a place", () => {
    const pickup = option("In the store", "0.00", { deliveryMethodType: "PICK_UP" });
    const answer = read(groups([pickup]));
    expect([answer.options, answer.problem]).toEqual([[], "no_options"]);
  });

  it("are left to the shopper when the store sends several parcels", () => {
    const cart = groups([option("Standard", "4.90")], [option("Standard", "4.90")]);
    const [known] = read(groups([option("Standard", "4.90")])).options;
    expect(read(cart, known?.id)).toMatchObject({ options: [], problem: "in_parcels" });
    expect(findChoice(shipment(known?.id), cart)).toBeNull();
  });

  it("have plain texts of bounded length", () => {
    const [first] = read(
      groups([option(`<b>Fast</b>\u202e ${"x".repeat(5_000)}`, "1.00")]),
    ).options;
    expect(first?.title).not.toMatch(/[<\u202e]/);
    expect(first?.title.length).toBeLessThanOrEqual(255);
  });
});

describe("a checkout without an address", () => {
  const without = (isLost: boolean) => ({
    address: null,
    destinationId: null,
    optionId: null,
    isLost,
  });
  it.each([
    ["a cart", (isLost: boolean, ids: string[]) => readDelivery(without(isLost), ids, {})],
    ["a draft order", (isLost: boolean, ids: string[]) => deliveryOfDraft(without(isLost), ids)],
  ])("of %s says whether it had one, and only if goods are shipped", (_title, deliver) => {
    expect(deliver(false, ["v"])).toMatchObject({
      destination_id: null,
      problem: "address_missing",
    });
    expect(deliver(true, ["v"])).toMatchObject({ destination_id: null, problem: "address_lost" });
    expect(deliver(true, []).problem).toBeNull();
  });
});

describe("the delivery of a draft order", () => {
  it("is for the shopper to choose when goods are shipped", () => {
    expect(deliveryOfDraft(shipment(), ["v"])).toMatchObject({
      destination_id: "destination_1",
      problem: "not_supported",
    });
    expect(deliveryOfDraft(shipment(), []).problem).toBeNull();
  });
});

describe("the total of a cart", () => {
  const cart = (price: string) => ({
    deliveryGroups: {
      nodes: [
        {
          id: "g",
          deliveryOptions: [],
          selectedDeliveryOption: { handle: "h", estimatedCost: money(price) },
        },
      ],
    },
  });
  it.each([
    ["the storefront's when it has the delivery", "44.90", [], "44.90"],
    ["the storefront's when taxes are in it too", "50.00", [], "50.00"],
    ["items and delivery when the storefront leaves it out", "40.00", [], "44.90"],
    ["the storefront's when a discount covers the delivery", "40.00", [money("4.90")], "40.00"],
  ])("is %s", (_title, total, off, expected) => {
    const hasDeliveryCode = false;
    expect(
      totalWithDelivery({ subtotal: "40.00", total, off, hasDeliveryCode }, cart("4.9")).total,
    ).toBe(expected);
    expect(
      totalWithDelivery({ subtotal: "40.00", total: "39.00", off: [], hasDeliveryCode }, {}),
    ).toEqual({ total: "39.00", deliveryOff: null });
  });

  it.each([
    ["the storefront's when it lacks the delivery", "40.00", "40.00", "4.90"],
    ["the storefront's when it lacks a part of the delivery", "42.00", "42.00", "2.90"],
    ["the storefront's when it has the delivery", "44.90", "44.90", null],
    ["items and delivery when it lacks more than the delivery", "39.99", "44.90", null],
  ])("with a code for the delivery is %s", (_title, total, expected, deliveryOff) => {
    expect(
      totalWithDelivery({ subtotal: "40.00", total, off: [], hasDeliveryCode: true }, cart("4.9")),
    ).toEqual({ total: expected, deliveryOff });
  });
});
