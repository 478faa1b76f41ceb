import { afterAll, beforeAll, describe, expect, it } from "vitest";
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
import { post, send, SHOP, startTestApp } from "../../sandbox/sandbox-fixture.ts";
import type { TestApp } from "../../sandbox/sandbox-fixture.ts";

const OTHER_SHOP = "other-store.myshopify.com";

let world: TestApp;
let client: Client;
let metadata: Metadata;
let gid: string;
beforeAll(async () => {
  world = await startTestApp();
  client = {
    id: world.sandbox.customerAccounts.clientId,
    redirectUri: `${world.appUrl}/auth/storefront/callback`,
    scope: "openid email customer-account-api:full",
  };
  gid = world.sandbox.storefront.putCustomer(SHOP, {
    email: "ada@shopper.example",
    firstName: "Ada",
    lastName: "Byron",
  }).gid;
  metadata = await discover(world.storefront);
});
afterAll(() => world.stop());

describe("customer accounts", () => {
  it("are discovered on the shop's domain, under their own issuer", async () => {
    expect(metadata.issuer).toBe(world.sandbox.customerAccounts.issuer(SHOP));
    expect(metadata.issuer.startsWith(`${world.storefront}/authentication/`)).toBe(true);
    const api = await send(
      "GET",
      `${world.storefront}/.well-known/customer-account-api`,
      undefined,
    );
    expect(api.body).toEqual({ graphql_api: expect.any(String), mcp_api: expect.any(String) });
  });

  it("sign in a customer of the shop by the digits of the id, beyond 2^53", async () => {
    const { status, body, attempt } = await signIn(metadata, client, "ada@shopper.example");
    expect(status).toBe(200);
    const claims = await verify(metadata, client, body.id_token as string, attempt.nonce);
    expect(claims).toMatchObject({
      sub: gid.split("/").at(-1),
      email: "ada@shopper.example",
      email_verified: true,
      aud: client.id,
    });
    expect(String(Number(claims.sub))).not.toBe(claims.sub);
  });

  it("require PKCE of a public client", async () => {
    const { callback } = await authorize(metadata, client, newAttempt(), { code_challenge: null });
    expect(callback.get("error")).toBe("invalid_request");
  });

  it.each([
    ["missing", null],
    ["wrong", newAttempt().verifier],
  ])("reject a %s code_verifier, and the code with it", async (_case, verifier) => {
    const attempt = newAttempt();
    const code = (await authorize(metadata, client, attempt)).callback.get("code") ?? "";
    expect(await redeem(metadata, client, code, verifier)).toMatchObject({
      status: 400,
      body: { error: "invalid_grant" },
    });
    expect(await redeem(metadata, client, code, attempt.verifier)).toMatchObject({
      status: 400,
      body: { error: "invalid_grant" },
    });
  });

  it("reject a token request that is not form-encoded", async () => {
    const attempt = newAttempt();
    const code = (await authorize(metadata, client, attempt)).callback.get("code") ?? "";
    const reply = await post(metadata.token_endpoint, {
      grant_type: "authorization_code",
      code,
      client_id: client.id,
      redirect_uri: client.redirectUri,
      code_verifier: attempt.verifier,
    });
    expect(reply).toMatchObject({ status: 400, body: { error: "invalid_request" } });
  });

  it("require a confidential client's secret", async () => {
    world.sandbox.customerAccounts.settings.clientSecret = "shop-client-secret";
    const withSecret = await signIn(
      metadata,
      { ...client, secret: "shop-client-secret" },
      "ada@shopper.example",
    );
    const without = await signIn(metadata, client, "ada@shopper.example");
    world.sandbox.customerAccounts.settings.clientSecret = null;
    expect([withSecret.status, without.status]).toEqual([200, 401]);
  });

  it("create a customer for a new e-mail, and send the webhooks", async () => {
    const token = world.sandbox.storefront.install(SHOP).access_token;
    const subscribe =
      "mutation($uri: String!) { webhookSubscriptionCreate(topic: CUSTOMERS_CREATE, webhookSubscription: { uri: $uri }) { userErrors { message } } }";
    await post(
      `${world.storefront}/admin/api/2026-04/graphql.json`,
      { query: subscribe, variables: { uri: `${world.appUrl}/webhooks/customer-create` } },
      { "X-Shopify-Access-Token": token },
    );
    await signIn(metadata, client, "new@shopper.example");
    await world.sandbox.storefront.echoesSent();
    expect(world.sandbox.storefront.customers(SHOP).at(-1)).toMatchObject({
      email: "new@shopper.example",
    });
    expect(world.received.at(-1)?.path).toBe("/webhooks/customer-create");
  });

  it("rotate refresh tokens: each works once", async () => {
    const { body } = await signIn(metadata, client, "ada@shopper.example");
    const refresh = () =>
      token(metadata, {
        grant_type: "refresh_token",
        refresh_token: body.refresh_token,
        client_id: client.id,
      });
    expect(await refresh()).toMatchObject({
      status: 200,
      body: {
        access_token: expect.any(String),
        refresh_token: expect.not.stringMatching(body.refresh_token),
      },
    });
    expect(await refresh()).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
  });

  it("return the signed-in customer for the access token alone, without Bearer", async () => {
    const { body } = await signIn(metadata, client, "ada@shopper.example");
    const { body: api } = await send(
      "GET",
      `${world.storefront}/.well-known/customer-account-api`,
      undefined,
    );
    const ask = (authorization: string) =>
      post(
        api.graphql_api as string,
        { query: "{ customer { id emailAddress { emailAddress } } }" },
        { authorization },
      );
    expect((await ask(body.access_token as string)).body).toEqual({
      data: { customer: { id: gid, emailAddress: { emailAddress: "ada@shopper.example" } } },
    });
    expect((await ask("nobody")).status).toBe(401);
  });

  it("sign out to an address of the app only", async () => {
    const { body } = await signIn(metadata, client, "ada@shopper.example");
    const leave = (back: string) =>
      send(
        "GET",
        `${metadata.end_session_endpoint}?${new URLSearchParams({ id_token_hint: body.id_token, post_logout_redirect_uri: back })}`,
        undefined,
      );
    expect((await leave("https://elsewhere.example/")).status).toBe(400);
    expect((await leave(`${world.appUrl}/bye`)).headers.get("location")).toBe(
      `${world.appUrl}/bye`,
    );
    expect(world.sandbox.customerAccounts.logouts()).toEqual([
      expect.objectContaining({ sub: gid.split("/").at(-1), issuer: metadata.issuer }),
    ]);
  });

  it("of one shop reject the code of another", async () => {
    world.sandbox.storefront.putCustomer(OTHER_SHOP, { email: "ada@shopper.example" });
    const other = await discover(
      world.sandbox.addresses.storefrontUrlTemplate.replace("{shop}", OTHER_SHOP),
    );
    const attempt = newAttempt();
    const code = (await authorize(other, client, attempt)).callback.get("code") ?? "";
    expect(other.issuer).not.toBe(metadata.issuer);
    expect(await redeem(metadata, client, code, attempt.verifier)).toMatchObject({
      status: 400,
      body: { error: "invalid_grant" },
    });
  });

  it("are recorded and fail separately from the Admin API", async () => {
    world.sandbox.failNext("customerAccounts", { status: 503, match: "oauth/token" });
    expect((await signIn(metadata, client, "ada@shopper.example")).status).toBe(503);
    expect(world.sandbox.requests("customerAccounts").at(-1)).toMatchObject({
      method: "POST",
      path: expect.stringContaining("/oauth/token"),
    });
    expect(
      world.sandbox.requests("storefront").some(({ path }) => path.includes("/authentication/")),
    ).toBe(false);
  });
});
