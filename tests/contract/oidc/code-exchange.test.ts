// The code exchange: what the provider receives, and the result when it fails.
import { hash } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  approve,
  begin,
  followCallback,
  errorOf,
  expectRefused,
  providerSandbox,
  PROVIDERS,
  putPerson,
  signInAs,
} from "../../support/browser/sign-in-journey.ts";
import type { OidcSettings } from "../../../app/sandbox/oidc/settings.ts";
import { changeTenantRecord } from "../../../app/domain/tenants/tenant-record.ts";
import { CLIENT_ID, OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";

let service: Service;
let count = 0;
beforeAll(async () => {
  service = await startService();
  await service.addTenant(SHOP);
});
afterAll(() => service.stop());

describe.each(PROVIDERS)("the code of a %s sign-in", (provider) => {
  let sub: string;
  beforeEach(() => {
    service.sandbox.clearFaults();
    providerSandbox(service, provider).clearFlaws();
    sub = putPerson(service, provider, `nobody-${(count += 1)}@example.com`);
  });
  const lastCall = () => {
    const call = providerSandbox(service, provider).tokenCalls().at(-1);
    return { headers: call?.headers ?? {}, fields: call?.body as Record<string, string> };
  };

  it("is exchanged in a form post, with the PKCE verifier and the redirect URI", async () => {
    const journey = await begin(service, provider);
    const callback = await approve(journey, sub);
    expect(errorOf(await followCallback(service, callback, journey.cookie))).toBeNull();
    const { headers, fields } = lastCall();
    expect(headers["content-type"]).toBe("application/x-www-form-urlencoded");
    expect(fields).toEqual({
      grant_type: "authorization_code",
      code: callback.searchParams.get("code"),
      redirect_uri: `${service.url}/auth/${provider}/callback`,
      client_id: providerSandbox(service, provider).clientId,
      code_verifier: expect.stringMatching(/^[\w-]{43,128}$/),
    });
    expect(hash("sha256", fields.code_verifier as string, "base64url")).toBe(
      journey.authorize.searchParams.get("code_challenge"),
    );
    // The storefront requires an Origin from a public client; a general provider takes a call with
    // one for a browser's and rejects it.
    expect(headers.origin).toBe(provider === "storefront" ? service.url : undefined);
    expect(headers["user-agent"]).toBeTruthy();
    const { clientId, clientSecret } = service.sandbox.federated;
    expect(headers.authorization).toBe(
      provider === "federated"
        ? `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString("base64")}`
        : undefined,
    );
  });

  it.each([
    [500, "provider_unavailable"],
    [503, "provider_unavailable"],
    [429, "provider_unavailable"],
    [400, "invalid_token"],
    [401, "invalid_token"],
    ["garbage", "provider_unavailable"],
    ["lose_reply", "provider_unavailable"],
    ["hang", "provider_unavailable"],
  ] as const)(
    "answered with %s ends in %s with nothing written, and the next sign-in works",
    async (token, error) => {
      providerSandbox(service, provider).next({ token });
      await expectRefused(service, error, () => signInAs(service, provider, sub));
      expect(errorOf(await signInAs(service, provider, sub))).toBeNull();
    },
  );

  it("whose connection is reset ends in provider_unavailable with nothing written", async () => {
    const journey = await begin(service, provider);
    const callback = await approve(journey, sub);
    service.sandbox.failNext(provider === "federated" ? "federated" : "customerAccounts", {
      reset: true,
      match: "token",
    });
    await expectRefused(service, "provider_unavailable", () =>
      followCallback(service, callback, journey.cookie),
    );
  });

  it("is never logged, nor are the verifier and the tokens", async () => {
    const journey = await begin(service, provider);
    const callback = await approve(journey, sub);
    await followCallback(service, callback, journey.cookie);
    const lines = JSON.stringify(service.logged);
    for (const secret of [
      callback.searchParams.get("code"),
      lastCall().fields.code_verifier,
      journey.state,
      journey.cookie.split("=")[1],
    ])
      expect(lines).not.toContain(secret);
    expect(lines).not.toMatch(/sandbox-person-|eyJ/);
  });
});

describe("a storefront client of the store's own, with a secret", () => {
  // RFC 6749 2.3.1: form-urlencoded before base64, so a secret may have any character.
  const SECRET = "confidential: 100% +/ñ-0123456789";
  let own: Service;
  let person: string;
  beforeAll(async () => {
    own = await startService();
    own.sandbox.customerAccounts.settings.clientSecret = SECRET;
    person = putPerson(own, "storefront", "grace@example.com");
  });
  beforeEach(() => saveSecret(SECRET));
  afterAll(() => own.stop());

  const saveSecret = (secret: string | null) =>
    own.addTenant(SHOP, {
      storefront_customer_account_client_id: own.sandbox.customerAccounts.clientId,
      storefront_customer_account_client_secret: secret,
    });
  const lastCall = () => {
    const { headers, body } = own.sandbox.customerAccounts.tokenCalls().at(-1) ?? {};
    return { authorization: headers?.authorization, fields: body as Record<string, string> };
  };
  /** The provider announces these methods, at a domain whose metadata is not cached. */
  async function announce(methods: OidcSettings["clientAuthMethods"]) {
    own.sandbox.customerAccounts.settings.clientAuthMethods = methods;
    const host = `www-${(count += 1)}.example`;
    await own.sandbox.storefront.movePrimaryDomain(SHOP, host);
    await changeTenantRecord(own.ctx, SHOP, { connection: { primary_host: host } });
  }

  it.each([
    ["client_secret_basic", ["client_secret_basic"]],
    ["client_secret_basic", ["client_secret_post", "client_secret_basic"]],
    ["client_secret_basic", null],
    ["client_secret_post", ["client_secret_post"]],
  ] as const)(
    "is authenticated by %s where the provider announces %j",
    async (method, announced) => {
      await announce(announced ? [...announced] : null);
      expect(errorOf(await signInAs(own, "storefront", person))).toBeNull();
      const { authorization, fields } = lastCall();
      expect(fields).toMatchObject({
        client_id: own.sandbox.customerAccounts.clientId,
        code_verifier: expect.any(String),
      });
      if (method === "client_secret_post") {
        expect(authorization).toBeUndefined();
        expect(fields.client_secret).toBe(SECRET);
      } else {
        expect(fields).not.toHaveProperty("client_secret");
        const credentials = Buffer.from(authorization?.split(" ")[1] ?? "", "base64").toString(
          "utf8",
        );
        expect(credentials).toBe(
          `${own.sandbox.customerAccounts.clientId}:confidential%3A+100%25+%2B%2F%C3%B1-0123456789`,
        );
      }
    },
  );

  it("is not sent to a provider that accepts no secret, and nothing is written", async () => {
    const calls = own.sandbox.customerAccounts.tokenCalls().length;
    await announce([]);
    await expectRefused(own, "provider_unavailable", () => signInAs(own, "storefront", person));
    expect(own.sandbox.customerAccounts.tokenCalls()).toHaveLength(calls);
    expect(JSON.stringify(own.logged)).toContain("the client is a public one, remove its secret");
  });

  it("fails the sign-in without the secret or with a wrong one", async () => {
    for (const secret of [null, "another-secret-0123456789"]) {
      await saveSecret(secret);
      await announce(["client_secret_basic"]);
      await expectRefused(own, "invalid_token", () => signInAs(own, "storefront", person));
    }
  });

  it("of one store is not used in another store, whose client is the app", async () => {
    await own.addTenant(OTHER_SHOP);
    const { authorize } = await begin(own, "storefront", { shop: OTHER_SHOP });
    expect(authorize.searchParams.get("client_id")).toBe(CLIENT_ID);
  });
});

it("a wrong federated client secret fails the sign-in", async () => {
  const shop = "wrong-secret.myshopify.com";
  await service.addTenant(shop, { federated_client_secret: "another-secret-0123456789" });
  await expectRefused(service, "invalid_token", () =>
    signInAs(service, "federated", putPerson(service, "federated", "grace@example.com"), { shop }),
  );
});
