// The start of a sign-in: the authorization request, the stored state, and the result when the provider
// cannot be reached.
import { hash } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  begin,
  everythingStored,
  providerSandbox,
  PROVIDERS,
  type ProviderName,
} from "../../support/browser/sign-in-journey.ts";
import {
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
beforeEach(() => {
  service.sandbox.federated.clearFlaws();
  service.sandbox.customerAccounts.clearFlaws();
  service.sandbox.clearFaults();
});

const SCOPES = {
  federated: "openid email profile",
  storefront: "openid email customer-account-api:full",
};
const kept = async (key: string) =>
  (
    await service.database.query(
      `SELECT shop, value, extract(epoch FROM expires_at - clock_timestamp())::float8 AS seconds
        FROM kv WHERE key = $1`,
      [key],
    )
  )[0];

describe.each(PROVIDERS)("a %s sign-in starts", (provider) => {
  it("at the discovered authorization endpoint with exactly the contract's parameters", async () => {
    const { authorize, state } = await begin(service, provider);
    const discovered =
      provider === "federated"
        ? service.sandbox.addresses.federatedIssuer
        : service.sandbox.customerAccounts.issuer(SHOP);
    expect(authorize.origin + authorize.pathname).toBe(
      `${discovered}${provider === "federated" ? "" : "/oauth"}/authorize`,
    );
    const verifier = (await kept(`pkce:${state}`)).value as string;
    const { nonce } = (await kept(`oauth_state:${state}`)).value;
    expect(Object.fromEntries(authorize.searchParams)).toEqual({
      client_id: providerSandbox(service, provider).clientId,
      response_type: "code",
      scope: SCOPES[provider],
      redirect_uri: `${service.url}/auth/${provider}/callback`,
      state,
      nonce,
      code_challenge: hash("sha256", verifier, "base64url"),
      code_challenge_method: "S256",
    });
    expect(verifier).toMatch(/^[\w-]{43,128}$/);
    expect(nonce).toMatch(/^[\w-]{32}$/);
  });

  it("with a state that is a UUID, is valid for 10 minutes, and names the tenant", async () => {
    const { state } = await begin(service, provider);
    expect(state).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const stored = await kept(`oauth_state:${state}`);
    expect(stored.value).toMatchObject({ kind: provider, shop: SHOP });
    expect(stored.seconds).toBeGreaterThan(590);
    expect(stored.seconds).toBeLessThanOrEqual(600);
  });

  // The storefront's verifier expires after 5 minutes, as the contract says; the federated flow's
  // with its state after 10.
  it("with a code verifier that has this flow's lifetime", async () => {
    const { state } = await begin(service, provider);
    const lifetime = provider === "storefront" ? 300 : 600;
    const { seconds } = await kept(`pkce:${state}`);
    expect(seconds).toBeGreaterThan(lifetime - 10);
    expect(seconds).toBeLessThanOrEqual(lifetime);
  });

  it("with a new state, nonce and verifier each time, and one cookie for all tabs", async () => {
    const first = await begin(service, provider);
    const second = await begin(service, provider, {}, first.cookie);
    for (const name of ["state", "nonce", "code_challenge"])
      expect(second.authorize.searchParams.get(name)).not.toBe(
        first.authorize.searchParams.get(name),
      );
    expect(second.cookie).toBe(first.cookie);
  });

  it("with a new cookie when the present one is not ours", async () => {
    expect(
      (await begin(service, provider, {}, "__Host-crm_signin=chosen-by-somebody")).cookie,
    ).toMatch(/^__Host-crm_signin=[\w-]{43}\.test-store\.myshopify\.com$/);
  });

  it("not for an unknown store", async () => {
    const answer = await service.call("GET", `/auth/${provider}/login?shop=nobody.myshopify.com`, {
      key: null,
    });
    expect(answer).toMatchObject({ status: 404, json: { code: "unknown_tenant" } });
  });
});

it("a federated sign-in does not start while the store has not configured it", async () => {
  const shop = "bare-federated.myshopify.com";
  await service.addTenant(shop, { federated_client_id: null });
  await expectNoJourney(service, "federated", shop, "not_configured");
});

it("the sign-in cookie is bound to the host, to https and to top-level navigation", async () => {
  const own = await startService();
  try {
    await own.addTenant(SHOP);
    const begun = () => own.call("GET", `/auth/federated/login?shop=${SHOP}`, { key: null });
    // Also on a loopback address.
    const BOUND =
      /^__Host-crm_signin=[\w-]{43}\.test-store\.myshopify\.com; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600; Secure$/;
    expect((await begun()).headers.get("set-cookie")).toMatch(BOUND);
    own.ctx.baseUrl = "https://id.example";
    const answer = await begun();
    expect(answer.headers.get("set-cookie")).toMatch(BOUND);
    expect(new URL(answer.headers.get("location") as string).searchParams.get("redirect_uri")).toBe(
      "https://id.example/auth/federated/callback",
    );
  } finally {
    await own.stop();
  }
});

async function expectNoJourney(
  at: Service,
  provider: ProviderName,
  shop: string,
  error: string,
): Promise<void> {
  const before = await everythingStored(at);
  const states = () =>
    at.database.query("SELECT key FROM kv WHERE key ~ '^(oauth_state|pkce):' ORDER BY key");
  const statesBefore = await states();
  const answer = await at.call("GET", `/auth/${provider}/login?shop=${shop}&return_to=/account`, {
    key: null,
  });
  expect(answer.status).toBe(302);
  expect(answer.headers.get("location")).toBe(`${RETURN_ORIGIN}/account?error=${error}`);
  expect(answer.headers.get("set-cookie")).toBeNull();
  expect(await everythingStored(at)).toEqual(before);
  expect(await states()).toEqual(statesBefore);
}

describe.each(PROVIDERS)("when the %s provider's discovery fails", (provider) => {
  /** A shop whose provider's metadata is not cached yet. */
  async function atNewProvider(
    check: (own: Service, shop: string) => Promise<void>,
  ): Promise<void> {
    const own = provider === "federated" ? await startService() : service;
    const shop = provider === "federated" ? OTHER_SHOP : `store-${(count += 1)}.myshopify.com`;
    try {
      await own.addTenant(shop);
      await check(own, shop);
    } finally {
      if (own !== service) await own.stop();
    }
  }

  it.each([
    ["answers 500", 500],
    ["is not there", 404],
    ["answers garbage", "garbage"],
  ] as const)(
    "because it %s, the person is redirected back and nothing is stored; the next attempt works",
    (_case, discovery) =>
      atNewProvider(async (own, shop) => {
        providerSandbox(own, provider).next({ discovery });
        await expectNoJourney(own, provider, shop, "provider_unavailable");
        expect((await begin(own, provider, { shop })).state).not.toBe("");
      }),
  );

  it("because it resets the connection, the person is redirected back and nothing is stored", () =>
    atNewProvider(async (own, shop) => {
      own.sandbox.failNext(provider === "federated" ? "federated" : "customerAccounts", {
        reset: true,
      });
      await expectNoJourney(own, provider, shop, "provider_unavailable");
    }));
});

it("metadata of another issuer than the configured one is rejected and not cached", async () => {
  const own = await startService();
  try {
    await own.addTenant(SHOP);
    own.sandbox.federated.next({ discovery: "issuer_mismatch" });
    await expectNoJourney(own, "federated", SHOP, "provider_unavailable");
    expect((await begin(own, "federated")).state).not.toBe("");
  } finally {
    await own.stop();
  }
});

it("an issuer that a tenant configured on a private address is not called unless the operator allows it", async () => {
  const own = await startService({ env: { OUTBOUND_ALLOW: "" } });
  try {
    const { federatedIssuer } = own.sandbox.addresses;
    const refused = await own.call("POST", `/config?shop=${SHOP}`, {
      body: { federated_issuer: federatedIssuer },
    });
    expect(refused).toMatchObject({
      status: 400,
      json: { fields: { federated_issuer: expect.any(String) } },
    });
    await own.addTenant(SHOP, { profile_platform_url: null });
    // Like a name that resolves to a private address later: the settings are valid, the address is not.
    expect((await begin(own, "federated")).state).not.toBe("");
    await own.database.query(
      `UPDATE kv SET value = value || jsonb_build_object('federated_issuer', $2::text),
        version = version + 1 WHERE key = $1`,
      [`tenant:${SHOP}`, federatedIssuer],
    );
    const fetches = own.sandbox.federated.discoveryFetches();
    await expectNoJourney(own, "federated", SHOP, "provider_unavailable");
    expect(own.sandbox.federated.discoveryFetches()).toBe(fetches);
  } finally {
    await own.stop();
  }
});

it("an issuer that a tenant configured is used by that tenant only", async () => {
  const issuer = service.sandbox.addresses.federatedIssuer;
  const shop = "own-issuer.myshopify.com";
  await service.addTenant(shop, {
    federated_issuer: issuer,
    federated_client_id: "another-client",
  });
  const { authorize } = await begin(service, "federated", { shop });
  expect(authorize.searchParams.get("client_id")).toBe("another-client");
  expect((await begin(service, "federated")).authorize.searchParams.get("client_id")).toBe(
    service.sandbox.federated.clientId,
  );
});
