// What the store's staff leaves in the access log, the card of the customer page, and the files, in
// a real browser against the built app.
import { readFileSync } from "node:fs";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { recordConsent } from "../../../app/domain/consent/record-consent.ts";
import { expectHealthyPage, useMerchant } from "../../support/browser/merchant.ts";
import { askAs } from "../../support/browser/screens-server.ts";
import { putPerson, type Person } from "../../support/storefront/customers.ts";
import { eventually, OTHER_SHOP, SHOP } from "../../support/service.ts";

/** The customer's page with the accesses in its timeline. */
const accessesOf = (id: number) => `/app/customers/${id}?kind=access`;
const app = useMerchant();
let ada: number;

beforeAll(async () => {
  await app.connect(SHOP, { withSystems: true });
  await app.connect(OTHER_SHOP, { withSystems: true });
});

const query = <T extends object = Record<string, unknown>>(sql: string, values: unknown[] = []) =>
  app.database.query<T>(sql, values);
const put = (person: Person, shop = SHOP) => putPerson(app.database, shop, person);
const rows = (shop = SHOP) =>
  query(
    `SELECT actor_kind, actor_id, action, user_id, count, place FROM access_log WHERE shop = $1
      ORDER BY id`,
    [shop],
  );
const ask = (path: string, action?: Parameters<typeof askAs>[3]) => askAs(app, SHOP, path, action);
/** The user of the sandbox's session tokens. */
const BY_STAFF = { actor_kind: "staff", actor_id: "1" };

beforeEach(async () => {
  await query("DELETE FROM access_log");
  await query("DELETE FROM storefront_users");
  ada = await put({ full_name: "Ada Lovelace", email: "ada@example.com" });
});

test("a view of a customer is recorded once with the staff member's id, and shown with later accesses", async () => {
  const first = await app.open(accessesOf(ada), { shop: SHOP });
  await first.page.getByText("Nothing recorded yet.").waitFor();
  await expectHealthyPage(first);
  await first.close();
  const view = { ...BY_STAFF, action: "viewed", user_id: ada, count: null };
  expect(await rows()).toEqual([{ ...view, place: "/app/customers/:id" }]);

  const second = await app.open(accessesOf(ada), { shop: SHOP });
  const { page } = second;
  await page.getByText("Staff member 1").waitFor();
  await page.getByText("Viewed", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Add tags" }).click();
  await expectHealthyPage(second);
  expect(await rows()).toHaveLength(1);
  await second.close();
});

test("the timeline shows the newest 20 of this customer and no other's, and its file has them all", async () => {
  const eve = await put({ full_name: "Eve" });
  const theirs = await put({ full_name: "Ada Lovelace" }, OTHER_SHOP);
  const insert = (shop: string, userId: number, actor: string, count: number) =>
    query(
      `INSERT INTO access_log (shop, actor_kind, actor_id, action, user_id, place, request_id)
        SELECT $1, 'agent', $3, 'viewed', $2, 'GET /auth/me', 'r' FROM generate_series(1, $4::int)`,
      [shop, userId, actor, count],
    );
  await insert(SHOP, ada, "=cmd()", 25);
  await insert(SHOP, eve, "of-eve", 1);
  await insert(OTHER_SHOP, theirs, "of-other-store", 1);
  const visit = await app.open(accessesOf(ada), { shop: SHOP });
  const { page } = visit;
  await page.getByText("Agent =cmd()").first().waitFor();
  expect(await page.getByText("Agent =cmd()").count()).toBe(20);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Export CSV" }).click(),
  ]);
  const lines = readFileSync(await download.path(), "utf8")
    .trimEnd()
    .split("\r\n");
  expect(download.suggestedFilename()).toMatch(/^access-log-\d+-\d{4}-\d{2}-\d{2}\.csv$/);
  expect(lines).toHaveLength(27);
  expect(lines.filter((line) => line.includes(",'=cmd(),"))).toHaveLength(25);
  expect(lines.join()).not.toMatch(/of-eve|of-other-store|ada@example/);
  await visit.close();
});

test("the whole log is downloaded from the privacy requests, this store's only", async () => {
  for (const shop of [SHOP, OTHER_SHOP])
    await query(
      `INSERT INTO access_log (shop, actor_kind, actor_id, action, place, request_id)
        SELECT $1, 'operator', $1, 'listed', '/x', 'r' || n FROM generate_series(1, 1500) n`,
      [shop],
    );
  const visit = await app.open("/app/privacy", { shop: SHOP });
  await expectHealthyPage(visit);
  const [download] = await Promise.all([
    visit.page.waitForEvent("download"),
    visit.page.getByRole("button", { name: "Export access log" }).click(),
  ]);
  const text = readFileSync(await download.path(), "utf8");
  expect(text.trimEnd().split("\r\n")).toHaveLength(1_501);
  expect(text).not.toContain(OTHER_SHOP);
  await visit.close();
});

