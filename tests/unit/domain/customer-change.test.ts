import { expect, test } from "vitest";
import {
  fromGraphqlCustomer,
  parseRestCustomer,
} from "../../../app/domain/customers/customer-change.ts";

const AT = new Date("2026-03-01T10:00:00Z");
const CLEAN = { first_name: "Ada B", last_name: "King" };

test("a name of the storefront's API is one line that cannot turn the direction of text", () => {
  const change = fromGraphqlCustomer({
    id: "gid://shopify/Customer/1",
    createdAt: AT.toISOString(),
    updatedAt: AT.toISOString(),
    firstName: "\u202eAda\nB",
    lastName: "King\u2066",
    locale: null,
    tags: [],
    numberOfOrders: "0",
    amountSpent: { amount: "0" },
  });
  expect(change).toMatchObject(CLEAN);
});

test("a name of the storefront's webhook is one line that cannot turn the direction of text", () => {
  const parse = (names: object) =>
    parseRestCustomer(
      { admin_graphql_api_id: "gid://shopify/Customer/1", ...names },
      "{}",
      null,
      AT,
    );
  expect(parse({ first_name: "\u202eAda\nB", last_name: "King\u2066" })).toMatchObject(CLEAN);
  expect(parse({ first_name: null })).toMatchObject({ first_name: null, last_name: undefined });
});
