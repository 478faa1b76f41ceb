// The customer page in a real browser against the built app: its content, and the changes by its
// buttons, which affect this customer only.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeEach, expect, test } from "vitest";
import { startPrivacyWorker } from "../../../app/domain/compliance/requests/privacy-worker.ts";
import { exportForMerchant } from "../../../app/domain/compliance/requests/merchant-requests.ts";
import { recordConsent } from "../../../app/domain/consent/record-consent.ts";
import { getTenant } from "../../../app/domain/tenants/tenant.ts";
import { findA11yViolations, findOverflow } from "../../support/browser/accessibility.ts";
import {
  useMerchant,
  type ScreenOptions,
  type ScreenVisit,
} from "../../support/browser/merchant.ts";
import { putPerson, tagsOf, type Person } from "../../support/storefront/customers.ts";
import { eventually } from "../../support/service.ts";

const OTHER = "other-store.myshopify.com";
const archive = mkdtempSync(join(tmpdir(), "customer-detail-test-"));
const app = useMerchant({ env: { ARCHIVE_URL: `file:${archive}` } });
let shop: string;
let visit: ScreenVisit;

afterAll(async () => {
  rmSync(archive, { recursive: true, force: true });
});
beforeEach(async () => {
  app.sandbox.clearFaults();
  shop = await app.newStore();
});

const put = (person: Person, ofShop = shop) => putPerson(app.database, ofShop, person);
const stored = async (id: number, ofShop = shop) =>
  (
    await app.database.query("SELECT * FROM storefront_users WHERE shop = $1 AND id = $2", [
      ofShop,
      id,
    ])
  )[0];

async function open(id: number | string, options: ScreenOptions = {}) {
  visit = await app.open(`/app/customers/${id}`, { shop, ...options });
  return visit.page;
}

/** One of each thing that can happen to a customer. */
async function seedHistory(id: number, gid: string): Promise<void> {
  const { query } = app.database;
  await app.ctx.home.forTenant(shop).transaction((sql) =>
    recordConsent(sql, { connection: {} }, [
      {
        userId: id,
        consentType: "tos",
        action: "granted",
        method: "banner",
        consentVersion: "v1",
        consentId: "c1",
      },
    ]),
  );
  await query(
    `UPDATE storefront_users SET email_subscription_status = 'subscribed',
      tags = '["gala", "VIP", "Wholesale"]' WHERE shop = $1 AND id = $2`,
    [shop, id],
  );
  await query(
    "INSERT INTO crm_tags (shop, name, slug, category) VALUES ($1, 'VIP', 'vip', 'tier')",
    [shop],
  );
  await query(
    `INSERT INTO user_tag_map (shop, user_id, tag_id, source) SELECT $1, $2, id, 'storefront'
      FROM crm_tags WHERE shop = $1 AND slug = 'vip'`,
    [shop, id],
  );
  await query(
    `INSERT INTO integration_queue (shop, event_id, channel, source, event_type, entity_type,
      entity_id, status, last_error, payload) VALUES
      ($1, 'e1', 'cms', 'backend', 'customer.updated', 'customer', $2, 'dead_letter',
        'item not accepted', '{}'),
      ($1, 'e2', 'cms', 'backend', 'customer.tags_changed', 'customer', $3, 'delivered', NULL,
        '{"tags_added": [], "tags_removed": ["autumn"]}')`,
    [shop, String(id), gid],
  );
  await query(
    `INSERT INTO delivery_attempts (shop, queue_id, event_id, channel, attempt, status, latency_ms,
      error) VALUES ($1, 1, 'e2', 'cms', 1, 'delivered', 5, 'no such customer')`,
    [shop],
  );
  await query(
    `INSERT INTO oauth_grants (shop, id, user_id, client_id, client_name, scopes, ended_at) VALUES
      ($1, gen_random_uuid(), $2, 'a', 'Shopping helper', '{}', NULL),
      ($1, gen_random_uuid(), $2, 'b', 'Old helper', '{}', now())`,
    [shop, id],
  );
  await query(
    `INSERT INTO mandates (shop, mandate_id, customer_id, max_amount, spent_amount, currency, scope,
      signature, proof, expires_at) VALUES
      ($1, gen_random_uuid(), $2, 40, 10, 'EUR', 'all', '', '', now() + interval '1 day'),
      ($1, gen_random_uuid(), $2, 9, 0, 'EUR', 'all', '', '', now() + interval '1 day')`,
    [shop, id],
  );
  await query("UPDATE mandates SET status = 'revoked' WHERE shop = $1 AND max_amount = 9", [shop]);
  await query(
    `INSERT INTO access_log (shop, actor_kind, actor_id, action, user_id, place, request_id) VALUES
      ($1, 'staff', '7', 'viewed', $2, '/x', 'r'), ($1, 'staff', '7', 'changed', $2, '/x', 'r')`,
    [shop, id],
  );
  const tenant = await getTenant(app.ctx, shop);
  await exportForMerchant(app.ctx, tenant, id);
}

