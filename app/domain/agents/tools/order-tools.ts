// The shopper's orders: one in UCP's shape, the list in ours, and returns.
import { z } from "zod";
import { AppError } from "../../../runtime/errors.ts";
import { readKeyCursor, toKeyCursor } from "../../../runtime/database/key-cursor.ts";
import { findOrderHistory, listOrders } from "../../commerce/orders.ts";
import { getReturn } from "../../commerce/returns.ts";
import { isSelling } from "../ucp/profile.ts";
import { envelope } from "../ucp/envelope.ts";
import { findCheckoutOfOrder, toUcpOrder } from "../ucp/orders.ts";
import {
  Meta,
  OBJECT,
  Page,
  READS,
  refusableOutput,
  shopperTool,
  ucpOutput,
  type AgentTool,
} from "./tool.ts";

const OrderId = z.string().min(1).max(255).describe("Its id, not its name such as #1001.");
const Rma = z.string().min(1).max(255).describe("The number of the return.");

const ORDER = ["dev.ucp.shopping.order"];
const shared = {
  annotations: READS,
  isOffered: isSelling,
  scope: "dev.ucp.shopping.order:read",
} as const;

export const ORDER_TOOLS: readonly AgentTool[] = [
  shopperTool({
    ...shared,
    name: "get_order",
    title: "One order",
    description:
      "One of the shopper's own orders of the last 60 days, by its id, with items, amounts in minor units and parcels.",
    ucp: ORDER,
    input: z.strictObject({ meta: Meta.optional(), id: OrderId }),
    output: ucpOutput({
      id: { type: "string" },
      line_items: { type: "array", items: OBJECT },
      totals: { type: "array", items: OBJECT },
    }),
    async run({ ctx, tenant, person, terms }, { id }) {
      const order = await findOrderHistory(ctx, tenant, person.account, id);
      if (!order) throw new AppError("not_found", { message: "There is no such order." });
      return {
        ...envelope(terms, ORDER),
        ...toUcpOrder(tenant, order, await findCheckoutOfOrder(ctx, tenant, person, order.id)),
      };
    },
  }),
  shopperTool({
    ...shared,
    name: "list_orders",
    title: "The shopper's orders",
    description:
      "The shopper's own orders of the last 60 days, newest first; the list is at most five minutes old. Amounts are decimal texts. There may be older orders, which are not listed.",
    input: z.strictObject({ meta: Meta.optional(), ...Page }),
    output: {
      type: "object",
      properties: {
        orders: { type: "array", items: OBJECT },
        next_cursor: { type: ["string", "null"] },
      },
      required: ["orders", "next_cursor"],
    },
    async run({ ctx, tenant, person: { account } }, { limit, cursor }) {
      const list = `orders/${tenant.shop}/${account.id}`;
      const { orders, next } = await listOrders(ctx, tenant, account, {
        limit,
        after: readKeyCursor(ctx.secrets, list, cursor),
      });
      return { orders, next_cursor: next === null ? null : toKeyCursor(ctx.secrets, list, next) };
    },
  }),
  shopperTool({
    ...shared,
    name: "get_return",
    title: "One return",
    description:
      "What came back under the number of a return (RMA) of the shopper's own order, unit by unit.",
    input: z.strictObject({ meta: Meta.optional(), rma: Rma }),
    output: refusableOutput({ return: OBJECT }),
    run: ({ ctx, tenant, person }, { rma }) => getReturn(ctx, tenant, person, rma),
  }),
];
