// Requests generated from the service's own OpenAPI document.
import { SHOP } from "../support/service.ts";
import { goodValue, hostileText, hostileValue, spoil, wideValue, type Schema } from "./hostile.ts";
import type { Chance } from "./random.ts";
import { CREDENTIALS, OTHER_SHOP, type Credential, type TestApp } from "./test-app.ts";

type Parameter = { name: string; in: "path" | "query"; schema: Schema };
export type Operation = {
  method: string;
  path: string;
  parameters: Parameter[];
  body: Schema | null;
  isSigned: boolean;
};

export type Request = {
  method: string;
  /** Path and query. */
  address: string;
  headers: Record<string, string>;
  body: Buffer | null;
  credential: Credential;
};

type Document = {
  paths: Record<
    string,
    Record<
      string,
      {
        parameters?: Parameter[];
        requestBody?: { content: Record<string, { schema: Schema }> };
        security?: Record<string, unknown>[];
        "x-app-proxy"?: { path: string; parameters: string[] };
      }
    >
  >;
};

/** Every method of every path, including those below the app proxy. */
export async function readOperations(url: string): Promise<Operation[]> {
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as Document;
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      const parameters = operation.parameters ?? [];
      const made: Operation = {
        method: method.toUpperCase(),
        path,
        parameters,
        body: operation.requestBody?.content["application/json"]?.schema ?? null,
        isSigned: (operation.security ?? []).some((one) => "storefrontSignature" in one),
      };
      const proxied = operation["x-app-proxy"];
      return proxied ? [made, { ...made, path: proxied.path }] : [made];
    }),
  );
}

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];
const HEADERS = [
  "X-Storefront-Shop-Domain",
  "Origin",
  "Referer",
  "Cookie",
  "Accept-Language",
  "Idempotency-Key",
  "UCP-Agent",
  "A2A-Version",
  "X-Forwarded-For",
  "X-Shopify-Webhook-Id",
  "X-Shopify-Triggered-At",
  "X-Storefront-Hmac-SHA256",
  "X-Event-Source",
  "If-None-Match",
  "MCP-Protocol-Version",
];
/** A header is Latin-1 without line breaks; other characters could not be sent. */
const toHeader = (text: string) => text.replace(/[^\x20-\x7e]/g, "").slice(0, 6_000);

const RPC_METHODS = ["initialize", "tools/list", "tools/call", "message/send", "tasks/get", "ping"];
const TOOLS = ["search_catalog", "create_cart", "create_checkout", "get_identity", "list_orders"];

export function makeRequest(app: TestApp, operation: Operation, chance: Chance): Request {
  const credential = chance.pick(CREDENTIALS);
  const method = chance.once(30) ? chance.pick(METHODS) : operation.method;
  const body = method === "GET" || method === "HEAD" ? null : makeBody(operation, chance);
  const headers: Record<string, string> = {
    ...(body && { "Content-Type": chance.once(12) ? toHeader(hostileText(chance)) : body.type }),
    ...app.headersOf(credential),
  };
  if (operation.isSigned && body && !chance.once(4))
    headers["X-Storefront-Hmac-SHA256"] = app.sign(body.bytes);
  if (chance.once(4)) headers[chance.pick(HEADERS)] = toHeader(hostileText(chance));
  if (chance.once(8)) headers["X-Storefront-Shop-Domain"] = SHOP;
  if (chance.once(8)) headers.Origin = `https://${SHOP}`;
  return {
    method,
    address: makeAddress(operation, chance),
    headers,
    body: body?.bytes ?? null,
    credential,
  };
}

