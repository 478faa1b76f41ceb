// In the code flow the address may come from the provider's user info alone (OpenID Connect Core 5.4).
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  errorOf,
  expectRefused,
  providerSandbox,
  PROVIDERS,
  putPerson,
  signedInUser,
  signInAs,
} from "../../support/browser/sign-in-journey.ts";
import { SHOP, startService, type Service } from "../../support/service.ts";

let service: Service;
let count = 0;
let email: string;
let sub: string;
beforeAll(async () => {
  service = await startService();
  await service.addTenant(SHOP);
});
afterAll(() => service.stop());
beforeEach(() => {
  service.sandbox.federated.clearFlaws();
  service.sandbox.customerAccounts.clearFlaws();
  email = `person-${(count += 1)}@example.com`;
  sub = putPerson(service, "federated", email);
});

const signIn = () => signInAs(service, "federated", sub);
const user = async () => signedInUser(service, await signIn());

describe("a federated sign-in whose ID token has no address", () => {
  beforeEach(() => service.sandbox.federated.next({ idToken: "no_email" }));

  it("gets the address, its proof and the name that the provider's user info has", async () => {
    service.sandbox.federated.next({ claims: { name: undefined } });
    expect(await user()).toMatchObject({ email, email_verified: true, full_name: "Grace Hopper" });
  });

  it("gets the account of that address, whose unproven password ends", async () => {
    const body = {
      email,
      password: "correct horse battery",
      consent_tos: true,
      consent_privacy: true,
    };
    const made = await service.call("POST", `/auth/signup?shop=${SHOP}`, { key: null, body });
    expect((await user()).id).toBe(made.json.user.id);
    const login = await service.call("POST", `/auth/login?shop=${SHOP}`, { key: null, body });
    expect(login.status).toBe(401);
  });

  it("is rejected when the user info is another person's", async () => {
    service.sandbox.federated.next({ userinfo: "other_subject" });
    await expectRefused(service, "invalid_token", signIn);
  });

  it("is rejected when the user info has an address that is none", async () => {
    service.sandbox.federated.next({ userinfo: "malformed_email" });
    await expectRefused(service, "invalid_token", signIn);
  });

  it.each([500, 503, 429])(
    "makes no account while the user info is answered with %i",
    async (userinfo) => {
      service.sandbox.federated.next({ userinfo });
      await expectRefused(service, "provider_unavailable", signIn);
    },
  );

  it.each([500, 503, 429])(
    "signs in a linked person while the user info is answered with %i",
    async (userinfo) => {
      const { id } = await user();
      service.sandbox.federated.next({ idToken: "no_email" });
      service.sandbox.federated.next({ userinfo });
      expect(await user()).toMatchObject({ id, email, email_verified: true });
    },
  );

  it.each([401, 403, 404, "garbage", "no_subject"] as const)(
    "has none when the user info is answered with %s",
    async (userinfo) => {
      service.sandbox.federated.next({ userinfo });
      expect(await user()).toMatchObject({ email: null, email_verified: false });
    },
  );
});

it.each([
  ["an address", {}],
  ["null for the address", { email: null, email_verified: null }],
])("user info is not asked for beside %s in the ID token", async (_case, claims) => {
  service.sandbox.federated.next({ claims, userinfo: 500 });
  expect(errorOf(await signIn())).toBeNull();
});

it.each(PROVIDERS)("a %s sign-in with an address works while user info is away", async (name) => {
  providerSandbox(service, name).next({ userinfo: 500 });
  const person = putPerson(service, name, `${name}-${email}`);
  expect(errorOf(await signInAs(service, name, person))).toBeNull();
});
