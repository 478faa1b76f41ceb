// MCP: initialize and tools/list are public; a shopper's tools require the shopper's consent.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newClient, newTokens } from "../../../support/agents/agent.ts";
import { OTHER_SHOP, SHOP, startService, type Service } from "../../../support/service.ts";
import { signUp, type Person } from "../../identity/people.ts";

let service: Service;
let person: Person;
let token: string;
beforeAll(async () => {
  service = await startService();
  for (const shop of [SHOP, OTHER_SHOP]) await service.addTenant(shop);
  person = await signUp(service);
  token = (await newTokens(service, await newClient(service), person.token)).access_token;
});
afterAll(() => service.stop());

type Options = { key?: string | null; headers?: Record<string, string>; shop?: string };
const send = (body: unknown, { key = null, headers = {}, shop = SHOP }: Options = {}) =>
  service.call("POST", `/mcp?shop=${shop}`, {
    key,
    body,
    headers: { Accept: "application/json, text/event-stream", ...headers },
  });
const rpc = (method: string, params: object = {}, options: Options = {}) =>
  send({ jsonrpc: "2.0", id: 7, method, params }, options);
const call = (name: string, options: Options = {}, args: object = {}) =>
  rpc("tools/call", { name, arguments: args }, options);

describe("a client", () => {
  it("initializes, lists the tools, and gets no response to a notification", async () => {
    const hello = await rpc("initialize", {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "t", version: "1" },
    });
    expect(hello.json).toEqual({
      jsonrpc: "2.0",
      id: 7,
      result: {
        protocolVersion: "2025-06-18",
        capabilities: { tools: {}, resources: {}, prompts: {} },
        serverInfo: {
          name: expect.any(String),
          version: expect.any(String),
          title: SHOP,
          websiteUrl: `https://${SHOP}`,
          icons: [{ src: `${service.url}/favicon.svg`, mimeType: "image/svg+xml", sizes: ["any"] }],
        },
        instructions: expect.any(String),
      },
    });
    expect(
      (await rpc("initialize", { protocolVersion: "1999-01-01" })).json.result.protocolVersion,
    ).toBe("2025-11-25");
    const note = await send(
      { jsonrpc: "2.0", method: "notifications/initialized" },
      { headers: { "MCP-Protocol-Version": "2025-06-18" } },
    );
    expect([note.status, note.text]).toEqual([202, ""]);
    expect((await rpc("ping")).json.result).toEqual({});
    const { tools } = (await rpc("tools/list")).json.result;
    expect(tools.map(({ name }: { name: string }) => name)).toEqual([
      "get_identity",
      "get_consent",
      "get_tags",
      "create_mandate",
      "get_mandate",
      "list_mandates",
      "revoke_mandate",
    ]);
    for (const tool of tools)
      expect(Object.keys(tool).sort()).toEqual([
        "annotations",
        "description",
        "icons",
        "inputSchema",
        "name",
        "outputSchema",
        "title",
      ]);
  });

  it("gets a JSON-RPC error for an invalid request", async () => {
    expect((await rpc("logging/setLevel", { level: "info" })).json.error.code).toBe(-32_601);
    for (const method of ["constructor", "toString", "__proto__"])
      expect((await rpc(method, {})).json.error.code).toBe(-32_601);
    for (const list of ["tools/list", "resources/list", "prompts/list"])
      expect((await rpc(list, { cursor: "elsewhere" })).json.error.code).toBe(-32_602);
    expect((await call("drop_everything", { key: token })).json.error.code).toBe(-32_602);
    expect((await call("get_identity", { key: token }, { user_id: 1 })).json.error.code).toBe(
      -32_602,
    );
    for (const [body, code] of [
      ["{", -32_700],
      [[{ jsonrpc: "2.0", id: 1, method: "ping" }], -32_600],
      [{ id: 1, method: "ping" }, -32_600],
      [null, -32_600],
    ] as const) {
      const answer = await send(body);
      expect([answer.status, answer.json.jsonrpc, answer.json.error.code]).toEqual([
        400,
        "2.0",
        code,
      ]);
    }
    expect(
      (await rpc("ping", {}, { headers: { "MCP-Protocol-Version": "1999-01-01" } })).status,
    ).toBe(400);
    for (const method of ["GET", "DELETE"])
      expect((await service.call(method, `/mcp?shop=${SHOP}`, { key: null })).status).toBe(405);
  });

  it.each([
    ["initialize", {}, "protocolVersion"],
    ["initialize", { protocolVersion: "2025-06-18", capabilities: null }, "capabilities"],
    ["tools/list", { cursor: null }, "cursor"],
    ["tools/call", {}, "name"],
    ["resources/read", {}, "uri"],
    ["prompts/get", {}, "name"],
    ["prompts/get", { name: "find_and_buy", arguments: { wish: 7 } }, "arguments.wish"],
  ])("gets invalid params that names the parameter: %s %j", async (method, params, name) => {
    const { status, json } = await rpc(method, params);
    expect([status, json.error]).toEqual([
      200,
      { code: -32_602, message: `params.${name} is missing or not valid.` },
    ]);
  });

  it("of 2025-03-26 is served with single messages", async () => {
    const offered = (await rpc("initialize", { protocolVersion: "2025-03-26" })).json.result;
    expect(offered.protocolVersion).toBe("2025-03-26");
    const headers = { "MCP-Protocol-Version": "2025-03-26" };
    expect((await rpc("ping", {}, { headers })).status).toBe(200);
  });

  it("behind a foreign web page is rejected", async () => {
    expect((await rpc("ping", {}, { headers: { Origin: "https://evil.example" } })).status).toBe(
      403,
    );
    expect((await rpc("ping", {}, { headers: { Origin: service.url } })).status).toBe(200);
  });
});

