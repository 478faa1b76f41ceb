import { createHmac, generateKeyPairSync, sign as signAsymmetric } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { OTHER_SHOP, SHOP, startService, type Service } from "../../../support/service.ts";
import { comparable, getMe, signUp, type Person } from "../people.ts";
import { claimsOf, derivedSecret, encode, headerOf, signed } from "./tokens.ts";

const JWT_SECRET = "test-jwt-secret-0123456789";
const DEPLOYED_SHOP = "deployed-store.myshopify.com";
const OWN_SECRET = "a secret of the store alone";

let service: Service;
let ada: Person;
const clock = { offsetMs: 0, now: () => new Date(Date.now() + clock.offsetMs) };

beforeAll(async () => {
  service = await startService({ clock, env: { STOREFRONT_STORE_DOMAIN: DEPLOYED_SHOP } });
  await service.addTenant(SHOP);
  await service.addTenant(OTHER_SHOP, { jwt_secret: OWN_SECRET });
  await service.addTenant(DEPLOYED_SHOP);
  ada = await signUp(service);
});
afterAll(() => service.stop());

const shopSecret = () => derivedSecret(JWT_SECRET, SHOP);

describe("a session token", () => {
  it("is HS256 with exactly six claims, a string sub, a lifetime of 7 days, and a kid", () => {
    const [header, claims] = [headerOf(ada.token), claimsOf(ada.token)];
    expect(header).toEqual({
      alg: "HS256",
      typ: "JWT",
      kid: expect.any(String),
      jti: expect.stringMatching(/^[\w-]{10}$/),
    });
    expect(Object.keys(claims).sort()).toEqual(["email", "exp", "iat", "name", "provider", "sub"]);
    expect(claims).toMatchObject({
      sub: String(ada.id),
      email: ada.email,
      name: "Ada Lovelace",
      provider: "email",
    });
    expect(claims.exp - claims.iat).toBe(604_800);
    expect(Math.abs(claims.iat - Date.now() / 1_000)).toBeLessThan(60);
    expect(ada.token).not.toContain("=");
  });

  it.each([
    [
      "32 bytes of HKDF-SHA256 of JWT_SECRET for a store without a secret",
      SHOP,
      derivedSecret(JWT_SECRET, SHOP),
    ],
    ["JWT_SECRET itself for the deployed store", DEPLOYED_SHOP, JWT_SECRET],
    ["the store's own jwt_secret where it has one", OTHER_SHOP, OWN_SECRET],
  ])("is signed with %s: a hand-made token with that key is accepted", async (_, shop, secret) => {
    const person = await signUp(service, {}, shop);
    const [head, body, signature] = person.token.split(".");
    expect(createHmac("sha256", secret).update(`${head}.${body}`).digest("base64url")).toBe(
      signature,
    );
    const made = signed(headerOf(person.token), claimsOf(person.token), secret);
    expect((await getMe(service, made)).json.user.email).toBe(person.email);
    for (const wrong of [
      JWT_SECRET,
      OWN_SECRET,
      derivedSecret(JWT_SECRET, SHOP),
      derivedSecret(JWT_SECRET, OTHER_SHOP),
    ]) {
      if (wrong.toString() === secret.toString()) continue;
      expect(
        (await getMe(service, signed(headerOf(person.token), claimsOf(person.token), wrong)))
          .status,
      ).toBe(401);
    }
  });

  it("names its store and is rejected at another store", async () => {
    const there = await signUp(service, { email: ada.email }, OTHER_SHOP);
    expect((await getMe(service, ada.token)).json.user.id).toBe(ada.id);
    expect((await service.call("GET", `/auth/me?shop=${SHOP}`, { key: ada.token })).status).toBe(
      200,
    );
    for (const shop of [OTHER_SHOP, DEPLOYED_SHOP])
      expect((await service.call("GET", `/auth/me?shop=${shop}`, { key: ada.token })).status).toBe(
        401,
      );
    expect(
      (
        await service.call("GET", "/auth/me", {
          key: there.token,
          headers: { "X-Storefront-Shop-Domain": SHOP },
        })
      ).status,
    ).toBe(401);
  });

  it("is valid for 7 days and not a second longer", async () => {
    clock.offsetMs = (604_800 - 30) * 1_000;
    expect((await getMe(service, ada.token)).status).toBe(200);
    clock.offsetMs = 604_801 * 1_000;
    expect((await getMe(service, ada.token)).status).toBe(401);
    clock.offsetMs = 0;
    expect((await getMe(service, ada.token)).status).toBe(200);
  });
});

