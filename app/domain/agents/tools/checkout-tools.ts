// Checkouts as UCP defines them (specification/shopping/checkout). There are no payments through
// us: with a mandate a checkout is confirmed and waits for the storefront's order, without one the
// shopper continues at `continue_url`.
import { z } from "zod";
import { AppError } from "../../../runtime/errors.ts";
import {
  CHECKOUT_STATUSES,
  type Checkout,
  type CheckoutCaller,
} from "../../commerce/checkout/checkout.ts";
import {
  cancelCheckout,
  getCheckout,
  updateCheckout,
} from "../../commerce/checkout/change-checkout.ts";
import { completeCheckout } from "../../commerce/checkout/complete-checkout.ts";
import { createCheckout } from "../../commerce/checkout/create-checkout.ts";
import { withIdempotencyKey, type Keep } from "../../commerce/idempotency.ts";
import { checkoutOfCart, type CheckoutOfCart } from "../checkout-of-cart.ts";
import { Lines, LinesOrNone, readCart, requireCartId, toCartLines } from "../carts.ts";
import { toCheckoutInput, toUcpCheckout } from "../ucp/checkouts.ts";
import { rejectedCodes, toUcpDiscounts } from "../ucp/discounts.ts";
import {
  fulfillmentMessages,
  toDelivery,
  toUcpFulfillment,
  type GivenFulfillment,
} from "../ucp/fulfillment.ts";
import { DISCOUNT, FULFILLMENT, isSelling } from "../ucp/profile.ts";
import { BUYING, CONFIRMING } from "../ucp/request.ts";
import { envelope, type UcpMessage } from "../ucp/envelope.ts";
import { checkoutPath } from "../ucp/refusals.ts";
import { unusedFields } from "../ucp/unused-fields.ts";
import {
  CREATES,
  Meta,
  OBJECT,
  READS,
  REPLACES,
  shopperTool,
  ucpOutput,
  type AgentTool,
  type ShopperCall,
} from "./tool.ts";

const CHECKOUT = ["dev.ucp.shopping.checkout"];
/** The capabilities of checkouts with their extensions. */
const RELEVANT = [...CHECKOUT, DISCOUNT, FULFILLMENT];
const Id = z.string().min(1).max(255);
const Start = z.looseObject({
  line_items: LinesOrNone.describe("What is bought; none when cart_id names a cart.").default([]),
  cart_id: z
    .string()
    .max(255)
    .describe("A cart of this store; its items are taken, and line_items are not looked at.")
    .optional(),
  mandate_id: z.uuid().describe("The shopper's mandate under which it is paid for.").optional(),
  ...BUYING,
});

const output = ucpOutput({
  id: { type: "string" },
  status: { enum: CHECKOUT_STATUSES },
  line_items: { type: "array", items: OBJECT },
  currency: { type: "string" },
  totals: { type: "array", items: OBJECT },
  links: { type: "array", items: OBJECT },
  continue_url: { type: "string" },
  order: OBJECT,
});
const shared = {
  ucp: CHECKOUT,
  output,
  isOffered: isSelling,
  scope: "dev.ucp.shopping.checkout:manage",
} as const;

/** `given`: what the platform sent with the call. */
function answer(
  { tenant, terms, person }: ShopperCall,
  checkout: Checkout,
  given: Omit<Parameters<typeof unusedFields>[0], "fulfillment"> & {
    fulfillment?: GivenFulfillment;
  } = {},
) {
  const { messages = [], ...shown } = toUcpCheckout(tenant, checkout);
  const hasDiscounts = terms.capabilities.includes(DISCOUNT);
  const hasFulfillment = terms.capabilities.includes(FULFILLMENT);
  const { discounts, fulfillment, ...others } = given;
  const unused = {
    ...others,
    ...(!hasDiscounts && { discounts }),
    ...(!hasFulfillment && { fulfillment }),
  };
  const all = [
    ...messages,
    ...(hasDiscounts ? rejectedCodes(checkout) : []),
    ...(hasFulfillment ? fulfillmentMessages(checkout, fulfillment) : []),
    ...unusedFields(unused, person.account.email),
  ];
  return {
    ...envelope(terms, RELEVANT),
    ...shown,
    ...(hasDiscounts && toUcpDiscounts(checkout)),
    ...(hasFulfillment && toUcpFulfillment(terms, checkout, fulfillment)),
    ...(all.length > 0 && { messages: all }),
  };
}

/** Codes and delivery count only for a platform that knows the extension. */
const extrasOf = (
  { terms }: ShopperCall,
  {
    discounts,
    fulfillment,
  }: {
    discounts?: { codes?: string[] | undefined } | undefined;
    fulfillment?: GivenFulfillment;
  },
) => ({
  codes: terms.capabilities.includes(DISCOUNT) ? discounts?.codes : undefined,
  delivery: terms.capabilities.includes(FULFILLMENT) ? toDelivery(fulfillment) : undefined,
});

/** Uses the operation names of `/commerce/checkout`, so that an idempotency key means the same on both. */
async function once(
  { ctx, tenant, person, idempotencyKey, userAgent, noteMoney }: ShopperCall,
  operation: string,
  body: unknown,
  run: (caller: CheckoutCaller & { keep: Keep }) => Promise<Checkout>,
): Promise<Checkout> {
  return (
    await withIdempotencyKey(
      ctx,
      tenant,
      { key: idempotencyKey ?? undefined, person, operation, body },
      (keep) => run({ person, userAgent, keep, noteMoney }),
    )
  ).answer;
}

type Make = (caller: CheckoutCaller) => Promise<CheckoutOfCart>;