describe("resources and prompts", () => {
  it("tell the store's facts and policies without a token", async () => {
    const { resources } = (await rpc("resources/list")).json.result;
    expect(resources.map(({ uri }: { uri: string }) => uri)).toEqual([
      "store://facts",
      "store://policies",
    ]);
    const read = async (uri: string) => (await rpc("resources/read", { uri })).json;
    const facts = JSON.parse((await read("store://facts")).result.contents[0].text);
    expect(facts).toMatchObject({
      shop: SHOP,
      sells: false,
      agent_access: true,
      tools: { open: [], for_a_shopper: expect.arrayContaining(["get_identity"]) },
      links: [{ type: "terms_of_service" }, { type: "privacy_policy" }],
    });
    const [policies] = (await read("store://policies")).result.contents;
    expect(policies).toMatchObject({ mimeType: "text/markdown" });
    expect(policies.text).toContain(`https://${SHOP}/policies/privacy-policy`);
    expect((await read("store://secrets")).error.code).toBe(-32_602);
    expect((await rpc("resources/templates/list")).json.result.resourceTemplates).toEqual([]);
  });

  it("offer what the store's settings support, and check the arguments", async () => {
    await service.call("POST", `/config?shop=${OTHER_SHOP}`, {
      body: { storefront_api_token: "public-token-of-the-store" },
    });
    const namesAt = async (shop: string) =>
      (await rpc("prompts/list", {}, { shop })).json.result.prompts.map(
        ({ name }: { name: string }) => name,
      );
    expect(await namesAt(SHOP)).toEqual(["what_do_you_know_about_me"]);
    expect(await namesAt(OTHER_SHOP)).toEqual(["find_and_buy", "what_do_you_know_about_me"]);
    const get = async (name: string, given: object, shop = OTHER_SHOP) =>
      (await rpc("prompts/get", { name, arguments: given }, { shop })).json;
    const { result } = await get("find_and_buy", { wish: "a red lantern", budget: "30 EUR" });
    const [{ role, content }] = result.messages;
    expect([role, content.type]).toEqual(["user", "text"]);
    expect(content.text).toMatch(/a red lantern[^]*30 EUR[^]*search_catalog/);
    for (const [name, given, shop] of [
      ["find_and_buy", {}, OTHER_SHOP],
      ["find_and_buy", { wish: " " }, OTHER_SHOP],
      ["find_and_buy", { wish: "x".repeat(501) }, OTHER_SHOP],
      ["find_and_buy", { wish: "a lamp" }, SHOP],
      ["steal_everything", {}, OTHER_SHOP],
    ] as const)
      expect([name, (await get(name, given, shop)).error.code]).toEqual([name, -32_602]);
  });
});

