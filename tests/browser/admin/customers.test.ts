import { readFileSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startSyncWorker } from "../../../app/domain/customers/sync/sync-worker.ts";
import { startBulkRunWorker } from "../../../app/domain/customers/bulk/run-worker.ts";
import { CUSTOMER_ACTIONS } from "../../../app/domain/merchant/customer-actions.ts";
import { findA11yViolations, findOverflow } from "../../support/browser/accessibility.ts";
import {
  useMerchant,
  type ScreenOptions,
  type ScreenVisit,
} from "../../support/browser/merchant.ts";
import { putPerson, tagsOf, type Person } from "../../support/storefront/customers.ts";
import { eventually } from "../../support/service.ts";

const OTHER = "other-store.myshopify.com";
const app = useMerchant();
let worker: { stop(): Promise<void> };
let syncWorker: { stop(): Promise<void> };
let shop: string;
let visit: ScreenVisit;

beforeAll(async () => {
  worker = await startBulkRunWorker(app.ctx, app.ctx.home, CUSTOMER_ACTIONS);
  syncWorker = await startSyncWorker(app.ctx);
});
afterAll(async () => {
  await syncWorker?.stop();
  await worker?.stop();
});
beforeEach(async () => {
  shop = await app.newStore();
});

const put = (person: Person, ofShop = shop) => putPerson(app.database, ofShop, person);

async function open(path = "/app/customers", options: ScreenOptions = {}) {
  visit = await app.open(path, { shop, ...options });
  return visit.page;
}

type Page = ScreenVisit["page"];
const rows = (page: Page) =>
  page
    .locator("tbody tr")
    .evaluateAll((found) => found.map((row) => row.querySelector("a")?.textContent ?? ""));
const shows = (page: Page, names: string[]) =>
  eventually(
    `the rows ${names.join(", ")}`,
    async () => JSON.stringify(await rows(page)) === JSON.stringify(names),
  );

test("search, filters and order change the rows and the URL, and opening the URL shows the same rows", async () => {
  await put({
    full_name: "Ada Lovelace",
    last_name: "Lovelace",
    email: "ada@x.example",
    country: "GB",
    tags: ["vip"],
    consents: ["marketing"],
    updated_at: "2026-01-03T00:00:00Z",
  });
  await put({
    full_name: "Grace Hopper",
    email: "grace@x.example",
    country: "US",
    tags: ["vip"],
    updated_at: "2026-01-02T00:00:00Z",
  });
  await put({
    full_name: "<img src=x onerror=alert(1)>",
    email: "evil@x.example",
    status: "suspended",
    updated_at: "2026-01-01T00:00:00Z",
  });
  await put({ full_name: "Foreign", tags: ["vip"] }, OTHER);
  const page = await open();
  await shows(page, ["Ada Lovelace", "Grace Hopper", "<img src=x onerror=alert(1)>"]);
  expect(await findA11yViolations(page)).toEqual([]);

  await page.getByPlaceholder("Search by name").fill("velac");
  await shows(page, ["Ada Lovelace"]);
  await page.waitForURL(/[?&]q=velac/);
  await page.getByPlaceholder("Search by name").fill("");
  await shows(page, ["Ada Lovelace", "Grace Hopper", "<img src=x onerror=alert(1)>"]);
  expect(await findA11yViolations(page)).toEqual([]);

  await page.getByRole("button", { name: "Tag", exact: true }).click();
  await page.getByRole("checkbox", { name: "VIP" }).click({ force: true });
  await shows(page, ["Ada Lovelace", "Grace Hopper"]);
  expect(new URL(page.url()).searchParams.get("tag")).toBe("vip");
  await visit.leave();

  const again = await open("/app/customers?tag=vip&sort=name+desc");
  await shows(again, ["Grace Hopper", "Ada Lovelace"]);
  await again.getByRole("button", { name: "Suspended" }).click();
  await shows(again, ["<img src=x onerror=alert(1)>"]);
});