/** `body`: the request as sent. The items of a cart are read when the checkout is made. */
function toStart(
  call: ShopperCall,
  checkout: z.output<typeof Start>,
): { body: object; make: Make } {
  const { ctx, tenant } = call;
  const { cart_id: cartId, mandate_id: mandateId, line_items: lines } = checkout;
  const extras = { mandateId, ...extrasOf(call, checkout) };
  if (cartId === undefined) {
    if (lines.length === 0)
      throw new AppError("invalid_request", { message: "Name line_items or a cart_id." });
    const body = toCheckoutInput(toCartLines(lines), extras);
    return { body, make: (caller) => createCheckout(ctx, tenant, caller, body) };
  }
  const read = async () => toCheckoutInput((await readCart(ctx, tenant, cartId)).lines, extras);
  return {
    body: { cartId, ...extras },
    make: (caller) => checkoutOfCart(ctx, tenant, caller, requireCartId(cartId), read),
  };
}

const MANDATE_KEPT: UcpMessage = {
  type: "warning",
  code: "mandate_not_changed",
  content: "A checkout keeps the mandate that it was created with. Create another for this one.",
  path: "$.mandate_id",
};

const WAS_OPEN: UcpMessage = {
  type: "warning",
  code: "checkout_exists",
  content:
    "This cart has an open checkout, which is returned as it is. Change it with update_checkout, or cancel it first.",
  path: "$.cart_id",
};

export const CHECKOUT_TOOLS: readonly AgentTool[] = [
  shopperTool({
    ...shared,
    name: "create_checkout",
    title: "Start a checkout",
    description:
      "Starts a checkout at the storefront's prices, of line items or of a cart, with a mandate or for the shopper to finish at `continue_url`.",
    input: z.strictObject({ meta: Meta.optional(), checkout: Start }),
    annotations: CREATES,
    async run(call, { checkout }) {
      const { body, make } = toStart(call, checkout);
      const made: CheckoutOfCart = await once(call, "checkout.create", body, make);
      if (!made.was_open) return answer(call, made, checkout);
      const { messages = [], ...shown } = answer(call, made);
      return { ...shown, messages: [...messages, WAS_OPEN] };
    },
    pathOf: ({ checkout }) => {
      const lines = checkout.cart_id === undefined ? checkout.line_items : [];
      return checkoutPath({ ...checkout, line_items: lines }, toCartLines(lines));
    },
  }),
  shopperTool({
    ...shared,
    name: "get_checkout",
    title: "A checkout as it is now",
    description: "A checkout of the shopper's own, and the order once there is one.",
    input: z.strictObject({ meta: Meta.optional(), id: Id }),
    annotations: READS,
    run: async (call, { id }) =>
      answer(call, await getCheckout(call.ctx, call.tenant, call.person, id)),
  }),
  shopperTool({
    ...shared,
    name: "update_checkout",
    title: "Change a checkout",
    description:
      "Puts these items in place of all that were in the checkout, at the prices of now.",
    input: z.strictObject({
      meta: Meta.optional(),
      id: Id,
      checkout: z.looseObject({
        line_items: Lines,
        mandate_id: z.unknown().describe("That of the checkout: it cannot be changed.").optional(),
        ...BUYING,
      }),
    }),
    annotations: REPLACES,
    async run(call, { id, checkout }) {
      const lines = toCartLines(checkout.line_items);
      const body = toCheckoutInput(lines, extrasOf(call, checkout));
      const updated = await once(call, `checkout.update/${id}`, body, (caller) =>
        updateCheckout(call.ctx, call.tenant, caller, id, body),
      );
      const { messages = [], ...shown } = answer(call, updated, checkout);
      const { mandate_id: named } = checkout;
      const all = [
        ...messages,
        ...(named !== undefined && named !== updated.mandate_id ? [MANDATE_KEPT] : []),
      ];
      return { ...shown, ...(all.length > 0 && { messages: all }) };
    },
    pathOf: ({ checkout }) => checkoutPath(checkout, toCartLines(checkout.line_items)),
    showUnchanged: async (call, { id }) =>
      answer(call, await getCheckout(call.ctx, call.tenant, call.person, id)),
  }),
  shopperTool({
    ...shared,
    name: "complete_checkout",
    title: "Confirm a checkout",
    description:
      "Confirms a checkout that a mandate covers: `complete_in_progress` until the storefront's order comes, or `requires_escalation` with what the shopper has to look at.",
    input: z.strictObject({
      meta: Meta.optional(),
      id: Id,
      checkout: z.looseObject(CONFIRMING).optional(),
    }),
    annotations: {
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: true,
      openWorldHint: false,
    },
    run: async (call, { id, checkout }) =>
      answer(
        call,
        await once(call, `checkout.complete/${id}`, null, (caller) =>
          completeCheckout(call.ctx, call.tenant, caller, id),
        ),
        // Delivery is no field of this request (UCP: "complete": "omit"), so nothing has checked it.
        { ...checkout, fulfillment: undefined },
      ),
  }),
  shopperTool({
    ...shared,
    name: "cancel_checkout",
    title: "End a checkout",
    description:
      "Ends a checkout that is not completed, and gives back what it holds of its mandate.",
    input: z.strictObject({ meta: Meta.optional(), id: Id }),
    annotations: REPLACES,
    run: async (call, { id }) =>
      answer(
        call,
        await once(call, `checkout.cancel/${id}`, null, (caller) =>
          cancelCheckout(call.ctx, call.tenant, caller, id),
        ),
      ),
  }),
];
