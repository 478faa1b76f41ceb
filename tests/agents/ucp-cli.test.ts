// The reference client of UCP shops at the running service: it finds the store by its host alone, and reads nothing but MCP.
import { afterAll, beforeAll, expect, it } from "vitest";
import { openStore, variantOf } from "../support/commerce.ts";
import { SHOP, startService, type Service } from "../support/service.ts";
import { startUcpCli, type UcpCli } from "../support/ucp-cli.ts";

let service: Service;
let store: string;
let ucp: UcpCli;
beforeAll(async () => {
  service = await startService();
  const { port } = new URL(service.url);
  store = `http://localhost:${port}`;
  await openStore(service, SHOP);
  await service.addTenant(SHOP, { public_hosts: [`localhost:${port}`] });
  ucp = startUcpCli(store, { token: () => null });
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
  expect(Object.keys(tools)).toEqual(expect.arrayContaining(["search_catalog", "lookup_catalog", "get_product", "create_cart", "get_cart", "update_cart", "cancel_cart", "get_order"]));
  expect(result.expectedCapabilities).toEqual(expect.arrayContaining(["dev.ucp.shopping.cart", "dev.ucp.shopping.catalog.search", "dev.ucp.shopping.checkout", "dev.ucp.shopping.order"]));
});

it("searches, looks up and opens a product", async () => {
  const found = await ucp.run("catalog", "search", "--set", "/query=lantern");
  expect(found.ucp).toMatchObject({ version: "2026-08-25", payment_handlers: {} });
  expect(found.result.products.map(({ title }: { title: string }) => title)).toEqual(["Camp Lantern"]);
  const [product] = found.result.products;
  const looked = await ucp.run("catalog", "lookup", "--input", JSON.stringify({ ids: [product.variants[0].id] }));
  expect(looked.result.products[0].variants[0]).toMatchObject({ id: product.variants[0].id, price: { amount: 2500, currency: "EUR" } });
  expect((await ucp.run("catalog", "get_product", product.id)).result.product.variants).toHaveLength(2);
});

it("gathers a cart, changes it and throws it away", async () => {
  const [camera, lantern] = [await variantOf(service, "CAM-9"), await variantOf(service, "LAN-G")];
  const made = await ucp.run("cart", "create", "--input", JSON.stringify({ line_items: [{ item: { id: camera.id }, quantity: 2 }] }));
  const { id } = made.result;
  expect(made.result).toMatchObject({ currency: "EUR", totals: [{ type: "subtotal", amount: 8000 }, { type: "total", amount: 8000 }], continue_url: `https://${SHOP}/cart/${camera.id.split("/").pop()}:2` });
  const changed = await ucp.run("cart", "update", id, "--input", JSON.stringify({ line_items: [{ id: "li_1", item: { id: camera.id }, quantity: 1 }, { item: { id: lantern.id }, quantity: 1 }] }));
  expect(changed.result.totals).toEqual([{ type: "subtotal", amount: 6500 }, { type: "total", amount: 6500 }]);
  expect((await ucp.run("cart", "get", id)).result.line_items).toEqual(changed.result.line_items);
  await ucp.run("cart", "cancel", id);
  const gone = await ucp.run("cart", "get", id);
  expect(gone.result.messages).toEqual([expect.objectContaining({ code: "not_found", severity: "unrecoverable" })]);
});

it("is told that a shopper must be asked first", async () => {
  expect(await ucp.refused("order", "get", "1")).toMatchObject({ code: "AUTH_REQUIRED" });
});
