import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";
import { deleteMe, getMe, newEmail, PASSWORD, databaseSnapshot, signUp } from "./people.ts";
import { derivedSecret, headerOf, signed } from "./session/tokens.ts";

let service: Service;

beforeAll(async () => {
  service = await startService();
  await service.addTenant(SHOP);
  await service.addTenant(OTHER_SHOP);
});
afterAll(() => service.stop());

const getProfile = (token: string) => service.call("GET", "/auth/profile", { key: token });
const patch = (token: string, body: unknown) =>
  service.call("PATCH", "/auth/profile", { key: token, body });

/** A user from an identity provider: a full name without first and last name. */
async function federatedPerson(): Promise<{ id: number; token: string }> {
  const email = newEmail("grace");
  const [{ id }] = await service.database.query(
    `INSERT INTO storefront_users (shop, email, provider, full_name, federated_sub, email_verified)
      VALUES ($1, $2, 'federated', 'Grace Hopper', $2, true) RETURNING id`,
    [SHOP, email],
  );
  await service.database.query("INSERT INTO user_claims (shop, user_id) VALUES ($1, $2)", [
    SHOP,
    id,
  ]);
  await service.database.query(
    `INSERT INTO identity_links (shop, issuer, sub, user_id, provider)
      VALUES ($1, 'https://id.example', $3, $2, 'federated')`,
    [SHOP, id, email],
  );
  const iat = Math.floor(Date.now() / 1_000);
  const header = headerOf((await signUp(service)).token);
  const token = signed(
    header,
    { sub: String(id), email, name: "Grace Hopper", provider: "federated", iat, exp: iat + 600 },
    derivedSecret("test-jwt-secret-0123456789", SHOP),
  );
  return { id, token };
}

describe("GET /auth/me and /auth/profile", () => {
  it("me returns the user and six consents, and nothing else", async () => {
    const { token, answer } = await signUp(service, { consent_marketing: true });
    const me = await getMe(service, token);
    expect(me.status).toBe(200);
    expect(me.json).toEqual({
      user: answer.json.user,
      consents: {
        tos: true,
        privacy: true,
        cookie: false,
        marketing: true,
        a2a: false,
        ap2: false,
      },
    });
    expect(me.headers.get("cache-control")).toBe("no-store");
  });

  it("profile returns the same plus tags, segment, language, policy version and linked providers", async () => {
    const { token, id, answer } = await signUp(service, {
      language_pref: "es",
      consent_version: "2026-05",
    });
    await service.database.query(
      "INSERT INTO crm_tags (shop, name, slug, category) VALUES ($1, 'Runner', 'runner', 'campaign')",
      [SHOP],
    );
    await service.database.query(
      "INSERT INTO user_tag_map (shop, user_id, tag_id, source) SELECT shop, $1, id, 'ucp' FROM crm_tags",
      [id],
    );
    await service.database.query("UPDATE user_claims SET segment_id = 'B' WHERE user_id = $1", [
      id,
    ]);
    const profile = await getProfile(token);
    expect(profile.json).toEqual({
      user: answer.json.user,
      consents: {
        tos: true,
        privacy: true,
        cookie: false,
        marketing: false,
        a2a: false,
        ap2: false,
      },
      tags: [
        {
          slug: "runner",
          name: "Runner",
          category: "campaign",
          source: "ucp",
          assigned_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        },
      ],
      segment_id: "B",
      language: "es",
      consent_version: "2026-05",
      linked_providers: ["email"],
    });
  });

  it("profile lists every sign-in method once", async () => {
    const { token } = await federatedPerson();
    expect((await getProfile(token)).json.linked_providers).toEqual(["federated"]);
  });

  it("neither exposes a password hash, another system's token or an internal field", async () => {
    const { token, id } = await signUp(service);
    await service.database.query(
      `UPDATE storefront_users SET federated_sub = 'sub-secret', cms_item_id = 'cms-secret',
        cms_hash = 'hash-secret', phone_hash = 'phone-secret', storefront_hash = 'shop-secret',
        storefront_name_hash = 'name-secret' WHERE id = $1`,
      [id],
    );
    await service.database.query(
      `UPDATE user_claims SET storefront_customer_access_token = 'access-secret',
        storefront_oidc_sub = 'oidc-secret' WHERE user_id = $1`,
      [id],
    );
    for (const answer of [await getMe(service, token), await getProfile(token)])
      expect(answer.text).not.toMatch(/secret|pbkdf2|password|sessions_valid_after/);
  });
});

