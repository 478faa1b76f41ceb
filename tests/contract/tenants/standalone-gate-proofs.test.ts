// The other two sign-in methods of the standalone admin pages: a mailed code, and the assertion of
// an edge proxy.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { registerTenant } from "../../../app/domain/tenants/tenant-record.ts";
import {
  AGENT,
  AUDIENCE,
  cookieOf,
  GATED_SHOP as SHOP,
  LISTED,
  PAGES,
  startGate,
  type Gate,
} from "../../support/browser/gate.ts";
import { ADMIN_KEY, startTestApp, type TestApp } from "../../support/browser/screens-server.ts";
import { letTimePass } from "../../support/database.ts";
import { eventually } from "../../support/service.ts";

let gate: Gate;
let app: TestApp;
let send: Gate["send"];
beforeAll(async () => {
  gate = await startGate();
  ({ app, send } = gate);
  await registerTenant(app.ctx, SHOP);
});
afterAll(() => gate.stop());
beforeEach(() => {
  gate.clock.now = Date.now();
  gate.moveTo();
});

const mails = () => app.sandbox.email.inbox();
const ask = (asked: string, options: Parameters<Gate["send"]>[1] = {}) =>
  send("/setup", { form: { gate: "ask", address: asked }, ...options });
const code = (given: string, cookie: string, options: Parameters<Gate["send"]>[1] = {}) =>
  send("/setup", { form: { gate: "code", code: given }, cookie, ...options });
async function askAndRead(): Promise<{ cookie: string; code: string }> {
  const before = mails().length;
  const cookie = cookieOf(await ask(LISTED));
  const mail = await eventually("the mail", () => mails().slice(before).at(-1));
  return { cookie, code: /\d{8}/.exec(mail.text ?? "")?.[0] ?? "" };
}

describe("a mailed code", () => {
  test("opens the pages once, in the browser that requested it", async () => {
    const { cookie, code: given } = await askAndRead();
    const other = cookieOf(await ask("nobody@example.com"));
    expect((await code(given, other)).status).toBe(401);
    const answers = await Promise.all(Array.from({ length: 5 }, () => code(given, cookie)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      302, 401, 401, 401, 401,
    ]);
    const pass = cookieOf(answers.find(({ status }) => status === 302) as Response);
    expect((await send("/setup", { cookie: pass })).status).toBe(200);
    expect((await code(given, cookie)).status).toBe(401);
  });

  test("has the same response whether the address is listed or not, and is mailed to listed ones only", async () => {
    const before = mails().length;
    const [listed, stranger] = await Promise.all([
      ask(` ${LISTED.toUpperCase()} `),
      ask("mallory@example.com"),
    ]);
    expect([listed.status, stranger.status]).toEqual([200, 200]);
    expect(await listed.text()).toBe(await stranger.text());
    expect(listed.headers.getSetCookie()).toHaveLength(1);
    expect(stranger.headers.getSetCookie()).toHaveLength(1);
    await eventually("the mail", () => mails().length > before);
    expect(
      mails()
        .slice(before)
        .map(({ to }) => to),
    ).toEqual([[LISTED]]);
  });

  test("is invalid after five wrong attempts, also concurrent ones", async () => {
    const { cookie, code: given } = await askAndRead();
    const wrong = String((Number(given) + 1) % 1e8).padStart(8, "0");
    const guesses = await Promise.all(Array.from({ length: 5 }, () => code(wrong, cookie)));
    expect(guesses.every(({ status }) => status === 401)).toBe(true);
    expect((await code(given, cookie)).status).toBe(401);
    // The browser may ask for another one, which has five attempts of its own.
    const before = mails().length;
    await ask(LISTED, { cookie });
    const mail = await eventually("another mail", () => mails().slice(before).at(-1));
    const another = /\d{8}/.exec(mail.text ?? "")?.[0] ?? "";
    expect((await code(another, cookie)).status).toBe(302);
  });

  test("is invalid after ten minutes", async () => {
    const { cookie, code: given } = await askAndRead();
    await letTimePass(app.database, "gate_code:", 600);
    expect((await code(given, cookie)).status).toBe(401);
  });

  test("is stored nowhere in clear text, nor are addresses", async () => {
    const { code: given } = await askAndRead();
    const rows = JSON.stringify(
      await app.database.query("SELECT key, value FROM kv WHERE key LIKE 'gate_%'"),
    );
    expect(rows).toContain("sealed:v1:");
    for (const hidden of [given, LISTED]) expect(rows).not.toContain(hidden);
  });

  test("cannot be requested from another site, and is rate limited per client address", async () => {
    expect((await ask(LISTED, { origin: "https://evil.example" })).status).toBe(403);
    const statuses = [];
    for (let turn = 0; turn < 41; turn += 1)
      statuses.push((await ask("nobody@example.com")).status);
    expect(statuses.slice(0, 40).every((status) => status === 200)).toBe(true);
    expect(statuses.at(-1)).toBe(429);
  });

  test("reaches one mailbox at most five times an hour per client address, with the same response after that", async () => {
    const before = mails().length;
    const statuses = [];
    for (let turn = 0; turn < 7; turn += 1) statuses.push((await ask("second@example.com")).status);
    expect(new Set(statuses)).toEqual(new Set([200]));
    await eventually("the mails", () => mails().length === before + 5);
  });

  test("does not open the operator's pages", async () => {
    const { cookie, code: given } = await askAndRead();
    const pass = cookieOf(await code(given, cookie));
    expect(
      (
        await send("/setup.data", {
          form: { intent: "save", fields: '{"platform_client_id":"mallory"}' },
          cookie: pass,
        })
      ).status,
    ).toBe(403);
    const answer = await send(`/settings.data?shop=${SHOP}`, {
      form: { intent: "save", fields: '{"access_role":"creator"}' },
      cookie: pass,
    });
    expect(await answer.text()).toContain("is set by the platform");
    expect(await app.database.query("SELECT 1 FROM kv WHERE key = 'platform:config'")).toEqual([]);
  });
});

