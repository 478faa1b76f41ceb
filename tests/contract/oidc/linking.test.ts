// Account resolution of a sign-in (DECISIONS 6) for both providers: one test per row of the decision.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  approve,
  begin,
  followCallback,
  errorOf,
  expectRefused,
  providerSandbox,
  PROVIDERS,
  gidOf,
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
const PASSWORD = "correct horse battery";
beforeAll(async () => {
  service = await startService();
  await service.addTenant(SHOP);
});
afterAll(() => service.stop());
beforeEach(() => {
  email = `person-${(count += 1)}@example.com`;
});

const user = async (id: number) =>
  (await service.database.query("SELECT * FROM storefront_users WHERE id = $1", [id]))[0];
const links = (id: number) =>
  service.database.query(
    "SELECT issuer, sub, provider FROM identity_links WHERE user_id = $1 ORDER BY provider",
    [id],
  );
const mails = async (id: number) =>
  (
    await service.database.query(
      "SELECT event_type FROM integration_queue WHERE entity_id = $1 AND channel = 'email' ORDER BY id",
      [String(id)],
    )
  ).map((row) => row.event_type);
const me = (token: string | null) => service.call("GET", `/auth/me?shop=${SHOP}`, { key: token });
const logIn = () =>
  service.call("POST", `/auth/login?shop=${SHOP}`, {
    body: { email, password: PASSWORD },
    key: null,
  });
const prove = (id: number) =>
  service.database.query("UPDATE storefront_users SET email_verified = true WHERE id = $1", [id]);

const postSignUp = () =>
  service.call("POST", `/auth/signup?shop=${SHOP}`, {
    key: null,
    body: {
      email,
      password: PASSWORD,
      first_name: "Sly",
      last_name: "Stranger",
      consent_tos: true,
      consent_privacy: true,
      consent_marketing: true,
    },
  });

async function signUp(): Promise<{ id: number; token: string }> {
  const answer = await postSignUp();
  expect(answer.status).toBe(201);
  return { id: answer.json.user.id, token: answer.json.token };
}

