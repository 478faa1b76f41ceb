// Delivery of a checkout, carried by the storefront's cart: over UCP in both versions and over REST.
import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { UCP_VERSIONS } from "../../../../app/domain/agents/ucp/profile.ts";
import {
  act,
  CART_API,
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
  sentAs,
  type Shelf,
} from "../../../support/agents/checkout.ts";
import type { Shopper } from "../../../support/agents/commerce.ts";
import { platformProfile, startPlatform } from "../../../support/agents/ucp-cli.ts";
import { findEverywhere } from "../../../support/privacy.ts";
import { SHOP, startService, type Service } from "../../../support/service.ts";
import {
  callUcpTool,
  expectValidCheckout,
  totalsOf,
  ucpProfile,
} from "../../../support/agents/ucp-tools.ts";

let service: Service;
let platform: Awaited<ReturnType<typeof startPlatform>>;
let shelf: Shelf;
let shopper: Shopper;
let guide: string;
beforeAll(async () => {
  [service, platform] = [await startService({ background: true }), await startPlatform()];
  shelf = await seedProducts(service);
  shopper = await newPayer(service);
  const { variants } = service.sandbox.storefront.putProduct(SHOP, {
    title: "Field guide (PDF)",
    variants: [{ sku: "PDF-1", price: "9.00", requiresShipping: false }],
  });
  guide = variants[0]?.gid ?? "";
});
afterAll(async () => {
  await platform.stop();
  await service.stop();
});

const RATES = [
  { title: "Standard", code: "STD", description: "3 to 5 business days", price: "4.90" },
  { title: "Express", code: "EXP", price: "12.90" },
];
beforeEach(() => service.sandbox.storefront.putDelivery(SHOP, { rates: RATES, preselects: false }));
afterEach(() => openCarts(service));

const tool = (name: string, args: object, profile?: string) =>
  callUcpTool(service, shopper, name, args, profile);
const lines = (quantity = 1, id = shelf.camera) => [{ item: { id }, quantity }];
const HOME = {
  street_address: "Hinterhof-Allee 7",
  address_locality: "Köln",
  postal_code: "50667",
  address_country: "DE",
  first_name: "Ada",
  last_name: "Byron",
};
const to = (address: object = HOME, option?: string | null) => ({
  methods: [
    {
      type: "shipping",
      destinations: [address],
      ...(option !== undefined && { groups: [{ id: "group_1", selected_option_id: option }] }),
    },
  ],
});
const methodOf = (checkout: any) => checkout.fulfillment.methods[0];
const groupOf = (checkout: any) => methodOf(checkout).groups[0];
const optionOf = (checkout: any, title: string): string =>
  groupOf(checkout).options.find((one: any) => one.title === title).id;
const noticesOf = ({ messages = [] }: any): string[] =>
  messages.filter(({ type }: any) => type !== "error").map(({ code }: any) => code);
const make = (more: object, profile?: string) =>
  tool("create_checkout", { checkout: { line_items: lines(), ...more } }, profile);
const change = (id: string, more: object, profile?: string) =>
  tool("update_checkout", { id, checkout: { line_items: lines(), ...more } }, profile);
/** The update is refused with these errors, each with its path, and answers the checkout as it is. */
const expectUnchanged = async (id: string, more: object, errors: object[]) => {
  const before = await tool("get_checkout", { id });
  const { messages, ...refused } = await change(id, more);
  expect(refused).toEqual({ ...before, messages: undefined });
  expect(refused.ucp.status).toBe("success");
  const expected = errors.map((error) => ({ type: "error", severity: "recoverable", ...error }));
  expect(messages.slice(0, errors.length)).toEqual(
    expected.map((error) => expect.objectContaining(error)),
  );
  expect(messages.slice(errors.length)).toEqual(before.messages ?? []);
  expect(await tool("get_checkout", { id })).toEqual(before);
};
/** A checkout with the option of this title. */
const makeWith = async (title: string, more: object = {}) => {
  const made = await make({ fulfillment: to(), ...more });
  return change(made.id, { fulfillment: to(HOME, optionOf(made, title)) });
};

