// A sign-in that is under way while all sessions of its account end, and whose token is made after that.
import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  startDatabaseProxy,
  type DatabaseProxy,
} from "../../../support/processes/database-proxy.ts";
import { eventually, SHOP, startService, type Service } from "../../../support/service.ts";
import { getMe } from "../people.ts";

let service: Service;
let database: DatabaseProxy;

beforeAll(async () => {
  service = await startService({
    databaseThrough: async (url) => (database = await startDatabaseProxy(url)).url,
  });
  service.sandbox.federated.settings.autoApprove = true;
  await service.addTenant(SHOP);
});
afterAll(async () => {
  await service.stop();
  await database.stop();
});

const VERIFIER = "a-verifier-that-only-this-tab-knows-0123456789";
const CHALLENGE = createHash("sha256").update(VERIFIER).digest("base64url");

/** The provider has approved: what is left is our callback. */
async function beginCallback(email: string) {
  const out = await service.call(
    "GET",
    `/auth/federated/login?shop=${SHOP}&handoff=fragment&handoff_challenge=${CHALLENGE}`,
    { key: null },
  );
  const approved = await fetch(`${out.headers.get("location")}&login_hint=${email}`, {
    redirect: "manual",
  });
  const { pathname, search } = new URL(approved.headers.get("location") ?? "");
  const cookie = out.headers.get("set-cookie")?.split(";")[0] ?? "";
  return () => service.call("GET", pathname + search, { key: null, headers: { cookie } });
}
const sessionCodeOf = (location: string | null) =>
  new URLSearchParams(new URL(location ?? "").hash.slice(1)).get("session_code");

/** As a reset, a suspension or a sign-out everywhere ends them; returns once that moment has passed. */
async function endAllSessions(email: string): Promise<void> {
  const [row] = await service.database.query<{ sessions_valid_after: Date }>(
    `UPDATE storefront_users SET sessions_valid_after = date_trunc('second', clock_timestamp())
      + interval '1 second' WHERE email = $1 RETURNING sessions_valid_after`,
    [email],
  );
  await eventually("the next second", () => Date.now() > Number(row?.sessions_valid_after));
}

it("a code that is exchanged while all sessions end opens none afterwards", async () => {
  const email = "ada@example.com";
  const { headers } = await (await beginCallback(email))();
  const commit = database.hold("COMMIT");
  const exchange = service.call("POST", `/auth/session?shop=${SHOP}`, {
    body: { code: sessionCodeOf(headers.get("location")), handoff_verifier: VERIFIER },
    key: null,
  });
  await commit.held;
  await endAllSessions(email);
  commit.release();
  const { token } = (await exchange).json;
  expect((await getMe(service, token)).status).toBe(401);
});

it("a sign-in at a provider that ends while all sessions end opens none afterwards", async () => {
  const email = "grace@example.com";
  const callback = await beginCallback(email);
  const code = database.hold("session_code:");
  const answer = callback();
  await code.held;
  await endAllSessions(email);
  code.release();
  const cookie = (await answer).headers
    .getSetCookie()
    .find((text) => text.startsWith("__Host-crm_session="));
  const token = /=([^;]+)/.exec(cookie ?? "")?.[1] ?? "";
  expect(token).not.toBe("");
  expect((await getMe(service, token)).status).toBe(401);
});
