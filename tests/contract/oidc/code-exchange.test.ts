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
import { SHOP, startService, type Service } from "../../support/service.ts";

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
      ...(provider === "federated" && { client_secret: service.sandbox.federated.clientSecret }),
    });
    expect(hash("sha256", fields.code_verifier as string, "base64url")).toBe(
      journey.authorize.searchParams.get("code_challenge"),
    );
    // The storefront requires an Origin from a public client; a general provider takes a call with
    // one for a browser's and rejects it.
    expect(headers.origin).toBe(provider === "storefront" ? service.url : undefined);
    expect(headers["user-agent"]).toBeTruthy();
    expect(headers.authorization).toBeUndefined();
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

it("a storefront client with a secret is confidential: the secret is sent, and without it the sign-in fails", async () => {
  const own = await startService();
  try {
    own.sandbox.customerAccounts.settings.clientSecret = "confidential-secret-0123456789";
    await own.addTenant(SHOP, {
      storefront_customer_account_client_secret: "confidential-secret-0123456789",
    });
    const sub = putPerson(own, "storefront", "grace@example.com");
    expect(errorOf(await signInAs(own, "storefront", sub))).toBeNull();
    expect(own.sandbox.customerAccounts.tokenCalls().at(-1)?.body).toMatchObject({
      client_secret: "confidential-secret-0123456789",
      code_verifier: expect.any(String),
    });
    await own.addTenant(SHOP, { storefront_customer_account_client_secret: null });
    await expectRefused(own, "invalid_token", () => signInAs(own, "storefront", sub));
  } finally {
    await own.stop();
  }
});

it("a wrong federated client secret fails the sign-in", async () => {
  const shop = "wrong-secret.myshopify.com";
  await service.addTenant(shop, { federated_client_secret: "another-secret-0123456789" });
  await expectRefused(service, "invalid_token", () =>
    signInAs(service, "federated", putPerson(service, "federated", "grace@example.com"), { shop }),
  );
});
