import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RETURN_ORIGIN, SHOP, startService, type Service } from "../../../support/service.ts";
import { deleteMe, forgot, getMe, login, mailedToken, PASSWORD, reset, signUp } from "../people.ts";
import { startSecondProcess } from "./second-process.ts";

let service: Service;
let second: Awaited<ReturnType<typeof startSecondProcess>>;

beforeAll(async () => {
  service = await startService({ background: true });
  await service.addTenant(SHOP);
  second = await startSecondProcess(service);
});
afterAll(async () => {
  await second.stop();
  await service.stop();
});

/** The status of a token in both processes; the second process first, from its own cache. */
const statuses = async (token: string) => [
  await second.getMe(token),
  (await getMe(service, token)).status,
];

describe("a session", () => {
  it("is valid in every process of the deployment", async () => {
    const { token } = await signUp(service);
    expect(await statuses(token)).toEqual([200, 200]);
  });

  it("ends everywhere at once when the person is suspended, and allows neither deletion nor changes", async () => {
    const { token, id } = await signUp(service);
    expect(await statuses(token)).toEqual([200, 200]);
    await service.database.query("UPDATE storefront_users SET status = 'suspended' WHERE id = $1", [
      id,
    ]);
    expect(await statuses(token)).toEqual([401, 401]);
    expect((await deleteMe(service, token, { password: PASSWORD })).status).toBe(401);
    expect(
      (await service.call("PATCH", "/auth/profile", { key: token, body: { first_name: "Eve" } }))
        .status,
    ).toBe(401);
  });

  it("opens no account that got the person's number after a backup was restored", async () => {
    const lost = await signUp(service);
    // After a restore the numbers begin again at those of the backup.
    await service.database.query("UPDATE storefront_users SET email = $2 WHERE id = $1", [
      lost.id,
      "somebody-else@example.com",
    ]);
    expect(await statuses(lost.token)).toEqual([200, 200]);
    await service.database.query(
      "UPDATE storefront_users SET created_at = now() + interval '2 seconds' WHERE id = $1",
      [lost.id],
    );
    expect(await statuses(lost.token)).toEqual([401, 401]);
    await service.database.query("UPDATE storefront_users SET email = $2 WHERE id = $1", [
      lost.id,
      lost.email,
    ]);
    expect(await statuses(lost.token)).toEqual([200, 200]);
  });

  it("stays ended when statements suspend and reactivate the person; a new one is valid at once", async () => {
    const { token, id, email } = await signUp(service);
    for (const status of ["suspended", "active"])
      await service.database.query("UPDATE storefront_users SET status = $2 WHERE id = $1", [
        id,
        status,
      ]);
    expect(await statuses(token)).toEqual([401, 401]);
    expect(await statuses((await login(service, email)).json.token)).toEqual([200, 200]);
  });

  it("ends everywhere at once, with all other sessions of the person, when the account is deleted", async () => {
    const { token, email } = await signUp(service);
    const other = (await login(service, email)).json.token;
    expect(await statuses(other)).toEqual([200, 200]);
    expect((await deleteMe(service, token, { password: PASSWORD })).status).toBe(200);
    expect(await statuses(token)).toEqual([401, 401]);
    expect(await statuses(other)).toEqual([401, 401]);
  });

  it("ends everywhere at once when the store's jwt_secret changes; sessions of the new secret work, and old ones work again with the old secret", async () => {
    const { token, email } = await signUp(service);
    expect(await statuses(token)).toEqual([200, 200]);
    await service.call("POST", `/config?shop=${SHOP}`, {
      body: { jwt_secret: "a brand new secret of the store" },
    });
    expect(await statuses(token)).toEqual([401, 401]);
    const fresh = (await login(service, email)).json.token;
    expect(await statuses(fresh)).toEqual([200, 200]);
    await service.call("POST", `/config?shop=${SHOP}`, { body: { jwt_secret: null } });
    expect(await statuses(fresh)).toEqual([401, 401]);
    expect(await statuses(token)).toEqual([200, 200]);
  });

  it("ends everywhere at once with a reset, also one made in the same second; one made right after the reset is valid", async () => {
    const { email, token } = await signUp(service);
    await forgot(service, email);
    const link = await mailedToken(service, email, "/auth/password/reset");
    const [answer, during] = await Promise.all([
      reset(service, link, "another fine password"),
      login(service, email),
    ]);
    expect(answer.status).toBe(200);
    const after = (await login(service, email, "another fine password")).json.token;
    expect(await statuses(token)).toEqual([401, 401]);
    if (during.status === 200) expect(await statuses(during.json.token)).toEqual([401, 401]);
    expect(await statuses(after)).toEqual([200, 200]);
  });

  it("made right after a reset ends with the next reset, also in the same second", async () => {
    const { email } = await signUp(service);
    let token = "";
    for (let times = 0; times < 3; times += 1) {
      await forgot(service, email);
      expect(
        (
          await reset(
            service,
            await mailedToken(service, email, "/auth/password/reset", times),
            `fine password ${times}`,
          )
        ).status,
      ).toBe(200);
      if (token) expect(await statuses(token)).toEqual([401, 401]);
      token = (await login(service, email, `fine password ${times}`)).json.token;
      expect(await statuses(token)).toEqual([200, 200]);
    }
  });
});

