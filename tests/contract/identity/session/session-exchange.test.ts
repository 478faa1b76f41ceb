// The one-time session code of a sign-in where third-party cookies are blocked.
import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { letTimePass } from "../../../support/database.ts";
import { OTHER_SHOP, SHOP, startService, type Service } from "../../../support/service.ts";
import { getMe, newEmail, databaseSnapshot, statusesOf } from "../people.ts";

let service: Service;

beforeAll(async () => {
  service = await startService();
  service.sandbox.federated.settings.autoApprove = true;
  for (const shop of [SHOP, OTHER_SHOP]) await service.addTenant(shop);
});
afterAll(() => service.stop());

const VERIFIER = "a-verifier-that-only-this-tab-knows-0123456789";
const CHALLENGE = createHash("sha256").update(VERIFIER).digest("base64url");

const exchange = (code: unknown, shop = SHOP, verifier: unknown = VERIFIER) =>
  service.call("POST", `/auth/session?shop=${shop}`, {
    body: { code, handoff_verifier: verifier },
    key: null,
  });

/** Signs in with the provider and returns the code from the address's fragment. */
async function signInForCode(
  query = `&handoff=fragment&handoff_challenge=${CHALLENGE}`,
): Promise<{ code: string; email: string; cookies: string[] }> {
  const email = newEmail("handoff");
  const out = await service.call("GET", `/auth/federated/login?shop=${SHOP}${query}`, {
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

it("exchanges a code once for the token, the user and the cookie: one of 5 concurrent exchanges succeeds", async () => {
  const { code, email } = await signInForCode();
  expect(code).toMatch(/^[A-Za-z0-9_-]{32}$/);
  const answers = await Promise.all(Array.from({ length: 5 }, () => exchange(code)));
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

it("rejects a code at another store without using it up", async () => {
  const { code } = await signInForCode();
  expect((await exchange(code, OTHER_SHOP)).json.code).toBe("invalid_code");
  expect((await exchange(code)).status).toBe(200);
});

it("accepts a code for 60 seconds", async () => {
  const [early, late] = [await signInForCode(), await signInForCode()];
  await letTimePass(service.database, "session_code:", 50);
  expect((await exchange(early.code)).status).toBe(200);
  await letTimePass(service.database, "session_code:", 10);
  expect((await exchange(late.code)).json.code).toBe("invalid_code");
});

it("rejects a code of a person who was suspended since", async () => {
  const { code, email } = await signInForCode();
  await service.database.query(
    "UPDATE storefront_users SET status = 'suspended' WHERE email = $1",
    [email],
  );
  expect((await exchange(code)).json.code).toBe("invalid_code");
});

it("stores a code only as a hash", async () => {
  const { code } = await signInForCode();
  expect(JSON.stringify(await service.database.query("SELECT key, value FROM kv"))).not.toContain(
    code,
  );
});

it("rejects a malformed code with 400 and writes nothing", async () => {
  const before = await databaseSnapshot(service.database);
  for (const code of ["", "x", "x".repeat(500), null, 5, { a: 1 }])
    expect((await exchange(code)).status).toBe(400);
  expect(await databaseSnapshot(service.database)).toEqual(before);
});

it("rejects a code without the verifier of the tab that started, without using it up", async () => {
  const { code } = await signInForCode();
  for (const verifier of ["", "x".repeat(43), CHALLENGE, null, 5])
    expect((await exchange(code, SHOP, verifier)).status).toBe(400);
  expect((await exchange(code)).status).toBe(200);
});

it.each([
  ["without a challenge", "&handoff=fragment"],
  ["with a challenge of the wrong shape", "&handoff=fragment&handoff_challenge=short"],
  ["with a challenge and no wish for a code", `&handoff_challenge=${CHALLENGE}`],
  [
    "back to the page that lets agents in, which redirects",
    `&handoff=fragment&handoff_challenge=${CHALLENGE}&return_to=${encodeURIComponent("/oauth/authorize?client_id=x")}`,
  ],
])("a sign-in that begins %s ends with the cookie and without a code", async (_, query) => {
  const { code, cookies } = await signInForCode(query);
  expect(code).toBe("");
  expect(cookies[0]).toMatch(/^__Host-crm_session=[\w-]+\./);
});
