import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { letTimePass } from "../../support/database.ts";
import { OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";
import {
  comparable,
  forgot,
  getMe,
  login,
  mailedLink,
  mailedToken,
  newEmail,
  PASSWORD,
  databaseSnapshot,
  queueIsEmpty,
  reset,
  signUp,
  type Person,
} from "./people.ts";

let service: Service;

beforeAll(async () => {
  service = await startService({ background: true });
  await service.addTenant(SHOP);
  await service.addTenant(OTHER_SHOP);
});
afterAll(() => service.stop());

const RESET = "/auth/password/reset";
const NEXT = "a new fine password";

async function askedFor(person?: Person): Promise<Person & { link: string }> {
  const someone = person ?? (await signUp(service));
  const before = service.sandbox.email
    .mailsTo(someone.email)
    .filter(({ text }) => text?.includes(RESET)).length;
  expect((await forgot(service, someone.email)).status).toBe(202);
  return { ...someone, link: await mailedToken(service, someone.email, RESET, before) };
}

it("a link is invalid once the account has another address: the old mailbox no longer proves ownership", async () => {
  const { id, email, link } = await askedFor();
  await service.database.query("UPDATE storefront_users SET email = $2 WHERE id = $1", [
    id,
    `moved-${email}`,
  ]);
  expect(await reset(service, link, NEXT)).toMatchObject({
    status: 400,
    json: { code: "invalid_link" },
  });
  const [user] = await service.database.query(
    "SELECT email_verified FROM storefront_users WHERE id = $1",
    [id],
  );
  expect(user.email_verified).toBe(false);
  expect((await login(service, `moved-${email}`)).status).toBe(200);
});

describe("requesting a link", () => {
  it("answers the same 202 for every address and mails only an active person", async () => {
    const { email } = await signUp(service);
    const suspended = await signUp(service);
    await service.database.query("UPDATE storefront_users SET status = 'suspended' WHERE id = $1", [
      suspended.id,
    ]);
    const answers = [
      await forgot(service, email),
      await forgot(service, newEmail("nobody")),
      await forgot(service, suspended.email),
      await forgot(service, ` ${email.toUpperCase()}`),
    ];
    for (const answer of answers)
      expect(comparable(answer)).toEqual(comparable(answers[0] as never));
    expect(answers[0]).toMatchObject({ status: 202, json: { ok: true } });
    await mailedToken(service, email, RESET, 1);
    await queueIsEmpty(service);
    expect(
      service.sandbox.email.mailsTo(suspended.email).filter(({ text }) => text?.includes(RESET)),
    ).toEqual([]);
    expect(service.sandbox.email.inbox().filter(({ to }) => to.join().includes("nobody"))).toEqual(
      [],
    );
  });

  it("answers after whole steps of time, so that the time does not tell who has an account", async () => {
    const { email } = await signUp(service);
    for (const asked of [email, newEmail("nobody")]) {
      const begunAt = performance.now();
      await forgot(service, asked);
      // A timer may be early by a millisecond.
      expect(performance.now() - begunAt).toBeGreaterThanOrEqual(49);
    }
  });

  it("mails no person of another store and changes neither password nor session", async () => {
    const { email, token } = await signUp(service);
    expect((await forgot(service, email, OTHER_SHOP)).status).toBe(202);
    await queueIsEmpty(service);
    expect(
      service.sandbox.email.mailsTo(email).filter(({ text }) => text?.includes(RESET)),
    ).toEqual([]);
    await forgot(service, email);
    expect((await login(service, email)).status).toBe(200);
    expect((await getMe(service, token)).status).toBe(200);
  });

  it("answers 400 for a malformed address", async () => {
    expect((await forgot(service, "nobody")).json).toMatchObject({
      code: "invalid_request",
      fields: { email: expect.any(String) },
    });
  });

  it("with a forged Host header does not change the mailed link's origin", async () => {
    const { email } = await signUp(service);
    const body = JSON.stringify({ email });
    const { port } = new URL(service.url);
    const headers = {
      host: "evil.example",
      "x-forwarded-host": "evil.example",
      forwarded: "host=evil.example",
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
    };
    const status = await new Promise((done, failed) => {
      const call = request(
        {
          host: "127.0.0.1",
          port,
          method: "POST",
          path: `/auth/password/forgot?shop=${SHOP}`,
          headers,
        },
        (answer) => {
          answer.resume();
          done(answer.statusCode);
        },
      );
      call.on("error", failed);
      call.end(body);
    });
    expect(status).toBe(202);
    const link = new URL(await mailedLink(service, email, RESET));
    expect([link.origin, link.pathname, link.searchParams.get("shop")]).toEqual([
      service.url,
      RESET,
      SHOP,
    ]);
    expect(JSON.stringify(service.sandbox.email.mailsTo(email))).not.toContain("evil.example");
  });
});

describe("using the link", () => {
  it("sets the password, verifies the address and ends every session; the new password signs in and the old one does not", async () => {
    const person = await askedFor();
    const other = (await login(service, person.email)).json.token;
    const answer = await reset(service, person.link, NEXT);
    expect([answer.status, answer.json]).toEqual([200, { ok: true }]);
    expect(answer.headers.getSetCookie()).toEqual([]);
    for (const token of [person.token, other])
      expect((await getMe(service, token)).status).toBe(401);
    expect((await login(service, person.email)).status).toBe(401);
    const fresh = await login(service, person.email, NEXT);
    expect(fresh.json.user.email_verified).toBe(true);
    expect((await getMe(service, fresh.json.token)).status).toBe(200);
  });

  it("works once: of 10 concurrent uses exactly one answers 200, and its password is the stored one", async () => {
    const person = await askedFor();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        reset(service, person.link, `fine password ${index}`),
      ),
    );
    const winners = answers.flatMap(({ status }, index) => (status === 200 ? [index] : []));
    expect(winners).toHaveLength(1);
    for (const [index, { status, json }] of answers.entries())
      if (index !== winners[0]) expect([status, json.code]).toEqual([400, "invalid_link"]);
    expect((await login(service, person.email, `fine password ${winners[0]}`)).status).toBe(200);
    expect((await reset(service, person.link, NEXT)).json.code).toBe("invalid_link");
  });

  it("at another store answers 400 and does not use it up", async () => {
    const person = await askedFor();
    expect((await reset(service, person.link, NEXT, OTHER_SHOP)).json.code).toBe("invalid_link");
    expect((await reset(service, person.link, NEXT)).status).toBe(200);
  });

  it.each(["short", "x".repeat(129), 5, null])(
    "with a password that breaks the rules (%s) answers 400 and does not use it up",
    async (password) => {
      const person = await askedFor();
      expect((await reset(service, person.link, password as string)).json).toMatchObject({
        code: "invalid_request",
        fields: { password: expect.any(String) },
      });
      expect((await login(service, person.email)).status).toBe(200);
      expect((await reset(service, person.link, NEXT)).status).toBe(200);
    },
  );

  it("with the address as password answers 400 and does not use it up", async () => {
    const person = await askedFor();
    expect((await reset(service, person.link, person.email.toUpperCase())).json).toMatchObject({
      code: "invalid_request",
      fields: { password: expect.any(String) },
    });
    expect((await reset(service, person.link, NEXT)).status).toBe(200);
  });

  it.each(["", "nothing", "x".repeat(43), "x".repeat(10_000), "../../etc", null, 5, ["x"]])(
    "with an unknown token (%s) answers 400 and writes nothing",
    async (token) => {
      await queueIsEmpty(service);
      const before = await databaseSnapshot(service.database);
      expect((await reset(service, token as string, NEXT)).status).toBe(400);
      expect(await databaseSnapshot(service.database)).toEqual(before);
    },
  );

  it("after a reset by another link answers 400: a reset invalidates every older link", async () => {
    const first = await askedFor();
    const second = await askedFor(first);
    expect((await reset(service, second.link, NEXT)).status).toBe(200);
    expect((await reset(service, first.link, "an intruder's password")).json.code).toBe(
      "invalid_link",
    );
    expect((await login(service, first.email, NEXT)).status).toBe(200);
  });

  it("of a person who was suspended or deleted since answers 400", async () => {
    for (const status of ["suspended", "deleted"]) {
      const person = await askedFor();
      await service.database.query("UPDATE storefront_users SET status = $2 WHERE id = $1", [
        person.id,
        status,
      ]);
      expect((await reset(service, person.link, NEXT)).json.code).toBe("invalid_link");
    }
  });

  it("is possible for an hour: valid after 59 minutes, invalid after 61", async () => {
    const [early, late] = [await askedFor(), await askedFor()];
    await letTimePass(service.database, "password_link:", 59 * 60);
    expect((await reset(service, early.link, NEXT)).status).toBe(200);
    await letTimePass(service.database, "password_link:", 2 * 60);
    expect((await reset(service, late.link, NEXT)).json.code).toBe("invalid_link");
    expect((await login(service, late.email, PASSWORD)).status).toBe(200);
  });

  it("leaves no token in the database, only its hash", async () => {
    const { link } = await askedFor();
    expect(link).toMatch(/^[A-Za-z0-9_-]{43}$/);
    const rows = await service.database.query(
      "SELECT key, value::text FROM kv WHERE key LIKE 'password_link:%'",
    );
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain(link);
    expect(
      JSON.stringify(await service.database.query("SELECT * FROM integration_queue")),
    ).not.toContain(link);
    expect(JSON.stringify(service.logged)).not.toContain(link);
  });
});

describe("a welcome link", () => {
  it("is used the same way and is valid for 24 hours", async () => {
    const welcome = async (name: string) => {
      const email = newEmail(name);
      const payload = {
        id: 1,
        admin_graphql_api_id: `gid://shopify/Customer/${Math.floor(Math.random() * 1e9)}`,
        email,
        updated_at: "2026-01-01T00:00:00Z",
        tags: "",
        orders_count: 0,
        total_spent: "0.00",
        email_marketing_consent: null,
        sms_marketing_consent: null,
      };
      await service.webhook("customer-create", JSON.stringify(payload), {
        headers: { "X-Shopify-Webhook-Id": email },
      });
      return { email, link: await mailedToken(service, email, RESET) };
    };
    const [early, late] = [await welcome("welcome"), await welcome("welcome")];
    await letTimePass(service.database, "password_link:", 23 * 3_600);
    expect((await reset(service, early.link, NEXT)).status).toBe(200);
    expect((await login(service, early.email, NEXT)).status).toBe(200);
    await letTimePass(service.database, "password_link:", 2 * 3_600);
    expect((await reset(service, late.link, NEXT)).json.code).toBe("invalid_link");
  });
});