describe("a tool", () => {
  it("returns the shopper's own data, structured and as text", async () => {
    const { result } = (await call("get_identity", { key: token })).json;
    expect(result.structuredContent).toEqual(
      (await service.call("GET", "/auth/profile", { key: person.token })).json,
    );
    expect(JSON.parse(result.content[0].text)).toEqual(result.structuredContent);
    expect(
      (await call("get_consent", { key: token })).json.result.structuredContent.consents,
    ).toMatchObject({ a2a: true, ap2: false });
  });

  it("without a token answers with the address of the resource metadata", async () => {
    const answer = await call("get_identity");
    expect(answer.status).toBe(401);
    expect(answer.headers.get("www-authenticate")).toBe(
      `Bearer realm="${service.url}/${SHOP}", resource_metadata="${service.url}/.well-known/oauth-protected-resource/mcp?shop=${SHOP}"`,
    );
    expect(
      (await call("get_identity", { headers: { Cookie: `__Host-crm_session=${person.token}` } }))
        .status,
    ).toBe(401);
  });

  it.each([
    ["a made-up token", (): string => "nonsense", SHOP],
    [
      "an agent's token that this store did not issue",
      (): string => `agt_x.${"a".repeat(43)}`,
      SHOP,
    ],
    ["an agent's token of another store", (): string => token, OTHER_SHOP],
    ["a session token of another store", (): string => person.token, OTHER_SHOP],
  ] as const)("answers 401 to %s where no token is needed", async (_what, key, shop) => {
    for (const ask of [
      () => rpc("ping", {}, { key: key(), shop }),
      () => rpc("tools/list", {}, { key: key(), shop }),
      () => call("search_catalog", { key: key(), shop }, { catalog: { query: "mug" } }),
    ]) {
      const answer = await ask();
      expect([answer.status, answer.json.id]).toEqual([401, 7]);
      expect(answer.headers.get("www-authenticate")).toContain('error="invalid_token"');
    }
  });

  it("serves what is open after the shopper's consent is withdrawn, and not after the sign-out", async () => {
    const leaving = await signUp(service);
    const theirs = (await newTokens(service, await newClient(service), leaving.token)).access_token;
    await service.call("POST", "/auth/consent-sync", {
      key: leaving.token,
      body: { consent_a2a: false, method: "compliance-page" },
    });
    for (const key of [theirs, leaving.token])
      expect((await rpc("tools/list", {}, { key })).status).toBe(200);
    await service.call("POST", "/auth/logout", { key: leaving.token });
    expect((await rpc("tools/list", {}, { key: leaving.token })).status).toBe(401);
  });

  it("does not run with a made-up token, at another store, or without the shopper's consent", async () => {
    for (const options of [
      { key: `agt_x.${"a".repeat(43)}` },
      { key: token, shop: OTHER_SHOP },
      { key: "nonsense" },
    ])
      expect((await call("get_identity", options)).status).toBe(401);
    const shy = await signUp(service);
    const answer = await call("get_identity", { key: shy.token });
    expect([answer.status, answer.json.error.data.code]).toEqual([403, "agent_consent_required"]);
    const withdrawn = await signUp(service);
    const theirs = (await newTokens(service, await newClient(service), withdrawn.token))
      .access_token;
    await service.call("POST", "/auth/consent-sync", {
      key: withdrawn.token,
      body: { consent_a2a: false, method: "compliance-page" },
    });
    expect((await call("get_identity", { key: theirs })).status).toBe(403);
  });
});
