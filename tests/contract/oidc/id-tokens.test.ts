// An ID token is accepted only when all of it is valid: signature, issuer, audience, times, nonce.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { ID_TOKEN_FLAWS, type IdTokenFlaw } from "../../../app/sandbox/oidc/id-token.ts";
import {
  approve,
  begin,
  followCallback,
  errorOf,
  expectRefused,
  providerSandbox,
  PROVIDERS,
  putPerson,
  signedInUser,
  signInAs,
} from "../../support/browser/sign-in-journey.ts";
import { SHOP, startService, type Service } from "../../support/service.ts";

/**
 * The result of each invalid token; the last test fails for a sandbox flaw that is in neither list.
 */
const REFUSED: Partial<Record<IdTokenFlaw, "invalid_token" | "provider_unavailable">> = {
  unsigned: "invalid_token",
  hs256_public_key: "invalid_token",
  hs256_client_secret: "invalid_token",
  unknown_kid: "invalid_token",
  foreign_key: "invalid_token",
  wrong_audience: "invalid_token",
  several_audiences: "invalid_token",
  wrong_issuer: "invalid_token",
  expired: "invalid_token",
  no_expiry: "invalid_token",
  issued_in_future: "invalid_token",
  no_issued_at: "invalid_token",
  no_nonce: "invalid_token",
  other_nonce: "invalid_token",
  no_subject: "invalid_token",
  replay: "invalid_token",
  malformed: "invalid_token",
  // These responses have no token, or one truncated at the size limit.
  absent: "provider_unavailable",
  huge: "provider_unavailable",
};
/** Valid tokens with unusual address claims, used by the linking tests. */
const SOUND: IdTokenFlaw[] = [
  "no_email",
  "other_email",
  "email_unverified",
  "email_verified_absent",
  "email_verified_text",
];

let service: Service;
let count = 0;
beforeAll(async () => {
  service = await startService();
  await service.addTenant(SHOP);
});
afterAll(() => service.stop());
afterEach(() => vi.useRealTimers());

it("every invalid token that the sandbox can make is tested", () => {
  expect([...Object.keys(REFUSED), ...SOUND].sort()).toEqual([...ID_TOKEN_FLAWS].sort());
});

