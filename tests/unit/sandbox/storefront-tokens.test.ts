import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  CLIENT_ID,
  CLIENT_SECRET,
  post,
  refreshToken,
  send,
  SHOP,
  startTestApp,
  vendorLibrary,
} from "../../sandbox/sandbox-fixture.ts";
import type { TestApp } from "../../sandbox/sandbox-fixture.ts";

let app: TestApp;
beforeEach(async () => {
  app = await startTestApp();
});
afterEach(() => app.stop());

const tokenUrl = (): string => `${app.storefront}/admin/oauth/access_token`;
const authorizeUrl = (changes: Record<string, string> = {}): string =>
  `${app.storefront}/admin/oauth/authorize?${new URLSearchParams({ client_id: CLIENT_ID, scope: "read_customers,write_customers", redirect_uri: `${app.appUrl}/auth/callback`, state: "s 1+é", auto: "1", ...changes })}`;
const shopStatus = async (token: string): Promise<number> =>
  (
    await send("GET", `${app.storefront}/admin/api/2026-04/shop.json`, undefined, {
      "X-Shopify-Access-Token": token,
    })
  ).status;

async function authorizedCode(): Promise<string> {
  const { headers } = await send("GET", authorizeUrl(), undefined);
  return new URL(headers.get("location") ?? "").searchParams.get("code") ?? "";
}

describe("the grant", () => {
  it("redirects to the app with a signature that the vendor's own library accepts", async () => {
    const reply = await send("GET", authorizeUrl(), undefined);
    expect(reply.status).toBe(302);
    const query = Object.fromEntries(new URL(reply.headers.get("location") ?? "").searchParams);
    expect(query).toMatchObject({ state: "s 1+é", shop: SHOP });
    expect(await vendorLibrary().utils.validateHmac(query)).toBe(true);
    await expect(
      vendorLibrary().utils.validateHmac({ ...query, shop: "other-store.myshopify.com" }),
    ).resolves.toBe(false);
  });

  it("shows the grant screen by default", async () => {
    const reply = await send("GET", authorizeUrl({ auto: "0" }), undefined);
    expect(reply.status).toBe(200);
    expect(reply.body).toContain("Install");
  });

  it("rejects a redirect URI that is not the app's, and an unknown client", async () => {
    expect(
      (await send("GET", authorizeUrl({ redirect_uri: "https://elsewhere.example/cb" }), undefined))
        .status,
    ).toBe(400);
    expect((await send("GET", authorizeUrl({ client_id: "other" }), undefined)).status).toBe(400);
  });

  it.each(["form", "json"])(
    "issues an expiring pair for a code sent as %s, once",
    async (encoding) => {
      const fields = {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        code: await authorizedCode(),
        expiring: "1",
      };
      const redeem = () =>
        encoding === "json"
          ? post(tokenUrl(), fields)
          : post(tokenUrl(), new URLSearchParams(fields).toString(), {
              "content-type": "application/x-www-form-urlencoded",
            });
      const first = await redeem();
      expect(first.body).toMatchObject({
        expires_in: 3600,
        refresh_token_expires_in: 7_776_000,
        // The read scope is implied.
        scope: "write_customers",
      });
      expect(await shopStatus(first.body.access_token)).toBe(200);
      expect((await redeem()).status).toBe(400);
    },
  );

  it("issues a token that the Admin API rejects when the app did not request an expiring one", async () => {
    const reply = await post(tokenUrl(), {
      client_id: CLIENT_ID,
      client_secret: CLIENT_SECRET,
      code: await authorizedCode(),
    });
    expect(reply.body.refresh_token).toBeUndefined();
    expect(await shopStatus(reply.body.access_token)).toBe(403);
  });

  it("rejects a wrong client secret with 401", async () => {
    const reply = await post(tokenUrl(), {
      client_id: CLIENT_ID,
      client_secret: "wrong",
      code: await authorizedCode(),
      expiring: "1",
    });
    expect(reply.status).toBe(401);
  });
});

