// The merchant's privacy requests, in a real browser against the whole service and its worker.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { signUp } from "../../support/consent.ts";
import {
  askAs,
  expectHealthyPage,
  startShop,
  type Shop,
} from "../../support/browser/merchant-browser.ts";
import { settled } from "../../support/privacy.ts";
import { eventually, OTHER_SHOP, SHOP } from "../../support/service.ts";

let world: Shop;
beforeAll(async () => {
  world = await startShop({ background: true });
  await world.connect(SHOP, { support_email: "support@test-store.example" });
  await world.connect(OTHER_SHOP, { support_email: "support@other-store.example" });
});
afterAll(() => world?.stop());

const query = <T extends object = Record<string, unknown>>(sql: string, values: unknown[] = []) =>
  world.service.database.query<T>(sql, values);
const newest = async (shop = SHOP) =>
  (
    await query<{ id: number }>(
      "SELECT id FROM privacy_requests WHERE shop = $1 ORDER BY id DESC LIMIT 1",
      [shop],
    )
  )[0]?.id as number;

test("a store without requests shows an empty state", async () => {
  const visit = await world.open("/app/privacy", { shop: SHOP });
  await visit.page.getByText("No privacy request so far").waitFor();
  await expectHealthyPage(visit);
  await visit.close();
});

test("an export is requested manually, compiled, and downloaded once", async () => {
  const person = await signUp(world.service);
  const visit = await world.open("/app/privacy", { shop: SHOP });
  const { page } = visit;
  await page.getByRole("button", { name: "Start a request" }).click();
  const dialog = page.getByRole("dialog", { name: "Start a request" });
  expect(await dialog.getByRole("button", { name: "Start" }).isDisabled()).toBe(true);
  await dialog.getByLabel("Customer's e-mail").fill("not an address");
  await dialog.getByRole("button", { name: "Start" }).click();
  await dialog.getByText("Write a whole e-mail address.").waitFor();
  expect(await query("SELECT 1 FROM privacy_requests")).toEqual([]);
  await dialog.getByLabel("Customer's e-mail").fill(person.email.toUpperCase());
  await dialog.getByRole("button", { name: "Start" }).click();
  await page.getByText("Request started").waitFor();
  const id = await eventually("the request is there", () => newest());
  await settled(world.service, id);
  await page.reload();
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

test("an erasure asks for confirmation, then erases the customer", async () => {
  const person = await signUp(world.service);
  const visit = await world.open("/app/privacy", { shop: SHOP });
  const { page } = visit;
  await page.getByRole("button", { name: "Start a request" }).click();
  await page.getByRole("dialog").getByLabel("Request").selectOption("Erase a customer");
  await page.getByRole("dialog").getByLabel("Customer's e-mail").fill(person.email);
  await page.getByRole("dialog").getByRole("button", { name: "Start" }).click();
  await page.getByRole("dialog").getByText("It cannot be undone.").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Erase customer" }).click();
  await page.getByText("Request started").waitFor();
  const id = await eventually(
    "the request is there",
    async () =>
      (
        await query<{ id: number }>(
          "SELECT id FROM privacy_requests WHERE kind = 'customer_redact'",
        )
      )[0]?.id,
  );
  expect((await settled(world.service, id)).state).toMatch(/done|retained/);
  expect(await query("SELECT 1 FROM storefront_users WHERE email = $1", [person.email])).toEqual(
    [],
  );
  expect(visit.errors).toEqual([]);
  await visit.close();
});

test("an overdue request is highlighted and retried by a button; an export without a mail recipient is handed over manually", async () => {
  const sealed = JSON.stringify({
    sealed: world.service.ctx.secrets.seal(
      `${SHOP}/privacy`,
      JSON.stringify({ email: "late@example.com" }),
    ),
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
  const visit = await world.open("/app/privacy?state=failed", { shop: SHOP });
  const { page } = visit;
  await page.locator(`tr[id="${late?.id}"]`).getByText("Overdue").waitFor();
  await page.getByText("Content system (CMS) did not do its part.").waitFor();
  await page.getByText("no e-mail service is set up to send it to you").waitFor();
  await expectHealthyPage(visit);
  await page.getByRole("button", { name: `Get the data: request ${unmailed?.id}` }).click();
  await page.getByText("The data is not there any more").waitFor();
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

test("no button finds another store's request, and nothing changes", async () => {
  const [row] = await query<{ id: number }>(
    "SELECT id FROM privacy_requests WHERE shop = $1 AND evidence ? 'archive' ORDER BY id LIMIT 1",
    [SHOP],
  );
  const before = await query("SELECT * FROM privacy_requests ORDER BY id");
  for (const intent of ["retry", "export", "handed_over"])
    expect(
      (
        await askAs(world.service, OTHER_SHOP, "/app/privacy", {
          intent,
          id: Number(row?.id),
          shop: SHOP,
        })
      ).status,
    ).toBe(404);
  expect(await query("SELECT * FROM privacy_requests ORDER BY id")).toEqual(before);
  expect(
    await query("SELECT 1 FROM kv WHERE shop = $1 AND key LIKE 'export_link:%'", [OTHER_SHOP]),
  ).toEqual([]);
});

test.each([
  ["es", "Solicitudes de privacidad"],
  ["fr", "Demandes de confidentialité"],
])("speaks %s, and fits a phone", async (locale, title) => {
  const visit = await world.open("/app/privacy", {
    shop: SHOP,
    locale,
    viewport: { width: 390, height: 800 },
  });
  await visit.page.getByRole("heading", { name: title }).first().waitFor();
  await expectHealthyPage(visit);
  await visit.close();
});
