// Both sign-ins against a certified provider that is not our sandbox: an independent implementation
// of the standards accepts our requests, and we accept its responses.
import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  begin,
  followCallback,
  expectRefused,
  PROVIDERS,
  sessionOf,
  signedInUser,
  type Journey,
  type ProviderName,
} from "../support/browser/sign-in-journey.ts";
import { startPeer, subjectOf, type Peer } from "../support/oidc-peer.ts";
import { RETURN_ORIGIN, SHOP, startService, type Service } from "../support/service.ts";

const SECRET = "peer-client-secret-0123456789";
let service: Service;
let peers: Record<ProviderName, Peer>;
const issuers = {} as Record<ProviderName, string>;

beforeAll(async () => {
  peers = { federated: await startPeer(), storefront: await startPeer() };
  service = await startService({
    env: {
      FEDERATED_ISSUER: peers.federated.url,
      STOREFRONT_URL_TEMPLATE: `${peers.storefront.url}/{shop}`,
    },
  });
  issuers.federated = peers.federated.play("", {
    id: "peer-federated",
    secret: SECRET,
    redirectUri: `${service.url}/auth/federated/callback`,
  });
  issuers.storefront = peers.storefront.play(`/${service.sandbox.storefront.primaryHost(SHOP)}`, {
    id: "peer-storefront",
    redirectUri: `${service.url}/auth/storefront/callback`,
  });
  await service.addTenant(SHOP, {
    federated_client_id: "peer-federated",
    federated_client_secret: SECRET,
    storefront_customer_account_client_id: "peer-storefront",
  });
});
afterAll(async () => {
  await service?.stop();
  await Promise.all(Object.values(peers).map((peer) => peer.stop()));
});

/** Follows the provider's own redirects with its own cookies until they lead back to us. */
async function passThrough(journey: Journey, loginHint: string): Promise<URL> {
  const jar = new Map<string, string>();
  let next = new URL(`${journey.authorize.href}&login_hint=${encodeURIComponent(loginHint)}`);
  for (let hops = 0; hops < 8; hops += 1) {
    const response = await fetch(next, {
      redirect: "manual",
      headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join("; ") },
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value) jar.set(name, value);
      else jar.delete(name);
    }
    const location = response.headers.get("location");
    if (!location)
      throw new Error(`the provider stopped with ${response.status}: ${await response.text()}`);
    next = new URL(location, next);
    if (next.origin === service.url) return next;
  }
  throw new Error("the provider never led back");
}

const signIn = async (
  provider: ProviderName,
  email: string,
  query: Record<string, string> = {},
) => {
  const journey = await begin(service, provider, query);
  return followCallback(service, await passThrough(journey, email), journey.cookie);
};

describe.each(PROVIDERS)("a %s sign-in at the certified provider", (provider) => {
  const email = `a-${provider}@peer.example`;

  it("ends signed in at the store, as the person the provider names", async () => {
    const answer = await signIn(provider, email, { return_to: "/account" });
    expect({
      location: answer.headers.get("location"),
      complaints: peers[provider].complaints,
    }).toEqual({ location: `${RETURN_ORIGIN}/account`, complaints: [] });
    expect(await signedInUser(service, answer)).toMatchObject({
      email,
      email_verified: true,
      provider,
      storefront_customer_gid:
        provider === "storefront" ? `gid://shopify/Customer/${subjectOf(email)}` : null,
    });
    const [link] = await service.database.query(
      "SELECT issuer, sub FROM identity_links WHERE provider = $1",
      [provider],
    );
    expect(link).toEqual({ issuer: issuers[provider], sub: subjectOf(email) });
    expect(
      (
        await service.call("GET", `/auth/me?shop=${SHOP}`, {
          key: sessionOf(await signIn(provider, email)),
        })
      ).json.user.email,
    ).toBe(email);
    expect(
      await service.database.query("SELECT 1 FROM identity_links WHERE provider = $1", [provider]),
    ).toHaveLength(1);
  });

  it("returns a session code that opens the session", async () => {
    const verifier = "what-only-the-tab-that-began-knows-0123456789";
    const answer = await signIn(provider, email, {
      handoff: "fragment",
      handoff_challenge: createHash("sha256").update(verifier).digest("base64url"),
    });
    const code = new URL(answer.headers.get("location") as string).hash.replace(
      "#session_code=",
      "",
    );
    expect(
      await service.call("POST", `/auth/session?shop=${SHOP}`, {
        body: { code, handoff_verifier: verifier },
        key: null,
      }),
    ).toMatchObject({ status: 200, json: { user: { email } } });
  });

  it("is rejected when the person cancels there", () =>
    expectRefused(service, "access_denied", () => signIn(provider, "cancel")));

  it("is rejected in another browser, without exchanging the code", async () => {
    const [stranger, victim] = [await begin(service, provider), await begin(service, provider)];
    const callback = await passThrough(stranger, "b-stranger@peer.example");
    await expectRefused(service, "invalid_state", () =>
      followCallback(service, callback, victim.cookie),
    );
  });

  it("is rejected by the provider when the verifier does not match the challenge", async () => {
    const journey = await begin(service, provider);
    const callback = await passThrough(journey, "c-person@peer.example");
    await service.database.query("UPDATE kv SET value = to_jsonb($2::text) WHERE key = $1", [
      `pkce:${journey.state}`,
      "v".repeat(43),
    ]);
    await expectRefused(service, "invalid_token", () =>
      followCallback(service, callback, journey.cookie),
    );
    expect(peers[provider].complaints.pop()).toMatch(/^grant\.error: invalid_grant/);
  });

  it("is rejected when the response names another issuer", async () => {
    const journey = await begin(service, provider);
    const callback = await passThrough(journey, "d-person@peer.example");
    callback.searchParams.set(
      "iss",
      issuers[provider === "federated" ? "storefront" : "federated"],
    );
    await expectRefused(service, "invalid_token", () =>
      followCallback(service, callback, journey.cookie),
    );
  });
});

it("fails when the provider rejects our client secret", async () => {
  await service.addTenant(SHOP, {
    federated_client_id: "peer-federated",
    federated_client_secret: "another-secret-0123456789",
    storefront_customer_account_client_id: "peer-storefront",
  });
  await expectRefused(service, "invalid_token", () => signIn("federated", "e-person@peer.example"));
});
