// Carts of agents: a repeated request changes nothing twice, and a key is its caller's own.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newClient, newTokens, toolCall } from "../../../support/agents/agent.ts";
import {
  expireNow,
  mandateRow,
  newMandate,
  newPayer,
  seedProducts,
  type Shelf,
} from "../../../support/agents/checkout.ts";
import type { Shopper } from "../../../support/agents/commerce.ts";
import { OTHER_SHOP, SHOP, startService, type Service } from "../../../support/service.ts";

let service: Service;
let shelf: Shelf;
let payer: Shopper;
beforeAll(async () => {
  service = await startService({ env: { TRUST_PROXY_HOPS: "1" } });
  shelf = await seedProducts(service);
  payer = await newPayer(service);
});
afterAll(() => service.stop());

type From = { address?: string; key?: string | null; shop?: string };
const HERE = "198.51.100.7";
const call = (name: string, args: object, { address = HERE, key = null, shop = SHOP }: From = {}) =>
  service.call("POST", `/mcp?shop=${shop}`, {
    key,
    headers: { "X-Forwarded-For": address },
    body: toolCall(name, args),
  });
const answer = async (name: string, args: object, from?: From) =>
  (await call(name, args, from)).json.result.structuredContent;
const codesOf = ({ messages = [] }: any): string[] => messages.map(({ code }: any) => code);
const withKey = (key: string = randomUUID()) => ({ meta: { "idempotency-key": key } });
const lines = (quantity = 1) => ({ line_items: [{ item: { id: shelf.camera }, quantity }] });
const newCart = async (quantity = 1): Promise<string> =>
  (await answer("create_cart", { cart: lines(quantity) })).id;

describe("a change of a cart with the same idempotency key", () => {
  it("makes one cart for two requests; with another body it is a conflict", async () => {
    const meta = withKey();
    const first = await answer("create_cart", { ...meta, cart: lines() });
    expect(await answer("create_cart", { ...meta, cart: lines() })).toEqual(first);
    const conflict = await call("create_cart", { ...meta, cart: lines(2) });
    expect([conflict.status, conflict.json.error.data.code]).toEqual([409, "idempotency_conflict"]);
  });

  it("makes one cart for an A2A message sent twice", async () => {
    const message = {
      messageId: randomUUID(),
      role: "ROLE_USER",
      parts: [{ data: { tool: "create_cart", arguments: { cart: lines() } } }],
    };
    const send = async () => {
      const { json } = await service.call("POST", `/a2a?shop=${SHOP}`, {
        key: null,
        body: { jsonrpc: "2.0", id: 1, method: "SendMessage", params: { message } },
      });
      return json.result.task.artifacts[0].parts[0].data.result.id;
    };
    expect(await send()).toBe(await send());
  });

  it("replaces the lines once: a late repetition does not undo a newer change", async () => {
    const id = await newCart();
    const meta = withKey();
    const first = await answer("update_cart", { ...meta, id, cart: lines(2) });
    await answer("update_cart", { id, cart: lines(3) });
    expect(await answer("update_cart", { ...meta, id, cart: lines(2) })).toEqual(first);
    expect((await answer("get_cart", { id })).line_items[0].quantity).toBe(3);
  });

  it("answers the canceled cart again, also from another address", async () => {
    const id = await newCart();
    const meta = withKey();
    const first = await answer("cancel_cart", { ...meta, id });
    expect(await answer("cancel_cart", { ...meta, id }, { address: "203.0.113.9" })).toEqual(first);
    expect((await answer("get_cart", { id })).messages[0].code).toBe("not_found");
  });

  it("never gives one caller's cart to another: address, token, platform and store are part of the key", async () => {
    const meta = withKey();
    const { id } = await answer("create_cart", { ...meta, cart: lines() });
    const profile =
      "https://shopify.dev/ucp/agent-profiles/2026-08-25/valid-with-capabilities.json";
    const others = [
      await answer("create_cart", { ...meta, cart: lines() }, { address: "203.0.113.8" }),
      await answer("create_cart", { ...meta, cart: lines() }, { key: payer.token }),
      await answer("create_cart", {
        meta: { ...meta.meta, "ucp-agent": { profile } },
        cart: lines(),
      }),
    ];
    expect(new Set([id, ...others.map((other) => other.id)]).size).toBe(4);
    const elsewhere = await answer("create_cart", { ...meta, cart: lines() }, { shop: OTHER_SHOP });
    expect(elsewhere.id).not.toBe(id);
  });
});

