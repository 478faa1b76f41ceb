// The merchant's events screens, in a real browser against the whole service and its worker.
import { beforeAll, expect, test } from "vitest";
import { changeTenantRecord } from "../../../app/domain/tenants/tenant-record.ts";
import { dayOf } from "../../../app/runtime/calendar-days.ts";
import { findCellsOutside } from "../../support/browser/accessibility.ts";
import { addRows, openCircuit } from "../../support/bus/queue.ts";
import { expectHealthyPage, useMerchant } from "../../support/browser/merchant.ts";
import { adminUrl, askAs } from "../../support/browser/screens-server.ts";
import { chooseFilter, removeFilter } from "../../support/browser/filters.ts";
import { eventually, OTHER_SHOP, SHOP } from "../../support/service.ts";

const app = useMerchant({ background: true });
beforeAll(async () => {
  const erp = {
    erp_base_url: app.sandbox.addresses.erpBaseUrl,
    erp_username: "crm",
    erp_password: "erp-secret-0123456789",
    erp_defaults: { bukrs: "1000", vkorg: "1010", vtweg: "10" },
  };
  await app.connect(SHOP, { withSystems: true, fields: erp });
  await app.connect(OTHER_SHOP, { withSystems: true, fields: erp });
});

const query = <T extends object = Record<string, unknown>>(sql: string, values: unknown[] = []) =>
  app.database.query<T>(sql, values);

/** An order that the ERP rejected permanently. */
async function letOneDie(shop: string, id: string): Promise<string> {
  app.sandbox.failNext("erp", { status: 400 }, 1);
  const answer = await app.call("POST", `/events/ingest?shop=${shop}&source=manual`, {
    body: {
      event_type: "order.created",
      entity_type: "order",
      entity_id: id,
      payload: { id, email: "ada@example.com", total_price: "10.00", currency: "EUR" },
      destinations: ["erpsys"],
      priority: 2,
    },
  });
  const eventId = answer.json.event_id as string;
  await eventually(
    `${eventId} is dead`,
    async () =>
      (
        await query(
          "SELECT 1 FROM integration_queue WHERE shop = $1 AND event_id = $2 AND status = 'dead_letter'",
          [shop, eventId],
        )
      ).length > 0,
  );
  return eventId;
}

const statusOf = async (eventId: string) =>
  (
    await query<{ status: string }>("SELECT status FROM integration_queue WHERE event_id = $1", [
      eventId,
    ])
  )[0]?.status;

test("shows each connected system's state, offers the others with what they lack, tests a connection, and counts in the store's own days", async () => {
  const zone = "Pacific/Kiritimati";
  await changeTenantRecord(app.ctx, SHOP, { connection: { time_zone: zone } });
  const visit = await app.open("/app/events", { shop: SHOP });
  const { page } = visit;
  const cms = page.getByRole("row", { name: /Content system \(CMS\)/ });
  await cms.getByText("Idle").waitFor();
  await page.getByRole("heading", { name: "Add a destination" }).waitFor();
  await page.getByText("Missing: Address.").first().waitFor();
  await page
    .getByRole("application", { name: /0 delivered, 0 failed attempts, 0 skipped/ })
    .waitFor();
  // It goes down while the screen is open.
  await openCircuit(app.database, SHOP, "cms");
  await cms.getByText("Paused").waitFor({ timeout: 30_000 });
  await cms.getByText("Not responding. Next attempt at").waitFor();
  await page.getByRole("button", { name: "Test connection: Web analytics" }).click();
  await page.getByText(/^The connection works \(\d+ ms\)\.$/).waitFor();
  await expectHealthyPage(visit);
  app.sandbox.failNext("cms", { status: 401 }, 1);
  await page.getByRole("button", { name: "Test connection: Content system (CMS)" }).click();
  await page
    .getByText(
      "The destination refuses our access (HTTP 401). Check the key or password in Settings.",
    )
    .waitFor();
  await page.getByRole("link", { name: "30 days" }).click();
  await page.waitForURL(/period=30d/);
  await page
    .getByRole("link", { name: "30 days", exact: true })
    .and(page.locator("[aria-current]"))
    .waitFor();
  await page.getByText("Show as table").click();
  const days = page.locator("details tbody th");
  await expect.poll(() => days.count()).toBe(30);
  const [year, , day] = dayOf(zone, new Date()).split("-");
  expect(await days.last().innerText()).toMatch(new RegExp(`^${Number(day)} \\w+ ${year}$`));
  expect(visit.errors).toEqual([]);
  await query("DELETE FROM kv WHERE shop = $1 AND key = 'circuit:cms'", [SHOP]);
  await visit.close();
});

