// The database fails in the middle of a request of a shopper: nothing is used up, and the answer says to try again.
import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  startDatabaseProxy,
  type DatabaseProxy,
} from "../../../support/processes/database-proxy.ts";
import { SHOP, startService, type Service } from "../../../support/service.ts";
import { getMe, login, mailedToken, signUp, verify } from "../people.ts";

const ACCOUNT_READ = "FROM storefront_users WHERE shop = $1\n      AND id = $2";
const UNAVAILABLE = [503, "database_unavailable"];
let service: Service;
let database: DatabaseProxy;

beforeAll(async () => {
  service = await startService({
    background: true,
    databaseThrough: async (url) => (database = await startDatabaseProxy(url)).url,
  });
  service.sandbox.federated.settings.autoApprove = true;
  await service.addTenant(SHOP);
});
afterAll(async () => {
  await service.stop();
  await database.stop();
});

/** Every connection is lost while the request reads the account. */
async function losingTheAccount<T>(request: () => Promise<T>): Promise<T> {
  const read = database.hold(ACCOUNT_READ);
  const answer = request();
  await read.held;
  database.cut();
  return answer;
}

it("a mailed link stays valid when the account cannot be read", async () => {
  const { email, token } = await signUp(service);
  const link = await mailedToken(service, email, "/auth/verify-email");
  const failed = await losingTheAccount(() => verify(service, link));
  expect([failed.status, failed.json.code]).toEqual(UNAVAILABLE);
  expect((await verify(service, link)).status).toBe(200);
  expect((await getMe(service, token)).json.user.email_verified).toBe(true);
});

it("a mailed link verifies the address when a sign-in stores a new hash of the password meanwhile", async () => {
  const { email } = await signUp(service);
  const link = await mailedToken(service, email, "/auth/verify-email");
  await service.addTenant(SHOP, { password_iterations: 100_000 });
  const use = database.hold("DELETE FROM kv WHERE shop = $1 AND key = $2 RETURNING");
  const answer = verify(service, link);
  await use.held;
  expect((await login(service, email)).status).toBe(200);
  use.release();
  expect((await answer).status).toBe(200);
  await service.addTenant(SHOP);
});

it("the code of a completed sign-in is not used up when the account cannot be read", async () => {
  const verifier = "a-verifier-that-only-this-tab-knows-0123456789";
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  const out = await service.call(
    "GET",
    `/auth/federated/login?shop=${SHOP}&handoff=fragment&handoff_challenge=${challenge}`,
    { key: null },
  );
  const approved = await fetch(`${out.headers.get("location")}&login_hint=ada@example.com`, {
    redirect: "manual",
  });
  const callback = new URL(approved.headers.get("location") ?? "");
  const back = await service.call("GET", callback.pathname + callback.search, {
    key: null,
    headers: { cookie: out.headers.get("set-cookie")?.split(";")[0] ?? "" },
  });
  const { hash } = new URL(back.headers.get("location") ?? "");
  const code = new URLSearchParams(hash.slice(1)).get("session_code");
  const exchange = () =>
    service.call("POST", `/auth/session?shop=${SHOP}`, {
      body: { code, handoff_verifier: verifier },
      key: null,
    });
  const failed = await losingTheAccount(exchange);
  expect([failed.status, failed.json.code]).toEqual(UNAVAILABLE);
  expect((await exchange()).status).toBe(200);
  expect((await exchange()).json.code).toBe("invalid_code");
});

it("a session stays valid while the store's record changes again and again", async () => {
  const { token } = await signUp(service);
  const change = () =>
    service.database.query("UPDATE kv SET version = version + 1 WHERE key = $1", [
      `tenant:${SHOP}`,
    ]);
  let read = database.hold("session-read");
  const answer = getMe(service, token);
  for (let changes = 0; changes < 4; changes += 1) {
    await Promise.race([read.held, answer]);
    await change();
    const { release } = read;
    read = database.hold("session-read");
    release();
  }
  await Promise.race([read.held, answer]);
  read.release();
  expect((await answer).status).toBe(200);
});