describe.each(PROVIDERS)("a %s sign-in", (provider) => {
  let sub: string;
  beforeEach(() => {
    sub = putPerson(service, provider, `nobody-${(count += 1)}@example.com`);
  });

  it.each(Object.entries(REFUSED))("with a token that is %s ends in %s", async (idToken, error) => {
    // After a first sign-in there is a token to replay, and the provider's keys are cached.
    expect(
      errorOf(
        await signInAs(service, provider, putPerson(service, provider, "somebody@example.com")),
      ),
    ).toBeNull();
    providerSandbox(service, provider).next({ idToken: idToken as IdTokenFlaw });
    await expectRefused(service, error, () => signInAs(service, provider, sub));
  });

  it.each([
    ["an azp of somebody else", () => ({ azp: "another-client" })],
    [
      "several audiences and an azp of somebody else",
      () => ({
        aud: [providerSandbox(service, provider).clientId, "another-client"],
        azp: "another-client",
      }),
    ],
    [
      "an audience that only begins like ours",
      () => ({ aud: `${providerSandbox(service, provider).clientId}.evil` }),
    ],
    ["an empty subject", () => ({ sub: "" })],
    ["a subject that is a number", () => ({ sub: 12345 })],
    ["a subject with a NUL", () => ({ sub: "a\0b" })],
    ["a subject with a line break", () => ({ sub: "a\nb" })],
    ["a subject that is half a character", () => ({ sub: "a\ud800" })],
    ["an address with a NUL", () => ({ email: "a\0@example.com" })],
    ["an address with half a character", () => ({ email: "a\udc00@example.com" })],
    ["an expiry that is text", () => ({ exp: "9999999999" })],
    ["an issue date of yesterday", () => ({ iat: Math.floor(Date.now() / 1_000) - 86_400 })],
    ["an azp that is a number", () => ({ azp: 12345 })],
    ["an azp in a list", () => ({ azp: [providerSandbox(service, provider).clientId] })],
    ["no audience", () => ({ aud: null })],
    ["a subject that is null", () => ({ sub: null })],
    ["a nonce that is null", () => ({ nonce: null })],
    ["an address that is a number", () => ({ email: 12345 })],
    ["a nonce in a list", () => ({ nonce: ["a"] })],
    ["an issuer in a list", () => ({ iss: [service.sandbox.addresses.federatedIssuer] })],
    ["a start in the future", () => ({ nbf: Math.floor(Date.now() / 1_000) + 3_600 })],
  ])("with %s is rejected", async (_case, claims) => {
    providerSandbox(service, provider).next({ claims: claims() });
    await expectRefused(service, "invalid_token", () => signInAs(service, provider, sub));
  });

  it.each([
    ["a name that is null", { name: null }],
    ["a name that is an object", { name: { first: "Ada" } }],
    ["a picture that is null", { picture: null }],
    ["a picture that is a number", { picture: 12345 }],
    ["a picture in the token itself", { picture: `data:image/png;base64,${"A".repeat(24_000)}` }],
    ["a picture with half a character", { picture: "https://example.com/\ud800.png" }],
    ["an azp that is null", { azp: null }],
  ])("with %s is accepted as without it", async (_case, claims) => {
    providerSandbox(service, provider).next({ claims });
    const found = await signedInUser(service, await signInAs(service, provider, sub));
    expect(found).toMatchObject({ email_verified: true, avatar_url: null });
    // The storefront's tokens have no name.
    const hasName = provider === "federated" && !("name" in claims);
    expect(found.full_name).toBe(hasName ? "Grace Hopper" : null);
  });

  it.each([
    ["an address", { email: null }],
    ["a proof of the address", { email_verified: null }],
  ])("with null for %s is accepted as without it", async (_case, claims) => {
    providerSandbox(service, provider).next({ claims });
    const found = await signedInUser(service, await signInAs(service, provider, sub));
    expect(found).toMatchObject({ email_verified: false });
  });

  it.each([
    ["a word", "nope"],
    ["half an address", "@x"],
    ["an address with a space", "a b@x.example"],
    ["two addresses", "a@x.example,evil@z.example"],
    ["spaces", "  "],
    ["321 characters", `${"a".repeat(311)}@x.example`],
  ])("with %s as its verified address has none", async (_case, address) => {
    providerSandbox(service, provider).next({ claims: { email: address } });
    const found = await signedInUser(service, await signInAs(service, provider, sub));
    expect(found).toMatchObject({
      // The storefront names the address of its customer also where the token has none.
      email: provider === "storefront" ? `nobody-${count}@example.com` : null,
      email_verified: false,
    });
  });

  it("with a long name has its first 400 characters, none of them cut in half", async () => {
    providerSandbox(service, provider).next({ claims: { name: `a${"😀".repeat(500)}` } });
    const found = await signedInUser(service, await signInAs(service, provider, sub));
    expect(found.full_name).toBe(`a${"😀".repeat(399)}`);
  });

  it("with half a character in the name is accepted", async () => {
    providerSandbox(service, provider).next({ claims: { name: "Ada \ud800" } });
    expect(errorOf(await signInAs(service, provider, sub))).toBeNull();
  });

  it("with a NUL in name or picture is accepted", async () => {
    const claims = { name: "A\0da", picture: "https://example.com/a\0.png" };
    providerSandbox(service, provider).next({ claims });
    expect(errorOf(await signInAs(service, provider, sub))).toBeNull();
  });

  it("with several audiences and our own azp, or 30 seconds of clock skew, is accepted", async () => {
    const { clientId } = providerSandbox(service, provider);
    const seconds = Math.floor(Date.now() / 1_000);
    for (const claims of [
      { aud: [clientId, "another-client"], azp: clientId },
      { aud: [clientId] },
      { iat: seconds + 20 },
      { exp: seconds - 20 },
    ]) {
      providerSandbox(service, provider).next({ claims });
      expect(errorOf(await signInAs(service, provider, sub))).toBeNull();
    }
  });
});

