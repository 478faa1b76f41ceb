// Sign-ups with the address of a known customer: until the address is verified the sign-up sees and
// changes nothing of the customer; afterwards the two are merged.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { recordConsent } from "../../../app/domain/consent/record-consent.ts";
import {
  gidOf,
  putPerson,
  sessionOf,
  signInAs,
  signedInUser,
} from "../../support/browser/sign-in-journey.ts";
import { OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";
import {
  connectStorefront,
  deleteMe,
  forgot,
  getMe,
  login,
  mailedToken,
  newEmail,
  PASSWORD,
  postSignUp,
  queueIsEmpty,
  reset,
  signUp,
  signUpBody,
  statusesOf,
  verify,
  type Person,
} from "./people.ts";
import { changeAtStore } from "../../support/storefront/customers.ts";

let service: Service;

beforeAll(async () => {
  service = await startService({ background: true });
  await service.addTenant(SHOP);
  await service.addTenant(OTHER_SHOP);
  await connectStorefront(service);
});
afterAll(() => service.stop());

const VERIFY = "/auth/verify-email";
const RESET = "/auth/password/reset";

/** Customer data that the unverified sign-up must neither see nor change. */
const CUSTOMER_COLUMNS = `id, email, password_hash, first_name, last_name, full_name, language_pref, provider,
    email_verified, status, tags, storefront_customer_gid`;

type Customer = { id: number; email: string; gid: string; sub: string };
let customer: Customer;

/**
 * A storefront customer who declined marketing, revoked the terms, and has a tag set by the
 * merchant.
 */
beforeEach(async () => {
  const email = newEmail("grace");
  const sub = putPerson(service, "storefront", email);
  const gid = gidOf(service, sub);
  await changeAtStore(service, {
    gid,
    email,
    first_name: "Grace",
    last_name: "Hopper",
    tags: ["wholesale"],
    number_of_orders: 7,
    changedAt: new Date("2026-01-01T00:00:00Z"),
    createdAt: new Date("2026-01-01T00:00:00Z"),
  });
  const [row] = await service.database.query(
    "SELECT id FROM storefront_users WHERE shop = $1 AND email = $2",
    [SHOP, email],
  );
  customer = { id: row.id, email, gid, sub };
  await service.database.query(
    "INSERT INTO user_claims (shop, user_id, consent_marketing) VALUES ($1, $2, false)",
    [SHOP, customer.id],
  );
  await storeConsent("marketing", "revoked");
});

async function storeConsent(type: string, action: "granted" | "revoked"): Promise<void> {
  await service.ctx.home.forTenant(SHOP).transaction((sql) =>
    recordConsent(sql, { connection: {} }, [
      {
        userId: customer.id,
        consentType: type,
        action,
        method: "compliance-page",
        consentId: crypto.randomUUID(),
      },
    ]),
  );
}

async function customerSnapshot() {
  await queueIsEmpty(service);
  const [row] = await service.database.query(
    `SELECT ${CUSTOMER_COLUMNS} FROM storefront_users WHERE id = $1`,
    [customer.id],
  );
  const [claims] = await service.database.query("SELECT * FROM user_claims WHERE user_id = $1", [
    customer.id,
  ]);
  const log = await service.database.query(
    "SELECT consent_type, action, method FROM consent_records WHERE user_id = $1 ORDER BY seq",
    [customer.id],
  );
  const tags = await service.database.query("SELECT * FROM user_tag_map WHERE user_id = $1", [
    customer.id,
  ]);
  const there = service.sandbox.storefront.customers(SHOP).find(({ gid }) => gid === customer.gid);
  return structuredClone({
    row,
    claims,
    log,
    tags,
    there: { firstName: there?.firstName, tags: there?.tags, metafields: there?.metafields },
  });
}

const stranger = (fields: Record<string, unknown> = {}): Promise<Person> =>
  signUp(service, {
    email: customer.email,
    first_name: "Mallory",
    last_name: "Stranger",
    consent_marketing: true,
    consent_cookie: true,
    ...fields,
  });

const history = async (token: string) =>
  (await service.call("GET", "/ucp/consent-history", { key: token })).json.records;

describe("an unverified sign-up with a customer's address", () => {
  it("answers 201 as usual, with the submitted data and nothing of the customer", async () => {
    const { answer, token } = await stranger();
    expect(answer.status).toBe(201);
    expect(answer.json.user).toMatchObject({
      email: customer.email,
      full_name: "Mallory Stranger",
      email_verified: false,
      tags: [],
      number_of_orders: 0,
      storefront_customer_gid: null,
    });
    const profile = await service.call("GET", "/auth/profile", { key: token });
    const identity = await service.call("GET", "/commerce/identity", {
      key: token,
      headers: { "Sec-Fetch-Site": "same-origin" },
    });
    const copy = await service.call("GET", "/auth/me/export", { key: token });
    for (const text of [answer.text, profile.text, identity.text, copy.text])
      expect(text).not.toMatch(/Grace|Hopper|wholesale|gid:|compliance-page/);
    expect((await history(token)).map((row: any) => [row.consent_type, row.method])).toEqual(
      expect.arrayContaining([["tos", "signup"]]),
    );
    expect((await history(token)).every((row: any) => row.method === "signup")).toBe(true);
  });

  it("changes nothing of the customer, here or at the storefront, whatever its session does", async () => {
    const before = await customerSnapshot();
    const { token } = await stranger();
    await service.call("PATCH", "/auth/profile", { key: token, body: { first_name: "Eve" } });
    await service.call("POST", "/auth/consent-sync", {
      key: token,
      body: { method: "dashboard", consent_marketing: true, consent_a2a: true },
    });
    await service.call("POST", "/ucp/tags", {
      key: token,
      body: { add: ["campaign"], remove: [] },
    });
    await service.call("POST", "/segment/assign", { key: token, body: { experiment: "price" } });
    expect(await customerSnapshot()).toEqual(before);
    expect((await getMe(service, token)).json).toMatchObject({
      user: { first_name: "Eve" },
      consents: { marketing: true },
    });
  });

  it("is pushed to no system: neither CMS, analytics nor profile platform", async () => {
    await queueIsEmpty(service);
    const { id, token } = await stranger();
    await service.call("POST", "/auth/consent-sync", {
      key: token,
      body: { method: "dashboard", consent_marketing: false },
    });
    await queueIsEmpty(service);
    const sent = await service.database.query(
      `SELECT channel FROM delivery_attempts WHERE event_id IN (SELECT event_id
        FROM integration_queue WHERE entity_id = $1) AND http_status IS NOT NULL AND channel <> 'email'`,
      [String(id)],
    );
    expect(sent).toEqual([]);
  });

  it("deletes only its own data: the customer stays, and later webhooks are processed", async () => {
    const before = await customerSnapshot();
    const { token } = await stranger();
    expect((await deleteMe(service, token, { password: PASSWORD })).json).toEqual({
      deleted: true,
    });
    expect(await customerSnapshot()).toEqual(before);
    expect(await service.database.query("SELECT 1 FROM customer_tombstones")).toEqual([]);
    await changeAtStore(service, { gid: customer.gid, first_name: "Rear Admiral" });
    const [row] = await service.database.query(
      "SELECT first_name FROM storefront_users WHERE id = $1",
      [customer.id],
    );
    expect(row.first_name).toBe("Rear Admiral");
    expect((await getMe(service, token)).status).toBe(401);
    await stranger();
  });

  it("signs in with the password while the address is unverified; a second sign-up answers 409", async () => {
    await stranger();
    expect((await login(service, customer.email)).status).toBe(200);
    expect((await postSignUp(service, signUpBody(customer.email))).json.code).toBe("email_taken");
  });

  it("raced by others succeeds once, the rest answer 409", async () => {
    const answers = await Promise.all(
      [1, 2, 3, 4].map(() => postSignUp(service, signUpBody(customer.email))),
    );
    expect(statusesOf(answers)).toEqual([201, 409, 409, 409]);
    expect(
      await service.database.query(
        "SELECT 1 FROM storefront_users WHERE email = $1 OR unproven_email = $1",
        [customer.email],
      ),
    ).toHaveLength(2);
  });

  it("belongs to one store: the same address at another store signs up as usual", async () => {
    const there = await signUp(service, { email: customer.email }, OTHER_SHOP);
    const [row] = await service.database.query(
      "SELECT email, unproven_email FROM storefront_users WHERE id = $1",
      [there.id],
    );
    expect(row).toEqual({ email: customer.email, unproven_email: null });
  });
});

describe("a customer who signs up", () => {
  it("and verifies the address with the password gets one merged account; the session continues", async () => {
    const { token } = await stranger({ first_name: "Grace", last_name: "Murray" });
    const link = await mailedToken(service, customer.email, VERIFY);
    expect((await verify(service, link)).status).toBe(200);
    const me = (await getMe(service, token)).json;
    expect(me.user).toMatchObject({
      id: customer.id,
      email: customer.email,
      full_name: "Grace Murray",
      email_verified: true,
      provider: "email",
      tags: ["wholesale"],
      number_of_orders: 7,
      storefront_customer_gid: customer.gid,
    });
    expect(me.consents).toMatchObject({ tos: true, privacy: true, marketing: true, cookie: true });
    expect((await history(token)).map((row: any) => `${row.consent_type} ${row.action}`)).toEqual(
      expect.arrayContaining(["marketing revoked", "marketing granted", "tos granted"]),
    );
    expect((await login(service, customer.email)).json.user.id).toBe(customer.id);
    expect((await postSignUp(service, signUpBody(customer.email))).status).toBe(409);
    const verification = await service.call("GET", `/admin/consent/verify?shop=${SHOP}`, {});
    expect(verification.json).toMatchObject({ ok: true });
  });

  it("and verifies it with the session of the account needs no password; what the customer agreed to is not recorded again", async () => {
    await storeConsent("privacy", "granted");
    const { token } = await stranger();
    const link = await mailedToken(service, customer.email, VERIFY);
    const proven = await service.call("POST", `${VERIFY}?shop=${SHOP}`, {
      key: token,
      body: { token: link },
    });
    expect(proven.status).toBe(200);
    expect((await getMe(service, token)).json.user).toMatchObject({
      id: customer.id,
      email_verified: true,
    });
    expect(
      (await history(token)).filter((row: any) => row.consent_type === "privacy"),
    ).toHaveLength(1);
  });

  it("and verifies the address has each tag once, also one that customer and sign-up both chose", async () => {
    const { id, token } = await stranger();
    await service.call("POST", "/ucp/tags", {
      key: token,
      body: { add: ["campaign", "newsletter_subscribed"] },
    });
    await service.database.query(
      `INSERT INTO user_tag_map (shop, user_id, tag_id, source)
        SELECT shop, $2, tag_id, 'admin' FROM user_tag_map m WHERE shop = $1 AND user_id = $3
          AND tag_id = (SELECT id FROM crm_tags t WHERE t.shop = $1 AND t.slug = 'campaign')`,
      [SHOP, customer.id, id],
    );
    await service.database.query(
      `UPDATE storefront_users SET tags = tags || '["campaign"]' WHERE id = $1`,
      [customer.id],
    );
    await verify(service, await mailedToken(service, customer.email, VERIFY));
    expect((await getMe(service, token)).json.user.tags.toSorted()).toEqual([
      "campaign",
      "newsletter_subscribed",
      "wholesale",
    ]);
    const profile = (await service.call("GET", "/auth/profile", { key: token })).json;
    expect(profile.tags.filter(({ slug }: { slug: string }) => slug === "campaign")).toHaveLength(
      1,
    );
  });

  it("is pushed to every system of a sign-up once the address is verified; the existing storefront customer is reused", async () => {
    await stranger({ first_name: "Grace", last_name: "Hopper" });
    const before = service.sandbox.storefront.customers(SHOP).length;
    await verify(service, await mailedToken(service, customer.email, VERIFY));
    await queueIsEmpty(service);
    const rows = await service.database.query(
      `SELECT channel, status FROM integration_queue WHERE entity_id = $1
        AND event_type = 'customer.signed_up' AND channel = 'storefront'`,
      [String(customer.id)],
    );
    expect(rows).toEqual([{ channel: "storefront", status: "delivered" }]);
    expect(service.sandbox.storefront.customers(SHOP)).toHaveLength(before);
  });

  it("ends the session with a sign-out, and everywhere at once, after the merge too", async () => {
    const { token } = await stranger();
    const other = (await login(service, customer.email)).json.token;
    await verify(service, await mailedToken(service, customer.email, VERIFY));
    await service.call("POST", "/auth/logout", { key: other, body: {} });
    expect((await getMe(service, other)).status).toBe(401);
    expect((await getMe(service, token)).status).toBe(200);
    await service.call("POST", "/auth/logout", { key: token, body: { everywhere: true } });
    expect((await getMe(service, token)).status).toBe(401);
  });

  it("after the storefront deleted the customer meanwhile may reset the password, and gets a separate account", async () => {
    const { token } = await stranger({ first_name: "Grace", last_name: "Hopper" });
    await service.database.query(
      "UPDATE storefront_users SET status = 'deleted', storefront_customer_gid = NULL WHERE id = $1",
      [customer.id],
    );
    await forgot(service, customer.email);
    await mailedToken(service, customer.email, RESET);
    await verify(service, await mailedToken(service, customer.email, VERIFY));
    const me = (await getMe(service, token)).json.user;
    expect(me).toMatchObject({ email: customer.email, email_verified: true });
    expect(me.id).not.toBe(customer.id);
  });
});

describe("the mailed verification link", () => {
  it("without session and password answers 400 password_required and is not used up", async () => {
    await stranger();
    const link = await mailedToken(service, customer.email, VERIFY);
    const before = await customerSnapshot();
    const bare = await service.call("POST", `${VERIFY}?shop=${SHOP}`, {
      key: null,
      body: { token: link },
    });
    expect([bare.status, bare.json.error, bare.json.code]).toEqual([
      400,
      "BadRequest",
      "password_required",
    ]);
    expect(await customerSnapshot()).toEqual(before);
    expect((await verify(service, link)).status).toBe(200);
  });

  it("with another person's session asks for the password too", async () => {
    await stranger();
    const other = await signUp(service);
    const link = await mailedToken(service, customer.email, VERIFY);
    const answer = await service.call("POST", `${VERIFY}?shop=${SHOP}`, {
      key: other.token,
      body: { token: link },
    });
    expect(answer.json.code).toBe("password_required");
  });

  it("with a different password sets it and ends the earlier sessions; names and consents of the customer stay", async () => {
    const { token } = await stranger();
    const link = await mailedToken(service, customer.email, VERIFY);
    const own = "a password of my own";
    expect((await verify(service, link, SHOP, own)).status).toBe(200);
    expect((await getMe(service, token)).status).toBe(401);
    expect((await login(service, customer.email)).status).toBe(401);
    const me = (await login(service, customer.email, own)).json;
    expect(me.user).toMatchObject({ id: customer.id, full_name: "Grace Hopper" });
    expect((await getMe(service, me.token)).json.consents).toMatchObject({
      marketing: false,
      a2a: false,
    });
  });

  it("with a password that breaks the rules answers 400 and is not used up", async () => {
    await stranger();
    const link = await mailedToken(service, customer.email, VERIFY);
    for (const password of ["short", "x".repeat(129), customer.email]) {
      const answer = await verify(service, link, SHOP, password);
      expect([answer.status, answer.json.code]).toEqual([400, "invalid_request"]);
    }
    expect((await verify(service, link)).status).toBe(200);
  });

  it("verifies nothing for a customer who was suspended meanwhile", async () => {
    await stranger();
    const link = await mailedToken(service, customer.email, VERIFY);
    await service.database.query("UPDATE storefront_users SET status = 'suspended' WHERE id = $1", [
      customer.id,
    ]);
    expect((await verify(service, link)).json.code).toBe("invalid_link");
  });
});

describe("the owner of the address", () => {
  it("who resets the password takes over the account: the earlier password and sessions end, no consent is overwritten and no agent is allowed", async () => {
    const { token } = await stranger();
    const asStranger = (path: string, body: object) =>
      service.call("POST", path, { key: token, body });
    const agents = { consent_a2a: true, consent_ap2: true, method: "dashboard" };
    expect((await asStranger("/auth/consent-sync", agents)).status).toBe(200);
    expect((await asStranger("/ucp/tags", { add: ["newsletter_subscribed"] })).status).toBe(200);
    await forgot(service, customer.email);
    const own = "a password of my own";
    const link = await mailedToken(service, customer.email, RESET);
    expect((await reset(service, link, own)).status).toBe(200);
    expect((await getMe(service, token)).status).toBe(401);
    expect((await login(service, customer.email)).status).toBe(401);
    const mine = (await login(service, customer.email, own)).json;
    expect(mine.user).toMatchObject({
      id: customer.id,
      full_name: "Grace Hopper",
      tags: ["wholesale"],
    });
    expect((await getMe(service, mine.token)).json.consents).toMatchObject({
      tos: true,
      marketing: false,
      a2a: false,
      ap2: false,
    });
    // The earlier verify link is invalid now.
    const late = await mailedToken(service, customer.email, VERIFY);
    expect((await verify(service, late)).json.code).toBe("invalid_link");
  });

  it.each([
    { first_name: "Grace", last_name: null },
    { first_name: null, last_name: "Hopper" },
  ])(
    "of whom the store knows half a name keeps it, and gets none of the stranger's: %o",
    async (name) => {
      await service.database.query(
        "UPDATE storefront_users SET first_name = $2, last_name = $3, full_name = NULL WHERE id = $1",
        [customer.id, name.first_name, name.last_name],
      );
      await stranger();
      await forgot(service, customer.email);
      const own = "a password of my own";
      await reset(service, await mailedToken(service, customer.email, RESET), own);
      const { user } = (await login(service, customer.email, own)).json;
      expect(user).toMatchObject({ id: customer.id, ...name });
    },
  );

  it.each(["storefront", "federated"] as const)(
    "who signs in through the %s provider takes over the account without granting marketing",
    async (provider) => {
      const { token } = await stranger();
      const sub =
        provider === "storefront" ? customer.sub : putPerson(service, provider, customer.email);
      const answer = await signInAs(service, provider, sub);
      expect(await signedInUser(service, answer)).toMatchObject({
        id: customer.id,
        full_name: "Grace Hopper",
      });
      expect((await getMe(service, token)).status).toBe(401);
      expect((await login(service, customer.email)).status).toBe(401);
      const me = await getMe(service, sessionOf(answer) as string);
      expect(me.json.consents).toMatchObject({ tos: true, marketing: false });
    },
  );

  it("who never decided on marketing is not granted it by a provider's sign-in, whatever the unverified sign-up chose", async () => {
    const email = newEmail("silent");
    await service.database.query(
      "INSERT INTO storefront_users (shop, email, provider) VALUES ($1, $2, 'email')",
      [SHOP, email],
    );
    await signUp(service, { email, consent_marketing: true });
    const answer = await signInAs(service, "federated", putPerson(service, "federated", email));
    expect((await getMe(service, sessionOf(answer) as string)).json.consents.marketing).toBe(false);
  });
});