describe.each(PROVIDERS)("a verified %s person", (provider) => {
  it("with an unknown subject gets a verified account and no mail; the address is taken from then on", async () => {
    const found = await signedInUser(
      service,
      await signInAs(service, provider, putPerson(service, provider, email)),
    );
    expect(await user(found.id)).toMatchObject({
      email,
      provider,
      email_verified: true,
      password_hash: "",
      status: "active",
    });
    expect(await mails(found.id)).toEqual([]);
    const again = await postSignUp();
    expect([again.status, again.json.code]).toEqual([409, "email_taken"]);
  });

  it("is the same person at the next sign-in, also after the email changed at the provider; the address here stays", async () => {
    const sub = putPerson(service, provider, email);
    const first = await signedInUser(service, await signInAs(service, provider, sub));
    providerSandbox(service, provider).next({
      claims: { email: `new-${email}`, email_verified: true },
    });
    const second = await signedInUser(service, await signInAs(service, provider, sub));
    expect(second).toMatchObject({ id: first.id, email });
    expect(await links(first.id)).toHaveLength(1);
  });

  it("stays the same person even when the new address belongs to another account here", async () => {
    const sub = putPerson(service, provider, email);
    const first = await signedInUser(service, await signInAs(service, provider, sub));
    const mine = email;
    email = `taken-${email}`;
    const other = await signUp();
    providerSandbox(service, provider).next({ claims: { email, email_verified: true } });
    expect(await signedInUser(service, await signInAs(service, provider, sub))).toMatchObject({
      id: first.id,
      email: mine,
    });
    expect((await me(other.token)).status).toBe(200);
  });

  it("is linked to the account with the same verified address: password and sessions stay, and the owner is mailed", async () => {
    const { id, token } = await signUp();
    await prove(id);
    const found = await signedInUser(
      service,
      await signInAs(service, provider, putPerson(service, provider, email.toUpperCase())),
    );
    expect(found).toMatchObject({ id, email, first_name: "Sly", provider: "email" });
    expect((await me(token)).status).toBe(200);
    expect((await logIn()).status).toBe(200);
    expect(await mails(id)).toEqual(["mail.verify_email", "mail.sign_in_linked"]);
    expect(await links(id)).toMatchObject([{ provider }]);
  });

  it("takes over an unverified account with the address: its password, sessions, name, marketing consent and agent grants are removed", async () => {
    const { id, token } = await signUp();
    await service.database.query(
      "UPDATE user_claims SET consent_a2a = true, consent_ap2 = true WHERE user_id = $1",
      [id],
    );
    const answer = await signInAs(service, provider, putPerson(service, provider, email));
    const found = await signedInUser(service, answer);
    expect(found).toMatchObject({
      id,
      email,
      first_name: null,
      last_name: null,
      email_verified: true,
    });
    expect((await me(token)).status).toBe(401);
    expect((await logIn()).status).toBe(401);
    expect((await user(id)).password_hash).toBe("");
    expect((await me(sessionOf(answer))).json.consents).toMatchObject({
      a2a: false,
      ap2: false,
      marketing: false,
    });
    const ended = await service.database.query(
      `SELECT consent_type, action FROM consent_records WHERE user_id = $1
        AND consent_type IN ('a2a', 'ap2') ORDER BY id`,
      [id],
    );
    expect(ended).toEqual([
      { consent_type: "a2a", action: "revoked" },
      { consent_type: "ap2", action: "revoked" },
    ]);
    expect(await mails(id)).toContain("mail.sign_in_linked");
  });

  it("takes over a contact created by a storefront webhook that never signed in", async () => {
    const sub = putPerson(service, provider, email);
    const gid =
      provider === "storefront" ? gidOf(service, sub) : `gid://shopify/Customer/77${count}`;
    const contact = await changeAtStore(service, {
      gid,
      email,
      first_name: "Grace",
      number_of_orders: 3,
    });
    const found = await signedInUser(service, await signInAs(service, provider, sub));
    expect(found).toMatchObject({
      id: contact,
      storefront_customer_gid: gid,
      first_name: "Grace",
      number_of_orders: 3,
    });
  });

  it("with a new account ends the sign-up of a stranger that waits for the same address", async () => {
    const change = async (address: string) =>
      changeAtStore(service, { gid: `gid://shopify/Customer/88${count}`, email: address });
    await change(email);
    const stranger = await signUp();
    expect(await user(stranger.id)).toMatchObject({ email: null, unproven_email: email });
    await change(`elsewhere-${email}`);

    const sub = putPerson(service, provider, email);
    const found = await signedInUser(service, await signInAs(service, provider, sub));
    expect(found).toMatchObject({ email, email_verified: true });
    expect(found.id).not.toBe(stranger.id);
    expect((await me(stranger.token)).status).toBe(401);
    expect((await logIn()).status).toBe(401);
    expect(
      await service.database.query("SELECT 1 FROM storefront_users WHERE unproven_email = $1", [
        email,
      ]),
    ).toEqual([]);
  });

  it("is not taken to agree again to what the account has revoked", async () => {
    const { id, token } = await signUp();
    await prove(id);
    const revoked = await service.call("POST", `/auth/consent-sync?shop=${SHOP}`, {
      key: token,
      body: { consent_privacy: false, method: "compliance-page" },
    });
    expect(revoked.status).toBe(200);
    await signInAs(service, provider, putPerson(service, provider, email));
    expect((await me(token)).json.consents).toMatchObject({ tos: true, privacy: false });
    const [last] = await service.database.query(
      `SELECT action FROM consent_records WHERE user_id = $1 AND consent_type = 'privacy'
        ORDER BY id DESC LIMIT 1`,
      [id],
    );
    expect(last).toEqual({ action: "revoked" });
  });

  it("who is another one of the same issuer is rejected: the mailbox may have a new owner", async () => {
    const sub = putPerson(service, provider, email);
    await signInAs(service, provider, sub);
    const next = putPerson(service, provider, `next-${email}`);
    providerSandbox(service, provider).next({ claims: { email, email_verified: true } });
    await expectRefused(service, "account_exists", () => signInAs(service, provider, next));
  });

  it.each(["suspended", "deleted"])(
    "whose account is %s is rejected, found by identity or by address",
    async (status) => {
      const sub = putPerson(service, provider, email);
      const { id } = await signedInUser(service, await signInAs(service, provider, sub));
      await service.database.query("UPDATE storefront_users SET status = $2 WHERE id = $1", [
        id,
        status,
      ]);
      await expectRefused(service, "account_unavailable", () => signInAs(service, provider, sub));
      email = `other-${email}`;
      const byAddress = await signUp();
      await service.database.query(
        "UPDATE storefront_users SET status = $2, email_verified = true WHERE id = $1",
        [byAddress.id, status],
      );
      await expectRefused(service, "account_unavailable", () =>
        signInAs(service, provider, putPerson(service, provider, email)),
      );
    },
  );

  it("who deleted the account does not get it back by signing in", async () => {
    const sub = putPerson(service, provider, email);
    const answer = await signInAs(service, provider, sub);
    const deleted = await service.call("DELETE", `/auth/me?shop=${SHOP}`, {
      key: sessionOf(answer),
    });
    expect(deleted.status).toBe(200);
    await expectRefused(service, "account_unavailable", () => signInAs(service, provider, sub));
  });

  it("with two concurrent first sign-ins gets one account", async () => {
    const sub = putPerson(service, provider, email);
    const journeys = await Promise.all([1, 2, 3, 4].map(() => begin(service, provider)));
    const callbacks = await Promise.all(journeys.map((journey) => approve(journey, sub)));
    const answers = await Promise.all(
      callbacks.map((callback, index) =>
        followCallback(service, callback, journeys[index]?.cookie ?? null),
      ),
    );
    const people = await Promise.all(answers.map((answer) => signedInUser(service, answer)));
    expect(new Set(people.map(({ id }) => id)).size).toBe(1);
    expect(await links(people[0].id)).toHaveLength(1);
    expect(
      await service.database.query("SELECT consent_type FROM consent_records WHERE user_id = $1", [
        people[0].id,
      ]),
    ).toHaveLength(2);
  });

  it("with two concurrent sign-ins to a linkable account is linked once, without an error", async () => {
    const { id } = await signUp();
    await prove(id);
    const sub = putPerson(service, provider, email);
    const answers = await Promise.all([1, 2, 3, 4].map(() => signInAs(service, provider, sub)));
    expect(answers.map(errorOf)).toEqual([null, null, null, null]);
    expect(await links(id)).toHaveLength(1);
    expect((await mails(id)).filter((mail) => mail === "mail.sign_in_linked")).toHaveLength(1);
  });

  it("without an address and with two concurrent first sign-ins gets one account too", async () => {
    const sub = putPerson(service, provider, email);
    providerSandbox(service, provider).next({ claims: { email: null, email_verified: null } }, 4);
    const answers = await Promise.all([1, 2, 3, 4].map(() => signInAs(service, provider, sub)));
    const people = await Promise.all(answers.map((answer) => signedInUser(service, answer)));
    expect(new Set(people.map(({ id }) => id)).size).toBe(1);
    // The storefront names the address of its customer also where the token has none.
    expect(people[0]).toMatchObject({
      email: provider === "storefront" ? email : null,
      email_verified: false,
    });
  });
});

