// Why an order did not reach the ERP: found from Home by clicks, with what was sent and answered.
import { beforeAll, expect, test } from "vitest";
import { findCellsOutside } from "../../support/browser/accessibility.ts";
import { expectHealthyPage, useMerchant } from "../../support/browser/merchant.ts";
import { askAs } from "../../support/browser/screens-server.ts";
import { changeTenantRecord } from "../../../app/domain/tenants/tenant-record.ts";
import { typeFilter } from "../../support/browser/filters.ts";
import { eventually, OTHER_SHOP, SHOP } from "../../support/service.ts";

const MESSAGE = "Customer ada@example.com has no sales area";

const app = useMerchant({ background: true });
beforeAll(async () => {
  const erp = {
    erp_base_url: app.sandbox.addresses.erpBaseUrl,
    erp_username: "crm",
    erp_password: "erp-secret-0123456789",
    erp_defaults: { bukrs: "1000", vkorg: "1010", vtweg: "10" },
  };
  for (const shop of [SHOP, OTHER_SHOP])
    await app.connect(shop, { withSystems: true, fields: erp });
  await query(
    `INSERT INTO storefront_users (shop, email, full_name, provider, status, storefront_customer_gid)
      VALUES ($1, 'ada@example.com', 'Ada Lovelace', 'storefront', 'active',
      'gid://shopify/Customer/77')`,
    [SHOP],
  );
});

const query = <T extends object = Record<string, unknown>>(sql: string, values: unknown[] = []) =>
  app.database.query<T>(sql, values);

/** An order that the ERP rejects, sent to the content system too, which has no place for it. */
async function rejectOrder(
  shop: string,
  id: string,
  body: object = { error: { code: "SD/42", message: { lang: "en", value: MESSAGE } } },
): Promise<string> {
  app.sandbox.failNext("erp", { status: 422, body });
  const { json } = await app.call("POST", `/events/ingest?shop=${shop}&source=manual`, {
    body: {
      event_type: "order.created",
      entity_type: "order",
      entity_id: id,
      payload: {
        id,
        customer: { admin_graphql_api_id: "gid://shopify/Customer/77", email: "ada@example.com" },
        total_price: "10.00",
        currency: "EUR",
      },
      destinations: ["erpsys", "archive"],
      priority: 2,
    },
  });
  const eventId = json.event_id as string;
  await eventually(
    `${eventId} failed`,
    async () =>
      (
        await query(
          "SELECT 1 FROM integration_queue WHERE event_id = $1 AND status = 'dead_letter'",
          [eventId],
        )
      ).length > 0,
  );
  return eventId;
}

test("from Home three clicks lead to what was sent and answered, in the store's time to the second; a showing is recorded, and the event is replayed", async () => {
  const eventId = await rejectOrder(SHOP, "gid://shopify/Order/501");
  await changeTenantRecord(app.ctx, SHOP, { connection: { time_zone: "Asia/Kolkata" } });
  const visit = await app.open("/app", { shop: SHOP, viewport: { width: 1_280, height: 900 } });
  const { page } = visit;
  await page.locator('a[href="/app/events/dead-letters"]').first().click();
  await page.getByText("The destination rejected the data (HTTP 422).").waitFor();
  await page.getByRole("link", { name: "Order created" }).click();
  const timeline = page.getByRole("list", { name: "Timeline: ERP system" });
  await timeline.getByText("Attempt 1").waitFor();
  await timeline.getByText(/HTTP 422, \d+ ms/).waitFor();
  await timeline.getByText("Failed, no further attempts").waitFor();
  const time = timeline.locator("time").first();
  await time.getByText(/ago, .*\d\d:\d\d:\d\d$/).waitFor();
  const at = new Date((await time.getAttribute("datetime"))!);
  const inKolkata = new Date(at.getTime() + 5.5 * 3_600_000).toISOString().slice(11, 19);
  expect(await time.textContent()).toContain(`, ${inKolkata}`);
  await page.getByText("1 attempt.").first().waitFor();
  expect(
    await page.getByRole("link", { name: "Order in the store admin" }).getAttribute("href"),
  ).toMatch(/\/admin\/orders\/501$/);
  expect(
    await page.getByRole("link", { name: "Customer", exact: true }).getAttribute("href"),
  ).toMatch(/\/app\/customers\/\d+$/);
  await expectHealthyPage(visit);

  await page.getByRole("tab", { name: "Response" }).click();
  await page.getByText("HTTP 422", { exact: true }).waitFor();
  const content = () => page.locator("body").innerText();
  expect(await content()).not.toMatch(/ada@example|sales area|10\.00/);
  await page.getByRole("button", { name: "Show", exact: true }).click();
  await page.getByText(MESSAGE).first().waitFor();
  await page.getByRole("tab", { name: "Sent" }).click();
  await page.getByText(/^POST http.*\/A_SalesOrder$/).waitFor();
  await page.getByText("Authorization: <hidden>").waitFor();
  expect(await content()).toContain("10.00");
  await page.getByRole("button", { name: "Copy as curl" }).waitFor();
  await expectHealthyPage(visit);
  expect(
    await query(
      `SELECT l.action, l.place, u.email FROM access_log l JOIN storefront_users u
        ON u.shop = l.shop AND u.id = l.user_id WHERE l.shop = $1`,
      [SHOP],
    ),
  ).toEqual([{ action: "viewed", place: "/app/events/event/:id show", email: "ada@example.com" }]);

  await page.getByRole("button", { name: "Replay to ERP system" }).click();
  await timeline.getByText("Attempt 1").nth(1).waitFor();
  await eventually(
    "it is delivered",
    async () =>
      (
        await query(
          `SELECT 1 FROM integration_queue WHERE event_id = $1 AND channel = 'erpsys'
            AND status = 'delivered'`,
          [eventId],
        )
      ).length > 0,
  );
  await page.getByText("2 attempts.").waitFor();
});