/** An action of the page, in the admin's title bar. */
const choose = (page: Page, name: string) => page.getByRole("button", { name }).click();

test("the page shows the identity, the sign-in methods, the consents with time and method, the tags by category, the orders and each system's state", async () => {
  const { gid } = app.sandbox.storefront.putCustomer(shop, { email: "ada@x.example" });
  app.sandbox.storefront.putOrder(shop, { customerGid: gid });
  const id = await put({
    full_name: "Ada Lovelace",
    email: "ada@x.example",
    gid,
    country: "GB",
    tags: ["gala"],
    consents: ["tos"],
    provider: "federated",
  });
  await app.database.query(
    `INSERT INTO identity_links (shop, issuer, sub, user_id, provider)
      VALUES ($1, 'https://accounts.google.com', 's', $2, 'federated')`,
    [shop, id],
  );
  await app.ctx.home.forTenant(shop).transaction(async (sql) => {
    for (let place = 0; place < 30; place += 1)
      await recordConsent(sql, { connection: {} }, [
        {
          userId: id,
          consentType: place === 29 ? "tos" : "marketing",
          action: place % 2 === 0 ? "granted" : "revoked",
          method: "banner",
          consentVersion: `v${place}`,
          consentId: `c${place}`,
        },
      ]);
  });
  await app.database.query("UPDATE user_claims SET consent_tos = true WHERE shop = $1", [shop]);
  await app.database.query(
    `INSERT INTO integration_queue (shop, event_id, channel, source, event_type, entity_type,
      entity_id, status, last_error, dead_lettered_at)
      VALUES ($1, 'e1', 'cms', 'backend', 'customer.updated', 'customer', $2, 'dead_letter',
      'item not accepted', now())`,
    [shop, String(id)],
  );
  const page = await open(id);
  await page.getByRole("heading", { name: "Ada Lovelace" }).waitFor();
  await page.getByText("https://accounts.google.com").waitFor();
  await page.getByText("policy v29").first().waitFor();
  await page.getByRole("heading", { name: "Campaign" }).waitFor();
  await page.getByText("GALA", { exact: true }).waitFor();
  await page.getByText("The latest orders from the last 60 days.").waitFor();
  await page.getByText("item not accepted").waitFor();
  await page.evaluate(() => {
    window.open = (...opened) => Object.assign(window, { opened }) && null;
  });
  await choose(page, "Open in Shopify admin");
  expect(await page.evaluate(() => (window as unknown as { opened: string[] }).opened)).toEqual([
    app.ctx.storefront.adminUrl(shop, `/admin/customers/${gid.slice(gid.lastIndexOf("/") + 1)}`),
    "_top",
  ]);
  expect(await findA11yViolations(page)).toEqual([]);

  await page.getByRole("button", { name: "Older entries" }).click();
  await page.getByText("policy v0").waitFor();
  expect(await page.getByText("policy v15").count()).toBe(0);
  await page.getByRole("button", { name: "Newest entries" }).click();
  await page.getByText("policy v15").waitFor();

  await page.getByRole("button", { name: "Send again: Content system (CMS)" }).click();
  await page.getByText("Queued to be sent again").waitFor();
  expect(
    await app.database.query("SELECT status FROM integration_queue WHERE shop = $1", [shop]),
  ).toEqual([{ status: "pending" }]);
});