test("paging forwards and backwards shows every customer once, and returning to the list keeps its state", async () => {
  await app.database.query(
    `INSERT INTO storefront_users (shop, full_name) SELECT $1, 'Person ' || lpad(n::text, 3, '0')
      FROM generate_series(1, 60) AS n`,
    [shop],
  );
  const page = await open("/app/customers?sort=name+asc");
  await eventually("the first page", async () => (await rows(page)).length === 50);
  await page.getByText("1–50 of 60").waitFor();
  await page.getByRole("button", { name: "Next page" }).click();
  await page.getByText("51–60 of 60").waitFor();
  await shows(
    page,
    Array.from({ length: 10 }, (_, place) => `Person 0${place + 51}`),
  );
  await page.getByRole("link", { name: "Person 055" }).click();
  await page.getByRole("heading", { name: "Person 055" }).waitFor();
  await page.getByRole("button", { name: "Customers" }).click();
  await shows(
    page,
    Array.from({ length: 10 }, (_, place) => `Person 0${place + 51}`),
  );
  await eventually("the focus on the customer", () =>
    page.evaluate(() => document.activeElement?.textContent === "Person 055"),
  );
  await page.getByRole("button", { name: "Previous page" }).click();
  await eventually("the first page again", async () => (await rows(page))[0] === "Person 001");
});

