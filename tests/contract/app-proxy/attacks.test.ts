// Attacks on the app proxy's signature. The proxy signs every parameter of a visitor's address: a
// visitor who learns a signature, or a parser that reads a signed text in two ways, would let that
// visitor act as another customer.
import { createHmac } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { allPaths } from "../../support/all-paths.ts";
import { logOf, signUp, startConsentService, type Person } from "../../support/consent.ts";
import { rawRequest } from "../../support/raw-request.ts";
import { APP_SECRET, SHOP, type Service } from "../../support/service.ts";
import { proxied } from "../../support/browser/shopper-pages.ts";

const VICTIM = "9007199254740993";
const AGENT = "Mozilla/5.0 (X11; Linux x86_64) Chrome/153.0.0.0 Safari/537.36";
let service: Service;
let victim: Person;

beforeAll(async () => {
  service = await startConsentService({ withScreens: true });
  victim = await signUp(service);
  await service.database.query(
    "UPDATE storefront_users SET storefront_customer_gid = $1, email_verified = true WHERE id = $2",
    [`gid://shopify/Customer/${VICTIM}`, victim.id],
  );
});
afterAll(() => service.stop());

/** A signed-out visitor's request through the store's own address. */
async function visit(path: string): Promise<{ status: number; location: string; text: string }> {
  const answer = await fetch(`${service.sandbox.url}/apps/crm${path}`, {
    redirect: "manual",
    headers: { Cookie: `sandbox_visit=${SHOP}/`, "User-Agent": AGENT },
  });
  return {
    status: answer.status,
    location: answer.headers.get("location") ?? "",
    text: await answer.text(),
  };
}

const SIGNATURE = /signature(?:=|%3D)([0-9a-f]{64})/i;
describe("a visitor of the store", () => {
  it("never sees the proxy's signature on a page of the service", async () => {
    const leaks: string[] = [];
    for (const path of await allPaths()) {
      const { location, text } = await visit(`${path}?a=1`);
      if (SIGNATURE.test(text) || SIGNATURE.test(location)) leaks.push(path);
    }
    expect(leaks).toEqual([]);
  });

  it("cannot grant consents as another customer with a text that the proxy signed", async () => {
    const before = await logOf(service, victim);
    const hidden = `xlogged_in_customer_id=${VICTIM}m=`;
    const started = Math.floor(Date.now() / 1_000);
    const page = await visit(`/setup?${new URLSearchParams({ a: hidden })}`);
    const signature = SIGNATURE.exec(page.text)?.[1] ?? "0".repeat(64);
    for (let timestamp = started - 1; timestamp <= started + 5; timestamp += 1)
      for (const mount of ["", "/proxy"]) {
        const query = new URLSearchParams({
          a: "x",
          logged_in_customer_id: VICTIM,
          m: "logged_in_customer_id=",
          path_prefix: "/apps/crm",
          shop: SHOP,
          timestamp: String(timestamp),
          signature,
        });
        await service.call("POST", `${mount}/auth/consent-sync?${query}`, {
          key: null,
          body: { method: "banner", consent_marketing: true },
        });
      }
    expect(await logOf(service, victim)).toEqual(before);
  });
});

describe("a shopper of the store", () => {
  const asShopper = (path: string, customer: string, init: RequestInit = {}) =>
    fetch(`${service.sandbox.url}/apps/crm${path}`, {
      ...init,
      headers: {
        Cookie: `sandbox_visit=${SHOP}/${customer}`,
        "Content-Type": "application/json",
      },
    });

  it("receives every page and script of the theme through the proxy", async () => {
    for (const path of [
      "/embed/footer?locale=en",
      "/embed/compliance?locale=pt-BR",
      "/embed/cookies?locale=pt-BR",
      "/embed/stack-loader.js?locale=fr",
      "/embed/stack-bridge.js",
      "/embed/account?locale=en&return_to=/collections/all",
      "/embed/account?locale=en&error=account_exists",
      "/embed/dashboard?locale=es",
      "/embed/account.js",
      "/embed/dashboard.js",
    ])
      expect([path, (await asShopper(path, "")).status]).toEqual([path, 200]);
    const page = await (await asShopper("/embed/dashboard", VICTIM)).text();
    expect(page).toContain('"customer":{"consents":{');
  });

  it("is recorded as the customer that the storefront signed, without cookie and token", async () => {
    const answer = await asShopper("/auth/consent-sync?locale=en", VICTIM, {
      method: "POST",
      body: JSON.stringify({ method: "banner", consent_cookie: true }),
    });
    expect(answer.status).toBe(200);
    expect((await logOf(service, victim)).at(-1)).toMatchObject({
      consent_type: "cookie",
      action: "granted",
    });
  });
});

