// CORS: the tenant's own origins may read responses, echoed exactly; no other origin may.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";

let service: Service;

beforeAll(async () => {
  service = await startService();
  await service.addTenant(SHOP, {
    auth_redirect_origin: "https://return.example",
    allowed_origins: ["https://listed.example"],
  });
  await service.addTenant(OTHER_SHOP, { allowed_origins: ["https://of-the-other.example"] });
});
afterAll(() => service.stop());

const ask = (method: string, origin: string, shop = SHOP) =>
  service.call(method, `/config?shop=${shop}`, { headers: { Origin: origin } });

describe("an allowed origin", () => {
  test.each([
    ["the store", () => `https://${SHOP}`],
    ["the place sign-ins return to", () => "https://return.example"],
    ["a listed one", () => "https://listed.example"],
    ["this service", () => service.url],
  ])("is echoed exactly, with credentials: %s", async (_, origin) => {
    const { headers } = await ask("GET", origin());
    expect(headers.get("access-control-allow-origin")).toBe(origin());
    expect(headers.get("access-control-allow-credentials")).toBe("true");
    expect(headers.get("access-control-expose-headers")).toBe(
      "X-Request-Id, Retry-After, X-Cache, Idempotent-Replayed",
    );
    expect(headers.get("vary")).toContain("Origin");
  });

  test("learns methods and headers from OPTIONS without a key", async () => {
    const answer = await service.call("OPTIONS", `/config?shop=${SHOP}`, {
      key: null,
      headers: { Origin: `https://${SHOP}`, "Access-Control-Request-Method": "POST" },
    });
    expect([answer.status, answer.text]).toEqual([204, ""]);
    expect(answer.headers.get("access-control-allow-methods")).toContain("POST");
    expect(answer.headers.get("allow")).toBe("GET, POST, HEAD, OPTIONS");
    expect(answer.headers.get("access-control-allow-headers")?.split(", ").toSorted()).toEqual([
      "A2A-Version",
      "Authorization",
      "Content-Type",
      "Idempotency-Key",
      "MCP-Protocol-Version",
      "Mcp-Method",
      "Mcp-Name",
      "UCP-Agent",
      "X-Storefront-Shop-Domain",
    ]);
    expect(answer.headers.get("vary")).toContain("Origin");
  });

  test("may read errors too", async () => {
    const answer = await service.call("GET", `/config?shop=${SHOP}`, {
      key: null,
      headers: { Origin: "https://listed.example" },
    });
    expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([
      401,
      "https://listed.example",
    ]);
  });
});

describe("any other origin", () => {
  test.each([
    "https://elsewhere.example",
    "null",
    `http://${SHOP}`,
    `https://${SHOP}.elsewhere.example`,
    `https://${SHOP}:8443`,
    "https://sub.listed.example",
    "https://listed.example/",
    "https://LISTED.example",
    "https://of-the-other.example",
    `https://${OTHER_SHOP}`,
    "*",
  ])("gets no CORS headers: %s", async (origin) => {
    for (const method of ["GET", "OPTIONS"]) {
      const { headers } = await ask(method, origin);
      expect([...headers.keys()].filter((name) => name.startsWith("access-control-"))).toEqual([]);
      expect(headers.get("vary")).toContain("Origin");
    }
  });

  test("gets none for an unknown store either", async () => {
    const { headers } = await ask(
      "OPTIONS",
      "https://unknown-store.myshopify.com",
      "unknown-store.myshopify.com",
    );
    expect(headers.get("access-control-allow-origin")).toBeNull();
  });

  test("OPTIONS has no side effects", async () => {
    await service.call("OPTIONS", "/config?shop=never-seen.myshopify.com", {
      headers: { Origin: "https://elsewhere.example" },
    });
    expect(
      await service.database.query("SELECT 1 FROM kv WHERE shop = 'never-seen.myshopify.com'"),
    ).toEqual([]);
  });
});

test("a request without an origin gets no CORS headers but Vary: Origin", async () => {
  const { headers } = await service.call("GET", "/health");
  expect(headers.get("access-control-allow-origin")).toBeNull();
  expect(headers.get("vary")).toBe("Origin");
});