describe("a checkout of a cart", () => {
  const asPayer = { key: "" };
  beforeAll(() => void (asPayer.key = payer.token));

  it("is answered again for the same key after the cart changed or ended", async () => {
    const cart_id = await newCart();
    const args = { ...withKey(), checkout: { cart_id } };
    const first = await answer("create_checkout", args, asPayer);
    await answer("update_cart", { id: cart_id, cart: lines(2) });
    expect(await answer("create_checkout", args, asPayer)).toEqual(first);
    await answer("cancel_cart", { id: cart_id });
    expect(await answer("create_checkout", args, asPayer)).toEqual(first);
    const other = { ...args, checkout: { cart_id: await newCart() } };
    expect((await call("create_checkout", other, asPayer)).status).toBe(409);
  });

  it("is the open one, whatever is asked for with it: nothing is reserved twice, and it says so", async () => {
    const cart_id = await newCart();
    const mandate_id = await newMandate(service, payer, { usage: "single" });
    const make = (more: object = {}) =>
      answer("create_checkout", { checkout: { cart_id, ...more } }, asPayer);
    const first = await make({ mandate_id });
    expect(first.status).toBe("ready_for_complete");
    expect(codesOf(first)).not.toContain("checkout_exists");
    const other = await newMandate(service, payer);
    const destinations = [{ address_country: "DE", street_address: "Neuweg 1" }];
    const fulfillment = { methods: [{ type: "shipping", destinations }] };
    for (const more of [{ mandate_id }, {}, { mandate_id: other, fulfillment }]) {
      const { messages, ...again } = await make(more);
      expect({ ...again, messages: undefined }).toEqual({ ...first, messages: undefined });
      expect(messages).toContainEqual(
        expect.objectContaining({ type: "warning", code: "checkout_exists", path: "$.cart_id" }),
      );
    }
    expect((await mandateRow(service, other)).reservations).toBe(0);
    await answer("complete_checkout", { id: first.id }, asPayer);
    expect((await make()).status).toBe("complete_in_progress");
  });

  it("is one for twenty requests at once", async () => {
    const cart_id = await newCart();
    const mandate_id = await newMandate(service, payer, { usage: "single" });
    const made = await Promise.all(
      Array.from({ length: 20 }, () =>
        answer("create_checkout", { checkout: { cart_id, mandate_id } }, asPayer),
      ),
    );
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
    expect(await mandateRow(service, mandate_id)).toMatchObject({
      reserved_amount: "40.00",
      reservations: 1,
    });
  });

  it("is a new one after the other was canceled or expired, and for another shopper or agent", async () => {
    const cart_id = await newCart();
    const make = (from: From = asPayer) =>
      answer("create_checkout", { checkout: { cart_id } }, from);
    const ids = [(await make()).id];
    await answer("cancel_checkout", { id: ids[0] }, asPayer);
    ids.push((await make()).id);
    await expireNow(service, ids[1]);
    ids.push((await make()).id);
    ids.push((await make({ key: (await newPayer(service)).token })).id);
    const tokens = await newTokens(service, await newClient(service), payer.token);
    ids.push((await make({ key: tokens.access_token })).id);
    expect(new Set(ids).size).toBe(5);
    expect(new Set([...ids, (await make()).id]).size).toBe(5);
  });
});
