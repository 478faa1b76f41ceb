// What the clients of outside systems send, and what they make of an answer.
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createBackendClient } from "../../../app/integrations/backend.ts";
import { createOidcClient } from "../../../app/integrations/oidc.ts";
import { createStorefrontClient } from "../../../app/integrations/storefront/storefront-client.ts";
import { createWebAnalyticsClient } from "../../../app/integrations/web-analytics.ts";
import { createLog } from "../../../app/runtime/log.ts";
import { createOutbound } from "../../../app/runtime/outbound/outbound.ts";

const SHOP = "kestrel.myshopify.com";
const outbound = createOutbound({ log: createLog("silent"), allow: [] });
let server: Server;
let url: string;
let seen: IncomingMessage[] = [];
let answer: { status: number; headers: Record<string, string>; body: unknown };
beforeAll(async () => {
  server = createServer((request, response) => {
    seen.push(request);
    const { status, headers, body } = request.url === "/private" ? OPEN : answer;
    response.writeHead(status, headers).end(JSON.stringify(body));
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
const OPEN = { status: 200, headers: {}, body: {} };
beforeEach(() => {
  seen = [];
  answer = OPEN;
});
afterAll(async () => {
  await outbound.close();
  await new Promise((closed) => server.close(closed));
});

describe("the backend", () => {
  const enqueue = () =>
    createBackendClient({ outbound }).enqueue({ baseUrl: url, apiKey: "key" }, {} as never);

  it.each([7, "9007199254740993"])("has an event when it confirms its row %j", async (id) => {
    answer = { ...OPEN, status: 202, body: { ok: true, queue_id: id } };
    expect(await enqueue()).toEqual({ status: 202 });
  });

  it.each([{ ok: false, queue_id: 7 }, { queue_id: 7 }, { ok: true }, { ok: true, queue_id: "" }])(
    "has no event when it answers %j: it is sent again",
    async (body) => {
      answer = { ...OPEN, body };
      await expect(enqueue()).rejects.toMatchObject({ kind: "malformed", status: 502 });
    },
  );
});

describe("the storefront", () => {
  const storefront = () => createStorefrontClient({ outbound, urlTemplate: `${url}/{shop}` });

  it.each([
    ["shpat_0123456789abcdef", "shopify-storefront-private-token"],
    ["public-token", "x-shopify-storefront-access-token"],
  ])("gets the cart's token %s as %s alone", async (token, header) => {
    answer = { ...OPEN, body: { data: { cart: null } } };
    await storefront().storefrontApi(SHOP, token, { document: "query Cart", variables: {} });
    const names = Object.keys(seen[0]?.headers ?? {}).filter((name) => name.endsWith("token"));
    expect([names, seen[0]?.headers[header]]).toEqual([[header], token]);
  });

  it("is not followed to a private address by its front page", async () => {
    answer = { ...OPEN, status: 302, headers: { Location: `${url}/private` } };
    await expect(storefront().frontPage(SHOP)).rejects.toMatchObject({ kind: "refused_address" });
    expect(seen.map((request) => request.url)).toEqual([`/${SHOP}/`]);
  });
});

it("a provider behind https whose metadata names an endpoint without it is refused", async () => {
  const issuer = "https://login.example";
  const endpoints = {
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
  };
  const discover = (named: Partial<typeof endpoints>) =>
    createOidcClient({ outbound }).discover("federated", {
      url: "https://login.invalid/metadata",
      issuer,
      isTenantAddress: false,
      knownIssuer: issuer,
      endpointsOf: () => ({ ...endpoints, ...named }),
    });
  expect(await discover({})).toMatchObject(endpoints);
  for (const name of Object.keys(endpoints))
    await expect(discover({ [name]: "http://login.example/x" })).rejects.toMatchObject({
      kind: "malformed",
    });
});

it("a hit that the analytics product refuses without saying why has a problem all the same", async () => {
  answer = { ...OPEN, body: { validationMessages: [{ description: "no client" }, {}] } };
  const analytics = createWebAnalyticsClient({ outbound, apiUrl: url });
  const { problems } = await analytics.validate(
    { measurementId: "G-1", apiSecret: "secret" },
    {} as never,
  );
  expect(problems).toEqual(["no client", "rejected without a description"]);
});