test("from Home by clicks, the page says who a customer is and everything that happened to them", async () => {
  const { gid } = app.sandbox.storefront.putCustomer(shop, { email: "ada@x.example" });
  app.sandbox.storefront.putOrder(shop, { customerGid: gid });
  const id = await put({
    full_name: "Ada Lovelace",
    email: "ada@x.example",
    gid,
    tags: ["gala"],
    consents: ["tos"],
  });
  await put({ full_name: "Grace Hopper", email: "grace@x.example", tags: ["gala"] });
  await seedHistory(id, gid);
  visit = await app.open("/app", { shop });
  const { page } = visit;
  await page.getByRole("link", { name: "Customers", exact: true }).first().click();
  await page.getByRole("link", { name: "Ada Lovelace" }).first().click();
  await page.getByRole("heading", { name: "Timeline" }).waitFor();
  for (const text of [
    "Managed here",
    "These tags were set in Shopify. Change them there.",
    "Wholesale",
    "Differs from the marketing consent",
    "30.00 EUR of 40.00 EUR remaining",
    "Terms: Granted",
    "Tag added: VIP",
    "Tags removed: autumn",
    "#1001: ",
    "Customer updated",
    "Content system (CMS): Failed",
    "Content system (CMS): Skipped",
    "The customer doesn't exist.",
    "Agent linked: Shopping helper",
    "Agent access ended: Old helper",
    "Mandate revoked: 9.00 EUR",
    "Data request #",
    "Changed",
  ])
    await page.getByText(text).first().waitFor();
  expect(await page.getByText("Viewed", { exact: true }).count()).toBe(0);
  expect(await findA11yViolations(page)).toEqual([]);

  await page.getByLabel("Show").selectOption("agent");
  await page.getByText("Terms: Granted").waitFor({ state: "detached" });
  expect(await page.getByText(/^Agent (linked|access ended): /).count()).toBe(3);
  await page.getByLabel("Show").selectOption("order");
  await page.getByText("Agent linked: Shopping helper").waitFor({ state: "detached" });
  await page.getByRole("link", { name: "#1001: " }).waitFor();
  await page.getByLabel("Show").selectOption("delivery");
  await page.getByRole("link", { name: "Customer updated" }).click();
  await page.waitForURL(/\/app\/events\/event\/e1/);

  await page.getByRole("link", { name: "Tags", exact: true }).click();
  await page.getByRole("button", { name: "Create tag" }).click();
  await page.getByRole("dialog").getByLabel("Name").fill("Wholesale");
  await page.getByRole("dialog").getByRole("button", { name: "Create tag" }).click();
  const people = (name: string) =>
    page.getByRole("link", { name: `Customers with tag ${name}` }).textContent();
  expect(await people("Wholesale")).toBe("1");
  expect([await people("VIP"), await people("GALA")]).toEqual(["1", "2"]);
  expect(
    await app.database.query(
      `SELECT t.slug, count(*)::int AS people FROM user_tag_map m JOIN crm_tags t
        ON t.shop = m.shop AND t.id = m.tag_id WHERE m.shop = $1 GROUP BY 1 ORDER BY 1`,
      [shop],
    ),
  ).toEqual([
    { slug: "gala", people: 2 },
    { slug: "vip", people: 1 },
    { slug: "wholesale", people: 1 },
  ]);
});

test("the timeline ignores a hostile kind and position, and every page has each item once", async () => {
  const id = await put({ full_name: "Ada" });
  await app.database.query(
    `INSERT INTO oauth_grants (shop, id, user_id, client_id, client_name, scopes, created_at)
      SELECT $1, gen_random_uuid(), $2, 'c', 'helper ' || n, '{}', now() - n / 3 * interval '1 minute'
      FROM generate_series(1, 45) n`,
    [shop, id],
  );
  const names = new Set<string>();
  const page = await open(`${id}?kind=%27%3B--&before=2026-13-45T99:00:00.000Z%20x`);
  for (let pages = 0; pages < 3; pages += 1) {
    for (const text of await page.getByText(/^Agent linked: /).allTextContents()) names.add(text);
    const older = page.getByRole("button", { name: "Older entries" });
    if ((await older.count()) === 0) break;
    const newest = page.getByText(/^Agent linked: /).first();
    const shown = await newest.textContent();
    await older.click();
    await eventually("the next page", async () => (await newest.textContent()) !== shown);
  }
  expect(names.size).toBe(45);
});