test("a bulk change shows a preview, changes nothing before the confirmation, and then changes exactly the selected customers", async () => {
  const [ada, grace, other] = [
    await put({ full_name: "Ada", tags: ["vip"] }),
    await put({ full_name: "Grace" }),
    await put({ full_name: "Zoe" }),
  ];
  const foreign = await put({ full_name: "Ada" }, OTHER);
  const page = await open("/app/customers?sort=name+asc");
  await page.getByRole("checkbox", { name: "Ada" }).click();
  await page.getByRole("checkbox", { name: "Grace" }).click();
  await page.getByRole("button", { name: "Add tags" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "VIP" }).click();
  expect(await findA11yViolations(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Preview" }).click();
  await dialog.getByText("Customers that will change: 1 of 2").waitFor();
  expect(await tagsOf(app.database, shop, grace)).toEqual([]);
  await dialog.getByRole("button", { name: "Add tags (1)" }).click();
  await page.getByText("Customers with changed tags: 1.").waitFor();
  expect([
    await tagsOf(app.database, shop, ada),
    await tagsOf(app.database, shop, grace),
    await tagsOf(app.database, shop, other),
    await tagsOf(app.database, OTHER, foreign),
  ]).toEqual([["vip"], ["vip"], [], []]);
});

test("a long email address breaks after its @ or before a dot, never inside a word", async () => {
  await put({ email: "hannelore.brandt@gartenfreunde.example.com", full_name: "Hannelore Brandt" });
  const page = await open();
  const link = page.getByRole("link", { name: "Hannelore Brandt" });
  await link.waitFor();
  const row = page.locator("tbody tr").filter({ has: link });
  const broken = await row.evaluate((element) => {
    const parts: string[] = [];
    const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      const range = document.createRange();
      range.selectNodeContents(text);
      if (/[@.]/.test(text.textContent ?? "") && range.getClientRects().length > 1)
        parts.push(text.textContent ?? "");
    }
    return parts;
  });
  expect(broken).toEqual([]);
  expect(await row.innerText()).toContain("hannelore.brandt@gartenfreunde.example.com");
});

test("a bulk change of all matching customers includes other pages, and its progress is visible after leaving and returning", async () => {
  await app.database.query(
    `INSERT INTO storefront_users (shop, full_name, country) SELECT $1, 'Person ' || n, CASE
      WHEN n <= 60 THEN 'FR' ELSE 'DE' END FROM generate_series(1, 70) AS n`,
    [shop],
  );
  await app.database.query("INSERT INTO crm_tags (shop, name, slug) VALUES ($1, 'Gala', 'gala')", [
    shop,
  ]);
  await worker.stop();
  const page = await open("/app/customers?country=FR");
  await page.locator("thead").getByRole("checkbox").last().click();
  await page.getByRole("button", { name: "Select all 60 customers" }).click();
  await page.getByText("All 60 customers are selected").waitFor();
  await page.getByRole("button", { name: "Add tags" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Gala" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Preview" }).click();
  await page.getByRole("dialog").getByText("Customers that will change: 60 of 60").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Add tags (60)" }).click();
  await page.getByText("The change is waiting to start").waitFor();
  await visit.leave();
  const back = await open();
  await back.getByText("The change is waiting to start").waitFor();
  worker = await startBulkRunWorker(app.ctx, app.ctx.home, CUSTOMER_ACTIONS);
  await back.getByText("Customers with changed tags: 60.").waitFor();
  const [row] = await app.database.query(
    `SELECT count(*)::int AS tagged, count(*) FILTER (WHERE u.country = 'FR')::int AS meant
      FROM user_tag_map m JOIN storefront_users u ON u.shop = m.shop AND u.id = m.user_id WHERE m.shop = $1`,
    [shop],
  );
  expect(row).toEqual({ tagged: 60, meant: 60 });
});

test("a bulk change is stopped by a button: it says how many customers it changed, also to who comes later", async () => {
  await put({ full_name: "Ada", email: "ada@x.example" });
  await worker.stop();
  const page = await open();
  await page.getByRole("checkbox", { name: "Ada" }).click();
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("button", { name: "Suspend accounts" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Suspend (1)" }).click();
  await page.getByText("The change is waiting to start").waitFor();
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByText("Stopped. Customers changed: 0.").waitFor();
  expect(await findA11yViolations(page)).toEqual([]);
  worker = await startBulkRunWorker(app.ctx, app.ctx.home, CUSTOMER_ACTIONS);
  await visit.leave();
  const back = await open();
  await back.getByRole("checkbox", { name: "Ada" }).waitFor();
  expect(await back.getByRole("button", { name: "Stop" }).count()).toBe(0);
  expect(await app.database.query("SELECT state FROM tag_runs WHERE shop = $1", [shop])).toEqual([
    { state: "cancelled" },
  ]);
});

test("after a reload each bulk change that waits has its own button, and one that failed is shown until it is dismissed", async () => {
  await worker.stop();
  const insert = (kind: string, state: string, refused = 0) =>
    app.database.query(
      `INSERT INTO tag_runs (shop, id, kind, add, last_id, total, state, refused, changed, finished_at)
        VALUES ($1, gen_random_uuid(), $2, '{}', 1, 1, $3, $4, 8, CASE WHEN $3 <> 'waiting' THEN now() END)`,
      [shop, kind, state, refused],
    );
  await insert("tags", "failed");
  await insert("suspend", "waiting");
  await insert("erase", "waiting");
  await insert("tags", "done", 7);
  const page = await open();
  await page.getByText("The change is waiting to start").nth(1).waitFor();
  await page.getByText("The tags of some customers couldn't be changed.").waitFor();
  await page.getByText("Not changed, because they already have as many tags").waitFor();
  expect(await findA11yViolations(page)).toEqual([]);
  const banner = page.locator(".Polaris-Banner").filter({ hasText: "Erase personal data" });
  await banner.getByRole("button", { name: "Stop" }).click();
  await page.getByText("Stopped. Customers changed: 8.").waitFor();
  expect(
    await app.database.query("SELECT kind FROM tag_runs WHERE shop = $1 AND state = 'waiting'", [
      shop,
    ]),
  ).toEqual([{ kind: "suspend" }]);
  const failed = page.locator(".Polaris-Banner").filter({ hasText: "couldn't be changed" });
  await failed.getByRole("button", { name: "Dismiss" }).click();
  await failed.waitFor({ state: "detached" });
  await page.reload();
  await page.getByText("Customers with changed tags: 8.").waitFor();
  expect(await failed.count()).toBe(0);
  await app.database.query("DELETE FROM tag_runs WHERE shop = $1", [shop]);
  worker = await startBulkRunWorker(app.ctx, app.ctx.home, CUSTOMER_ACTIONS);
});

test("customers are filtered by what they spent, exported as selected, suspended, and erased only with their number typed", async () => {
  await app.database.query(
    `UPDATE kv SET value = jsonb_set(value, '{connection,currency}', '"EUR"'), version = version + 1
      WHERE shop = $1 AND key = $2`,
    [shop, `tenant:${shop}`],
  );
  const ada = await put({ full_name: "Ada", email: "ada@x.example", amount_spent: 1_234.5 });
  await put({ full_name: "Grace", email: "grace@x.example", amount_spent: 900 });
  await put({ full_name: "Zoe", email: "zoe@x.example", amount_spent: 5 });
  const page = await open("/app/customers?sort=name+asc");
  await page.getByText("Customers: 3").waitFor();
  await page.getByText("1,234.50\u00a0EUR").waitFor();

  await page.getByRole("button", { name: "Add filter" }).click();
  await page.getByRole("menuitem", { name: "Amount spent (EUR)" }).click();
  await page.getByRole("textbox", { name: "From" }).fill("abc");
  await page.getByRole("button", { name: "Apply" }).click();
  await page.getByText("Enter 0 or a greater number.").waitFor();
  await page.getByRole("textbox", { name: "From" }).fill("900");
  await page.getByRole("textbox", { name: "To" }).fill("100");
  await page.getByRole("button", { name: "Apply" }).click();
  await page.getByText("This value can't be smaller than the first.").waitFor();
  expect(await findA11yViolations(page)).toEqual([]);
  await page.getByRole("textbox", { name: "To" }).fill("");
  await page.getByRole("button", { name: "Apply" }).click();
  await shows(page, ["Ada", "Grace"]);
  await page.getByText("Customers: 2 of 3").waitFor();
  await page.getByText("Amount spent (EUR): from 900.00\u00a0EUR").waitFor();
  await page.keyboard.press("Escape");

  await page.getByRole("checkbox", { name: "Ada" }).click();
  const more = page.getByRole("button", { name: "More actions" });
  await more.click();
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Export selected customers" }).click(),
  ]);
  expect(
    readFileSync(await file.path(), "utf8")
      .trim()
      .split("\r\n"),
  ).toHaveLength(2);

  await more.click();
  await page.getByRole("button", { name: "Suspend accounts" }).click();
  await page.getByRole("dialog").getByText("Customers that will change: 1 of 1").waitFor();
  expect(await findA11yViolations(page)).toEqual([]);
  await page.getByRole("dialog").getByRole("button", { name: "Suspend (1)" }).click();
  await page.getByText("Accounts suspended: 1.").waitFor();
  await page.getByRole("row", { name: /Ada/ }).getByText("Suspended").waitFor();

  await page.getByRole("checkbox", { name: "Ada" }).click();
  await more.click();
  await page.getByRole("button", { name: "Erase personal data" }).click();
  const confirm = page.getByRole("dialog").getByRole("button", { name: "Erase (1)" });
  await page.getByLabel("Type the number of customers (1)").fill("2");
  expect(await confirm.isDisabled()).toBe(true);
  await page.getByLabel("Type the number of customers (1)").fill("1");
  await confirm.click();
  await page.getByText("Erasures requested: 1.").waitFor();
  expect(
    await app.database.query("SELECT kind FROM privacy_requests WHERE shop = $1", [shop]),
  ).toEqual([{ kind: "customer_redact" }]);
  expect(
    await app.database.query(
      "SELECT action, user_id FROM access_log WHERE shop = $1 AND action <> 'listed' ORDER BY id",
      [shop],
    ),
  ).toEqual([
    { action: "exported", user_id: ada },
    { action: "changed", user_id: ada },
    { action: "erased", user_id: ada },
  ]);
});

test("the progress of a bulk change is visible to its own store only", async () => {
  const [ours, theirs] = await Promise.all(
    [shop, OTHER].map(async (of) => {
      const [row] = await app.database.query(
        `INSERT INTO tag_runs (shop, id, add, last_id, total, state, finished_at)
          VALUES ($1, gen_random_uuid(), '{vip}', 1, 4711, 'done', now()) RETURNING id`,
        [of],
      );
      return row.id as string;
    }),
  );
  const page = await open();
  const texts = await page.evaluate(
    (ids) =>
      Promise.all(ids.map(async (id) => (await fetch(`/app/customers/tag-run?id=${id}`)).text())),
    [ours, theirs, "nothing"],
  );
  expect(texts.map((text) => text.includes("4711"))).toEqual([true, false, false]);
});

test("the export contains exactly the list, in a file without spreadsheet formulas", async () => {
  await put({
    full_name: "=cmd()",
    email: "ada@x.example",
    tags: ["vip"],
    consents: ["marketing"],
  });
  await put({ full_name: "Grace", email: "grace@x.example" });
  await put({ full_name: "Foreign", tags: ["vip"] }, OTHER);
  const page = await open("/app/customers?tag=vip");
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Export CSV" }).click(),
  ]);
  expect(file.suggestedFilename()).toBe("customers.csv");
  const text = readFileSync(await file.path(), "utf8");
  expect(text.trim().split("\r\n")).toHaveLength(2);
  expect(text).toContain("ada@x.example,'=cmd(),");
  const plain = await fetch(`${app.url}/app/customers/export?shop=${shop}`, {
    headers: { "User-Agent": "Mozilla/5.0" },
    redirect: "manual",
  });
  expect(plain.status).toBe(302);
});

