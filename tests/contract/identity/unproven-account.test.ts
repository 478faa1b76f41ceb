// Accounts with an unverified address: what they cannot access, and what ends when the owner of the
// address verifies it.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createConsentLink } from "../../../app/domain/consent/submit/consent-link.ts";
import { findAccountByEmail } from "../../../app/domain/identity/account.ts";
import { normaliseMailbox } from "../../../app/domain/tenants/mailbox.ts";
import { putPerson, sessionOf, signInAs } from "../../support/browser/sign-in-journey.ts";
import { eventually, SHOP, startService, type Service } from "../../support/service.ts";
import {
  connectStorefront,
  deleteMe,
  forgot,
  getMe,
  login,
  mailedToken,
  newEmail,
  PASSWORD,
  queueIsEmpty,
  reset,
  signUp,
  verify,
} from "./people.ts";
import { proxied } from "../../support/browser/shopper-pages.ts";
import { changeAtStore } from "../../support/storefront/customers.ts";

let service: Service;

beforeAll(async () => {
  service = await startService({ background: true });
  await service.addTenant(SHOP);
  await connectStorefront(service);
});
afterAll(() => service.stop());

const VERIFY = "/auth/verify-email";
const RESET = "/auth/password/reset";

describe("an account with an unverified address", () => {
  const row = async (id: number) =>
    (
      await service.database.query(
        "SELECT email, unproven_email, storefront_customer_gid FROM storefront_users WHERE id = $1",
        [id],
      )
    )[0];

  it("loses the address to a storefront customer who has it: the customer is neither linked, tagged nor changed", async () => {
    const email = newEmail("unsynced");
    const gid = service.sandbox.storefront.putCustomer(SHOP, { email, firstName: "Real" }).gid;
    const before = structuredClone(service.sandbox.storefront.customer(SHOP, gid));
    const { id, token } = await signUp(service, { email, first_name: "Mallory" });
    await eventually("the address given up", async () => (await row(id)).unproven_email === email);
    await queueIsEmpty(service);
    expect(await row(id)).toEqual({
      email: null,
      unproven_email: email,
      storefront_customer_gid: null,
    });
    expect(service.sandbox.storefront.customer(SHOP, gid)).toEqual(before);
    expect((await getMe(service, token)).json.user).toMatchObject({ email, first_name: "Mallory" });
    await verify(service, await mailedToken(service, email, VERIFY));
    await eventually(
      "the customer linked",
      async () =>
        (await findAccountByEmail(service.ctx.home.forTenant(SHOP).sql, email))
          ?.storefront_customer_gid === gid,
    );
  });

  it("loses the address to a customer that a webhook reports with it", async () => {
    const email = newEmail("later");
    const { id, token } = await signUp(service, { email, first_name: "Mallory" });
    await queueIsEmpty(service);
    await service.database.query(
      "UPDATE storefront_users SET storefront_customer_gid = NULL WHERE id = $1",
      [id],
    );
    await service.database.query("DELETE FROM kv WHERE key = $1", [`echo:${id}`]);
    await changeAtStore(service, {
      gid: "gid://shopify/Customer/880088",
      email,
      first_name: "Real",
    });
    expect(await row(id)).toMatchObject({ email: null, unproven_email: email });
    const [real] = await service.database.query(
      "SELECT first_name, storefront_customer_gid FROM storefront_users WHERE email = $1",
      [email],
    );
    expect(real).toEqual({
      first_name: "Real",
      storefront_customer_gid: "gid://shopify/Customer/880088",
    });
    expect((await getMe(service, token)).json.user.storefront_customer_gid).toBeNull();
  });

  it("of a federated sign-in is not shown the name that the storefront has for its customer", async () => {
    const email = newEmail("nameless");
    const sub = putPerson(service, "federated", email, { isVerified: false, name: "Mallory" });
    const token = sessionOf(await signInAs(service, "federated", sub)) as string;
    const { id } = (await getMe(service, token)).json.user;
    const { storefront_customer_gid: gid } = await eventually(
      "the customer in the storefront",
      async () => {
        const found = await row(id);
        return found.storefront_customer_gid !== null && found;
      },
    );
    await queueIsEmpty(service);
    await changeAtStore(service, {
      gid,
      first_name: "Real",
      last_name: "Person",
      changedAt: new Date(Date.now() + 1_000),
    });
    const me = await service.call("GET", "/auth/me", { key: token });
    expect(me.text).not.toMatch(/Real|Person/);
    expect((await service.call("GET", "/auth/profile", { key: token })).text).not.toMatch(
      /Real|Person/,
    );
  });

  it("takes its marketing consent to the store once the address is verified, not before", async () => {
    const { email, id, token } = await signUp(service, { consent_marketing: true });
    const { storefront_customer_gid: gid } = await eventually("the customer", async () => {
      const found = await row(id);
      return found.storefront_customer_gid !== null && found;
    });
    await queueIsEmpty(service);
    const state = () => service.sandbox.storefront.customer(SHOP, gid)?.emailMarketingState;
    expect(state()).toBe("NOT_SUBSCRIBED");
    const proven = await service.call("POST", `${VERIFY}?shop=${SHOP}`, {
      key: token,
      body: { token: await mailedToken(service, email, VERIFY) },
    });
    expect(proven.status).toBe(200);
    await eventually("the subscription", () => state() === "SUBSCRIBED");
  });

  it("of a federated sign-in ends with the owner's reset: the earlier sign-in method is not verified with it", async () => {
    const email = newEmail("hijack");
    const sub = putPerson(service, "federated", email, { isVerified: false });
    const attacker = await signInAs(service, "federated", sub);
    await forgot(service, email);
    await reset(service, await mailedToken(service, email, RESET), "a password of my own");
    expect((await getMe(service, sessionOf(attacker) as string)).status).toBe(401);
    const again = await signInAs(service, "federated", sub);
    expect(again.headers.get("location")).toContain("error=account_exists");
    expect((await login(service, email, "a password of my own")).status).toBe(200);
  });

  it("of a federated sign-in is not verified by a newsletter confirmation", async () => {
    const email = newEmail("hijack");
    const sub = putPerson(service, "federated", email, { isVerified: false });
    const attacker = await signInAs(service, "federated", sub);
    const { id } = (await getMe(service, sessionOf(attacker) as string)).json.user;
    const token = await createConsentLink(service.ctx, service.ctx.home.forTenant(SHOP).sql, {
      user_id: id,
      email_hmac: normaliseMailbox(service.ctx, SHOP, email),
      submission: {
        flags: { marketing: true },
        method: "newsletter_form",
        consentVersion: null,
        consentId: crypto.randomUUID(),
        gaSessionId: null,
        gaClientId: null,
        timestamp: null,
        formType: "newsletter",
        sourcePage: null,
        userAgent: null,
        policyHash: null,
        gpc: false,
      },
    });
    const confirmed = await service.call("POST", `/auth/consent-confirm?shop=${SHOP}`, {
      key: null,
      body: { token },
    });
    expect(confirmed.status).toBe(200);
    const [user] = await service.database.query(
      "SELECT email_verified FROM storefront_users WHERE id = $1",
      [id],
    );
    expect(user.email_verified).toBe(false);
  });

  it("of a federated sign-in whose owner uses the verify link without that session keeps only the new password as sign-in method", async () => {
    const email = newEmail("hijack");
    const sub = putPerson(service, "federated", email, { isVerified: false });
    const attacker = await signInAs(service, "federated", sub);
    expect((await verify(service, await mailedToken(service, email, VERIFY))).status).toBe(200);
    expect((await getMe(service, sessionOf(attacker) as string)).status).toBe(401);
    expect((await signInAs(service, "federated", sub)).headers.get("location")).toContain(
      "error=account_exists",
    );
  });
});

