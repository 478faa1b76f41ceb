// Agent rate limits: by address without a token, by token with one; the same in status, headers and
// JSON-RPC errors.
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RATE_LIMITS } from "../../../app/domain/identity/rate-limits.ts";
import { exchangeCode, refreshAccess } from "../../../app/domain/agents/oauth/tokens.ts";
import { getTenant } from "../../../app/domain/tenants/tenant.ts";
import {
  approve,
  authorizePath,
  newClient,
  newCode,
  pkce,
  REDIRECT,
} from "../../support/agents/agent.ts";
import { asAgent, asShopper, consent, openStore } from "../../support/agents/commerce.ts";
import { processorMs } from "../../support/processor-time.ts";
import {
  RETURN_ORIGIN,
  SHOP,
  startService,
  type Answer,
  type Service,
} from "../../support/service.ts";
import { newEmail, postSignUp, signUpBody, type Person } from "../identity/people.ts";

// A hundredth: 3 calls without a token, 12 with one, 3 changes.
const SCALE = 0.01;
const most = (name: keyof typeof RATE_LIMITS) => Math.floor(RATE_LIMITS[name].max * SCALE);

// A fixed clock, so that no window ends in the middle of a test.
const clock = { now: () => new Date("2026-11-21T10:00:10Z") };
let service: Service;
beforeAll(async () => {
  service = await startService({
    clock,
    env: { RATE_LIMIT_SCALE: String(SCALE), TRUST_PROXY_HOPS: "1" },
  });
  await openStore(service);
});
afterAll(() => service.stop());

let addresses = 0;
const newAddress = () => ({ "X-Forwarded-For": `198.51.100.${(addresses += 1)}` });

async function ask(times: number, one: () => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let i = 0; i < times; i += 1) answers.push(await one());
  return answers;
}
const mcp = (headers: Record<string, string>, key: string | null = null, name = "tools/list") =>
  service.call("POST", `/mcp?shop=${SHOP}`, {
    key,
    headers,
    body: { jsonrpc: "2.0", id: 9, method: name, params: {} },
  });
const a2a = (headers: Record<string, string>, key: string | null = null) =>
  service.call("POST", `/a2a?shop=${SHOP}`, {
    key,
    headers,
    body: {
      jsonrpc: "2.0",
      id: 9,
      method: "message/send",
      params: {
        message: {
          kind: "message",
          role: "user",
          messageId: "m",
          parts: [{ kind: "text", text: "hello" }],
        },
      },
    },
  });

async function newAgent(): Promise<Person> {
  const email = newEmail();
  const answer = await postSignUp(service, signUpBody(email), SHOP, newAddress());
  const shopper = { id: answer.json.user.id, email, token: answer.json.token, answer };
  await consent(service, shopper, { consent_a2a: true, consent_ap2: true });
  return shopper;
}

let registered: Promise<string> | null = null;
/** One for all, as a registration counts by address. */
const theClient = () => (registered ??= newClient(service));

describe("without a token", () => {
  it.each([
    ["/mcp", mcp],
    ["/a2a", a2a],
  ] as const)("%s is limited by client address, with Retry-After", async (_path, one) => {
    const headers = newAddress();
    const answers = await ask(most("agent_calls_per_address") + 1, () => one(headers));
    expect(answers.slice(0, -1).map(({ status }) => status)).toEqual(
      answers.slice(0, -1).map(() => 200),
    );
    const last = answers.at(-1) as Answer;
    expect([last.status, last.headers.get("retry-after")]).toEqual([429, "60"]);
    expect(last.json).toEqual({
      jsonrpc: "2.0",
      id: 9,
      error: {
        code: -32_000,
        message: expect.any(String),
        data: { code: "too_many_requests", content: expect.any(String), retry_after: 60 },
      },
    });
    expect((await one(newAddress())).status).toBe(200);
  });

  it("products are limited for agent clients before the store's own pages", async () => {
    const headers = newAddress();
    const get = (more: Record<string, string>) =>
      service.call("GET", `/commerce/products?shop=${SHOP}`, {
        key: null,
        headers: { ...headers, ...more },
      });
    const answers = await ask(most("agent_calls_per_address") + 1, () =>
      get({ "UCP-Agent": "agent/1" }),
    );
    expect(answers.at(-1)?.status).toBe(429);
    const pages = await ask(most("catalog_reads_per_address") + 1, () =>
      get({ Origin: RETURN_ORIGIN }),
    );
    expect(pages.slice(0, -1).map(({ status }) => status)).toEqual(
      pages.slice(0, -1).map(() => 200),
    );
    expect(pages.at(-1)?.status).toBe(429);
  });

  it("the token endpoint, the registration and the reading of clients' documents are limited by client address", async () => {
    const headers = newAddress();
    const swap = () =>
      service.call("POST", `/oauth/token?shop=${SHOP}`, {
        key: null,
        headers: { ...headers, "Content-Type": "application/x-www-form-urlencoded" },
        body: "grant_type=refresh_token&refresh_token=x&client_id=y",
      });
    const answers = await ask(most("oauth_token_per_address") + 1, swap);
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 429]);
    const register = () =>
      service.call("POST", `/oauth/register?shop=${SHOP}`, {
        key: null,
        headers,
        body: { redirect_uris: ["https://agent.example/cb"] },
      });
    expect((await ask(2, register)).map(({ status }) => status)).toEqual([201, 429]);
    let documents = 0;
    const read = () => {
      const id = `http://127.0.0.1:9/${(documents += 1)}.json`;
      return service.call("GET", authorizePath(id, pkce().challenge), { key: null, headers });
    };
    expect((await ask(2, read)).map(({ status }) => status)).toEqual([400, 429]);
  });
});