describe.each(PROVIDERS)("a %s person whose address the provider did not verify", (provider) => {
  it.each(["email_unverified", "email_verified_absent"] as const)(
    "(%s) gets an unverified account and a verification mail",
    async (idToken) => {
      providerSandbox(service, provider).next({ idToken });
      const found = await signedInUser(
        service,
        await signInAs(service, provider, putPerson(service, provider, email)),
      );
      expect(found).toMatchObject({ email, email_verified: false });
      expect(await mails(found.id)).toEqual(["mail.verify_email"]);
    },
  );

  it.each(["email_unverified", "email_verified_absent"] as const)(
    "(%s) is rejected when the address is taken, verified or not, and nothing changes",
    async (idToken) => {
      const { id, token } = await signUp();
      const sub = putPerson(service, provider, email);
      for (const isProven of [false, true]) {
        if (isProven) await prove(id);
        providerSandbox(service, provider).next({ idToken });
        await expectRefused(service, "account_exists", () => signInAs(service, provider, sub));
      }
      expect((await me(token)).status).toBe(200);
      expect((await logIn()).status).toBe(200);
    },
  );

  it('with `"true"` as a string counts as verified', async () => {
    providerSandbox(service, provider).next({ idToken: "email_verified_text" });
    expect(
      await signedInUser(
        service,
        await signInAs(service, provider, putPerson(service, provider, email)),
      ),
    ).toMatchObject({ email_verified: true });
  });

  it("and verified later is verified here at the next sign-in", async () => {
    const sub = putPerson(service, provider, email);
    providerSandbox(service, provider).next({ idToken: "email_unverified" });
    const first = await signedInUser(service, await signInAs(service, provider, sub));
    expect(await signedInUser(service, await signInAs(service, provider, sub))).toMatchObject({
      id: first.id,
      email_verified: true,
    });
  });
});

