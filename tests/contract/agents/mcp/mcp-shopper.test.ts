// A shopper's tools over MCP: each needs its scope and the current consent, and runs once per
// idempotency key.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newClient, newTokens, toolCall } from "../../../support/agents/agent.ts";
import {
  mandateRow,
  newMandate,
  newPayer,
  seedProducts,
  type Shelf,
} from "../../../support/agents/checkout.ts";
import { consent, type Shopper } from "../../../support/agents/commerce.ts";
import { rawRequest } from "../../../support/raw-request.ts";
import { OTHER_SHOP, SHOP, startService, type Service } from "../../../support/service.ts";

let service: Service;
let shelf: Shelf;
let payer: Shopper;
beforeAll(async () => {
  service = await startService();
  shelf = await seedProducts(service);
  payer = await newPayer(service);
});
afterAll(() => service.stop());

const call = (
  name: string,
  args: object,
  key: string | null = payer.token,
  headers: Record<string, string> = {},
  shop = SHOP,
) =>
  service.call("POST", `/mcp?shop=${shop}`, {
    key,
    headers,
    body: toolCall(name, args),
  });
const answer = async (name: string, args: object, key = payer.token) =>
  (await call(name, args, key)).json.result.structuredContent;
const items = (quantity = 1) => ({ line_items: [{ item: { id: shelf.camera }, quantity }] });
const MANDATE = { max_amount: "100.00", currency: "EUR", scope: "all" };

const SCOPED: [tool: string, scope: string, args: () => object][] = [
  ["get_identity", "identity:read", () => ({})],
  ["get_consent", "identity:read", () => ({})],
  ["get_tags", "identity:read", () => ({})],
  ["list_orders", "dev.ucp.shopping.order:read", () => ({})],
  ["get_order", "dev.ucp.shopping.order:read", () => ({ id: "1" })],
  ["get_return", "dev.ucp.shopping.order:read", () => ({ rma: "R-1" })],
  ["create_checkout", "dev.ucp.shopping.checkout:manage", () => ({ checkout: items() })],
  ["get_checkout", "dev.ucp.shopping.checkout:manage", () => ({ id: randomUUID() })],
  [
    "update_checkout",
    "dev.ucp.shopping.checkout:manage",
    () => ({ id: randomUUID(), checkout: items() }),
  ],
  ["complete_checkout", "dev.ucp.shopping.checkout:manage", () => ({ id: randomUUID() })],
  ["cancel_checkout", "dev.ucp.shopping.checkout:manage", () => ({ id: randomUUID() })],
  ["create_mandate", "commerce.mandates:create", () => MANDATE],
  ["list_mandates", "commerce.mandates:create", () => ({})],
  ["get_mandate", "commerce.mandates:create", () => ({ mandate_id: randomUUID() })],
  ["revoke_mandate", "commerce.mandates:create", () => ({ mandate_id: randomUUID() })],
];
const ALL_SCOPES = [...new Set(SCOPED.map(([, scope]) => scope))];

describe("a call that names no store", () => {
  const identity = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "get_identity" },
  };
  const withoutStore = (key: string | null, headers: Record<string, string> = {}) =>
    service.call("POST", "/mcp", { key, headers, body: identity });

  it("is for the store that its token names, be it the shopper's or an agent's", async () => {
    const client = await newClient(service);
    const agent = await newTokens(service, client, payer.token, { scope: "identity:read" });
    for (const key of [payer.token, agent.access_token]) {
      const { status, json } = await withoutStore(key);
      expect([status, json.result.structuredContent]).toEqual([
        200,
        await answer("get_identity", {}, key),
      ]);
    }
  });

  it("is refused without a token, and with a cookie, which no agent has", async () => {
    expect((await withoutStore(null)).status).toBe(400);
    const cookie = { Cookie: `__Host-crm_session=${payer.token}` };
    expect((await withoutStore(null, cookie)).status).toBe(400);
  });
});