describe("with a token", () => {
  it("the limit is higher and counts by token, not by address", async () => {
    const headers = newAddress();
    const [ada, bob] = [await newAgent(), await newAgent()];
    const answers = await ask(most("agent_calls_per_token") + 1, () => mcp(headers, ada.token));
    expect(answers.map(({ status }) => status)).toEqual([
      ...Array.from({ length: most("agent_calls_per_token") }, () => 200),
      429,
    ]);
    expect((await mcp(headers, bob.token)).status).toBe(200);
  });

  it("calls of /commerce are limited, also those that claim to come from a page of the store", async () => {
    for (const call of [asAgent, asShopper]) {
      const ada = await newAgent();
      const answers = await ask(most("agent_calls_per_token") + 1, () =>
        call(service, ada, "GET", "/commerce/identity", { headers: newAddress() }),
      );
      expect(answers.slice(0, -1).map(({ status }) => status)).toEqual(
        answers.slice(0, -1).map(() => 200),
      );
      expect(answers.at(-1)?.status).toBe(429);
    }
  });

  it("changes have a limit of their own", async () => {
    const ada = await newAgent();
    const make = () =>
      asAgent(service, ada, "POST", "/commerce/mandates", {
        headers: newAddress(),
        body: { max_amount: "1.00", currency: "EUR", scope: "all" },
      });
    const answers = await ask(most("agent_changes_per_caller") + 1, make);
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 429]);
    expect(
      (await asAgent(service, ada, "GET", "/commerce/mandates", { headers: newAddress() })).status,
    ).toBe(200);
  });

  it("an agent's calls and changes count for all of its tokens of a shopper together", async () => {
    const [ada, bob] = [await newAgent(), await newAgent()];
    const client = await theClient();
    const shop = await getTenant(service.ctx, SHOP);
    // Each from another address, as the token endpoint has a limit by address.
    const tokensOf = async (person: Person): Promise<string[]> => {
      const { code, verifier } = await newCode(service, client, person.token, {
        scope: "identity:read commerce.mandates:create",
      });
      const exchange = { code, clientId: client, redirectUri: REDIRECT, verifier };
      const first = await exchangeCode(service.ctx, shop, exchange);
      const renewal = { refreshToken: first.refresh_token, clientId: client, scope: undefined };
      const second = await refreshAccess(service.ctx, shop, renewal);
      return [first.access_token, second.access_token];
    };
    const [first = "", second = ""] = await tokensOf(ada);
    const make = (key: string) =>
      service.call("POST", `/commerce/mandates?shop=${SHOP}`, {
        key,
        headers: newAddress(),
        body: { max_amount: "1.00", currency: "EUR", scope: "all" },
      });
    const makeByTool = async (key: string) =>
      service.call("POST", `/mcp?shop=${SHOP}`, {
        key,
        headers: newAddress(),
        body: {
          jsonrpc: "2.0",
          id: 9,
          method: "tools/call",
          params: {
            name: "create_mandate",
            arguments: { max_amount: "1.00", currency: "EUR", scope: "all" },
          },
        },
      });
    const changes = [
      await make(first),
      await makeByTool(second),
      await make(second),
      await make(second),
      await makeByTool(first),
    ];
    expect(changes.map(({ status }) => status)).toEqual([201, 200, 201, 429, 429]);
    const calls = await ask(most("agent_calls_per_token"), () => mcp(newAddress(), second));
    expect(calls.at(-1)?.status).toBe(429);
    const [others = ""] = await tokensOf(bob);
    expect((await make(others)).status).toBe(201);
  });

  it("a made-up token counts against its client address", async () => {
    const headers = newAddress();
    const answers = await ask(most("agent_token_calls_per_address") + 1, () =>
      service.call("POST", `/mcp?shop=${SHOP}`, {
        key: `made-up-${Math.random()}`,
        headers,
        body: { jsonrpc: "2.0", id: 1, method: "ping" },
      }),
    );
    expect(answers.at(-1)?.status).toBe(429);
  });

  it.each([
    ["/mcp", 401, (headers: Record<string, string>, key: string) => mcp(headers, key)],
    ["/a2a", 401, a2a],
    [
      "/commerce/products",
      200,
      (headers: Record<string, string>, key: string) =>
        service.call("GET", `/commerce/products?shop=${SHOP}`, {
          key,
          headers: { ...headers, "UCP-Agent": "agent/1" },
        }),
    ],
  ] as const)("%s gives a made-up token no more calls than none", async (_path, status, one) => {
    const headers = newAddress();
    const shop = Buffer.from(SHOP).toString("base64url");
    const session = Buffer.from(JSON.stringify({ alg: "HS256", kid: `${SHOP}/00000000` }));
    const madeUp = [
      "made-up",
      `agt_${shop}.${"A".repeat(43)}`,
      `${session.toString("base64url")}.${Buffer.from("{}").toString("base64url")}.AAAA`,
    ];
    for (const key of madeUp) expect((await one(headers, key)).status).toBe(status);
    for (const key of madeUp) expect((await one(headers, `${key}2`)).status).toBe(429);
    const { token } = await newAgent();
    expect((await one(headers, token)).status).toBe(200);
  });
});

