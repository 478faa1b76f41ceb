// A checkout: the storefront calls, the response, and who may see it.
import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  act,
  CART_API,
  checkoutAs,
  completed,
  itemsOf,
  expireNow,
  makeCheckout,
  newPayer,
  seedProducts,
  sentAs,
  closeCarts,
  openCarts,
  type Shelf,
} from "../../support/agents/checkout.ts";
import {
  asAgent,
  asShopper,
  callsOf,
  consent,
  type Shopper,
} from "../../support/agents/commerce.ts";
import { ingestWebhook } from "../../support/bus/events.ts";
import { OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";
import { inboxIsWorked } from "../../support/storefront/storefront.ts";
import { newClient, newTokens } from "../../support/agents/agent.ts";
import { signUp } from "../identity/people.ts";

let service: Service;
let shelf: Shelf;
let shopper: Shopper;
beforeAll(async () => {
  service = await startService({ background: true });
  shelf = await seedProducts(service);
});
afterAll(() => service.stop());
beforeEach(async () => {
  shopper = await newPayer(service);
});
afterEach(() => service.sandbox.clearFaults());

const create = (line_items: unknown = itemsOf(shelf.camera), person = shopper) =>
  makeCheckout(service, person, { line_items });
const count = async (): Promise<number> =>
  (
    await service.database.query(
      "SELECT count(*)::int AS n FROM checkout_sessions WHERE customer_id = $1",
      [shopper.id],
    )
  )[0].n;
const shapeOf = (source: string) => ({
  id: expect.stringMatching(/^[0-9a-f-]{36}$/),
  status: "requires_escalation",
  checkout_url: expect.stringMatching(/^https:\/\//),
  line_items: [
    {
      variant_id: shelf.camera,
      title: "Trail Camera",
      quantity: 2,
      price: { amount: "40.00", currency: "EUR" },
      total: { amount: "80.00", currency: "EUR" },
    },
  ],
  totals: { subtotal: "80.00", total: "80.00" },
  currency: "EUR",
  source,
  mandate_id: null,
  client_id: null,
  delivery: expect.objectContaining({ destination_id: null, problem: "address_missing" }),
  expires_at: expect.stringMatching(/Z$/),
  messages: [expect.objectContaining({ code: "payment_required" })],
});

describe("POST /commerce/checkout", () => {
  it("answers 201 with a cart at the storefront's prices, valid for six hours", async () => {
    const answer = await create(itemsOf(shelf.camera, 2));
    expect([answer.status, answer.json]).toEqual([201, shapeOf("cart")]);
    expect(Date.parse(answer.json.expires_at) - Date.now()).toBeGreaterThan(5.9 * 3_600_000);
    expect(
      (await asAgent(service, shopper, "GET", `/commerce/checkout/${answer.json.id}`)).json,
    ).toEqual(answer.json);
  });

  it("ignores prices in the request", async () => {
    const answer = await create([
      { variant_id: shelf.camera, quantity: 1, price: "0.01", total: { amount: "0.01" } },
    ]);
    expect(answer.json.totals).toEqual({ subtotal: "40.00", total: "40.00" });
  });

  it("accepts a variant by its number too, and joins lines of the same variant", async () => {
    const answer = await create([
      ...itemsOf(shelf.camera.split("/").pop() as string),
      ...itemsOf(shelf.camera),
    ]);
    expect(answer.json).toEqual(shapeOf("cart"));
  });

  it("passes the store's token, the checkout id and the shopper to the cart", async () => {
    const before = service.sandbox.requests("storefront").length;
    const { id } = (await create()).json;
    const asked = service.sandbox
      .requests("storefront")
      .slice(before)
      .find(({ path }) => CART_API.test(path));
    expect(asked?.headers["x-shopify-storefront-access-token"]).toBe("public-token-of-the-store");
    expect(sentAs(service, "CartCreate").at(-1)).toEqual({
      input: {
        lines: [{ merchandiseId: shelf.camera, quantity: 1 }],
        attributes: [{ key: "checkout_id", value: id }],
        buyerIdentity: { email: shopper.email },
      },
    });
  });

  it("sets no buyer identity for an account with an unverified address", async () => {
    const stranger = await signUp(service);
    await consent(service, stranger, { consent_a2a: true });
    const { gid } = service.sandbox.storefront.putCustomer(SHOP, { email: stranger.email });
    await service.database.query(
      "UPDATE storefront_users SET storefront_customer_gid = $3 WHERE shop = $1 AND id = $2",
      [SHOP, stranger.id, gid],
    );
    expect((await create(itemsOf(shelf.camera), { ...stranger, gid })).status).toBe(201);
    expect(sentAs(service, "CartCreate").at(-1).input).not.toHaveProperty("buyerIdentity");
    closeCarts(service);
    await create(itemsOf(shelf.camera), { ...stranger, gid });
    expect(Object.keys(sentAs(service, "DraftOrderCreate").at(-1).input).sort()).toEqual([
      "customAttributes",
      "lineItems",
    ]);
    openCarts(service);
  });

  it("calls the cart API without a token when the store has none", async () => {
    await service.call("POST", `/config?shop=${SHOP}`, { body: { storefront_api_token: null } });
    const answer = await create(itemsOf(shelf.camera, 2));
    expect([answer.status, answer.json]).toEqual([201, shapeOf("cart")]);
    const sent = service.sandbox
      .requests("storefront")
      .filter(({ path }) => CART_API.test(path))
      .at(-1);
    expect(Object.keys(sent?.headers ?? {}).filter((name) => /token/i.test(name))).toEqual([]);
    await service.call("POST", `/config?shop=${SHOP}`, {
      body: { storefront_api_token: "public-token-of-the-store" },
    });
  });

  it("becomes a draft order when the cart API rejects the call", async () => {
    closeCarts(service);
    const answer = await create(itemsOf(shelf.camera, 2));
    openCarts(service);
    expect([answer.status, answer.json]).toEqual([201, shapeOf("draft_order")]);
    expect(sentAs(service, "DraftOrderCreate").at(-1)).toEqual({
      input: {
        lineItems: [{ variantId: shelf.camera, quantity: 2 }],
        customAttributes: [{ key: "checkout_id", value: answer.json.id }],
        email: shopper.email,
        purchasingEntity: { customerId: shopper.gid },
      },
    });
  });

  it.each<[string, object]>([
    ["refuses the token", { status: 401, body: { errors: "unauthorized" } }],
    ["is down", { status: 503 }],
    ["hangs up", { reset: true }],
    ["answers half a text", { garbage: true }],
    ["answers null", { status: 200, body: "null" }],
    ["answers a number as its data", { status: 200, body: { data: 1 } }],
    ["fails inside", { status: 200, body: { errors: [null, { message: "down" }] } }],
    [
      "answers something else",
      { status: 200, body: { data: { cartCreate: { cart: { id: "x" }, userErrors: [] } } } },
    ],
    [
      "refuses the cart",
      {
        status: 200,
        body: {
          data: {
            cartCreate: {
              cart: null,
              userErrors: [{ field: ["input"], message: "no", code: "INVALID" }],
            },
          },
        },
      },
    ],
  ])("becomes a draft order when the cart API %s", async (_what, fault) => {
    service.sandbox.failNext("storefront", { ...fault, match: CART_API } as never);
    const answer = await create(itemsOf(shelf.camera, 2));
    expect([answer.status, answer.json]).toEqual([201, shapeOf("draft_order")]);
  });

  it("becomes a draft order when the cart API does not answer for five seconds", async () => {
    service.sandbox.failNext("storefront", { hang: 60_000, match: CART_API });
    const started = performance.now();
    const answer = await create(itemsOf(shelf.camera, 2));
    expect([answer.status, answer.json]).toEqual([201, shapeOf("draft_order")]);
    expect(performance.now() - started).toBeGreaterThan(4_900);
  }, 20_000);

  it("answers 502 and stores nothing when both ways fail", async () => {
    service.sandbox.failNext("storefront", { status: 503 }, 20);
    const answer = await create();
    expect([answer.status, answer.json.code]).toEqual([502, "storefront_unavailable"]);
    expect(await count()).toBe(0);
  });

  it.each<[string, unknown]>([
    ["nothing", undefined],
    ["no lines", []],
    ["no list", { variant_id: "1", quantity: 1 }],
    ["no variant", [{ quantity: 1 }]],
    ["a product's gid", [{ variant_id: "gid://shopify/Product/1", quantity: 1 }]],
    ["a number for an id", [{ variant_id: 81, quantity: 1 }]],
    ["words for an id", [{ variant_id: "1; DROP", quantity: 1 }]],
    ["none of it", [{ variant_id: "1", quantity: 0 }]],
    ["less than none", [{ variant_id: "1", quantity: -1 }]],
    ["a half", [{ variant_id: "1", quantity: 1.5 }]],
    ["a text for a number", [{ variant_id: "1", quantity: "1" }]],
    ["too many", [{ variant_id: "1", quantity: 1_001 }]],
    [
      "too many lines",
      Array.from({ length: 101 }, (_, n) => ({ variant_id: String(n + 1), quantity: 1 })),
    ],
  ])("rejects %s with 400 and does not call the storefront", async (_what, line_items) => {
    const before = callsOf(service, "CartCreate");
    const answer = await makeCheckout(service, shopper, { line_items });
    expect([answer.status, answer.json.code, Object.keys(answer.json.fields)[0]]).toEqual([
      400,
      "invalid_request",
      expect.stringMatching(/^line_items/),
    ]);
    expect([callsOf(service, "CartCreate"), await count()]).toEqual([before, 0]);
  });

  it.each([true, false])(
    "names a variant that the store does not sell (cart API: %s)",
    async (hasCarts) => {
      if (!hasCarts) closeCarts(service);
      const hidden = service.sandbox.storefront.putProduct(SHOP, {
        title: "Secret",
        status: "DRAFT",
        variants: [{ price: "1.00" }],
      }).variants[0]?.gid as string;
      for (const unknown of ["gid://shopify/ProductVariant/9007199254740993", hidden]) {
        const answer = await create([...itemsOf(shelf.camera), ...itemsOf(unknown)]);
        expect([answer.status, answer.json.code, answer.json.fields]).toEqual([
          400,
          "invalid_request",
          { line_items: expect.stringContaining(unknown) },
        ]);
      }
      expect(await count()).toBe(0);
      openCarts(service);
    },
  );

  it.each([true, false])("names a variant that is sold out (cart API: %s)", async (hasCarts) => {
    if (!hasCarts) closeCarts(service);
    const answer = await create([...itemsOf(shelf.camera), ...itemsOf(shelf.lanternRed)]);
    expect([answer.status, answer.json.code, answer.json.unavailable]).toEqual([
      409,
      "items_unavailable",
      [shelf.lanternRed],
    ]);
    expect(await count()).toBe(0);
    openCarts(service);
  });

  it("names a variant with insufficient stock", async () => {
    expect((await create(itemsOf(shelf.camera, 501))).json).toMatchObject({
      code: "items_unavailable",
      unavailable: [shelf.camera],
    });
  });

  it.each([randomUUID(), "x", ""])(
    "with an unknown mandate answers 404: %j",
    async (mandate_id) => {
      expect(
        (await makeCheckout(service, shopper, { line_items: itemsOf(shelf.camera), mandate_id }))
          .json.code,
      ).toBe("not_found");
      expect(await count()).toBe(0);
    },
  );

  it.each([7, ["x"], "x".repeat(101)])("rejects the mandate %j with 400", async (mandate_id) => {
    expect(
      (await makeCheckout(service, shopper, { line_items: itemsOf(shelf.camera), mandate_id }))
        .json,
    ).toMatchObject({ code: "invalid_request", fields: { mandate_id: expect.any(String) } });
  });
});

describe("a checkout", () => {
  it("is visible to its owner and the admin key; everyone else gets 404", async () => {
    const { id } = (await create()).json;
    const other = await newPayer(service);
    expect((await asShopper(service, shopper, "GET", `/commerce/checkout/${id}`)).status).toBe(200);
    expect((await service.call("GET", `/commerce/checkout/${id}?shop=${SHOP}`)).json.id).toBe(id);
    for (const nothing of [id, randomUUID(), "x"])
      expect(
        (await asAgent(service, other, "GET", `/commerce/checkout/${nothing}`)).json.code,
      ).toBe("not_found");
    for (const [verb, body] of [
      ["update", { line_items: itemsOf(shelf.camera) }],
      ["complete", {}],
      ["cancel", {}],
    ] as const)
      expect((await act(service, other, id, verb, body)).status).toBe(404);
    expect((await service.call("GET", `/commerce/checkout/${id}?shop=${OTHER_SHOP}`)).status).toBe(
      404,
    );
    expect((await checkoutAs(service, id)).status).toBe("requires_escalation");
  });

  it("requires a principal of this store, and for an agent the consent at every call", async () => {
    const { id } = (await create()).json;
    const calls = (headers = {}) =>
      [
        ["POST", "/commerce/checkout", { line_items: itemsOf(shelf.camera) }],
        ["GET", `/commerce/checkout/${id}`],
        ["POST", `/commerce/checkout/${id}/update`, { line_items: itemsOf(shelf.camera) }],
        ["POST", `/commerce/checkout/${id}/complete`, {}],
        ["POST", `/commerce/checkout/${id}/cancel`, {}],
      ].map(([method, path, body]) => ({
        method: method as string,
        path: path as string,
        options: { ...(body !== undefined && { body }), headers },
      }));
    for (const { method, path, options } of calls()) {
      for (const key of [null, "nonsense"])
        expect(
          (await service.call(method, `${path}?shop=${SHOP}`, { ...options, key })).status,
        ).toBe(401);
      expect(
        (
          await service.call(method, `${path}?shop=${OTHER_SHOP}`, {
            ...options,
            key: shopper.token,
          })
        ).status,
      ).toBe(401);
    }
    await consent(service, shopper, { consent_a2a: false });
    for (const { method, path, options } of calls())
      expect((await asAgent(service, shopper, method, path, options)).json.code).toBe(
        "agent_consent_required",
      );
    for (const { method, path, options } of calls({
      "UCP-Agent": 'profile="https://agent.example/p"',
    }))
      expect((await asShopper(service, shopper, method, path, options)).json.code).toBe(
        "agent_consent_required",
      );
    expect((await checkoutAs(service, id)).status).toBe("requires_escalation");
    for (const { method, path, options } of calls())
      expect((await asShopper(service, shopper, method, path, options)).status).toBeLessThan(300);
  });

  it("opens to an agent's own token within its scopes", async () => {
    const client = await newClient(service);
    const wide = await newTokens(service, client, shopper.token, {
      scope: "dev.ucp.shopping.checkout:manage",
    });
    const narrow = await newTokens(service, client, shopper.token, { scope: "identity:read" });
    const post = (key: string) =>
      service.call("POST", "/commerce/checkout", {
        key,
        body: { line_items: itemsOf(shelf.camera) },
      });
    expect([
      (await post(wide.access_token)).status,
      (await post(narrow.access_token)).json.code,
    ]).toEqual([201, "insufficient_scope"]);
  });

  it("takes other items at current prices", async () => {
    const made = (await create()).json;
    const answer = await act(service, shopper, made.id, "update", {
      line_items: [...itemsOf(shelf.camera, 2), ...itemsOf(shelf.lamp)],
    });
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({
      id: made.id,
      totals: { subtotal: "140.00", total: "140.00" },
      expires_at: made.expires_at,
    });
    expect((await act(service, shopper, made.id, "update", { line_items: [] })).status).toBe(400);
    expect(
      (await act(service, shopper, made.id, "update", { line_items: itemsOf(shelf.lanternRed) }))
        .json.code,
    ).toBe("items_unavailable");
    expect((await checkoutAs(service, made.id)).totals.total).toBe("140.00");
  });

  it("without a mandate is completed by the shopper's payment and its order", async () => {
    const { id, checkout_url: url } = (await create()).json;
    const asked = await act(service, shopper, id, "complete");
    expect([asked.status, asked.json]).toMatchObject([
      200,
      {
        status: "requires_escalation",
        checkout_url: url,
        messages: [{ type: "error", code: "payment_required", severity: "requires_buyer_input" }],
      },
    ]);
    const { order } = await service.sandbox.storefront.pay(SHOP, url);
    expect(await completed(service, id)).toMatchObject({
      status: "completed",
      order_id: order.gid,
    });
    for (const verb of ["update", "cancel"] as const)
      expect(
        (await act(service, shopper, id, verb, { line_items: itemsOf(shelf.camera) })).json.code,
      ).toBe("checkout_closed");
    expect((await act(service, shopper, id, "complete")).json.status).toBe("completed");
  });

  it("is canceled for good; its draft order is deleted at the storefront", async () => {
    closeCarts(service);
    const { id } = (await create()).json;
    openCarts(service);
    for (let times = 0; times < 2; times += 1)
      expect((await act(service, shopper, id, "cancel")).json.status).toBe("canceled");
    const [{ external_id: draft }] = await service.database.query(
      "SELECT external_id FROM checkout_sessions WHERE id = $1",
      [id],
    );
    expect(sentAs(service, "DraftOrderDelete")).toContainEqual({ input: { id: draft } });
    for (const verb of ["update", "complete"] as const)
      expect(
        (await act(service, shopper, id, verb, { line_items: itemsOf(shelf.camera) })).json.code,
      ).toBe("checkout_closed");
  });

  it("reads as canceled after its expiry and no longer changes", async () => {
    const { id } = (await create()).json;
    await expireNow(service, id);
    expect((await checkoutAs(service, id)).status).toBe("canceled");
    for (const verb of ["update", "complete"] as const)
      expect(
        (await act(service, shopper, id, verb, { line_items: itemsOf(shelf.camera) })).json.code,
      ).toBe("checkout_closed");
  });

  it("is found by its cart when the order lost the attribute, and never by another store's order", async () => {
    const { id } = (await create()).json;
    const [{ external_id: cart }] = await service.database.query(
      "SELECT external_id FROM checkout_sessions WHERE id = $1",
      [id],
    );
    const token = /Cart\/([^?]+)/.exec(cart)?.[1];
    const send = (shop: string, fields: object) =>
      service.webhook(
        "orders-create",
        JSON.stringify({ admin_graphql_api_id: "gid://shopify/Order/9007199254741993", ...fields }),
        { shop, headers: { "X-Shopify-Webhook-Id": randomUUID() } },
      );
    await send(OTHER_SHOP, {
      note_attributes: [{ name: "checkout_id", value: id }],
      cart_token: token,
    });
    await send(SHOP, {
      note_attributes: [
        { name: "checkout_id", value: "nonsense" },
        { name: "x", value: { deep: 1 } },
      ],
    });
    await inboxIsWorked(service);
    expect((await checkoutAs(service, id)).status).toBe("requires_escalation");
    await send(SHOP, { note_attributes: [], cart_token: token });
    expect(await completed(service, id)).toMatchObject({
      order_id: "gid://shopify/Order/9007199254741993",
    });
  });

  it("is completed by an order that arrives over the event bus too", async () => {
    const { id } = (await create()).json;
    expect(
      (
        await ingestWebhook(service, "orders/create", {
          admin_graphql_api_id: "gid://shopify/Order/9007199254742995",
          customer: { admin_graphql_api_id: shopper.gid },
          note_attributes: [{ name: "gift" }, { name: "checkout_id", value: id }],
        })
      ).status,
    ).toBe(202);
    expect(await completed(service, id)).toMatchObject({
      order_id: "gid://shopify/Order/9007199254742995",
    });
  });
});