describe.each(UCP_VERSIONS)("UCP %s", (version) => {
  const profile = ucpProfile(version);
  const expectValid = (answer: unknown) => expectValidCheckout(version, "fulfillment", answer);

  it("answers the storefront's delivery options for an address, and adds the chosen one", async () => {
    const made = await make({ fulfillment: to() }, profile);
    expectValid(made);
    expect(made.ucp.capabilities).toHaveProperty(["dev.ucp.shopping.fulfillment"]);
    expect(methodOf(made)).toMatchObject({
      type: "shipping",
      line_item_ids: ["li_1"],
      destinations: [{ ...HOME, id: "destination_1" }],
      selected_destination_id: "destination_1",
    });
    const isNew = version === UCP_VERSIONS[0];
    const description = "3 to 5 business days";
    expect(groupOf(made).options).toEqual([
      expect.objectContaining({
        title: "Standard",
        description: isNew ? { plain: description } : description,
        totals: [{ type: "total", amount: 490 }],
      }),
      expect.objectContaining({ title: "Express", totals: [{ type: "total", amount: 1_290 }] }),
    ]);
    expect([groupOf(made).selected_option_id, totalsOf(made).total]).toEqual([null, 4_000]);
    expect(noticesOf(made)).toEqual(["fulfillment_option_missing"]);

    const express = optionOf(made, "Express");
    const chosen = await change(made.id, { fulfillment: to(HOME, express) }, profile);
    expectValid(chosen);
    expect(groupOf(chosen).selected_option_id).toBe(express);
    expect(totalsOf(chosen)).toEqual({ subtotal: 4_000, fulfillment: 1_290, total: 5_290 });
    expect(noticesOf(chosen)).toEqual([]);

    const read = await tool("get_checkout", { id: made.id }, profile);
    expectValid(read);
    expect(groupOf(read)).toEqual(groupOf(chosen));
    expect(methodOf(read).destinations).toEqual([
      { id: "destination_1", ...(isNew && { type: "shipping_address" }) },
    ]);
  });

  it("lists the items to be shipped before there is an address, and no download among them", async () => {
    const made = await make({ line_items: [...lines(1, guide), ...lines()] }, profile);
    expectValid(made);
    expect(made.fulfillment.methods).toEqual([
      { id: "shipping", type: "shipping", line_item_ids: ["li_2"] },
    ]);
    expect(noticesOf(made)).toEqual(["fulfillment_address_missing"]);
    const download = await make({ line_items: lines(1, guide), fulfillment: to() }, profile);
    expectValid(download);
    expect([download.fulfillment, noticesOf(download)]).toEqual([{ methods: [] }, []]);
  });

  it("advertises the extension of a checkout", async () => {
    const path = version === UCP_VERSIONS[0] ? "" : `/${version}`;
    const { json } = await service.call("GET", `/.well-known/ucp${path}?shop=${SHOP}`, {
      key: null,
    });
    expect(json.ucp.capabilities["dev.ucp.shopping.fulfillment"]).toMatchObject([
      { version, extends: "dev.ucp.shopping.checkout" },
    ]);
  });
});

