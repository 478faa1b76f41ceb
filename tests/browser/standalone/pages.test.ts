// The admin pages outside the store admin in a real browser: what an operator sees and saves.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Page, Route } from "playwright-core";
import { runScheduledNow } from "../../../app/domain/scheduled-run/scheduled-run.ts";
import { saveTenantConfig } from "../../../app/domain/tenants/settings/configuration.ts";
import { getTenant } from "../../../app/domain/tenants/tenant.ts";
import { OutboundError } from "../../../app/runtime/errors.ts";
import { findA11yViolations, findOverflow } from "../../support/browser/accessibility.ts";
import { openBrowser, waitForHydration, type Visit } from "../../support/browser/browser.ts";
import { ADMIN_KEY, startTestApp, type TestApp } from "../../support/browser/screens-server.ts";

const TOKEN = "cms-token-0123456789";
let app: TestApp;
let browser: Awaited<ReturnType<typeof openBrowser>>;
let shop: string;
let count = 0;

beforeAll(async () => {
  const env: Parameters<typeof startTestApp>[0] = {
    withScreens: true,
    // A cell that does not answer.
    env: { DATABASE_URL_EU: "postgresql://127.0.0.1:1/eu" },
    envFrom: (sandbox) => ({
      CMS_API_URL: sandbox.addresses.cmsApiUrl,
      EMAIL_API_URL: sandbox.addresses.emailApiUrl,
      EMAIL_API_KEY: "test-email-key",
      EMAIL_FROM: "Ops <ops@test-store.example>",
    }),
  };
  [app, browser] = await Promise.all([startTestApp(env), openBrowser()]);
  await app.database.query(
    `INSERT INTO store_moves (shop, id, from_cell, to_cell, state, step, progress, error) VALUES
      ('copied-store.myshopify.com', gen_random_uuid(), 'default', 'eu', 'running', 'copy', '{"tables":37,"tables_copied":12}', NULL),
      ('moved-store.myshopify.com', gen_random_uuid(), 'default', 'eu', 'done', 'clean', '{"refused_ms":84}', NULL),
      ('stayed-store.myshopify.com', gen_random_uuid(), 'eu', 'default', 'failed', 'undo', '{}', 'The copy differs from the source.')`,
  );
});
afterAll(async () => {
  await browser?.close();
  await app?.stop();
});
beforeEach(async () => {
  app.sandbox.clearFaults();
  shop = `operated-store-${(count += 1)}.myshopify.com`;
  await saveTenantConfig(
    app.ctx,
    shop,
    { cms_api_token: TOKEN, brand_name: "Kestrel" },
    { by: "operator" },
  );
});

/** Opens a page with the key in its URL and waits for hydration. */
async function open(
  path: string,
  options: { locale?: string; losesSession?: boolean } = {},
): Promise<Visit> {
  const origins = [app.url, app.sandbox.url];
  const visit = await (options.losesSession ? browser.visit(origins) : browser.visitAgain(origins));
  await visit.page.goto(
    `${app.url}${path}${path.includes("?") ? "&" : "?"}key=${ADMIN_KEY}${options.locale ? `&locale=${options.locale}` : ""}`,
  );
  await visit.page.waitForFunction(() => document.readyState === "complete");
  await visit.page.locator("h1").waitFor();
  await waitForHydration(visit.page, visit.errors);
  return visit;
}

async function expectQuiet({ errors, foreign, close }: Visit): Promise<void> {
  expect(errors).toEqual([]);
  expect(foreign).toEqual([]);
  await close();
}

const saved = async () => (await getTenant(app.ctx, shop)).saved;
const save = (page: Page) => page.getByRole("button", { name: "Save", exact: true }).click();

