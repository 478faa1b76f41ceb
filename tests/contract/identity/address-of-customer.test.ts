// A sign-up that is delivered to the store while its address belongs to a customer there, or while the account becomes one.
import { afterAll, beforeAll, expect, it } from "vitest";
import { eventually, SHOP, startService, type Service } from "../../support/service.ts";
import { connectStorefront, getMe, newEmail, queueIsEmpty, signUp } from "./people.ts";
import { changeAtStore } from "../../support/storefront/customers.ts";

let service: Service;
beforeAll(async () => {
  service = await startService({ background: true });
  await service.addTenant(SHOP);
  await connectStorefront(service);
});
afterAll(() => service.stop());

const gidOf = async (id: number): Promise<string | null> =>
  (
    await service.database.query(
      "SELECT storefront_customer_gid AS gid FROM storefront_users WHERE shop = $1 AND id = $2",
      [SHOP, id],
    )
  )[0].gid;

it("a sign-up with the address of a store's customer does not become that customer", async () => {
  const email = newEmail("owner");
  const { gid } = service.sandbox.storefront.putCustomer(SHOP, { email });
  // The store is asked whether it has the address, and takes its time.
  service.sandbox.failNext("storefront", { delayMs: 1_000, match: "/graphql.json" });
  const stranger = await signUp(service, { email });
  await eventually("the question", () => !service.sandbox.hasWaitingFault());
  const at = new Date();
  const userId = await changeAtStore(service, {
    gid,
    email,
    first_name: "Grace",
    changedAt: at,
    createdAt: at,
  });
  await queueIsEmpty(service);
  expect(userId).not.toBe(stranger.id);
  expect([await gidOf(userId), await gidOf(stranger.id)]).toEqual([gid, null]);
  expect((await getMe(service, stranger.token)).json.user).toMatchObject({
    id: stranger.id,
    storefront_customer_gid: null,
  });
});

it("an account keeps the customer that it became while the store was creating one for it", async () => {
  service.sandbox.failNext("storefront", { delayMs: 1_000, match: "/graphql.json" });
  const { id, email } = await signUp(service);
  await eventually("the question", () => !service.sandbox.hasWaitingFault());
  const gid = "gid://shopify/Customer/4711";
  await service.database.query(
    "UPDATE storefront_users SET storefront_customer_gid = $2 WHERE id = $1",
    [id, gid],
  );
  await queueIsEmpty(service);
  expect(isAtStore(email)).toBe(true);
  expect(await gidOf(id)).toBe(gid);
});

const isAtStore = (email: string): boolean =>
  service.sandbox.storefront.customers(SHOP).some((customer) => customer.email === email);

async function signUpRefusedByStore(): ReturnType<typeof signUp> {
  const userErrors = [{ field: ["input", "email"], message: "Email has already been taken" }];
  // To both calls, and to others that the store's background work makes meanwhile.
  const data = { customerByIdentifier: null, customerCreate: { customer: null, userErrors } };
  const answer = { status: 200, body: { data }, match: "/graphql.json" };
  service.sandbox.failNext("storefront", answer, Infinity);
  const person = await signUp(service);
  await queueIsEmpty(service);
  service.sandbox.clearFaults();
  return person;
}

it("an account whose customer the store refused to create waits for no webhook of it", async () => {
  const { id } = await signUpRefusedByStore();
  expect(
    await service.database.query("SELECT 1 FROM kv WHERE shop = $1 AND key = $2", [
      SHOP,
      `echo:${id}`,
    ]),
  ).toEqual([]);
});

it("an account that the store refused does not become its customer by a consent", async () => {
  const { id, email, token } = await signUpRefusedByStore();
  const { status } = await service.call("POST", `/auth/consent-sync?shop=${SHOP}`, {
    body: { consent_marketing: true, method: "account" },
    key: token,
  });
  expect(status).toBe(200);
  await queueIsEmpty(service);
  expect([isAtStore(email), await gidOf(id)]).toEqual([false, null]);
});
