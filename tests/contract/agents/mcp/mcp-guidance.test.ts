// What a language model reads of the tools: how to write the arguments, and what was wrong with them. A
// wrong guess about an amount is a factor of a hundred.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newPayer, seedProducts } from "../../../support/agents/checkout.ts";
import type { Shopper } from "../../../support/agents/commerce.ts";
import { SHOP, startService, type Service } from "../../../support/service.ts";

let service: Service;
let payer: Shopper;
beforeAll(async () => {
  service = await startService();
  await seedProducts(service);
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
