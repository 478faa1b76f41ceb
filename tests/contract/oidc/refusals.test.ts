// Rejected callbacks: each redirects to the store with an error code, starts no session, and writes
// nothing.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  answerOf,
  approve,
  begin,
  followCallback,
  errorOf,
  everythingStored,
  expectRefused,
  providerSandbox,
  PROVIDERS,
  putPerson,
  type ProviderName,
} from "../../support/browser/sign-in-journey.ts";
import { OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";

let service: Service;
let count = 0;
/** A subject without an account, so that any write for it would show. */
let sub: string;
beforeAll(async () => {
  service = await startService();
  await service.addTenant(SHOP);
  await service.addTenant(OTHER_SHOP, { auth_redirect_origin: "https://other.example" });
});
afterAll(() => service.stop());

const other: Record<ProviderName, ProviderName> = {
  federated: "storefront",
  storefront: "federated",
};
const callbackOf = (provider: ProviderName, query: Record<string, string>) =>
  new URL(`${service.url}/auth/${provider}/callback?${new URLSearchParams(query)}`);

describe.each(PROVIDERS)("a %s sign-in", (provider) => {
  beforeEach(() => {
    sub = putPerson(service, provider, `nobody-${(count += 1)}@example.com`);
  });

  it("is rejected when the person cancels", async () => {
    const journey = await begin(service, provider);
    await expectRefused(service, "access_denied", async () =>
      followCallback(service, await answerOf(journey, { decision: "cancel" }), journey.cookie),
    );
  });

  it("is rejected when the provider reports a server error, distinct from a cancellation", async () => {
    for (const errorCode of ["server_error", "temporarily_unavailable"]) {
      const journey = await begin(service, provider);
      await expectRefused(service, "provider_unavailable", () =>
        followCallback(
          service,
          callbackOf(provider, { state: journey.state, error: errorCode }),
          journey.cookie,
        ),
      );
    }
  });

  it("is rejected when its state is used a second time, also after a cancellation", async () => {
    const journey = await begin(service, provider);
    const callback = await approve(journey, sub);
    expect(errorOf(await followCallback(service, callback, journey.cookie))).toBeNull();
    await expectRefused(service, "invalid_state", () =>
      followCallback(service, callback, journey.cookie),
    );
    const cancelled = await begin(service, provider);
    await followCallback(
      service,
      await answerOf(cancelled, { decision: "cancel" }),
      cancelled.cookie,
    );
    await expectRefused(service, "invalid_state", async () =>
      followCallback(service, await approve(cancelled, sub), cancelled.cookie),
    );
    // In another browser nothing says which store it started from.
    await expectUnknown(callback, null);
  });

  it("is rejected when two callbacks use one state concurrently: one signs in, the other does not", async () => {
    const journey = await begin(service, provider);
    const callback = await approve(journey, sub);
    const answers = await Promise.all(
      [1, 2, 3].map(() => followCallback(service, callback, journey.cookie)),
    );
    expect(answers.filter((answer) => errorOf(answer) === "invalid_state")).toHaveLength(2);
    expect(answers.filter(({ headers }) => headers.get("set-cookie"))).toHaveLength(1);
  });

  it("is rejected when the person returns after 10 minutes", async () => {
    const journey = await begin(service, provider);
    const callback = await approve(journey, sub);
    await service.database.query("UPDATE kv SET expires_at = clock_timestamp() WHERE key = $1", [
      `oauth_state:${journey.state}`,
    ]);
    await expectRefused(service, "invalid_state", () =>
      followCallback(service, callback, journey.cookie),
    );
  });

  it("is rejected when the code verifier expires before the state", async () => {
    const journey = await begin(service, provider);
    const callback = await approve(journey, sub);
    await service.database.query("UPDATE kv SET expires_at = clock_timestamp() WHERE key = $1", [
      `pkce:${journey.state}`,
    ]);
    await expectRefused(service, "invalid_state", () =>
      followCallback(service, callback, journey.cookie),
    );
  });

  it("is rejected when it returns in another browser, as in a login CSRF attack", async () => {
    const stranger = await begin(service, provider);
    const victim = await begin(service, provider);
    const calls = providerSandbox(service, provider).tokenCalls().length;
    await expectRefused(service, "invalid_state", async () =>
      followCallback(service, await approve(stranger, sub), victim.cookie),
    );
    expect(providerSandbox(service, provider).tokenCalls()).toHaveLength(calls);
  });

  it.each([
    ["no cookie", null],
    ["an empty cookie", "__Host-crm_signin="],
    ["a cookie of another name", "crm_session=x"],
    ["a malformed cookie", "__Host-crm_signin"],
  ])("is rejected when it returns with %s", async (_case, cookie) => {
    const journey = await begin(service, provider);
    await expectRefused(service, "invalid_state", async () =>
      followCallback(service, await approve(journey, sub), cookie),
    );
  });

  it("is rejected when it returns to the other flow's callback", async () => {
    const journey = await begin(service, provider);
    const callback = await approve(journey, sub);
    await expectRefused(service, "invalid_state", () =>
      followCallback(
        service,
        callbackOf(other[provider], Object.fromEntries(callback.searchParams)),
        journey.cookie,
      ),
    );
  });

  it("is rejected when it has the code of a sign-in at another tenant", async () => {
    const here = await begin(service, provider);
    const elsewhere = await begin(service, provider, { shop: OTHER_SHOP }, here.cookie);
    const code = (await approve(here, sub)).searchParams.get("code") as string;
    const issuer =
      provider === "federated"
        ? service.sandbox.addresses.federatedIssuer
        : service.sandbox.customerAccounts.issuer(OTHER_SHOP);
    await expectRefused(
      service,
      "invalid_token",
      () =>
        followCallback(
          service,
          callbackOf(provider, { code, state: elsewhere.state, iss: issuer }),
          here.cookie,
        ),
      "https://other.example",
    );
  });

  it("is rejected when it has the code of another sign-in of the same browser", async () => {
    const first = await begin(service, provider);
    const second = await begin(service, provider, {}, first.cookie);
    const callback = await approve(first, sub);
    callback.searchParams.set("state", second.state);
    await expectRefused(service, "invalid_token", () =>
      followCallback(service, callback, first.cookie),
    );
  });

  it("is rejected when it has no code, a wrong one or an expired one", async () => {
    const none = await begin(service, provider);
    const issuer = (await approve(none, sub)).searchParams.get("iss") as string;
    await expectRefused(service, "invalid_state", () =>
      followCallback(
        service,
        callbackOf(provider, { state: none.state, iss: issuer }),
        none.cookie,
      ),
    );
    const wrong = await begin(service, provider);
    await expectRefused(service, "invalid_token", () =>
      followCallback(
        service,
        callbackOf(provider, { state: wrong.state, iss: issuer, code: "another-code" }),
        wrong.cookie,
      ),
    );
    const old = await begin(service, provider);
    const callback = await approve(old, sub);
    providerSandbox(service, provider).expireCodes();
    await expectRefused(service, "invalid_token", () =>
      followCallback(service, callback, old.cookie),
    );
  });

  it.each(["wrong_iss", "no_iss"] as const)(
    "is rejected when the response comes from another issuer (RFC 9207: %s), before the code is exchanged",
    async (flaw) => {
      const journey = await begin(service, provider);
      providerSandbox(service, provider).next({ callback: flaw });
      const calls = providerSandbox(service, provider).tokenCalls().length;
      await expectRefused(service, "invalid_token", async () =>
        followCallback(service, await approve(journey, sub), journey.cookie),
      );
      expect(providerSandbox(service, provider).tokenCalls()).toHaveLength(calls);
    },
  );

  it.each([
    "",
    "unknown",
    "00000000-0000-4000-8000-000000000000",
    "https://evil.example",
    "../../tenant:test-store.myshopify.com",
    "x".repeat(5_000),
    "%F0%9F%92%A9",
  ])("answers an error page instead of a redirect when the state %j is unknown", async (state) => {
    const answers: Record<string, string>[] = [
      { code: "code" },
      { error: "access_denied", error_description: "<script>alert(1)</script>" },
      {
        code: "code",
        iss: "https://evil.example",
        shop: OTHER_SHOP,
        return_to: "https://evil.example",
      },
    ];
    for (const rest of answers) await expectUnknown(callbackOf(provider, { state, ...rest }), null);
    await expectUnknown(callbackOf(provider, { code: "code" }), null);
  });
});

it("a federated sign-in is rejected when the store removed its client meanwhile", async () => {
  const shop = "leaving.myshopify.com";
  await service.addTenant(shop);
  const person = putPerson(service, "federated", "leaver@example.com", { shop });
  const journey = await begin(service, "federated", { shop });
  await service.addTenant(shop, { federated_client_id: null });
  await expectRefused(service, "invalid_token", async () =>
    followCallback(service, await approve(journey, person), journey.cookie),
  );
});

it("a federated sign-in is rejected when the store changed its provider meanwhile: the new one never gets the code", async () => {
  const shop = "changing.myshopify.com";
  await service.addTenant(shop);
  const person = putPerson(service, "federated", "changer@example.com", { shop });
  const journey = await begin(service, "federated", { shop });
  const callback = await approve(journey, person);
  // Like that of a provider that does not know RFC 9207.
  callback.searchParams.delete("iss");
  const asked: string[] = [];
  const provider = createServer((request, response) => {
    asked.push(request.url ?? "");
    const at = (path: string) => `http://${request.headers.host}${path}`;
    response.end(
      JSON.stringify({
        issuer: at(""),
        authorization_endpoint: at("/authorize"),
        token_endpoint: at("/token"),
        jwks_uri: at("/keys"),
      }),
    );
  });
  try {
    await new Promise<void>((ready) => provider.listen(0, "127.0.0.1", ready));
    const { port } = provider.address() as AddressInfo;
    await service.addTenant(shop, { federated_issuer: `http://127.0.0.1:${port}` });
    await expectRefused(service, "invalid_token", () =>
      followCallback(service, callback, journey.cookie),
    );
    expect(asked).toEqual([]);
  } finally {
    provider.closeAllConnections();
    await new Promise((closed) => provider.close(closed));
  }
});

it("a rejected sign-in redirects to the deployed return origin, or the deployed store's, when nothing else names the store", async () => {
  const own = await startService({ env: { AUTH_REDIRECT_ORIGIN: "https://deployed.example" } });
  const store = await startService({ env: { STOREFRONT_STORE_DOMAIN: SHOP } });
  try {
    await store.addTenant(SHOP, { auth_redirect_origin: "https://store.example" });
    const lost = (at: Service) =>
      followCallback(
        at,
        new URL(`${at.url}/auth/federated/callback?code=code&state=unknown`),
        null,
      );
    expect((await lost(own)).headers.get("location")).toBe(
      "https://deployed.example/?error=invalid_state",
    );
    expect((await lost(store)).headers.get("location")).toBe(
      "https://store.example/?error=invalid_state",
    );
  } finally {
    await own.stop();
    await store.stop();
  }
});

/** Such a callback names no known store, so it ends on an error page without a redirect. */
async function expectUnknown(callback: URL, cookie: string | null): Promise<void> {
  const before = await everythingStored(service);
  const answer = await followCallback(service, callback, cookie);
  expect(answer.status).toBe(400);
  expect(answer.headers.get("content-type")).toMatch(/^text\/html/);
  expect(answer.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
  expect(answer.headers.get("location")).toBeNull();
  expect(answer.headers.get("set-cookie")).toBeNull();
  expect(answer.text).not.toMatch(/<script|evil\.example/);
  expect(await everythingStored(service)).toEqual(before);
}