describe("an update", () => {
  it("keeps address and option where it names neither, and removes both by an empty list of methods", async () => {
    const { id } = await makeWith("Standard");
    const more = await change(id, { line_items: lines(2) });
    expect(totalsOf(more)).toEqual({ subtotal: 8_000, fulfillment: 490, total: 8_490 });
    const [{ address }] = sentAs(service, "CartCreate").at(-1).input.delivery.addresses;
    expect(address.deliveryAddress).toEqual({
      address1: "Hinterhof-Allee 7",
      city: "Köln",
      zip: "50667",
      countryCode: "DE",
      firstName: "Ada",
      lastName: "Byron",
    });
    const none = await change(id, { fulfillment: { methods: [] } });
    expect([totalsOf(none).total, methodOf(none).groups]).toEqual([4_000, undefined]);
    expect(sentAs(service, "CartCreate").at(-1).input).not.toHaveProperty("delivery");
  });

  it("may name the address before by its id, and refuses an id that the checkout does not have", async () => {
    const made = await make({ fulfillment: to({ ...HOME, id: "home" }) });
    const method = {
      type: "shipping",
      selected_destination_id: "home",
      groups: [{ id: "group_1", selected_option_id: optionOf(made, "Standard") }],
    };
    const chosen = await change(made.id, { fulfillment: { methods: [method] } });
    expect(totalsOf(chosen).total).toBe(4_490);
    const moved = { ...method, destinations: [{ ...HOME, street_address: "Neuweg 1" }] };
    await change(made.id, { fulfillment: { methods: [moved] } });
    const [{ address }] = sentAs(service, "CartCreate").at(-1).input.delivery.addresses;
    expect(address.deliveryAddress.address1).toBe("Neuweg 1");
    const other = { methods: [{ ...method, selected_destination_id: "somebody-elses" }] };
    await expectUnchanged(made.id, { fulfillment: other }, [
      {
        code: "invalid_request",
        content: "selected_destination_id names no address of this checkout.",
        path: "$.fulfillment.methods[0].selected_destination_id",
      },
    ]);
  });

  it("drops an option that a new address does not have, and says so", async () => {
    const { id, ...made } = await makeWith("Express");
    const abroad = { ...HOME, address_country: "JP", postal_code: "100-0001" };
    const express = groupOf(made).selected_option_id;
    const moved = await change(id, { fulfillment: to(abroad, express) });
    expect([groupOf(moved).options, groupOf(moved).selected_option_id]).toEqual([[], null]);
    expect([totalsOf(moved).total, noticesOf(moved)]).toEqual([4_000, ["fulfillment_no_options"]]);
  });

  it("answers a destination under the platform's own id, and refuses an address in place of an id", async () => {
    const id = "gid://shopify/MailingAddress/77?model_name=CustomerAddress";
    const named = (name: string) => ({
      methods: [{ ...to({ ...HOME, id: name }).methods[0], selected_destination_id: name }],
    });
    const made = await make({ fulfillment: named(id) });
    expect(methodOf(made)).toMatchObject({ selected_destination_id: id, destinations: [{ id }] });
    await expectUnchanged(made.id, { fulfillment: named("Hinterhof-Allee 7, Köln") }, [
      { code: "invalid_request", path: "$.fulfillment.methods[0].selected_destination_id" },
    ]);
  });

  it("that is refused answers the checkout as it is, with the path of what is wrong", async () => {
    const { id } = await makeWith("Standard");
    const pickup = { type: "pickup" };
    const elsewhere = { ...HOME, id: "elsewhere", postal_code: "10115" };
    const destinations = [elsewhere, { ...HOME, id: "home", address_country: "XX" }];
    const wrong = { type: "shipping", selected_destination_id: "home", destinations };
    await expectUnchanged(id, { fulfillment: { methods: [pickup, wrong] } }, [
      {
        code: "invalid_request",
        content: "address_country must be a country's code of two letters.",
        path: "$.fulfillment.methods[1].destinations[1].address_country",
      },
    ]);
    const open = { methods: [{ type: "shipping", destinations: [HOME, elsewhere] }] };
    await expectUnchanged(id, { fulfillment: open }, [
      { code: "invalid_request", path: "$.fulfillment.methods[0].selected_destination_id" },
    ]);
    const twice = { methods: [...to().methods, ...to().methods] };
    await expectUnchanged(id, { fulfillment: twice }, [
      { code: "invalid_request", path: "$.fulfillment.methods[1]" },
    ]);
    const items = [...lines(), ...lines(1, shelf.lanternRed), ...lines(1, "no-variant")];
    await expectUnchanged(id, { line_items: items.slice(0, 2) }, [
      { code: "item_unavailable", path: "$.line_items[1]" },
    ]);
    await expectUnchanged(id, { line_items: items }, [
      { code: "invalid_request", path: "$.line_items[2].item.id" },
    ]);
  });

  it.each([
    ["an unknown option", [{ id: "group_1", selected_option_id: "free-of-charge" }]],
    ["the option of another group", [{ id: "group_2", selected_option_id: "STD" }]],
    ["an option's title", [{ selected_option_id: "Standard" }]],
  ])("chooses nothing for %s", async (_title, groups) => {
    const made = await make({ fulfillment: to() });
    const fulfillment = { methods: [{ type: "shipping", destinations: [HOME], groups }] };
    const answer = await change(made.id, { fulfillment });
    expect(totalsOf(answer)).toEqual({ subtotal: 4_000, total: 4_000 });
    expect(noticesOf(answer)).toContain("fulfillment_option_unavailable");
  });

  it("keeps the items when the storefront does not give the address back, and says so", async () => {
    const { id } = await makeWith("Standard");
    service.sandbox.failNext("storefront", { status: 503, match: CART_API }, 1);
    const answer = await change(id, { line_items: lines(2) });
    expect([totalsOf(answer).total, noticesOf(answer)]).toEqual([
      8_000,
      ["fulfillment_address_missing"],
    ]);
  });
});

