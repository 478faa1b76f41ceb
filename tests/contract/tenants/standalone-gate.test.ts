// The sign-in gate of /setup, /settings and /onboarding: without credentials, with the admin key,
// with its cookie, and that the cookie opens nothing else.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openGatePass, sealGatePass } from "../../../app/domain/identity/admin-gate/gate-pass.ts";
import { registerTenant } from "../../../app/domain/tenants/tenant-record.ts";
import {
  cookieOf,
  GATED_SHOP as SHOP,
  LISTED,
  PAGES,
  startGate,
  type Gate,
} from "../../support/browser/gate.ts";
import { ADMIN_KEY, type TestApp } from "../../support/browser/screens-server.ts";

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

async function expectGate(answer: Response, status: number): Promise<void> {
  expect(answer.status).toBe(status);
  expect(answer.headers.get("content-type")).toContain("text/html");
  expect(answer.headers.get("cache-control")).toBe("no-store");
  expect(answer.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
  // The address may have a key in it.
  expect(answer.headers.get("referrer-policy")).toBe("same-origin");
  const html = await answer.text();
  expect(html).toContain("<title>Admin sign-in");
  expect(html).not.toContain(SHOP);
  expect(html).not.toContain("JWT_SECRET");
}

describe("a visitor without credentials", () => {
  test.each(PAGES)(
    "gets the gate at %s, by GET, HEAD and as data, and nothing of the page behind it",
    async (page) => {
      await expectGate(await send(page), 401);
      await expectGate(await send(`${page}/`), 401);
      expect((await send(page, { method: "HEAD" })).status).toBe(401);
      const asData = await send(`${page}.data?shop=${SHOP}`);
      expect(asData.status).toBe(401);
      expect(await asData.text()).not.toContain("sections");
    },
  );

  test.each([
    "/SETUP",
    "/Settings",
    "/%73etup",
    "/setup/.",
    "//setup",
    "/setup//",
    "/setup;x",
    "/settings.data/",
  ])("cannot bypass it by the spelling of %s", async (path) => {
    const answer = await send(path);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(await answer.text()).not.toContain("JWT_SECRET");
  });

  test("changes nothing by a POST", async () => {
    const stored = async () =>
      (await app.database.query("SELECT value FROM kv WHERE key = $1", [`tenant:${SHOP}`]))[0]
        ?.value;
    const before = await stored();
    expect(before).toBeDefined();
    for (const page of PAGES) {
      expect(
        (
          await send(`${page}?shop=${SHOP}`, {
            form: { intent: "save", fields: '{"brand_name":"Mallory"}' },
          })
        ).status,
      ).toBe(401);
      expect(
        (
          await send(`${page}.data?shop=${SHOP}`, {
            form: { intent: "save", fields: '{"brand_name":"Mallory"}' },
          })
        ).status,
      ).toBe(401);
    }
    expect(await stored()).toEqual(before);
  });
});

describe("the admin key", () => {
  test.each(PAGES)(
    "in the address of %s is exchanged for a short-lived cookie and removed by a redirect",
    async (page) => {
      const answer = await send(`${page}?shop=${SHOP}&key=${ADMIN_KEY}&locale=en`);
      expect(answer.status).toBe(302);
      expect(answer.headers.get("location")).toBe(`${page}?shop=${SHOP}&locale=en`);
      const [cookie = ""] = answer.headers.getSetCookie();
      expect(cookie).toMatch(/HttpOnly; SameSite=Lax; Max-Age=3600/);
      expect(cookie).not.toContain(ADMIN_KEY);
      const opened = await send(`${page}?shop=${SHOP}`, { cookie: cookieOf(answer) });
      expect(opened.status).toBe(200);
      expect(opened.headers.get("cache-control")).toBe("no-store");
      expect(opened.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
      expect(await opened.text()).toMatch(
        /<title>(Setup|Settings|Onboarding) · Customer identity<\/title>/,
      );
    },
  );

  test.each(PAGES)("as a bearer token opens %s without a cookie", async (page) => {
    const answer = await send(`${page}?shop=${SHOP}`, {
      headers: { Authorization: `Bearer ${ADMIN_KEY}` },
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.getSetCookie()).toEqual([]);
  });

  test("in the gate's form opens the pages too", async () => {
    const answer = await send(`/settings?shop=${SHOP}`, {
      form: { gate: "key", admin_key: ADMIN_KEY },
    });
    expect(answer.status).toBe(302);
    expect((await send(`/settings?shop=${SHOP}`, { cookie: cookieOf(answer) })).status).toBe(200);
  });

  test("that is wrong is rejected as a query parameter, as a bearer token, in the form, and beside a valid cookie", async () => {
    const cookie = await gate.enter();
    await expectGate(await send("/setup?key=wrong-key-0123456789"), 401);
    await expectGate(await send("/setup?key="), 401);
    await expectGate(
      await send("/setup", { headers: { Authorization: "Bearer wrong-key-0123456789" } }),
      401,
    );
    await expectGate(await send("/setup", { form: { gate: "key", admin_key: "wrong" } }), 401);
    await expectGate(await send("/setup?key=wrong", { cookie }), 401);
    await expectGate(
      await send("/setup", { cookie, headers: { Authorization: "Bearer wrong" } }),
      401,
    );
  });

  test("of a store, its app secret and its session secret open no page", async () => {
    const body = JSON.stringify({ admin_key: "tenant-key-0123456789" });
    await fetch(`${app.url}/config?shop=${SHOP}`, {
      method: "POST",
      body,
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${ADMIN_KEY}` },
    });
    for (const key of [
      "tenant-key-0123456789",
      "test-app-secret-0123456789",
      "test-jwt-secret-0123456789",
      "test-worker-secret-0123456789",
    ]) {
      expect((await send(`/settings?shop=${SHOP}&key=${key}`)).status).toBe(401);
      expect(
        (await send(`/settings?shop=${SHOP}`, { headers: { Authorization: `Bearer ${key}` } }))
          .status,
      ).toBe(401);
    }
  });

  test("is limited to sixty attempts a minute per client address; other clients are unaffected", async () => {
    const answers = await Promise.all(Array.from({ length: 60 }, () => send("/setup?key=wrong")));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
    const held = await send(`/setup?key=${ADMIN_KEY}`);
    expect(held.status).toBe(429);
    expect(Number(held.headers.get("retry-after"))).toBeGreaterThan(0);
    gate.moveTo("198.51.100.200");
    expect((await send(`/setup?key=${ADMIN_KEY}`)).status).toBe(302);
  });
});

describe("the cookie", () => {
  test("is valid for an hour", async () => {
    const cookie = await gate.enter();
    gate.clock.now += 3_599_000;
    expect((await send("/setup", { cookie })).status).toBe(200);
    gate.clock.now += 2_000;
    expect((await send("/setup", { cookie })).status).toBe(401);
  });

  test("that was altered, truncated, encrypted elsewhere or made up is rejected", async () => {
    const cookie = await gate.enter();
    const [name = "", value = ""] = cookie.split("=");
    const forged = [
      value.slice(0, -8),
      `${value.slice(0, 40)}${value[40] === "A" ? "B" : "A"}${value.slice(41)}`,
      "x",
      Buffer.from(JSON.stringify({ way: "key", until: gate.clock.now + 1e6 })).toString(
        "base64url",
      ),
      Buffer.from(app.ctx.secrets.seal(SHOP, "{}")).toString("base64url"),
    ];
    for (const one of forged)
      expect((await send("/setup", { cookie: `${name}=${one}` })).status).toBe(401);
  });

  test("ends with the admin key, and a mailed code's with its address, at the next deployment", () => {
    const { ctx } = app;
    const next = (change: object) => ({ ...ctx, config: { ...ctx.config, ...change } });
    const [ofKey, ofMail] = [sealGatePass(ctx, "key"), sealGatePass(ctx, "mail", LISTED)];
    expect([openGatePass(ctx, ofKey), openGatePass(ctx, ofMail)]).toEqual([
      { way: "key", isPlatform: true },
      { way: "mail", isPlatform: false },
    ]);
    const rotated = next({ ADMIN_KEY: "the-next-admin-key-0123456789" });
    expect([openGatePass(rotated, ofKey), openGatePass(rotated, ofMail)]).toEqual([null, null]);
    const removed = next({ ADMIN_EMAILS: ["second@example.com"] });
    expect([openGatePass(removed, ofKey)?.way, openGatePass(removed, ofMail)]).toEqual([
      "key",
      null,
    ]);
  });

  test("is accepted by no endpoint", async () => {
    const cookie = await gate.enter();
    for (const path of [
      `/config?shop=${SHOP}`,
      "/platform/config",
      "/admin/tenants",
      `/admin/storefront-test?shop=${SHOP}`,
      "/metrics",
      `/admin/events/log?shop=${SHOP}`,
    ]) {
      expect((await send(path, { cookie })).status).toBe(401);
      expect(
        (await send(path, { headers: { Authorization: `Bearer ${cookie.split("=")[1]}` } })).status,
      ).toBe(401);
    }
    expect(
      (
        await send(`/config?shop=${SHOP}`, {
          method: "POST",
          cookie,
          headers: { "Content-Type": "application/json", Origin: app.url },
        })
      ).status,
    ).toBe(401);
    expect((await send(`/app/settings?shop=${SHOP}`, { cookie })).status).toBe(302);
  });

  test("changes nothing from another site, nor without an Origin", async () => {
    const cookie = await gate.enter();
    const form = { intent: "save", fields: '{"brand_name":"Mallory"}' };
    for (const origin of ["https://evil.example", `https://${SHOP}`, "null", null]) {
      expect((await send(`/settings?shop=${SHOP}`, { form, cookie, origin })).status).toBe(403);
      expect((await send(`/settings.data?shop=${SHOP}`, { form, cookie, origin })).status).toBe(
        403,
      );
    }
    expect(
      (await app.database.query("SELECT value FROM kv WHERE key = $1", [`tenant:${SHOP}`]))[0]
        ?.value,
    ).not.toHaveProperty("brand_name");
    expect(
      (
        await send(`/settings.data?shop=${SHOP}`, {
          form: { ...form, fields: '{"brand_name":"Kestrel"}' },
          cookie,
        })
      ).status,
    ).toBe(200);
    expect(
      (await app.database.query("SELECT value FROM kv WHERE key = $1", [`tenant:${SHOP}`]))[0]
        ?.value,
    ).toHaveProperty("brand_name", "Kestrel");
  });
});
