import { hash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";
import { addToCatalog } from "../../support/storefront/tag-catalog.ts";
import {
  comparable,
  getMe,
  newEmail,
  databaseSnapshot,
  postSignUp,
  signUp,
  signUpBody,
  statusesOf,
} from "./people.ts";

let service: Service;

beforeAll(async () => {
  service = await startService();
  await service.addTenant(SHOP);
  await service.addTenant(OTHER_SHOP);
});
afterAll(() => service.stop());

const USER_FIELDS = [
  "id",
  "email",
  "full_name",
  "first_name",
  "last_name",
  "avatar_url",
  "provider",
  "status",
  "language_pref",
  "tags",
  "number_of_orders",
  "amount_spent",
  "email_subscription_status",
  "sms_subscription_status",
  "country",
  "storefront_customer_gid",
  "email_verified",
  "last_login_at",
  "updated_at",
];

const consentRows = (userId: number) =>
  service.database.query(
    `SELECT consent_type, action, method, consent_version, consent_id, user_agent, gpc,
      timestamp, created_at FROM consent_records WHERE shop = $1 AND user_id = $2 ORDER BY seq`,
    [SHOP, userId],
  );

describe("a sign-up", () => {
  it("answers 201 with exactly a token and the user's fields, and sets exactly the session cookie", async () => {
    const email = newEmail("ada");
    const answer = await postSignUp(service, signUpBody(email, { language_pref: "fr" }));
    expect(answer.status).toBe(201);
    expect(Object.keys(answer.json).sort()).toEqual(["token", "user"]);
    expect(Object.keys(answer.json.user).sort()).toEqual([...USER_FIELDS].sort());
    expect(answer.json.user).toMatchObject({
      email,
      first_name: "Ada",
      last_name: "Lovelace",
      full_name: "Ada Lovelace",
      provider: "email",
      status: "active",
      language_pref: "fr",
      email_verified: false,
      tags: [],
    });
    expect(answer.headers.getSetCookie()).toEqual([
      `__Host-crm_session=${answer.json.token}; Path=/; HttpOnly; Secure; SameSite=None; Partitioned; Max-Age=604800`,
    ]);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect((await getMe(service, answer.json.token)).json.user.id).toBe(answer.json.user.id);
  });

  it("answers with the user that GET /auth/me shows, the tags of the rules included", async () => {
    await addToCatalog(service, ["New Customer"], { shop: OTHER_SHOP, category: "segment" });
    const { answer, token } = await signUp(service, {}, OTHER_SHOP);
    expect(answer.json.user.tags).toEqual(["new_customer"]);
    expect((await getMe(service, token)).json.user).toEqual(answer.json.user);
  });

  it("reads only its own fields from the body", async () => {
    const { answer, id } = await signUp(service, {
      id: 1,
      status: "suspended",
      email_verified: true,
      provider: "storefront",
      tags: ["vip"],
      password_hash: "x",
      amount_spent: 9,
      storefront_customer_gid: "gid://shopify/Customer/1",
      consent_a2a: true,
      consent_ap2: true,
    });
    expect(answer.json.user).toMatchObject({
      status: "active",
      email_verified: false,
      provider: "email",
      tags: [],
      amount_spent: 0,
      storefront_customer_gid: null,
    });
    const [claims] = await service.database.query(
      "SELECT consent_a2a, consent_ap2 FROM user_claims WHERE user_id = $1",
      [id],
    );
    expect(claims).toEqual({ consent_a2a: false, consent_ap2: false });
  });

  it("belongs to one store: the same address signs up at another store as a separate account", async () => {
    const here = await signUp(service);
    const there = await signUp(service, { email: here.email }, OTHER_SHOP);
    expect(there.id).not.toBe(here.id);
    expect(
      (await service.call("GET", `/auth/me?shop=${OTHER_SHOP}`, { key: here.token })).status,
    ).toBe(401);
  });
});

describe("consents at a sign-up", () => {
  const NOT_TRUE = [undefined, null, false, "true", 1, "yes", [true], { value: true }];

  it.each(
    ["consent_tos", "consent_privacy"].flatMap((name) =>
      NOT_TRUE.map((value) => [name, JSON.stringify(value) ?? "missing", value] as const),
    ),
  )("%s as %s answers 400 consent_required and writes nothing", async (name, _, value) => {
    const before = await databaseSnapshot(service.database);
    const answer = await postSignUp(service, signUpBody(newEmail(), { [name]: value }));
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({
      error: "BadRequest",
      code: "consent_required",
      fields: { [name]: expect.any(String) },
    });
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect(await databaseSnapshot(service.database)).toEqual(before);
  });

  it("rejects marketing and cookie consents that are not booleans", async () => {
    for (const name of ["consent_marketing", "consent_cookie"]) {
      const answer = await postSignUp(service, signUpBody(newEmail(), { [name]: "true" }));
      expect(answer.json).toMatchObject({
        code: "invalid_request",
        fields: { [name]: expect.any(String) },
      });
    }
  });

  it("are logged as expressed and no others, with the method signup and one consent id", async () => {
    const { id } = await signUp(service);
    const rows = await consentRows(id);
    expect(rows.map(({ consent_type, action, method }) => [consent_type, action, method])).toEqual([
      ["tos", "granted", "signup"],
      ["privacy", "granted", "signup"],
    ]);
    expect(new Set(rows.map(({ consent_id }) => consent_id)).size).toBe(1);
  });

  it("log a declined consent as declined, with the policy version, the browser and its privacy control", async () => {
    const answer = await postSignUp(
      service,
      signUpBody(newEmail(), {
        consent_marketing: false,
        consent_cookie: true,
        consent_version: "2026-05",
      }),
      SHOP,
      { "User-Agent": "a browser", "Sec-GPC": "1" },
    );
    const rows = await consentRows(answer.json.user.id);
    expect(rows.map(({ consent_type, action }) => `${consent_type} ${action}`).sort()).toEqual([
      "cookie granted",
      "marketing revoked",
      "privacy granted",
      "tos granted",
    ]);
    for (const row of rows)
      expect(row).toMatchObject({
        consent_version: "2026-05",
        user_agent: "a browser",
        gpc: true,
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      });
    expect((await getMe(service, answer.json.token)).json.consents).toEqual({
      tos: true,
      privacy: true,
      cookie: true,
      marketing: false,
      a2a: false,
      ap2: false,
    });
  });

  it("are logged under the store's own policy version, with the hash of its text, when the page names none", async () => {
    const policy = { version: "store-7", body: "We keep what you tell us." };
    await service.call("POST", `/admin/consent/policies?shop=${OTHER_SHOP}`, { body: policy });
    await service.call("POST", `/config?shop=${OTHER_SHOP}`, {
      body: { consent_policy_version: "store-7" },
    });
    const { id } = await signUp(service, {}, OTHER_SHOP);
    const rows = await service.database.query(
      "SELECT DISTINCT consent_version, policy_hash FROM consent_records WHERE shop = $1 AND user_id = $2",
      [OTHER_SHOP, id],
    );
    expect(rows).toEqual([
      { consent_version: "store-7", policy_hash: hash("sha256", policy.body) },
    ]);
    const [claims] = await service.database.query(
      "SELECT consent_version FROM user_claims WHERE shop = $1 AND user_id = $2",
      [OTHER_SHOP, id],
    );
    expect(claims.consent_version).toBe("store-7");
  });
});

describe("a taken address", () => {
  it("answers 409 email_taken in every spelling and changes nothing", async () => {
    const { email } = await signUp(service);
    const before = await databaseSnapshot(service.database);
    for (const spelling of [email, email.toUpperCase(), `  ${email} `, email.replace("@", "＠")]) {
      const answer = await postSignUp(
        service,
        signUpBody(spelling, { password: "another password", first_name: "Eve" }),
      );
      expect(answer.status).toBe(409);
      expect(answer.json).toMatchObject({ error: "Conflict", code: "email_taken" });
      expect(answer.headers.getSetCookie()).toEqual([]);
    }
    expect(await databaseSnapshot(service.database)).toEqual(before);
  });

  it.each([2, 8])(
    "raced by %i sign-ups creates one user: one 201, and 409 for the rest",
    async (racers) => {
      const email = newEmail("race");
      const answers = await Promise.all(
        Array.from({ length: racers }, (_, index) =>
          postSignUp(service, signUpBody(email, { first_name: `Racer ${index}` })),
        ),
      );
      expect(statusesOf(answers)).toEqual([201, ...Array.from({ length: racers - 1 }, () => 409)]);
      const [{ users, claims, consents }] = await service.database.query(
        `SELECT count(DISTINCT u.id)::int AS users, count(DISTINCT c.id)::int AS claims,
          count(DISTINCT r.id)::int AS consents
       FROM storefront_users u LEFT JOIN user_claims c ON c.user_id = u.id LEFT
         JOIN consent_records r ON r.user_id = u.id WHERE u.email = $1`,
        [email],
      );
      expect({ users, claims, consents }).toEqual({ users: 1, claims: 1, consents: 2 });
    },
  );

  it("of a suspended person stays taken", async () => {
    const { id, email } = await signUp(service);
    await service.database.query("UPDATE storefront_users SET status = 'suspended' WHERE id = $1", [
      id,
    ]);
    expect((await postSignUp(service, signUpBody(email))).json.code).toBe("email_taken");
  });
});

describe("a sign-up without a registered store", () => {
  it("answers 400 without a store, 400 for a malformed one, 404 for an unknown one, and writes nothing", async () => {
    const before = await databaseSnapshot(service.database);
    const post = (query: string) =>
      service.call("POST", `/auth/signup${query}`, { body: signUpBody(newEmail()), key: null });
    expect((await post("")).json.code).toBe("tenant_required");
    expect((await post("?shop=evil.example")).json.code).toBe("invalid_shop");
    expect(comparable(await post("?shop=nobody.myshopify.com"))).toMatchObject({ status: 404 });
    expect(await databaseSnapshot(service.database)).toEqual(before);
  });

  it("answers 405 to GET, 415 to a form, 400 to broken JSON", async () => {
    const get = await service.call("GET", `/auth/signup?shop=${SHOP}`, { key: null });
    expect([get.status, get.headers.get("allow")]).toEqual([405, "POST, OPTIONS"]);
    expect(
      (
        await service.call("POST", `/auth/signup?shop=${SHOP}`, {
          body: "email=a",
          key: null,
          headers: { "Content-Type": "application/x-www-form-urlencoded" },
        })
      ).status,
    ).toBe(415);
    expect(
      (await service.call("POST", `/auth/signup?shop=${SHOP}`, { body: "{", key: null })).json.code,
    ).toBe("malformed_json");
  });
});