test.each([
  ["/setup", "Setup"],
  ["/settings", "Settings"],
  ["/onboarding", "Onboarding"],
])(
  "%s shows itself without errors, foreign requests or accessibility violations, on a screen and on a phone",
  async (path, title) => {
    for (const address of [path, `${path}?shop=${shop}`]) {
      const visit = await open(address);
      expect(await visit.page.title()).toBe(`${title} · Customer identity`);
      expect(visit.page.url()).toBe(app.url + address);
      await visit.page.evaluate(() =>
        Promise.all(document.getAnimations().map(({ finished }) => finished)),
      );
      expect(await findA11yViolations(visit.page)).toEqual([]);
      await visit.page.setViewportSize({ width: 390, height: 844 });
      expect(await findOverflow(visit.page)).toBe(0);
      await expectQuiet(visit);
    }
  },
);

test("settings are saved with a confirmation and survive a reload; a secret is masked and kept", async () => {
  const visit = await open(`/settings?shop=${shop}`);
  const { page } = visit;
  expect(await page.content()).not.toContain(TOKEN);
  expect(await page.getByLabel("CMS API token", { exact: true }).inputValue()).toBe("cms-****6789");
  await page.getByLabel("Brand name").fill("Kestrel Outdoor");
  await page
    .getByLabel("Allowed origins")
    .fill("https://www.example.com/path\nhttps://shop.example.com");
  await page.getByLabel("Sales organization (vkorg)").fill("1010");
  await page.getByLabel("Require a verified email").check();
  await page.getByLabel("Consent mode").selectOption("advanced");
  await page.getByRole("button", { name: "Add a route" }).click();
  await page.getByLabel("Events", { exact: true }).fill("order.*");
  await page.getByLabel("Go to").fill("erpsys, archive");
  await save(page);
  await page.getByText("Saved.", { exact: true }).waitFor();
  expect(await saved()).toMatchObject({
    brand_name: "Kestrel Outdoor",
    allowed_origins: ["https://www.example.com", "https://shop.example.com"],
    erp_defaults: { vkorg: "1010" },
    require_email_verification: true,
    consent_mode: "advanced",
    event_routes: [{ event_type: "order.*", channels: ["erpsys", "archive"] }],
    cms_api_token: TOKEN,
  });
  expect(await page.getByRole("region", { name: "Unsaved changes" }).count()).toBe(0);
  await page.reload();
  expect(await page.getByLabel("Brand name").inputValue()).toBe("Kestrel Outdoor");
  expect(await page.getByLabel("Go to").inputValue()).toBe("erpsys, archive");
  await expectQuiet(visit);
});

test("removing a route keeps the input of the others, and the focus beside them", async () => {
  const visit = await open(`/settings?shop=${shop}`);
  const { page } = visit;
  for (const name of ["order.*", "customer.*"]) {
    await page.getByRole("button", { name: "Add a route" }).click();
    await page.getByLabel("Events", { exact: true }).last().fill(name);
    await page.getByLabel("Go to").last().fill("archive");
  }
  await page.getByRole("button", { name: "Remove this route: order.*" }).press("Enter");
  expect(await page.getByLabel("Events", { exact: true }).inputValue()).toBe("customer.*");
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Add a route");
  await save(page);
  await page.getByText("Saved.", { exact: true }).waitFor();
  expect((await saved()).event_routes).toEqual([
    { event_type: "customer.*", channels: ["archive"] },
  ]);
  await expectQuiet(visit);
});

test("a secret is replaced when a new one is entered, kept when not, and removed on request", async () => {
  const visit = await open(`/settings?shop=${shop}`);
  const { page } = visit;
  const replace = page.getByRole("button", { name: "Replace: CMS API token" });
  await replace.click();
  expect(await page.getByRole("region", { name: "Unsaved changes" }).count()).toBe(0);
  await page.getByLabel("CMS API token", { exact: true }).fill("another-token-0123");
  await save(page);
  await page.getByText("Saved.", { exact: true }).waitFor();
  expect((await saved()).cms_api_token).toBe("another-token-0123");
  await page.getByRole("button", { name: "Replace: CMS API token" }).click();
  await page.getByRole("button", { name: "Remove", exact: true }).click();
  await save(page);
  await expect.poll(async () => (await saved()).cms_api_token).toBeUndefined();
  await expectQuiet(visit);
});