describe("sessions checked concurrently", () => {
  it("are not mixed up: each valid one returns its own person, each ended one answers 401", async () => {
    const people = await Promise.all(Array.from({ length: 8 }, () => signUp(service)));
    const suspended = new Set(people.filter((_, n) => n % 4 === 1));
    const signedOut = new Set(people.filter((_, n) => n % 4 === 3));
    const twin = new Map(
      await Promise.all(
        [...signedOut].map(
          async (person) =>
            [person, (await login(service, person.email)).json.token as string] as const,
        ),
      ),
    );
    for (const { id } of suspended)
      await service.database.query(
        "UPDATE storefront_users SET status = 'suspended' WHERE id = $1",
        [id],
      );
    for (const { token } of signedOut) await service.call("POST", "/auth/logout", { key: token });
    const asked = [...people, ...people, ...people].map((person) => ({
      person,
      token: person.token,
    }));
    for (const [person, token] of twin) asked.push({ person, token });
    const answers = await Promise.all(
      asked.map(async ({ person, token }) => ({
        person,
        token,
        answer: await getMe(service, token),
      })),
    );
    for (const { person, token, answer } of answers) {
      const hasEnded = suspended.has(person) || (signedOut.has(person) && token === person.token);
      expect([answer.status, answer.json.user?.email]).toEqual(
        hasEnded ? [401, undefined] : [200, person.email],
      );
    }
  });
});

describe("a sign-out", () => {
  it("invalidates this token and its copies, clears the cookie, and keeps the person's other sessions", async () => {
    const { email } = await signUp(service);
    // Also when both were issued in the same second.
    const [token, other] = (await Promise.all([login(service, email), login(service, email)])).map(
      ({ json }) => json.token as string,
    ) as [string, string];
    expect(other).not.toBe(token);
    const answer = await service.call("POST", "/auth/logout", {
      key: null,
      body: {},
      headers: { cookie: `__Host-crm_session=${token}`, origin: RETURN_ORIGIN },
    });
    expect([answer.status, answer.text]).toEqual([204, ""]);
    expect(answer.headers.getSetCookie()).toEqual([
      "__Host-crm_session=; Path=/; HttpOnly; Secure; SameSite=None; Partitioned; Max-Age=0",
    ]);
    expect(await statuses(token)).toEqual([401, 401]);
    expect(await statuses(other)).toEqual([200, 200]);
    expect((await service.call("POST", "/auth/logout", { key: token, body: {} })).status).toBe(401);
  });

  it("does not end a session started right after it", async () => {
    const { email } = await signUp(service);
    for (let times = 0; times < 3; times += 1) {
      const { token } = (await login(service, email)).json;
      expect(await statuses(token)).toEqual([200, 200]);
      expect((await service.call("POST", "/auth/logout", { key: token })).status).toBe(204);
    }
  });

  it("by bearer token needs no body and no origin", async () => {
    const { token } = await signUp(service);
    expect((await service.call("POST", "/auth/logout", { key: token })).status).toBe(204);
    expect(await statuses(token)).toEqual([401, 401]);
  });

  it("stores the token only as a hash", async () => {
    const { token } = await signUp(service);
    await service.call("POST", "/auth/logout", { key: token });
    const rows = await service.database.query(
      "SELECT key, expires_at FROM kv WHERE key LIKE 'revoked:%'",
    );
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain(token.split(".")[2]);
    for (const { expires_at: expiresAt } of rows) expect(expiresAt).not.toBeNull();
  });
});
