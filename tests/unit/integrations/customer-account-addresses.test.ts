// The addresses of the platform's customer accounts: a store's domain, whose DNS is the merchant's, chooses
// only the number in them.
import { afterAll, expect, it } from "vitest";
import { createCustomerAccountClient } from "../../../app/integrations/customer-account-api.ts";
import { createStorefrontClient } from "../../../app/integrations/storefront/storefront-client.ts";
import { createLog } from "../../../app/runtime/log.ts";
import { createOutbound } from "../../../app/runtime/outbound/outbound.ts";

const outbound = createOutbound({ log: createLog("silent"), allow: [] });
afterAll(() => outbound.close());
const clientAt = (urlTemplate: string) =>
  createCustomerAccountClient({
    outbound,
    storefront: createStorefrontClient({ outbound, urlTemplate }),
  });

it("are below the platform's issuer, also for a store with its own accounts domain", () => {
  const issuer = "https://shopify.com/authentication/954889";
  expect(clientAt("https://{shop}").endpointsOf({ domain: "www.store.example" }, issuer)).toEqual({
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
  });
});

it.each([
  "https://www.store.example",
  "https://www.store.example/authentication/954889",
  "http://shopify.com/authentication/954889",
  "https://shopify.com.evil.example/authentication/954889",
  "https://user@shopify.com/authentication/954889",
  "https://shopify.com:8443/authentication/954889",
  "https://shopify.com/authentication/",
  "https://shopify.com/authentication/954889/../../evil",
  "https://shopify.com/authentication/954889?x=/",
  "https://shopify.com/authentication/954889#",
  "https://shopify.com/authentication/954889\n",
  "shopify.com/authentication/954889",
  "",
])("do not exist for the issuer %j", (issuer) => {
  expect(
    clientAt("https://{shop}").endpointsOf({ domain: "www.store.example" }, issuer),
  ).toBeNull();
});

it("do not exist for the issuer of another store", () => {
  const store = { domain: "www.store.example", number: "889" };
  const named = (number: string) =>
    clientAt("https://{shop}").endpointsOf(store, `https://shopify.com/authentication/${number}`);
  expect(named("889")).not.toBeNull();
  for (const number of ["954889", "8890", "1"]) expect(named(number)).toBeNull();
});

it("are those of the metadata where one host of the operator answers for all stores", () => {
  const client = clientAt("http://127.0.0.1:4000/storefront/{shop}");
  expect(client.endpointsOf({ domain: "a.myshopify.com" }, "http://127.0.0.1:4000/x")).toEqual({});
});
