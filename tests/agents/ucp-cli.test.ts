// UCP's reference client against the running service: it finds the store by its host and reads MCP only.
import { afterAll, beforeAll, expect, it } from "vitest";
import { newClient, newTokens } from "../support/agents/agent.ts";
import {
  completed,
  newMandate,
  newPayer,
  seedProducts,
  type Shelf,
} from "../support/agents/checkout.ts";
import { newShopper, variantOf } from "../support/agents/commerce.ts";
import { SHOP, startService, type Service } from "../support/service.ts";
import { startUcpCli, type UcpCli } from "../support/agents/ucp-cli.ts";

let service: Service;
let store: string;
let ucp: UcpCli;
let shelf: Shelf;
let token: string | null = null;
beforeAll(async () => {
  service = await startService({ background: true });
  const { port } = new URL(service.url);
  store = `http://localhost:${port}`;
  shelf = await seedProducts(service);
  await service.addTenant(SHOP, { public_hosts: [`localhost:${port}`] });
  ucp = startUcpCli(store, { token: () => token });
});
afterAll(async () => {
  ucp.stop();
  await service.stop();
});

it("discovers the store, its capabilities and its tools", async () => {
  const { result } = await ucp.run("discover");
  expect(result.protocol).toMatchObject({ version: "2026-08-25", source: "well-known" });
  const { endpoint, tools } = result.negotiated["dev.ucp.shopping"];
  expect(endpoint).toBe(`${store}/mcp`);
  expect(Object.keys(tools)).toEqual(
    expect.arrayContaining([
      "search_catalog",
      "lookup_catalog",
      "get_product",
      "create_cart",
      "get_cart",
      "update_cart",
      "cancel_cart",
      "get_order",
    ]),
  );
  expect(result.expectedCapabilities).toEqual(
    expect.arrayContaining([
      "dev.ucp.shopping.cart",
      "dev.ucp.shopping.catalog.search",
      "dev.ucp.shopping.checkout",
      "dev.ucp.shopping.order",
    ]),
  );
});

it("searches, looks up and opens a product", async () => {
  const found = await ucp.run("catalog", "search", "--set", "/query=lantern");
  expect(found.ucp).toMatchObject({ version: "2026-08-25", payment_handlers: {} });
  expect(found.result.products.map(({ title }: { title: string }) => title)).toEqual([
    "Camp Lantern",
  ]);
  const [product] = found.result.products;
  const looked = await ucp.run(
    "catalog",
    "lookup",
    "--input",
    JSON.stringify({ ids: [product.variants[0].id] }),
  );
  expect(looked.result.products[0].variants[0]).toMatchObject({
    id: product.variants[0].id,
    price: { amount: 2500, currency: "EUR" },
  });
  expect(
    (await ucp.run("catalog", "get_product", product.id)).result.product.variants,
  ).toHaveLength(2);
});

it("creates a cart, changes it and deletes it", async () => {
  const [camera, lantern] = [await variantOf(service, "CAM-9"), await variantOf(service, "LAN-G")];
  const made = await ucp.run(
    "cart",
    "create",
    "--input",
    JSON.stringify({ line_items: [{ item: { id: camera.id }, quantity: 2 }] }),
  );
  const { id } = made.result;
  expect(made.result).toMatchObject({
    currency: "EUR",
    totals: [
      { type: "subtotal", amount: 8000 },
      { type: "total", amount: 8000 },
    ],
    continue_url: `https://${SHOP}/cart/${camera.id.split("/").pop()}:2`,
  });
  const changed = await ucp.run(
    "cart",
    "update",
    id,
    "--input",
    JSON.stringify({
      line_items: [
        { id: "li_1", item: { id: camera.id }, quantity: 1 },
        { item: { id: lantern.id }, quantity: 1 },
      ],
    }),
  );
  expect(changed.result.totals).toEqual([
    { type: "subtotal", amount: 6500 },
    { type: "total", amount: 6500 },
  ]);
  expect((await ucp.run("cart", "get", id)).result.line_items).toEqual(changed.result.line_items);
  await ucp.run("cart", "cancel", id);
  const gone = await ucp.run("cart", "get", id);
  expect(gone.result.messages).toEqual([
    expect.objectContaining({ code: "not_found", severity: "unrecoverable" }),
  ]);
});

