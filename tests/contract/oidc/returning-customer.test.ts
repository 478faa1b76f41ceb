// A customer whom the store deleted and who comes back as a new customer: the gone customer stays gone, and
// its address is free for the new one (DECISIONS 9).
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { forgetStorefrontCustomer } from "../../../app/domain/customers/deleted-customers.ts";
import { getTenant } from "../../../app/domain/tenants/tenant.ts";
import {
  expectRefused,
  providerSandbox,
  putPerson,
  sessionOf,
  signedInUser,
  signInAs,
} from "../../support/browser/sign-in-journey.ts";
import { SHOP, startService, type Service } from "../../support/service.ts";
import { changeAtStore } from "../../support/storefront/customers.ts";

let service: Service;
let count = 0;
let email: string;
/** The customer that the store deleted. */
let gone: { id: number; gid: string; sub: string };
beforeAll(async () => {
  service = await startService();
  await service.addTenant(SHOP);
});
afterAll(() => service.stop());

const tenant = () => getTenant(service.ctx, SHOP);
const customerChanges = (gid: string) =>
  changeAtStore(service, { gid, email, createdAt: new Date() });
const rowOf = async (id: number) =>
  (
    await service.database.query(
      "SELECT status, email, storefront_customer_gid FROM storefront_users WHERE id = $1",
      [id],
    )
  )[0];
const links = (sub: string) =>
  service.database.query("SELECT user_id FROM identity_links WHERE sub = $1", [sub]);
/** A customer of the store with the address, which another customer may have had. */
function putCustomer(): { gid: string; sub: string } {
  const gid = `gid://shopify/Customer/55${(count += 1)}`;
  service.sandbox.storefront.putCustomer(SHOP, { gid, email, verifiedEmail: true });
  return { gid, sub: service.sandbox.customerAccounts.subject(SHOP, gid) };
}
const signIn = (sub: string) => signInAs(service, "storefront", sub);

describe.each(["that signed in", "known by webhook only"])("a deleted customer %s", (kind) => {
  beforeEach(async () => {
    email = `person-${(count += 1)}@example.com`;
    const customer = putCustomer();
    const id =
      kind === "that signed in"
        ? ((await signedInUser(service, await signIn(customer.sub))).id as number)
        : await customerChanges(customer.gid);
    await forgetStorefrontCustomer(service.ctx, await tenant(), customer.gid);
    gone = { id, ...customer };
  });

  it("who comes back as a new customer has a new account with the address", async () => {
    const { gid, sub } = putCustomer();
    const found = await signedInUser(service, await signIn(sub));
    expect(found).toMatchObject({ email, email_verified: true, storefront_customer_gid: gid });
    expect(found.id).not.toBe(gone.id);
    expect(await rowOf(gone.id)).toEqual({
      status: "deleted",
      email: null,
      storefront_customer_gid: null,
    });
    expect((await signedInUser(service, await signIn(sub))).id).toBe(found.id);
  });

  it("who comes back as a new customer with the same subject has a new account with it", async () => {
    const { gid, sub } = putCustomer();
    for (let visits = 0; visits < 2; visits += 1) {
      providerSandbox(service, "storefront").next({ claims: { sub: gone.sub } });
      const found = await signedInUser(service, await signIn(sub));
      expect(found).toMatchObject({ email, storefront_customer_gid: gid });
      expect(found.id).not.toBe(gone.id);
      expect(await links(gone.sub)).toEqual([{ user_id: found.id }]);
    }
  });

  it("who comes back has the account that a webhook of the new customer made", async () => {
    const { gid, sub } = putCustomer();
    const id = await customerChanges(gid);
    providerSandbox(service, "storefront").next({ claims: { sub: gone.sub } });
    expect(await signedInUser(service, await signIn(sub))).toMatchObject({ id, email });
  });

  it("who comes back by the other provider has a new account with the address", async () => {
    const sub = putPerson(service, "federated", email);
    const found = await signedInUser(service, await signInAs(service, "federated", sub));
    expect(found).toMatchObject({ email, email_verified: true });
    expect(found.id).not.toBe(gone.id);
  });

  it("leaves the address to a new account that is unverified where the provider does not verify it", async () => {
    const { sub } = putCustomer();
    providerSandbox(service, "storefront").next({ idToken: "email_unverified" });
    const found = await signedInUser(service, await signIn(sub));
    expect(found).toMatchObject({ email, email_verified: false });
    expect(found.id).not.toBe(gone.id);
  });

  it("is refused as the gone customer, whatever subject names it", async () => {
    await expectRefused(service, "account_unavailable", () => signIn(gone.sub));
    providerSandbox(service, "storefront").next({ claims: { sub: `other-${gone.sub}` } });
    await expectRefused(service, "account_unavailable", () => signIn(gone.sub));
  });
});

it("an account that its owner deleted is refused to the same customer, also when another sign-up has the address", async () => {
  email = `person-${(count += 1)}@example.com`;
  const { sub } = putCustomer();
  const session = sessionOf(await signIn(sub));
  const deleted = await service.call("DELETE", `/auth/me?shop=${SHOP}`, { key: session, body: {} });
  expect(deleted.status).toBe(200);
  await expectRefused(service, "account_unavailable", () => signIn(sub));
  const body = {
    email,
    password: "correct horse battery",
    consent_tos: true,
    consent_privacy: true,
  };
  const signedUp = await service.call("POST", `/auth/signup?shop=${SHOP}`, { key: null, body });
  expect(signedUp.status).toBe(201);
  await expectRefused(service, "account_unavailable", () => signIn(sub));
});
