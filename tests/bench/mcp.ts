// The overhead of MCP: a tool call compared with the same call over REST.
import autocannon from "autocannon";
import { ADMIN_KEY, SHOP } from "../support/service.ts";
import { percentile } from "./load/percentile.ts";
import { startSide, stopSide, type Measure, type Side } from "./side.ts";

const ROUNDS = 4;
const ROUND_SECONDS = 3;
const CONNECTIONS = 16;

type Asked = {
  method: "GET" | "POST";
  path: string;
  headers: Record<string, string>;
  body?: string;
};

async function runRound(url: string, request: Asked, seconds = ROUND_SECONDS): Promise<number> {
  const result = await new Promise<{
    "2xx": number;
    duration: number;
    non2xx: number;
    errors: number;
  }>((done, reject) =>
    autocannon(
      {
        url,
        connections: CONNECTIONS,
        duration: seconds,
        requests: [{ ...request, setupRequest: (base: object) => base }],
      },
      (error, answer) => (error ? reject(error) : done(answer)),
    ),
  );
  if (result.non2xx + result.errors > 0)
    throw new Error(
      `${result.non2xx + result.errors} requests were not answered with 2xx: the figures would mean nothing`,
    );
  return result["2xx"] / result.duration;
}

const JSON_TYPE = { "Content-Type": "application/json" };

async function post(
  side: Side,
  path: string,
  body: object,
  token = ADMIN_KEY,
): Promise<{ token: string }> {
  const answer = await fetch(`${side.server.url}${path}`, {
    method: "POST",
    headers: { ...JSON_TYPE, Authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(await answer.text());
  return (await answer.json()) as { token: string };
}

/**
 * Configures a store with a catalog and a shopper who allows agents; returns the shopper's session
 * token.
 */
async function openStore(side: Side): Promise<string> {
  const { storefront } = side.sandbox;
  Object.assign(storefront.settings, {
    graphqlCost: { maximumAvailable: 1e9, restoreRate: 1e9, maximumQueryCost: 1e9 },
  });
  const grant = storefront.install(SHOP, { scope: "read_products" });
  await post(side, `/config?shop=${SHOP}`, {
    storefront_admin_token: grant.access_token,
    storefront_refresh_token: grant.refresh_token,
    storefront_token_expires_at: new Date(
      Date.now() + (grant.expires_in ?? 3_600) * 1_000,
    ).toISOString(),
  });
  const { token } = await post(side, `/auth/signup?shop=${SHOP}`, {
    email: "agent@example.com",
    password: "correct horse battery",
    consent_tos: true,
    consent_privacy: true,
  });
  await post(side, "/auth/consent-sync", { consent_a2a: true, method: "compliance-page" }, token);
  return token;
}

const MODERN = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

function toolCall(
  name: string,
  args: object,
  headers: Record<string, string>,
  isModern: boolean,
): Asked {
  const params = { name, arguments: args, ...(isModern && { _meta: MODERN }) };
  return {
    method: "POST",
    path: `/mcp?shop=${SHOP}`,
    headers: {
      ...JSON_TYPE,
      ...headers,
      ...(isModern && {
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": "tools/call",
        "Mcp-Name": name,
      }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
  };
}

export async function benchMcp(serverUrl: string): Promise<Measure[]> {
  const side = await startSide(serverUrl, "bench_mcp", "web");
  const headers = { Authorization: `Bearer ${await openStore(side)}` };
  const search = { catalog: { query: "camera" } };
  const sides: Asked[] = [
    { method: "GET", path: `/auth/profile?shop=${SHOP}`, headers },
    toolCall("get_identity", {}, headers, true),
    toolCall("get_identity", {}, headers, false),
    { method: "GET", path: `/commerce/products?shop=${SHOP}&query=camera`, headers: {} },
    toolCall("search_catalog", search, {}, true),
  ];
  const rounds: number[][] = sides.map(() => []);
  try {
    for (const asked of sides) await runRound(side.server.url, asked, 1);
    for (let n = 0; n < ROUNDS; n += 1)
      for (let at = 0; at < sides.length; at += 1) {
        const index = (at + n) % sides.length;
        rounds[index]?.push(await runRound(side.server.url, sides[index] as Asked));
      }
  } finally {
    await stopSide(side);
  }
  const ratio = (index: number, to: number) =>
    percentile(
      (rounds[index] ?? []).map((rate, n) => rate / (rounds[to]?.[n] ?? Number.NaN)),
      0.5,
    );
  return [
    {
      name: "mcp_identity",
      value: ratio(1, 0),
      bound: "GET /auth/profile (goal: at least 0.7)",
      floor: (value) => value > 0.35,
    },
    {
      name: "mcp_identity_greeted",
      value: ratio(2, 0),
      bound: "the same, an older client (goal: at least 0.7)",
      floor: (value) => value > 0.3,
    },
    {
      name: "mcp_search_remembered",
      value: ratio(4, 3),
      bound: "GET /commerce/products, remembered",
      floor: (value) => value > 0.1,
    },
  ];
}
