import { createHmac } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  consentsOf,
  expectAgreement,
  logOfVisitor,
  saidLater,
  signUp,
  startConsentService,
  syncAnonymous,
  type ConsentService,
  type Person,
} from "../../support/consent.ts";
import { APP_SECRET, OTHER_SHOP, SHOP } from "../../support/service.ts";

let service: ConsentService;
let ada: Person;
beforeAll(async () => {
  service = await startConsentService();
  ada = await signUpCustomer(CUSTOMER);
});
afterAll(() => service.stop());

/** A person who is the storefront's customer of this number. */
async function signUpCustomer(number: string): Promise<Person> {
  const person = await signUp(service);
  await service.database.query(
    "UPDATE storefront_users SET storefront_customer_gid = $2, email_verified = true WHERE id = $1",
    [person.id, `gid://shopify/Customer/${number}`],
  );
  return person;
}

type Pairs = [name: string, value: string][];
const CUSTOMER = "9007199254740993";
const nowSeconds = () => String(Math.floor(Date.now() / 1_000));
const usual = (customer = CUSTOMER): Pairs => [
  ["shop", SHOP],
  ["path_prefix", "/apps/crm"],
  ["timestamp", nowSeconds()],
  ["logged_in_customer_id", customer],
];

/**
 * The signature of the storefront's app proxy: sorted pairs, values of one name joined, no
 * separator between pairs.
 */
function signatureOf(pairs: Pairs, secret = APP_SECRET): string {
  const names = [...new Set(pairs.map(([name]) => name))];
  const message = names
    .map(
      (name) =>
        `${name}=${pairs
          .filter(([other]) => other === name)
          .map(([, value]) => value)
          .join(",")}`,
    )
    .sort()
    .join("");
  return createHmac("sha256", secret).update(message).digest("hex");
}

const queryOf = (pairs: Pairs, signature = signatureOf(pairs)) =>
  new URLSearchParams([...pairs, ["signature", signature]]).toString();
const send = (query: string, body: object = { consent_cookie: true }) =>
  service.call("POST", `/proxy/auth/consent-sync?${query}`, {
    body: { method: "banner", ...body },
    key: null,
  });
const rows = () => service.database.query("SELECT id FROM consent_records");

describe("a request that the storefront signed", () => {
  it("acts for the customer it names, without cookie, token or origin", async () => {
    const number = "9007199254740994";
    const bea = await signUpCustomer(number);
    const answer = await send(queryOf(usual(number)), { consent_marketing: true });
    expect([answer.status, answer.json.recorded]).toEqual([
      200,
      [{ consent_type: "marketing", action: "granted" }],
    ]);
    expect((await consentsOf(service, bea)).marketing).toBe(true);
    expect(await saidLater(service, bea)).toHaveLength(1);
    await expectAgreement(service);
  });

  it("for a customer without an account here is recorded under an id that no browser can claim", async () => {
    expect((await send(queryOf(usual("77")))).json.recorded).toHaveLength(1);
    expect(await logOfVisitor(service, "Customer/77")).toHaveLength(1);
    expect(
      (await syncAnonymous(service, { consent_cookie: false, visitor_id: "Customer/77" })).status,
    ).toBe(400);
    expect(await logOfVisitor(service, "Customer/77")).toHaveLength(1);
  });

  it("without a signed-in customer acts for an anonymous browser", async () => {
    const answer = await send(queryOf(usual("")), { consent_cookie: true, visitor_id: "proxied" });
    expect(answer.status).toBe(200);
    expect(await logOfVisitor(service, "proxied")).toHaveLength(1);
  });

  it("without a signed-in customer but with the page's bearer token acts for that account", async () => {
    const cleo = await signUp(service);
    const withToken = (customer: string, token: string, body: object) =>
      service.call("POST", `/proxy/auth/consent-sync?${queryOf(usual(customer))}`, {
        key: token,
        body: { method: "banner", ...body },
      });
    expect((await withToken("", cleo.token, { consent_marketing: true })).status).toBe(200);
    expect((await consentsOf(service, cleo)).marketing).toBe(true);
    // The storefront's customer takes precedence over the page's token.
    expect((await withToken("78", cleo.token, { consent_cookie: true })).status).toBe(200);
    expect((await consentsOf(service, cleo)).cookie).toBe(false);
    const stranger = await signUp(service, {}, OTHER_SHOP);
    expect((await withToken("", stranger.token, { consent_cookie: true })).status).toBe(401);
    expect((await consentsOf(service, cleo)).cookie).toBe(false);
  });

  it("changes the tags of the customer it names, and of nobody without an account here", async () => {
    const tag = (customer: string) =>
      service.call("POST", `/proxy/ucp/tags?${queryOf(usual(customer))}`, {
        body: { add: ["newsletter_subscribed"] },
        key: null,
      });
    const tagsOf = (id: number) =>
      service.database.query(
        `SELECT t.slug, m.source FROM user_tag_map m JOIN crm_tags t ON t.shop = m.shop AND t.id = m.tag_id
         WHERE m.user_id = $1 AND m.source <> 'system'`,
        [id],
      );
    const answer = await tag(CUSTOMER);
    expect([answer.status, answer.json.added]).toEqual([200, ["newsletter_subscribed"]]);
    expect(await tagsOf(ada.id)).toEqual([{ slug: "newsletter_subscribed", source: "ucp" }]);
    const before = await service.database.query("SELECT id FROM user_tag_map");
    for (const nobody of ["", "7700"]) expect((await tag(nobody)).status).toBe(401);
    const dan = await signUp(service);
    await service.database.query(
      `UPDATE storefront_users SET storefront_customer_gid = 'gid://shopify/Customer/67',
        status = 'suspended' WHERE id = $1`,
      [dan.id],
    );
    expect((await tag("67")).status).toBe(401);
    expect(await service.database.query("SELECT id FROM user_tag_map")).toHaveLength(before.length);
  });

  it("does not act for the account of a suspended customer", async () => {
    const bob = await signUp(service);
    await service.database.query(
      `UPDATE storefront_users SET storefront_customer_gid = 'gid://shopify/Customer/66',
        status = 'suspended' WHERE id = $1`,
      [bob.id],
    );
    expect((await send(queryOf(usual("66")))).status).toBe(200);
    expect(await saidLater(service, bob)).toEqual([]);
  });

  it("may carry the page's locale, which the route declares, and no other page parameter", async () => {
    expect((await send(queryOf([...usual(), ["locale", "pt-BR"]]))).status).toBe(200);
    const before = await rows();
    for (const pairs of [
      [["utm_source", "mail"]],
      [["locale", "en,fr"]],
      [["locale", "en=1"]],
      [
        ["locale", "en"],
        ["locale", "fr"],
      ],
      [["ids", "1"]],
      [["", "1"]],
      [["Locale", "en"]],
      [["locale ", "en"]],
      [["__proto__", "en"]],
    ] as Pairs[])
      expect([pairs, (await send(queryOf([...usual(), ...pairs]))).status]).toEqual([pairs, 401]);
    expect(await rows()).toEqual(before);
  });
});

