import { afterAll, beforeAll, expect, it } from "vitest";
import { letTimePass } from "../../support/database.ts";
import { OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";
import {
  deleteMe,
  forgot,
  getMe,
  login,
  mailedToken,
  newEmail,
  PASSWORD,
  databaseSnapshot,
  queueIsEmpty,
  reset,
  signUp,
  statusesOf,
  verify,
} from "./people.ts";

let service: Service;

beforeAll(async () => {
  service = await startService({ background: true });
  await service.addTenant(SHOP);
  await service.addTenant(OTHER_SHOP);
});
afterAll(() => service.stop());

const VERIFY = "/auth/verify-email";

it("a mailed link verifies the address once and ends no session", async () => {
  const { email, token } = await signUp(service);
  const link = await mailedToken(service, email, VERIFY);
  const answers = await Promise.all([1, 2, 3].map(() => verify(service, link)));
  expect(statusesOf(answers)).toEqual([200, 400, 400]);
  expect(answers.find(({ status }) => status === 200)?.json).toEqual({ ok: true });
  expect(answers.find(({ status }) => status === 400)?.json.code).toBe("invalid_link");
  expect((await getMe(service, token)).json.user.email_verified).toBe(true);
});

it("the account's cookie is its session on a page of the store, and on no other", async () => {
  const { email, token } = await signUp(service);
  const link = await mailedToken(service, email, VERIFY);
  const from = (origin: string) =>
    service.call("POST", `${VERIFY}?shop=${SHOP}`, {
      key: null,
      body: { token: link },
      headers: { Cookie: `__Host-crm_session=${token}`, Origin: origin },
    });
  expect((await from("https://evil.example")).json.code).toBe("password_required");
  expect((await from(`https://${SHOP}`)).status).toBe(200);
});

it("a link is valid only at its own store and for its own purpose", async () => {
  const { email } = await signUp(service);
  const link = await mailedToken(service, email, VERIFY);
  expect((await verify(service, link, OTHER_SHOP)).json.code).toBe("invalid_link");
  expect((await reset(service, link, "a fine password")).json.code).toBe("invalid_link");
  expect((await verify(service, link)).status).toBe(200);
});

it("a link from before the owner's reset sets no password, because the reset has verified the address", async () => {
  const { email } = await signUp(service);
  const link = await mailedToken(service, email, VERIFY);
  await forgot(service, email);
  await reset(
    service,
    await mailedToken(service, email, "/auth/password/reset"),
    "the owner's own",
  );
  const late = await service.call("POST", `${VERIFY}?shop=${SHOP}`, {
    key: null,
    body: { token: link, password: "a late password" },
  });
  expect([late.status, late.json.code]).toEqual([400, "invalid_link"]);
  expect((await login(service, email, "a late password")).status).toBe(401);
  expect((await login(service, email, "the owner's own")).status).toBe(200);
});

it("a link to an address that the account no longer has verifies nothing", async () => {
  const { email, id, token } = await signUp(service);
  const link = await mailedToken(service, email, VERIFY);
  await service.database.query("UPDATE storefront_users SET email = $2 WHERE id = $1", [
    id,
    newEmail("changed"),
  ]);
  expect((await verify(service, link)).json.code).toBe("invalid_link");
  expect((await getMe(service, token)).json.user.email_verified).toBe(false);
});

it("a link of a person who was suspended or deleted since verifies nothing", async () => {
  const suspended = await signUp(service);
  const suspendedLink = await mailedToken(service, suspended.email, VERIFY);
  await service.database.query("UPDATE storefront_users SET status = 'suspended' WHERE id = $1", [
    suspended.id,
  ]);
  expect((await verify(service, suspendedLink)).json.code).toBe("invalid_link");
  const deleted = await signUp(service);
  const deletedLink = await mailedToken(service, deleted.email, VERIFY);
  await deleteMe(service, deleted.token, { password: PASSWORD });
  expect((await verify(service, deletedLink)).json.code).toBe("invalid_link");
});

it("a link is valid for 24 hours", async () => {
  const [early, late] = [await signUp(service), await signUp(service)];
  const links = [
    await mailedToken(service, early.email, VERIFY),
    await mailedToken(service, late.email, VERIFY),
  ] as const;
  await letTimePass(service.database, "email_link:", 23 * 3_600);
  expect((await verify(service, links[0])).status).toBe(200);
  await letTimePass(service.database, "email_link:", 2 * 3_600);
  expect((await verify(service, links[1])).json.code).toBe("invalid_link");
});

it("an unknown token answers 400 and writes nothing", async () => {
  await queueIsEmpty(service);
  const before = await databaseSnapshot(service.database);
  for (const token of ["", "x", "x".repeat(600), null, 5])
    expect((await verify(service, token as string)).status).toBe(400);
  expect(await databaseSnapshot(service.database)).toEqual(before);
});

it("the link table contains neither the token nor the address", async () => {
  const { email } = await signUp(service);
  const link = await mailedToken(service, email, VERIFY);
  const kept = JSON.stringify(
    await service.database.query("SELECT key, value::text FROM kv WHERE key LIKE 'email_link:%'"),
  );
  expect(kept).toContain("email_link:");
  expect(kept).not.toContain(link);
  expect(kept).not.toContain(email);
});