describe("refresh", () => {
  it("works once per refresh token, and the old access token stays valid", async () => {
    const pair = app.sandbox.storefront.install(SHOP);
    const first = await refreshToken(app, pair.refresh_token);
    expect(first.status).toBe(200);
    expect(first.body.refresh_token).not.toBe(pair.refresh_token);
    const second = await refreshToken(app, pair.refresh_token);
    expect(second).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
    expect(await shopStatus(pair.access_token)).toBe(200);
    expect(app.sandbox.storefront.refreshCalls(SHOP).map(({ outcome }) => outcome)).toEqual([
      "rotated",
      "refused",
    ]);
  });

  it("in retry mode returns the same pair again until the replacement is used", async () => {
    app.sandbox.storefront.settings.refreshRetry = "until_replacement_used";
    const pair = app.sandbox.storefront.install(SHOP);
    const first = await refreshToken(app, pair.refresh_token);
    const again = await refreshToken(app, pair.refresh_token);
    expect([again.body.access_token, again.body.refresh_token]).toEqual([
      first.body.access_token,
      first.body.refresh_token,
    ]);
    expect((await refreshToken(app, first.body.refresh_token)).status).toBe(200);
    expect((await refreshToken(app, pair.refresh_token)).status).toBe(400);
  });

  it("a lost response has taken effect: the strict platform rejects the second attempt", async () => {
    const pair = app.sandbox.storefront.install(SHOP);
    app.sandbox.failNext("storefront", { dropReply: true, match: "/admin/oauth/access_token" });
    await expect(refreshToken(app, pair.refresh_token)).rejects.toThrow();
    expect((await refreshToken(app, pair.refresh_token)).status).toBe(400);
  });

  it("is rejected after revocation, and with 401 after an uninstall", async () => {
    const pair = app.sandbox.storefront.install(SHOP);
    app.sandbox.storefront.revokeRefreshToken(SHOP);
    expect((await refreshToken(app, pair.refresh_token)).status).toBe(400);
    await app.sandbox.storefront.uninstall(SHOP);
    expect((await refreshToken(app, pair.refresh_token)).status).toBe(401);
    expect(await shopStatus(pair.access_token)).toBe(401);
  });

  it("an expired access token is rejected with 401", async () => {
    const pair = app.sandbox.storefront.install(SHOP);
    app.sandbox.storefront.expireAccessTokens(SHOP);
    expect(await shopStatus(pair.access_token)).toBe(401);
  });
});

describe("token exchange", () => {
  const exchange = (subjectToken: string) =>
    post(tokenUrl(), {
      client_id: CLIENT_ID,
      client_secret: CLIENT_SECRET,
      grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
      subject_token: subjectToken,
      subject_token_type: "urn:ietf:params:oauth:token-type:id_token",
      requested_token_type: "urn:shopify:params:oauth:token-type:offline-access-token",
      expiring: "1",
    });

  it("issues a new pair for a session token of this shop and retires the earlier refresh token", async () => {
    const pair = app.sandbox.storefront.install(SHOP);
    const reply = await exchange(await app.sandbox.storefront.sessionToken(SHOP));
    expect(reply.status).toBe(200);
    expect(await shopStatus(reply.body.access_token)).toBe(200);
    expect((await refreshToken(app, pair.refresh_token)).status).toBe(400);
  });

  it("accepts session tokens that the vendor's own library accepts", async () => {
    app.sandbox.storefront.install(SHOP);
    const claims = await vendorLibrary().session.decodeSessionToken(
      await app.sandbox.storefront.sessionToken(SHOP),
    );
    expect(claims).toMatchObject({
      iss: `https://${SHOP}/admin`,
      dest: `https://${SHOP}`,
      aud: CLIENT_ID,
      sub: "1",
    });
  });

  it("rejects a session token of another shop or of none", async () => {
    app.sandbox.storefront.install(SHOP);
    app.sandbox.storefront.install("other-store.myshopify.com");
    expect(
      await exchange(await app.sandbox.storefront.sessionToken("other-store.myshopify.com")),
    ).toMatchObject({ status: 400, body: { error: "invalid_subject_token" } });
    expect((await exchange("not.a.token")).status).toBe(400);
  });
});

it("tokens and customers survive a restart", async () => {
  const directory = mkdtempSync(join(tmpdir(), "sandbox-state-"));
  const stateFile = join(directory, "nested", "sandbox.json");
  const before = await startTestApp({ stateFile });
  const pair = before.sandbox.storefront.install(SHOP);
  const { gid } = before.sandbox.storefront.putCustomer(SHOP, { firstName: "Ada" });
  await before.stop();
  const after = await startTestApp({ stateFile });
  try {
    expect((await refreshToken(after, pair.refresh_token)).status).toBe(200);
    expect(after.sandbox.storefront.customer(SHOP, gid)?.firstName).toBe("Ada");
  } finally {
    await after.stop();
    rmSync(directory, { recursive: true });
  }
});
