// The sandbox counts the cost of a query as the platform does, and refuses what the bucket cannot pay.
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import {
  BULK_OPERATION_RUN,
  bulkCustomers,
  CUSTOMER,
  CUSTOMERS_PAGE,
  SHOP as SHOP_QUERY,
  TAGS_ADD,
} from "../../../app/integrations/storefront/documents.ts";
import { VARIANTS } from "../../../app/integrations/storefront/commerce-documents.ts";
import { graphql, SHOP, startTestApp, type TestApp } from "../../sandbox/sandbox-fixture.ts";

let app: TestApp;
let token: string;
let gid: string;

beforeAll(async () => {
  app = await startTestApp({ storefront: { echoWebhooks: false } });
});
afterAll(() => app.stop());
beforeEach(() => {
  const { storefront } = app.sandbox;
  token = storefront.install(SHOP, { scope: "write_customers,read_products" }).access_token;
  ({ gid } = storefront.putCustomer(SHOP, {
    gid: "gid://shopify/Customer/7",
    email: "a@b.example",
  }));
  Object.assign(storefront.settings.graphqlCost, { restoreRate: 0, connections: "measured" });
  storefront.setAvailableCost(SHOP, 2_000);
});

const cost = async (document: string, variables: Record<string, unknown> = {}) =>
  (await graphql(app, token, document, variables)).body.extensions.cost;
const page = (first: number) => ({ first, after: null, query: null });

it("by default is the standard plan's: 2,000 points, 100 a second, 1,000 for one query", async () => {
  const other = await startTestApp();
  expect(other.sandbox.storefront.settings.graphqlCost).toMatchObject({
    maximumAvailable: 2_000,
    restoreRate: 100,
    maximumQueryCost: 1_000,
  });
  await other.stop();
});

it("is 1 for an object, 10 for a mutation, and grows with the page of a connection", async () => {
  expect((await cost(SHOP_QUERY)).requestedQueryCost).toBe(1);
  expect((await cost(CUSTOMER, { id: gid })).requestedQueryCost).toBe(5);
  expect(await cost(TAGS_ADD, { id: gid, tags: ["a"] })).toMatchObject({
    requestedQueryCost: 10,
    actualQueryCost: 10,
  });
  const [small, large] = [
    await cost(CUSTOMERS_PAGE, page(5)),
    await cost(CUSTOMERS_PAGE, page(250)),
  ];
  expect(large.requestedQueryCost).toBeGreaterThan(small.requestedQueryCost);
});

it("takes the actual cost from the bucket of that store and returns the rest of the requested one", async () => {
  const { requestedQueryCost, actualQueryCost, throttleStatus } = await cost(
    CUSTOMERS_PAGE,
    page(250),
  );
  expect(actualQueryCost).toBeLessThan(requestedQueryCost);
  expect(throttleStatus).toEqual({
    maximumAvailable: 2_000,
    currentlyAvailable: 2_000 - actualQueryCost,
    restoreRate: 0,
  });
});

it("refuses a query that the bucket cannot pay in full, and takes nothing for it", async () => {
  app.sandbox.storefront.setAvailableCost(SHOP, 4);
  const reply = await graphql(app, token, CUSTOMER, { id: gid });
  expect(reply).toMatchObject({
    status: 200,
    body: {
      errors: [{ message: "Throttled", extensions: { code: "THROTTLED" } }],
      extensions: {
        cost: {
          requestedQueryCost: 5,
          actualQueryCost: null,
          throttleStatus: { currentlyAvailable: 4 },
        },
      },
    },
  });
  expect(reply.body.data).toBeUndefined();
});

it("cannot be paid twice with the same points", async () => {
  app.sandbox.storefront.setAvailableCost(SHOP, 29);
  const replies = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      graphql(app, token, TAGS_ADD, { id: gid, tags: [`t${index}`] }),
    ),
  );
  expect(replies.filter(({ body }) => body.data)).toHaveLength(2);
});

it("above 1,000 points is refused for good, whatever the bucket holds", async () => {
  app.sandbox.storefront.settings.graphqlCost.connections = "page";
  const reply = await graphql(app, token, CUSTOMERS_PAGE, page(250));
  expect(reply.body).toMatchObject({
    errors: [{ extensions: { code: "MAX_COST_EXCEEDED", maxCost: 1_000 } }],
  });
  expect((await graphql(app, token, CUSTOMERS_PAGE, page(100))).body.errors).toBeUndefined();
});

it("is not counted for a list of more than 250 values, which is refused", async () => {
  const ids = (length: number) => ({
    ids: Array.from({ length }, (_, index) => `gid://shopify/ProductVariant/${index + 1}`),
  });
  expect((await graphql(app, token, VARIANTS, ids(251))).body).toMatchObject({
    errors: [{ extensions: { code: "MAX_INPUT_SIZE_EXCEEDED" } }],
  });
  expect((await graphql(app, token, VARIANTS, ids(250))).body.errors).toBeUndefined();
});

it("is not that of the REST API, which takes 40 calls at once and says when the next one fits", async () => {
  const read = async () => {
    const answer = await fetch(`${app.storefront}/admin/api/2026-04/shop.json`, {
      headers: { "X-Shopify-Access-Token": token },
    });
    await answer.text();
    return answer;
  };
  const answers: Response[] = [];
  for (let call = 0; call < 60 && answers.at(-1)?.status !== 429; call += 1)
    answers.push(await read());
  expect(answers.length).toBeGreaterThan(40);
  expect(answers[0]?.headers.get("x-shopify-shop-api-call-limit")).toBe("1/40");
  expect(answers.at(-1)?.headers.get("retry-after")).toBe("2.0");
});

it("does not limit bulk operations, of which five run at a time", async () => {
  const run = async () =>
    (await graphql(app, token, BULK_OPERATION_RUN, { query: bulkCustomers(null) })).body.data
      .bulkOperationRunQuery;
  for (let count = 0; count < 5; count += 1) expect((await run()).userErrors).toEqual([]);
  expect(await run()).toMatchObject({
    bulkOperation: null,
    userErrors: [{ code: "LIMIT_REACHED" }],
  });
});
