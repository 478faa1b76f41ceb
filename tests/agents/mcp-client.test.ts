// The SDK's own client with both protocol generations: with an initialize call (2025) and without
// (2026-07-28).
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newClient, newTokens } from "../support/agents/agent.ts";
import { openStore } from "../support/agents/commerce.ts";
import { SHOP, startService, type Service } from "../support/service.ts";
import { signUp, type Person } from "../contract/identity/people.ts";

let service: Service;
let person: Person;
let token: string;
beforeAll(async () => {
  service = await startService();
  await openStore(service);
  person = await signUp(service);
  token = (await newTokens(service, await newClient(service), person.token)).access_token;
});
afterAll(() => service.stop());

describe.each([
  ["legacy", "2025-11-25"],
  [{ pin: "2026-07-28" }, "2026-07-28"],
  ["auto", "2026-07-28"],
] as const)("a client that negotiates %j", (mode, version) => {
  async function connect(bearer: string | null) {
    const client = new Client(
      { name: "test-agent", version: "1.0.0" },
      { versionNegotiation: { mode } },
    );
    const headers: Record<string, string> = bearer ? { Authorization: `Bearer ${bearer}` } : {};
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${service.url}/mcp?shop=${SHOP}`), {
        requestInit: { headers },
      }),
    );
    return client;
  }

  it("lists the tools and searches the catalog; results match the output schema", async () => {
    const client = await connect(null);
    expect(client.getNegotiatedProtocolVersion()).toBe(version);
    const { tools } = await client.listTools();
    expect(tools.find(({ name }) => name === "search_catalog")).toMatchObject({
      annotations: { readOnlyHint: true, destructiveHint: false },
    });
    expect(tools.find(({ name }) => name === "revoke_mandate")).toMatchObject({
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
    });
    const { structuredContent } = await client.callTool({
      name: "search_catalog",
      arguments: { catalog: { query: "lamp" } },
    });
    expect(structuredContent).toMatchObject({
      ucp: { status: "success" },
      products: [{ title: "Desk Lamp", price_range: { min: { amount: 6000 } } }],
    });
    const gone = await client.callTool({
      name: "get_product",
      arguments: { catalog: { id: "gid://shopify/Product/1" } },
    });
    expect(gone.structuredContent).toMatchObject({
      ucp: { status: "error" },
      messages: [{ code: "not_found" }],
    });
    await client.close();
  });

  it("reads the shopper's data within the granted scopes, with a token only", async () => {
    const client = await connect(token);
    const { structuredContent } = await client.callTool({ name: "get_identity", arguments: {} });
    expect(structuredContent).toMatchObject({
      user: { email: person.email },
      consents: { a2a: true },
    });
    const none = { id: "00000000-0000-4000-8000-000000000000" };
    expect(
      (await client.callTool({ name: "get_checkout", arguments: none })).structuredContent,
    ).toMatchObject({ ucp: { status: "error" }, messages: [{ code: "not_found" }] });
    await client.close();
    const stranger = await connect(null);
    await expect(stranger.callTool({ name: "get_identity", arguments: {} })).rejects.toThrow();
    await stranger.close();
  });
});

it("subscriptions to changes end at once instead of hanging", async () => {
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "t", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const answer = await service.call("POST", `/mcp?shop=${SHOP}`, {
    key: null,
    headers: { "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "subscriptions/listen" },
    body: {
      jsonrpc: "2.0",
      id: 1,
      method: "subscriptions/listen",
      params: { _meta: meta, notifications: { toolsListChanged: true } },
    },
  });
  expect(answer.json.error.code).toBe(-32_601);
});

it("receives progress notifications while the storefront is slow, in both protocol versions", async () => {
  service.sandbox.failNext("storefront", { delayMs: 1_300, match: /\/admin\/api\// }, 2);
  const answers = await Promise.all(
    (
      [
        ["legacy", "camera"],
        [{ pin: "2026-07-28" }, "lantern"],
      ] as const
    ).map(async ([mode, query]) => {
      const client = new Client({ name: "a", version: "1" }, { versionNegotiation: { mode } });
      const url = new URL(`${service.url}/mcp?shop=${SHOP}`);
      await client.connect(new StreamableHTTPClientTransport(url));
      const seen: number[] = [];
      const { structuredContent } = await client.callTool(
        { name: "search_catalog", arguments: { catalog: { query } } },
        { onprogress: ({ progress }) => void seen.push(progress) },
      );
      await client.close();
      return [seen, structuredContent] as const;
    }),
  );
  for (const [seen, answer] of answers) {
    expect(seen).toContain(1);
    expect(answer).toMatchObject({ ucp: { status: "success" }, products: [{}] });
  }
});
