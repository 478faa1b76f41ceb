// The one-time code of a sign-in where third-party cookies are blocked.
import { afterAll, beforeAll, expect, it } from "vitest";
import { OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";
import { getMe, newEmail, pictureOf, statusesOf } from "./people.ts";

let service: Service;

beforeAll(async () => {
  service = await startService();
  service.sandbox.federated.settings.autoApprove = true;
  for (const shop of [SHOP, OTHER_SHOP]) await service.addTenant(shop);
});
afterAll(() => service.stop());

const swap = (code: unknown, shop = SHOP) =>
  service.call("POST", `/auth/session?shop=${shop}`, { body: { code }, key: null });

/** Signs in with the provider and brings back the code of the address's fragment. */
async function signInForCode(): Promise<{ code: string; email: string; cookies: string[] }> {
  const email = newEmail("handoff");
  const out = await service.call("GET", `/auth/federated/login?shop=${SHOP}&handoff=fragment`, {
    key: null,
  });
  const cookie = out.headers.get("set-cookie")?.split(";")[0] ?? "";
  const approved = await fetch(`${out.headers.get("location")}&login_hint=${email}`, {
    redirect: "manual",
  });
  const callback = new URL(approved.headers.get("location") ?? "");
  const back = await service.call("GET", callback.pathname + callback.search, {
    key: null,
    headers: { cookie },
  });
  const fragment = new URLSearchParams(new URL(back.headers.get("location") ?? "").hash.slice(1));
  return { email, code: fragment.get("session_code") ?? "", cookies: back.headers.getSetCookie() };
}

it("a code is swapped once for the token, the user and the cookie: of 5 at once one gets them", async () => {
  const { code, email } = await signInForCode();
  expect(code).toMatch(/^[A-Za-z0-9_-]{32}$/);
  const answers = await Promise.all(Array.from({ length: 5 }, () => swap(code)));
  expect(statusesOf(answers)).toEqual([200, 400, 400, 400, 400]);
  const won = answers.find(({ status }) => status === 200);
  expect(Object.keys(won?.json).sort()).toEqual(["token", "user"]);
  expect(won?.json.user).toMatchObject({ email, provider: "federated" });
  expect(won?.headers.getSetCookie()[0]).toBe(
    `__Host-crm_session=${won?.json.token}; Path=/; HttpOnly; Secure; SameSite=None; Partitioned; Max-Age=604800`,
  );
  expect((await getMe(service, won?.json.token)).json.user.email).toBe(email);
  const lost = answers.find(({ status }) => status === 400);
  expect([lost?.json.code, lost?.headers.getSetCookie()]).toEqual(["invalid_code", []]);
});

it("a code is worth nothing at another store, and is not used up by trying it there", async () => {
  const { code } = await signInForCode();
  expect((await swap(code, OTHER_SHOP)).json.code).toBe("invalid_code");
  expect((await swap(code)).status).toBe(200);
});

it("a code lives for 60 seconds", async () => {
  const letTimePass = (seconds: number) =>
    service.database.query(
      "UPDATE kv SET expires_at = expires_at - make_interval(secs => $1) WHERE key LIKE 'session_code:%'",
      [seconds],
    );
  const [early, late] = [await signInForCode(), await signInForCode()];
  await letTimePass(50);
  expect((await swap(early.code)).status).toBe(200);
  await letTimePass(10);
  expect((await swap(late.code)).json.code).toBe("invalid_code");
});

it("a code of a person suspended since opens nothing", async () => {
  const { code, email } = await signInForCode();
  await service.database.query(
    "UPDATE storefront_users SET status = 'suspended' WHERE email = $1",
    [email],
  );
  expect((await swap(code)).json.code).toBe("invalid_code");
});

it("a code stands in the database only as a hash", async () => {
  const { code } = await signInForCode();
  expect(JSON.stringify(await service.database.query("SELECT key, value FROM kv"))).not.toContain(
    code,
  );
});

it("what is no code is 400 and writes nothing", async () => {
  const before = await pictureOf(service.database);
  for (const code of ["", "x", "x".repeat(500), null, 5, { a: 1 }])
    expect((await swap(code)).status).toBe(400);
  expect(await pictureOf(service.database)).toEqual(before);
});