describe("a request for what is not offered", () => {
  it("gets a warning at its path for pickup, and the options for shipping", async () => {
    const pickup = { type: "pickup", selected_destination_id: "loc_1" };
    const { messages, fulfillment } = await make({
      fulfillment: { methods: [pickup, ...to().methods] },
    });
    expect(messages).toContainEqual(
      expect.objectContaining({
        code: "fulfillment_not_supported",
        path: "$.fulfillment.methods[0]",
      }),
    );
    expect(fulfillment.methods[0].groups[0].options).toHaveLength(2);
  });

  it.each([
    ["two shipping methods", { methods: [...to().methods, ...to().methods] }],
    [
      "two addresses of which none is selected",
      { methods: [{ type: "shipping", destinations: [HOME, { ...HOME, postal_code: "10115" }] }] },
    ],
  ])("is refused for %s", async (_title, fulfillment) => {
    const before = sentAs(service, "CartCreate").length;
    const refused = await make({ fulfillment });
    expect([refused.ucp.status, refused.messages[0].code]).toEqual(["error", "invalid_request"]);
    expect(sentAs(service, "CartCreate")).toHaveLength(before);
  });

  it("gets no delivery and a warning where the platform lacks the extension", async () => {
    platform.pages.set("/plain", {
      body: platformProfile("2026-08-25", ["dev.ucp.shopping.checkout"]),
    });
    const made = await make({ fulfillment: to() }, `${platform.url}/plain`);
    expect([made.fulfillment, noticesOf(made)]).toEqual([undefined, ["fulfillment_not_supported"]]);
    expect(sentAs(service, "CartCreate").at(-1).input).not.toHaveProperty("delivery");
  });

  it("gets a draft order with the address, and a warning for the option", async () => {
    const made = await make({ fulfillment: to() });
    closeCarts(service);
    const answer = await change(made.id, { fulfillment: to(HOME, optionOf(made, "Standard")) });
    expect([totalsOf(answer).total, noticesOf(answer)]).toEqual([
      4_000,
      ["fulfillment_not_supported"],
    ]);
    const { input } = sentAs(service, "DraftOrderCreate").at(-1);
    expect(input.shippingAddress).toMatchObject({ address1: HOME.street_address, zip: "50667" });
    expect(input).not.toHaveProperty("shippingLine");
  });
});

describe("an address", () => {
  it.each([
    ["a name of a country", { address_country: "Germany" }],
    ["a country that does not exist", { address_country: "XX" }],
    ["no country", { address_country: undefined }],
    ["a line break", { street_address: "Allee 7\nBcc: everybody" }],
    ["text that runs backwards", { last_name: "Ada \u202enoryB" }],
    ["a street of a thousand characters", { street_address: "a".repeat(1_000) }],
  ])("with %s is refused before a cart is made", async (_title, wrong) => {
    const before = sentAs(service, "CartCreate").length;
    const refused = await make({ fulfillment: to({ ...HOME, ...wrong }) });
    expect([refused.ucp.status, refused.messages[0].code]).toEqual(["error", "invalid_request"]);
    expect(sentAs(service, "CartCreate")).toHaveLength(before);
  });

  it.each([
    [{ postal_code: "ABC" }, "delivery.address.postal_code"],
    [{ street_address: "<script>alert(1)</script>" }, "delivery.address.street_address"],
    [{ first_name: "see https://evil.example" }, "delivery.address.first_name"],
    [{ address_region: "Rheinland" }, "delivery.address.address_region"],
    [{ phone_number: "call me" }, "delivery.address.phone_number"],
  ])(
    "that the storefront refuses (%j) names its field, and makes no draft order",
    async (wrong, field) => {
      const before = sentAs(service, "DraftOrderCreate").length;
      const delivery = { address: { ...HOME, ...wrong } };
      const refused = await makeCheckout(service, shopper, {
        line_items: itemsOf(shelf.camera),
        delivery,
      });
      expect([refused.status, refused.json.code, Object.keys(refused.json.fields)]).toEqual([
        400,
        "invalid_request",
        [field],
      ]);
      expect(refused.text).not.toContain(Object.values(wrong)[0]);
      expect(sentAs(service, "DraftOrderCreate")).toHaveLength(before);
    },
  );

  it("is neither stored nor logged, whatever becomes of the cart", async () => {
    const street = `Geheimweg ${randomUUID().slice(0, 8)}`;
    const secret = { ...HOME, street_address: street };
    const { id } = await make({ fulfillment: to(secret) });
    service.sandbox.failNext("storefront", { status: 500, match: CART_API }, 1);
    await change(id, { fulfillment: to(secret) });
    closeCarts(service);
    await change(id, { fulfillment: to(secret) });
    expect(await findEverywhere(service, [street])).toEqual([]);
    expect(JSON.stringify(service.logged)).not.toContain(street);
  });
});