test("tags are added and removed for this customer only, and the systems are notified", async () => {
  const [id, other] = [
    await put({ full_name: "Ada", tags: ["gala"] }),
    await put({ full_name: "Grace", tags: ["gala"] }),
  ];
  const page = await open(id);
  await page.getByRole("button", { name: "Add tags" }).click();
  await page.getByRole("dialog").getByLabel("Tag", { exact: true }).fill("Opening night");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").getByRole("button", { name: "Add tags" }).click();
  await page.getByText("Opening night").first().waitFor();
  await eventually("the tag", async () => (await tagsOf(app.database, shop, id)).length === 2);
  await page.getByRole("button", { name: "Remove GALA" }).click();
  await eventually(
    "the other tag alone",
    async () => JSON.stringify(await tagsOf(app.database, shop, id)) === '["opening_night"]',
  );
  expect(await tagsOf(app.database, shop, other)).toEqual(["gala"]);
  expect(
    await app.database.query(
      `SELECT count(*)::int AS events FROM event_ledger WHERE shop = $1
        AND event_type = 'customer.tags_changed' AND entity_id = $2`,
      [shop, String(id)],
    ),
  ).toEqual([{ events: 2 }]);
});

test("a suspension asks for confirmation and ends the sessions, and a reactivation ends them again", async () => {
  const id = await put({ full_name: "Ada", email: "ada@x.example" });
  const page = await open(id);
  await choose(page, "Suspend account");
  expect((await stored(id)).status).toBe("active");
  await page.getByRole("dialog").getByRole("button", { name: "Suspend account" }).click();
  await page.getByText("Account suspended").waitFor();
  const suspended = await stored(id);
  expect(suspended.status).toBe("suspended");
  await choose(page, "Reactivate account");
  await page.getByText("Account reactivated").waitFor();
  const active = await stored(id);
  expect(active.status).toBe("active");
  expect(active.sessions_valid_after.getTime()).toBeGreaterThan(
    suspended.sessions_valid_after.getTime(),
  );
});

test("the customer's data is downloaded as a file, and the merchant's request is recorded", async () => {
  const id = await put({ full_name: "Ada", email: "ada@x.example", consents: ["tos"] });
  await put({ full_name: "Grace", email: "grace@x.example" });
  const page = await open(id);
  const [file] = await Promise.all([page.waitForEvent("download"), choose(page, "Export data")]);
  const document = JSON.parse(readFileSync(await file.path(), "utf8"));
  expect(document).toMatchObject({ person: { email: "ada@x.example" }, accounts: [{ id }] });
  expect(JSON.stringify(document)).not.toMatch(/grace|password/i);
  expect(
    await app.database.query(
      "SELECT kind, state, evidence->>'asked_by' AS asked_by FROM privacy_requests WHERE shop = $1",
      [shop],
    ),
  ).toEqual([{ kind: "data_request", state: "done", asked_by: "merchant" }]);
});

test("an erasure requires the address; a wrong one erases nothing, the right one erases everything", async () => {
  const id = await put({
    full_name: "Ada Lovelace",
    email: "ada@erased.example",
    consents: ["tos"],
  });
  const other = await put({ full_name: "Grace", email: "grace@x.example" });
  const page = await open(id);
  await choose(page, "Erase customer");
  const dialog = page.getByRole("dialog");
  expect(await findA11yViolations(page)).toEqual([]);
  await dialog.getByLabel("Type ada@erased.example to confirm").fill("grace@x.example");
  await dialog.getByRole("button", { name: "Erase customer" }).click();
  await dialog.getByText("The text doesn't match.").waitFor();
  expect(
    await app.database.query("SELECT 1 FROM privacy_requests WHERE shop = $1", [shop]),
  ).toEqual([]);
  await dialog.getByLabel("Type ada@erased.example to confirm").fill("Ada@Erased.example");
  await dialog.getByRole("button", { name: "Erase customer" }).click();
  await page.getByText("The erasure has started.").waitFor();
  const worker = await startPrivacyWorker(app.ctx, app.ctx.home);
  await eventually(
    "the erasure",
    async () =>
      (
        await app.database.query(
          "SELECT 1 FROM privacy_requests WHERE shop = $1 AND state = 'done'",
          [shop],
        )
      ).length === 1,
    15_000,
  );
  await worker.stop();
  expect(await stored(id)).toMatchObject({ status: "deleted", email: null, full_name: null });
  expect(await stored(other)).toMatchObject({ status: "active", email: "grace@x.example" });
  await page.reload();
  await visit.close();
  const after = await open(id);
  await after.getByText("This customer's personal data was erased.").waitFor();
});

