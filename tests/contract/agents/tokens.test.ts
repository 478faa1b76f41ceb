// Codes and refresh tokens work once, for the client, redirect URI and store they were issued to.
import { createHash } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  newClient,
  newCode,
  newTokens,
  postForm,
  refresh,
  REDIRECT,
  swapCode,
  type Tokens,
} from "../../support/agents/agent.ts";
import {
  OTHER_SHOP,
  SHOP,
  startService,
  type Answer,
  type Service,
} from "../../support/service.ts";
import { getMe, signUp, statusesOf, type Person } from "../identity/people.ts";

let service: Service;
let person: Person;
let client: string;
beforeAll(async () => {
  service = await startService();
  for (const shop of [SHOP, OTHER_SHOP]) await service.addTenant(shop);
  client = await newClient(service);
});
afterAll(() => service.stop());
beforeEach(async () => {
  person = await signUp(service);
});

function expectRefused(answer: Answer, error: string, status = 400): void {
  expect([answer.status, answer.json?.error]).toEqual([status, error]);
  expect(Object.keys(answer.json).sort()).toEqual(["error", "error_description"]);
  expect(answer.headers.get("cache-control")).toBe("no-store");
}
const endReasons = async () =>
  (
    await service.database.query(
      "SELECT end_reason FROM oauth_grants WHERE user_id = $1 ORDER BY created_at",
      [person.id],
    )
  ).map((row) => row.end_reason);