describe("password guesses at the account deletion", () => {
  it("count as sign-ins: the 11th of a minute answers 429 even with the right password", async () => {
    const clock = { at: Date.UTC(2026, 10, 20, 12, 0, 1), now: () => new Date(clock.at) };
    const strict = await startService({ clock, env: { RATE_LIMIT_SCALE: "1" } });
    try {
      await strict.addTenant(SHOP);
      const { token } = await signUp(strict);
      for (let tries = 0; tries < 10; tries += 1)
        expect((await deleteMe(strict, token, { password: `guess number ${tries}` })).status).toBe(
          401,
        );
      expect((await deleteMe(strict, token, { password: PASSWORD })).status).toBe(429);
      clock.at += 60_000;
      expect((await deleteMe(strict, token, { password: PASSWORD })).status).toBe(200);
    } finally {
      await strict.stop();
    }
  });
});

describe("the storefront customer whose address an unverified account had", () => {
  const consentAs = (gid: string, body: object) =>
    fetch(proxied(service, "/auth/consent-sync", gid.split("/").at(-1) as string), {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ method: "banner", ...body }),
    });
  const rowOf = async (id: number) =>
    (
      await service.database.query(
        "SELECT email, unproven_email, storefront_customer_gid FROM storefront_users WHERE id = $1",
        [id],
      )
    )[0];

  async function createdCustomer() {
    const email = newEmail("created");
    const mallory = await signUp(service, { email, first_name: "Mallory" });
    await eventually(
      "the storefront's customer",
      async () => (await rowOf(mallory.id)).storefront_customer_gid !== null,
    );
    await queueIsEmpty(service);
    return { email, mallory, gid: (await rowOf(mallory.id)).storefront_customer_gid as string };
  }

  it("gets a separate account that the unverified one can neither read, change nor delete", async () => {
    const { email, mallory, gid } = await createdCustomer();
    expect((await consentAs(gid, { consent_cookie: true, consent_marketing: true })).status).toBe(
      200,
    );
    expect(await rowOf(mallory.id)).toEqual({
      email: null,
      unproven_email: email,
      storefront_customer_gid: null,
    });
    const [own] = await service.database.query(
      `SELECT u.id, u.email, u.first_name, c.consent_marketing FROM storefront_users u
        JOIN user_claims c ON c.shop = u.shop AND c.user_id = u.id WHERE u.storefront_customer_gid = $1`,
      [gid],
    );
    expect(own).toMatchObject({ email, first_name: null, consent_marketing: true });
    const history = await service.call("GET", `/ucp/consent-history?shop=${SHOP}`, {
      key: mallory.token,
    });
    expect(JSON.stringify(history.json)).not.toContain('"banner"');
    expect((await deleteMe(service, mallory.token, { password: PASSWORD })).status).toBe(200);
    await queueIsEmpty(service);
    expect((await rowOf(own.id)).storefront_customer_gid).toBe(gid);
  });

  it("who made the sign-up gets both accounts merged by verifying the address", async () => {
    const { email, mallory, gid } = await createdCustomer();
    await consentAs(gid, { consent_cookie: true });
    const token = await mailedToken(service, email, VERIFY);
    expect((await verify(service, token)).status).toBe(200);
    const me = (await getMe(service, mallory.token)).json;
    expect(me.user).toMatchObject({ email, storefront_customer_gid: gid });
    expect(me.consents.cookie).toBe(true);
  });

  it("reported ten times concurrently gets one account", async () => {
    const { gid } = await createdCustomer();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => consentAs(gid, { consent_cookie: true })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(
      await service.database.query(
        "SELECT count(*)::int AS n FROM storefront_users WHERE storefront_customer_gid = $1",
        [gid],
      ),
    ).toEqual([{ n: 1 }]);
  });
});

it("the verification mail contains no name that the unverified sign-up chose", async () => {
  const email = newEmail("greeted");
  await signUp(service, { email, first_name: "YOU WON evil.example" });
  const mail = await eventually("the mail", () => service.sandbox.email.mailsTo(email)[0]);
  expect(`${mail.subject}${mail.text}${mail.html}`).not.toContain("YOU WON");
});
