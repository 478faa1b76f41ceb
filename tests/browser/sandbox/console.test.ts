// The demo console in a real browser, with the real service behind it: each scenario acts, and the page
// shows what really arrived.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Page } from "playwright-core";
import { startSandbox } from "../../../app/sandbox/server.ts";
import { seedProducts } from "../../support/agents/checkout.ts";
import { findA11yViolations, findOverflow } from "../../support/browser/accessibility.ts";
import { openBrowser, type Visit } from "../../support/browser/browser.ts";
import {
  APP_SECRET,
  ADMIN_KEY,
  CLIENT_ID,
  SHOP,
  startService,
  type Service,
} from "../../support/service.ts";
import { inboxIsWorked } from "../../support/storefront/storefront.ts";
import { taggedStore } from "../../support/storefront/tagged-store.ts";

const ADA = "ada.lovelace@shopper.example";
let service: Service;
let browser: Awaited<ReturnType<typeof openBrowser>>;
let visit: Visit;
let page: Page;

beforeAll(async () => {
  [service, browser] = await Promise.all([startService({ background: true }), openBrowser()]);
  await seedProducts(service);
  visit = await open();
  page = visit.page;
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});
afterEach(() => expectQuiet(visit));

function expectQuiet({ errors, foreign }: Visit): void {
  expect({ errors, foreign }).toEqual({ errors: [], foreign: [] });
}

async function open(url = service.sandbox.url): Promise<Visit> {
  const opened = await browser.visit([url], { viewport: { width: 1280, height: 800 } });
  await opened.page.goto(url);
  return opened;
}

const press = (name: string, on = page) => on.getByRole("button", { name, exact: true }).click();
const says = (text: string | RegExp, on = page) =>
  on.locator(".verdict", { hasText: text }).waitFor();
const box = (name: string, on = page) => on.getByRole("region", { name, exact: true });
const ada = () =>
  service.sandbox.storefront.customers(SHOP).find(({ email }) => email === ADA) as {
    gid: string;
    lastName: string;
  };
const got = (name: string) =>
  page
    .locator("details.got", { has: page.locator(".name").getByText(name, { exact: true }) })
    .first();
const waitForService = (state: string, on = page) =>
  on.locator("#service-state", { hasText: state }).waitFor();

test("is one screen at 1280x800 and fits a phone, without accessibility violations in light and dark", async () => {
  await waitForService("Running");
  const heights = () =>
    page.evaluate(() => [document.documentElement.scrollHeight, window.innerHeight]);
  expect(await heights()).toEqual([800, 800]);
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await findA11yViolations(page, { strict: true })).toEqual([]);
  }
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await findOverflow(page)).toBe(0);
  expect(await findA11yViolations(page, { strict: true })).toEqual([]);
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 1280, height: 800 });
});

