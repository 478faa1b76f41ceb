// Public discovery documents: manifest, agent card, GPC statement.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rawRequest } from "../../support/raw-request.ts";
import { OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";

const HOSTED = "hosted-store.myshopify.com";
const HOST = "agents.hosted.example";
let service: Service;
beforeAll(async () => {
  service = await startService();
  await service.addTenant(SHOP, {
    brand_name: "Ada's",
    storefront_admin_token: "shpat_0123456789abcdef",
  });
  await service.addTenant(OTHER_SHOP, {
    agent_access_enabled: false,
    storefront_admin_token: "shpat_0123456789abcdef",
  });
  await service.addTenant(HOSTED, { public_hosts: [HOST], agent_payments_enabled: false });
});
afterAll(() => service.stop());

const get = (path: string, headers: Record<string, string> = {}) =>
  service.call("GET", path, { key: null, headers });
const DOCUMENTS = [
  "/.well-known/ucp",
  "/.well-known/ucp/2026-04-08",
  "/.well-known/agent-card.json",
  "/.well-known/gpc.json",
];

describe.each(DOCUMENTS)("%s", (path) => {
  it("is a cacheable public document without a cookie", async () => {
    const answer = await get(`${path}?shop=${SHOP}`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
    expect(answer.headers.get("set-cookie")).toBeNull();
    const policy = answer.headers.get("cache-control") ?? "";
    expect(policy).toMatch(/^public, max-age=\d+$/);
    expect(Number(policy.split("=")[1])).toBeGreaterThanOrEqual(60);
    // A header can name the store too: caches must not mix stores up.
    expect(answer.headers.get("vary")).toContain("X-Storefront-Shop-Domain");
  });

  it("answers 304 for every form of a matching ETag", async () => {
    const etag = (await get(`${path}?shop=${SHOP}`)).headers.get("etag") as string;
    expect(etag).toMatch(/^"[\w-]+"$/);
    for (const named of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const again = await get(`${path}?shop=${SHOP}`, { "If-None-Match": named });
      expect([named, again.status, again.text, again.headers.get("etag")]).toEqual([
        named,
        304,
        "",
        etag,
      ]);
    }
    expect((await get(`${path}?shop=${SHOP}`, { "If-None-Match": '"other"' })).status).toBe(200);
    expect(
      (await service.call("HEAD", `${path}?shop=${SHOP}`, { key: null })).headers.get("etag"),
    ).toBe(etag);
  });

  it("contains no secret of the store", async () => {
    expect((await get(`${path}?shop=${SHOP}`)).text).not.toMatch(
      /shpat_|secret|cms-token|admin_key/,
    );
  });
});

describe("the store of a discovery document", () => {
  it.each(DOCUMENTS.filter((path) => !path.includes("gpc")))(
    "is found by its host, and the document's addresses stay on that host: %s",
    async (path) => {
      const { status, text, json } = await rawRequest(service.url, path, {
        headers: [["Host", HOST]],
      });
      expect(status).toBe(200);
      expect(text).toContain(HOSTED);
      expect(text).toContain(`http://${HOST}/`);
      expect(text).not.toContain("?shop=");
      expect(JSON.stringify(json)).not.toContain(service.url);
    },
  );

  it("answers 404 when unknown, 400 when malformed", async () => {
    for (const path of DOCUMENTS.slice(0, 3)) {
      expect((await get(`${path}?shop=nobody.myshopify.com`)).json.code).toBe("unknown_tenant");
      expect((await get(`${path}?shop=evil.example`)).json.code).toBe("invalid_shop");
    }
  });
});

describe("the UCP manifest", () => {
  it("declares agents and payments only where the store allows them", async () => {
    expect((await get(`/.well-known/ucp?shop=${SHOP}`)).json).toMatchObject({
      a2a_agent_access: true,
      agent_payments: true,
    });
    const closed = (await get(`/.well-known/ucp?shop=${OTHER_SHOP}`)).json;
    expect(closed).not.toHaveProperty("a2a_agent_access");
    expect(closed).not.toHaveProperty("agent_payments");
    expect(Object.keys(closed.ucp.capabilities)).toEqual([
      "dev.ucp.shopping.catalog.search",
      "dev.ucp.shopping.catalog.lookup",
      "dev.ucp.shopping.cart",
    ]);
    const hosted = (await get(`/.well-known/ucp?shop=${HOSTED}`)).json;
    expect(hosted).toHaveProperty("a2a_agent_access", true);
    expect(hosted).not.toHaveProperty("agent_payments");
    // Not connected to its storefront, so there is no catalog.
    expect(Object.keys(hosted.ucp.capabilities)).toEqual(["dev.ucp.common.identity_linking"]);
  });

  it.each(["2026-08-25", "2026-04-08"])("is a complete UCP profile of %s", async (version) => {
    const { json } = await get(`/.well-known/ucp/${version}?shop=${SHOP}`);
    expect(json.ucp).toMatchObject({ version, status: "success", payment_handlers: {} });
    expect(json.ucp).not.toHaveProperty("supported_versions");
    expect(json[version === "2026-04-08" ? "signing_keys" : "keys"]).toEqual([
      expect.objectContaining({ kty: "EC", crv: "P-256", alg: "ES256", kid: expect.any(String) }),
    ]);
    for (const [name, entries] of Object.entries<any[]>(json.ucp.capabilities)) {
      expect(name).toMatch(/^dev\.ucp\.(shopping|common)\./);
      for (const entry of entries)
        expect(entry).toMatchObject({
          version,
          spec: expect.stringMatching(`^https://ucp.dev/${version}/specification/`),
          schema: expect.stringMatching(`^https://ucp.dev/${version}/schemas/`),
        });
    }
    const [mcp, a2a] = json.ucp.services["dev.ucp.shopping"];
    expect(mcp).toMatchObject({
      version,
      transport: "mcp",
      endpoint: `${service.url}/mcp?shop=${SHOP}`,
      schema: expect.any(String),
    });
    expect(a2a).toMatchObject({
      version,
      transport: "a2a",
      endpoint: `${service.url}/.well-known/agent-card.json?shop=${SHOP}`,
    });
    expect(json.a2a_agent_access).toBe(true);
  });

  it("links its older versions; an unknown version answers 404", async () => {
    const { json } = await get(`/.well-known/ucp?shop=${SHOP}`);
    expect(json.ucp.version).toBe("2026-08-25");
    const [older] = Object.values<string>(json.ucp.supported_versions);
    expect((await get((older as string).slice(service.url.length))).json.ucp.version).toBe(
      "2026-04-08",
    );
    expect((await get(`/.well-known/ucp/2020-01-01?shop=${SHOP}`)).status).toBe(404);
  });
});

describe("the agent card", () => {
  const BEARER = { schemes: { bearer: { list: [] } } };
  const card = async (version?: string) =>
    await get(
      `/.well-known/agent-card.json?shop=${SHOP}`,
      version ? { "A2A-Version": version } : {},
    );

  it.each([undefined, "0.3", "0.1"])(
    "has the contract's fields unchanged, beside those of A2A 0.3 and 1.0 (%s)",
    async (version) => {
      const { json } = await card(version);
      expect(json).toMatchObject({
        name: expect.any(String),
        description: expect.any(String),
        version: "1.0",
        protocol_version: "0.1",
        capabilities: { streaming: false, pushNotifications: false, stateTransitionHistory: true },
        authentication: { schemes: ["bearer"], credentials: expect.any(String) },
        protocolVersion: "0.3.0",
        url: `${service.url}/a2a?shop=${SHOP}`,
        preferredTransport: "JSONRPC",
        security: [{}, { bearer: [] }],
        securitySchemes: { bearer: { type: "http", scheme: "bearer" } },
        supportedInterfaces: [
          { protocolBinding: "JSONRPC", protocolVersion: "1.0" },
          { protocolBinding: "JSONRPC", protocolVersion: "0.3" },
        ],
      });
      expect(json.skills.map(({ id }: { id: string }) => id)).toEqual([
        "identity-linking",
        "consent-management",
        "tag-sync",
        "product-catalog",
        "checkout-session",
      ]);
      for (const skill of json.skills)
        expect(skill).toEqual({
          id: expect.any(String),
          name: expect.any(String),
          description: expect.any(String),
          tags: expect.any(Array),
          // What is open without a token names no scheme.
          ...(skill.id !== "product-catalog" && {
            security: [{ bearer: [] }],
            securityRequirements: [BEARER],
          }),
        });
    },
  );

  it("has only 1.0's fields for a client of 1.0, and varies for caches", async () => {
    const { json, headers } = await card("1.0");
    expect(Object.keys(json).sort()).toEqual([
      "capabilities",
      "defaultInputModes",
      "defaultOutputModes",
      "description",
      "name",
      "provider",
      "securityRequirements",
      "securitySchemes",
      "skills",
      "supportedInterfaces",
      "version",
    ]);
    expect(json.capabilities).not.toHaveProperty("stateTransitionHistory");
    expect(json.securityRequirements).toEqual([{ schemes: {} }, BEARER]);
    expect(headers.get("last-modified")).toMatch(/GMT$/);
    expect(headers.get("vary")).toMatch(/A2A-Version/);
    expect(headers.get("etag")).not.toBe((await card()).headers.get("etag"));
  });
});

it("the GPC statement says that Global Privacy Control is honoured", async () => {
  expect((await get("/.well-known/gpc.json")).json).toEqual({
    gpc: true,
    lastUpdate: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
  });
});