it("the documentation for agents and the API document state the actual limits", async () => {
  const documentation = await readFile("docs/agents.md", "utf8");
  const { description } = (await service.call("GET", "/openapi.json", { key: null })).json.info;
  for (const name of [
    "agent_calls_per_address",
    "agent_calls_per_token",
    "agent_token_calls_per_address",
    "agent_changes_per_caller",
    "oauth_token_per_address",
    "agent_registration_per_address",
    "agent_document_per_address",
  ] as const) {
    const { max, windowSeconds } = RATE_LIMITS[name];
    expect(documentation).toContain(
      `| ${max.toLocaleString("en")} ${windowSeconds === 60 ? "a minute" : "an hour"} |`,
    );
    expect(description).toContain(`${name.replaceAll("_", " ")} ${max} in ${windowSeconds} s`);
  }
});

describe("approvals of agents", () => {
  it("are counted for the shopper with the changes of consents", async () => {
    // Who changed consents once.
    const person = await newAgent();
    const path = authorizePath(await theClient(), pkce().challenge);
    const approvals = await ask(most("consent_per_account"), () =>
      approve(service, path, person.token),
    );
    expect(approvals.map(({ status }) => status)).toEqual([302, 302, 429]);
    expect(approvals.at(-1)?.headers.get("retry-after")).toMatch(/^\d+$/);
    expect(approvals.at(-1)?.headers.get("content-type")).toContain("text/html");
    const grants = await service.database.query("SELECT 1 FROM oauth_grants WHERE user_id = $1", [
      person.id,
    ]);
    expect(grants).toHaveLength(2);
  });
});

describe("a message", () => {
  const fields = Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [`f${index}`, 1]));
  const clientInfo = { name: "agent", version: "1" };
  const capabilities = { elicitation: { form: fields } };
  const initialize = { protocolVersion: "2025-06-18", capabilities, clientInfo };
  const icons = Array.from({ length: 300_000 }, () => 1);
  const drawn = { ...initialize, capabilities: {}, clientInfo: { ...clientInfo, icons } };
  const metaOf = (values: object) => ({
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
      "io.modelcontextprotocol/clientInfo": clientInfo,
      ...values,
    },
  });
  const capable = metaOf({ "io.modelcontextprotocol/clientCapabilities": capabilities });
  const illustrated = metaOf({
    "io.modelcontextprotocol/clientInfo": { ...clientInfo, icons },
  });
  const modern = { "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list" };
  const message = { messageId: "m", role: "ROLE_USER", parts: [{ text: "A lamp" }] };

  it.each([
    ["60,000 capabilities", "/mcp", "initialize", initialize, {}],
    ["60,000 capabilities in its metadata", "/mcp", "tools/list", capable, modern],
    ["300,000 icons", "/mcp", "initialize", drawn, {}],
    ["300,000 icons in its metadata", "/mcp", "tools/list", illustrated, modern],
    ["60,000 fields of metadata", "/a2a", "SendMessage", { metadata: fields, message }, {}],
    ["60,000 fields of its own", "/a2a", "SendMessage", { message: { ...message, fields } }, {}],
  ])("with %s does not keep the process busy", async (_what, path, method, params, headers) => {
    const started = processorMs();
    const { json } = await service.call("POST", `${path}?shop=${SHOP}`, {
      key: null,
      headers: { ...newAddress(), ...headers },
      body: { jsonrpc: "2.0", id: 9, method, params },
    });
    expect([json.id, json.error?.code]).toEqual([9, -32_600]);
    // Reading it takes some tenths of a second; comparing each field with each other one took many seconds.
    expect(processorMs() - started).toBeLessThan(3_000);
  });
});