test("a button syncs all customers with the CMS; the result survives a reload, also when the CMS was unreachable", async () => {
  await query(
    `INSERT INTO storefront_users (shop, email, full_name, provider, status)
      SELECT $1, 'cms-' || n || '@example.com', 'Person ' || n, 'storefront', 'active'
      FROM generate_series(1, 230) n`,
    [SHOP],
  );
  const visit = await app.open("/app/events", { shop: SHOP });
  const { page } = visit;
  const button = page.getByRole("button", { name: "Sync all customers" });
  app.sandbox.failNext("cms", { status: 503 }, 50);
  await button.click();
  await page.getByText("The destination had an internal error (HTTP 503).").first().waitFor();
  app.sandbox.clearFaults();
  await button.click();
  await page.getByText("230 customers processed, 230 written.").waitFor();
  await expectHealthyPage(visit);
  await page.goto(await adminUrl(app, SHOP, "/app/events"));
  await page.getByText("230 customers processed, 230 written.").waitFor();
  expect(
    await query(
      "SELECT count(*)::int AS n FROM storefront_users WHERE shop = $1 AND cms_item_id IS NOT NULL",
      [SHOP],
    ),
  ).toEqual([{ n: 230 }]);
  expect(
    await query("SELECT 1 FROM kv WHERE shop = $1 AND key LIKE '%cms_sync_asked'", [OTHER_SHOP]),
  ).toEqual([]);
  await visit.close();
});

test("every events page loads without errors, also when it is empty and other systems are unreachable", async () => {
  for (const system of ["cms", "analytics", "storefront"] as const)
    app.sandbox.failNext(system, { status: 503 }, 20);
  const EMPTY = "quiet-store.myshopify.com";
  await app.connect(EMPTY, { withSystems: true });
  for (const [path, text] of [
    ["/app/events/dead-letters", "No failed events"],
    ["/app/events/log", "No deliveries yet"],
    ["/app/events/destinations", "No routes: every event goes to the default destinations."],
  ] as const) {
    const visit = await app.open(path, { shop: EMPTY });
    await visit.page.getByText(text).waitFor();
    await expectHealthyPage(visit);
    await visit.close();
  }
  app.sandbox.clearFaults();
});

test("a dead letter is selected, replayed and delivered; the log and the event page show both attempts and no personal data", async () => {
  const eventId = await letOneDie(SHOP, "gid://shopify/Order/1");
  const visit = await app.open("/app/events/dead-letters", { shop: SHOP });
  const { page } = visit;
  await page.getByRole("link", { name: "Order created" }).waitFor();
  await page.getByText("The destination rejected the data (HTTP 400).").waitFor();
  await expectHealthyPage(visit);
  await page.getByRole("checkbox", { name: /Order created/ }).check({ force: true });
  await page.getByRole("button", { name: "Replay", exact: true }).click();
  await page.getByText(/1 of 1 put back into the queue\./).waitFor();
  await eventually("it is delivered", async () => (await statusOf(eventId)) === "delivered");
  await page.goto(await adminUrl(app, SHOP, "/app/events/dead-letters"));
  await page.getByText("No failed events").waitFor();
  await page.getByText(/1 of 1 put back into the queue\./).waitFor();
  await page.getByRole("link", { name: "Delivery log" }).first().click();
  await chooseFilter(page, "Outcome", "Failed attempt");
  await page.waitForURL(/status=failed/);
  await expect.poll(() => page.locator("tbody tr[id]").count()).toBe(1);
  await removeFilter(page, "Outcome");
  await chooseFilter(page, "Destination", "ERP system");
  await expect.poll(() => page.locator("tbody tr[id]").count()).toBe(2);
  await page.getByRole("link", { name: "Order created" }).first().click();
  await page.getByRole("heading", { name: "Order created" }).waitFor();
  await page.getByText("order.created", { exact: true }).waitFor();
  await page.getByText(eventId).waitFor();
  await page.getByText("gid://shopify/Order/1").waitFor();
  expect(await page.locator("main, body").first().innerText()).not.toContain("ada@example.com");
  await expectHealthyPage(visit);
});

test("a filter that is chosen while another one's removal is loading does not bring that one back", async () => {
  await letOneDie(SHOP, "gid://shopify/Order/2");
  const visit = await app.open("/app/events/log", { shop: SHOP });
  const { page } = visit;
  await chooseFilter(page, "Outcome", "Failed attempt");
  await page.waitForURL(/status=failed/);
  let answer = () => {};
  const isHeld = new Promise<void>((held) => {
    void page.route("**/app/events/log.data*", async (route) => {
      await new Promise<void>((done) => {
        answer = done;
        held();
      });
      await page.unrouteAll({ behavior: "ignoreErrors" });
      await route.continue().catch(() => {});
    });
  });
  await removeFilter(page, "Outcome");
  await isHeld;
  await chooseFilter(page, "Destination", "ERP system");
  answer();
  await page.waitForURL(/channel=erpsys/);
  expect(page.url()).not.toContain("status=");
  await visit.close();
});