describe("under a mandate", () => {
  const reserved = async (mandate: string) => (await mandateRow(service, mandate)).reserved_amount;

  it("holds the chosen delivery, up to the order", async () => {
    const mandate_id = await newMandate(service, shopper, { max_amount: "60.00" });
    const made = await makeWith("Express", { mandate_id });
    expect([made.status, await reserved(mandate_id)]).toEqual(["ready_for_complete", "52.90"]);
    // Delivery is no field of this request, in any shape.
    const checkout = { fulfillment: { methods: [null] } };
    const confirmed = await tool("complete_checkout", { id: made.id, checkout });
    expect(confirmed.status).toBe("complete_in_progress");
    const { order } = await service.sandbox.storefront.pay(SHOP, made.continue_url);
    expect(order.total).toBe("52.90");
    await completed(service, made.id);
    expect((await mandateRow(service, mandate_id)).spent_amount).toBe("52.90");
  });

  it("refuses a delivery that takes the checkout above it, and changes nothing", async () => {
    const mandate_id = await newMandate(service, shopper, { max_amount: "45.00" });
    const made = await makeWith("Standard", { mandate_id });
    const express = optionOf(made, "Express");
    await expectUnchanged(made.id, { fulfillment: to(HOME, express) }, [
      { code: "mandate_exceeded" },
    ]);
    expect(await reserved(mandate_id)).toBe("44.90");
  });

  it("asks the shopper when the delivery's price changed before the checkout was confirmed", async () => {
    const mandate_id = await newMandate(service, shopper, { max_amount: "60.00" });
    const made = await makeWith("Standard", { mandate_id });
    const dearer = RATES.map((rate) => ({ ...rate, price: "9.90" }));
    service.sandbox.storefront.putDelivery(SHOP, { rates: dearer });
    const asked = await tool("complete_checkout", { id: made.id, checkout: {} });
    expect([asked.status, asked.messages[0].code]).toEqual([
      "requires_escalation",
      "price_changed",
    ]);
    const renewed = await change(made.id, {});
    expect([totalsOf(renewed).total, await reserved(mandate_id)]).toEqual([4_990, "49.90"]);
  });

  it("changes nothing when an item is sold out", async () => {
    const mandate_id = await newMandate(service, shopper, { max_amount: "60.00" });
    const made = await makeWith("Standard", { mandate_id });
    const soldOut = await change(made.id, { line_items: lines(1, shelf.lanternRed) });
    expect(soldOut.messages[0].code).toBe("item_unavailable");
    expect(await reserved(mandate_id)).toBe("44.90");
  });

  it("holds what the storefront chooses by itself", async () => {
    service.sandbox.storefront.putDelivery(SHOP, { preselects: true });
    const mandate_id = await newMandate(service, shopper, { max_amount: "60.00" });
    const made = await make({ fulfillment: to(), mandate_id });
    expect(groupOf(made).selected_option_id).toBe(optionOf(made, "Standard"));
    expect([totalsOf(made).total, noticesOf(made)]).toEqual([4_490, []]);
    expect(await reserved(mandate_id)).toBe("44.90");
  });
});

it("carries delivery over REST, in the same words", async () => {
  const body = { line_items: itemsOf(shelf.camera), delivery: { address: HOME } };
  const headers = { "Idempotency-Key": randomUUID() };
  const made = await makeCheckout(service, shopper, body, headers);
  expect([made.status, made.json.delivery]).toMatchObject([
    201,
    {
      variant_ids: [shelf.camera],
      destination_id: "destination_1",
      options: [{ title: "Standard", amount: "4.90" }, { title: "Express" }],
      option_id: null,
      problem: "option_missing",
    },
  ]);
  expect((await makeCheckout(service, shopper, body, headers)).json).toEqual(made.json);
  const elsewhere = { ...body, delivery: { address: { ...HOME, postal_code: "10115" } } };
  expect((await makeCheckout(service, shopper, elsewhere, headers)).json.code).toBe(
    "idempotency_conflict",
  );
  const option_id = made.json.delivery.options[0].id;
  const { id } = made.json;
  const chosen = await act(service, shopper, id, "update", { ...body, delivery: { option_id } });
  expect(chosen.json).toMatchObject({ totals: { subtotal: "40.00", total: "44.90" } });
  const none = await act(service, shopper, id, "update", { ...body, delivery: null });
  expect(none.json.totals.total).toBe("40.00");
  expect((await checkoutAs(service, id)).delivery).toMatchObject({ destination_id: null });
});
