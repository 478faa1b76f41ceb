// Discount codes of a checkout, carried by the storefront's cart: over UCP in both versions and over REST.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { UCP_VERSIONS } from "../../../../app/domain/agents/ucp/profile.ts";
import {
  act,
  closeCarts,
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
import { check, failures, proofOf } from "../../../support/agents/proofs.ts";
import { SHOP, startService, type Answer, type Service } from "../../../support/service.ts";
import {
  callUcpTool,
  expectValidCheckout,
  totalsOf,
  ucpProfile,
} from "../../../support/agents/ucp-tools.ts";

let service: Service;
let shelf: Shelf;
let shopper: Shopper;
beforeAll(async () => {
  service = await startService();
  shelf = await seedProducts(service);
  shopper = await newPayer(service);
});
afterAll(() => service.stop());

const setTenOff = (isActive = true) =>
  service.sandbox.storefront.putDiscount(SHOP, {
    code: "SUMMER10",
    title: "Summer",
    percent: 10,
    on: "order",
    isActive,
  });
beforeEach(() => {
  setTenOff();
  const { putDiscount } = service.sandbox.storefront;
  putDiscount(SHOP, { code: "CAMERAS", title: "Cameras", percent: 25, on: "items" });
  putDiscount(SHOP, {
    code: "GONE",
    title: "Gone",
    percent: 50,
    on: "order",
    isActive: false,
  });
});

const buy = (body: object, headers: Record<string, string> = {}): Promise<Answer> =>
  makeCheckout(service, shopper, { line_items: itemsOf(shelf.camera), ...body }, headers);

const tool = (name: string, args: object, version: string = UCP_VERSIONS[0]) =>
  callUcpTool(service, shopper, name, args, ucpProfile(version));
const lines = (quantity = 1) => [{ item: { id: shelf.camera }, quantity }];
const warningsOf = ({ messages = [] }: any): [string, string][] =>
  messages.filter(({ type }: any) => type === "warning").map(({ code, path }: any) => [code, path]);

describe.each(UCP_VERSIONS)("UCP %s", (version) => {
  const expectValid = (answer: unknown) => expectValidCheckout(version, "discount", answer);

  it("takes codes with a checkout, and says what they take off", async () => {
    const checkout = { line_items: lines(2), discounts: { codes: ["summer10", "CAMERAS"] } };
    const made = await tool("create_checkout", { checkout }, version);
    expectValid(made);
    expect(made.ucp.capabilities).toHaveProperty(["dev.ucp.shopping.discount"]);
    expect(made.discounts).toEqual({
      codes: ["summer10", "CAMERAS"],
      applied: [
        { code: "SUMMER10", title: "SUMMER10", amount: 600 },
        { code: "CAMERAS", title: "CAMERAS", amount: 2_000 },
      ],
    });
    expect(totalsOf(made)).toEqual({
      subtotal: 8_000,
      items_discount: -2_000,
      discount: -600,
      total: 5_400,
    });
    expect(totalsOf(made.line_items[0])).toEqual({
      subtotal: 8_000,
      items_discount: -2_000,
      total: 6_000,
    });
    const read = await tool("get_checkout", { id: made.id }, version);
    expect(read.discounts).toEqual(made.discounts);
    expectValid(read);
  });

  it("warns of each code that does not count, at its place", async () => {
    const codes = ["NOBODY", "SUMMER10", "GONE"];
    const checkout = { line_items: lines(), discounts: { codes } };
    const made = await tool("create_checkout", { checkout }, version);
    expectValid(made);
    expect(warningsOf(made)).toEqual([
      ["discount_code_invalid", "$.discounts.codes[0]"],
      ["discount_code_expired", "$.discounts.codes[2]"],
    ]);
    expect(totalsOf(made).total).toBe(3_600);
  });

  it("keeps the codes of a checkout until others, or none, are sent", async () => {
    const start = { line_items: lines(), discounts: { codes: ["SUMMER10"] } };
    const { id } = await tool("create_checkout", { checkout: start }, version);
    const update = (discounts?: object) =>
      tool("update_checkout", { id, checkout: { line_items: lines(2), discounts } }, version);
    expect(totalsOf(await update()).total).toBe(7_200);
    expect(totalsOf(await update({ codes: ["CAMERAS"] })).total).toBe(6_000);
    const none = await update({ codes: [] });
    expectValid(none);
    expect([totalsOf(none).total, none.discounts]).toEqual([8_000, undefined]);
  });

  it("advertises the extension of a checkout, and not of a cart", async () => {
    const path = version === UCP_VERSIONS[0] ? "" : `/${version}`;
    const { json } = await service.call("GET", `/.well-known/ucp${path}?shop=${SHOP}`, {
      key: null,
    });
    expect(json.ucp.capabilities["dev.ucp.shopping.discount"]).toMatchObject([
      { version, extends: "dev.ucp.shopping.checkout" },
    ]);
    const cart = { line_items: lines(), discounts: { codes: ["SUMMER10"] } };
    const made = await tool("create_cart", { cart }, version);
    expect([warningsOf(made), totalsOf(made).total]).toEqual([
      [["discounts_not_supported", "$.discounts.codes"]],
      4_000,
    ]);
  });
});

it("takes lines that the storefront splits for a discount as one item of the cart", async () => {
  const second = {
    code: "SECOND",
    title: "One cheaper",
    percent: 50,
    on: "items",
    units: 1,
  } as const;
  service.sandbox.storefront.putDiscount(SHOP, second);
  const made = await tool("create_checkout", {
    checkout: { line_items: lines(2), discounts: { codes: ["SECOND"] } },
  });
  expect(
    made.line_items.map(({ quantity, totals }: any) => [quantity, totals.at(-1).amount]),
  ).toEqual([
    [1, 2_000],
    [1, 4_000],
  ]);
  expect(totalsOf(made)).toEqual({ subtotal: 8_000, items_discount: -2_000, total: 6_000 });
  const more = await buy({ line_items: itemsOf(shelf.camera, 3), discount_codes: ["SECOND"] });
  expect([more.json.source, more.json.totals.total, more.json.delivery.variant_ids]).toEqual([
    "cart",
    "100.00",
    [shelf.camera],
  ]);
});

it("shows the store's automatic discount, which nobody asked for", async () => {
  const automatic = { code: null, title: "Opening days", percent: 5, on: "order" } as const;
  service.sandbox.storefront.putDiscount(SHOP, automatic);
  try {
    const made = await tool("create_checkout", { checkout: { line_items: lines() } });
    expect(made.discounts).toEqual({
      codes: [],
      applied: [{ automatic: true, title: "Opening days", amount: 200 }],
    });
    expect(totalsOf(made)).toEqual({ subtotal: 4_000, discount: -200, total: 3_800 });
  } finally {
    service.sandbox.storefront.putDiscount(SHOP, { ...automatic, isActive: false });
  }
});

describe("under a mandate", () => {
  it("holds and proves the price after the discount", async () => {
    const mandate = await newMandate(service, shopper, { max_amount: "36.00" });
    const made = await buy({ mandate_id: mandate, discount_codes: ["SUMMER10"] });
    expect([made.status, made.json]).toMatchObject([
      201,
      {
        totals: { subtotal: "40.00", total: "36.00" },
        discounts: {
          codes: ["SUMMER10"],
          applied: [{ code: "SUMMER10", title: "SUMMER10", amount: "4.00" }],
          rejected: [],
        },
      },
    ]);
    expect((await mandateRow(service, mandate)).reserved_amount).toBe("36.00");
    expect((await act(service, shopper, made.json.id, "complete")).json.status).toBe(
      "complete_in_progress",
    );
    const { json: proof } = await proofOf(service, mandate, shopper.token);
    const checked = await check(service, proof);
    expect(failures(checked)).toEqual([]);
    expect(checked.json.mandates.at(-1).content.amount).toBe("36.00");
  });

  it("asks the shopper when a code ended before the checkout was confirmed", async () => {
    const mandate = await newMandate(service, shopper, { max_amount: "40.00" });
    const { json } = await buy({ mandate_id: mandate, discount_codes: ["SUMMER10"] });
    setTenOff(false);
    expect((await act(service, shopper, json.id, "complete")).json).toMatchObject({
      status: "requires_escalation",
      totals: { total: "36.00" },
      messages: [{ code: "price_changed" }],
    });
    const body = { line_items: itemsOf(shelf.camera) };
    expect((await act(service, shopper, json.id, "update", body)).json).toMatchObject({
      totals: { total: "40.00" },
      discounts: { applied: [], rejected: [{ reason: "discount_code_expired" }] },
    });
  });

  it("refuses a checkout that only an invalid code would have brought within the limit", async () => {
    const mandate = await newMandate(service, shopper, { max_amount: "36.00" });
    const refused = await buy({ mandate_id: mandate, discount_codes: ["NOBODY"] });
    expect([refused.status, refused.json.reason]).toEqual([403, "exceeded"]);
    expect((await mandateRow(service, mandate)).reserved_amount).toBe("0.00");
  });
});

describe("POST /commerce/checkout with discount_codes", () => {
  it("sends each code once, whatever its case, and none where none is asked for", async () => {
    await buy({ discount_codes: [" SUMMER10", "summer10"] });
    expect(sentAs(service, "CartCreate").at(-1).input.discountCodes).toEqual(["SUMMER10"]);
    await buy({});
    expect(sentAs(service, "CartCreate").at(-1).input).not.toHaveProperty("discountCodes");
  });

  it.each([
    [["a".repeat(101)]],
    [[""]],
    [["A\u202eB"]],
    [[7]],
    ["SUMMER10"],
    [Array.from({ length: 11 }, (_, n) => `CODE${n}`)],
  ])("rejects %j with 400 before a cart is made", async (discount_codes) => {
    const before = sentAs(service, "CartCreate").length;
    const answer = await buy({ discount_codes });
    expect([answer.status, answer.json.code]).toEqual([400, "invalid_request"]);
    expect(sentAs(service, "CartCreate")).toHaveLength(before);
  });

  it("is another request under the same idempotency key when its codes are others", async () => {
    const headers = { "Idempotency-Key": randomUUID() };
    const first = await buy({ discount_codes: ["SUMMER10"] }, headers);
    expect((await buy({ discount_codes: ["SUMMER10"] }, headers)).json).toEqual(first.json);
    expect((await buy({ discount_codes: ["CAMERAS"] }, headers)).json.code).toBe(
      "idempotency_conflict",
    );
  });

  it("says that a draft order carries none", async () => {
    closeCarts(service);
    try {
      const checkout = { line_items: lines(), discounts: { codes: ["SUMMER10"] } };
      const made = await tool("create_checkout", { checkout });
      expect(warningsOf(made)).toEqual([["discounts_not_supported", "$.discounts.codes[0]"]]);
      expect(made.discounts).toEqual({ codes: ["SUMMER10"], applied: [] });
      expect(totalsOf(made).total).toBe(4_000);
    } finally {
      openCarts(service);
    }
  });
});
