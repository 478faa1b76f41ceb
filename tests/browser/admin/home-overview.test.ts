// The app's home: what needs the merchant, metrics, systems, recent activity, and the cost of
// loading it.
import { gzipSync } from "node:zlib";
import { beforeEach, expect, test } from "vitest";
import { recordConsent } from "../../../app/domain/consent/record-consent.ts";
import { changeTenantRecord } from "../../../app/domain/tenants/tenant-record.ts";
import { findA11yViolations, findOverflow } from "../../support/browser/accessibility.ts";
import {
  useMerchant,
  type ScreenOptions,
  type ScreenVisit,
} from "../../support/browser/merchant.ts";
import { adminUrl } from "../../support/browser/screens-server.ts";
import { putPerson } from "../../support/storefront/customers.ts";

const OTHER = "other-store.myshopify.com";
/** The scripts of one screen with everything it loads. */
const MAX_SCRIPT_BYTES = 180_000;
const MAX_SHIFT = 0.05;
const app = useMerchant();
let shop: string;
let visit: ScreenVisit;

beforeEach(async () => {
  app.sandbox.clearFaults();
  shop = await app.newStore({ fields: { enabled_channels: ["cms", "web_analytics"] } });
});

const open = async (path = "/app", options: ScreenOptions = {}) => {
  visit = await app.open(path, { shop, ...options });
  return visit.page;
};

/** Two months of a store: customers, marketing consents, and deliveries of two systems. */
async function fillStore(ofShop: string, people: number): Promise<void> {
  const { query } = app.database;
  for (let place = 0; place < people; place += 1)
    await putPerson(app.database, ofShop, {
      full_name: `${ofShop} ${place}`,
      gid: `gid://shopify/Customer/${place + 1}`,
      ...(place === 0 && { last_login_at: new Date().toISOString() }),
    });
  await query(
    `INSERT INTO storefront_users (shop, email, provider, status, created_at, last_login_at)
      SELECT $1, 'past-' || n || '@x.example', 'email', CASE WHEN n = 5 THEN 'deleted' ELSE 'active' END,
        now() - n * interval '7 days', CASE WHEN n % 2 = 0 THEN now() END FROM generate_series(1, 8) AS n`,
    [ofShop],
  );
  const [one] = await query<{ id: number }>(
    "SELECT min(id)::int AS id FROM storefront_users WHERE shop = $1",
    [ofShop],
  );
  const userId = one?.id as number;
  const consent = { userId, method: "banner", consentId: "c1" } as const;
  await app.ctx.home.forTenant(ofShop).transaction((sql) =>
    recordConsent(sql, { connection: {} }, [
      { ...consent, consentType: "tos", action: "granted" },
      { ...consent, consentType: "marketing", action: "granted" },
      ...[1, 2].map((n) => ({
        ...consent,
        userId: null,
        visitorId: `v${n}`,
        consentType: "marketing" as const,
        action: "revoked" as const,
      })),
    ]),
  );
  await query(
    `INSERT INTO channel_minutes (shop, channel, minute, delivered, failed, latency_ms_sum, latencies)
      VALUES ($1, 'cms', date_trunc('minute', now()), 41, 4, 100, $2),
        ($1, 'web_analytics', date_trunc('minute', now()), 155, 0, 100, $3),
        ($1, 'cms', now() - interval '40 days', 90, 10, 100, $2)`,
    [ofShop, latencies(14, 45), latencies(3, 155)],
  );
}

/** All attempts in one range of the histogram. */
const latencies = (range: number, count: number) =>
  Array.from({ length: 16 }, (_, at) => (at === range ? count : 0));

const metric = (page: ScreenVisit["page"], name: string) =>
  page.locator("h2", { hasText: name }).locator("xpath=..");

