// What a language model reads of the tools: how to write the arguments, and what was wrong with them. A
// wrong guess about an amount is a factor of a hundred.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  newMandate,
  newPayer,
  seedProducts,
  type Shelf,
} from "../../../support/agents/checkout.ts";
import type { Shopper } from "../../../support/agents/commerce.ts";
import { SHOP, startService, type Service } from "../../../support/service.ts";

let service: Service;
let shelf: Shelf;
let payer: Shopper;
beforeAll(async () => {
  service = await startService();
  shelf = await seedProducts(service);
  payer = await newPayer(service);
});
afterAll(() => service.stop());

const rpc = async (method: string, params: object) =>
  (
    await service.call("POST", `/mcp?shop=${SHOP}`, {
      key: payer.token,
      body: { jsonrpc: "2.0", id: 1, method, params },
    })
  ).json;
const call = (name: string, args: object) => rpc("tools/call", { name, arguments: args });
const answer = async (name: string, args: object) =>
  (await call(name, args)).result.structuredContent;

describe("the schema of a tool's arguments", () => {
  const fieldOf = async (tool: string, ...path: string[]) => {
    const { tools } = (await rpc("tools/list", {})).result;
    const { inputSchema } = tools.find(({ name }: { name: string }) => name === tool);
    return path.reduce(
      (schema, name) => (name === "[]" ? schema.items : schema.properties[name]),
      inputSchema,
    );
  };

  it("says of an amount whether it is a decimal text or minor units", async () => {
    expect((await fieldOf("create_mandate", "max_amount")).description).toMatch(/decimal.*minor/);
    for (const end of ["min", "max"])
      expect(
        (await fieldOf("search_catalog", "catalog", "filters", "price", end)).description,
      ).toContain("minor units");
  });

  it("says what each field of a mandate, and each way to find a product or order, means", async () => {
    const bare: string[] = [];
    for (const [tool, ...path] of [
      ["create_mandate"],
      ["search_catalog", "catalog"],
      ["search_catalog", "catalog", "filters"],
      ["search_catalog", "catalog", "pagination"],
      ["lookup_catalog", "catalog"],
      ["get_product", "catalog"],
      ["get_order"],
      ["list_orders"],
      ["get_return"],
      ["create_cart", "cart", "line_items", "[]", "item"],
    ] as [string, ...string[]][])
      for (const [name, field] of Object.entries<{ description?: string; properties?: object }>(
        (await fieldOf(tool, ...path)).properties,
      ))
        if (!field.description && !field.properties) bare.push([tool, ...path, name].join("."));
    expect(bare).toEqual([]);
  });
});

describe("a refusal", () => {
  it("says whether the mandate, the checkout or the return is unknown", async () => {
    const unknown = randomUUID();
    const items = { line_items: [{ item: { id: shelf.camera }, quantity: 1 }] };
    const made = await answer("create_checkout", { checkout: { ...items, mandate_id: unknown } });
    expect(made.messages).toMatchObject([
      { code: "not_found", content: "There is no such mandate." },
    ]);
    expect((await answer("get_checkout", { id: unknown })).messages).toMatchObject([
      { code: "not_found", content: "There is no such checkout." },
    ]);
    for (const [name, args, message] of [
      ["get_mandate", { mandate_id: unknown }, "There is no such mandate."],
      ["revoke_mandate", { mandate_id: unknown }, "There is no such mandate."],
      ["get_return", { rma: unknown }, "There is no such return."],
    ] as const)
      expect(await answer(name, args)).toMatchObject({ code: "not_found", message });
  });

  it("of a checkout of nothing says what to name", async () => {
    expect(
      (await answer("create_checkout", { checkout: { line_items: [] } })).messages,
    ).toMatchObject([{ code: "invalid_request", content: expect.stringContaining("line_items") }]);
  });

  it("of a product in a cart says that its variants are what can be bought", async () => {
    const { products } = await answer("search_catalog", { catalog: { query: "camera" } });
    const { messages } = await answer("create_cart", {
      cart: { line_items: [{ item: { id: products[0].id }, quantity: 1 }] },
    });
    expect(messages).toMatchObject([
      { code: "item_unavailable", content: expect.stringMatching(/^Item 1 .* variant/) },
    ]);
  });

  it("of a mandate that ended says how to go on", async () => {
    const mandate_id = await newMandate(service, payer);
    const items = { line_items: [{ item: { id: shelf.camera }, quantity: 1 }] };
    const { id } = await answer("create_checkout", { checkout: { ...items, mandate_id } });
    await answer("revoke_mandate", { mandate_id });
    const { messages } = await answer("complete_checkout", { id });
    expect(messages).toMatchObject([
      { code: "mandate_revoked", content: expect.stringMatching(/another mandate.*shopper/) },
    ]);
  });

  it("of a tool that this store does not offer differs from that of a tool that does not exist", async () => {
    const configure = (agent_payments_enabled: boolean) =>
      service.call("POST", `/config?shop=${SHOP}`, { body: { agent_payments_enabled } });
    await configure(false);
    try {
      expect((await call("list_mandates", {})).error.message).toBe(
        "This store does not offer this tool.",
      );
      expect((await call("list_wishes", {})).error.message).toBe("There is no such tool.");
    } finally {
      await configure(true);
    }
  });
});