function makeAddress(operation: Operation, chance: Chance): string {
  const query = new URLSearchParams();
  let { path } = operation;
  for (const { name, in: place, schema } of operation.parameters) {
    if (place === "path") {
      const value = chance.once(2)
        ? hostileText(chance).slice(0, 3_000)
        : String(goodValue(schema, chance, name));
      path = path.replace(`{${name}}`, encodeSafely(value));
    } else if (name === "shop")
      query.set(name, chance.pick([SHOP, SHOP, SHOP, SHOP, OTHER_SHOP, "unknown.myshopify.com"]));
    else if (!chance.once(3))
      query.set(
        name,
        chance.once(2)
          ? hostileText(chance).slice(0, 3_000)
          : String(goodValue(schema, chance, name)),
      );
  }
  if (chance.once(10))
    query.append(hostileText(chance).slice(0, 200), hostileText(chance).slice(0, 2_000));
  if (chance.once(10)) query.append("token", hostileText(chance).slice(0, 2_000));
  if (chance.once(100)) for (let n = 0; n < 2_500; n += 1) query.append(n.toString(36), "");
  if (path.startsWith("/proxy/")) {
    query.set("timestamp", String(Math.floor(Date.now() / 1_000)));
    query.set("logged_in_customer_id", chance.once(2) ? "" : "207119551");
    query.set("path_prefix", "/apps/crm");
    query.set("signature", "0".repeat(64));
  }
  return query.size > 0 ? `${path}?${query}` : path;
}

/** An unpaired surrogate has no percent-encoding. */
function encodeSafely(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString()) || "%20";
}

function makeBody(operation: Operation, chance: Chance): { type: string; bytes: Buffer } | null {
  if (chance.once(15)) return null;
  const isRpc = operation.path === "/mcp" || operation.path === "/a2a";
  const good = isRpc ? rpcMessage(chance) : goodValue(operation.body ?? { type: "object" }, chance);
  const type = "application/json";
  switch (chance.below(12)) {
    case 0:
      return { type, bytes: Buffer.from(JSON.stringify(hostileValue(chance)) ?? "") };
    case 1:
      return { type, bytes: Buffer.from(JSON.stringify(good).slice(0, -1)) };
    case 2:
      return { type, bytes: Buffer.from("[".repeat(60_000)) };
    case 3:
      return {
        type: "application/x-www-form-urlencoded",
        bytes: Buffer.from(toForm(good, chance).toString()),
      };
    case 4:
      return { type, bytes: Buffer.from([0xff, 0xfe, 0x7b, 0x00, 0xc3, 0x28]) };
    case 5:
      return chance.once(6)
        ? { type, bytes: Buffer.from(`{"a":"${"a@".repeat(900_000)}"}`) }
        : { type, bytes: Buffer.from(JSON.stringify(good)) };
    case 6:
      return { type, bytes: Buffer.from(JSON.stringify(good)) };
    default:
      return { type, bytes: Buffer.from(JSON.stringify(spoil(good, chance)) ?? "") };
  }
}

const INITIALIZE = {
  protocolVersion: "2025-11-25",
  capabilities: { elicitation: { form: {} }, sampling: {}, roots: {} },
  clientInfo: { name: "fuzzer", version: "1", icons: [{ src: "https://fuzzer.example/i.png" }] },
};
const MESSAGE = {
  message: { kind: "message", role: "user", messageId: "1", parts: [{ data: {} }], metadata: {} },
};

/** The SDKs read these messages with schemas of their own: some hold many parts at one place. */
function rpcMessage(chance: Chance): object {
  const method = chance.pick(RPC_METHODS);
  const make = chance.once(10) ? wideValue : hostileValue;
  const params =
    method === "tools/call"
      ? {
          name: chance.pick(TOOLS),
          arguments: spoil({ catalog: { query: "camera" }, id: "1" }, chance, make),
        }
      : spoil(method === "initialize" ? INITIALIZE : MESSAGE, chance, make);
  return { jsonrpc: "2.0", id: 1, method, params };
}

function toForm(value: unknown, chance: Chance): URLSearchParams {
  const form = new URLSearchParams();
  for (const [name, one] of Object.entries(value ?? {}))
    form.set(name, chance.once(3) ? hostileText(chance) : String(one));
  return form;
}
