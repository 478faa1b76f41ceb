import { expect, test } from "vitest";
import {
  fromGraphqlCustomer,
  isReadable,
  notFarAhead,
  parseRestCustomer,
} from "../../../app/domain/customers/customer-change.ts";
import { isSettledAt } from "../../../app/domain/tags/storefront-tags.ts";

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
    parseRestCustomer({ admin_graphql_api_id: "gid://shopify/Customer/1", ...names }, null, AT);
  expect(parse({ first_name: "\u202eAda\nB", last_name: "King\u2066" })).toMatchObject(CLEAN);
  expect(parse({ first_name: null })).toMatchObject({ first_name: null, last_name: undefined });
});

test("a field of the storefront's API that has another shape is absent, and the others count", () => {
  const odd = {
    id: "gid://shopify/Customer/1",
    createdAt: "soon",
    updatedAt: AT.toISOString(),
    firstName: ["x"],
    lastName: "King",
    locale: 7,
    tags: "vip",
    numberOfOrders: {},
    amountSpent: null,
    defaultEmailAddress: "ada@example.com",
    defaultPhoneNumber: { phoneNumber: 1, marketingState: null },
    defaultAddress: [{ countryCodeV2: "DE" }],
  };
  const change = fromGraphqlCustomer(odd as never);
  expect(change).toEqual({
    gid: "gid://shopify/Customer/1",
    changedAt: AT,
    last_name: "King",
    language: null,
  });
  expect(isReadable(change)).toBe(true);
  expect(isReadable(fromGraphqlCustomer({ ...odd, id: 7 } as never))).toBe(false);
  expect(isReadable(fromGraphqlCustomer({ ...odd, updatedAt: {} } as never))).toBe(false);
});

test("a change counts as at most ten minutes ahead", () => {
  expect(notFarAhead(new Date("9999-12-31T00:00:00Z"), AT)).toEqual(
    new Date("2026-03-01T10:10:00Z"),
  );
  expect(notFarAhead(AT, AT)).toEqual(AT);
});

const WRITTEN = new Date("2026-11-23T12:00:00.400Z");
const after = (ms: number) => new Date(WRITTEN.getTime() + ms);

test.each<[what: string, at: { tagged: Date | null; changed: number; read?: number }, is: boolean]>(
  [
    ["of a customer whom this service never tagged", { tagged: null, changed: -9_000 }, true],
    ["changed a whole second after our write", { tagged: WRITTEN, changed: 1_000 }, true],
    ["changed in what may be the second of our write", { tagged: WRITTEN, changed: 999 }, false],
    [
      "read longer after it than clocks differ",
      { tagged: WRITTEN, changed: -9_000, read: 5_000 },
      true,
    ],
    ["read sooner after it", { tagged: WRITTEN, changed: -9_000, read: 4_999 }, false],
  ],
)("whether a list of tags is newer than our last write: one %s", (_, at, isNewer) => {
  const times = {
    changedAt: after(at.changed),
    ...(at.read !== undefined && { readAt: after(at.read) }),
  };
  expect(isSettledAt(at.tagged, times)).toBe(isNewer);
});