describe("a scenario shows what really happened", () => {
  test("a changed name reaches three systems; the profile platform gets a hash only", async () => {
    await page.getByRole("button", { name: "Ada changes her name" }).focus();
    // Somebody else joins at the same moment: that is not part of what Ada did.
    const joined = service.sandbox.storefront.createCustomer(SHOP, { email: "b@shopper.example" });
    await page.keyboard.press("Enter");
    await says(/^3 systems have it, \d+ ms after the change\.$/);
    await joined;
    expect(await page.locator("details.got").count()).toBe(3);
    expect(ada().lastName).toBe("Lovelace");
    expect(await page.locator(".story tbody tr").allInnerTexts()).toEqual([
      expect.stringMatching(/Last name\s+Byron\s+Lovelace/),
    ]);
    expect(await got("Profile platform").innerText()).toContain("Only a SHA-256 of the email");
    await got("CMS").locator("summary").click();
    expect(await got("CMS").innerText()).toContain(ADA);
    expect(await page.locator("#announcer").innerText()).toMatch(
      /Webhook customers\/update: 200 in \d+ ms\..*CMS: delivered/s,
    );
    expect(JSON.stringify(service.sandbox.requests("profilePlatform"))).not.toContain(ADA);
  });

  test("a new customer is created everywhere and gets a welcome mail", async () => {
    await press("New customer");
    await says(/^4 systems have it/);
    const { email } = service.sandbox.storefront.customers(SHOP).at(-1) as { email: string };
    expect(service.sandbox.email.mailsTo(email)).toHaveLength(1);
    expect(await got("Email").innerText()).toContain(email);
  });

  test("a withdrawn consent stands in the service's log", async () => {
    await press("Withdraw consent");
    await page.locator(".steps", { hasText: "Ada withdraws it" }).waitFor();
    await says(/systems? ha(s|ve) it/);
    expect(
      await service.database.query(
        `SELECT action FROM consent_records WHERE consent_type = 'marketing' ORDER BY seq`,
      ),
    ).toEqual([{ action: "granted" }, { action: "revoked" }]);
  });

  test("a forged webhook is answered 401 and stores nothing", async () => {
    await press("Forged webhook");
    await says(/^Rejected with 401/);
    await box("Service")
      .getByText(/^customers\/update · 401 · \d+ ms$/)
      .waitFor();
    // By its id: the store's webhooks about the consent before may arrive at any time.
    const stored = (
      await service.database.query<{ delivery_id: string }>("SELECT delivery_id FROM webhook_inbox")
    ).map(({ delivery_id: id }) => id);
    const sent = (status: number) =>
      service.sandbox.storefront.deliveries(SHOP).filter((delivery) => delivery.status === status);
    expect(sent(401)).not.toEqual([]);
    expect(sent(401).filter(({ webhookId }) => stored.includes(webhookId))).toEqual([]);
    expect(sent(200).some(({ webhookId }) => stored.includes(webhookId))).toBe(true);
  });

  test("an agent signs in with Ada's approval, gets a mandate and buys", async () => {
    await press("Agent buys");
    await says(/^The agent bought .+ for \d+\.\d\d EUR\. Order #\d+\.$/);
    const [checkout] = await service.database.query(
      "SELECT status, mandate_id IS NOT NULL AS has_mandate FROM checkout_sessions",
    );
    expect(checkout).toEqual({ status: "completed", has_mandate: true });
    expect(await findA11yViolations(page, { strict: true })).toEqual([]);
  });
});

test("a name full of HTML is text in every place", async () => {
  const hostile = `<img src=x onerror="document.title='taken'">`;
  await service.sandbox.storefront.changeCustomer(SHOP, ada().gid, { lastName: hostile });
  // A delivery sends its customer as they are by then, and skips what a system has: with the next name on its way,
  // an earlier change would carry it there, and that name's own delivery would have nothing to send.
  await inboxIsWorked(service);
  await taggedStore(service).delivered();
  await press("Ada changes her name");
  await says(/^3 systems have it/);
  expect(await page.locator(".story td.before").innerText()).toBe(hostile);
  for (const tab of ["Customers", "CMS"]) {
    await page.getByRole("link", { name: tab, exact: true }).click();
    await page.getByRole("heading", { name: tab, level: 1 }).waitFor();
    expect(await findA11yViolations(page)).toEqual([]);
  }
  expect(await page.title()).not.toContain("taken");
  expect(await page.locator("img").count()).toBe(0);
  await page.getByRole("link", { name: "Live map" }).click();
  await says(/^3 systems have it/);
});

test("a system that refuses the data makes a dead letter", async () => {
  await press("Web analytics: Refuses");
  await press("Ada changes her name");
  await says("Web analytics rejected the data (422): a dead letter");
  await page.locator("#dead", { hasText: "1" }).waitFor();
  await press("Web analytics: Refuses");
  await page.getByRole("button", { name: "Web analytics: Refuses", pressed: false }).waitFor();
});

test("an outage opens the circuit with its countdown, in every browser, until one of them ends it", async () => {
  const other = await open();
  await press("CMS outage");
  for (const on of [page, other.page]) {
    await says(/^CMS failed \(503\)/, on);
    await box("CMS", on)
      .getByText(/^5 waiting · circuit open, closes in \d:\d\d$/)
      .waitFor();
    await on.getByRole("button", { name: "CMS: Down", pressed: true }).waitFor();
  }
  expect(service.sandbox.standingFault("cms")).toMatchObject({ status: 503 });
  await press("CMS: Down", other.page);
  await page.getByRole("button", { name: "CMS: Down", pressed: false }).waitFor();
  expect(service.sandbox.standingFault("cms")).toBeUndefined();
  expect(other.errors).toEqual([]);
  await other.close();
});

test("a service that goes away is reported, and the console recovers by itself", async () => {
  let isAway = false;
  const sandbox = await startSandbox({
    app: {
      url: () => (isAway ? "http://127.0.0.1:9" : service.url),
      clientId: CLIENT_ID,
      clientSecret: APP_SECRET,
    },
    console: { adminKey: ADMIN_KEY },
  });
  sandbox.storefront.install(SHOP);
  try {
    const away = await open(sandbox.url);
    await waitForService("Running", away.page);
    isAway = true;
    await press("Withdraw consent", away.page);
    await says("The service does not answer.", away.page);
    await waitForService("Does not answer", away.page);
    await away.page.getByText(/^The service is not available\./).waitFor();
    isAway = false;
    await waitForService("Running", away.page);
    expect(await away.page.locator("#notice").isVisible()).toBe(false);
    expect(away.errors).toEqual([]);
    await away.close();
  } finally {
    await sandbox.stop();
  }
});