describe("PATCH /auth/profile", () => {
  it("changes only the given fields and returns the whole updated profile", async () => {
    const { token, id } = await signUp(service);
    const answer = await patch(token, {
      first_name: " Augusta ",
      avatar_url: "https://img.example/a.png",
    });
    expect(answer.status).toBe(200);
    expect(answer.json.user).toMatchObject({
      id,
      first_name: "Augusta",
      last_name: "Lovelace",
      full_name: "Augusta Lovelace",
      avatar_url: "https://img.example/a.png",
      language_pref: null,
    });
    expect(answer.json).toEqual((await getProfile(token)).json);
    expect(Object.keys(answer.json).sort()).toEqual([
      "consent_version",
      "consents",
      "language",
      "linked_providers",
      "segment_id",
      "tags",
      "user",
    ]);
    expect(
      (await patch(token, { first_name: null, avatar_url: null, language_pref: "pt-BR" })).json
        .user,
    ).toMatchObject({
      first_name: null,
      full_name: "Lovelace",
      avatar_url: null,
      language_pref: "pt-BR",
    });
    expect((await patch(token, {})).json.user).toMatchObject({
      full_name: "Lovelace",
      language_pref: "pt-BR",
    });
  });

  it("ignores every other field, also those of the user object, and changes no other person", async () => {
    const [{ token, id }, neighbour] = [await signUp(service), await signUp(service)];
    const neighbourBefore = (await getMe(service, neighbour.token)).text;
    const answer = await patch(token, {
      id: neighbour.id,
      user_id: neighbour.id,
      email: "eve@example.com",
      email_verified: true,
      provider: "storefront",
      status: "suspended",
      tags: ["vip"],
      amount_spent: 5,
      number_of_orders: 5,
      storefront_customer_gid: "gid://shopify/Customer/1",
      password: "another password",
      full_name: "Eve",
      consent_marketing: true,
      shop: OTHER_SHOP,
    });
    expect(answer.json.user).toMatchObject({
      id,
      email_verified: false,
      provider: "email",
      status: "active",
      tags: [],
      amount_spent: 0,
      number_of_orders: 0,
      storefront_customer_gid: null,
      full_name: "Ada Lovelace",
    });
    expect(answer.json.consents.marketing).toBe(false);
    expect((await getMe(service, neighbour.token)).text).toBe(neighbourBefore);
  });

  it.each([
    ["avatar_url", "javascript:alert(1)"],
    ["avatar_url", "http://img.example/a.png"],
    ["avatar_url", "data:image/png;base64,AAAA"],
    ["avatar_url", "//img.example/a.png"],
    ["avatar_url", "a.png"],
    ["avatar_url", `https://img.example/${"x".repeat(2_000)}`],
    ["avatar_url", 5],
    ["first_name", "x".repeat(201)],
    ["last_name", { a: 1 }],
    ["language_pref", "english"],
    ["language_pref", "<b>"],
    ["language_pref", 5],
  ])("%s as %s answers 400 with the field's name and changes nothing", async (name, value) => {
    const { token } = await signUp(service);
    const before = await databaseSnapshot(service.database);
    const answer = await patch(token, { last_name: "Changed", [name]: value });
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({
      code: "invalid_request",
      fields: { [name]: expect.any(String) },
    });
    expect(await databaseSnapshot(service.database)).toEqual(before);
  });

  it("shows the last chosen language in every response that has one", async () => {
    const { token, id } = await signUp(service, { language_pref: "es" });
    expect((await patch(token, { language_pref: "fr" })).json).toMatchObject({
      language: "fr",
      user: { language_pref: "fr" },
    });
    expect((await patch(token, { first_name: "Ada" })).json.language).toBe("fr");
    expect(
      await service.database.query("SELECT language FROM user_claims WHERE user_id = $1", [id]),
    ).toEqual([{ language: "fr" }]);
  });

  it("stores a name as one line that cannot turn the direction of the text after it", async () => {
    const { token } = await signUp(service);
    const { json } = await patch(token, { first_name: "\u202eAda\nB", last_name: "\u2067" });
    expect(json.user).toMatchObject({ first_name: "Ada B", last_name: null, full_name: "Ada B" });
  });

  it("keeps the identity provider's name when only the language changes", async () => {
    const { token } = await federatedPerson();
    expect((await patch(token, { language_pref: "fr" })).json.user).toMatchObject({
      full_name: "Grace Hopper",
      language_pref: "fr",
    });
    expect(
      (await patch(token, { first_name: "Amazing", last_name: "Grace" })).json.user.full_name,
    ).toBe("Amazing Grace");
  });

  it("keeps both of two concurrent changes to different fields", async () => {
    const { token } = await signUp(service);
    for (let times = 0; times < 5; times += 1) {
      await Promise.all([
        patch(token, { first_name: `First${times}` }),
        patch(token, { last_name: `Last${times}` }),
        patch(token, { language_pref: times % 2 ? "es" : "fr" }),
      ]);
      expect((await getMe(service, token)).json.user).toMatchObject({
        full_name: `First${times} Last${times}`,
        language_pref: times % 2 ? "es" : "fr",
      });
    }
  });

  it("that runs during the account's deletion never writes the name back", async () => {
    for (let times = 0; times < 8; times += 1) {
      const { token, id } = await signUp(service);
      await Promise.all([
        deleteMe(service, token, { password: PASSWORD }),
        ...Array.from({ length: 6 }, () => patch(token, { first_name: "Ghost" })),
      ]);
      const [row] = await service.database.query(
        "SELECT status, first_name, full_name FROM storefront_users WHERE id = $1",
        [id],
      );
      expect(row).toEqual({ status: "deleted", first_name: null, full_name: null });
    }
  });
});