test("of a long response full of secrets the page shows the first 4 kB, and no secret", async () => {
  const eventId = await rejectOrder(SHOP, "gid://shopify/Order/701", {
    note: "sales area is missing",
    access_token: "returned-token-77",
    login: { password: "erp-secret-0123456789", client_secret: "returned-secret-78" },
    lines: Array.from({ length: 5_000 }, (_, at) => ({ api_key: `returned-key-${at}`, at })),
  });
  const visit = await app.open(`/app/events/event/${eventId}`, { shop: SHOP });
  const { page } = visit;
  await page.getByRole("tab", { name: "Response" }).click();
  await page.getByRole("button", { name: "Show", exact: true }).click();
  await page.getByText("sales area is missing").waitFor();
  await page.getByText("Only the beginning is stored.").waitFor();
  const body = await page.getByRole("group", { name: "Body" }).innerText();
  expect(Buffer.byteLength(body.replace(/\s/g, ""))).toBeLessThanOrEqual(4_096);
  expect(body).toContain('"access_token": "<hidden>"');
  expect(await page.content()).not.toMatch(/returned-|erp-secret/);
  await visit.close();
});

test("the log is followed live with its filters, and fits a phone in Spanish", async () => {
  const visit = await app.open("/app/events/log?status=failed&http=422", { shop: SHOP });
  const { page } = visit;
  const rows = page.locator("tbody tr[id]");
  const before = await rows.count();
  await page.getByLabel("Live updates").check({ force: true });
  await rejectOrder(SHOP, "gid://shopify/Order/502");
  await expect.poll(() => rows.count(), { timeout: 15_000 }).toBe(before + 1);
  expect(page.url()).toContain("http=422");
  await typeFilter(page, "Event ID or object ID", "502");
  await expect.poll(() => rows.count()).toBe(1);
  await expectHealthyPage(visit);
  await visit.close();

  const phone = { width: 390, height: 844 };
  const spanish = await app.open("/app/events/log", {
    shop: SHOP,
    locale: "es",
    viewport: phone,
  });
  await spanish.page.getByRole("heading", { name: "Registro de entregas" }).waitFor();
  expect(await findCellsOutside(spanish.page)).toEqual([]);
  await expectHealthyPage(spanish);
  await spanish.page.getByRole("link", { name: "Pedido creado" }).first().click();
  await spanish.page.getByRole("tab", { name: "Enviado" }).waitFor();
  await expectHealthyPage(spanish);
  await spanish.close();
});

test("gone, foreign and hostile ids are the 404 page in the frame, and nothing of another store is shown or replayed", async () => {
  const eventId = await rejectOrder(OTHER_SHOP, "gid://shopify/Order/601");
  const [attempt] = await query<{ id: number }>(
    "SELECT id::int FROM delivery_attempts WHERE event_id = $1",
    [eventId],
  );
  const path = (id: string) => `/app/events/event/${id}`;
  for (const id of [eventId, "gone", "x".repeat(3_000), "%27%20OR%201=1"])
    expect([id.slice(0, 40), (await askAs(app, SHOP, path(id))).status]).toEqual([
      id.slice(0, 40),
      404,
    ]);
  expect((await askAs(app, SHOP, path("%00"))).status).toBe(400);
  const action = (fields: object) =>
    askAs(app, SHOP, `${path(eventId)}.data`, { intent: "show", ...fields });
  expect(await action({ attempt_id: attempt?.id })).toMatchObject({ status: 404 });
  expect((await action({ intent: "replay", queue_id: null })).status).toBe(404);
  expect(
    await query("SELECT status FROM integration_queue WHERE event_id = $1 AND channel = 'erpsys'", [
      eventId,
    ]),
  ).toEqual([{ status: "dead_letter" }]);
  const visit = await app.open(path("gone"), { shop: SHOP });
  await visit.page.getByText("This page does not exist").waitFor();
  await visit.close();
  const page = await askAs(app, OTHER_SHOP, `${path(eventId)}?attempt=-1%27`);
  expect(page.status).toBe(200);
});