it("is asked for the shopper's sign-in, and then for the shopper's consent", async () => {
  expect(await ucp.refused("order", "get", "1")).toMatchObject({ code: "AUTH_REQUIRED" });
  const shy = await newShopper(service);
  token = shy.token;
  expect(
    await ucp.refused(
      "checkout",
      "create",
      "--input",
      JSON.stringify({ line_items: [{ item: { id: shelf.camera }, quantity: 1 }] }),
    ),
  ).toMatchObject({ code: "INSUFFICIENT_PERMISSIONS" });
});

it("sends the buyer and the context, and the checkout is created", async () => {
  const shopper = await newPayer(service);
  token = (await newTokens(service, await newClient(service), shopper.token)).access_token;
  const who = {
    line_items: [{ item: { id: shelf.camera }, quantity: 1 }],
    buyer: {
      first_name: "Ada",
      last_name: "Byron",
      email: "ada@example.com",
      phone_number: "+442079460018",
    },
    context: { address_country: "GB", language: "en-GB" },
    signals: { "dev.ucp.buyer_ip": "192.0.2.1" },
  };
  for (const kind of ["cart", "checkout"]) {
    const made = await ucp.run(kind, "create", "--input", JSON.stringify(who));
    expect([kind, made.result.totals]).toEqual([
      kind,
      [
        { type: "subtotal", amount: 4000 },
        { type: "total", amount: 4000 },
      ],
    ]);
  }
});