test("when the store is unreachable, only the orders card shows an error", async () => {
  const id = await put({ full_name: "Ada", gid: "gid://shopify/Customer/1" });
  app.sandbox.failNext("storefront", { status: 503, match: "graphql" }, 20);
  const page = await open(id);
  await page.getByText("Your store didn't respond").waitFor();
  await page.getByRole("heading", { name: "Profile" }).waitFor();
});

test("the orders card of a store that Shopify closed says so", async () => {
  const id = await put({ full_name: "Ada", gid: "gid://shopify/Customer/1" });
  app.sandbox.storefront.closeStore(shop, "frozen");
  const page = await open(id);
  await page.getByText("Shopify has closed your store to apps (HTTP 402).").waitFor();
  expect(await page.getByText("didn't respond").count()).toBe(0);
});

test.each(["999999", "0", "-1", "1e3", "99999999999", "x"])(
  "the unknown customer %s is a 404 inside the frame",
  async (id) => {
    const page = await open(id);
    await page.getByText("This page does not exist").waitFor();
    await page.getByRole("link", { name: "Customers" }).click();
    await page.getByText("Import your customers").waitFor();
    expect(visit.errors.filter((text) => !text.includes("404"))).toEqual([]);
    await visit.close();
  },
);

test("another store's customer cannot be read, changed or exported", async () => {
  const foreign = await put(
    { full_name: "Foreign", email: "foreign@x.example", tags: ["vip"] },
    OTHER,
  );
  const page = await open(foreign);
  await page.getByText("This page does not exist").waitFor();
  expect(await page.content()).not.toContain("foreign@x.example");
  const answers = await page.evaluate(async (id) => {
    const send = (path: string, body?: object) =>
      fetch(path, {
        method: "POST",
        ...(body && {
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify(body),
        }),
      });
    const replies = [
      await send(`/app/customers/${id}.data?index`, { intent: "status", status: "suspended" }),
      await send(`/app/customers/${id}.data?index`, { intent: "tags", remove: ["vip"] }),
      await send(`/app/customers/${id}.data?index`, {
        intent: "erase",
        typed: "foreign@x.example",
      }),
      await send(`/app/customers/${id}.data?index`, { intent: "retry", channel: "cms" }),
      await send(`/app/customers/${id}/export`),
    ];
    return Promise.all(
      replies.map(async (reply) => ({ status: reply.status, text: await reply.text() })),
    );
  }, foreign);
  for (const { text } of answers.slice(0, 4)) expect(text).toContain("not_found");
  expect(answers[4]).toEqual({ status: 404, text: "" });
  expect(await stored(foreign, OTHER)).toMatchObject({
    status: "active",
    email: "foreign@x.example",
  });
  expect(await tagsOf(app.database, OTHER, foreign)).toEqual(["vip"]);
  expect(
    await app.database.query("SELECT 1 FROM privacy_requests WHERE shop = ANY($1)", [
      [shop, OTHER],
    ]),
  ).toEqual([]);
  await visit.close();
});

test("on a phone of 390 px, in French, the page does not scroll sideways", async () => {
  const id = await put({
    full_name: "Ada",
    email: "averyveryverylongaddress@subdomain.of.somewhere.example",
    tags: ["one", "two"],
  });
  const page = await open(id, { locale: "fr", viewport: { width: 390, height: 844 } });
  await page.getByRole("heading", { name: "Moyens de connexion" }).waitFor();
  expect(await findOverflow(page)).toBe(0);
  expect(await findA11yViolations(page)).toEqual([]);
});
