// A store's domain that does not answer with its metadata: the platform limits unsigned bots on a store's
// pages, and a proxy of the merchant's may refuse them. The platform's issuer is known by the store's number.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createCustomerAccountClient } from "../../../app/integrations/customer-account-api.ts";
import { createOidcClient, type OidcPlace } from "../../../app/integrations/oidc.ts";
import { createStorefrontClient } from "../../../app/integrations/storefront/storefront-client.ts";
import { createLog } from "../../../app/runtime/log.ts";
import { createOutbound } from "../../../app/runtime/outbound/outbound.ts";

const ISSUER = "https://shopify.com/authentication/954889";
const outbound = createOutbound({ log: createLog("silent"), allow: [] });
const accountsAt = (urlTemplate: string) =>
  createCustomerAccountClient({
    outbound,
    storefront: createStorefrontClient({ outbound, urlTemplate }),
  });
const accounts = accountsAt("https://{shop}");

let answer: { status: number; text: string };
let requests = 0;
let server: Server;
let url: string;
beforeAll(async () => {
  server = createServer((_request, response) => {
    requests += 1;
    response.writeHead(answer.status, { "Retry-After": "1" }).end(answer.text);
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/.well-known/openid-configuration`;
});
afterAll(async () => {
  await outbound.close();
  await new Promise((closed) => server.close(closed));
});

const placeOf = (number: string | undefined, at: string = url): OidcPlace => {
  const store = { domain: "www.store.example", number };
  return {
    url: at,
    issuer: null,
    isTenantAddress: false,
    redirectsWithin: [],
    endpointsOf: (issuer) => accounts.endpointsOf(store, issuer),
    knownIssuer: accounts.issuerOf(store),
  };
};
const discover = (place: OidcPlace) => createOidcClient({ outbound }).discover("storefront", place);
const KNOWN = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/oauth/authorize`,
  token_endpoint: `${ISSUER}/oauth/token`,
  jwks_uri: `${ISSUER}/.well-known/jwks.json`,
};

const PAGE = "<!doctype html><title>Your connection needs to be verified</title>";
it.each([
  [403, PAGE],
  [429, "Too many requests"],
  [430, ""],
  [503, PAGE],
  [200, PAGE],
])("that answers %i %j leaves the platform's issuer of the store", async (status, text) => {
  answer = { status, text };
  expect(await discover(placeOf("954889"))).toEqual(KNOWN);
});

it("whose name does not exist leaves it too", async () => {
  expect(await discover(placeOf("954889", "https://store.invalid/x"))).toEqual(KNOWN);
});

it("is asked again after a while only", async () => {
  answer = { status: 403, text: PAGE };
  const oidc = createOidcClient({ outbound });
  const before = requests;
  for (let visit = 0; visit < 3; visit += 1) await oidc.discover("storefront", placeOf("954889"));
  expect(requests - before).toBe(1);
});

it("fails where the store's number is not known, and where one host answers for all stores", async () => {
  answer = { status: 403, text: PAGE };
  await expect(discover(placeOf(undefined))).rejects.toMatchObject({ status: 403 });
  const one = accountsAt("http://127.0.0.1:4000/storefront/{shop}");
  expect(one.issuerOf({ domain: "a.myshopify.com", number: "954889" })).toBeNull();
});

it.each([
  ["has no customer accounts", { status: 404, text: "" }, { status: 404 }],
  [
    "names another issuer",
    { status: 200, text: JSON.stringify({ ...KNOWN, issuer: "https://evil.example" }) },
    { kind: "malformed" },
  ],
  ["names none", { status: 200, text: "{}" }, { kind: "malformed" }],
])("fails where the store %s", async (_case, given, error) => {
  answer = given;
  await expect(discover(placeOf("954889"))).rejects.toMatchObject(error);
});

it("fails where it redirects to another domain, or to a private address", async () => {
  answer = { status: 302, text: "" };
  await expect(discover(placeOf("954889"))).rejects.toMatchObject({ kind: "foreign_redirect" });
  await expect(discover({ ...placeOf("954889"), isTenantAddress: true })).rejects.toMatchObject({
    kind: "refused_address",
  });
});