describe("every tool about a shopper", () => {
  it("is in this list; only the catalog and the cart are public", async () => {
    const { tools } = (
      await service.call("POST", `/mcp?shop=${SHOP}`, {
        key: null,
        body: { jsonrpc: "2.0", id: 1, method: "tools/list" },
      })
    ).json.result;
    const open = [
      "search_catalog",
      "lookup_catalog",
      "get_product",
      "create_cart",
      "get_cart",
      "update_cart",
      "cancel_cart",
    ];
    expect(tools.map(({ name }: { name: string }) => name).sort()).toEqual(
      [...open, ...SCOPED.map(([name]) => name)].sort(),
    );
  });

  it.each(SCOPED)(
    "%s requires a token with the scope %s of the token's own store",
    async (name, scope, args) => {
      const client = await newClient(service);
      const [right, wrong] = [
        (await newTokens(service, client, payer.token, { scope })).access_token,
        (
          await newTokens(service, client, payer.token, {
            scope: ALL_SCOPES.filter((one) => one !== scope).join(" "),
          })
        ).access_token,
      ];
      expect((await call(name, args(), right)).status).toBe(200);
      expect((await call(name, args(), null)).status).toBe(401);
      const refused = await call(name, args(), wrong);
      expect([refused.status, refused.json.error.data.code, refused.json.id]).toEqual([
        403,
        "insufficient_scope",
        1,
      ]);
      expect(refused.headers.get("www-authenticate")).toContain(`scope="${scope}"`);
      expect((await call(name, args(), right, {}, OTHER_SHOP)).status).toBe(401);
      expect(
        (
          await call(name, args(), null, {
            Cookie: `__Host-crm_session=${payer.token}`,
            Origin: service.url,
          })
        ).status,
      ).toBe(401);
    },
  );

  it.each(SCOPED)(
    "%s is closed as soon as the shopper revokes the consent",
    async (name, _scope, args) => {
      const shy = await newPayer(service);
      expect((await call(name, args(), shy.token)).status).toBe(200);
      await consent(service, shy, { consent_a2a: false });
      const refused = await call(name, args(), shy.token);
      expect([refused.status, refused.json.error.code, refused.json.error.data.code]).toEqual([
        403,
        -32_000,
        "agent_consent_required",
      ]);
    },
  );

  it("is closed, and not listed, at a store that disables agents", async () => {
    const guarded = await newPayer(service);
    await service.call("POST", `/config?shop=${SHOP}`, { body: { agent_access_enabled: false } });
    try {
      const { tools } = (
        await service.call("POST", `/mcp?shop=${SHOP}`, {
          key: null,
          body: { jsonrpc: "2.0", id: 1, method: "tools/list" },
        })
      ).json.result;
      expect(tools.map(({ name }: { name: string }) => name)).not.toContain("get_identity");
      expect((await call("get_identity", {}, guarded.token)).json.error.data.code).toBe(
        "agent_access_disabled",
      );
    } finally {
      await service.call("POST", `/config?shop=${SHOP}`, { body: { agent_access_enabled: true } });
    }
  });
});

