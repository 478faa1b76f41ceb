// The sandbox withholds customer data that the app is not approved for, as the platform does.
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import {
  BULK_OPERATION,
  BULK_OPERATION_RUN,
  bulkCustomers,
  CUSTOMER,
  CUSTOMERS_SAMPLE,
  WEBHOOK_SUBSCRIPTION_CREATE,
} from "../../../app/integrations/storefront/documents.ts";
import { graphql, post, SHOP, startTestApp, type TestApp } from "../../sandbox/sandbox-fixture.ts";

const OTHER = "approved-store.myshopify.com";
const EVERYTHING = ["name", "email", "phone", "address"] as const;
let app: TestApp;
let token: string;
let gid: string;

beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());
beforeEach(() => {
  token = app.sandbox.storefront.install(SHOP).access_token;
  app.sandbox.storefront.withholdData(SHOP, []);
  gid = app.sandbox.storefront.putCustomer(SHOP, {
    gid: "gid://shopify/Customer/41",
    firstName: "Ada",
    lastName: "Byron",
    email: "ada@shopper.example",
    phone: "+4915112345678",
    countryCode: "DE",
  }).gid;
});

it("answers all fields of a store whose app is approved, which is the default", async () => {
  const reply = await graphql(app, token, CUSTOMER, { id: gid });
  expect(reply.body.errors).toBeUndefined();
  expect(reply.body.data.customer).toMatchObject({ firstName: "Ada" });
});

it("answers null in every withheld field, beside one error with its code and path", async () => {
  app.sandbox.storefront.withholdData(SHOP, [...EVERYTHING]);
  const reply = await graphql(app, token, CUSTOMER, { id: gid });
  expect(reply.status).toBe(200);
  expect(reply.body.data.customer).toMatchObject({
    id: gid,
    firstName: null,
    lastName: null,
    defaultEmailAddress: null,
    defaultPhoneNumber: null,
    defaultAddress: null,
    numberOfOrders: "0",
  });
  expect(reply.body.errors).toHaveLength(5);
  expect(reply.body.errors[0]).toMatchObject({
    message: expect.stringContaining("This app is not approved to use the firstName field."),
    path: ["customer", "firstName"],
    extensions: { code: "ACCESS_DENIED" },
  });
  expect(reply.body.errors.map(({ path }: { path: string[] }) => path.join(".")).sort()).toEqual([
    "customer.defaultAddress",
    "customer.defaultEmailAddress.emailAddress",
    "customer.defaultPhoneNumber.phoneNumber",
    "customer.firstName",
    "customer.lastName",
  ]);
});

it("withholds one part alone, and only in its store", async () => {
  app.sandbox.storefront.withholdData(SHOP, ["phone"]);
  const own = await graphql(app, token, CUSTOMERS_SAMPLE, { first: 1 });
  expect(own.body.data.customers.nodes[0]).toMatchObject({
    firstName: "Ada",
    defaultPhoneNumber: null,
  });
  const other = app.sandbox.storefront.install(OTHER).access_token;
  app.sandbox.storefront.putCustomer(OTHER, { gid, phone: "+4915112345678" });
  const reply = await post(
    `${app.storefront.replace(SHOP, OTHER)}/admin/api/2026-04/graphql.json`,
    { query: CUSTOMER, variables: { id: gid } },
    { "X-Shopify-Access-Token": other },
  );
  expect(reply.body.data.customer.defaultPhoneNumber.phoneNumber).toBe("+4915112345678");
});

it("refuses customers whole, and their webhook topics, without the approval for customers", async () => {
  app.sandbox.storefront.withholdData(SHOP, ["customers"]);
  const reply = await graphql(app, token, CUSTOMERS_SAMPLE, { first: 1 });
  expect(reply.body).toMatchObject({
    data: null,
    errors: [
      {
        message: expect.stringContaining("This app is not approved to access the Customer object."),
        path: ["customers"],
        extensions: { code: "ACCESS_DENIED" },
      },
    ],
  });
  const subscribed = await graphql(app, token, WEBHOOK_SUBSCRIPTION_CREATE, {
    topic: "CUSTOMERS_UPDATE",
    webhookSubscription: { uri: `${app.appUrl}/hook` },
  });
  expect(subscribed.body.data.webhookSubscriptionCreate).toMatchObject({
    webhookSubscription: null,
    userErrors: [{ message: expect.stringContaining("protected customer data") }],
  });
});

it("fails a bulk operation that asks for a withheld field, and completes one that does not", async () => {
  app.sandbox.storefront.withholdData(SHOP, ["email"]);
  const run = async (query: string) => {
    const started = await graphql(app, token, BULK_OPERATION_RUN, { query });
    const { id } = started.body.data.bulkOperationRunQuery.bulkOperation;
    for (;;) {
      const { body } = await graphql(app, token, BULK_OPERATION, { id });
      if (body.data.bulkOperation.status !== "RUNNING") return body.data.bulkOperation;
    }
  };
  expect(await run(bulkCustomers(null))).toMatchObject({
    status: "FAILED",
    errorCode: "ACCESS_DENIED",
    url: null,
  });
  expect(await run(bulkCustomers(null, false))).toMatchObject({ status: "COMPLETED" });
});

it("sends null in the withheld fields of a webhook, and the whole person in a privacy request", async () => {
  app.sandbox.storefront.withholdData(SHOP, [...EVERYTHING]);
  const uri = `${app.appUrl}/hook`;
  const [update] = await app.sandbox.storefront.sendWebhook(SHOP, "customers/update", gid, {
    uri,
  });
  expect(JSON.parse(update?.payload ?? "")).toMatchObject({
    admin_graphql_api_id: gid,
    email: null,
    first_name: null,
    last_name: null,
    phone: null,
    default_address: null,
  });
  const [redact] = await app.sandbox.storefront.sendWebhook(SHOP, "customers/redact", gid, {
    uri,
  });
  expect(redact?.payload).toContain("ada@shopper.example");
});

it("withholds what a control call names, and rejects a part that does not exist", async () => {
  const change = (withheld: unknown) =>
    post(`${app.sandbox.url}/_control/protected-data`, { shop: SHOP, withheld });
  expect((await change(["name"])).status).toBe(200);
  const reply = await graphql(app, token, CUSTOMER, { id: gid });
  expect(reply.body.data.customer.firstName).toBeNull();
  expect((await change(["everything"])).status).toBe(400);
});
