// Stores that require a verified address before the first sign-in, and contacts that existed before they
// signed up.
import { hash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addToCatalog } from "../../support/storefront/tag-catalog.ts";
import { customerPayload } from "../../support/storefront/payloads.ts";
import { eventually, OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";
import {
  comparable,
  getMe,
  login,
  mailedToken,
  newEmail,
  PASSWORD,
  databaseSnapshot,
  postSignUp,
  queueIsEmpty,
  reset,
  signUp,
  signUpBody,
  verify,
  type Person,
} from "./people.ts";

let service: Service;
const CAREFUL = OTHER_SHOP;

beforeAll(async () => {
  service = await startService({
    background: true,
    env: { RATE_LIMIT_SCALE: "1", TRUST_PROXY_HOPS: "1" },
  });
  await service.addTenant(SHOP);
  await service.addTenant(CAREFUL, { require_email_verification: true });
});
afterAll(() => service.stop());

let visitors = 0;
const visitor = () => ({ "X-Forwarded-For": `10.0.0.${(visitors += 1)}` });
const subjectsTo = (email: string) =>
  service.sandbox.email.mailsTo(email).map(({ subject }) => subject);

describe("a store that verifies addresses first", () => {
  it("answers a new and a taken address with the same 202; only their mails differ", async () => {
    const email = newEmail("careful");
    const fresh = await postSignUp(service, signUpBody(email), CAREFUL, visitor());
    await eventually("the mail of the new one", () => subjectsTo(email).length === 1);
    const users = await service.database.query(
      "SELECT id, password_hash, first_name FROM storefront_users WHERE email = $1",
      [email],
    );
    const taken = await postSignUp(
      service,
      signUpBody(email, { password: "another password", first_name: "Eve" }),
      CAREFUL,
      visitor(),
    );
    expect(fresh.status).toBe(202);
    expect(fresh.json).toEqual({ ok: true });
    expect(fresh.headers.getSetCookie()).toEqual([]);
    expect(comparable(taken)).toEqual(comparable(fresh));
    await eventually("the mail of the taken one", () => subjectsTo(email).length === 2);
    expect(subjectsTo(email)).toEqual([
      `Verify your email address for ${CAREFUL}`,
      `You already have an account at ${CAREFUL}`,
    ]);
    expect(
      await service.database.query(
        "SELECT id, password_hash, first_name FROM storefront_users WHERE email = $1",
        [email],
      ),
    ).toEqual(users);
  });

  it("answers after whole steps of time, so that the time does not tell whether an address is taken", async () => {
    const email = newEmail("careful");
    for (let attempt = 1; attempt <= 10; attempt += 1) {
      const begunAt = performance.now();
      expect((await postSignUp(service, signUpBody(email), CAREFUL, visitor())).status).toBe(202);
      // A timer may be early by a millisecond.
      expect(performance.now() - begunAt).toBeGreaterThanOrEqual(99);
    }
  });

  it("answers two concurrent sign-ups with 202 twice and creates one user", async () => {
    const email = newEmail("careful");
    const answers = await Promise.all(
      [1, 2].map(() => postSignUp(service, signUpBody(email), CAREFUL, visitor())),
    );
    expect(answers.map(({ status }) => status)).toEqual([202, 202]);
    expect(
      await service.database.query("SELECT 1 FROM storefront_users WHERE email = $1", [email]),
    ).toHaveLength(1);
  });

  it("rejects a sign-in until the mailed link was used, mails a new link as announced, and discloses nothing to a guesser", async () => {
    const email = newEmail("careful");
    await postSignUp(service, signUpBody(email), CAREFUL, visitor());
    await mailedToken(service, email, "/auth/verify-email");
    expect((await login(service, email, "wrong password", CAREFUL)).json.code).toBe(
      "invalid_credentials",
    );
    const early = await login(service, email, PASSWORD, CAREFUL);
    expect([early.status, early.json.code]).toEqual([403, "email_unverified"]);
    expect(early.headers.getSetCookie()).toEqual([]);
    const token = await mailedToken(service, email, "/auth/verify-email", 1);
    expect((await verify(service, token, CAREFUL)).status).toBe(200);
    expect((await login(service, email, PASSWORD, CAREFUL)).json.user.email_verified).toBe(true);
  });

  it("mails the owner of a taken address at most 5 times an hour, however many sign-ups name it", async () => {
    const email = newEmail("careful");
    for (let tries = 0; tries < 9; tries += 1)
      expect((await postSignUp(service, signUpBody(email), CAREFUL, visitor())).status).toBe(202);
    await queueIsEmpty(service);
    expect(subjectsTo(email).filter((subject) => subject.startsWith("You already"))).toHaveLength(
      5,
    );
  });
});

describe("a contact created by a storefront webhook", () => {
  const HIDDEN = {
    tags: [],
    number_of_orders: 0,
    amount_spent: 0,
    country: null,
    email_subscription_status: null,
    sms_subscription_status: null,
    storefront_customer_gid: null,
    language_pref: null,
  };
  type Customer = { gid: string; email: string };
  let customers = 0;

  const sendUpdate = async ({ gid, email }: Customer, values: Record<string, string> = {}) => {
    const delivery = `${gid} ${JSON.stringify(values)}`;
    await service.webhook(
      "customer-update",
      customerPayload({
        admin_graphql_api_id: `"${gid}"`,
        email: `"${email}"`,
        ...values,
      }),
      { headers: { "X-Shopify-Webhook-Id": hash("sha256", delivery) } },
    );
    await eventually(
      "the webhook handled",
      async () =>
        (
          await service.database.query(
            "SELECT 1 FROM webhook_inbox WHERE delivery_id = $1 AND status = 'done'",
            [hash("sha256", delivery)],
          )
        ).length === 1,
    );
  };

  /** A contact with the tag VIP, and a person who signed up with its address. */
  async function signUpBesideContact(): Promise<{
    customer: Customer;
    contactId: number;
    person: Person;
  }> {
    const number = 7_000 + (customers += 1);
    const customer = {
      gid: `gid://shopify/Customer/${number}`,
      email: `bob-${number}@biller.com`,
    };
    await sendUpdate(customer);
    const [contact] = await service.database.query(
      "UPDATE storefront_users SET language_pref = 'fr' WHERE shop = $1 AND email = $2 RETURNING id",
      [SHOP, customer.email],
    );
    await service.database.query(
      // The webhook's own tags may be linked already.
      `INSERT INTO user_tag_map (shop, user_id, tag_id, source)
        SELECT shop, $1, id, 'storefront' FROM crm_tags WHERE slug = 'vip' ON CONFLICT DO NOTHING`,
      [contact.id],
    );
    const names = { first_name: "Not", last_name: "Robert" };
    const person = await signUp(service, { email: customer.email, ...names });
    return { customer, contactId: contact.id, person };
  }

  let customer: Customer;
  let contactId: number;
  let person: Person;
  beforeAll(async () => {
    await addToCatalog(service, ["newsletter"]);
    await service.database.query(
      "INSERT INTO crm_tags (shop, name, slug, category) VALUES ($1, 'VIP', 'vip', 'tier')",
      [SHOP],
    );
    ({ customer, contactId, person } = await signUpBesideContact());
  });

  it("can still sign up separately, without seeing the storefront's data", async () => {
    expect(person.id).not.toBe(contactId);
    expect(person.answer.json.user).toMatchObject({
      ...HIDDEN,
      first_name: "Not",
      last_name: "Robert",
      provider: "email",
      email_verified: false,
    });
    expect((await getMe(service, person.token)).json.user).toMatchObject(HIDDEN);
    const profile = await service.call("GET", "/auth/profile", { key: person.token });
    expect(profile.json.user).toMatchObject(HIDDEN);
    expect(profile.json.tags).toEqual([]);
    for (const answer of [person.answer, profile])
      expect(answer.text).not.toMatch(/Bob|Biller|gid:|vip/);
  });

  it("sees the tags chosen here, and none of the merchant's", async () => {
    const change = (body: object) =>
      service.call("POST", `/ucp/tags?shop=${SHOP}`, { key: person.token, body });
    expect((await change({ add: ["newsletter"] })).status).toBe(200);
    for (const user of [
      (await getMe(service, person.token)).json.user,
      (await login(service, person.email)).json.user,
    ])
      expect(user).toMatchObject({ ...HIDDEN, tags: ["newsletter"] });
    expect((await change({ remove: ["newsletter"] })).status).toBe(200);
  });

  it("does not see the customer's real name even after another webhook of the customer", async () => {
    await sendUpdate(customer, {
      first_name: '"Robert"',
      updated_at: '"2022-02-01T00:00:00Z"',
    });
    expect((await getMe(service, person.token)).json.user.first_name).toBe("Not");
  });

  describe("whose address was verified", () => {
    let proven: Awaited<ReturnType<typeof signUpBesideContact>>;
    beforeAll(async () => {
      proven = await signUpBesideContact();
      const token = await mailedToken(service, proven.customer.email, "/auth/verify-email");
      await verify(service, token);
    });

    it("sees everything", async () => {
      const { token } = proven.person;
      expect((await getMe(service, token)).json.user).toMatchObject({
        tags: ["vip", "ice cream"],
        number_of_orders: 1,
        amount_spent: 100,
        country: "CA",
        storefront_customer_gid: proven.customer.gid,
        email_verified: true,
      });
      const profile = await service.call("GET", "/auth/profile", { key: token });
      expect(profile.json.tags).toMatchObject([
        { slug: "vip", name: "VIP", category: "tier", source: "storefront" },
      ]);
    });

    it("is taken, also for a person who verified nothing", async () => {
      await queueIsEmpty(service);
      const before = await databaseSnapshot(service.database);
      const answer = await postSignUp(service, signUpBody(proven.customer.email), SHOP, visitor());
      expect(answer.json.code).toBe("email_taken");
      const after = await databaseSnapshot(service.database);
      expect({ ...after, kv: "" }).toEqual({ ...before, kv: "" });
    });
  });

  it("is verified by a welcome link as well, and then no other person can sign up with its address", async () => {
    await service.webhook(
      "customer-create",
      customerPayload({
        admin_graphql_api_id: '"gid://shopify/Customer/91"',
        email: '"wendy@example.com"',
      }),
      { headers: { "X-Shopify-Webhook-Id": "create-91" } },
    );
    const welcome = await mailedToken(service, "wendy@example.com", "/auth/password/reset");
    expect((await reset(service, welcome, "a fine password")).status).toBe(200);
    expect(
      (await postSignUp(service, signUpBody("wendy@example.com"), SHOP, visitor())).json.code,
    ).toBe("email_taken");
    expect((await login(service, "wendy@example.com", "a fine password")).json.user).toMatchObject({
      tags: ["vip", "ice cream"],
      email_verified: true,
    });
  });
});
