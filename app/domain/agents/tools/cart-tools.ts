// Carts as UCP defines them (specification/shopping/cart): public, like the catalog.
import { z } from "zod";
import type { TenantSql } from "../../../runtime/database/database.ts";
import { withIdempotencyKey, type Anonymous } from "../../commerce/idempotency.ts";
import { dataOf } from "../../tenants/tenant.ts";
import {
  dropCart,
  Lines,
  readCart,
  saveCart,
  showCart,
  toCartLines,
  toStoredCart,
} from "../carts.ts";
import { isSelling } from "../ucp/profile.ts";
import { GATHERING } from "../ucp/request.ts";
import { envelope } from "../ucp/envelope.ts";
import { unusedFields } from "../ucp/unused-fields.ts";
import {
  CREATES,
  Meta,
  OBJECT,
  publicTool,
  READS,
  REPLACES,
  ucpOutput,
  type AgentTool,
  type ToolCall,
} from "./tool.ts";

const CART = ["dev.ucp.shopping.cart"];
const Cart = z.looseObject({ line_items: Lines, ...GATHERING });
const Id = z.string().min(1).max(255);
const output = ucpOutput({
  id: { type: "string" },
  line_items: { type: "array", items: OBJECT },
  currency: { type: "string" },
  totals: { type: "array", items: OBJECT },
  continue_url: { type: "string" },
});
const shared = { ucp: CART, output, isOffered: isSelling };

async function answer(
  { ctx, tenant, terms }: ToolCall,
  id: string,
  cart: Awaited<ReturnType<typeof readCart>>,
  given: z.output<typeof Cart> | null = null,
) {
  const { messages = [], ...shown } = await showCart(ctx, tenant, id, cart);
  const all = [...messages, ...(given ? unusedFields(given) : [])];
  return { ...envelope(terms, CART), ...shown, ...(all.length > 0 && { messages: all }) };
}

type Change = { operation: string; body: unknown; by: Anonymous };

/** `answerNow` is the answer to the change, `write` its effect. */
async function once(
  { ctx, tenant, idempotencyKey }: ToolCall,
  { operation, body, by }: Change,
  answerNow: () => Promise<object>,
  write: (sql: TenantSql) => Promise<void>,
): Promise<object> {
  const attempt = { key: idempotencyKey ?? undefined, person: by, operation, body };
  const { answer: first } = await withIdempotencyKey(ctx, tenant, attempt, async (keep) => {
    // Priced first: a cart of unavailable items is not stored.
    const shown = await answerNow();
    await dataOf(ctx, tenant).transaction(async (sql) => {
      await write(sql);
      await keep(sql, shown);
    });
    return shown;
  });
  return first;
}

/** Who knows a cart's id may change it: the id, which the operation names, tells the callers apart. */
const HOLDER: Anonymous = { anonymous: "" };

export const CART_TOOLS: readonly AgentTool[] = [
  publicTool({
    ...shared,
    name: "create_cart",
    title: "Start a cart",
    description:
      "Gathers items of this store, priced as they are now. The shopper can open it at `continue_url`; a checkout can be made of it.",
    input: z.strictObject({ meta: Meta.optional(), cart: Cart }),
    annotations: CREATES,
    async run(call, { cart }) {
      const id = call.ctx.random.uuid();
      const stored = toStoredCart(call.ctx, toCartLines(cart.line_items));
      return once(
        call,
        { operation: "cart.create", body: cart, by: { anonymous: call.caller } },
        () => answer(call, id, stored, cart),
        (sql) => saveCart(sql, id, stored),
      );
    },
  }),
  publicTool({
    ...shared,
    name: "get_cart",
    title: "A cart as it is now",
    description: "The cart with today's prices and availability.",
    input: z.strictObject({ meta: Meta.optional(), id: Id }),
    annotations: READS,
    run: async (call, { id }) => answer(call, id, await readCart(call.ctx, call.tenant, id)),
  }),
  publicTool({
    ...shared,
    name: "update_cart",
    title: "Change a cart",
    description: "Puts these items in place of all that were in the cart.",
    input: z.strictObject({ meta: Meta.optional(), id: Id, cart: Cart }),
    annotations: REPLACES,
    async run(call, { id, cart }) {
      const stored = toStoredCart(call.ctx, toCartLines(cart.line_items));
      return once(
        call,
        { operation: `cart.update/${id}`, body: cart, by: HOLDER },
        async () => {
          await readCart(call.ctx, call.tenant, id);
          return answer(call, id, stored, cart);
        },
        (sql) => saveCart(sql, id, stored),
      );
    },
  }),
  publicTool({
    ...shared,
    name: "cancel_cart",
    title: "Throw a cart away",
    description: "Ends the cart, and answers it as it was.",
    input: z.strictObject({ meta: Meta.optional(), id: Id }),
    annotations: REPLACES,
    run: (call, { id }) =>
      once(
        call,
        { operation: `cart.cancel/${id}`, body: null, by: HOLDER },
        async () => answer(call, id, await readCart(call.ctx, call.tenant, id)),
        (sql) => dropCart(sql, id),
      ),
  }),
];
