// Tool schemas are strict JSON Schema 2020-12, and every tool result matches its output schema.
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { UCP_VERSIONS } from "../../../../app/domain/agents/ucp/profile.ts";
import { newClient, newTokens } from "../../../support/agents/agent.ts";
import { newPayer, seedProducts, type Shelf } from "../../../support/agents/checkout.ts";
import { SHOP, startService, type Service } from "../../../support/service.ts";

type Schema = { properties?: Record<string, Schema>; required?: string[]; [name: string]: any };
type Tool = { name: string; description: string; inputSchema: Schema; outputSchema: Schema };

let service: Service;
let shelf: Shelf;
let token: string;
beforeAll(async () => {
  service = await startService();
  shelf = await seedProducts(service);
  const payer = await newPayer(service);
  token = (
    await newTokens(service, await newClient(service), payer.token, {
      scope:
        "identity:read dev.ucp.shopping.order:read dev.ucp.shopping.checkout:manage commerce.mandates:create",
    })
  ).access_token;
});
afterAll(() => service.stop());

const profileOf = (version: string) =>
  `https://shopify.dev/ucp/agent-profiles/${version}/valid-with-capabilities.json`;
const rpc = (method: string, params: object, version: string, key: string | null = token) =>
  service.call("POST", `/mcp?shop=${SHOP}`, {
    key,
    headers: { "UCP-Agent": `profile="${profileOf(version)}"` },
    body: { jsonrpc: "2.0", id: 1, method, params },
  });
const toolsOf = async (version: string): Promise<Tool[]> =>
  (await rpc("tools/list", {}, version)).json.result.tools;

/**
 * A strict validator: unknown keywords, unknown formats, empty tuples and missing types are errors.
 */
const strictly = (schema: Schema): ValidateFunction =>
  new Ajv2020({ strict: true, allErrors: true }).compile(schema);

