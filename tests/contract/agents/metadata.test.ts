// How an agent finds the authorization server, whichever way it names the store.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { answerTo, approve, newClient, pkce, REDIRECT } from "../../support/agents/agent.ts";
import { rawRequest } from "../../support/raw-request.ts";
import { OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";
import { signUp } from "../identity/people.ts";

const HOSTED = "hosted-store.myshopify.com";
const HOST = "agents.hosted.example";
const SERVER = "/.well-known/oauth-authorization-server";
const RESOURCE = "/.well-known/oauth-protected-resource";
let service: Service;
beforeAll(async () => {
  service = await startService({ env: { STOREFRONT_STORE_DOMAIN: OTHER_SHOP } });
  await service.addTenant(SHOP, {
    terms_url: "https://shop.example/terms",
    privacy_url: "https://shop.example/privacy",
  });
  await service.addTenant(OTHER_SHOP, { agent_payments_enabled: false });
  await service.addTenant(HOSTED, { public_hosts: [HOST] });
});
afterAll(() => service.stop());

const get = async (path: string) => (await service.call("GET", path, { key: null })).json;

describe("the authorization server metadata", () => {
  it("lists exactly what this server supports", async () => {
    const at = (path: string) => `${service.url}${path}?shop=${SHOP}`;
    expect(await get(`${SERVER}?shop=${SHOP}`)).toEqual({
      issuer: service.url,
      authorization_endpoint: at("/oauth/authorize"),
      token_endpoint: at("/oauth/token"),
      registration_endpoint: at("/oauth/register"),
      revocation_endpoint: at("/oauth/revoke"),
      scopes_supported: [
        "identity:read",
        "dev.ucp.shopping.order:read",
        "dev.ucp.shopping.checkout:manage",
        "commerce.mandates:create",
      ],
      response_types_supported: ["code"],
      response_modes_supported: ["query"],
      grant_types_supported: ["authorization_code", "refresh_token"],
      token_endpoint_auth_methods_supported: ["none"],
      revocation_endpoint_auth_methods_supported: ["none"],
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
      ui_locales_supported: ["en", "es", "fr"],
      op_policy_uri: "https://shop.example/privacy",
      op_tos_uri: "https://shop.example/terms",
    });
  });

  it("lists no payment scope where the store has none, and covers the deployed store without its name", async () => {
    const deployed = await get(SERVER);
    expect(deployed.scopes_supported).not.toContain("commerce.mandates:create");
    expect(deployed.authorization_endpoint).toBe(`${service.url}/oauth/authorize`);
  });

  it("has the host as issuer, without a query, for a store with its own host", async () => {
    const { json, text } = await rawRequest(service.url, SERVER, { headers: [["Host", HOST]] });
    expect(json).toMatchObject({
      issuer: `http://${HOST}`,
      token_endpoint: `http://${HOST}/oauth/token`,
    });
    expect(text).not.toContain("shop=");
    const byPath = await rawRequest(service.url, `${SERVER}/${HOSTED}`, {
      headers: [["Host", HOST]],
    });
    expect(byPath.json.authorization_endpoint).toBe(`http://${HOST}/oauth/authorize`);
  });

  it.each(["nobody.myshopify.com", "*", "x", "..%2fucp"])(
    "answers 404 for a path that names no registered store: %s",
    async (shop) => {
      for (const path of [SERVER, "/oauth/authorize"])
        expect((await service.call("GET", `${path}/${shop}`, { key: null })).status).toBe(404);
    },
  );
});

describe("the protected resource metadata", () => {
  it("names the service, its scopes, and a server whose metadata has the same issuer", async () => {
    const resource = await get(`${RESOURCE}?shop=${SHOP}`);
    expect(resource).toMatchObject({
      resource: service.url,
      bearer_methods_supported: ["header"],
      resource_name: SHOP,
    });
    const server = await get(`${SERVER}?shop=${SHOP}`);
    expect(resource.authorization_servers).toContain(server.issuer);
    expect(resource.scopes_supported).toEqual(server.scopes_supported);
  });

  it.each(["/mcp", "/a2a", ""])(
    "leads a client that only follows links to its store (%s)",
    async (name) => {
      const {
        resource,
        authorization_servers: [issuer],
      } = await get(`${RESOURCE}${name}?shop=${SHOP}`);
      expect(resource).toBe(`${service.url}${name}`);
      // RFC 8414 3.1: the well-known part stands between host and path.
      const { origin, pathname } = new URL(issuer);
      const server = await get(`${origin.slice(service.url.length)}${SERVER}${pathname}`);
      expect(server.issuer).toBe(issuer);
      const { challenge } = pkce();
      const authorize = new URL(server.authorization_endpoint);
      const query = {
        response_type: "code",
        client_id: await newClient(service),
        redirect_uri: REDIRECT,
        code_challenge: challenge,
        code_challenge_method: "S256",
        resource: `${resource}?shop=${SHOP}`,
      };
      // Clients in Python and C# break an address that has a query.
      expect(authorize.search).toBe("");
      for (const [key, value] of Object.entries(query)) authorize.searchParams.set(key, value);
      const answer = await approve(
        service,
        authorize.pathname + authorize.search,
        (await signUp(service)).token,
      );
      expect(answerTo(answer).searchParams.get("iss")).toBe(issuer);
    },
  );

  it("needs no path where the store needs no name, and describes no other resource", async () => {
    for (const path of [RESOURCE, `${RESOURCE}/mcp`])
      expect((await get(path)).authorization_servers).toEqual([service.url]);
    expect(
      (await service.call("GET", `${RESOURCE}/config?shop=${SHOP}`, { key: null })).status,
    ).toBe(404);
  });
});