describe.each(PROVIDERS)("the keys of the %s provider", (provider) => {
  let own: Service;
  let sub: string;
  const provided = () => providerSandbox(own, provider);
  const attempt = async () => errorOf(await signInAs(own, provider, sub));
  const later = (seconds: number) =>
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + seconds * 1_000 });
  beforeEach(async () => {
    own = await startService();
    await own.addTenant(SHOP);
    sub = putPerson(own, provider, "grace@example.com");
  });
  afterEach(() => own.stop());

  it("are fetched once for many sign-ins, also concurrent ones", async () => {
    const journeys = await Promise.all(Array.from({ length: 8 }, () => begin(own, provider)));
    const answers = await Promise.all(
      journeys.map(async (journey) =>
        followCallback(own, await approve(journey, sub), journey.cookie),
      ),
    );
    expect(answers.map(errorOf)).toEqual(answers.map(() => null));
    expect(await attempt()).toBeNull();
    expect(provided().jwksFetches()).toBe(1);
  });

  it("are fetched five times for a hundred tokens with unknown keys, then once in 30 seconds", async () => {
    expect(await attempt()).toBeNull();
    provided().next({ idToken: "unknown_kid" }, 100);
    for (let tokens = 0; tokens < 50; tokens += 1) expect(await attempt()).toBe("invalid_token");
    expect(provided().jwksFetches()).toBe(6);
    later(31);
    for (let tokens = 0; tokens < 50; tokens += 1) expect(await attempt()).toBe("invalid_token");
    expect(provided().jwksFetches()).toBe(7);
    expect(await attempt()).toBeNull();
  });

  it.each([
    ["rotated", {}],
    ["replaced without a new id", { keepsId: true }],
  ])(
    "can be %s right after they were fetched: concurrent sign-ins work at once, and by one fetch",
    async (_case, rotation) => {
      expect(await attempt()).toBeNull();
      provided().rotateKeys({ keepOld: false, ...rotation });
      const errors = await Promise.all(Array.from({ length: 12 }, attempt));
      expect(new Set(errors)).toEqual(new Set([null]));
      expect(provided().jwksFetches()).toBe(2);
    },
  );

  it("can be rotated five times in a row, and once more after 30 seconds", async () => {
    expect(await attempt()).toBeNull();
    for (let rotations = 0; rotations < 5; rotations += 1) {
      provided().rotateKeys({ keepOld: false });
      expect(await attempt()).toBeNull();
    }
    provided().rotateKeys({ keepOld: false });
    expect(await attempt()).toBe("invalid_token");
    later(31);
    expect(await attempt()).toBeNull();
    expect(provided().jwksFetches()).toBe(7);
  });

  it("are fetched five times for many tokens that another key signed, then once in 30 seconds", async () => {
    expect(await attempt()).toBeNull();
    provided().next({ idToken: "foreign_key" }, 60);
    for (let tokens = 0; tokens < 20; tokens += 1) expect(await attempt()).toBe("invalid_token");
    expect(provided().jwksFetches()).toBe(6);
    later(31);
    const errors = await Promise.all(Array.from({ length: 20 }, attempt));
    expect(new Set(errors)).toEqual(new Set(["invalid_token"]));
    for (let tokens = 0; tokens < 20; tokens += 1) expect(await attempt()).toBe("invalid_token");
    expect(provided().jwksFetches()).toBe(7);
    expect(await attempt()).toBeNull();
  });

  it("are asked for no more often by such tokens while they cannot be had", async () => {
    expect(await attempt()).toBeNull();
    provided().next({ idToken: "foreign_key" }, 15);
    provided().next({ jwks: 500 }, 20);
    for (let tokens = 0; tokens < 5; tokens += 1)
      expect(await attempt()).toBe("provider_unavailable");
    for (let tokens = 0; tokens < 10; tokens += 1) expect(await attempt()).toBe("invalid_token");
    expect(provided().jwksFetches()).toBe(6);
    expect(await attempt()).toBeNull();
  });

  it("are refetched after 10 minutes, so that a withdrawn key ends", async () => {
    expect(await attempt()).toBeNull();
    later(601);
    expect(await attempt()).toBeNull();
    expect(provided().jwksFetches()).toBe(2);
  });

  it.each([
    [500, "provider_unavailable"],
    ["garbage", "provider_unavailable"],
    ["empty", "invalid_token"],
  ] as const)(
    "answered with %s end the sign-in in %s, and the next one works",
    async (jwks, error) => {
      provided().next({ jwks });
      await expectRefused(own, error, () => signInAs(own, provider, sub));
      expect(await attempt()).toBeNull();
    },
  );
});