describe.each(UCP_VERSIONS)("the tools of UCP %s", (version) => {
  it("have input and output schemas that a strict validator accepts", async () => {
    const problems: string[] = [];
    const tools = await toolsOf(version);
    expect(tools.length).toBeGreaterThan(20);
    for (const { name, inputSchema, outputSchema } of tools)
      for (const [side, schema] of Object.entries({ inputSchema, outputSchema })) {
        if (schema.type !== "object") problems.push(`${name} ${side}: is no object`);
        try {
          strictly(schema);
        } catch (error) {
          problems.push(`${name} ${side}: ${(error as Error).message}`);
        }
      }
    expect(problems).toEqual([]);
  });

  it.each([
    ["create_checkout", "checkout"],
    ["update_checkout", "checkout"],
    ["create_cart", "cart"],
    ["update_cart", "cart"],
  ])(
    "accept what UCP defines for buyer, context and signals from a client of %s",
    async (name, place) => {
      const tool = (await toolsOf(version)).find((one) => one.name === name);
      const fields = tool?.inputSchema.properties?.[place]?.properties ?? {};
      const namesIn = (field: string) => Object.keys(fields[field]?.properties ?? {});
      expect(namesIn("buyer")).toEqual(
        expect.arrayContaining(["first_name", "last_name", "email", "phone_number"]),
      );
      expect(namesIn("context")).toEqual(
        expect.arrayContaining([
          "address_country",
          "address_region",
          "postal_code",
          "intent",
          "language",
          "currency",
          "eligibility",
        ]),
      );
      expect(namesIn("signals")).toEqual(["dev.ucp.buyer_ip", "dev.ucp.user_agent"]);
      const id = name.startsWith("update_") ? { id: "1" } : {};
      expect(strictly(tool?.inputSchema as Schema)({ ...id, [place]: checkout() })).toBe(true);
    },
  );

  // JSON Schema recommends few constructs (core 6.4): Python's validators refuse a schema with \\p{L}.
  it("have only patterns that are regular expressions in other languages too", async () => {
    const own: string[] = [];
    for (const { name, inputSchema } of await toolsOf(version))
      for (const [, pattern] of JSON.stringify(inputSchema).matchAll(/"pattern":"(.*?)(?<!\\)"/g))
        if (/\\p\{|\(\?[=!<]/i.test(pattern ?? "")) own.push(`${name}: ${pattern}`);
    expect(own).toEqual([]);
  });

  // The platform shows an app no older ones, so an empty list is not a shopper without orders.
  it("name the time whose orders an app sees", async () => {
    const descriptions = (await toolsOf(version))
      .filter(({ name }) => name === "list_orders" || name === "get_order")
      .map(({ description }) => description);
    expect(descriptions).toEqual(Array(2).fill(expect.stringContaining("last 60 days")));
  });

  it("return results that match their output schema", async () => {
    const tools = new Map((await toolsOf(version)).map((tool) => [tool.name, tool]));
    const call = async (name: string, args: object): Promise<any> => {
      const { inputSchema, outputSchema } = tools.get(name) as Tool;
      const isInput = strictly(inputSchema);
      expect([name, isInput(args), isInput.errors]).toEqual([name, true, null]);
      const { status, json } = await rpc("tools/call", { name, arguments: args }, version);
      expect([name, status, json.error]).toEqual([name, 200, undefined]);
      const answer = json.result.structuredContent;
      const isOutput = strictly(outputSchema);
      expect([name, isOutput(answer), isOutput.errors]).toEqual([name, true, null]);
      return answer;
    };
    const { products } = await call("search_catalog", { catalog: { query: "camera" } });
    await call("lookup_catalog", { catalog: { ids: [products[0].id] } });
    await call("get_product", { catalog: { id: products[0].id } });
    const cart = await call("create_cart", { cart: checkout() });
    await call("get_cart", { id: cart.id });
    await call("update_cart", { id: cart.id, cart: checkout() });
    const made = await call("create_checkout", { checkout: { cart_id: cart.id } });
    await call("create_checkout", { checkout: { cart_id: cart.id, line_items: [] } });
    await call("get_checkout", { id: made.id });
    await call("update_checkout", { id: made.id, checkout: checkout() });
    await call("complete_checkout", { id: made.id, checkout: { payment: { instruments: [] } } });
    await call("cancel_checkout", { id: made.id });
    await call("cancel_cart", { id: cart.id });
    await call("get_identity", {});
    await call("get_consent", {});
    await call("get_tags", {});
    await call("list_orders", {});
    const mandate = await call("create_mandate", {
      max_amount: "10.00",
      currency: "EUR",
      scope: "all",
    });
    await call("get_mandate", { mandate_id: mandate.mandate_id });
    await call("list_mandates", {});
    await call("revoke_mandate", { mandate_id: mandate.mandate_id });
    // Errors are results too.
    await call("get_cart", { id: "gone" });
    await call("get_checkout", { id: "gone" });
    // Older clients check the schema of an error as well, and show the mismatch in its place.
    expect(await call("get_mandate", { mandate_id: "gone" })).toMatchObject({ code: "not_found" });
    expect(await call("get_return", { rma: "gone" })).toMatchObject({ code: "not_found" });
    expect(
      await call("create_mandate", {
        max_amount: "10.00",
        currency: "EUR",
        scope: "all",
        agent_clients: ["another"],
      }),
    ).toMatchObject({ code: "invalid_request" });
  });
});

const checkout = () => ({
  line_items: [{ item: { id: shelf.camera }, quantity: 1 }],
  buyer: {
    first_name: "Ada",
    last_name: "Byron",
    email: "ada@example.com",
    phone_number: "+442079460018",
  },
  context: {
    address_country: "GB",
    language: "en-GB",
    currency: "EUR",
    intent: "a gift",
    eligibility: ["com.example.loyalty_gold"],
    payment: [{ handler: "com.example.pay", types: ["card"] }],
  },
  signals: {
    "dev.ucp.buyer_ip": "192.0.2.1",
    "dev.ucp.user_agent": "Agent/1.0",
    "com.example.device_id": "d-1",
  },
  attribution: { utm_source: "agent" },
});

it.each([
  ["a buyer that is no object", { buyer: "ada" }],
  ["an address that is no text", { buyer: { email: 7 } }],
  ["an address of 3,000 characters", { buyer: { email: "a".repeat(3_000) } }],
  ["a context that is a list", { context: [] }],
  ["an attribution that is no text", { attribution: { utm_source: { a: 1 } } }],
])("reject %s as invalid arguments", async (_, fields) => {
  const answer = await rpc(
    "tools/call",
    { name: "create_cart", arguments: { cart: { ...checkout(), ...fields } } },
    UCP_VERSIONS[0],
  );
  expect(answer.json.error.code).toBe(-32_602);
});
