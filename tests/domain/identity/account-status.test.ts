// A merchant suspends an account and reactivates it: earlier tokens stay invalid, and no other account
// changes.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { getAccount } from "../../../app/domain/identity/account.ts";
import { changeAccountStatus } from "../../../app/domain/identity/account-status.ts";
import { checkSession, issueToken } from "../../../app/domain/identity/session/sessions.ts";
import { registerTenant } from "../../../app/domain/tenants/tenant-record.ts";
import { getTenant, type Tenant } from "../../../app/domain/tenants/tenant.ts";
import { putPerson } from "../../support/storefront/customers.ts";
import { startTestApp, type TestApp } from "../../support/browser/screens-server.ts";

const [SHOP, OTHER] = ["status.myshopify.com", "other.myshopify.com"];
let app: TestApp;
let tenant: Tenant;

beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());
beforeEach(async () => {
  await app.database.truncate();
  await Promise.all([SHOP, OTHER].map((shop) => registerTenant(app.ctx, shop)));
  tenant = await getTenant(app.ctx, SHOP);
});

const account = (id: number) => getAccount(app.ctx.home.forTenant(SHOP).sql, id);
const isValid = async (token: string) =>
  (await checkSession(app.ctx, tenant, token)).outcome === "valid";

test("a suspension ends every session, a reactivation restores none, and a new sign-in works again", async () => {
  const id = await putPerson(app.database, SHOP, { email: "ada@x.example" });
  const before = issueToken(app.ctx, tenant, await account(id));
  expect(await isValid(before)).toBe(true);
  expect(await changeAccountStatus(app.ctx, tenant, id, "suspended")).toBe(true);
  expect(await isValid(before)).toBe(false);
  // Issued by a caller that read the account row before the suspension.
  const meanwhile = issueToken(app.ctx, tenant, await account(id));
  expect(await isValid(meanwhile)).toBe(false);
  expect(await changeAccountStatus(app.ctx, tenant, id, "active")).toBe(true);
  expect([await isValid(before), await isValid(meanwhile)]).toEqual([false, false]);
  expect(await isValid(issueToken(app.ctx, tenant, await account(id)))).toBe(true);
});

test("agents' grants and mandates end with the suspension and stay ended", async () => {
  const id = await putPerson(app.database, SHOP, {
    email: "ada@x.example",
    consents: ["a2a", "ap2"],
  });
  await app.database.query(
    `INSERT INTO oauth_grants (shop, id, user_id, client_id, client_name, scopes)
      VALUES ($1, gen_random_uuid(), $2, 'c', 'n', '{}')`,
    [SHOP, id],
  );
  await app.database.query(
    `INSERT INTO mandates (shop, mandate_id, customer_id, max_amount, currency, scope, signature,
      proof, expires_at) VALUES ($1, gen_random_uuid(), $2, 10, 'EUR', 'all', 's', 'p', now() + interval '1 day')`,
    [SHOP, id],
  );
  await changeAccountStatus(app.ctx, tenant, id, "suspended");
  await changeAccountStatus(app.ctx, tenant, id, "active");
  expect(
    await app.database.query("SELECT ended_at IS NOT NULL AS has_ended FROM oauth_grants"),
  ).toEqual([{ has_ended: true }]);
  expect(await app.database.query("SELECT status FROM mandates")).toEqual([{ status: "revoked" }]);
});

test("setting the same status again changes nothing; a deleted, an unknown and another store's account are not found", async () => {
  const id = await putPerson(app.database, SHOP, { email: "ada@x.example" });
  const deleted = await putPerson(app.database, SHOP, { status: "deleted" });
  const foreign = await putPerson(app.database, OTHER, { email: "ada@x.example" });
  expect(await changeAccountStatus(app.ctx, tenant, id, "active")).toBe(false);
  expect((await account(id)).sessions_valid_after).toBeNull();
  for (const other of [deleted, foreign, 999])
    await expect(changeAccountStatus(app.ctx, tenant, other, "suspended")).rejects.toMatchObject({
      code: "not_found",
    });
  expect(
    await app.database.query(
      "SELECT DISTINCT status FROM storefront_users WHERE id <> $1 ORDER BY status",
      [deleted],
    ),
  ).toEqual([{ status: "active" }]);
});
