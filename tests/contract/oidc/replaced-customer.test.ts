// A storefront sign-in with the address of an account whose customer is another one. The storefront has one
// customer of an address: the other was found, or created, for the account by its address, and is that no longer.
import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  expectRefused,
  gidOf,
  putPerson,
  signedInUser,
  signInAs,
} from "../../support/browser/sign-in-journey.ts";
import { statementsWait } from "../../support/processes/locked-rows.ts";
import { addToCatalog } from "../../support/storefront/tag-catalog.ts";
import { SHOP, startService, type Service } from "../../support/service.ts";
import { getMe, login, signUp } from "../identity/people.ts";

let service: Service;
let count = 0;
let email: string;
let former: string;
beforeAll(async () => {
  service = await startService();
  await service.addTenant(SHOP);
});
afterAll(() => service.stop());
beforeEach(() => {
  email = `person-${(count += 1)}@example.com`;
  former = `gid://shopify/Customer/42424242424242${10 + count}`;
});

const row = async (id: number) =>
  (await service.database.query("SELECT * FROM storefront_users WHERE id = $1", [id]))[0];

/** A sign-up for which this service has created a customer. */
async function signUpAsFormer(isVerified: boolean) {
  const person = await signUp(service, { email });
  await service.database.query(
    `UPDATE storefront_users SET storefront_customer_gid = $2, email_verified = $3, number_of_orders = 4,
      country = 'FR', tags = '["wholesale"]' WHERE id = $1`,
    [person.id, former, isVerified],
  );
  return person;
}

const signIn = () => signInAs(service, "storefront", putPerson(service, "storefront", email));

describe("a storefront customer with the address of an account that has another customer", () => {
  it("gets an unverified account: its password and sessions end, and its customer is the one who signed in", async () => {
    const stranger = await signUpAsFormer(false);
    const found = await signedInUser(service, await signIn());
    const { sandbox } = service;
    expect(found).toMatchObject({ id: stranger.id, email, email_verified: true, first_name: null });
    expect(found.storefront_customer_gid).toBe(
      sandbox.storefront.customers(SHOP).find((customer) => customer.email === email)?.gid,
    );
    expect((await getMe(service, stranger.token)).status).toBe(401);
    expect((await login(service, email)).status).toBe(401);
  });

  it("is linked to a verified account, which keeps its own tags and nothing of the other, also no way in", async () => {
    const person = await signUpAsFormer(true);
    await addToCatalog(service, ["News"]);
    await service.database.query(
      `INSERT INTO user_tag_map (shop, user_id, tag_id, source) SELECT shop, $1, id, 'ucp' FROM crm_tags
        WHERE shop = $2 AND slug = 'news'`,
      [person.id, SHOP],
    );
    const sub = putPerson(service, "storefront", email);
    const found = await signedInUser(service, await signInAs(service, "storefront", sub));
    expect(found).toMatchObject({
      id: person.id,
      storefront_customer_gid: gidOf(service, sub),
      number_of_orders: 0,
      country: null,
    });
    expect(found.tags).toEqual(["news"]);
    // The former customer may be another person, who had proven the address while it was theirs.
    expect((await getMe(service, person.token)).status).toBe(401);
    expect((await login(service, email)).status).toBe(401);
  });

  it("keeps what the account has from the storefront when a webhook names the same customer meanwhile", async () => {
    const person = await signUp(service, { email });
    const sub = putPerson(service, "storefront", email);
    const gid = gidOf(service, sub);
    await service.database.query(
      "UPDATE storefront_users SET storefront_customer_gid = NULL, email_verified = true WHERE id = $1",
      [person.id],
    );
    const webhook = new pg.Client({ connectionString: service.database.url });
    await webhook.connect();
    await webhook.query("BEGIN");
    await webhook.query(
      "UPDATE storefront_users SET storefront_customer_gid = $2, number_of_orders = 4 WHERE id = $1",
      [person.id, gid],
    );
    const signingIn = signInAs(service, "storefront", sub);
    await statementsWait(service.database);
    await webhook.query("COMMIT");
    await webhook.end();
    expect(await signedInUser(service, await signingIn)).toMatchObject({
      id: person.id,
      storefront_customer_gid: gid,
      number_of_orders: 4,
    });
  });

  it("does not get an account that the other customer signed in to", async () => {
    const { id, storefront_customer_gid: gid } = await signedInUser(service, await signIn());
    await service.database.query(
      "UPDATE storefront_users SET provider = 'email', federated_sub = 'theirs' WHERE id = $1",
      [id],
    );
    const other = putPerson(service, "storefront", `other-${email}`);
    service.sandbox.customerAccounts.next({ claims: { email, email_verified: true } });
    await expectRefused(service, "account_exists", () => signInAs(service, "storefront", other));
    expect((await row(id)).storefront_customer_gid).toBe(gid);
  });

  it("does not get the account that the storefront has created for the other customer", async () => {
    const { id } = await signUpAsFormer(true);
    await service.database.query(
      "UPDATE storefront_users SET provider = 'storefront' WHERE id = $1",
      [id],
    );
    await expectRefused(service, "account_exists", () => signIn());
    expect((await row(id)).storefront_customer_gid).toBe(former);
  });

  it("does not get the account when the provider has not verified the address", async () => {
    const { id, token } = await signUpAsFormer(false);
    const sub = putPerson(service, "storefront", email);
    service.sandbox.customerAccounts.next({ claims: { email, email_verified: false } });
    await expectRefused(service, "account_exists", () => signInAs(service, "storefront", sub));
    expect((await row(id)).storefront_customer_gid).toBe(former);
    expect((await getMe(service, token)).status).toBe(200);
  });
});
