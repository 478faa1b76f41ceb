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
import { CLIENT_ID, post, send, SHOP, startTestApp } from "../../sandbox/sandbox-fixture.ts";
import type { TestApp } from "../../sandbox/sandbox-fixture.ts";

const OTHER_SHOP = "other-store.myshopify.com";

let app: TestApp;
let client: Client;
let metadata: Metadata;
let gid: string;
/** The store at its primary domain. */
let primary: string;
beforeAll(async () => {
  app = await startTestApp();
  client = {
    id: app.sandbox.customerAccounts.clientId,
    redirectUri: `${app.appUrl}/auth/storefront/callback`,
    scope: "openid email customer-account-api:full",
  };
  gid = app.sandbox.storefront.putCustomer(SHOP, {
    email: "ada@shopper.example",
    firstName: "Ada",
    lastName: "Byron",
  }).gid;
  primary = app.storefront.replace(SHOP, app.sandbox.storefront.primaryHost(SHOP));
  metadata = await discover(primary);
});
afterAll(() => app.stop());

describe("customer accounts", () => {
  it("are discovered on the primary domain, under their own issuer", async () => {
    expect(metadata.issuer).toBe(app.sandbox.customerAccounts.issuer(SHOP));
    expect(metadata.issuer.startsWith(`${app.storefront}/authentication/`)).toBe(true);
    const api = await send("GET", `${primary}/.well-known/customer-account-api`, undefined);
    expect(api.body).toEqual({ graphql_api: expect.any(String), mcp_api: expect.any(String) });
  });

  it.each(["openid-configuration", "customer-account-api"])(
    "answer 301 to the primary domain for %s on the myshopify domain, and are at no domain that the store left",
    async (document) => {
      const [store, left] = ["moving-store.myshopify.com", "www.moving-store.example"];
      const at = (domain: string) =>
        send("GET", `${app.storefront.replace(SHOP, domain)}/.well-known/${document}`, undefined);
      app.sandbox.storefront.putCustomer(store, {});
      expect((await at(left)).status).toBe(200);
      await app.sandbox.storefront.movePrimaryDomain(store, `new-${document}.example`);
      const answer = await at(store);
      expect(answer.status).toBe(301);
      expect(answer.headers.get("location")).toBe(
        `${app.storefront.replace(SHOP, `new-${document}.example`)}/.well-known/${document}`,
      );
      expect((await at(left)).status).toBe(404);
      await app.sandbox.storefront.movePrimaryDomain(store, left);
    },
  );

  it("have no client but the app, at its exact redirect_uri", async () => {
    expect(client.id).toBe(CLIENT_ID);
    const attempt = newAttempt();
    for (const redirect_uri of [
      `${client.redirectUri}/`,
      `${client.redirectUri}?a=b`,
      client.redirectUri.replace("127.0.0.1", "localhost"),
      `${app.appUrl}/auth/callback`,
    ])
      expect((await authorize(metadata, client, attempt, { redirect_uri })).status).toBe(400);
    const stranger = { ...client, id: "another-client" };
    expect((await authorize(metadata, stranger, attempt)).status).toBe(400);
    const code = (await authorize(metadata, client, attempt)).callback.get("code") ?? "";
    expect(await redeem(metadata, stranger, code, attempt.verifier)).toMatchObject({
      status: 401,
      body: { error: "invalid_client" },
    });
  });

  it("accept no secret of the public client", async () => {
    const reply = await signIn(metadata, { ...client, secret: "a-secret" }, "ada@shopper.example");
    expect(reply).toMatchObject({ status: 401, body: { error: "invalid_client" } });
  });

  it("sign in a customer of the shop under a subject that does not contain the customer's number", async () => {
    const { status, body, attempt } = await signIn(metadata, client, "ada@shopper.example");
    expect(status).toBe(200);
    const claims = await verify(metadata, client, body.id_token as string, attempt.nonce);
    expect(claims).toMatchObject({
      sub: app.sandbox.customerAccounts.subject(SHOP, gid),
      email: "ada@shopper.example",
      email_verified: true,
      aud: client.id,
    });
    expect(claims.sub).toMatch(/^[\w-]{32}$/);
    expect(claims.sub).not.toContain(gid.split("/").at(-1));
  });

  it("omit the email claims when that is switched", async () => {
    const { settings } = app.sandbox.customerAccounts;
    settings.hasEmailClaim = false;
    const { body, attempt } = await signIn(metadata, client, "ada@shopper.example");
    settings.hasEmailClaim = true;
    const claims = await verify(metadata, client, body.id_token as string, attempt.nonce);
    expect(claims).not.toHaveProperty("email");
    expect(claims).not.toHaveProperty("email_verified");
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
    app.sandbox.customerAccounts.settings.clientSecret = "shop-client-secret";
    const confidential = { ...client, id: app.sandbox.customerAccounts.clientId };
    const withSecret = await signIn(
      metadata,
      { ...confidential, secret: "shop-client-secret" },
      "ada@shopper.example",
    );
    const without = await signIn(metadata, confidential, "ada@shopper.example");
    app.sandbox.customerAccounts.settings.clientSecret = null;
    expect(confidential.id).not.toBe(client.id);
    expect([withSecret.status, without.status]).toEqual([200, 401]);
  });

  it.each([
    ["client_secret_basic", ["client_secret_basic"], [200, 401]],
    ["client_secret_post", ["client_secret_post"], [401, 200]],
    ["nothing, which means basic", null, [200, 401]],
  ] as const)("accept only what they announce: %s", async (_case, methods, statuses) => {
    const { settings } = app.sandbox.customerAccounts;
    const secret = "shop+client 100%/secret";
    Object.assign(settings, { clientSecret: secret, clientAuthMethods: methods });
    const { clientId } = app.sandbox.customerAccounts;
    const announced = await discover(primary);
    const confidential = { ...client, id: clientId };
    const exchange = async (changes: Record<string, string>, headers: Record<string, string>) => {
      const attempt = newAttempt();
      const { callback } = await authorize(metadata, confidential, attempt);
      const code = callback.get("code") ?? "";
      return (await redeem(metadata, confidential, code, attempt.verifier, changes, headers))
        .status;
    };
    const encoded = Buffer.from(`${clientId}:shop%2Bclient+100%25%2Fsecret`).toString("base64");
    const unencoded = Buffer.from(`${clientId}:${secret}`).toString("base64");
    const found = [
      await exchange({}, { authorization: `Basic ${encoded}` }),
      await exchange({ client_secret: secret }, {}),
    ];
    const both = await exchange({ client_secret: secret }, { authorization: `Basic ${encoded}` });
    // A secret that is joined without the encoding is another one.
    const plain = await exchange({}, { authorization: `Basic ${unencoded}` });
    Object.assign(settings, {
      clientSecret: null,
      clientAuthMethods: ["client_secret_post", "client_secret_basic"],
    });
    expect(announced).toMatchObject(
      methods ? { token_endpoint_auth_methods_supported: methods } : { issuer: metadata.issuer },
    );
    expect("token_endpoint_auth_methods_supported" in announced).toBe(methods !== null);
    expect(found).toEqual(statuses);
    expect([both, plain]).toEqual([401, 401]);
  });

  it("create a customer for a new email, and send the webhooks", async () => {
    const token = app.sandbox.storefront.install(SHOP).access_token;
    const subscribe =
      "mutation($uri: String!) { webhookSubscriptionCreate(topic: CUSTOMERS_CREATE, webhookSubscription: { uri: $uri }) { userErrors { message } } }";
    await post(
      `${app.storefront}/admin/api/2026-04/graphql.json`,
      { query: subscribe, variables: { uri: `${app.appUrl}/webhooks/customer-create` } },
      { "X-Shopify-Access-Token": token },
    );
    await signIn(metadata, client, "new@shopper.example");
    await app.sandbox.storefront.echoesSent();
    expect(app.sandbox.storefront.customers(SHOP).at(-1)).toMatchObject({
      email: "new@shopper.example",
    });
    expect(app.received.at(-1)?.path).toBe("/webhooks/customer-create");
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
      `${primary}/.well-known/customer-account-api`,
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
    for (const refused of ["nobody", "", `Bearer ${body.access_token as string}`])
      expect((await ask(refused)).status).toBe(401);
  });

  it("return nobody for a token of another store, or without the API's scope", async () => {
    app.sandbox.storefront.putCustomer(OTHER_SHOP, { email: "ada@shopper.example" });
    const storefront = app.sandbox.addresses.storefrontUrlTemplate;
    const others = app.sandbox.storefront.primaryHost(OTHER_SHOP);
    const foreign = await signIn(
      await discover(storefront.replace("{shop}", others)),
      client,
      "ada@shopper.example",
    );
    const narrow = await signIn(
      metadata,
      { ...client, scope: "openid email" },
      "ada@shopper.example",
    );
    for (const { body } of [foreign, narrow])
      expect(
        (
          await post(
            `${app.storefront}/customer/api/2026-07/graphql`,
            { query: "{ customer { id } }" },
            { authorization: body.access_token as string },
          )
        ).status,
      ).toBe(401);
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
    expect((await leave(`${app.appUrl}/bye`)).headers.get("location")).toBe(`${app.appUrl}/bye`);
    expect(app.sandbox.customerAccounts.logouts()).toEqual([
      expect.objectContaining({
        sub: app.sandbox.customerAccounts.subject(SHOP, gid),
        issuer: metadata.issuer,
      }),
    ]);
  });

  it("of one shop reject the code of another", async () => {
    app.sandbox.storefront.putCustomer(OTHER_SHOP, { email: "ada@shopper.example" });
    const other = await discover(
      app.sandbox.addresses.storefrontUrlTemplate.replace(
        "{shop}",
        app.sandbox.storefront.primaryHost(OTHER_SHOP),
      ),
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
    app.sandbox.failNext("customerAccounts", { status: 503, match: "oauth/token" });
    expect((await signIn(metadata, client, "ada@shopper.example")).status).toBe(503);
    expect(app.sandbox.requests("customerAccounts").at(-1)).toMatchObject({
      method: "POST",
      path: expect.stringContaining("/oauth/token"),
    });
    expect(
      app.sandbox.requests("storefront").some(({ path }) => path.includes("/authentication/")),
    ).toBe(false);
  });
});