describe("verification of a token", () => {
  it("takes one database statement once this process has cached the store", async () => {
    const { token } = await signUp(service);
    await getMe(service, token);
    const statements = vi.spyOn(pg.Client.prototype, "query");
    try {
      for (let times = 0; times < 5; times += 1)
        expect((await getMe(service, token)).status).toBe(200);
      // A connection that is opened meanwhile asks its server once who it is.
      const asked = statements.mock.calls.map(([query]) => (query as { text?: string }).text ?? "");
      expect(asked.filter((text) => !text.includes("pg_backend_pid"))).toHaveLength(5);
    } finally {
      statements.mockRestore();
    }
  });
});

describe("a forged token", () => {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  const parts = () => ada.token.split(".") as [string, string, string];
  const header = () => headerOf(ada.token);
  const claims = () => claimsOf(ada.token);
  const now = () => Math.floor(Date.now() / 1_000);
  /**
   * The same bytes in another spelling: the last base64url character of 32 bytes has two unused
   * bits.
   */
  const otherSpelling = (signature: string) => {
    const signs = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    return signature.slice(0, -1) + signs[signs.indexOf(signature.at(-1) as string) + 1];
  };

  const FORGERIES: [string, () => string][] = [
    [
      "alg none without a signature",
      () => `${encode({ ...header(), alg: "none" })}.${parts()[1]}.`,
    ],
    [
      "alg none with the old signature",
      () => `${encode({ ...header(), alg: "none" })}.${parts()[1]}.${parts()[2]}`,
    ],
    ["alg None", () => signed({ ...header(), alg: "None" }, claims(), "")],
    [
      "alg HS512, signed right for HS256",
      () => signed({ ...header(), alg: "HS512" }, claims(), shopSecret()),
    ],
    ["no alg", () => signed({ typ: "JWT", kid: header().kid }, claims(), shopSecret())],
    [
      "alg RS256",
      () => {
        const input = `${encode({ ...header(), alg: "RS256" })}.${parts()[1]}`;
        return `${input}.${signAsymmetric("sha256", Buffer.from(input), privateKey).toString("base64url")}`;
      },
    ],
    ["another store's key", () => signed(header(), claims(), OWN_SECRET)],
    ["an empty key", () => signed(header(), claims(), "")],
    ["the deployed secret itself", () => signed(header(), claims(), JWT_SECRET)],
    [
      "a kid of another store",
      () =>
        signed(
          { ...header(), kid: header().kid.replace(SHOP, OTHER_SHOP) },
          claims(),
          shopSecret(),
        ),
    ],
    [
      "a kid of another key",
      () => signed({ ...header(), kid: `${SHOP}/00000000` }, claims(), shopSecret()),
    ],
    [
      "a kid of a store that is not there",
      () => signed({ ...header(), kid: "nobody.myshopify.com/00000000" }, claims(), shopSecret()),
    ],
    ["a kid that is a path", () => signed({ ...header(), kid: "../../etc/passwd" }, claims(), "")],
    [
      "a kid that is SQL",
      () => signed({ ...header(), kid: `${SHOP}' OR '1'='1` }, claims(), shopSecret()),
    ],
    ["no kid", () => signed({ alg: "HS256", typ: "JWT" }, claims(), shopSecret())],
    [
      "a changed payload",
      () => `${parts()[0]}.${encode({ ...claims(), sub: String(ada.id + 1) })}.${parts()[2]}`,
    ],
    ["a changed signature", () => `${parts()[0]}.${parts()[1]}.${"A".repeat(43)}`],
    ["no signature", () => `${parts()[0]}.${parts()[1]}.`],
    ["two parts", () => `${parts()[0]}.${parts()[1]}`],
    ["four parts", () => `${ada.token}.${parts()[2]}`],
    [
      "the signature spelt otherwise",
      () => `${parts()[0]}.${parts()[1]}.${otherSpelling(parts()[2])}`,
    ],
    ["padding after the signature", () => `${ada.token}=`],
    ["padding inside", () => `${parts()[0]}=.${parts()[1]}.${parts()[2]}`],
    [
      "100 kB of payload",
      () => signed(header(), { ...claims(), name: "x".repeat(9_000) }, shopSecret()),
    ],
    [
      "an exp that is over",
      () => signed(header(), { ...claims(), iat: now() - 700_000, exp: now() - 1 }, shopSecret()),
    ],
    [
      "an iat in the future",
      () => signed(header(), { ...claims(), iat: now() + 300, exp: now() + 900 }, shopSecret()),
    ],
    ["no exp", () => signed(header(), { ...claims(), exp: undefined }, shopSecret())],
    [
      "an exp that is text",
      () => signed(header(), { ...claims(), exp: "9999999999" }, shopSecret()),
    ],
    ["a sub that is a number", () => signed(header(), { ...claims(), sub: ada.id }, shopSecret())],
    [
      "a sub beyond every id",
      () => signed(header(), { ...claims(), sub: "9999999999" }, shopSecret()),
    ],
    ["a sub that nobody is", () => signed(header(), { ...claims(), sub: "999999" }, shopSecret())],
    ["a sub that is SQL", () => signed(header(), { ...claims(), sub: "1 OR 1=1" }, shopSecret())],
    ["a list as payload", () => signed(header(), [claims()], shopSecret())],
    ["null as payload", () => signed(header(), "null", shopSecret())],
    ["no JSON at all", () => "a.b.c"],
    ["nothing between dots", () => ".."],
  ];

  it.each(FORGERIES)("with %s answers the same 401 as any other", async (_, forge) => {
    const token = forge();
    expect(token).not.toBe(ada.token);
    const answer = await getMe(service, token);
    expect(answer.json).toMatchObject({ error: "Unauthorized", code: "unauthorized" });
    expect(answer.headers.get("www-authenticate")).toMatch(/^Bearer \w+="/);
    const named = await service.call("GET", `/auth/me?shop=${SHOP}`, { key: token });
    expect(comparable(named)).toEqual(
      comparable(await service.call("GET", `/auth/me?shop=${SHOP}`, { key: "a.b.c" })),
    );
    expect(
      (
        await service.call("GET", "/auth/me", {
          key: null,
          headers: { cookie: `__Host-crm_session=${token}` },
        })
      ).status,
    ).toBe(401);
  });

  it("costs no more than parsing it: a header of 15 kB answers 401", async () => {
    expect(
      (await service.call("GET", `/auth/me?shop=${SHOP}`, { key: "x".repeat(15_000) })).status,
    ).toBe(401);
  });

  it("never answers 5xx", () => {
    expect(service.logged.filter(({ event }) => event === "request.failed")).toEqual([]);
  });
});

describe("a missing token", () => {
  it.each([
    ["GET", "/auth/me"],
    ["DELETE", "/auth/me"],
    ["GET", "/auth/profile"],
    ["PATCH", "/auth/profile"],
    ["POST", "/auth/logout"],
  ])("%s %s answers 401 with a challenge, with and without a store named", async (method, path) => {
    const bare = { key: null, ...(method !== "GET" && { body: {} }) };
    for (const query of ["", `?shop=${SHOP}`]) {
      const answer = await service.call(method, path + query, bare);
      expect([answer.status, answer.json.error, answer.headers.get("www-authenticate")]).toEqual([
        401,
        "Unauthorized",
        expect.stringMatching(/^Bearer \w+="/),
      ]);
    }
    for (const authorization of ["Bearer", "Bearer a b", "Basic YTpi", ada.token])
      expect(
        (
          await service.call(method, `${path}?shop=${SHOP}`, {
            ...bare,
            headers: { authorization },
          })
        ).status,
      ).toBe(401);
  });

  it("the admin key is not accepted as a session", async () => {
    expect((await service.call("GET", `/auth/me?shop=${SHOP}`)).status).toBe(401);
  });
});
