import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";
import {
  comparable,
  deleteMe,
  getMe,
  login,
  newEmail,
  PASSWORD,
  databaseSnapshot,
  signUp,
  statusesOf,
} from "./people.ts";

let service: Service;

beforeAll(async () => {
  service = await startService();
  await service.addTenant(SHOP);
  await service.addTenant(OTHER_SHOP);
});
afterAll(() => service.stop());

describe("a sign-in", () => {
  it("answers 200 with a token, the user and the cookie, and records the time", async () => {
    const { email, id } = await signUp(service);
    await service.database.query(
      "UPDATE storefront_users SET last_login_at = '2020-01-01' WHERE id = $1",
      [id],
    );
    const answer = await login(service, ` ${email.toUpperCase()} `);
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.json).sort()).toEqual(["token", "user"]);
    expect(answer.json.user).toMatchObject({ id, email });
    expect(Date.now() - Date.parse(answer.json.user.last_login_at)).toBeLessThan(60_000);
    expect(answer.headers.getSetCookie()).toEqual([
      `__Host-crm_session=${answer.json.token}; Path=/; HttpOnly; Secure; SameSite=None; Partitioned; Max-Age=604800`,
    ]);
    expect((await getMe(service, answer.json.token)).status).toBe(200);
    expect(answer.text).not.toMatch(/pbkdf2|password|hash/i);
  });

  it("at another store with the same address and password is rejected", async () => {
    const { email } = await signUp(service);
    expect((await login(service, email, PASSWORD, OTHER_SHOP)).status).toBe(401);
  });

  it("of a person whose name exceeds the cookie size returns a working session", async () => {
    const { email, id } = await signUp(service);
    await service.database.query("UPDATE storefront_users SET full_name = $2 WHERE id = $1", [
      id,
      "名".repeat(5_000),
    ]);
    const { json, headers } = await login(service, email);
    expect((await getMe(service, json.token)).status).toBe(200);
    expect(headers.getSetCookie()[0]?.length).toBeLessThan(4_096);
  });

  it("succeeds with the right password on several devices at once, also when the first one's stores a new hash", async () => {
    const { email, id } = await signUp(service);
    await service.addTenant(SHOP, { password_iterations: 100_000 });
    const answers = await Promise.all(Array.from({ length: 6 }, () => login(service, email)));
    await service.addTenant(SHOP);
    expect(statusesOf(answers)).toEqual([200, 200, 200, 200, 200, 200]);
    const [{ password_hash: hash }] = await service.database.query(
      "SELECT password_hash FROM storefront_users WHERE id = $1",
      [id],
    );
    expect(hash).toMatch(/^pbkdf2-sha256\$100000\$/);
  });
});

describe("a failed sign-in", () => {
  it("answers the same bytes for an unknown address, a wrong password, an account without one and a deleted one, and writes nothing", async () => {
    const known = await signUp(service);
    const passwordless = newEmail("federated");
    await service.database.query(
      "INSERT INTO storefront_users (shop, email, provider, federated_sub) VALUES ($1, $2, 'federated', 'sub-1')",
      [SHOP, passwordless],
    );
    const gone = await signUp(service);
    await deleteMe(service, gone.token, { password: PASSWORD });
    const before = await databaseSnapshot(service.database);
    const answers = [
      await login(service, newEmail("nobody")),
      await login(service, known.email, "wrong password"),
      await login(service, known.email, ""),
      await login(service, passwordless),
      await login(service, passwordless, ""),
      await login(service, gone.email),
    ].map(comparable);
    expect(answers[0]).toMatchObject({
      status: 401,
      text: expect.stringContaining("invalid_credentials"),
    });
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(await databaseSnapshot(service.database)).toEqual(before);
  });

  it("answers 403 for a suspended person only with the right password", async () => {
    const { email, id } = await signUp(service);
    await service.database.query("UPDATE storefront_users SET status = 'suspended' WHERE id = $1", [
      id,
    ]);
    const right = await login(service, email);
    expect([right.status, right.json.code]).toEqual([403, "account_suspended"]);
    expect(right.headers.getSetCookie()).toEqual([]);
    expect(comparable(await login(service, email, "wrong password"))).toEqual(
      comparable(await login(service, newEmail("nobody"))),
    );
  });

  it.each([
    ["no password", { email: "a@example.com" }, "password"],
    ["no address", { password: PASSWORD }, "email"],
    ["an address that is none", { email: "a", password: PASSWORD }, "email"],
    ["an object as password", { email: "a@example.com", password: { $ne: null } }, "password"],
  ])("with %s answers 400 and names the field", async (_, body, field) => {
    const answer = await service.call("POST", `/auth/login?shop=${SHOP}`, { body, key: null });
    expect(answer.json).toMatchObject({
      code: "invalid_request",
      fields: { [field]: expect.any(String) },
    });
  });

  it.each([
    "bcrypt",
    "$2b$10$abcdefghijklmnopqrstuv",
    "pbkdf2-sha256$0$AAAAAAAAAAAAAAAAAAAAAA==$x",
    "pbkdf2-sha256$1e9$AAAA$AAAA",
    "pbkdf2-sha256$-1$AAAA$AAAA",
  ])("against a stored hash of another kind (%s) answers 401, never 5xx", async (stored) => {
    const { email, id } = await signUp(service);
    await service.database.query("UPDATE storefront_users SET password_hash = $2 WHERE id = $1", [
      id,
      stored,
    ]);
    expect((await login(service, email)).json.code).toBe("invalid_credentials");
  });
});
