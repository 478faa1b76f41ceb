// Every UCP answer, and every tool's schemas, against the JSON Schemas that UCP publishes. Skipped
// where those were not fetched: `node scripts/protocol-sources.ts`.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { UCP_VERSIONS } from "../../../app/domain/agents/ucp/profile.ts";
import { newClient, newTokens } from "../../support/agents/agent.ts";
import {
  closeCarts,
  completed,
  newMandate,
  newPayer,
  openCarts,
  seedProducts,
  type Shelf,
} from "../../support/agents/checkout.ts";
import type { Shopper } from "../../support/agents/commerce.ts";
import { hasUcpSchemas, ucpSchemas } from "../../support/agents/ucp-schemas.ts";
import { SHOP, startService, type Service } from "../../support/service.ts";

let service: Service;
let shelf: Shelf;
let payer: Shopper;
let token: string;
const isReady = UCP_VERSIONS.every(hasUcpSchemas);

beforeAll(async () => {
  if (!isReady) return;
  service = await startService({ background: true });
  shelf = await seedProducts(service);
  payer = await newPayer(service);
  const scope =
    "identity:read dev.ucp.shopping.order:read dev.ucp.shopping.checkout:manage commerce.mandates:create";
  token = (await newTokens(service, await newClient(service), payer.token, { scope })).access_token;
});
afterAll(() => service?.stop());

const profileOf = (version: string) =>
  `https://shopify.dev/ucp/agent-profiles/${version}/valid-with-capabilities.json`;