describe("a customer of the storefront whose address the store does not vouch for", () => {
  it("is known as that customer once a stranger's sign-up with the address has ended", async () => {
    const sub = putPerson(service, "storefront", email);
    const stranger = await signUp();
    const gid = gidOf(service, sub);
    await service.database.query(
      "UPDATE storefront_users SET storefront_customer_gid = $2, number_of_orders = 4 WHERE id = $1",
      [stranger.id, gid],
    );
    providerSandbox(service, "storefront").next({ idToken: "email_unverified" });
    const found = await signedInUser(service, await signInAs(service, "storefront", sub));
    expect(found).toMatchObject({
      id: stranger.id,
      provider: "storefront",
      email_verified: false,
      storefront_customer_gid: gid,
      number_of_orders: 4,
    });
    expect((await me(stranger.token)).status).toBe(401);
    expect((await logIn()).status).toBe(401);
  });
});

describe("a verified federated person whose address another one of the same issuer has unverified", () => {
  it("gets the account: the other's sign-in method and sessions end", async () => {
    const stranger = putPerson(service, "federated", email, { name: "Sly Stranger" });
    providerSandbox(service, "federated").next({ idToken: "email_unverified" });
    const before = await signInAs(service, "federated", stranger);
    const { id } = await signedInUser(service, before);
    const owner = putPerson(service, "federated", `owner-${email}`, { name: "Grace Hopper" });
    providerSandbox(service, "federated").next({ claims: { email, email_verified: true } });
    const found = await signedInUser(service, await signInAs(service, "federated", owner));
    expect(found).toMatchObject({ id, email, email_verified: true, full_name: "Grace Hopper" });
    expect(await links(id)).toMatchObject([{ sub: owner }]);
    expect((await me(sessionOf(before))).status).toBe(401);
    providerSandbox(service, "federated").next({ idToken: "email_unverified" });
    await expectRefused(service, "account_exists", () => signInAs(service, "federated", stranger));
  });
});

describe("a verified federated person with the address of a contact", () => {
  it("has the provider's name, not that of a stranger's sign-up that waited for the address", async () => {
    const asked = await service.call("POST", `/auth/consent-sync?shop=${SHOP}`, {
      key: null,
      headers: { Origin: `https://${SHOP}` },
      body: { email, form_type: "news", method: "news_form" },
    });
    expect(asked.status).toBe(200);
    const stranger = await signUp();
    const sub = putPerson(service, "federated", email, { name: "Grace Hopper" });
    const found = await signedInUser(service, await signInAs(service, "federated", sub));
    expect(found).toMatchObject({ full_name: "Grace Hopper", first_name: null, last_name: null });
    expect((await me(stranger.token)).status).toBe(401);
  });
});