describe("a signature is rejected and nothing is written when it", () => {
  const aged = (seconds: number): Pairs =>
    usual().map(([name, value]) => [
      name,
      name === "timestamp" ? String(Number(value) - seconds) : value,
    ]);
  const cases: [string, () => string][] = [
    [
      "is of another secret",
      () => queryOf(usual(), signatureOf(usual(), "another-app-secret-0123")),
    ],
    ["is empty", () => queryOf(usual(), "")],
    ["is of another customer", () => queryOf(usual("1"), signatureOf(usual()))],
    ["does not cover a parameter", () => `${queryOf(usual())}&extra=1`],
    ["is older than 90 seconds", () => queryOf(aged(120))],
    ["is of the future", () => queryOf(aged(-120))],
    ["names no time", () => queryOf(usual().filter(([name]) => name !== "timestamp"))],
    ["is there twice", () => `${queryOf(usual())}&signature=${signatureOf(usual())}`],
    [
      "covers the customer twice",
      () => queryOf([["logged_in_customer_id", CUSTOMER], ...usual("")]),
    ],
    ["covers the time twice", () => queryOf([["timestamp", nowSeconds()], ...aged(10_000)])],
    ["covers two shops", () => queryOf([...usual(), ["shop", OTHER_SHOP]])],
    ["covers no path prefix", () => queryOf(usual().filter(([name]) => name !== "path_prefix"))],
    ["covers a customer that is no number", () => queryOf(usual("77 "))],
    [
      "covers a time that is no number",
      () => queryOf(usual().map(([n, v]) => [n, n === "timestamp" ? `${v}.0` : v])),
    ],
    [
      "covers a prefix that is none of the storefront's",
      () => queryOf(usual().map(([n, v]) => [n, n === "path_prefix" ? "//evil.example" : v])),
    ],
    ["is in capitals", () => queryOf(usual(), signatureOf(usual()).toUpperCase())],
    ["is of another shop", () => queryOf(usual()).replace(SHOP, OTHER_SHOP)],
  ];
  it.each(cases)("%s", async (_, query) => {
    const before = await rows();
    const answer = await send(query(), { consent_cookie: false, consent_marketing: false });
    expect([answer.status, answer.json.code]).toEqual([401, "invalid_signature"]);
    expect(await rows()).toEqual(before);
  });

  it("is invalid, even beside a valid session", async () => {
    const answer = await service.call(
      "POST",
      `/proxy/auth/consent-sync?${queryOf(usual(), "0".repeat(64))}`,
      { body: { method: "banner", consent_cookie: false }, key: ada.token },
    );
    expect(answer.status).toBe(401);
  });
});
