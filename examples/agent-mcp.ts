// An agent over MCP, with the official client SDK: public tools without a token, then the shopper's.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { getAgentToken } from "./client/agent-access.ts";
import { SERVICE_URL, SHOP } from "./client/client.ts";

/** `token` null: nobody let the agent in. */
async function connectTo(token: string | null): Promise<Client> {
  const client = new Client(
    { name: "mcp-example", version: "1.0.0" },
    { versionNegotiation: { mode: "auto" } },
  );
  const headers: Record<string, string> = token ? { Authorization: `Bearer ${token}` } : {};
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${SERVICE_URL}/mcp?shop=${SHOP}`), {
      requestInit: { headers },
    }),
  );
  return client;
}

type Product = { title: string; variants: { id: string }[] };

// 1. Without a token: what there is to do, and the catalog.
const visitor = await connectTo(null);
const { tools } = await visitor.listTools();
console.log(`${tools.length} tools: ${tools.map(({ name }) => name).join(", ")}`);
const found = await visitor.callTool({
  name: "search_catalog",
  arguments: { catalog: { query: "camera" } },
});
const { products } = found.structuredContent as { products: Product[] };
const [product] = products;
const variant = product?.variants[0];
if (!product || !variant) throw new Error("the store sells no camera");
console.log(`Found ${product.title}.`);

// 2. A cart needs nobody's permission.
const cart = await visitor.callTool({
  name: "create_cart",
  arguments: { cart: { line_items: [{ item: { id: variant.id }, quantity: 1 }] } },
});
const { id: cartId } = cart.structuredContent as { id: string };
await visitor.close();

// 3. With the shopper's approval: a checkout of the cart, for them to pay.
const agent = await connectTo(
  await getAgentToken("MCP example", "identity:read dev.ucp.shopping.checkout:manage"),
);
const checkout = await agent.callTool({
  name: "create_checkout",
  arguments: { checkout: { cart_id: cartId, line_items: [] } },
});
const { status, continue_url: continueAt } = checkout.structuredContent as Record<string, string>;
console.log(`Checkout ${status}: the shopper pays at ${continueAt}`);

// 4. A tool outside the granted scopes is refused before it does anything.
const refused = await agent.callTool({ name: "list_orders", arguments: {} }).then(
  () => "answered",
  (error: Error) => error.message,
);
console.log(`list_orders without its scope: ${refused.slice(0, 120)}`);
await agent.close();