it("checks out a cart under a mandate, with buyer, address and delivery, and reads the order", async () => {
  const shopper = await newPayer(service);
  const granted = await newTokens(service, await newClient(service), shopper.token, {
    scope:
      "identity:read dev.ucp.shopping.order:read dev.ucp.shopping.checkout:manage commerce.mandates:create",
  });
  token = granted.access_token;
  const mandate = await newMandate(service, shopper, { usage: "multi", max_amount: "100.00" });
  const cart = (
    await ucp.run(
      "cart",
      "create",
      "--input",
      JSON.stringify({ line_items: [{ item: { id: shelf.camera }, quantity: 1 }] }),
    )
  ).result;
  const made = await ucp.run(
    "checkout",
    "create",
    "--input",
    JSON.stringify({ cart_id: cart.id, line_items: [], mandate_id: mandate }),
  );
  expect(made.ucp).toMatchObject({ version: "2026-08-25", payment_handlers: {} });
  expect(made.result).toMatchObject({
    status: "ready_for_complete",
    currency: "EUR",
    mandate_id: mandate,
    line_items: [{ id: "li_1", item: { id: shelf.camera, price: 4000 }, quantity: 1 }],
    totals: [
      { type: "subtotal", amount: 4000 },
      { type: "total", amount: 4000 },
    ],
    links: [{ type: "terms_of_service" }, { type: "privacy_policy" }],
    continue_url: expect.stringMatching(/^https?:/),
    expires_at: expect.any(String),
  });
  const { id } = made.result;
  const changed = await ucp.run(
    "checkout",
    "update",
    id,
    "--input",
    JSON.stringify({ line_items: [{ id: "li_1", item: { id: shelf.camera }, quantity: 2 }] }),
  );
  expect(changed.result.totals).toEqual([
    { type: "subtotal", amount: 8000 },
    { type: "total", amount: 8000 },
  ]);
  const destination = {
    street_address: "1 St James's Square",
    address_locality: "London",
    postal_code: "SW1Y 4JH",
    address_country: "GB",
    first_name: "Ada",
    last_name: "Byron",
  };
  const line_items = [{ id: "li_1", item: { id: shelf.camera }, quantity: 2 }];
  const method = { type: "shipping", line_item_ids: ["li_1"], destinations: [destination] };
  const send = async (groups?: object[]) => {
    const fulfillment = { methods: [{ ...method, ...(groups && { groups }) }] };
    const buyer = { first_name: "Ada", last_name: "Byron", email: shopper.email };
    const input = JSON.stringify({ line_items, buyer, fulfillment });
    return (await ucp.run("checkout", "update", id, "--input", input)).result;
  };
  const addressed = await send();
  expect(addressed.fulfillment.methods[0]).toMatchObject({
    type: "shipping",
    line_item_ids: ["li_1"],
    destinations: [{ type: "shipping_address", ...destination }],
    groups: [{ selected_option_id: null }],
  });
  const [group] = addressed.fulfillment.methods[0].groups;
  expect(group.options.map(({ title }: { title: string }) => title)).toEqual([
    "Standard",
    "Express",
  ]);
  const delivered = await send([{ id: group.id, selected_option_id: group.options[0].id }]);
  expect([delivered.totals, delivered.messages]).toEqual([
    [
      { type: "subtotal", amount: 8000 },
      { type: "fulfillment", display_text: "Standard", amount: 490 },
      { type: "total", amount: 8490 },
    ],
    undefined,
  ]);
  // An amount above the mandate's limit is a result, and leaves the checkout unchanged.
  const tooMuch = await ucp.run(
    "checkout",
    "update",
    id,
    "--input",
    JSON.stringify({ line_items: [{ item: { id: shelf.camera }, quantity: 3 }] }),
  );
  expect([tooMuch.result.id, tooMuch.result.totals, tooMuch.result.messages[0].code]).toEqual([
    id,
    delivered.totals,
    "mandate_exceeded",
  ]);
  expect((await ucp.run("checkout", "complete", id, "--input", "{}")).result.status).toBe(
    "complete_in_progress",
  );
  const late = await ucp.run(
    "checkout",
    "update",
    id,
    "--input",
    JSON.stringify({ line_items: [{ item: { id: shelf.camera }, quantity: 1 }] }),
  );
  expect(late.result).toMatchObject({
    status: "complete_in_progress",
    messages: [{ code: "checkout_closed", severity: "recoverable" }],
  });

  const { order } = await service.sandbox.storefront.pay(SHOP, delivered.continue_url);
  await completed(service, id);
  const over = (await ucp.run("checkout", "get", id)).result;
  expect(over).toMatchObject({
    status: "completed",
    order: { id: order.gid, permalink_url: expect.stringContaining(SHOP) },
  });
  expect(order.total).toBe("84.90");
  const seen = (await ucp.run("order", "get", order.gid)).result;
  expect(seen).toMatchObject({
    id: order.gid,
    checkout_id: id,
    currency: "EUR",
    line_items: [
      { quantity: { total: 2, fulfilled: 0 }, status: "processing", item: { price: 4000 } },
    ],
  });
  expect(seen.totals.filter(({ type }: { type: string }) => type === "total")).toHaveLength(1);
});

it("passes a checkout without a mandate to the shopper and cancels it", async () => {
  const shopper = await newPayer(service);
  token = shopper.token;
  const made = await ucp.run(
    "checkout",
    "create",
    "--input",
    JSON.stringify({ line_items: [{ item: { id: shelf.camera }, quantity: 1 }] }),
  );
  expect(made.result).toMatchObject({
    status: "requires_escalation",
    continue_url: expect.any(String),
    messages: [
      { code: "payment_required", severity: "requires_buyer_input" },
      { code: "fulfillment_address_missing", type: "info" },
    ],
  });
  expect((await ucp.run("checkout", "cancel", made.result.id)).result).toMatchObject({
    status: "canceled",
  });
  const stranger = await newPayer(service);
  token = stranger.token;
  expect((await ucp.run("checkout", "get", made.result.id)).result.messages[0].code).toBe(
    "not_found",
  );
});
