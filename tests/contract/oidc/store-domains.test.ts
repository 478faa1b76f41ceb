// Where a storefront sign-in finds the store: the app is the client, discovery is asked at the primary
// domain, and redirects lead only to the store's own domains.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { readPrimaryDomain } from "../../../app/domain/tenants/storefront/primary-domain.ts";
import { changeTenantRecord } from "../../../app/domain/tenants/tenant-record.ts";
import {
  begin,
  errorOf,
  everythingStored,
  expectRefused,
  approve,
  followCallback,
  putPerson,
  signInAs,
} from "../../support/browser/sign-in-journey.ts";
import { connectStore } from "../../support/storefront/storefront.ts";
import {
  CLIENT_ID,
  OTHER_SHOP,
  RETURN_ORIGIN,
  SHOP,
  startService,
  type Service,
} from "../../support/service.ts";

let service: Service;
let count = 0;
beforeAll(async () => {
  service = await startService();
  await service.addTenant(SHOP);
});
afterAll(() => service.stop());
afterEach(() => service.sandbox.clearFaults());

/** A store of its own, so that nothing of it is cached; its primary domain is known unless given as null. */
async function newStore({
  primaryHost,
  isConnected = false,
}: { primaryHost?: string | null; isConnected?: boolean } = {}): Promise<string> {
  const shop = `store-${(count += 1)}.myshopify.com`;
  if (isConnected) await connectStore(service, shop);
  else await service.addTenant(shop);
  if (primaryHost !== undefined) await setPrimaryHost(shop, primaryHost);
  return shop;
}
const setPrimaryHost = (shop: string, host: string | null) =>
  changeTenantRecord(service.ctx, shop, { connection: { primary_host: host } });
const connectionOf = async (shop: string) =>
  (
    await service.database.query("SELECT value->'connection' AS c FROM kv WHERE key = $1", [
      `tenant:${shop}`,
    ])
  )[0]?.c as Record<string, unknown>;
const logIn = (shop: string) =>
  service.call("GET", `/auth/storefront/login?shop=${shop}`, { key: null });
const discoveries = (domain: string) =>
  service.sandbox
    .requests("customerAccounts")
    .filter(({ path }) => path === `/${domain}/.well-known/openid-configuration`).length;
const wellKnown = { match: "/.well-known/openid-configuration" };
const at = (path: string) => `${service.sandbox.url}/storefront/${path}`;

async function expectForeign(shop: string): Promise<void> {
  const before = await everythingStored(service);
  const answer = await logIn(shop);
  expect(answer.status).toBe(302);
  expect(answer.headers.get("location")).toBe(`${RETURN_ORIGIN}/?error=foreign_domain`);
  expect(answer.headers.get("set-cookie")).toBeNull();
  expect(await everythingStored(service)).toEqual(before);
}

describe("the client of a storefront sign-in", () => {
  it("is the app where the store configured nothing: public, with PKCE, and never a secret", async () => {
    const shop = await newStore();
    const person = putPerson(service, "storefront", "ada@example.com", { shop });
    const { authorize } = await begin(service, "storefront", { shop });
    expect(authorize.searchParams.get("client_id")).toBe(CLIENT_ID);
    expect(authorize.searchParams.get("code_challenge_method")).toBe("S256");
    expect(errorOf(await signInAs(service, "storefront", person, { shop }))).toBeNull();
    const call = service.sandbox.customerAccounts.tokenCalls().at(-1);
    expect(call?.body).toMatchObject({ client_id: CLIENT_ID, code_verifier: expect.any(String) });
    expect(call?.body).not.toHaveProperty("client_secret");
    expect(call?.headers.authorization).toBeUndefined();
  });

  it("is the app of the platform settings where those name one", async () => {
    const own = await startService();
    try {
      await own.addTenant(SHOP);
      await own.call("POST", "/platform/config", { body: { platform_client_id: "another-app" } });
      const { authorize } = await begin(own, "storefront");
      expect(authorize.searchParams.get("client_id")).toBe("another-app");
    } finally {
      await own.stop();
    }
  });

  it("is the store's own where it has one, in that store only", async () => {
    const [shop, other] = [await newStore(), await newStore()];
    await service.addTenant(shop, { storefront_customer_account_client_id: "shp_own" });
    const clientOf = async (of: string) =>
      (await begin(service, "storefront", { shop: of })).authorize.searchParams.get("client_id");
    expect([await clientOf(shop), await clientOf(other)]).toEqual(["shp_own", CLIENT_ID]);
  });

  it("is offered on the shopper's page without a setting, but not where the store did not grant the scope", async () => {
    const shop = await newStore();
    const page = () => service.call("GET", `/embed/account?shop=${shop}`, { key: null });
    expect((await page()).text).toContain("/auth/storefront/login");
    await changeTenantRecord(service.ctx, shop, {
      connection: { granted_scopes: ["read_customers"] },
    });
    expect((await page()).text).not.toContain("/auth/storefront/login");
    await service.addTenant(shop, { storefront_customer_account_client_id: "shp_own" });
    expect((await page()).text).toContain("/auth/storefront/login");
  });
});