describe("an authorization code", () => {
  it("is exchanged for a one-hour access token that opens the profile of the shopper who approved", async () => {
    const answer = await swapCode(service, client, await newCode(service, client, person.token));
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({
      access_token: expect.any(String),
      token_type: "Bearer",
      expires_in: 3600,
      refresh_token: expect.any(String),
      scope: "identity:read dev.ucp.shopping.order:read dev.ucp.shopping.checkout:manage",
    });
    expect(answer.headers.get("cache-control")).toBe("no-store");
    const me = await getMe(service, answer.json.access_token);
    expect([me.status, me.json.user?.id, me.json.consents?.a2a]).toEqual([200, person.id, true]);
  });

  it("is stored as a hash, like the tokens", async () => {
    const swap = await newCode(service, client, person.token);
    const { json } = await swapCode(service, client, swap);
    const rows = JSON.stringify(await service.database.query("SELECT * FROM oauth_tokens"));
    for (const secret of [swap.code, json.access_token, json.refresh_token])
      expect(rows).not.toContain(secret.split(".")[1]);
  });

  it("works once: a second use fails and revokes the tokens it issued", async () => {
    const swap = await newCode(service, client, person.token);
    const { json } = await swapCode(service, client, swap);
    expectRefused(await swapCode(service, client, swap), "invalid_grant");
    expect((await getMe(service, json.access_token)).status).toBe(401);
    expectRefused(await refresh(service, client, json.refresh_token), "invalid_grant");
    expect(await endReasons()).toEqual(["code_reused"]);
  });

  it("issues one pair of tokens to twenty concurrent exchanges", async () => {
    const swap = await newCode(service, client, person.token);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => swapCode(service, client, swap)),
    );
    expect(statusesOf(answers)).toEqual([200, ...Array(19).fill(400)]);
  });

  it.each<[string, Record<string, string>, string]>([
    ["another verifier", { code_verifier: "v".repeat(43) }, "invalid_grant"],
    ["no verifier", { code_verifier: "" }, "invalid_grant"],
    ["another address", { redirect_uri: "https://agent.example/other" }, "invalid_grant"],
    ["an address that only begins the same", { redirect_uri: `${REDIRECT}/` }, "invalid_grant"],
    ["no address", { redirect_uri: "" }, "invalid_request"],
    ["a client that there is not", { client_id: "nobody" }, "invalid_client"],
    ["no client", { client_id: "" }, "invalid_request"],
    ["another grant type", { grant_type: "password" }, "unsupported_grant_type"],
    ["no grant type", { grant_type: "" }, "invalid_request"],
    ["a code that there is not", { code: "agc_x.y" }, "invalid_grant"],
    [
      "a resource of somebody else",
      { resource: "https://elsewhere.example/mcp" },
      "invalid_target",
    ],
  ])("is rejected with %s, and stays valid for its owner", async (_, changes, error) => {
    const swap = await newCode(service, client, person.token);
    expectRefused(await swapCode(service, client, swap, changes), error);
    expect((await swapCode(service, client, swap)).status).toBe(200);
  });

  it("is rejected with a verifier that is too short, although it is the challenge's", async () => {
    const code_challenge = createHash("sha256").update("short").digest("base64url");
    const swap = await newCode(service, client, person.token, { code_challenge });
    expectRefused(await swapCode(service, client, { ...swap, verifier: "short" }), "invalid_grant");
  });

  it("needs the redirect URI only if the authorization request named it", async () => {
    for (const redirect_uri of ["", REDIRECT]) {
      const swap = await newCode(service, client, person.token, { redirect_uri: undefined });
      expectRefused(
        await swapCode(service, client, swap, { redirect_uri: `${REDIRECT}/other` }),
        "invalid_grant",
      );
      expect((await swapCode(service, client, swap, { redirect_uri })).status).toBe(200);
    }
  });

  it("is rejected from another client and at another store", async () => {
    const swap = await newCode(service, client, person.token);
    expectRefused(await swapCode(service, await newClient(service), swap), "invalid_grant");
    expectRefused(await swapCode(service, client, swap, {}, OTHER_SHOP), "invalid_client");
  });

  it("is valid for 60 seconds", async () => {
    const swap = await newCode(service, client, person.token);
    const [{ seconds }] = (await service.database.query(
      `SELECT extract(epoch FROM expires_at - created_at)::float AS seconds FROM oauth_tokens
        WHERE kind = 'code' ORDER BY created_at DESC LIMIT 1`,
    )) as [{ seconds: number }];
    expect(Math.round(seconds)).toBe(60);
    await service.database.query("UPDATE oauth_tokens SET expires_at = now() WHERE kind = 'code'");
    expectRefused(await swapCode(service, client, swap), "invalid_grant");
  });

  it("with a secret, a repeated parameter, or as JSON answers the errors of RFC 6749", async () => {
    const swap = await newCode(service, client, person.token);
    expectRefused(
      await swapCode(service, client, swap, { client_secret: "s" }),
      "invalid_client",
      401,
    );
    const twice = `grant_type=authorization_code&client_id=${client}&code=${swap.code}&code=${swap.code}`;
    // A NUL, which no column can hold.
    const unstorable = `grant_type=authorization_code&client_id=${client}&code=a%00b`;
    for (const body of [twice, unstorable])
      expectRefused(
        await service.call("POST", `/oauth/token?shop=${SHOP}`, {
          key: null,
          body,
          headers: { "Content-Type": "application/x-www-form-urlencoded" },
        }),
        "invalid_request",
      );
    expectRefused(
      await service.call("POST", `/oauth/token?shop=${SHOP}`, {
        key: null,
        body: { grant_type: "authorization_code" },
      }),
      "invalid_request",
    );
    expectRefused(
      await service.call("GET", `/oauth/token?shop=${SHOP}`, { key: null }),
      "invalid_request",
      405,
    );
    expectRefused(
      await service.call("POST", "/oauth/token?shop=nobody.myshopify.com", {
        key: null,
        body: "x=1",
      }),
      "invalid_request",
      404,
    );
  });
});

