// Contacts: addresses that somebody entered in a form. What makes a customer of one, and what takes none for one.
import { afterAll, beforeAll, expect, test } from "vitest";
import { mailedLink, signUp } from "../../contract/identity/people.ts";
import { syncAnonymous } from "../../support/consent.ts";
import { SHOP, startService, type Service } from "../../support/service.ts";
import { taggedStore, type TaggedStore } from "../../support/storefront/tagged-store.ts";

let service: Service;
let store: TaggedStore;

beforeAll(async () => {
  service = await startService({ background: true });
  store = taggedStore(service);
  await store.install(SHOP);
  await service.call("POST", `/admin/init-tag-system?shop=${SHOP}&step=backend`);
});
afterAll(() => service.stop());

const settled = async () => {
  await service.sandbox.storefront.echoesSent();
  await store.handled();
  await store.delivered();
};
const enter = (email: string) =>
  syncAnonymous(service, {
    method: "newsletter_form",
    form_type: "newsletter",
    consent_marketing: true,
    email,
  });
const rowOf = async (email: string) =>
  (await service.database.query("SELECT * FROM storefront_users WHERE email = $1", [email]))[0];

test("a choice that the owner confirms reaches the store, also while a stranger's sign-up waits for the address", async () => {
  const email = "beside@example.com";
  await enter(email);
  const link = new URL(await mailedLink(service, email, "/auth/consent-confirm"));
  await signUp(service, { email });
  const confirmed = await service.call("POST", `/auth/consent-confirm?shop=${SHOP}`, {
    key: null,
    body: { token: link.searchParams.get("token") },
  });
  expect(confirmed.status).toBe(200);
  await settled();
  expect((await rowOf(email)).email_verified).toBe(false);
  expect(store.customerOf(SHOP, email)?.tags).toContain("accepts_marketing");
});
