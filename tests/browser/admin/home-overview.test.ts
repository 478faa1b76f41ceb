// The app's home beyond its connection: problems, the last day, recent activity, and the cost of
// loading it.
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { recordConsent } from "../../../app/domain/consent/record-consent.ts";
import { findA11yViolations, findOverflow } from "../../support/browser/accessibility.ts";
import { openBrowser } from "../../support/browser/browser.ts";
import { putPerson } from "../../support/storefront/customers.ts";
import { connectStore, openScreen, type MerchantVisit } from "../../support/browser/merchant.ts";
import { embeddedUrl, startTestApp, type TestApp } from "../../support/browser/screens-server.ts";

const OTHER = "other-store.myshopify.com";
/** The scripts of one screen with everything it loads. */
const MAX_SCRIPT_BYTES = 170_000;
const MAX_SHIFT = 0.05;
let world: TestApp;
let browser: Awaited<ReturnType<typeof openBrowser>>;
let shop: string;
let count = 0;
let visit: MerchantVisit;

beforeAll(async () => {
  [world, browser] = await Promise.all([startTestApp({ withScreens: true }), openBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await world?.stop();
});
beforeEach(async () => {
  world.sandbox.clearFaults();
  shop = `home-store-${(count += 1)}.myshopify.com`;
  await connectStore(world, shop);
});

const open = async (path = "/app", options?: Parameters<typeof openScreen>[4]) => {
  visit = await openScreen(world, browser, shop, path, options);
  return visit.page;
};

async function fillDay(ofShop: string, people: number): Promise<void> {
  const { query } = world.database;
  for (let place = 0; place < people; place += 1)
    await putPerson(world.database, ofShop, {
      full_name: `${ofShop} ${place}`,
      gid: `gid://shopify/Customer/${place + 1}`,
      ...(place === 0 && { last_login_at: new Date().toISOString() }),
    });
  await world.ctx.home.forTenant(ofShop).transaction((sql) =>
    recordConsent(sql, [
      { userId: 1, consentType: "marketing", action: "granted", method: "banner", consentId: "c1" },
      {
        userId: null,
        visitorId: "v",
        consentType: "cookie",
        action: "granted",
        method: "banner",
        consentId: "c2",
      },
      { userId: 1, consentType: "marketing", action: "revoked", method: "banner", consentId: "c3" },
    ]),
  );
  await query(
    `INSERT INTO channel_minutes (shop, channel, minute, delivered, failed, latency_ms_sum)
      VALUES ($1, 'cms', date_trunc('minute', now()), 41, 4, 100), ($1, 'cms',
      now() - interval '2 days', 500, 50, 100)`,
    [ofShop],
  );
}

const numberUnder = async (page: MerchantVisit["page"], label: string) =>
  page.getByText(label, { exact: true }).locator("xpath=following-sibling::*[1]").textContent();

test("the last day's numbers and activities are this store's own and link to the customers", async () => {
  await fillDay(shop, 3);
  await fillDay(OTHER, 9);
  const page = await open();
  await page.getByText("41", { exact: true }).waitFor();
  expect(
    await Promise.all(
      [
        "Customers synced",
        "Sign-ups",
        "Consents granted",
        "Consents withdrawn",
        "Events delivered",
        "Failed deliveries",
      ].map((label) => numberUnder(page, label)),
    ),
  ).toEqual(["3", "1", "2", "1", "41", "4"]);
  await page.getByText("A visitor gave consent: Analytics").waitFor();
  expect(await page.content()).not.toContain(OTHER);
  expect(await findA11yViolations(page)).toEqual([]);
  await page.getByRole("link", { name: `${shop} 2` }).click();
  await page.getByRole("heading", { name: `${shop} 2` }).waitFor();
  await visit.leave();
});

test("a failed sync, dead letters and a paused system are shown first, with links", async () => {
  const { query } = world.database;
  await query("INSERT INTO kv (shop, key, value) VALUES ($1, 'sync:customers', $2)", [
    shop,
    JSON.stringify({ watermark: new Date().toISOString(), error: "the storefront did not answer" }),
  ]);
  await query(
    `INSERT INTO integration_queue (shop, event_id, channel, source, event_type, entity_type,
      entity_id, status, dead_lettered_at)
      SELECT $1, 'e' || n, 'cms', 'backend', 't', 'customer', '1', 'dead_letter', now()
      FROM generate_series(1, 3) AS n`,
    [shop],
  );
  await query("INSERT INTO kv (shop, key, value) VALUES ($1, 'circuit:storefront', $2)", [
    shop,
    JSON.stringify({
      failures: 5,
      last_failure: new Date().toISOString(),
      open_until: new Date(Date.now() + 300_000).toISOString(),
    }),
  ]);
  const page = await open();
  await page.getByText("Customers could not be synced").waitFor();
  await page.getByText("Failed deliveries: 3").waitFor();
  await page.getByText("Paused: Your store").waitFor();
  expect(await page.getByRole("link", { name: "Review" }).first().getAttribute("href")).toBe(
    "/app/events/dead-letters",
  );
  expect(await findA11yViolations(page)).toEqual([]);
  await visit.leave();
});

test("the home is translated to Spanish and French and fits a phone of 390 px", async () => {
  for (const [locale, recent, again] of [
    ["es", "Actividad reciente", "Registrar de nuevo"],
    ["fr", "Activité récente", "Réenregistrer"],
  ] as const) {
    const page = await open(`/app?locale=${locale}`, { viewport: { width: 390, height: 844 } });
    await page.getByRole("heading", { name: recent }).waitFor();
    await page.getByRole("button", { name: again }).waitFor();
    expect(await findOverflow(page)).toBe(0);
    await visit.leave();
  }
});

test("an unknown path below /app is a 404 inside the frame", async () => {
  const page = await open("/app/nothing-here");
  await page.getByText("This page does not exist").waitFor();
  await page.getByRole("link", { name: "Home" }).click();
  await page.getByRole("heading", { name: "Last 24 hours" }).waitFor();
  expect(visit.errors.filter((text) => !text.includes("404"))).toEqual([]);
  await visit.close();
});

test("the home has no layout shift while it loads, and a fast largest contentful paint", async () => {
  await fillDay(shop, 5);
  visit = await openScreen(world, browser, shop, "/app/nothing-here");
  await visit.page.addInitScript(() => {
    const seen = { shift: 0, largest: 0 };
    Object.assign(window, { seen });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & {
        value: number;
        hadRecentInput: boolean;
      })[])
        if (!entry.hadRecentInput) seen.shift += entry.value;
    }).observe({ type: "layout-shift", buffered: true });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) seen.largest = entry.startTime;
    }).observe({ type: "largest-contentful-paint", buffered: true });
  });
  await visit.page.goto(await embeddedUrl(world, shop));
  await visit.page
    .getByText("11 of 11 registered")
    .or(visit.page.getByText("0 of 11 registered"))
    .waitFor();
  await visit.page.getByText("41", { exact: true }).waitFor();
  const { shift, largest } = await visit.page.evaluate(
    () => (window as unknown as { seen: { shift: number; largest: number } }).seen,
  );
  console.log(`home: LCP ${Math.round(largest)} ms, CLS ${shift.toFixed(4)}`);
  expect(shift).toBeLessThanOrEqual(MAX_SHIFT);
  await visit.close();
});

test.each(["/app", "/app/customers", "/app/customers/1", "/app/tags"])(
  "%s loads at most 170 kB of script, compressed",
  async (path) => {
    await world.database.query(
      "INSERT INTO storefront_users (shop, id, full_name) VALUES ($1, 1, 'Ada')",
      [shop],
    );
    const sizes = new Map<string, Promise<number>>();
    visit = await openScreen(world, browser, shop, "/app/nothing-here");
    const context = visit.page.context();
    const page = await context.newPage();
    page.on("response", (response) => {
      const { pathname, origin } = new URL(response.url());
      if (origin === new URL(world.url).origin && pathname.endsWith(".js"))
        sizes.set(
          pathname,
          response.body().then((body) => gzipSync(body, { level: 9 }).length),
        );
    });
    await page.goto(await embeddedUrl(world, shop, { path }), { waitUntil: "networkidle" });
    const total = (await Promise.all(sizes.values())).reduce((sum, bytes) => sum + bytes, 0);
    console.log(`${path}: ${(total / 1_000).toFixed(1)} kB of script in ${sizes.size} files`);
    expect(sizes.size).toBeGreaterThan(3);
    expect(total).toBeLessThanOrEqual(MAX_SCRIPT_BYTES);
    await visit.close();
  },
);