test("a store without customers shows an empty state with one next step, which imports them", async () => {
  app.sandbox.storefront.putCustomer(shop, {
    email: "first@x.example",
    firstName: "First",
    lastName: "Customer",
    createdAt: "2026-01-01T00:00:00Z",
    updatedAt: "2026-01-01T00:00:00Z",
  });
  const page = await open();
  await page.getByText("Import your customers").waitFor();
  await page.getByRole("button", { name: "Sync customers now" }).click();
  await page.getByRole("link", { name: "First Customer" }).waitFor();
});

test("when the store answers with an error, the list is complete and a sync names the error", async () => {
  const page = await open();
  await page.getByText("Import your customers").waitFor();
  app.sandbox.failNext("storefront", { status: 503, match: "graphql" }, 50);
  await page.getByRole("button", { name: "Sync customers now" }).click();
  await page.getByText("Your store had an internal error (HTTP 503).").waitFor();
  app.sandbox.clearFaults();
});

test("in Spanish and French all texts are translated, including the design system's", async () => {
  await put({ full_name: "Ada", country: "GB" });
  const es = await open("/app/customers", { locale: "es-MX" });
  await es.getByRole("heading", { name: "Clientes" }).waitFor();
  await es.getByRole("columnheader", { name: "Último acceso" }).last().waitFor();
  expect(await es.locator("html").getAttribute("lang")).toBe("es");
  await es.getByRole("button", { name: "Suspendidos" }).click();
  await es.getByText("Ningún cliente coincide").waitFor();
  await visit.leave();
  const fr = await open("/app/customers?country=GB", { locale: "fr" });
  await fr.getByText("Pays\u00a0: Royaume-Uni").waitFor();
});

test("on a phone of 390 px the page does not scroll sideways, and a selected customer has every action", async () => {
  await put({
    full_name: "A very long name that goes on and on for ever and ever",
    email: "averyveryverylongaddress@subdomain.of.somewhere.example",
    tags: ["one", "two", "three", "four", "five"],
  });
  const page = await open("/app/customers", { viewport: { width: 390, height: 844 } });
  await page.getByRole("link", { name: "A very long name" }).waitFor();
  expect(await findOverflow(page)).toBe(0);
  expect(await findA11yViolations(page)).toEqual([]);
  await page.getByRole("checkbox", { name: "A very long name" }).click();
  await page.getByRole("button", { name: /^(More actions|Actions)$/ }).click();
  await page.getByRole("button", { name: "Erase personal data" }).waitFor();
  expect(await findOverflow(page)).toBe(0);
});