test("from Home a merchant reads the opt-in rate and finds the slow system by clicks; the numbers equal SQL and are this store's own", async () => {
  await fillStore(shop, 3);
  await fillStore(OTHER, 9);
  const page = await open();
  const [truth] = await app.database.query<Record<string, number>>(
    `SELECT (SELECT count(*) FROM storefront_users WHERE shop = $1 AND status <> 'deleted')::int AS customers,
      (SELECT count(*) FROM storefront_users WHERE shop = $1 AND last_login_at IS NOT NULL
        AND created_at::date > current_date - 30)::int AS sign_ups,
      (SELECT count(*) FILTER (WHERE action = 'granted')::float8 / count(*) FROM consent_records
        WHERE shop = $1 AND consent_type = 'marketing') AS opt_in`,
    [shop],
  );
  await metric(page, "Customers").getByText(String(truth?.customers), { exact: true }).waitFor();
  await metric(page, "Sign-ups").getByText(String(truth?.sign_ups), { exact: true }).waitFor();
  expect(truth?.opt_in).toBeCloseTo(1 / 3);
  await metric(page, "Marketing opt-in").getByText("33.3%", { exact: true }).waitFor();
  await metric(page, "Delivery success").getByText("98%", { exact: true }).waitFor();
  await metric(page, "Delivery success")
    .getByText("8 points more than in the previous 30 days")
    .waitFor();
  await page.getByText("Granted: Marketing, Terms").waitFor();
  await page.getByText("Declined: Marketing").first().waitFor();
  expect(await page.getByRole("link", { name: `${shop} 0` }).count()).toBe(1);
  expect(await page.content()).not.toContain(OTHER);
  const chart = page.getByRole("application", { name: /1 granted, 2 declined, 0 withdrawn/ });
  await chart.press("End");
  await expect
    .poll(() => chart.locator("[aria-live]").textContent())
    .toMatch(/Granted 1, Declined 2, Withdrawn 0$/);
  expect(await findA11yViolations(page)).toEqual([]);

  await page.getByRole("link", { name: /systems needs? attention/ }).click();
  const row = page.getByRole("row", { name: /Content system \(CMS\)/ });
  await row.getByText("Degraded").waitFor();
  await row.getByText("Attempts take longer than 10 seconds.").waitFor();
  await row.getByText(/^2\d\ss$/).waitFor();
  await page
    .getByRole("row", { name: /Web analytics/ })
    .getByText("Healthy")
    .waitFor();
  expect(await findA11yViolations(page)).toEqual([]);
});

test("a failed sync, dead letters, a paused system and blocked agents are listed with what to do", async () => {
  const { query } = app.database;
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
  await changeTenantRecord(app.ctx, shop, { set: { agent_access_enabled: false } });
  const page = await open();
  await page.getByText("Customers couldn't be synced").waitFor();
  await page.getByText("Failed deliveries: 3").waitFor();
  await page.getByText("Paused: Your store").waitFor();
  expect(
    await page.getByRole("link", { name: "Review: Failed deliveries: 3" }).getAttribute("href"),
  ).toBe("/app/events/dead-letters");
  expect(
    await page.getByRole("link", { name: "Review: Agent access is off" }).getAttribute("href"),
  ).toBe("/app/settings/agents");
  expect(await findA11yViolations(page)).toEqual([]);
});

test("the home of a new store begins with the setup guide, and says nothing of systems to which nothing was sent", async () => {
  const page = await open();
  await page.getByRole("heading", { name: "Setup guide" }).waitFor();
  await page.getByText("Nothing was sent to your systems in the last 24 hours").waitFor();
  expect(await page.getByText("Needs attention").count()).toBe(0);
  expect(await page.getByText(/healthy/).count()).toBe(0);
  await page.getByRole("heading", { name: "Marketing consent, last 30 days" }).waitFor();
  expect(await page.getByText("1", { exact: true }).count()).toBe(0);
  await page.getByRole("button", { name: "Dismiss" }).click();
  await page.getByText("Nothing needs your attention right now.").waitFor();
});

test("the setup guide checks the store's scripts, says how many load before consent, and leads to them", async () => {
  app.sandbox.storefront.setPassword(shop, false);
  app.sandbox.storefront.furnish(shop);
  app.sandbox.storefront.setThemeHtml(
    shop,
    '<script src="https://connect.facebook.net/en_US/fbevents.js" async></script>',
  );
  // Known before: the guide goes on to the next step once the admin says that the embed is on.
  await app.database.query("INSERT INTO kv (shop, key, value) VALUES ($1, 'theme_embed', '{}')", [
    shop,
  ]);
  const page = await open("/app/setup");
  await page.getByRole("button", { name: "Check your store's scripts" }).click();
  await page.getByRole("button", { name: "Check your store", exact: true }).click();
  await page.getByText("1 script loads before consent.").waitFor();
  await page.getByText("1 before consent").waitFor();
  expect(await findA11yViolations(page)).toEqual([]);
  await page.getByRole("link", { name: "See results" }).click();
  await page.getByText("connect.facebook.net/en_US/fbevents.js").first().waitFor();
});

test("the setup guide is collapsed once it was begun, is dismissed for good, and comes back from the settings", async () => {
  await app.database.query("INSERT INTO kv (shop, key, value) VALUES ($1, 'theme_embed', '{}')", [
    shop,
  ]);
  const page = await open();
  await page.getByText("of 7 steps done").waitFor();
  expect(await page.getByText("Set up tags").count()).toBe(0);
  await page.getByRole("button", { name: "Show steps" }).click();
  await page.getByText("Set up tags").first().waitFor();
  // A screen reader speaks the value.
  expect(await page.getByRole("progressbar").getAttribute("value")).toMatch(/^\d+$/);
  await page.getByRole("button", { name: "Dismiss" }).click();
  await page.getByText("of 7 steps done").waitFor({ state: "detached" });
  await page.goto(await adminUrl(app, shop, "/app/settings/connection"));
  await page.getByRole("button", { name: "Show on Home again" }).click();
  await page.getByRole("button", { name: "Show on Home again" }).waitFor({ state: "detached" });
  expect(await findA11yViolations(page)).toEqual([]);
  await page.goto(await adminUrl(app, shop));
  await page.getByText("of 7 steps done").waitFor();
});

