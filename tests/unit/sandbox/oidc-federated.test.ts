import { decodeJwt, decodeProtectedHeader } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ID_TOKEN_FLAWS } from "../../../app/sandbox/oidc/id-token.ts";
import type { IdTokenFlaw } from "../../../app/sandbox/oidc/id-token.ts";
import {
  authorize,
  discover,
  newAttempt,
  redeem,
  signIn,
  token,
  verify,
} from "../../sandbox/oidc-fixture.ts";
import type { Client, Metadata } from "../../sandbox/oidc-fixture.ts";
import { send, startTestApp } from "../../sandbox/sandbox-fixture.ts";
import type { TestApp } from "../../sandbox/sandbox-fixture.ts";

let app: TestApp;
let client: Client;
let metadata: Metadata;
beforeAll(async () => {
  app = await startTestApp();
  const { clientId, clientSecret } = app.sandbox.federated;
  client = {
    id: clientId,
    secret: clientSecret,
    redirectUri: `${app.appUrl}/auth/federated/callback`,
    scope: "openid email profile",
  };
  metadata = await discover(app.sandbox.addresses.federatedIssuer);
});
afterAll(() => app.stop());
beforeEach(() => app.sandbox.federated.clearFlaws());

describe("the federated provider", () => {
  it("is discovered at its issuer", () => {
    expect(metadata).toMatchObject({
      issuer: app.sandbox.addresses.federatedIssuer,
      userinfo_endpoint: expect.any(String),
      response_types_supported: ["code"],
    });
  });

  it("signs a person in with a token that jose accepts", async () => {
    const { status, body, attempt } = await signIn(metadata, client, "ada@example.com");
    expect(status).toBe(200);
    expect(body).toMatchObject({
      token_type: "Bearer",
      expires_in: 3600,
      refresh_token: expect.any(String),
    });
    const claims = await verify(metadata, client, body.id_token as string, attempt.nonce);
    expect(claims).toMatchObject({
      sub: "110248495921238986420",
      email: "ada@example.com",
      email_verified: true,
      name: "Ada Byron",
      given_name: "Ada",
      family_name: "Byron",
    });
    const me = await send("GET", metadata.userinfo_endpoint, undefined, {
      authorization: `Bearer ${body.access_token}`,
    });
    expect(me.body).toMatchObject({ sub: claims.sub, email: "ada@example.com" });
    expect(app.sandbox.federated.signIns().at(-1)).toMatchObject({
      email: "ada@example.com",
      sub: claims.sub,
    });
  });

  it("redirects to the app with code, state and issuer", async () => {
    const attempt = newAttempt();
    const { status, callback } = await authorize(metadata, client, attempt);
    expect(status).toBe(302);
    expect(Object.fromEntries(callback)).toEqual({
      code: expect.any(String),
      state: attempt.state,
      iss: metadata.issuer,
    });
  });

  it("accepts the client secret in a Basic header too, and no wrong one", async () => {
    const attempt = newAttempt();
    const code = async () =>
      (await authorize(metadata, client, attempt)).callback.get("code") ?? "";
    const basic = (secret: string) => ({
      authorization: `Basic ${Buffer.from(`${client.id}:${secret}`).toString("base64")}`,
    });
    expect(
      (
        await redeem(
          metadata,
          client,
          await code(),
          attempt.verifier,
          {},
          basic(client.secret ?? ""),
        )
      ).status,
    ).toBe(200);
    expect(
      await redeem(metadata, client, await code(), attempt.verifier, {}, basic("wrong")),
    ).toMatchObject({ status: 401, body: { error: "invalid_client" } });
    expect(
      await redeem(metadata, { ...client, secret: "wrong" }, await code(), attempt.verifier),
    ).toMatchObject({ status: 401, body: { error: "invalid_client" } });
  });

  it("works without PKCE, but requires the verifier of a client that started with it", async () => {
    const without = await authorize(metadata, client, newAttempt(), {
      code_challenge: null,
      code_challenge_method: null,
    });
    expect((await redeem(metadata, client, without.callback.get("code") ?? "", null)).status).toBe(
      200,
    );
    const began = await authorize(metadata, client, newAttempt());
    expect(await redeem(metadata, client, began.callback.get("code") ?? "", null)).toMatchObject({
      status: 400,
      body: { error: "invalid_grant" },
    });
  });
});

describe("an authorization code", () => {
  it("works once, and a second use revokes the issued tokens", async () => {
    const attempt = newAttempt();
    const code = (await authorize(metadata, client, attempt)).callback.get("code") ?? "";
    const first = await redeem(metadata, client, code, attempt.verifier);
    expect(first.status).toBe(200);
    expect(await redeem(metadata, client, code, attempt.verifier)).toMatchObject({
      status: 400,
      body: { error: "invalid_grant" },
    });
    const refreshed = await token(metadata, {
      grant_type: "refresh_token",
      refresh_token: first.body.refresh_token,
      client_id: client.id,
      client_secret: client.secret ?? "",
    });
    expect(refreshed).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
  });

  it("is rejected after its expiry, with another redirect URI and when unknown", async () => {
    const attempt = newAttempt();
    const late = (await authorize(metadata, client, attempt)).callback.get("code") ?? "";
    app.sandbox.federated.expireCodes();
    const moved = (await authorize(metadata, client, attempt)).callback.get("code") ?? "";
    for (const answer of [
      await redeem(metadata, client, late, attempt.verifier),
      await redeem(metadata, client, moved, attempt.verifier, {
        redirect_uri: `${app.appUrl}/elsewhere`,
      }),
      await redeem(metadata, client, "unknown", attempt.verifier),
    ])
      expect(answer).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
  });
});