test("all dead letters are replayed in slices, and the result counts the ones that were replayed elsewhere meanwhile", async () => {
  const ids = await addRows(app.database, {
    shop: SHOP,
    channel: "unheard_of",
    count: 1_203,
    dueInSeconds: 3_600,
  });
  await query(
    `UPDATE integration_queue SET status = 'dead_letter', dead_lettered_at = clock_timestamp(),
      last_error = 'consent_missing: analytics_partners' WHERE shop = $1 AND channel = 'unheard_of'`,
    [SHOP],
  );
  const visit = await app.open("/app/events/dead-letters?channel=unheard_of", { shop: SHOP });
  const { page } = visit;
  await page.getByText("The customer hasn't consented: analytics_partners.").first().waitFor();
  expect(await page.locator("tbody tr[id]").count()).toBe(25);
  await page.getByRole("button", { name: "Next page" }).click();
  await page.waitForURL(/cursor=/);
  await expect
    .poll(() => page.getByRole("button", { name: "Back to newest" }).isEnabled())
    .toBe(true);
  // Still on this page, but replayed elsewhere.
  const [shown, other] = await page
    .locator("tbody tr[id]")
    .evaluateAll((rows) => rows.map((row) => Number(row.id)));
  await query(
    "UPDATE integration_queue SET status = 'delivered', dead_lettered_at = NULL WHERE id = $1",
    [shown],
  );
  for (const id of [shown, other])
    await page.locator(`tr[id="${id}"] input[type=checkbox]`).check({ force: true });
  await page.getByRole("button", { name: "Replay", exact: true }).click();
  await page.getByText("1 of 2 put back into the queue. 1 was no longer in this list.").waitFor();
  await page.getByRole("button", { name: "Replay all 1,201" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Replay all" }).click();
  await page.getByText(/1,201 of 1,201 put back into the queue\./).waitFor({ timeout: 60_000 });
  expect(
    await query(
      `SELECT 1 FROM integration_queue WHERE shop = $1 AND channel = 'unheard_of'
        AND status = 'dead_letter' AND retry_count > 0`,
      [SHOP],
    ),
  ).toEqual([]);
  expect(ids).toHaveLength(1_203);
  expect(visit.errors).toEqual([]);
  await visit.close();
}, 90_000);

test("destinations are edited with a save bar and validated as by the endpoint, and an event takes the new route", async () => {
  const visit = await app.open("/app/events/destinations", { shop: SHOP });
  const { page } = visit;
  await page.getByRole("button", { name: "Add a route" }).click();
  await page.getByLabel("Event type").fill("order.*");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Each route needs at least one destination").first().waitFor();
  expect((await app.call("GET", `/admin/destinations?shop=${SHOP}`)).json.event_routes).toEqual([]);
  await page.getByRole("group", { name: "Goes to" }).getByLabel("Archive").check({ force: true });
  await page.getByLabel("Priority").selectOption("4 (low)");
  await expectHealthyPage(visit);
  page.once("dialog", (dialog) => void dialog.dismiss());
  await page.getByRole("link", { name: "Delivery log", exact: true }).click();
  expect(await page.getByLabel("Priority").inputValue()).toBe("4");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Destinations saved").waitFor();
  const saved = await app.call("GET", `/admin/destinations?shop=${SHOP}`);
  expect(saved.json.event_routes).toEqual([
    { event_type: "order.*", channels: ["archive"], priority: 4 },
  ]);
  await page.getByRole("button", { name: "Save", exact: true }).waitFor({ state: "hidden" });
  await page.getByRole("button", { name: "Add a route" }).click();
  await page.getByRole("button", { name: "Remove route 2" }).press("Enter");
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Add a route");
  await page.getByRole("button", { name: "Save", exact: true }).waitFor({ state: "hidden" });
  const answer = await app.call("POST", `/events/ingest?shop=${SHOP}&source=manual`, {
    body: { event_type: "order.paid", entity_type: "order", entity_id: "9", payload: {} },
  });
  expect(answer.json.destinations).toEqual(["archive"]);
});

test("of two who change the destinations the later one keeps the changes and overwrites nothing", async () => {
  const ours = await app.open("/app/events/destinations", { shop: SHOP });
  const theirs = await app.open("/app/events/destinations", { shop: SHOP });
  for (const { page } of [ours, theirs]) await page.getByLabel("Only these").check({ force: true });
  const archive = theirs.page.getByLabel("Archive").first();
  await ours.page.getByLabel("Web analytics").first().check({ force: true });
  await ours.page.getByRole("button", { name: "Save", exact: true }).click();
  await ours.page.getByText("Destinations saved").waitFor();
  const saved = (await app.call("GET", `/admin/destinations?shop=${SHOP}`)).json;
  const isChosen = await archive.isChecked();
  await archive.setChecked(!isChosen, { force: true });
  await theirs.page.getByRole("button", { name: "Save", exact: true }).click();
  await theirs.page.getByText("Someone else changed this while you were editing.").waitFor();
  expect(await archive.isChecked()).toBe(!isChosen);
  expect((await app.call("GET", `/admin/destinations?shop=${SHOP}`)).json).toEqual(saved);
  await theirs.page.getByRole("button", { name: "Show the saved version" }).click();
  expect(await theirs.page.getByLabel("Web analytics").first().isChecked()).toBe(true);
  expect([ours.errors, theirs.errors]).toEqual([[], []]);
  await ours.close();
  await theirs.close();
  await app.call("PUT", `/admin/destinations?shop=${SHOP}`, {
    body: { enabled_channels: null },
  });
});

test("another store's event is not found and its dead letters are not replayed", async () => {
  const eventId = await letOneDie(OTHER_SHOP, "gid://shopify/Order/2");
  expect((await askAs(app, OTHER_SHOP, `/app/events/event/${eventId}`)).status).toBe(200);
  expect((await askAs(app, SHOP, `/app/events/event/${eventId}`)).status).toBe(404);
  const [row] = await query<{ id: string }>(
    "SELECT id FROM integration_queue WHERE shop = $1 AND event_id = $2",
    [OTHER_SHOP, eventId],
  );
  const lastRun = () =>
    query("SELECT value FROM kv WHERE shop = $1 AND key = 'run:dead_letter_replay'", [SHOP]);
  const before = await lastRun();
  const posted = await askAs(
    app,
    SHOP,
    "/app/events/dead-letters?_data=routes/app.events.dead-letters",
    { intent: "replay", ids: [Number(row?.id)], shop: OTHER_SHOP },
  );
  expect(posted.status).toBeLessThan(500);
  expect(await lastRun()).toEqual(before);
  expect(await statusOf(eventId)).toBe("dead_letter");
  expect((await askAs(app, SHOP, "/app/events/dead-letters?cursor=abc")).status).toBe(400);
});

test("a store of the role shared sees an explanation and cannot change anything", async () => {
  const SHARED = "shared-store.myshopify.com";
  await app.connect(SHARED, { withSystems: true, fields: { access_role: "shared" } });
  const visit = await app.open("/app/events", { shop: SHARED });
  await visit.page.getByText("Events are managed for your store").waitFor();
  await visit.close();
  const before = await app.call("GET", `/config?shop=${SHARED}`);
  expect(
    (
      await askAs(app, SHARED, "/app/events/destinations", {
        intent: "save",
        event_routes: [],
        enabled_channels: ["cms"],
        version: { event_routes: "", enabled_channels: "" },
      })
    ).status,
  ).toBe(403);
  expect((await app.call("GET", `/config?shop=${SHARED}`)).json).toEqual(before.json);
  for (const path of ["/app/events/log", "/app/events/dead-letters", "/app/events/event/x"])
    expect((await askAs(app, SHARED, path)).status).toBe(403);
});

test.each([
  ["es", "Entregas a lo largo del tiempo", "Probar conexión"],
  ["fr", "Livraisons au fil du temps", "Tester la connexion"],
])(
  "speaks %s, fits a phone, and shows every column on a desktop",
  async (locale, heading, button) => {
    const visit = await app.open("/app/events", {
      shop: SHOP,
      locale,
      viewport: { width: 390, height: 800 },
    });
    await visit.page.getByRole("heading", { name: heading }).waitFor();
    await visit.page.getByText(button).first().waitFor();
    expect(await findCellsOutside(visit.page)).toEqual([]);
    await expectHealthyPage(visit);
    await visit.page.setViewportSize({ width: 1_440, height: 900 });
    const systems = visit.page.getByRole("table").filter({ has: visit.page.getByText(button) });
    expect(
      await systems.evaluate((table) => {
        const box = table.parentElement as HTMLElement;
        return box.scrollWidth - box.clientWidth;
      }),
    ).toBeLessThanOrEqual(0);
    await visit.close();
  },
);