describe("a request with the app proxy's parameters", () => {
  it.each(["signature", "path_prefix"])(
    "answers 404 on every path that is not proxied, with every method: %s",
    async (mark) => {
      const messages: string[] = [];
      for (const path of await allPaths())
        for (const method of ["GET", "POST", "OPTIONS"]) {
          const answer = await service.call(
            method,
            `${path}?shop=${SHOP}&%7${mark[0] === "s" ? "3" : "0"}${mark.slice(1)}=1`,
            {
              headers: { "User-Agent": AGENT },
            },
          );
          if (answer.status !== 404 || answer.json?.code !== "not_found")
            messages.push(`${method} ${path} ${answer.status}`);
        }
      expect(messages).toEqual([]);
    },
  );

  it("reaches only mounted paths below the proxied address, in every spelling", async () => {
    for (const path of [
      "/proxy",
      "/proxy/",
      "/proxy/setup",
      "/proxy/setup.data",
      "/proxy/app",
      "/proxy/health",
      "/proxy/oauth/authorize",
      "/proxy/auth/login",
      "/proxy/embed",
      "/proxy/embed/footer.data",
      "/PROXY/setup",
      "/proxy/../setup",
      "/proxy/%2e%2e/setup",
      "//proxy/setup",
      "/proxy/proxy/embed/footer",
    ]) {
      const { search } = proxied(service, "/embed/footer", "");
      const answer = await rawRequest(service.url, path + search, { method: "GET" });
      expect([path, answer.status]).toEqual([path, 404]);
    }
  });
});

describe("a webhook body", () => {
  it("is never equal to a text that the proxy signs", async () => {
    const body = { shop_domain: SHOP, customer: { id: 7, email: "ada@example.com" } };
    const [head, tail] = [JSON.stringify(body).slice(0, -1), '"}'];
    // When sorted, the visitor's first name comes first and the last value last: between them is
    // one JSON string.
    const text = [
      ` ${head},"x":"=`,
      "logged_in_customer_id=",
      "path_prefix=/apps/crm",
      `shop=${SHOP}`,
      "timestamp=1700000000",
      `z=${tail}`,
    ].join("");
    expect(JSON.parse(text)).toMatchObject(body);
    const signature = createHmac("sha256", APP_SECRET).update(text).digest("base64");
    for (const path of [
      "/gdpr/customer-redact",
      "/gdpr/data-request",
      "/gdpr/shop-redact",
      "/webhooks/customers-merge",
      "/events/ingest?source=storefront",
    ]) {
      const answer = await service.call("POST", path, {
        key: null,
        body: text,
        headers: {
          "X-Shopify-Hmac-Sha256": signature,
          "X-Shopify-Shop-Domain": SHOP,
          "X-Shopify-Topic": "customers/update",
        },
      });
      expect([path, answer.status, answer.json.code]).toEqual([path, 401, "invalid_signature"]);
      expect([answer.json.error, answer.json.method]).toEqual([
        "Unauthorized",
        path.startsWith("/events/") ? "hmac" : undefined,
      ]);
    }
    expect(await service.database.query("SELECT 1 FROM privacy_requests")).toEqual([]);
    expect(await service.database.query("SELECT 1 FROM webhook_inbox")).toEqual([]);
  });
});