describe("an authorization request", () => {
  it.each([
    ["of another client", { client_id: "stranger" }],
    ["with another client's redirect_uri", { redirect_uri: "https://elsewhere.example/callback" }],
    ["without redirect_uri", { redirect_uri: null }],
  ])("%s is answered with an error page, never redirected", async (_case, changes) => {
    const { status, headers } = await authorize(metadata, client, newAttempt(), changes);
    expect([status, headers.get("location")]).toEqual([400, null]);
  });

  it.each([
    ["another response_type", { response_type: "token" }, "unsupported_response_type"],
    ["no openid scope", { scope: "email" }, "invalid_scope"],
    ["no state", { state: null }, "invalid_request"],
    ["a plain challenge", { code_challenge_method: "plain" }, "invalid_request"],
    ["prompt=none and nobody signed in", { prompt: "none", auto: null }, "login_required"],
    ["a person who cancels", { decision: "cancel", auto: null }, "access_denied"],
  ])("with %s redirects with the error", async (_case, changes, error) => {
    const { callback } = await authorize(metadata, client, newAttempt(), changes);
    expect(callback.get("error")).toBe(error);
    expect(callback.get("code")).toBeNull();
  });
});

describe("the sign-in page", () => {
  const ask = (changes: Record<string, string | null>) =>
    authorize(metadata, client, newAttempt(), { auto: null, ...changes });

  it("lists the users that the console's form adds or changes", async () => {
    const put = (fields: Record<string, string>) =>
      send("POST", `${app.sandbox.url}/_control/people`, new URLSearchParams(fields).toString(), {
        "content-type": "application/x-www-form-urlencoded",
      });
    expect(
      (await put({ email: "cleo@example.com", name: "Cleo", email_verified: "true" })).status,
    ).toBe(303);
    await put({ email: "CLEO@example.com" });
    expect(
      app.sandbox.federated.people().filter(({ email }) => email === "cleo@example.com"),
    ).toMatchObject([{ name: "Cleo", emailVerified: false }]);
    expect((await put({ email: "nothing" })).status).toBe(400);
  });

  it("offers the known users, a form and a cancel button", async () => {
    app.sandbox.federated.putPerson({ email: "eve@example.com", name: "<script>1</script>" });
    const { status, body } = await ask({});
    expect(status).toBe(200);
    expect(body).toContain("Sign in as Ada Byron");
    expect(body).toContain("Cancel");
    expect(body).not.toContain("<script>");
  });

  it("signs in the selected user", async () => {
    const { callback } = await ask({ as: "110248495921238986421" });
    expect(callback.get("code")).not.toBeNull();
    expect(app.sandbox.federated.signIns().at(-1)).toMatchObject({ email: "bob@example.com" });
  });

  it("signs in the typed user, verified only when ticked, and asks again for an invalid address", async () => {
    await ask({ decision: "form", email: "new@example.com", name: "New Person" });
    expect(app.sandbox.federated.people().at(-1)).toMatchObject({
      email: "new@example.com",
      name: "New Person",
      emailVerified: false,
      sub: expect.stringMatching(/^\d{21}$/),
    });
    expect((await ask({ decision: "form", email: "nothing" })).status).toBe(200);
  });

  it("is skipped with autoApprove", async () => {
    app.sandbox.federated.settings.autoApprove = true;
    const { callback } = await ask({ login_hint: "bob@example.com" });
    app.sandbox.federated.settings.autoApprove = false;
    expect(callback.get("code")).not.toBeNull();
  });
});