describe("an edge assertion", () => {
  test.each(["Cf-Access-Jwt-Assertion", "X-Edge-Assertion"])(
    "in %s opens the pages",
    async (name) => {
      for (const page of PAGES)
        expect(
          (await send(page, { headers: { [name]: await gate.edge.sign({ aud: [AUDIENCE] }) } }))
            .status,
        ).toBe(200);
    },
  );

  test("beside another one is rejected", async () => {
    const good = await gate.edge.sign({ aud: [AUDIENCE] });
    for (const [first, second] of [
      [good, "another"],
      ["another", good],
    ] as const) {
      const headers = { "Cf-Access-Jwt-Assertion": first, "X-Edge-Assertion": second };
      expect((await send("/setup", { headers })).status).toBe(401);
    }
  });

  test("with another audience, issuer, key or time, without an expiry, or unsigned, is rejected", async () => {
    const seconds = Math.floor(Date.now() / 1_000);
    const good = await gate.edge.sign({ aud: AUDIENCE });
    const [, payload = ""] = good.split(".");
    const bad = [
      await gate.edge.sign({ aud: "another" }),
      await gate.edge.sign({ aud: AUDIENCE, iss: "https://evil.example" }),
      await gate.edge.sign({ aud: AUDIENCE, exp: seconds - 60 }),
      await gate.edge.sign({ aud: AUDIENCE, nbf: seconds + 600 }),
      await gate.edge.sign({ aud: AUDIENCE, exp: undefined }),
      await gate.edge.signWithStranger({ aud: AUDIENCE }),
      await gate.edge.signWithPublicKey({ aud: AUDIENCE }),
      `${Buffer.from('{"alg":"none"}').toString("base64url")}.${payload}.`,
      `${good}x`,
      "x",
    ];
    for (const [index, token] of bad.entries())
      expect([
        index,
        (await send("/setup", { headers: { "X-Edge-Assertion": token } })).status,
      ]).toEqual([index, 401]);
    expect(
      (
        await send("/setup", {
          headers: { "X-Edge-Assertion": good, "Cf-Access-Jwt-Assertion": bad[0] as string },
        })
      ).status,
    ).toBe(401);
  });

  test("changes nothing from another site, and is accepted by no endpoint", async () => {
    const headers = { "X-Edge-Assertion": await gate.edge.sign({ aud: AUDIENCE }) };
    expect(
      (
        await send(`/settings?shop=${SHOP}`, {
          form: { intent: "save", fields: "{}" },
          headers,
          origin: "https://evil.example",
        })
      ).status,
    ).toBe(403);
    expect((await send(`/config?shop=${SHOP}`, { headers })).status).toBe(401);
    expect(
      (
        await send("/setup.data", {
          form: { intent: "save", fields: '{"platform_client_id":"x"}' },
          headers,
        })
      ).status,
    ).toBe(403);
  });

  test("is rejected while its keys cannot be fetched, and the other methods keep working", async () => {
    const alone = await startTestApp({
      withScreens: true,
      env: { EDGE_GATE_JWKS_URL: "http://127.0.0.1:9/keys", EDGE_GATE_AUDIENCE: AUDIENCE },
    });
    const headers = {
      "User-Agent": AGENT,
      "X-Edge-Assertion": await gate.edge.sign({ aud: AUDIENCE }),
    };
    expect((await fetch(`${alone.url}/setup`, { headers })).status).toBe(401);
    expect(
      (
        await fetch(`${alone.url}/setup`, {
          headers: { ...headers, Authorization: `Bearer ${ADMIN_KEY}` },
        })
      ).status,
    ).toBe(200);
    await alone.stop();
  });

  test("is accepted from any issuer where none is set", async () => {
    const headers = {
      "User-Agent": AGENT,
      "X-Edge-Assertion": await gate.edge.sign({ aud: AUDIENCE, iss: "https://another.example" }),
    };
    const open = await startTestApp({
      withScreens: true,
      env: { EDGE_GATE_JWKS_URL: gate.edge.jwksUrl, EDGE_GATE_AUDIENCE: AUDIENCE },
    });
    expect((await fetch(`${open.url}/setup`, { headers })).status).toBe(200);
    await open.stop();
  });
});