describe("a caller who may not", () => {
  const MESSAGE = { type: "error", severity: "requires_buyer_review", content: expect.any(String) };
  const issuer = async () =>
    (
      await service.call("GET", `/.well-known/oauth-protected-resource/mcp?shop=${SHOP}`, {
        key: null,
      })
    ).json.authorization_servers[0];

  it("is challenged in the issuer's realm, with UCP's code beside ours, over MCP and REST", async () => {
    const realm = `Bearer realm="${await issuer()}", `;
    const rest = (key: string | null) =>
      service.call("GET", `/commerce/orders?shop=${SHOP}`, { key });
    for (const [key, code, error] of [
      [null, "unauthorized", ""],
      ["a.b.c", "unauthorized", 'error="invalid_token", '],
      [`agt_x.${"a".repeat(43)}`, "invalid_token", 'error="invalid_token", '],
    ] as const) {
      const expected = { code, messages: [{ ...MESSAGE, code: "identity_required" }] };
      for (const answered of [await call("list_orders", {}, key), await rest(key)]) {
        const header = answered.headers.get("www-authenticate");
        expect([answered.status, header]).toEqual([
          401,
          expect.stringContaining(`${realm}${error}resource_metadata=`),
        ]);
        expect(answered.json.error.data ?? answered.json).toMatchObject(expected);
      }
    }
    const client = await newClient(service);
    const { access_token: key } = await newTokens(service, client, payer.token, {
      scope: "identity:read",
    });
    const expected = {
      code: "insufficient_scope",
      messages: [{ ...MESSAGE, code: "insufficient_scope" }],
    };
    for (const answered of [await call("list_orders", {}, key), await rest(key)]) {
      const header = answered.headers.get("www-authenticate");
      expect([answered.status, header]).toEqual([
        403,
        expect.stringContaining(
          `${realm}error="insufficient_scope", scope="dev.ucp.shopping.order:read", `,
        ),
      ]);
      expect(answered.json.error.data ?? answered.json).toMatchObject(expected);
    }
  });
});

describe("mandates", () => {
  it("are created, listed, read and revoked", async () => {
    const made = await answer("create_mandate", { ...MANDATE, usage: "multi" });
    expect(made).toMatchObject({ status: "active", max_amount: "100.00", usage: "multi" });
    expect((await answer("list_mandates", { limit: 1 })).mandates).toEqual([made]);
    expect((await answer("revoke_mandate", { mandate_id: made.mandate_id })).status).toBe(
      "revoked",
    );
    expect((await answer("get_mandate", { mandate_id: made.mandate_id })).status).toBe("revoked");
  });

  it("require the consent to payments and are visible to their shopper only", async () => {
    const careful = await newPayer(service);
    await consent(service, careful, { consent_ap2: false });
    const refused = await call("create_mandate", MANDATE, careful.token);
    expect([refused.status, refused.json.error.data.code]).toEqual([
      403,
      "payment_consent_required",
    ]);
    const theirs = await call(
      "get_mandate",
      { mandate_id: await newMandate(service, payer) },
      careful.token,
    );
    expect(theirs.json.result).toMatchObject({
      isError: true,
      structuredContent: { code: "not_found" },
    });
    expect((await call("create_mandate", { ...MANDATE, max_amount: "free" })).json.error.code).toBe(
      -32_602,
    );
  });
});

describe("the same idempotency key", () => {
  it("creates one checkout for two requests, whatever their JSON-RPC ids; a different body is a conflict", async () => {
    const mandate_id = await newMandate(service, payer, { usage: "multi" });
    const meta = { "idempotency-key": randomUUID() };
    const first = await answer("create_checkout", { meta, checkout: { ...items(), mandate_id } });
    expect(await answer("create_checkout", { meta, checkout: { mandate_id, ...items() } })).toEqual(
      first,
    );
    expect((await mandateRow(service, mandate_id)).reservations).toBe(1);
    const conflict = await call("create_checkout", { meta, checkout: { ...items(2), mandate_id } });
    expect([conflict.status, conflict.json.error.code, conflict.json.error.data.code]).toEqual([
      409,
      -32_000,
      "idempotency_conflict",
    ]);
  });

  it("is shared with /commerce/checkout, and separate for another person", async () => {
    const key = randomUUID();
    const meta = { "idempotency-key": key };
    const first = await answer("create_checkout", { meta, checkout: items() });
    const rest = await service.call("POST", "/commerce/checkout", {
      key: payer.token,
      headers: { "Idempotency-Key": key },
      body: { line_items: [{ variant_id: shelf.camera, quantity: 1 }] },
    });
    expect([rest.headers.get("idempotent-replayed"), rest.json.id]).toEqual(["true", first.id]);
    const other = await newPayer(service);
    expect((await answer("create_checkout", { meta, checkout: items() }, other.token)).id).not.toBe(
      first.id,
    );
  });
});

