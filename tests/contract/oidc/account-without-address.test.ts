// An account without an address, as of a customer with a phone number only, whose provider names one later.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  gidOf,
  providerSandbox,
  PROVIDERS,
  putPerson,
  signedInUser,
  signInAs,
  type ProviderName,
} from "../../support/browser/sign-in-journey.ts";
import { SHOP, startService, type Service } from "../../support/service.ts";
import { changeAtStore } from "../../support/storefront/customers.ts";

let service: Service;
let count = 0;
let email: string;
beforeAll(async () => {
  service = await startService();
  await service.addTenant(SHOP);
});
afterAll(() => service.stop());
beforeEach(() => {
  email = `person-${(count += 1)}@example.com`;
});

const PASSWORD = "correct horse battery";
const customerChanges = (gid: string, address: string | null) =>
  changeAtStore(service, { gid, email: address, phone: "+15550100" });
const signUp = async () => {
  const body = { email, password: PASSWORD, consent_tos: true, consent_privacy: true };
  const answer = await service.call("POST", `/auth/signup?shop=${SHOP}`, { key: null, body });
  expect(answer.status).toBe(201);
  return answer.json as { token: string; user: { id: number } };
};
const logIn = () =>
  service.call("POST", `/auth/login?shop=${SHOP}`, {
    body: { email, password: PASSWORD },
    key: null,
  });
const me = (token: string) => service.call("GET", `/auth/me?shop=${SHOP}`, { key: token });

/** An account without an address that `sub` signs in to. */
async function withoutAddress(provider: ProviderName): Promise<{ id: number; sub: string }> {
  const sub = putPerson(service, provider, email);
  if (provider === "storefront")
    return { id: await customerChanges(gidOf(service, sub), null), sub };
  service.sandbox.federated.next({ claims: { email: null, email_verified: null } });
  const { id } = await signedInUser(service, await signInAs(service, provider, sub));
  return { id, sub };
}

describe.each(PROVIDERS)("an account without an address, signed in to by %s", (provider) => {
  it("gets the address that the provider verified", async () => {
    const { id, sub } = await withoutAddress(provider);
    const found = await signedInUser(service, await signInAs(service, provider, sub));
    expect(found).toMatchObject({ id, email, email_verified: true });
    expect(await signedInUser(service, await signInAs(service, provider, sub))).toMatchObject({
      id,
      email,
      email_verified: true,
    });
  });

  it("gets no address that the provider did not verify, and signs in all the same", async () => {
    const { id, sub } = await withoutAddress(provider);
    providerSandbox(service, provider).next({ idToken: "email_unverified" });
    const found = await signedInUser(service, await signInAs(service, provider, sub));
    expect(found).toMatchObject({ id, email: null, email_verified: false });
  });

  it("gets no address of another account, and signs in all the same", async () => {
    const { id, sub } = await withoutAddress(provider);
    const other = await signUp();
    const found = await signedInUser(service, await signInAs(service, provider, sub));
    expect(found).toMatchObject({ id, email: null, email_verified: false });
    expect((await me(other.token)).json.user).toMatchObject({ email });
    expect((await logIn()).status).toBe(200);
  });

  it("ends the sign-up of a stranger that waits for the address", async () => {
    const gid = `gid://shopify/Customer/99${count}`;
    await customerChanges(gid, email);
    const stranger = await signUp();
    await customerChanges(gid, `elsewhere-${email}`);
    const { id, sub } = await withoutAddress(provider);
    const found = await signedInUser(service, await signInAs(service, provider, sub));
    expect(found).toMatchObject({ id, email, email_verified: true });
    expect((await me(stranger.token)).status).toBe(401);
    expect((await logIn()).status).toBe(401);
  });

  it("gets the address once when two sign-ins of it run at once", async () => {
    const { id, sub } = await withoutAddress(provider);
    const answers = await Promise.all([1, 2, 3, 4].map(() => signInAs(service, provider, sub)));
    for (const answer of answers)
      expect(await signedInUser(service, answer)).toMatchObject({ id, email });
  });
});
