// The merchant's privacy requests, in a real browser against the whole service and its worker.
import { readFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { signUp } from "../../support/consent.ts";
import { expectHealthyPage, useMerchant } from "../../support/browser/merchant.ts";
import { askAs } from "../../support/browser/screens-server.ts";
import { chooseFilter } from "../../support/browser/filters.ts";
import { dataRequestBody, privacy, redactBody, settled } from "../../support/privacy.ts";
import { eventually, OTHER_SHOP, SHOP } from "../../support/service.ts";

const app = useMerchant({ background: true });
beforeAll(async () => {
  await app.connect(SHOP, {
    withSystems: true,
    fields: { support_email: "support@test-store.example" },
  });
  await app.connect(OTHER_SHOP, {
    withSystems: true,
    fields: { support_email: "support@other-store.example" },
  });
});

const query = <T extends object = Record<string, unknown>>(sql: string, values: unknown[] = []) =>
  app.database.query<T>(sql, values);
const newest = async (shop = SHOP) =>
  (
    await query<{ id: number }>(
      "SELECT id FROM privacy_requests WHERE shop = $1 ORDER BY id DESC LIMIT 1",
      [shop],
    )
  )[0]?.id as number;

const erasures = async () =>
  (
    await query<{ id: number }>("SELECT id FROM privacy_requests WHERE kind = 'customer_redact'")
  ).map(({ id }) => id);

test("a store without requests shows an empty state", async () => {
  const visit = await app.open("/app/privacy", { shop: SHOP });
  await visit.page.getByText("No privacy requests yet").waitFor();
  await expectHealthyPage(visit);
});

test("an export is requested manually, compiled, and downloaded once", async () => {
  const person = await signUp(app);
  const visit = await app.open("/app/privacy", { shop: SHOP });
  const { page } = visit;
  await page.getByRole("button", { name: "Start a request" }).click();
  const dialog = page.getByRole("dialog", { name: "Start a request" });
  expect(await dialog.getByRole("button", { name: "Start" }).isDisabled()).toBe(true);
  await dialog.getByLabel("Customer's email").fill("not an address");
  await dialog.getByRole("button", { name: "Start" }).click();
  await dialog.getByText("Enter a complete email address.").waitFor();
  expect(await query("SELECT 1 FROM privacy_requests")).toEqual([]);
  await dialog.getByLabel("Customer's email").fill(person.email.toUpperCase());
  await dialog.getByRole("button", { name: "Start" }).click();
  await page.getByText("Request started").waitFor();
  const id = await eventually("the request is there", () => newest());
  // The page shows by itself that it is done.
  await page.getByRole("button", { name: `Get the data: request ${id}` }).click();
  const link = page.getByRole("link", { name: "Open the download" });
  await link.waitFor();
  await expectHealthyPage(visit);
  const [download] = await Promise.all([page.context().waitForEvent("page"), link.click()]);
  const [file] = await Promise.all([
    download.waitForEvent("download"),
    download.getByRole("button").click(),
  ]);
  const document = JSON.parse(readFileSync(await file.path(), "utf8")) as {
    person: { email: string };
  };
  expect(document.person.email).toBe(person.email);
  const again = await fetch((await link.getAttribute("href")) ?? "");
  expect(again.status).toBe(400);
  await visit.close();
});

test("an erasure starts only after its address is typed once more", async () => {
  const person = await signUp(app);
  const visit = await app.open("/app/privacy", { shop: SHOP });
  const { page } = visit;
  await page.getByRole("button", { name: "Start a request" }).click();
  await page.getByRole("dialog").getByLabel("Request").selectOption("Erase a customer");
  await page.getByRole("dialog").getByLabel("Customer's email").fill(person.email);
  await page.getByRole("dialog").getByRole("button", { name: "Start" }).click();
  const dialog = page.getByRole("dialog", { name: "Erase this customer?" });
  const confirm = dialog.getByRole("button", { name: "Erase customer" });
  expect(await confirm.isDisabled()).toBe(true);
  await dialog.getByLabel(`Type ${person.email} to confirm`).fill("someone.else@example.com");
  await confirm.click();
  await dialog.getByText("The text doesn't match.").waitFor();
  expect(await erasures()).toEqual([]);
  await dialog.getByLabel(`Type ${person.email} to confirm`).fill(person.email.toUpperCase());
  await confirm.click();
  await page.getByText("Request started").waitFor();
  await eventually(
    "the keyboard is back at the button",
    async () => (await page.locator(":focus").textContent()) === "Start a request",
  );
  const [id] = await erasures();
  expect((await settled(app, id as number)).state).toMatch(/done|retained/);
  expect(await query("SELECT 1 FROM storefront_users WHERE email = $1", [person.email])).toEqual(
    [],
  );
});

test("an erasure of an address without a customer says so before it starts, and in its result", async () => {
  const email = "nobody.has.this@example.com";
  const visit = await app.open("/app/privacy", { shop: SHOP });
  const { page } = visit;
  await page.getByRole("button", { name: "Start a request" }).click();
  await page.getByRole("dialog").getByLabel("Request").selectOption("Erase a customer");
  await page.getByRole("dialog").getByLabel("Customer's email").fill(email);
  await page.getByRole("dialog").getByRole("button", { name: "Start" }).click();
  const dialog = page.getByRole("dialog", { name: "Erase this customer?" });
  await dialog.getByText("No customer of your store has this address.").waitFor();
  await dialog.getByLabel(`Type ${email} to confirm`).fill(email);
  await dialog.getByRole("button", { name: "Erase customer" }).click();
  await page.getByText("Request started").waitFor();
  const id = Math.max(...(await erasures()));
  await settled(app, id);
  const row = page.locator(`tr[id="${id}"]`);
  await row.getByText("No customer found").waitFor();
  expect(await row.getByText("Erased customer").count()).toBe(0);
});

test("from Home by clicks: who asked to be erased, how far it is, live until it is done, and the proof", async () => {
  const person = await signUp(app, { first_name: "Grace", last_name: "Hopper" });
  app.sandbox.failNext("cms", { status: 503 }, 1_000);
  const { json } = await privacy(app, "customer-redact", redactBody({ email: person.email }));
  const id: number = json.request_id;
  await eventually(
    "the CMS was asked",
    async () =>
      (await query("SELECT 1 FROM privacy_requests WHERE id = $1 AND attempts > 0", [id]))[0],
  );
  const visit = await app.open("/app", { shop: SHOP });
  const { page } = visit;
  await page.getByRole("link", { name: "Privacy requests", exact: true }).click();
  const row = page.locator(`tr[id="${id}"]`);
  await row.getByText("Due in 30 days").waitFor();
  await row.getByText("3 of 8 steps done").waitFor();
  await row
    .getByText(
      "Content system (CMS) didn't complete its part. The destination had an internal error (HTTP 503).",
    )
    .waitFor();
  await expectHealthyPage(visit);
  await row.getByRole("link", { name: "Grace Hopper" }).click();
  await page.getByRole("heading", { name: `Request ${id}`, exact: true }).waitFor();
  const step = (name: string) => page.getByRole("listitem").filter({ hasText: name });
  await step("Customer record").getByText("Done", { exact: true }).waitFor();
  await step("Content system (CMS)").getByText("Failed", { exact: true }).waitFor();
  await step("Final search").getByText("Waiting", { exact: true }).waitFor();
  await expectHealthyPage(visit);
  app.sandbox.clearFaults();
  const download = page.getByRole("button", { name: "Download proof" });
  await download.focus();
  await query("UPDATE privacy_requests SET next_attempt_at = now() WHERE id = $1", [id]);
  await step("Final search").getByText("Done", { exact: true }).waitFor();
  await page.getByText("Erased customer").waitFor();
  expect(await download.evaluate((button) => button === document.activeElement)).toBe(true);
  const [file] = await Promise.all([page.waitForEvent("download"), download.press("Enter")]);
  const proof = readFileSync(await file.path(), "utf8");
  expect(JSON.parse(proof)).toMatchObject({
    request_id: id,
    state: "done",
    steps: { cms: { outcome: "nothing_found" }, search: { outcome: "proven" } },
    evidence: { sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
  });
  expect(proof).not.toMatch(/Grace|Hopper|@/);
});

test("requests are searched by customer and filtered, and a view of the list is in the access log", async () => {
  const person = await signUp(app, { first_name: "Katherine", last_name: "Johnson" });
  const { json } = await privacy(app, "data-request", dataRequestBody({ email: person.email }));
  await settled(app, json.request_id);
  const visit = await app.open("/app/privacy", { shop: SHOP });
  const { page } = visit;
  await page.getByRole("link", { name: "Skip to content" }).press("Enter");
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe("content");
  await page.getByPlaceholder("Search by customer or number").fill("kath");
  await page.waitForURL(/q=kath/);
  await expect.poll(() => page.locator("tbody tr[id]").count()).toBe(1);
  await page.getByRole("link", { name: "Katherine Johnson" }).waitFor();
  await chooseFilter(page, "Request", "Erase a customer");
  await page.getByText("Nothing matches these filters").waitFor();
  await page.getByRole("button", { name: "Clear all" }).click();
  await page.waitForURL((url) => url.search === "");
  expect(
    await query("SELECT 1 FROM access_log WHERE place = '/app/privacy' AND action = 'listed'"),
  ).not.toEqual([]);
});

test("an overdue request is highlighted and retried by a button; an export without a mail recipient is handed over manually", async () => {
  const sealed = JSON.stringify({
    sealed: app.ctx.secrets.seal(`${SHOP}/privacy`, JSON.stringify({ email: "late@example.com" })),
  });
  const [late] = await query<{ id: number }>(
    `INSERT INTO privacy_requests (shop, kind, delivery_id, state, payload, due_by, attempts,
      last_error, next_attempt_at) VALUES ($1, 'customer_redact', 'late', 'failed', $2,
      now() - interval '1 day', 9, 'cms: status 503', now() + interval '1 day') RETURNING id`,
    [SHOP, sealed],
  );
  const [unmailed] = await query<{ id: number }>(
    `INSERT INTO privacy_requests (shop, kind, delivery_id, state, due_by, last_error, completed_at,
      evidence) VALUES ($1, 'data_request', 'unmailed', 'failed', now() + interval '9 days',
      'no_email_provider', now(), '{"archive": "gdpr/x"}') RETURNING id`,
    [SHOP],
  );
  const visit = await app.open("/app/privacy?state=failed", { shop: SHOP });
  const { page } = visit;
  await page.locator(`tr[id="${late?.id}"]`).getByText("Overdue by 1 day").waitFor();
  await page.getByText("Content system (CMS) didn't complete its part.").waitFor();
  await page.getByText("no email service is set up to send it to you").waitFor();
  await expectHealthyPage(visit);
  await page.getByRole("button", { name: `Get the data: request ${unmailed?.id}` }).click();
  await page.getByText("The data is no longer available").waitFor();
  await page.getByRole("button", { name: "Mark as handed over" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Mark as handed over" }).click();
  await page.getByText("Request done").waitFor();
  const [done] = await query<{ state: string; evidence: { handed_over_at?: string } }>(
    "SELECT state, evidence FROM privacy_requests WHERE id = $1",
    [unmailed?.id],
  );
  expect([done?.state, typeof done?.evidence.handed_over_at]).toEqual(["done", "string"]);
  await page.getByRole("button", { name: `Try now: request ${late?.id}` }).click();
  await page.getByText("Tried again now").waitFor();
  expect(
    (
      await eventually(
        "it is worked",
        async () =>
          (
            await query<{ state: string }>(
              "SELECT state FROM privacy_requests WHERE id = $1 AND state IN ('done', 'retained')",
              [late?.id],
            )
          )[0],
      )
    ).state,
  ).toBeTruthy();
  await visit.close();
});

test("an erasure that Shopify still has to do is left to the merchant, with a link, in the list and on its page", async () => {
  const at = new Date().toISOString();
  const [left] = await query<{ id: number }>(
    `INSERT INTO privacy_requests (shop, kind, delivery_id, state, due_by, completed_at, steps)
      VALUES ($1, 'customer_redact', 'merchant-left', 'done', now() + interval '30 days', now(), $2)
      RETURNING id`,
    [
      SHOP,
      JSON.stringify({
        tables: { at, outcome: "erased", count: 1 },
        storefront: { at, outcome: "stays_in_store", count: 0 },
      }),
    ],
  );
  const visit = await app.open("/app/privacy?state=finished", { shop: SHOP });
  const { page } = visit;
  const row = page.locator(`tr[id="${left?.id}"]`);
  const link = row.getByRole("link", { name: "Erase in Shopify too" });
  expect(await link.getAttribute("href")).toContain("/admin/customers");
  await row.getByRole("link").first().click();
  await page.getByText("Left to you").waitFor();
  await page.getByRole("link", { name: "Erase in Shopify too" }).waitFor();
  await expectHealthyPage(visit);
});

test("no button finds another store's request, and nothing changes", async () => {
  const [row] = await query<{ id: number }>(
    "SELECT id FROM privacy_requests WHERE shop = $1 AND evidence ? 'archive' ORDER BY id LIMIT 1",
    [SHOP],
  );
  const before = await query("SELECT * FROM privacy_requests ORDER BY id");
  for (const intent of ["retry", "export", "handed_over"])
    expect(
      (
        await askAs(app, OTHER_SHOP, "/app/privacy?index", {
          intent,
          id: Number(row?.id),
          shop: SHOP,
        })
      ).status,
    ).toBe(404);
  for (const path of [`/app/privacy/${row?.id}`, `/app/privacy/${row?.id}/proof`])
    expect((await askAs(app, OTHER_SHOP, path)).status).toBe(404);
  expect(await query("SELECT * FROM privacy_requests ORDER BY id")).toEqual(before);
  expect(
    await query("SELECT 1 FROM kv WHERE shop = $1 AND key LIKE 'export_link:%'", [OTHER_SHOP]),
  ).toEqual([]);
});

test.each(["q=%00", "q=%25_%5C", "q=99999999999", "overdue=1&kind=x&state=", "cursor=%00"])(
  "a hostile address costs nothing but its own answer: %s",
  async (address) => {
    const { status } = await askAs(app, SHOP, `/app/privacy?${address}`);
    expect(status).toBe(address.includes("%00") ? 400 : 200);
  },
);

test.each([
  ["es", "Solicitudes de privacidad"],
  ["fr", "Demandes de confidentialité"],
])("speaks %s, and fits a phone", async (locale, title) => {
  const visit = await app.open("/app/privacy", {
    shop: SHOP,
    locale,
    viewport: { width: 390, height: 800 },
  });
  const { page } = visit;
  await page.getByRole("heading", { name: title }).first().waitFor();
  await expectHealthyPage(visit);
  const row = page.locator("tbody tr[id]").first();
  expect(await row.getByRole("link").first().isVisible()).toBe(true);
  await row.getByRole("link").first().click();
  await page.getByRole("listitem").first().waitFor();
  await expectHealthyPage(visit);
});
