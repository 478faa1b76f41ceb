// Orders over UCP: what was bought, what was shipped of it, and what happened to the money since.
import { afterAll, beforeAll, expect, it } from "vitest";
import { UCP_VERSIONS } from "../../../../app/domain/agents/ucp/profile.ts";
import { newPayer, seedProducts, type Shelf } from "../../../support/agents/checkout.ts";
import { toolCall } from "../../../support/agents/agent.ts";
import type { Shopper } from "../../../support/agents/commerce.ts";
import { hasUcpSchemas, ucpSchemas } from "../../../support/agents/ucp-schemas.ts";
import { SHOP, startService, type Service } from "../../../support/service.ts";
import { daysAgo } from "../../../support/storefront/synced-store.ts";

let service: Service;
let shelf: Shelf;
let shopper: Shopper;
beforeAll(async () => {
  service = await startService();
  shelf = await seedProducts(service);
  shopper = await newPayer(service);
});
afterAll(() => service.stop());

type Patch = Parameters<Service["sandbox"]["storefront"]["putOrder"]>[1];
/** Two cameras at 40.00 and a lamp at 60.00. */
const put = (fields: Patch) =>
  service.sandbox.storefront.putOrder(SHOP, {
    customerGid: shopper.gid,
    lines: [
      { variantGid: shelf.camera, quantity: 2 },
      { variantGid: shelf.lamp, quantity: 1 },
    ],
    createdAt: daysAgo(20),
    ...fields,
  });
async function read({ gid: id }: { gid: string }): Promise<any> {
  const { json } = await service.call("POST", `/mcp?shop=${SHOP}`, {
    key: shopper.token,
    body: toolCall("get_order", { id }),
  });
  const order = json.result.structuredContent;
  const [version] = UCP_VERSIONS;
  if (hasUcpSchemas(version)) {
    const validate = ucpSchemas(version).compile("shopping/order.json");
    expect([validate(order), validate.errors]).toEqual([true, null]);
  }
  return order;
}
const parcel = (lines?: { line: number; quantity: number }[], status = "SUCCESS") => ({
  gid: `gid://shopify/Fulfillment/${status}`,
  status,
  createdAt: "2026-11-02T10:00:00Z",
  tracking: [],
  ...(lines && { lines }),
});
const statesOf = ({ line_items: lines }: any) =>
  lines.map(({ quantity, status }: any) => [quantity, status]);

it("an order's items have the variants that a checkout takes, and nothing is shipped yet", async () => {
  const order = await read(put({}));
  expect(order.line_items.map(({ item }: any) => item.id)).toEqual([shelf.camera, shelf.lamp]);
  expect(statesOf(order)).toEqual([
    [{ original: 2, total: 2, fulfilled: 0 }, "processing"],
    [{ original: 1, total: 1, fulfilled: 0 }, "processing"],
  ]);
  expect(order).not.toHaveProperty("adjustments");
});

it("a partly shipped order counts what was shipped of each line, without canceled parcels", async () => {
  const made = put({
    fulfillmentStatus: "PARTIALLY_FULFILLED",
    fulfillments: [
      parcel([
        { line: 0, quantity: 1 },
        { line: 1, quantity: 1 },
      ]),
      parcel([{ line: 0, quantity: 1 }], "CANCELLED"),
    ],
  });
  const order = await read(made);
  expect(statesOf(order)).toEqual([
    [{ original: 2, total: 2, fulfilled: 1 }, "partial"],
    [{ original: 1, total: 1, fulfilled: 1 }, "fulfilled"],
  ]);
  const [camera, lamp] = order.line_items.map(({ id }: any) => id);
  expect(order.fulfillment.events.map(({ type, line_items }: any) => [type, line_items])).toEqual([
    [
      "shipped",
      [
        { id: camera, quantity: 1 },
        { id: lamp, quantity: 1 },
      ],
    ],
    ["cancelled", [{ id: camera, quantity: 1 }]],
  ]);
});

it("refunds and a cancellation are adjustments; the totals stay those of the purchase", async () => {
  const refund = (gid: string, amount: string, lines: { line: number; quantity: number }[]) => ({
    gid: `gid://shopify/Refund/${gid}`,
    createdAt: "2026-11-03T10:00:00Z",
    amount,
    lines,
  });
  const order = await read(
    put({
      financialStatus: "REFUNDED",
      cancelledAt: "2026-11-04T10:00:00Z",
      fulfillments: [parcel([{ line: 0, quantity: 2 }])],
      refunds: [
        refund("1", "40.00", [{ line: 0, quantity: 1 }]),
        refund("2", "60.00", [{ line: 1, quantity: 1 }]),
        refund("3", "5.00", []),
      ],
    }),
  );
  expect(order.totals).toEqual([
    { type: "subtotal", amount: 14_000 },
    { type: "total", amount: 14_000 },
  ]);
  expect(statesOf(order)).toEqual([
    [{ original: 2, total: 1, fulfilled: 1 }, "fulfilled"],
    [{ original: 1, total: 0, fulfilled: 0 }, "removed"],
  ]);
  const [camera, lamp] = order.line_items.map(({ id }: any) => id);
  expect(order.adjustments).toMatchObject([
    { type: "cancellation", status: "completed", occurred_at: "2026-11-04T10:00:00Z" },
    {
      id: "gid://shopify/Refund/1",
      type: "refund",
      status: "completed",
      line_items: [{ id: camera, quantity: -1 }],
      totals: [{ type: "total", amount: -4_000 }],
    },
    { line_items: [{ id: lamp, quantity: -1 }], totals: [{ type: "total", amount: -6_000 }] },
    { line_items: [], totals: [{ type: "total", amount: -500 }] },
  ]);
});
