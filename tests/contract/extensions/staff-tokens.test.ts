// Who may open the screens of the store admin: staff. The tokens of customer accounts have the same
// secret, audience and life.
import { SignJWT } from "jose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { storeGrant } from "../../../app/domain/tenants/storefront/access-token.ts";
import { changeTenantRecord, registerTenant } from "../../../app/domain/tenants/tenant-record.ts";
import { APP, startTestApp, type TestApp } from "../../support/browser/screens-server.ts";

const SHOP = "staff-tokens.myshopify.com";
const GID = "gid://shopify/Customer/9007199254740993";
const STAFF = { iss: `https://${SHOP}/admin`, dest: `https://${SHOP}`, sub: "42", sid: "s-1" };
const AGENT = { "User-Agent": "Mozilla/5.0 (X11; Linux x86_64) Chrome/153.0.0.0 Safari/537.36" };

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ withScreens: true });
  const reply = app.sandbox.storefront.install(SHOP);
  await registerTenant(app.ctx, SHOP);
  await storeGrant(app.ctx, SHOP, {
    accessToken: reply.access_token,
    refreshToken: reply.refresh_token ?? null,
    expiresIn: 3_600,
    scopes: reply.scope.split(","),
  });
});
afterAll(() => app?.stop());

const token = (claims: Record<string, unknown>) => {
  const now = Math.floor(Date.now() / 1_000);
  return new SignJWT({ aud: APP.clientId, nbf: now, iat: now, exp: now + 60, jti: "1", ...claims })
    .setProtectedHeader({ alg: "HS256" })
    .sign(new TextEncoder().encode(APP.clientSecret));
};

const NOT_STAFF: [what: string, claims: Record<string, unknown>][] = [
  ["a customer's token", { dest: SHOP, sub: GID }],
  ["a customer's token with an address for its store", { dest: `https://${SHOP}`, sub: GID }],
  ["a customer's token with the store as issuer", { ...STAFF, iss: `https://${SHOP}`, sub: GID }],
  ["a customer's token with the admin as issuer", { ...STAFF, sub: GID }],
  ["a token that names nobody", { ...STAFF, sub: undefined }],
  ["a token without an issuer", { ...STAFF, iss: undefined }],
  ["another store's issuer", { ...STAFF, iss: "https://other.myshopify.com/admin" }],
];

const SCREENS = ["/app", "/app/customers", "/app/settings/connection", "/app/consent"];

test.each(NOT_STAFF)("%s opens no screen of the admin and changes nothing", async (_, claims) => {
  const key = await token(claims);
  const before = app.sandbox.requests("storefront").length;
  for (const path of SCREENS) {
    const bearer = await fetch(`${app.url}${path}.data`, {
      headers: { ...AGENT, Authorization: `Bearer ${key}` },
      redirect: "manual",
    });
    expect([path, bearer.status]).toEqual([path, 401]);
    const query = `embedded=1&shop=${SHOP}&host=${btoa(`admin.shopify.com/store/x`)}&id_token=${key}`;
    const page = await fetch(`${app.url}${path}?${query}`, { headers: AGENT, redirect: "manual" });
    expect([path, page.status]).toEqual([path, 401]);
    // The library reads the token of a header with the scheme in an odd place too.
    const odd = await fetch(`${app.url}${path}.data`, {
      headers: { ...AGENT, Authorization: `${key.slice(0, 9)}Bearer ${key.slice(9)}` },
      redirect: "manual",
    });
    expect([path, odd.status]).toEqual([path, 401]);
  }
  const change = await fetch(`${app.url}/app/settings/connection.data`, {
    method: "POST",
    headers: { ...AGENT, Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    body: JSON.stringify({ intent: "rename" }),
    redirect: "manual",
  });
  expect(change.status).toBe(401);
  expect(app.sandbox.requests("storefront")).toHaveLength(before);
});

test("a staff member's token opens them", async () => {
  const key = await token(STAFF);
  for (const path of SCREENS) {
    const answer = await fetch(`${app.url}${path}.data`, {
      headers: { ...AGENT, Authorization: `Bearer ${key}` },
      redirect: "manual",
    });
    expect([path, answer.status]).toEqual([path, 200]);
  }
});

test.each(NOT_STAFF)("%s is refused by the extensions of the admin", async (_, claims) => {
  const answer = await fetch(`${app.url}/extensions/admin/customer?id=${GID}`, {
    headers: { ...AGENT, Authorization: `Bearer ${await token(claims)}` },
  });
  expect(answer.status).toBe(401);
});

test("a staff member's token from before the uninstall shows and changes nothing while the platform exchanges it for no access", async () => {
  await changeTenantRecord(app.ctx, SHOP, {
    remove: ["storefront_admin_token", "storefront_refresh_token", "storefront_token_expires_at"],
    connection: { token_state: null, uninstalled_at: new Date().toISOString() },
  });
  app.sandbox.failNext(
    "storefront",
    { status: 400, body: { error: "invalid_request" }, match: "access_token" },
    50,
  );
  const headers = { ...AGENT, Authorization: `Bearer ${await token(STAFF)}` };
  const ask = async (path: string, init: RequestInit = {}) => {
    const answer = await fetch(`${app.url}${path}`, { redirect: "manual", ...init, headers });
    return [path, answer.status];
  };
  for (const path of ["/app/customers.data", "/app/customers/export", "/app/consent/export"])
    expect(await ask(path)).toEqual([path, 409]);
  const change = { method: "POST", body: new URLSearchParams({ intent: "create", name: "New" }) };
  expect(await ask("/app/tags.data", change)).toEqual(["/app/tags.data", 409]);
  expect(await ask("/app.data")).toEqual(["/app.data", 200]);
});
