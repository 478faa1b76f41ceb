// The profile document of an agent's platform: guarded fetch, cache, and version negotiation.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStore } from "../../support/agents/commerce.ts";
import { SHOP, startService, type Service } from "../../support/service.ts";
import { platformProfile, startPlatform } from "../../support/agents/ucp-cli.ts";

let service: Service;
let platform: Awaited<ReturnType<typeof startPlatform>>;
beforeAll(async () => {
  [service, platform] = [await startService(), await startPlatform()];
  await openStore(service);
});
afterAll(async () => {
  await platform.stop();
  await service.stop();
});

const search = (profile: string | null, headers: Record<string, string> = {}) =>
  service.call("POST", `/mcp?shop=${SHOP}`, {
    key: null,
    headers,
    body: {
      jsonrpc: "2.0",
      id: "q",
      method: "tools/call",
      params: {
        name: "search_catalog",
        arguments: { ...(profile !== null && { meta: { "ucp-agent": { profile } } }), catalog: {} },
      },
    },
  });
const put = (path: string, body: string, more: object = {}): string => {
  platform.pages.set(path, { body, ...more });
  return platform.url + path;
};
const timesAsked = (path: string) => platform.asked.filter((one) => one === path).length;

describe("the negotiated protocol", () => {
  it("is the platform's version with the capabilities that both sides support", async () => {
    const old = await search(
      put(
        "/old",
        platformProfile("2026-04-08", ["dev.ucp.shopping.catalog.search", "dev.ucp.shopping.cart"]),
      ),
    );
    expect(old.json.result.structuredContent.ucp).toEqual({
      version: "2026-04-08",
      status: "success",
      capabilities: { "dev.ucp.shopping.catalog.search": [{ version: "2026-04-08" }] },
      payment_handlers: {},
    });
    const cart = await search(
      put("/cart", platformProfile("2026-08-25", ["dev.ucp.shopping.cart"])),
    );
    expect(cart.json.result.structuredContent.ucp).toMatchObject({
      version: "2026-08-25",
      status: "success",
      capabilities: {},
    });
  });

  it("may come from the UCP-Agent header, and defaults without one", async () => {
    const url = put("/header", platformProfile("2026-04-08"));
    expect(
      (await search(null, { "UCP-Agent": `profile="${url}"` })).json.result.structuredContent.ucp
        .version,
    ).toBe("2026-04-08");
    expect(
      (await search(null, { "UCP-Agent": "some-agent/1.0" })).json.result.structuredContent.ucp
        .version,
    ).toBe("2026-08-25");
  });

  it("may be an empty set, which is a valid result", async () => {
    const { ucp, messages } = (
      await search(put("/none", platformProfile("2026-08-25", ["com.example.other"])))
    ).json.result.structuredContent;
    expect([ucp.status, messages[0].code]).toEqual(["error", "capabilities_incompatible"]);
  });

  it("is found in a profile with capabilities, names and versions that cannot be stored", async () => {
    const ours = { "dev.ucp.shopping.catalog.search": [{ version: "2026-08-25" }] };
    const foreign = Array.from({ length: 300 }, (_, at) => [
      `com.example.n${at}`,
      [{ version: "1" }],
    ]);
    const capabilities = {
      ...(Object.fromEntries(foreign) as object),
      "com.example.\u0000": [{ version: "2026-08-25" }],
      "com.example.\ud800": [{ version: "2026-08-25" }],
      "com.example.version": [{ version: "\u0000" }, { version: "\udfff" }],
      ...ours,
    };
    const profile = put(
      "/unstorable",
      JSON.stringify({ ucp: { version: "2026-08-25", capabilities } }),
    );
    for (const answer of [await search(profile), await search(profile)])
      expect([answer.status, answer.json.result?.structuredContent.ucp.capabilities]).toEqual([
        200,
        ours,
      ]);
    expect(timesAsked("/unstorable")).toBe(1);
  });

  it("is built in for the reference client, without a fetch", async () => {
    const answer = await search(
      "https://shopify.dev/ucp/agent-profiles/2026-08-25/valid-with-capabilities.json",
    );
    expect(answer.json.result.structuredContent.ucp.capabilities).toEqual({
      "dev.ucp.shopping.catalog.search": [{ version: "2026-08-25" }],
    });
  });
});

describe("a profile", () => {
  it("is fetched once for many calls, also when the fetch fails", async () => {
    for (const url of [put("/kept", platformProfile()), put("/gone", "{}", { status: 500 })])
      for (let times = 0; times < 3; times += 1) await search(url);
    expect([timesAsked("/kept"), timesAsked("/gone")]).toEqual([1, 1]);
  });

  it.each([
    ["invalid_profile_url", 400, () => "http://agent.example/profile.json"],
    ["invalid_profile_url", 400, () => "https://10.0.0.1/profile.json"],
    ["invalid_profile_url", 400, () => "https://169.254.169.254/latest/meta-data"],
    ["invalid_profile_url", 400, () => "https://[::1]/profile.json"],
    ["invalid_profile_url", 400, () => "https://user:secret@agent.example/profile.json"],
    ["invalid_profile_url", 400, () => "file:///etc/passwd"],
    ["invalid_profile_url", 400, () => "profile"],
    ["profile_unreachable", 424, () => "https://does-not-exist.invalid/profile.json"],
    ["profile_unreachable", 424, () => put("/missing", "{}", { status: 404 })],
    ["profile_malformed", 422, () => put("/text", "hello")],
    ["profile_malformed", 422, () => put("/shape", '{"ucp":{}}')],
    [
      "profile_malformed",
      422,
      // Whole within what is read of it.
      () => put("/large", platformProfile() + " ".repeat(140 * 1024)),
    ],
    ["version_unsupported", 422, () => put("/future", platformProfile("2031-01-01"))],
  ] satisfies [string, number, () => string][])(
    "that is invalid answers %s (%i) with the id of the call",
    async (code, status, urlOf) => {
      const answer = await search(urlOf());
      expect(answer.status).toBe(status);
      expect(answer.json).toEqual({
        jsonrpc: "2.0",
        id: "q",
        error: {
          code: -32_001,
          message: expect.any(String),
          data: { code, content: expect.any(String) },
        },
      });
    },
  );

  it("is not fetched from a redirect", async () => {
    put("/target", platformProfile());
    const answer = await search(
      put("/moved", "", { status: 302, headers: { Location: `${platform.url}/target` } }),
    );
    expect([answer.status, answer.json.error.data.code, timesAsked("/target")]).toEqual([
      424,
      "profile_unreachable",
      0,
    ]);
  });
});