test("an invalid value shows a translated error at its field, nothing is saved, and the input stays", async () => {
  const visit = await open(`/settings?shop=${shop}`);
  const { page } = visit;
  await page.getByLabel("Brand name").fill("Changed");
  await page.getByLabel("Measurement id").fill("UA-1");
  await page.getByLabel("ERP address").fill("https://10.0.0.1/odata");
  await page.getByLabel("Tenant API key").fill("short");
  await save(page);
  await page.getByText("Nothing was saved. Check the marked fields.").waitFor();
  await page.getByText("It looks like G-ABC123").waitFor();
  await page.getByText("in a private network").waitFor();
  await page.getByText("Use at least 16 characters.").waitFor();
  expect(await page.getByLabel("Measurement id").getAttribute("aria-invalid")).toBe("true");
  expect(await page.getByLabel("Brand name").inputValue()).toBe("Changed");
  expect((await saved()).brand_name).toBe("Kestrel");
  expect(await findA11yViolations(page)).toEqual([]);
  await page.getByRole("button", { name: "Discard" }).click();
  expect(await page.getByLabel("Brand name").inputValue()).toBe("Kestrel");
  await expectQuiet(visit);
});

test("leaving with unsaved changes asks for confirmation", async () => {
  const visit = await open(`/settings?shop=${shop}`);
  const { page } = visit;
  await page.getByLabel("Brand name").fill("Changed");
  const asked = new Promise<string>((heard) =>
    page.once("dialog", (dialog) => {
      heard(dialog.type());
      void dialog.dismiss();
    }),
  );
  await page.getByRole("link", { name: "Setup" }).click({ noWaitAfter: true });
  expect(await asked).toBe("beforeunload");
  expect(await page.getByLabel("Brand name").inputValue()).toBe("Changed");
  await visit.close();
});

test("a session that ends while the page is open keeps the input", async () => {
  const visit = await open(`/settings?shop=${shop}`, { losesSession: true });
  const { page } = visit;
  await page.getByLabel("Brand name").fill("Changed");
  await page.context().clearCookies();
  await save(page);
  await page.getByText("Your session has ended.").first().waitFor();
  expect(await page.getByLabel("Brand name").inputValue()).toBe("Changed");
  expect((await saved()).brand_name).toBe("Kestrel");
  const again = await page.context().newPage();
  await again.goto(`${app.url}/settings?shop=${shop}&key=${ADMIN_KEY}`);
  await save(page);
  await page.getByText("Saved.", { exact: true }).waitFor();
  expect((await saved()).brand_name).toBe("Changed");
  await visit.close();
});

test.each<[string, (route: Route) => Promise<void>]>([
  ["an unreachable", (route) => route.abort()],
  [
    "a starting",
    (route) =>
      route.fulfill({ status: 503, json: { error: "ServiceUnavailable", code: "starting" } }),
  ],
])("%s service is reported in the form, which keeps the input", async (_, answer) => {
  const visit = await open(`/settings?shop=${shop}`);
  const { page } = visit;
  await page.getByLabel("Brand name").fill("Changed");
  await page.route("**/settings.data**", answer, { times: 1 });
  await save(page);
  await page.getByText("We couldn't reach the service.").waitFor();
  expect(await page.getByLabel("Brand name").inputValue()).toBe("Changed");
  await save(page);
  await page.getByText("Saved.", { exact: true }).waitFor();
  expect((await saved()).brand_name).toBe("Changed");
  await visit.close();
});

test("a connection test shows success or the error, and the page works while systems are down", async () => {
  await saveTenantConfig(
    app.ctx,
    shop,
    {
      cms_customers_collection_id: app.sandbox.cms.customersCollectionId,
      support_email: "help@test-store.example",
    },
    { by: "operator" },
  );
  const visit = await open(`/settings?shop=${shop}`);
  const { page } = visit;
  await page.getByRole("button", { name: "Test: CMS" }).click();
  await page.getByText(/^It works \(\d+ ms\)\.$/).waitFor();
  await page.getByRole("button", { name: "Test: email" }).click();
  await page.getByText("An email was sent to help@test-store.example.").waitFor();
  expect(app.sandbox.email.mailsTo("help@test-store.example")).toHaveLength(1);
  await page.getByRole("button", { name: "Test: store connection" }).click();
  await page.getByText("The test failed:").waitFor();
  for (const system of ["cms", "email", "storefront"] as const)
    app.sandbox.failNext(system, { reset: true }, 50);
  await page.getByRole("button", { name: "Test: CMS" }).click();
  await page.getByText("The test failed:").nth(1).waitFor();
  for (const path of ["/setup", `/settings?shop=${shop}`, `/onboarding?shop=${shop}`])
    expect((await page.goto(app.url + path))?.status()).toBe(200);
  await expectQuiet(visit);
});

