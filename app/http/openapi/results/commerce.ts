// What responses say of products, orders, checkouts, mandates and returns.
import { z } from "zod";
import { NextCursor, Timestamp } from "./outcome.ts";

const Money = z
  .object({ amount: z.string(), currency: z.string() })
  .meta({ id: "Money", description: "A decimal amount, and its currency by ISO 4217." });

export const Product = z
  .object({
    id: z.string(),
    handle: z.string(),
    title: z.string(),
    description: z.string(),
    vendor: z.string(),
    product_type: z.string(),
    tags: z.array(z.string()),
    url: z.string(),
    image: z.object({ url: z.string(), alt: z.string() }).nullable(),
    price_range: z.object({ min: Money, max: Money }),
    variants: z.array(
      z.object({
        id: z.string(),
        title: z.string(),
        sku: z.string().nullable(),
        barcode: z.string().nullable(),
        price: Money,
        available: z.boolean(),
      }),
    ),
  })
  .meta({ id: "Product" });

export const Order = z
  .object({
    id: z.string(),
    name: z.string(),
    created_at: Timestamp,
    financial_status: z.string().nullable(),
    fulfillment_status: z.string(),
    total: Money,
    line_item_count: z.int(),
  })
  .meta({ id: "Order" });

export const OrderWithItems = Order.extend({
  line_items: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      sku: z.string().nullable(),
      quantity: z.int(),
      price: Money,
    }),
  ),
  fulfillments: z.array(
    z.object({
      id: z.string(),
      status: z.string(),
      created_at: Timestamp,
      tracking: z.array(
        z.object({
          company: z.string().nullable(),
          number: z.string().nullable(),
          url: z.string().nullable(),
        }),
      ),
    }),
  ),
}).meta({ id: "OrderWithItems" });

export const Checkout = z
  .object({
    id: z.string(),
    status: z.enum([
      "incomplete",
      "requires_escalation",
      "ready_for_complete",
      "complete_in_progress",
      "completed",
      "canceled",
    ]),
    checkout_url: z.string().nullable(),
    line_items: z.array(
      z.object({
        variant_id: z.string(),
        title: z.string(),
        quantity: z.int(),
        price: Money,
        total: Money,
      }),
    ),
    totals: z.object({ subtotal: z.string(), total: z.string() }),
    currency: z.string(),
    source: z.enum(["cart", "draft_order"]),
    mandate_id: z.string().nullable(),
    client_id: z.string().nullable(),
    order_id: z.string().optional(),
    discounts: z
      .object({
        codes: z.array(z.string()),
        applied: z.array(
          z.object({ code: z.string().nullable(), title: z.string(), amount: z.string() }),
        ),
        rejected: z.array(z.object({ code: z.string(), reason: z.string() })),
      })
      .optional(),
    delivery: z
      .object({
        variant_ids: z.array(z.string()),
        destination_id: z.string().nullable(),
        options: z.array(
          z.object({
            id: z.string(),
            title: z.string(),
            description: z.string().nullable(),
            amount: z.string(),
          }),
        ),
        option_id: z.string().nullable(),
        problem: z.string().nullable(),
      })
      .optional(),
    expires_at: Timestamp,
    messages: z
      .array(
        z.object({
          type: z.literal("error"),
          code: z.string(),
          content: z.string(),
          severity: z.enum(["requires_buyer_input", "requires_buyer_review"]),
        }),
      )
      .optional(),
  })
  .meta({ id: "Checkout" });

export const Mandate = z
  .object({
    mandate_id: z.uuid(),
    customer_id: z.int(),
    type: z.literal("purchase"),
    max_amount: z.string(),
    spent_amount: z.string(),
    currency: z.string(),
    scope: z.string(),
    usage: z.enum(["single", "multi"]),
    agent_clients: z.array(z.string()).nullable(),
    status: z.enum(["active", "used", "expired", "revoked"]),
    created_at: Timestamp,
    expires_at: Timestamp,
    signature: z.string(),
    proof: z.string(),
  })
  .meta({ id: "Mandate", description: "A shopper's permission for agents to pay." });

export const Mandates = z.object({ mandates: z.array(Mandate), next_cursor: NextCursor });

export const ReturnCase = z
  .object({
    rma: z.string(),
    order_id: z.string().nullable(),
    status: z.string(),
    units: z.array(
      z.object({ serial: z.string(), mpn: z.string().nullable(), received_at: Timestamp }),
    ),
  })
  .meta({ id: "ReturnCase" });