describe.skipIf(!isReady).each(UCP_VERSIONS)("UCP %s", (version) => {
  const isNew = version === "2026-08-25";
  const ERROR = `${isNew ? "common" : "shopping"}/types/error_response.json`;
  const problemsOf = (schema: string, answer: unknown): string[] => {
    const validate = ucpSchemas(version).compile(schema);
    return validate(answer)
      ? []
      : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  };
  const call = async (name: string, args: object) => {
    const { json } = await service.call("POST", `/mcp?shop=${SHOP}`, {
      key: token,
      body: {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: {
          name,
          arguments: {
            meta: {
              "ucp-agent": { profile: profileOf(version) },
              "idempotency-key": randomUUID(),
            },
            ...args,
          },
        },
      },
    });
    expect([name, json.error]).toEqual([name, undefined]);
    return json.result.structuredContent;
  };
  /** An answer that matches its schema, or UCP's error. */
  const valid = async (schema: string, name: string, args: object, fails = false) => {
    const answer = await call(name, args);
    const problems = problemsOf(fails ? ERROR : schema, answer);
    expect([name, fails, problems, problems.length && answer]).toEqual([name, fails, [], 0]);
    expect(answer.ucp.version).toBe(version);
    return answer;
  };
  const CHECKOUT = "shopping/checkout.json";
  const CART = "shopping/cart.json";
  const items = (id = shelf.camera, quantity = 1) => ({ line_items: [{ item: { id }, quantity }] });

  it("lists every field of a request in the tools' input schemas", async () => {
    const { json } = await service.call("POST", `/mcp?shop=${SHOP}`, {
      key: null,
      body: { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} },
    });
    const types = isNew ? "common/types" : "shopping/types";
    const missing: string[] = [];
    const compare = (where: string, schema: string, operation: string, given: any) => {
      const names = Object.keys(given?.properties ?? {});
      const wanted = ucpSchemas(version).requestFields(schema, operation);
      expect([schema, wanted.length > 0]).toEqual([schema, true]);
      // An id stands beside the cart or checkout, not in it.
      const isMissing = (field: string) => field !== "id" && !names.includes(field);
      missing.push(...wanted.filter(isMissing).map((field) => `${where}.${field}`));
    };
    for (const { name, inputSchema } of json.result.tools) {
      const [verb, noun] = name.split("_");
      const { checkout, cart, catalog } = inputSchema.properties;
      if (noun === "checkout" && checkout) compare(name, CHECKOUT, verb, checkout);
      if (noun === "cart" && cart) compare(name, CART, verb, cart);
      const [search, lookup] = ["shopping/catalog_search.json", "shopping/catalog_lookup.json"];
      if (name === "search_catalog") compare(name, `${search}#/$defs/search_request`, "", catalog);
      if (name === "lookup_catalog") compare(name, `${lookup}#/$defs/lookup_request`, "", catalog);
      if (name === "get_product")
        compare(name, `${lookup}#/$defs/get_product_request`, "", catalog);
      const { buyer, context, signals } = (checkout ?? cart ?? catalog)?.properties ?? {};
      if (buyer) compare(`${name}.buyer`, "shopping/types/buyer.json", verb, buyer);
      if (context) compare(`${name}.context`, `${types}/context.json`, verb, context);
      if (signals) compare(`${name}.signals`, `${types}/signals.json`, verb, signals);
      const { fulfillment } = checkout?.properties ?? {};
      const method = fulfillment?.properties?.methods?.items;
      if (method) {
        const { destinations, groups } = method.properties;
        const [at, folder] = [`${name}.fulfillment`, "shopping/types"];
        compare(at, `${folder}/fulfillment.json`, verb, fulfillment);
        compare(at, `${folder}/fulfillment_method.json`, verb, method);
        compare(at, `${folder}/fulfillment_group.json`, verb, groups.items);
        compare(at, `${folder}/shipping_destination.json`, verb, destinations.items);
      }
    }
    expect(missing).toEqual([]);
  });

  it("publishes a valid business profile", async () => {
    const path = isNew ? "/.well-known/ucp" : `/.well-known/ucp/${version}`;
    const { json } = await service.call("GET", `${path}?shop=${SHOP}`, { key: null });
    expect(problemsOf("ucp.json#/$defs/business_schema", json.ucp)).toEqual([]);
    if (isNew) expect(problemsOf("profile.json#/$defs/business_schema", json)).toEqual([]);
  });

  it("answers the catalog as published", async () => {
    const SEARCH = "shopping/catalog_search.json#/$defs/search_response";
    const LOOKUP = "shopping/catalog_lookup.json#/$defs/lookup_response";
    const PRODUCT = "shopping/catalog_lookup.json#/$defs/get_product_response";
    const { products } = await valid(SEARCH, "search_catalog", { catalog: { query: "camera" } });
    expect(products).toHaveLength(1);
    await valid(SEARCH, "search_catalog", { catalog: { query: "nothing-of-that-name" } });
    await valid(SEARCH, "search_catalog", { catalog: { filters: { colour: "red" } } });
    const ids = [products[0].id, shelf.lanternRed, "gid://shopify/Product/1"];
    await valid(LOOKUP, "lookup_catalog", { catalog: { ids } });
    const selected = [{ name: "Color", label: "Red" }];
    await valid(PRODUCT, "get_product", { catalog: { id: shelf.lanternRed, selected } });
    await valid(PRODUCT, "get_product", { catalog: { id: "gid://shopify/Product/1" } }, true);
  });

  it("answers carts as published", async () => {
    const cart = await valid(CART, "create_cart", { cart: items() });
    await valid(CART, "get_cart", { id: cart.id });
    const soldOut = await valid(CART, "update_cart", {
      id: cart.id,
      cart: items(shelf.lanternRed),
    });
    expect(soldOut.messages).toEqual([expect.objectContaining({ code: "out_of_stock" })]);
    await valid(CART, "cancel_cart", { id: cart.id });
    await valid(CART, "get_cart", { id: cart.id }, true);
    await valid(CART, "create_cart", { cart: items("gid://shopify/ProductVariant/1") }, true);
  });

  it("answers checkouts as published in each of their states", async () => {
    const open = await valid(CHECKOUT, "create_checkout", { checkout: items() });
    expect(open.status).toBe("requires_escalation");
    await valid(CHECKOUT, "complete_checkout", { id: open.id, checkout: {} });
    const canceled = await valid(CHECKOUT, "cancel_checkout", { id: open.id });
    expect(canceled.status).toBe("canceled");
    await valid(CHECKOUT, "get_checkout", { id: open.id });
    const late = await valid(CHECKOUT, "update_checkout", { id: open.id, checkout: items() });
    expect(late.messages).toEqual([expect.objectContaining({ severity: "recoverable" })]);
    await valid(CHECKOUT, "get_checkout", { id: randomUUID() }, true);
    const soldOut = { checkout: items(shelf.lanternRed) };
    const refused = await valid(CHECKOUT, "create_checkout", soldOut, true);
    expect(refused.messages[0].code).toBe("item_unavailable");

    const mandate_id = await newMandate(service, payer, { usage: "multi", max_amount: "200.00" });
    const covered = await valid(CHECKOUT, "create_checkout", {
      checkout: { ...items(), mandate_id },
    });
    expect(covered.status).toBe("ready_for_complete");
    await valid(CHECKOUT, "update_checkout", {
      id: covered.id,
      checkout: items(shelf.camera, 2),
    });
    await valid(
      CHECKOUT,
      "update_checkout",
      { id: covered.id, checkout: items(shelf.camera, 9) },
      true,
    );
    const confirmed = await valid(CHECKOUT, "complete_checkout", { id: covered.id, checkout: {} });
    expect(confirmed.status).toBe("complete_in_progress");
    await valid(CHECKOUT, "update_checkout", { id: covered.id, checkout: items() });
    await valid(CHECKOUT, "cancel_checkout", { id: covered.id });
  });

  it("warns of what the storefront's cart does not carry", async () => {
    const unused = {
      buyer: {
        email: "other@example.com",
        consent: { "dev.ucp.consent.marketing": { granted: true, source: "platform" } },
      },
      discounts: { codes: ["SUMMER20"] },
      fulfillment: { methods: [{ type: "pickup" }] },
      payment: { instruments: [{ id: "i-1", handler_id: "com.example.pay", type: "card" }] },
    };
    const made = await valid(CHECKOUT, "create_checkout", { checkout: { ...items(), ...unused } });
    const codesOf = ({ messages }: { messages: { type: string; code: string }[] }) =>
      messages.filter(({ type }) => type === "warning").map(({ code }) => code);
    const WARNINGS = [
      "buyer_not_used",
      "consent_not_recorded",
      "discounts_not_supported",
      "fulfillment_not_supported",
      "payment_not_supported",
    ];
    // A checkout carries discount codes (checkouts/discounts.test.ts), and this one is none of the store's; of
    // delivery (checkouts/fulfillment.test.ts) it carries no pickup.
    const [PICKUP, CODE] = ["fulfillment_not_supported", "discounts_not_supported"];
    const OF_CHECKOUT = WARNINGS.filter((code) => code !== CODE && code !== PICKUP);
    expect(codesOf(made)).toEqual(["discount_code_invalid", PICKUP, ...OF_CHECKOUT]);
    const buyer = { email: payer.email.toUpperCase() };
    const own = { ...items(), buyer, discounts: { codes: [] } };
    const update = { id: made.id, checkout: own };
    expect(codesOf(await valid(CHECKOUT, "update_checkout", update))).toEqual([]);
    const cart = await valid(CART, "create_cart", { cart: { ...items(), ...unused } });
    expect(codesOf(cart)).toEqual(WARNINGS.slice(1));
  });

  it("answers a checkout of a store without a cart API as published", async () => {
    closeCarts(service);
    try {
      const draft = await valid(CHECKOUT, "create_checkout", { checkout: items() });
      await valid(CHECKOUT, "cancel_checkout", { id: draft.id });
    } finally {
      openCarts(service);
    }
  });

  it("answers a completed checkout and its order as published", async () => {
    const made = await valid(CHECKOUT, "create_checkout", { checkout: items() });
    const { order } = await service.sandbox.storefront.pay(SHOP, made.continue_url);
    await completed(service, made.id);
    const over = await valid(CHECKOUT, "get_checkout", { id: made.id });
    expect(over).toMatchObject({ status: "completed", order: { id: order.gid } });
    await valid("shopping/order.json", "get_order", { id: order.gid });
    await valid("shopping/order.json", "get_order", { id: "1" }, true);
  });
});