test("home and connection are translated to Spanish and French and fit a phone of 390 px", async () => {
  await fillStore(shop, 2);
  for (const [locale, recent, again] of [
    ["es", "Actividad reciente", "Registrar de nuevo"],
    ["fr", "Activité récente", "Réenregistrer"],
  ] as const) {
    const options = { locale, viewport: { width: 390, height: 844 } };
    const page = await open("/app", options);
    await page.getByRole("heading", { name: recent }).waitFor();
    await page.getByRole("application").waitFor();
    expect(await findOverflow(page)).toBe(0);
    expect(await findA11yViolations(page)).toEqual([]);
    await visit.leave();
    const connection = await open("/app/settings/connection", options);
    await connection.getByRole("button", { name: again }).waitFor();
    expect(await findOverflow(connection)).toBe(0);
    expect(await findA11yViolations(connection)).toEqual([]);
    await visit.leave();
  }
});

test("an unknown path below /app is a 404 inside the frame", async () => {
  const page = await open("/app/nothing-here");
  await page.getByText("This page does not exist").waitFor();
  await page.getByRole("link", { name: "Home" }).click();
  await page.getByRole("heading", { name: "Setup guide" }).waitFor();
  expect(visit.errors.filter((text) => !text.includes("404"))).toEqual([]);
  await visit.close();
});

test("an address of a list that is not valid any more says so instead of an error of ours", async () => {
  const page = await open("/app/consent?cursor=old");
  await page.getByText("This address is not valid").waitFor();
  expect(await page.getByText("Something went wrong on our side").count()).toBe(0);
  expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(0);
  await page.getByRole("link", { name: "Home" }).click();
  await page.getByRole("heading", { name: "Setup guide" }).waitFor();
  expect(visit.errors.filter((text) => !text.includes("400"))).toEqual([]);
  await visit.close();
});

test("the home has no layout shift while it loads, and a fast largest contentful paint", async () => {
  await fillStore(shop, 5);
  const { page, close } = await app.browser.visit([app.url, app.sandbox.url]);
  await page.addInitScript(() => {
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
  await page.goto(await adminUrl(app, shop));
  await metric(page, "Delivery success").getByText("98%", { exact: true }).waitFor();
  await page.getByRole("application").waitFor();
  const { shift, largest } = await page.evaluate(
    () => (window as unknown as { seen: { shift: number; largest: number } }).seen,
  );
  console.log(`home: LCP ${Math.round(largest)} ms, CLS ${shift.toFixed(4)}`);
  expect(shift).toBeLessThanOrEqual(MAX_SHIFT);
  await close();
});

test.each([
  "/app",
  "/app/customers",
  "/app/customers/changes",
  "/app/customers/1",
  "/app/agents/activity",
  "/app/segments",
  "/app/tags",
  "/app/events",
  "/app/consent",
  "/app/consent/banner",
  "/app/consent/insights",
  "/app/consent/storefront",
  "/app/consent/cookies",
  "/app/settings/brand",
])("%s loads at most 180 kB of script, compressed", async (path) => {
  await app.database.query(
    "INSERT INTO storefront_users (shop, id, full_name) VALUES ($1, 1, 'Ada')",
    [shop],
  );
  const sizes = new Map<string, Promise<number>>();
  const { page, close } = await app.browser.visitAgain([app.url, app.sandbox.url]);
  page.on("response", (response) => {
    const { pathname, origin } = new URL(response.url());
    if (origin === new URL(app.url).origin && pathname.endsWith(".js"))
      sizes.set(
        pathname,
        response.body().then((body) => gzipSync(body, { level: 9 }).length),
      );
  });
  await page.goto(await adminUrl(app, shop, path), { waitUntil: "networkidle" });
  // What the page loads ahead for other screens comes after everything of its own.
  const later = await page.evaluate(() => {
    const [mark] = performance.getEntriesByName("screens-ahead");
    return performance
      .getEntriesByType("resource")
      .filter(({ startTime }) => mark && startTime >= mark.startTime)
      .map(({ name }) => new URL(name).pathname);
  });
  for (const path of later) sizes.delete(path);
  const total = (await Promise.all(sizes.values())).reduce((sum, bytes) => sum + bytes, 0);
  console.log(`${path}: ${(total / 1_000).toFixed(1)} kB of script in ${sizes.size} files`);
  expect(sizes.size).toBeGreaterThan(3);
  expect(total).toBeLessThanOrEqual(MAX_SCRIPT_BYTES);
  await close();
});
