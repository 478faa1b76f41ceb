// The person of a storefront sign-in is the customer that the Customer Account API names for the access
// token; the ID token's subject says nothing about the customer.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { mergeStorefrontCustomers } from "../../../app/domain/customers/deleted-customers.ts";
import { getTenant } from "../../../app/domain/tenants/tenant.ts";
import {
  errorOf,
  expectRefused,
  gidOf,
  putPerson,
  sessionOf,
  signedInUser,
  signInAs,
} from "../../support/browser/sign-in-journey.ts";
import { OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";
import { changeAtStore } from "../../support/storefront/customers.ts";

let service: Service;
let count = 0;
let email: string;
let sub: string;
beforeAll(async () => {
  service = await startService();
  await service.addTenant(SHOP);
  await service.addTenant(OTHER_SHOP);
});
afterAll(() => service.stop());
beforeEach(() => {
  service.sandbox.clearFaults();
  service.sandbox.customerAccounts.clearFlaws();
  service.sandbox.customerAccounts.settings.hasEmailClaim = true;
  email = `person-${(count += 1)}@example.com`;
  sub = putPerson(service, "storefront", email);
});

const signIn = (query: Record<string, string> = {}) => signInAs(service, "storefront", sub, query);
const apiCalls = () =>
  service.sandbox
    .requests("customerAccounts")
    .filter(({ path }) => path.includes("/customer/api/"));
const customerChanges = (gid: string, shop = SHOP) => changeAtStore(service, { gid, email }, shop);

describe("the customer of a storefront sign-in", () => {
  it("is asked for with the access token alone, before the account is matched by the customer", async () => {
    const id = await customerChanges(gidOf(service, sub));
    const found = await signedInUser(service, await signIn());
    expect(found).toMatchObject({ id, storefront_customer_gid: gidOf(service, sub) });
    const call = apiCalls().at(-1);
    expect(call?.headers).toMatchObject({ origin: service.url });
    expect(call?.headers.authorization).toMatch(/^sandbox-person-\w+$/);
    expect(JSON.stringify(call?.body)).toContain("emailAddress { emailAddress }");
    const [claims] = await service.database.query(
      "SELECT storefront_oidc_sub FROM user_claims WHERE user_id = $1",
      [id],
    );
    expect(claims.storefront_oidc_sub).toBe(sub);
  });

  it("is not the subject, also where the subject is the number of another customer", async () => {
    const victim = await customerChanges("gid://shopify/Customer/4242424242");
    email = `attacker-${email}`;
    sub = putPerson(service, "storefront", email);
    for (const claimed of ["4242424242", "gid://shopify/Customer/4242424242"]) {
      service.sandbox.customerAccounts.next({ claims: { sub: claimed } });
      const found = await signedInUser(service, await signIn());
      expect(found.id).not.toBe(victim);
      expect(found.storefront_customer_gid).toBe(gidOf(service, sub));
      await service.database.query("DELETE FROM identity_links WHERE user_id = $1", [found.id]);
    }
  });

  it("gives the address where the ID token has none; it counts as unverified", async () => {
    service.sandbox.customerAccounts.settings.hasEmailClaim = false;
    const answer = await signIn();
    expect(await signedInUser(service, answer)).toMatchObject({
      email,
      email_verified: false,
      storefront_customer_gid: gidOf(service, sub),
    });
  });

  it("does not open another account with the address where the ID token has none", async () => {
    const other = await service.call("POST", `/auth/signup?shop=${SHOP}`, {
      key: null,
      body: { email, password: "correct horse battery", consent_tos: true, consent_privacy: true },
    });
    service.sandbox.customerAccounts.settings.hasEmailClaim = false;
    await expectRefused(service, "account_exists", () => signIn());
    const me = await service.call("GET", `/auth/me?shop=${SHOP}`, { key: other.json.token });
    expect(me.status).toBe(200);
  });

  it("gives no address over the one in the ID token", async () => {
    service.sandbox.customerAccounts.next({
      claims: { email: `claimed-${email}`, email_verified: true },
    });
    expect(await signedInUser(service, await signIn())).toMatchObject({
      email: `claimed-${email}`,
      email_verified: true,
    });
  });

  it("without an address anywhere has an account without one", async () => {
    service.sandbox.customerAccounts.settings.hasEmailClaim = false;
    service.sandbox.failNext("customerAccounts", {
      match: "/customer/api/",
      status: 200,
      body: { data: { customer: { id: gidOf(service, sub), emailAddress: null } } },
    });
    expect(await signedInUser(service, await signIn())).toMatchObject({ email: null });
  });

  it.each(["nul\0@x.example", "nope", "a@x.example,evil@z.example", "half\ud800@x.example", ""])(
    "with %j, which is no address, has an account without one",
    async (address) => {
      service.sandbox.customerAccounts.settings.hasEmailClaim = false;
      service.sandbox.failNext("customerAccounts", {
        match: "/customer/api/",
        status: 200,
        body: {
          data: { customer: { id: gidOf(service, sub), emailAddress: { emailAddress: address } } },
        },
      });
      expect(await signedInUser(service, await signIn())).toMatchObject({ email: null });
    },
  );

  it("of one store is nobody in another, also with the same number", async () => {
    const gid = "gid://shopify/Customer/777000777";
    for (const shop of [SHOP, OTHER_SHOP])
      service.sandbox.storefront.putCustomer(shop, { gid, email: `twin-${email}` });
    const [here, there] = [await customerChanges(gid), await customerChanges(gid, OTHER_SHOP)];
    sub = service.sandbox.customerAccounts.subject(OTHER_SHOP, gid);
    const answer = await signIn({ shop: OTHER_SHOP });
    expect((await signedInUser(service, answer, OTHER_SHOP)).id).toBe(there);
    expect(here).not.toBe(there);
    const asOther = await service.call("GET", `/auth/me?shop=${SHOP}`, { key: sessionOf(answer) });
    expect(asOther.status).toBe(401);
  });

  it("that another account holds stays there: the person stays in the account of the subject", async () => {
    const first = await signedInUser(service, await signIn());
    const gid = gidOf(service, sub);
    await service.database.query(
      "UPDATE storefront_users SET storefront_customer_gid = NULL WHERE id = $1",
      [first.id],
    );
    email = `holder-${email}`;
    const holder = await customerChanges(gid);
    expect(await signedInUser(service, await signIn())).toMatchObject({
      id: first.id,
      storefront_customer_gid: null,
    });
    const [row] = await service.database.query(
      "SELECT storefront_customer_gid FROM storefront_users WHERE id = $1",
      [holder],
    );
    expect(row.storefront_customer_gid).toBe(gid);
  });
});

describe("a subject for which the Customer Account API names another customer than before", () => {
  /** With the subject of `sub` and the access token of another customer. */
  const signInAsOther = (other: string) => {
    service.sandbox.customerAccounts.next({ claims: { sub } });
    return signInAs(service, "storefront", other);
  };
  const gidOfAccount = async (id: number) =>
    (
      await service.database.query(
        "SELECT storefront_customer_gid FROM storefront_users WHERE id = $1",
        [id],
      )
    )[0].storefront_customer_gid as string | null;
  const linked = () =>
    service.database.query("SELECT user_id FROM identity_links WHERE sub = $1", [sub]);

  it("is the person of that customer's account, and the former account keeps its customer", async () => {
    const first = await signedInUser(service, await signIn());
    const other = putPerson(service, "storefront", `other-${email}`);
    const second = await signedInUser(service, await signInAs(service, "storefront", other));
    for (let visits = 0; visits < 2; visits += 1)
      expect(await signedInUser(service, await signInAsOther(other))).toMatchObject({
        id: second.id,
        storefront_customer_gid: gidOf(service, other),
      });
    expect(await linked()).toEqual([{ user_id: second.id }]);
    expect(await gidOfAccount(first.id)).toBe(gidOf(service, sub));
    const [claims] = await service.database.query(
      `SELECT storefront_oidc_sub, storefront_customer_access_token FROM user_claims
        WHERE user_id = $1`,
      [first.id],
    );
    expect(claims).toEqual({ storefront_oidc_sub: null, storefront_customer_access_token: null });
  });

  it("has a new account where that customer has none; no account's customer is replaced", async () => {
    const first = await signedInUser(service, await signIn());
    const other = putPerson(service, "storefront", `other-${email}`);
    service.sandbox.customerAccounts.next({ claims: { sub } }, 3);
    const answers = await Promise.all([1, 2, 3].map(() => signInAs(service, "storefront", other)));
    const people = await Promise.all(answers.map((answer) => signedInUser(service, answer)));
    expect(new Set(people.map(({ id }) => id)).size).toBe(1);
    expect(people[0]).toMatchObject({ storefront_customer_gid: gidOf(service, other) });
    expect(people[0].id).not.toBe(first.id);
    expect(await gidOfAccount(first.id)).toBe(gidOf(service, sub));
    expect(await linked()).toEqual([{ user_id: people[0].id }]);
  });

  it("is the kept customer after a merge", async () => {
    const first = await signedInUser(service, await signIn());
    const other = putPerson(service, "storefront", `other-${email}`);
    const kept = await signedInUser(service, await signInAs(service, "storefront", other));
    const tenant = await getTenant(service.ctx, SHOP);
    await mergeStorefrontCustomers(service.ctx, tenant, gidOf(service, other), gidOf(service, sub));
    expect((await signedInUser(service, await signInAsOther(other))).id).toBe(kept.id);
    expect(await gidOfAccount(first.id)).toBeNull();
  });

  it("opens no account with an address of another customer", async () => {
    await signIn();
    const other = putPerson(service, "storefront", `other-${email}`);
    service.sandbox.customerAccounts.next({ claims: { sub, email, email_verified: true } });
    await expectRefused(service, "account_exists", () => signInAs(service, "storefront", other));
  });

  it("does not leave a suspended account", async () => {
    const first = await signedInUser(service, await signIn());
    await service.database.query("UPDATE storefront_users SET status = 'suspended' WHERE id = $1", [
      first.id,
    ]);
    const other = putPerson(service, "storefront", `other-${email}`);
    await expectRefused(service, "account_unavailable", () => signInAsOther(other));
  });
});

describe("a storefront sign-in writes nothing and matches nobody when the Customer Account API", () => {
  const API = "/customer/api/";
  it.each([
    ["answers 500", { status: 500 }],
    ["answers 429", { status: 429 }],
    ["refuses the token", { status: 401, body: { errors: [{ message: "Unauthorized" }] } }],
    ["answers garbage", { garbage: true }],
    ["resets the connection", { reset: true }],
    ["does not answer in time", { hang: 20_000 }],
    ["answers errors", { status: 200, body: { errors: [{ message: "Not approved" }] } }],
    ["names no customer", { status: 200, body: { data: { customer: null } } }],
    [
      "names something that is no customer",
      { status: 200, body: { data: { customer: { id: "gid://shopify/Order/1" } } } },
    ],
  ] as const)("%s; the next attempt works", async (_case, fault) => {
    // An account that the customer would match.
    await customerChanges(gidOf(service, sub));
    service.sandbox.failNext("customerAccounts", { match: API, ...fault });
    await expectRefused(service, "provider_unavailable", () => signIn());
    expect(errorOf(await signIn())).toBeNull();
  });

  it("has no endpoint in the store's document", async () => {
    for (const fault of [{ status: 200, body: { graphql_api: "not an address" } }, { status: 404 }])
      service.sandbox.failNext("customerAccounts", {
        match: "/.well-known/customer-account-api",
        ...fault,
      });
    for (let attempt = 0; attempt < 2; attempt += 1)
      await expectRefused(service, "provider_unavailable", () => signIn());
    expect(errorOf(await signIn())).toBeNull();
  });
});

it("the access token and the address of a signed-in customer are never logged", async () => {
  service.sandbox.failNext("customerAccounts", {
    match: "/customer/api/",
    status: 400,
    body: { errors: [{ message: `no customer ${email}` }] },
  });
  await signIn();
  await signIn();
  expect(JSON.stringify(service.logged)).not.toMatch(/sandbox-person-|@example\.com/);
});