test("the file needs the store's session token and a valid customer", async () => {
  const plain = await fetch(`${app.url}/app/access-log?shop=${SHOP}`, {
    redirect: "manual",
  });
  expect(plain.status).not.toBe(200);
  expect((await ask("/app/access-log?customer=x")).status).toBe(404);
  await query(
    `INSERT INTO access_log (shop, actor_kind, action, user_id, place, request_id)
      VALUES ($1, 'staff', 'viewed', $2, '/x', 'r')`,
    [OTHER_SHOP, ada],
  );
  const { text } = await ask(`/app/access-log?customer=${ada}`);
  expect(text.trimEnd().split("\r\n")).toHaveLength(1);
});

test("changes, exports and an erasure by a button are recorded; a rejected one is not", async () => {
  const path = `/app/customers/${ada}?index`;
  const status = { intent: "status", status: "suspended" };
  expect((await ask(path, status)).status).toBe(200);
  expect((await ask(path, { intent: "tags", add: ["vip"], remove: [] })).status).toBe(200);
  expect((await ask(path, { intent: "erase", typed: "wrong" })).status).toBe(200);
  expect((await ask("/app/customers/999999?index", status)).status).toBe(404);
  const exported = await ask(`/app/customers/${ada}/export`, { intent: "export" });
  expect(exported.status).toBe(200);
  expect((await ask(path, { intent: "erase", typed: "ada@example.com" })).status).toBe(200);
  const row = { ...BY_STAFF, user_id: ada, count: null };
  // The page is shown again after each action.
  expect((await rows()).filter(({ action }) => action !== "viewed")).toEqual([
    { ...row, action: "changed", place: "/app/customers/:id status" },
    { ...row, action: "changed", place: "/app/customers/:id tags" },
    { ...row, action: "exported", place: "/app/customers/:id/export" },
    { ...row, action: "erased", place: "/app/customers/:id erase" },
  ]);
});

test("lists and files are recorded with the number of their customers", async () => {
  await put({ full_name: "Grace" });
  await put({ full_name: "Theirs" }, OTHER_SHOP);
  await app.ctx.home
    .forTenant(SHOP)
    .transaction((sql) =>
      recordConsent(sql, { connection: {} }, [
        { userId: ada, consentType: "tos", action: "granted", method: "signup", consentId: "c-1" },
      ]),
    );
  const [{ seq, total }] = (await query(
    "SELECT max(seq)::int AS seq, count(*)::int AS total FROM consent_records WHERE shop = $1",
    [SHOP],
  )) as [{ seq: number; total: number }];
  const visit = await app.open("/app/customers", { shop: SHOP });
  await visit.page.getByText("Grace").first().waitFor();
  await visit.close();
  expect((await ask("/app/customers/export")).text).toContain("Grace");
  expect((await ask("/app/consent/export")).text).toContain("c-1");
  expect((await ask(`/app/consent/receipt/${seq}`)).status).toBe(200);
  const found = await eventually("the numbers are set", async () => {
    const all = await rows();
    return all.filter(({ action, count }) => action === "exported" && count === null).length === 0
      ? all
      : null;
  });
  const ofStore = { ...BY_STAFF, user_id: null };
  expect(found).toEqual([
    { ...ofStore, action: "listed", count: 2, place: "/app/customers" },
    { ...ofStore, action: "exported", count: 2, place: "/app/customers/export" },
    { ...ofStore, action: "exported", count: total, place: "/app/consent/export" },
    {
      ...BY_STAFF,
      action: "viewed",
      user_id: ada,
      count: null,
      place: "/app/consent/receipt/:seq",
    },
  ]);
});

test("an erasure by address names the accounts that it is about", async () => {
  const email = "Ada@Example.com";
  const erase = { intent: "make", kind: "customer_redact", email, typed: email };
  expect((await ask("/app/privacy?index", erase)).status).toBe(200);
  const erasures = (await rows()).filter(({ action }) => action === "erased");
  expect(erasures).toEqual([
    { ...BY_STAFF, action: "erased", user_id: ada, count: null, place: "/app/privacy make" },
  ]);
});

test("the home page is recorded when it names customers", async () => {
  const visit = await app.open("/app", { shop: SHOP });
  await visit.page.getByRole("link", { name: "Ada Lovelace" }).waitFor();
  await visit.close();
  expect(await rows()).toMatchObject([{ ...BY_STAFF, action: "listed", place: "/app" }]);
});

test("the accesses are translated to Spanish and French and fits a phone of 390 px", async () => {
  await query(
    `INSERT INTO access_log (shop, actor_kind, actor_id, action, user_id, place, request_id)
      VALUES ($1, 'operator', 'tenant_key', 'exported', $2, '/x', 'r')`,
    [SHOP, ada],
  );
  for (const [locale, title, key, action] of [
    ["es", "Cronología", "Clave de API de la tienda", "Exportado"],
    ["fr", "Chronologie", "Clé d'API de la boutique", "Exporté"],
  ] as const) {
    const viewport = { width: 390, height: 844 };
    const visit = await app.open(accessesOf(ada), { shop: SHOP, locale, viewport });
    await visit.page.getByRole("heading", { name: title }).waitFor();
    await visit.page.getByText(key).waitFor();
    await visit.page.getByText(action, { exact: true }).waitFor();
    await expectHealthyPage(visit);
    await visit.close();
  }
});