it("more than a thousand of one item in several lines are refused at the line that is too much", async () => {
  const lines = (...quantities: number[]) => ({
    line_items: quantities.map((quantity) => ({ item: { id: shelf.camera }, quantity })),
  });
  for (const [tool, member] of [
    ["create_cart", "cart"],
    ["create_checkout", "checkout"],
  ] as const) {
    const { error } = (await call(tool, { [member]: lines(600, 600) })).json;
    expect([error.code, error.message]).toEqual([
      -32_602,
      expect.stringContaining(`${member}.line_items.1.quantity`),
    ]);
  }
  const cart = await answer("create_cart", { cart: lines(400, 600) });
  expect(cart.line_items[0].quantity).toBe(1_000);
});

it("a checkout that needs the shopper's review names the same reason until it is updated", async () => {
  const checkout = {
    ...items(),
    mandate_id: await newMandate(service, payer, { usage: "multi" }),
  };
  const { id } = await answer("create_checkout", { checkout });
  const setPrice = (price: string) =>
    service.sandbox.storefront.putProduct(SHOP, {
      gid: shelf.cameraProduct,
      title: "Trail Camera",
      variants: [{ gid: shelf.camera, sku: "CAM-9", price, stock: 500 }],
    });
  setPrice("41.00");
  const { messages } = await answer("complete_checkout", { id });
  expect(messages[0]).toMatchObject({
    code: "price_changed",
    severity: "requires_buyer_review",
    content: expect.stringContaining("continue_url"),
  });
  expect((await answer("get_checkout", { id })).messages).toEqual(messages);
  const updated = await answer("update_checkout", { id, checkout: items() });
  expect(updated.status).toBe("ready_for_complete");
  expect(JSON.stringify(updated)).not.toContain("price_changed");
  setPrice("40.00");
});

it("an update that names another mandate keeps the checkout's, and says so", async () => {
  const mandate_id = await newMandate(service, payer, { usage: "multi" });
  const { id } = await answer("create_checkout", { checkout: { ...items(), mandate_id } });
  const update = (named: string) =>
    answer("update_checkout", { id, checkout: { ...items(), mandate_id: named } });
  const kept = await update(await newMandate(service, payer));
  expect(kept).toMatchObject({ mandate_id, messages: expect.any(Array) });
  const warned = expect.objectContaining({ code: "mandate_not_changed", path: "$.mandate_id" });
  expect(kept.messages).toContainEqual(warned);
  expect((await update(mandate_id)).messages ?? []).not.toContainEqual(warned);
});

it("a checkout of another shopper, or under another shopper's mandate, is not found", async () => {
  const { id } = await answer("create_checkout", { checkout: items() });
  const other = await newPayer(service);
  for (const [name, args] of [
    ["get_checkout", { id }],
    ["update_checkout", { id, checkout: items() }],
    ["cancel_checkout", { id }],
    ["complete_checkout", { id }],
    ["create_checkout", { checkout: { ...items(), mandate_id: await newMandate(service, payer) } }],
  ] as const) {
    const { ucp, messages } = await answer(name, args, other.token);
    expect([ucp.status, messages[0].code]).toEqual(["error", "not_found"]);
  }
  expect((await answer("get_checkout", { id })).status).toBe("requires_escalation");
});

it("an unlisted host name of a store answers an error", async () => {
  const ping = (host: string) =>
    rawRequest(service.url, `/mcp?shop=${SHOP}`, {
      method: "POST",
      headers: [
        ["Host", host],
        ["Content-Type", "application/json"],
      ],
      chunks: [JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })],
    });
  expect((await ping("evil.example.com")).status).toBe(403);
  for (const host of [SHOP, "crm", "127.0.0.1:3000"]) expect((await ping(host)).status).toBe(200);
});