describe("a flawed ID token", () => {
  // Flaws that a relying party can only detect by reading the claims.
  const VALID_BUT_TELLING: IdTokenFlaw[] = [
    "no_email",
    "other_email",
    "email_unverified",
    "email_verified_absent",
    "email_verified_text",
    "huge",
  ];

  const flawed = async (flaw: IdTokenFlaw) => {
    await signIn(metadata, client, "ada@example.com");
    app.sandbox.federated.next({ idToken: flaw });
    return signIn(metadata, client, "ada@example.com");
  };

  it.each(ID_TOKEN_FLAWS.filter((flaw) => !VALID_BUT_TELLING.includes(flaw)))(
    "(%s) is rejected by a strict client, and the next one is valid again",
    async (flaw) => {
      const { status, body, attempt } = await flawed(flaw);
      expect(status).toBe(200);
      await expect(
        verify(metadata, client, String(body.id_token), attempt.nonce),
      ).rejects.toThrow();
      const sound = await signIn(metadata, client, "ada@example.com");
      await expect(
        verify(metadata, client, sound.body.id_token as string, sound.attempt.nonce),
      ).resolves.toBeDefined();
    },
  );

  it.each([
    ["no_email", { email: undefined, email_verified: undefined }],
    ["other_email", { email: "someone.else@shopper.example" }],
    ["email_unverified", { email_verified: false }],
    ["email_verified_absent", { email_verified: undefined }],
    ["email_verified_text", { email_verified: "true" }],
  ] as const)("(%s) has a valid signature and the flawed claims", async (flaw, claims) => {
    const { body, attempt } = await flawed(flaw);
    const payload = await verify(metadata, client, body.id_token as string, attempt.nonce);
    expect({ email: payload["email"], email_verified: payload["email_verified"] }).toMatchObject(
      claims,
    );
  });

  it("(huge) is megabytes long", async () => {
    expect(String((await flawed("huge")).body.id_token).length).toBeGreaterThan(2_000_000);
  });

  it("(unknown_kid) names a new unpublished key each time", async () => {
    const kids: unknown[] = [];
    for (let turn = 0; turn < 2; turn += 1)
      kids.push(decodeProtectedHeader((await flawed("unknown_kid")).body.id_token as string).kid);
    expect(new Set(kids).size).toBe(2);
    const published = (await send("GET", metadata.jwks_uri, undefined)).body.keys.map(
      ({ kid }: { kid: string }) => kid,
    );
    expect(published.some((kid: string) => kids.includes(kid))).toBe(false);
  });

  it("can have any claim a test needs", async () => {
    app.sandbox.federated.next({ claims: { email: "x@example.com", hd: "example.com" } }, 2);
    for (const expected of ["x@example.com", "x@example.com", "ada@example.com"]) {
      expect(
        decodeJwt((await signIn(metadata, client, "ada@example.com")).body.id_token as string)[
          "email"
        ],
      ).toBe(expected);
    }
  });
});

describe("a flawed provider", () => {
  it("fails at the token endpoint without using up the code", async () => {
    const attempt = newAttempt();
    const code = (await authorize(metadata, client, attempt)).callback.get("code") ?? "";
    app.sandbox.federated.next({ token: 500 });
    app.sandbox.federated.next({ token: "garbage" });
    expect((await redeem(metadata, client, code, attempt.verifier)).status).toBe(500);
    expect(typeof (await redeem(metadata, client, code, attempt.verifier)).body).toBe("string");
    expect((await redeem(metadata, client, code, attempt.verifier)).status).toBe(200);
    expect(app.sandbox.federated.tokenCalls().at(-1)).toMatchObject({
      body: { code, code_verifier: attempt.verifier },
      headers: { "content-type": expect.stringContaining("form") },
    });
  });

  it("hangs at the token endpoint until the caller gives up", async () => {
    app.sandbox.federated.next({ token: "hang" });
    await expect(
      fetch(metadata.token_endpoint, { method: "POST", signal: AbortSignal.timeout(50) }),
    ).rejects.toThrow();
  });

  it("shows another issuer, no keys, or an error", async () => {
    const before = [app.sandbox.federated.discoveryFetches(), app.sandbox.federated.jwksFetches()];
    app.sandbox.federated.next({ discovery: "issuer_mismatch", jwks: "empty" });
    expect((await discover(app.sandbox.addresses.federatedIssuer)).issuer).not.toBe(
      metadata.issuer,
    );
    expect((await send("GET", metadata.jwks_uri, undefined)).body).toEqual({ keys: [] });
    app.sandbox.federated.next({ jwks: 503 });
    expect((await send("GET", metadata.jwks_uri, undefined)).status).toBe(503);
    expect([app.sandbox.federated.discoveryFetches(), app.sandbox.federated.jwksFetches()]).toEqual(
      [(before[0] ?? 0) + 1, (before[1] ?? 0) + 2],
    );
  });

  it.each([
    ["no_iss", { iss: null }],
    ["wrong_iss", { iss: "https://issuer.example" }],
    ["wrong_state", { state: "another-state" }],
    ["server_error", { error: "server_error", code: null }],
  ])("redirects to the app with a flaw (%s)", async (flaw, expected) => {
    app.sandbox.federated.next({ callback: flaw });
    const { callback } = await authorize(metadata, client, newAttempt());
    for (const [name, value] of Object.entries(expected)) expect(callback.get(name)).toBe(value);
  });

  it("rotates its keys: old tokens verify as long as the old key is published", async () => {
    const { body, attempt } = await signIn(metadata, client, "ada@example.com");
    const kid = app.sandbox.federated.rotateKeys();
    await expect(
      verify(metadata, client, body.id_token as string, attempt.nonce),
    ).resolves.toBeDefined();
    const next = await signIn(metadata, client, "ada@example.com");
    expect(decodeProtectedHeader(next.body.id_token as string).kid).toBe(kid);
    app.sandbox.federated.rotateKeys({ keepOld: false });
    await expect(
      verify(metadata, client, next.body.id_token as string, next.attempt.nonce),
    ).rejects.toThrow();
  });
});
