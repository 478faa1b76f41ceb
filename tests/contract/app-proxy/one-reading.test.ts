// A text that the platform signed for a visitor has one reading or is rejected.
import { createHmac } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  LOCALE_SHAPE,
  PATH_SHAPE,
  requireOneReading,
  requireProxiedRequest,
  type ProxiedRequest,
  type ProxyParameters,
} from "../../../app/http/auth/app-proxy.ts";
import { endpoint } from "../../../app/http/endpoint.ts";
import { getTenant, type Tenant } from "../../../app/domain/tenants/tenant.ts";
import { isAppError } from "../../../app/runtime/errors.ts";
import { APP_SECRET, OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";

const VICTIM = "9007199254740993";
const PARAMETERS = { locale: LOCALE_SHAPE, return_to: PATH_SHAPE, error: /^[a-z_]{1,40}$/ };
const NAMES = [
  ...Object.keys(PARAMETERS),
  "shop",
  "timestamp",
  "path_prefix",
  "logged_in_customer_id",
];
type Pair = [name: string, value: string];

let service: Service;
let tenant: Tenant;
beforeAll(async () => {
  service = await startService();
  await service.addTenant(SHOP);
  await service.addTenant(OTHER_SHOP);
  tenant = await getTenant(service.ctx, SHOP);
});
afterAll(() => service.stop());

const platformPairs = (customer: string): Pair[] => [
  ["logged_in_customer_id", customer],
  ["path_prefix", "/apps/crm"],
  ["shop", SHOP],
  ["timestamp", String(Math.floor(Date.now() / 1_000))],
];
const textOf = (pairs: readonly Pair[]) =>
  pairs
    .map(([name, value]) => `${name}=${value}`)
    .sort()
    .join("");

/** Every split of the text into known names, each followed by `=` and a value. */
function readingsOf(text: string): Pair[][] {
  const starts = [...text.matchAll(/=/g)].flatMap(({ index }) =>
    NAMES.filter((name) => text.slice(0, index).endsWith(name)).map((name) => ({
      at: index - name.length,
      end: index + 1,
      name,
    })),
  );
  const readings: Pair[][] = [];
  const walk = (at: number, read: Pair[]): void => {
    for (const start of starts.filter((one) => one.at === at)) {
      readings.push([...read, [start.name, text.slice(start.end)]]);
      for (const next of starts.filter((one) => one.at >= start.end))
        walk(next.at, [...read, [start.name, text.slice(start.end, next.at)]]);
    }
  };
  walk(0, []);
  return readings;
}

function accept(
  pairs: readonly Pair[],
  text: string,
  parameters: ProxyParameters = PARAMETERS,
): ProxiedRequest | null {
  const signature = createHmac("sha256", APP_SECRET).update(text).digest("hex");
  const query = new URLSearchParams([...pairs, ["signature", signature]]);
  try {
    return requireProxiedRequest(service.ctx, query, tenant, parameters);
  } catch (error) {
    if (!isAppError(error)) throw error;
    return null;
  }
}

// What a visitor adds to the address to make the platform's own parameters ambiguous.
const VISITORS: Pair[][] = [
  [],
  [["locale", "en"]],
  [["a", `xlogged_in_customer_id=${VICTIM}m=`]],
  [["locale", `enlogged_in_customer_id=${VICTIM}`]],
  [["error", `xlogged_in_customer_id=${VICTIM}`]],
  [["error", `xlocale=enlogged_in_customer_id=${VICTIM}m=`]],
  [
    ["error", "x"],
    [`locale`, `enlogged_in_customer_id=${VICTIM}path_prefix=/apps/crmreturn_to=/`],
  ],
  [["", `logged_in_customer_id=${VICTIM}`]],
  [[`logged_in_customer_id=${VICTIM}locale`, "en"]],
  [["logged_in_customer_id9", "1"]],
  [["logged_in_customer_ie", "1"]],
  [["lolocale", "en"]],
  [["mlocale", "en"]],
  [[`return_to`, `/xshop=${OTHER_SHOP}timestamp=1`]],
  [[`rshop`, OTHER_SHOP]],
  [[`return_to`, `/xshop=${OTHER_SHOP}`]],
  [["timestamp9", "1"]],
  [["z", "1"]],
  [["locale", "en,frlogged_in_customer_id=1"]],
  [
    ["error", `logged_in_customer_id=${VICTIM}`],
    ["locale", "en"],
    ["return_to", "/x"],
  ],
];

describe("a text that was signed for a visitor", () => {
  it.each(["", "77"])("of customer '%s' never identifies another customer", (customer) => {
    let [tried, accepted] = [0, 0];
    for (const visitor of VISITORS) {
      const truth = platformPairs(customer);
      const text = textOf([...truth, ...visitor]);
      const readings = readingsOf(text);
      tried += readings.length;
      for (const reading of [[...truth, ...visitor], ...readings]) {
        const proven = accept(reading, text);
        if (!proven) continue;
        accepted += 1;
        const expected = new Map(reading);
        expect([proven.customerGid, expected.get("shop"), expected.get("timestamp")]).toEqual([
          customer ? `gid://shopify/Customer/${customer}` : null,
          SHOP,
          truth[3]?.[1],
        ]);
      }
    }
    expect(tried).toBeGreaterThan(100);
    // The two honest visitors, each in their own order and sorted.
    expect(accepted).toBe(4);
  });
});

describe("a platform that leaves the customer out where none is signed in", () => {
  it("is accepted, and identifies nobody", () => {
    const pairs = platformPairs("").filter(([name]) => name !== "logged_in_customer_id");
    for (const visitor of [[], [["locale", "en"]]] as Pair[][])
      expect(accept([...pairs, ...visitor], textOf([...pairs, ...visitor]))).toEqual({
        pathPrefix: "/apps/crm",
        customerGid: null,
      });
    for (const name of ["shop", "timestamp", "path_prefix"]) {
      const fewer = pairs.filter(([other]) => other !== name);
      expect(accept(fewer, textOf(fewer))).toBeNull();
    }
  });
});

describe("a parameter whose shape allows every sign", () => {
  it.each(["=", ",", "&"])("still has no value with %s, which separates what is signed", (sign) => {
    const withValue = (value: string): Pair[] => [...platformPairs("77"), ["note", value]];
    const read = (value: string) =>
      accept(withValue(value), textOf(withValue(value)), { note: /^.+$/ });
    expect(read("ab")?.customerGid).toBe("gid://shopify/Customer/77");
    expect(read(`a${sign}b`)).toBeNull();
  });
});

describe("ambiguous parameters of a route", () => {
  it.each([
    ["shop", "is the platform's own"],
    ["workshop", "ends with one of the platform's"],
    ["id", "ends one of the platform's"],
    ["my_locale", "ends with another one"],
    ["Locale", "is not in small letters"],
    ["", "is empty"],
  ])("are rejected at process start: %s %s", (name) => {
    const parameters = { locale: LOCALE_SHAPE, [name]: /^x$/ };
    expect(() => requireOneReading(parameters)).toThrow("cannot be a parameter");
    expect(() =>
      endpoint({
        GET: {
          summary: "Nothing.",
          auth: "none",
          tenant: "none",
          proxied: parameters,
          handle: async () => ({}),
        },
      }),
    ).toThrow("cannot be a parameter");
  });
});