it("with HTTP Basic authentication answers 401 with a Basic challenge (RFC 6749 5.2)", async () => {
  const answer = await service.call("POST", `/oauth/token?shop=${SHOP}`, {
    key: null,
    body: "grant_type=authorization_code",
    headers: { "Content-Type": "application/x-www-form-urlencoded", Authorization: "Basic eDp5" },
  });
  expectRefused(answer, "invalid_client", 401);
  expect(answer.headers.get("www-authenticate")).toMatch(/^Basic realm="/);
});

describe("a refresh token", () => {
  let tokens: Tokens;
  beforeEach(async () => {
    tokens = await newTokens(service, client, person.token);
  });

  it("is rotated at every use", async () => {
    const first = await refresh(service, client, tokens.refresh_token);
    expect(first.status).toBe(200);
    expect(first.json.refresh_token).not.toBe(tokens.refresh_token);
    expect((await getMe(service, first.json.access_token)).status).toBe(200);
    expect((await refresh(service, client, first.json.refresh_token)).status).toBe(200);
  });

  it("used again after its rotation revokes the whole grant", async () => {
    const { json } = await refresh(service, client, tokens.refresh_token);
    expectRefused(await refresh(service, client, tokens.refresh_token), "invalid_grant");
    expectRefused(await refresh(service, client, json.refresh_token), "invalid_grant");
    for (const token of [tokens.access_token, json.access_token])
      expect((await getMe(service, token)).status).toBe(401);
    expect(await endReasons()).toEqual(["refresh_reused"]);
  });

  it("used ten times concurrently is rotated once", async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => refresh(service, client, tokens.refresh_token)),
    );
    expect(statusesOf(answers)).toEqual([200, ...Array(9).fill(400)]);
  });

  it("is rejected from another client or at another store, and stays valid", async () => {
    expectRefused(
      await refresh(service, await newClient(service), tokens.refresh_token),
      "invalid_grant",
    );
    expectRefused(
      await refresh(service, client, tokens.refresh_token, {}, OTHER_SHOP),
      "invalid_client",
    );
    expect((await refresh(service, client, tokens.refresh_token)).status).toBe(200);
  });

  it("is not accepted as an access token, nor an access token as a refresh token", async () => {
    expect((await getMe(service, tokens.refresh_token)).status).toBe(401);
    expectRefused(await refresh(service, client, tokens.access_token), "invalid_grant");
  });

  it("may request fewer scopes than granted, never more", async () => {
    const less = await refresh(service, client, tokens.refresh_token, {
      scope: "dev.ucp.shopping.order:read",
    });
    expect(less.json.scope).toBe("dev.ucp.shopping.order:read");
    const denied = await getMe(service, less.json.access_token);
    expect([denied.status, denied.json.code]).toEqual([403, "insufficient_scope"]);
    expect(denied.headers.get("www-authenticate")).toContain('scope="identity:read"');
    expectRefused(
      await refresh(service, client, less.json.refresh_token, {
        scope: "commerce.mandates:create",
      }),
      "invalid_scope",
    );
    expect((await refresh(service, client, less.json.refresh_token)).json.scope).toBe(tokens.scope);
  });

  it("is refused while the shopper's flag is off, also one that a program has set in the table", async () => {
    await service.database.query("UPDATE user_claims SET consent_a2a = false WHERE user_id = $1", [
      person.id,
    ]);
    expectRefused(await refresh(service, client, tokens.refresh_token), "invalid_grant");
  });

  it("is valid for 30 days", async () => {
    const [kept] = await service.database.query(
      "SELECT extract(epoch FROM max(expires_at) - now())::float8 / 86400 AS days FROM oauth_tokens WHERE kind = 'refresh'",
    );
    expect(kept?.days).toBeCloseTo(30, 1);
    await service.database.query(
      "UPDATE oauth_tokens SET expires_at = now() WHERE kind = 'refresh'",
    );
    expectRefused(await refresh(service, client, tokens.refresh_token), "invalid_grant");
  });
});

describe("revocation", () => {
  const revoke = (fields: Record<string, string>, shop = SHOP) =>
    postForm(service, "/oauth/revoke", fields, shop);

  it("of a refresh token revokes its access tokens at once", async () => {
    const tokens = await newTokens(service, client, person.token);
    const done = await revoke({
      token: tokens.refresh_token,
      client_id: client,
      token_type_hint: "refresh_token",
    });
    expect([done.status, done.text]).toEqual([200, ""]);
    expect((await getMe(service, tokens.access_token)).status).toBe(401);
    expectRefused(await refresh(service, client, tokens.refresh_token), "invalid_grant");
    expect(await endReasons()).toEqual(["revoked"]);
  });

  it("of an access token keeps the grant", async () => {
    const tokens = await newTokens(service, client, person.token);
    expect(
      (
        await revoke({
          token: tokens.access_token,
          client_id: client,
          token_type_hint: "refresh_token",
        })
      ).status,
    ).toBe(200);
    expect((await getMe(service, tokens.access_token)).status).toBe(401);
    expect((await refresh(service, client, tokens.refresh_token)).status).toBe(200);
  });

  it("answers the same for an unknown token, and rejects another client's", async () => {
    const tokens = await newTokens(service, client, person.token);
    for (const token of ["nothing", tokens.access_token.replace(/.$/, "_")])
      expect((await revoke({ token, client_id: client })).status).toBe(200);
    expect(
      (await revoke({ token: tokens.refresh_token, client_id: client }, OTHER_SHOP)).status,
    ).toBe(200);
    expectRefused(
      await revoke({ token: tokens.refresh_token, client_id: await newClient(service) }),
      "invalid_grant",
    );
    expectRefused(await revoke({ client_id: client }), "invalid_request");
    expect((await getMe(service, tokens.access_token)).status).toBe(200);
  });
});