test("setup lists every setting without its value, and saves the shared settings, masked", async () => {
  const visit = await open("/setup");
  const { page } = visit;
  const html = await page.content();
  for (const secret of [
    ADMIN_KEY,
    "test-jwt-secret-0123456789",
    "test-app-secret-0123456789",
    "test-email-key",
    app.database.url,
  ])
    expect(html).not.toContain(secret);
  await page.getByText("JWT_SECRET", { exact: true }).waitFor();
  for (const text of [/^\d+ stores?, \d+ MB, 0 deliveries waiting$/, /12 of 37 tables copied/])
    await page.getByText(text).waitFor();
  await page.getByText("changes refused for 84 ms").waitFor();
  await page.getByText("Database: Works").waitFor();
  await page.getByLabel("Sender").fill("Ops <ops@another.example>");
  await page.getByLabel("Email API key", { exact: true }).fill("platform-email-key-1");
  await save(page);
  await page.getByText("Saved.", { exact: true }).waitFor();
  // The field shows the stored value once the page has read it again.
  await expect
    .poll(() => page.getByLabel("Email API key", { exact: true }).inputValue())
    .toBe("plat****ey-1");
  await page.getByLabel("Sender").fill("nobody");
  await save(page);
  await page.getByText("Enter a name and an address").waitFor();
  await page.getByRole("link", { name: `Settings: ${shop}` }).waitFor();
  await app.database.query("DELETE FROM kv WHERE key = 'platform:config'");
  await expectQuiet(visit);
});

test("setup says which steps of the last run failed, and what to do about an archive that does not work", async () => {
  const silent = () => Promise.reject(new OutboundError("archive", "timeout"));
  await runScheduledNow(app.ctx, { steps: [{ name: "archive_retention", run: silent }] });
  const visit = await open("/setup");
  const { page } = visit;
  await page.getByText("archive_retention", { exact: true }).waitFor();
  await page.getByText(/^\d+ stores · archive: timeout$/).waitFor();
  await page.getByText("The archive does not work").waitFor();
  expect(await findA11yViolations(page)).toEqual([]);
  await app.database.query("DELETE FROM kv WHERE key = 'scheduled_run:report'");
  await expectQuiet(visit);
});

test.each([
  ["es", "Configuración", "Nombre de la marca", "Configuración · Identidad de clientes"],
  ["fr", "Paramètres", "Nom de la marque", "Paramètres · Identité client"],
])("the pages and their titles speak %s", async (locale, heading, label, title) => {
  const visit = await open(`/settings?shop=${shop}`, { locale });
  const { page } = visit;
  await page.getByRole("heading", { name: heading, exact: true }).waitFor();
  await page.getByLabel(label).waitFor();
  expect(await page.getAttribute("html", "lang")).toBe(locale);
  expect(await page.title()).toBe(title);
  await expectQuiet(visit);
});

test("an unregistered store gets an error at its settings and the first step at its onboarding", async () => {
  const visit = await open("/settings?shop=unheard-of.myshopify.com");
  await visit.page
    .getByText("unheard-of.myshopify.com: This store is not registered yet.")
    .waitFor();
  expect(await findA11yViolations(visit.page)).toEqual([]);
  await visit.page.goto(`${app.url}/onboarding?shop=unheard-of.myshopify.com`);
  await visit.page.getByRole("link", { name: "Connect" }).waitFor();
  await visit.close();
});
