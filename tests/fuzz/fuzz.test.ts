// The fuzzer detects each kind of fault, and a seed repeats its requests.
import { describe, expect, it } from "vitest";
import { spoil } from "./hostile.ts";
import { createChance } from "./random.ts";
import { makeRequest, type Operation } from "./requests.ts";
import { findFaults, SLOWEST_MS, type Heard } from "./verdict.ts";
import { SECRETS, type TestApp } from "./test-app.ts";

const heard = (changes: Partial<Heard>): Heard => ({
  method: "GET",
  status: 200,
  headers: "content-type: application/json",
  text: "{}",
  ms: 5,
  ...changes,
});

describe("a response is a fault", () => {
  it.each<[string, Partial<Heard>, string]>([
    ["of 500", { status: 500, text: '{"code":"internal_error"}' }, "answered 500"],
    ["of 500 to HEAD", { method: "HEAD", status: 500, text: "" }, "answered 500"],
    ["of 503 without a code", { status: 503, text: "" }, "answered 503"],
    ["after more than 5 s", { ms: SLOWEST_MS + 1 }, "took 5001 ms"],
    ["with a secret in its body", { text: SECRETS["the app secret"] }, "holds the app secret"],
    [
      "with a secret in a header",
      { headers: `location: /?k=${SECRETS["the admin key"]}` },
      "holds the admin key",
    ],
    [
      "with another store's person",
      { text: SECRETS["the neighbour's data"] },
      "holds the neighbour's data",
    ],
    [
      "with a stack trace",
      { text: "Error: x\n    at handle (file:///srv/app/http/endpoint.ts:12:3)" },
      "holds a stack trace",
    ],
    [
      "with the database's words",
      { text: 'error: syntax error at or near "x"' },
      "holds a message of the database",
    ],
  ])("%s", (_, changes, fault) => {
    expect(findFaults(heard(changes), "shopper")).toContain(fault);
  });
});

describe("a response is no fault", () => {
  it.each<[string, Partial<Heard>]>([
    ["of 200", {}],
    ["of 502 to HEAD, which has no body to tell why", { method: "HEAD", status: 502, text: "" }],
    ["of 400", { status: 400, text: '{"code":"invalid_request"}' }],
    [
      "that tells of a storefront that is away",
      { status: 502, text: '{"code":"storefront_unavailable"}' },
    ],
  ])("%s", (_, changes) => {
    expect(findFaults(heard(changes), "shopper")).toEqual([]);
  });

  it("that shows another store's person to that store", () => {
    const text = SECRETS["the neighbour's data"] as string;
    expect(findFaults(heard({ text }), "other_stores_admin")).toEqual([]);
  });
});

const operation: Operation = {
  method: "POST",
  path: "/auth/login",
  parameters: [{ name: "shop", in: "query", schema: { type: "string" } }],
  body: {
    type: "object",
    properties: { email: { type: "string" }, password: { type: "string" } },
  },
  isSigned: false,
};
const app = { headersOf: () => ({}), sign: () => "" } as unknown as TestApp;
const requestOf = (seed: number, index: number) =>
  makeRequest(app, operation, createChance(seed, index));

it("the same seed and number make the same request, others another", () => {
  expect(requestOf(7, 3)).toEqual(requestOf(7, 3));
  const made = Array.from({ length: 50 }, (_, index) => JSON.stringify(requestOf(7, index)));
  expect(new Set(made).size).toBeGreaterThan(40);
});

it("one part of a body is replaced, and the rest stays", () => {
  const good = { email: "ada@example.com", password: "correct horse battery" };
  const spoiled = Array.from({ length: 200 }, (_, index) => spoil(good, createChance(1, index)));
  const kept = spoiled.filter(
    (one) => (one as typeof good | null)?.password === good.password && one !== good,
  );
  expect(kept.length).toBeGreaterThan(40);
});