describe("discovery", () => {
  it("is asked at the primary domain, once, and not at the myshopify domain", async () => {
    const shop = await newStore();
    const person = putPerson(service, "storefront", "ada@example.com", { shop });
    const primary = service.sandbox.storefront.primaryHost(shop);
    for (let attempt = 0; attempt < 2; attempt += 1)
      expect(errorOf(await signInAs(service, "storefront", person, { shop }))).toBeNull();
    expect([discoveries(primary), discoveries(shop)]).toEqual([1, 0]);
  });

  it("is asked at the myshopify domain while no primary domain is known, and follows to one that the Admin API names", async () => {
    const shop = await newStore({ primaryHost: null, isConnected: true });
    const person = putPerson(service, "storefront", "ada@example.com", { shop });
    expect(errorOf(await signInAs(service, "storefront", person, { shop }))).toBeNull();
    const primary = service.sandbox.storefront.primaryHost(shop);
    expect([discoveries(shop), discoveries(primary)]).toEqual([1, 1]);
    expect(await connectionOf(shop)).toMatchObject({ primary_host: primary });
  });

  it("stays at the myshopify domain where that is the primary one", async () => {
    const shop = await newStore({ primaryHost: null, isConnected: true });
    await service.sandbox.storefront.movePrimaryDomain(shop, shop);
    const person = putPerson(service, "storefront", "ada@example.com", { shop });
    expect(errorOf(await signInAs(service, "storefront", person, { shop }))).toBeNull();
    expect(discoveries(shop)).toBe(1);
  });

  it("follows from the old primary domain to the myshopify domain", async () => {
    const shop = await newStore();
    service.sandbox.storefront.putCustomer(shop, {});
    await service.sandbox.storefront.movePrimaryDomain(shop, shop);
    await setPrimaryHost(shop, "www.old.example");
    service.sandbox.failNext("customerAccounts", {
      ...wellKnown,
      status: 301,
      headers: { location: at(`${shop}/.well-known/openid-configuration`) },
    });
    expect((await begin(service, "storefront", { shop })).state).not.toBe("");
  });

  it("finds a new primary domain whose shop/update did not arrive yet, also for a sign-in that began before", async () => {
    const shop = await newStore({ isConnected: true });
    const person = putPerson(service, "storefront", "ada@example.com", { shop });
    const journey = await begin(service, "storefront", { shop });
    const callback = await approve(journey, person);
    await service.sandbox.storefront.movePrimaryDomain(shop, "www.new-brand.example");
    await setPrimaryHost(shop, null);
    const answer = await followCallback(service, callback, journey.cookie);
    expect(errorOf(answer)).toBeNull();
    expect(await connectionOf(shop)).toMatchObject({ primary_host: "www.new-brand.example" });
  });

  it("is not followed to a domain that the Admin API did not name, and the log says who must act", async () => {
    // Not connected: the platform cannot be asked.
    const shop = await newStore({ primaryHost: null });
    await expectForeign(shop);
    const line = service.logged.findLast(({ event }) => event === "sign_in.not_begun");
    expect(line).toMatchObject({ shop, reason: "foreign_domain" });
    expect(line?.detail).toMatch(
      /is not a domain of the store\. The merchant checks the primary domain/,
    );
    const connected = await newStore({ isConnected: true });
    await readPrimaryDomain(service.ctx, connected);
    service.sandbox.failNext("customerAccounts", {
      ...wellKnown,
      status: 302,
      headers: { location: at("www.evil.example/x") },
    });
    await expectForeign(connected);
  });

  it.each([
    ["another host", "https://evil.example/.well-known/openid-configuration"],
    ["another port", "http://127.0.0.1:1/storefront/SHOP/.well-known/openid-configuration"],
    ["another scheme", "ftp://127.0.0.1/storefront/SHOP/.well-known/openid-configuration"],
    ["a path that only begins like the store's", "BASE/storefront/SHOP.evil.example/x"],
    ["a path that leaves the store's", "BASE/storefront/SHOP/../www.evil.example/x"],
    ["an encoded path that leaves the store's", "BASE/storefront/SHOP/%2e%2e/www.evil.example/x"],
    ["credentials in the address", "http://user:pw@HOST/storefront/SHOP/x"],
    ["a private address", "http://169.254.169.254/latest/meta-data"],
    ["another store", `BASE/storefront/${OTHER_SHOP}/.well-known/openid-configuration`],
    ["no address", null],
    ["something that is no address", "http://["],
  ])("is not followed to %s", async (_case, location) => {
    const shop = await newStore();
    const target = location
      ?.replace("BASE", service.sandbox.url)
      .replace("HOST", new URL(service.sandbox.url).host)
      .replace("SHOP", shop);
    const before = service.sandbox.requests("customerAccounts").length;
    service.sandbox.failNext("customerAccounts", {
      ...wellKnown,
      status: 301,
      ...(target && { headers: { location: target } }),
    });
    await expectForeign(shop);
    expect(service.sandbox.requests("customerAccounts")).toHaveLength(before + 1);
    expect((await begin(service, "storefront", { shop })).state).not.toBe("");
  });

  it("is not followed in circles", async () => {
    const shop = await newStore();
    const primary = service.sandbox.storefront.primaryHost(shop);
    const before = discoveries(primary);
    service.sandbox.failNext(
      "customerAccounts",
      {
        ...wellKnown,
        status: 301,
        headers: { location: at(`${primary}/.well-known/openid-configuration`) },
      },
      4,
    );
    expect(errorOf(await logIn(shop))).toBe("provider_unavailable");
    expect(discoveries(primary)).toBe(before + 4);
    expect((await begin(service, "storefront", { shop })).state).not.toBe("");
  });

  it("is not followed at a federated provider", async () => {
    const own = await startService();
    try {
      await own.addTenant(SHOP);
      own.sandbox.failNext("federated", {
        status: 301,
        headers: {
          location: `${own.sandbox.addresses.federatedIssuer}/.well-known/openid-configuration`,
        },
      });
      const answer = await own.call("GET", `/auth/federated/login?shop=${SHOP}`, { key: null });
      expect(errorOf(answer)).toBe("provider_unavailable");
    } finally {
      await own.stop();
    }
  });

  it("that names another issuer than the one that answers rejects the sign-in", async () => {
    const shop = await newStore();
    const person = putPerson(service, "storefront", "ada@example.com", { shop });
    service.sandbox.customerAccounts.next({ discovery: "issuer_mismatch" });
    const calls = service.sandbox.customerAccounts.tokenCalls().length;
    await expectRefused(service, "invalid_token", () =>
      signInAs(service, "storefront", person, { shop }),
    );
    expect(service.sandbox.customerAccounts.tokenCalls()).toHaveLength(calls);
    expect(errorOf(await signInAs(service, "storefront", person, { shop }))).toBeNull();
  });
});

describe("a primary domain whose name leads to a private address", () => {
  let inside: Server;
  const reached: string[] = [];
  beforeAll(async () => {
    inside = createServer((request, response) => {
      reached.push(request.url ?? "");
      response.end("{}");
    });
    await new Promise<void>((ready) => inside.listen(0, "127.0.0.1", ready));
  });
  afterAll(() => new Promise((closed) => inside.close(closed)));

  it("is not called where the store's domains are called themselves", async () => {
    const { port } = inside.address() as AddressInfo;
    const own = await startService({
      env: { OUTBOUND_ALLOW: "", STOREFRONT_URL_TEMPLATE: `https://{shop}:${port}` },
    });
    try {
      await own.addTenant(SHOP, { profile_platform_url: null });
      // "localhost" is such a name on every machine.
      await changeTenantRecord(own.ctx, SHOP, { connection: { primary_host: "localhost" } });
      const answer = await own.call("GET", `/auth/storefront/login?shop=${SHOP}`, { key: null });
      expect(errorOf(answer)).toBe("provider_unavailable");
      expect(reached).toEqual([]);
      expect(JSON.stringify(own.logged)).toContain("is a private address");
    } finally {
      await own.stop();
    }
  });
});
