// The pages of the settings inside the store admin, as a merchant reaches them: the index, a system
// that is connected, tested and disconnected, two people at once, and the logo.
import type { Page } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { saveTenantConfig } from "../../../app/domain/tenants/settings/configuration.ts";
import {
  INTEGRATIONS,
  pathOfIntegration,
  pathOfPage,
  SETTINGS_PAGES,
} from "../../../app/domain/tenants/settings/settings-pages.ts";
import { getTenant } from "../../../app/domain/tenants/tenant.ts";
import { findA11yViolations, findOverflow } from "../../support/browser/accessibility.ts";
import { waitForHydration } from "../../support/browser/browser.ts";
import { useMerchant } from "../../support/browser/merchant.ts";
import { adminUrl } from "../../support/browser/screens-server.ts";

const MAX_HEIGHT = 2_000;
const WIDE = { viewport: { width: 1_280, height: 800 } };
const ERP = "/app/settings/integrations/erp";
const SCOPE = "write_customers,read_products,write_files";
/** A PNG of one pixel. */
const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const app = useMerchant();
let shop: string;
let count = 0;

beforeEach(async () => {
  app.sandbox.clearFaults();
  Object.assign(app.sandbox.storefront.files, { processingLooks: 1, isFailing: false });
  shop = await app.newStore({ scope: SCOPE });
});

const saved = async () => (await getTenant(app.ctx, shop)).saved;
const save = (page: Page) => page.getByRole("button", { name: "Save", exact: true }).click();
const open = (path: string) => app.open(path, { shop, ...WIDE });
const titleOf = (page: Page, name: string) =>
  page.getByRole("heading", { name, level: 1, exact: true }).waitFor();

test("every page is in the index, is no longer than 2,000 px, fits a phone and has no accessibility violations", async () => {
  const hosts = Array.from({ length: 50 }, (_, at) => `host-${count}-${at}.example.com`);
  await saveTenantConfig(app.ctx, shop, { public_hosts: hosts }, { by: "store" });
  const visit = await open("/app/settings");
  const { page } = visit;
  const listed = await page
    .locator("main a[href^='/app/'], #AppFrameMain a[href^='/app/']")
    .evaluateAll((links) => links.map((link) => link.getAttribute("href")));
  const paths = SETTINGS_PAGES.map(({ name }) => pathOfPage(name));
  expect(listed).toEqual(paths);
  // Their own tests look at these two.
  const forms = paths.filter((path) => !["/app/settings/connection", "/app/tags"].includes(path));
  const systems = INTEGRATIONS.map(({ name }) => pathOfIntegration(name));
  for (const path of ["/app/settings", ...forms, ...systems]) {
    await page.setViewportSize(WIDE.viewport);
    await page.goto(await adminUrl(app, shop, path));
    await waitForHydration(page);
    const height = await page.evaluate(() => document.body.scrollHeight);
    expect([path, height, height <= MAX_HEIGHT]).toEqual([path, height, true]);
    expect([path, await findA11yViolations(page)]).toEqual([path, []]);
    await page.setViewportSize({ width: 390, height: 844 });
    expect([path, await findOverflow(page), await findA11yViolations(page)]).toEqual([path, 0, []]);
  }
  await visit.leave();
  // Some twenty pages in two sizes.
}, 240_000);

test("a link to a part of the former single page opens the page where it is now", async () => {
  const visit = await open("/app/settings");
  await visit.page.evaluate(() => {
    location.hash = "#retention";
  });
  await titleOf(visit.page, "Privacy");
  expect(new URL(visit.page.url()).pathname).toBe("/app/settings/privacy");
});

test("an ERP is connected, tested and disconnected: its keys are removed, nothing new is sent, and what waits is named before", async () => {
  await saveTenantConfig(app.ctx, shop, { enabled_channels: ["cms"] }, { by: "operator" });
  const visit = await open("/app");
  const { page } = visit;
  await page.getByRole("link", { name: "Settings", exact: true }).press("Enter");
  await page.getByRole("link", { name: /^Integrations/ }).click();
  await page.getByRole("link", { name: /^ERP \(SAP\).*Not connected$/ }).click();
  await titleOf(page, "ERP (SAP)");
  const connect = page.getByRole("button", { name: "Connect", exact: true });
  expect(await connect.isDisabled()).toBe(true);
  await page.getByLabel("ERP address").fill(app.sandbox.addresses.erpBaseUrl);
  await page.getByLabel("ERP user").fill("retail");
  await page.getByLabel("ERP password", { exact: true }).fill("erp-password-0123456789");
  await connect.click();
  await page.getByText("Connected", { exact: true }).waitFor();
  expect(await saved()).toMatchObject({
    erp_password: "erp-password-0123456789",
    enabled_channels: ["cms", "erpsys", "erp_generic"],
  });

  const test = page.getByRole("button", { name: "Test: ERP" });
  await test.click();
  await page.getByText(/^It works \(\d+ ms\)\.$/).waitFor();
  app.sandbox.failNext("erp", { status: 401 }, 10);
  await test.click();
  await page.getByText("The test failed:").waitFor();
  await page.goto(await adminUrl(app, shop, ERP));
  await page.getByText("Needs attention", { exact: true }).waitFor();
  await page.getByText("The test failed:").waitFor();
  await page.locator("time").waitFor();

  await app.database.query(
    `INSERT INTO integration_queue (shop, event_id, channel, source, event_type, entity_type,
      entity_id, status, next_attempt_at)
      SELECT $1, 'e' || n, 'erpsys', 'backend', 't', 'order', '1', 'pending', now() + interval '1 day'
      FROM generate_series(1, 2) AS n`,
    [shop],
  );
  await page.goto(await adminUrl(app, shop, ERP));
  await page.getByRole("button", { name: "Disconnect" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("2 deliveries are waiting. They won't be sent").waitFor();
  await dialog.getByRole("button", { name: "Disconnect" }).click();
  await page.getByText("Not connected", { exact: true }).waitFor();
  expect(Object.keys(await saved()).filter((name) => name.startsWith("erp_"))).toEqual([]);
  expect((await saved()).enabled_channels).toEqual(["cms"]);
  expect(await page.getByText("The test failed:").count()).toBe(0);
});

test("of two people who change one setting the later is shown what was saved, keeps the input, and may replace it", async () => {
  const first = await open("/app/settings/brand");
  const second = await open("/app/settings/brand");
  await first.page.getByLabel("Brand name").fill("First");
  await second.page.getByLabel("Brand name").fill("Second");
  await second.page.getByLabel("Terms of use").fill("https://store.example/terms");
  await save(first.page);
  await first.page.getByText("Saved.", { exact: true }).waitFor();
  await save(second.page);
  await second.page.getByText("Someone else changed this while you were editing").waitFor();
  await second.page.getByText("Saved now: First.").waitFor();
  expect(await second.page.getByLabel("Brand name").inputValue()).toBe("Second");
  expect(await saved()).toMatchObject({ brand_name: "First" });
  expect(await saved()).not.toHaveProperty("terms_url");
  await save(second.page);
  await second.page.getByText("Saved.", { exact: true }).waitFor();
  expect(await saved()).toMatchObject({
    brand_name: "Second",
    terms_url: "https://store.example/terms",
  });
  await first.leave();
  await second.leave();
});

test("two clicks on Save at once are one save", async () => {
  const visit = await open("/app/settings/brand");
  const { page } = visit;
  const posts: string[] = [];
  page.on("request", (request) => request.method() === "POST" && posts.push(request.url()));
  await page.getByLabel("Brand name").fill("Kestrel");
  await page.getByRole("button", { name: "Save", exact: true }).evaluate((button: HTMLElement) => {
    button.click();
    button.click();
  });
  await page.getByText("Saved.", { exact: true }).waitFor();
  // The preview asks for itself while the merchant types.
  const saves = posts
    .map((url) => new URL(url).pathname)
    .filter((path) => path.startsWith("/app/settings/brand") && !path.includes("/preview"));
  expect(saves).toHaveLength(1);
  await page.getByLabel("Brand name").fill("Kestrel again");
  await save(page);
  await expect.poll(async () => (await saved()).brand_name).toBe("Kestrel again");
});

test("of two logos chosen one after the other the later one is uploaded, also when the first one takes longer to be read", async () => {
  const visit = await open("/app/settings/brand");
  const { page } = visit;
  await page.evaluate(() => {
    const read = window.createImageBitmap;
    const held = new Promise<void>((release) => void Object.assign(window, { release }));
    window.createImageBitmap = async (file: ImageBitmapSource) => {
      if ((file as File).name === "first.png") await held;
      return read(file);
    };
  });
  let uploads = 0;
  page.on("request", (request) => {
    if (request.url().includes("/app/settings/logo")) uploads += 1;
  });
  const choose = (name: string) =>
    page.getByLabel("Upload logo").setInputFiles({
      name: `${name}.png`,
      mimeType: "image/png",
      buffer: Buffer.concat([PIXEL, Buffer.from(name)]),
    });
  const button = page.getByRole("button", { name: "Upload logo" });
  await choose("first");
  await button.and(page.locator("[aria-busy=true]")).waitFor();
  await choose("second");
  const logo = page.getByRole("img", { name: "Your logo" });
  await logo.waitFor();
  await page.evaluate(() => (window as unknown as { release(): void }).release());
  await button.and(page.locator(":not([aria-busy=true])")).waitFor();
  const bytes = await (await fetch((await logo.getAttribute("src")) ?? "")).bytes();
  expect([uploads, Buffer.from(bytes).subarray(PIXEL.length).toString()]).toEqual([1, "second"]);
});

test("a logo becomes a file of the store and its address is saved; what is no image, damaged, too large or not processed is refused", async () => {
  const visit = await open("/app/settings/brand");
  const { page } = visit;
  const choose = (name: string, mimeType: string, buffer: Buffer) =>
    page.getByLabel("Upload logo").setInputFiles({ name, mimeType, buffer });
  const field = await page.getByLabel("Logo", { exact: true }).boundingBox();
  const button = await page.getByRole("button", { name: "Upload logo" }).boundingBox();
  expect([button?.x, (button?.y ?? 0) > (field?.y ?? 0)]).toEqual([field?.x, true]);
  const refusals: [text: string, name: string, content: Buffer][] = [
    ["This isn't a PNG or JPEG image", "logo.png", Buffer.from("<svg onload=alert(1)>")],
    ["This file is larger than 2 MB", "large.png", Buffer.alloc(2 * 1024 * 1024 + 1)],
    ["This isn't a PNG or JPEG image", "half.png", PIXEL.subarray(0, 40)],
  ];
  for (const [text, name, content] of refusals) {
    await choose(name, "image/png", content);
    await page.getByText(text).waitFor();
  }
  app.sandbox.failNext("storefront", {
    status: 301,
    headers: { location: app.url },
    match: "/staged-uploads",
  });
  await choose("logo.png", "image/png", PIXEL);
  await page.getByText("Shopify couldn't process this image").waitFor();
  app.sandbox.storefront.files.isFailing = true;
  await choose("logo.png", "image/png", PIXEL);
  await page.getByText("Shopify couldn't process this image").waitFor();
  app.sandbox.storefront.files.isFailing = false;

  await choose("logo.png", "image/png", PIXEL);
  await page.getByRole("img", { name: "Your logo" }).waitFor();
  await save(page);
  await page.getByText("Saved.", { exact: true }).waitFor();
  const address = String((await saved()).logo_url);
  expect(Buffer.from(await (await fetch(address)).arrayBuffer())).toEqual(PIXEL);
});

test("nothing on the brand page moves while its preview loads", async () => {
  const { page, close } = await app.browser.visit([app.url, app.sandbox.url], WIDE);
  await page.addInitScript(() => {
    const seen = { shift: 0 };
    Object.assign(window, { seen });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & { value: number })[])
        seen.shift += entry.value;
    }).observe({ type: "layout-shift", buffered: true });
  });
  await page.goto(await adminUrl(app, shop, "/app/settings/brand"));
  await page.locator("iframe").contentFrame().getByText("Choose a password").waitFor();
  await page.getByRole("heading", { name: "Contact and policies" }).waitFor();
  expect(
    await page.evaluate(() => (window as unknown as { seen: { shift: number } }).seen.shift),
  ).toBeLessThanOrEqual(0.01);
  await close();
});

test("a brand color is picked or typed, its editor shows it, and an empty one is none", async () => {
  const visit = await open("/app/settings/brand");
  const { page } = visit;
  const field = page.getByLabel("Brand color", { exact: true });
  const picker = page.getByLabel("Pick a color: Brand color");
  await picker.fill("#1f5f4a");
  expect(await field.inputValue()).toBe("#1f5f4a");
  await save(page);
  await page.getByText("Saved.", { exact: true }).waitFor();
  expect((await saved()).brand_color).toBe("#1f5f4a");

  await field.fill("#ABCDEF");
  expect(await picker.inputValue()).toBe("#abcdef");
  await field.fill("green");
  await save(page);
  await page.getByText("Enter # and six digits or letters from a to f: #1f5f4a.").waitFor();
  expect(await findA11yViolations(page)).toEqual([]);
  await field.fill("");
  await save(page);
  await expect.poll(async () => (await saved()).brand_color ?? null).toBeNull();
});

test("the preview shows what is typed before it is saved, in both schemes; a value that cannot be saved leaves the saved one", async () => {
  await saveTenantConfig(app.ctx, shop, { brand_color: "#1f5f4a" }, { by: "store" });
  const visit = await open("/app/settings/brand");
  const { page } = visit;
  const preview = page.frameLocator('iframe[title="Preview"]');
  const background = (selector: string) =>
    preview.locator(selector).evaluate((element) => getComputedStyle(element).backgroundColor);
  await preview.getByRole("button").waitFor();
  expect(await background("button")).toBe("rgb(31, 95, 74)");

  await page.getByLabel("Brand name", { exact: true }).fill("Tea & <b>Leaves</b>");
  await preview.getByText("Tea & <b>Leaves</b>").waitFor();
  await page.getByLabel("Brand color", { exact: true }).fill("#8a1c7c");
  await expect.poll(() => background("button")).toBe("rgb(138, 28, 124)");
  await page.getByLabel("Brand color", { exact: true }).fill("red;}*{display:none");
  await page.getByLabel("Corner radius (pixels)").fill("24");
  const radius = () =>
    preview.locator("button").evaluate((element) => getComputedStyle(element).borderRadius);
  await expect.poll(radius).toBe("24px");
  expect(await background("button")).toBe("rgb(31, 95, 74)");
  const light = await background(".card");
  await page.getByRole("button", { name: "Dark", exact: true }).click();
  await expect.poll(() => background(".card")).not.toBe(light);
  expect(await saved()).not.toHaveProperty("brand_name");

  await page.getByLabel("Brand color", { exact: true }).fill("");
  await save(page);
  await page.getByText("Saved.", { exact: true }).waitFor();
  expect(await saved()).toMatchObject({
    brand_name: "Tea & <b>Leaves</b>",
    brand_corner_radius: 24,
  });
  await preview.getByText("Tea & <b>Leaves</b>").waitFor();
  expect(await radius()).toBe("24px");
  expect(await findA11yViolations(page)).toEqual([]);
});

test("a store that did not allow access to its files is asked for it, and may enter an address", async () => {
  await app.connect(shop, { scope: "write_customers" });
  const visit = await open("/app/settings/brand");
  const { page } = visit;
  await page.getByText("To upload a logo, allow access to your store's files").waitFor();
  expect(await page.getByRole("button", { name: "Upload logo" }).isDisabled()).toBe(true);
  expect(
    await page.getByRole("link", { name: "Allow access to files" }).getAttribute("href"),
  ).toContain("/auth/install?shop=");
  await page.getByLabel("Logo", { exact: true }).fill("https://store.example/logo.png");
  await save(page);
  await page.getByText("Saved.", { exact: true }).waitFor();
  expect((await saved()).logo_url).toBe("https://store.example/logo.png");
  await visit.close();
});

test("mails go to the recipients that the store chose; a refused save leads to the field, and discarding or correcting it removes the error", async () => {
  const visit = await open("/app/settings/notifications");
  const { page } = visit;
  await page.getByLabel("Delivery alerts").fill("ops@store.example\nnot an address");
  await save(page);
  await page.getByText("Enter an email address.").waitFor();
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.getAttribute("name")))
    .toBe("alert_emails");
  await page.getByRole("button", { name: "Discard", exact: true }).click();
  await page.getByText("Enter an email address.").waitFor({ state: "hidden" });
  // So does the saved value, which leaves nothing to discard.
  await page.getByLabel("Delivery alerts").fill("not an address");
  await save(page);
  await page.getByText("Enter an email address.").waitFor();
  await page.getByLabel("Delivery alerts").fill("");
  await page.getByText("Enter an email address.").waitFor({ state: "hidden" });
  expect(await page.getByText("Nothing was saved.").count()).toBe(0);
  await page.getByLabel("Delivery alerts").fill("ops@store.example\ndesk@store.example");
  await save(page);
  await page.getByText("Saved.", { exact: true }).waitFor();
  expect((await saved()).alert_emails).toEqual(["ops@store.example", "desk@store.example"]);
});

test("every mail is previewed in the store's brand, in each language, light and dark, and a test goes to the typed address", async () => {
  await saveTenantConfig(
    app.ctx,
    shop,
    { brand_name: "Tea & <b>Leaves</b>", brand_color: "#1F5F4A" },
    { by: "store" },
  );
  const visit = await open("/app/settings/notifications");
  const { page } = visit;
  const mail = page.frameLocator('iframe[title="Preview"]');
  await page.getByText("Subject: Welcome to Tea & <b>Leaves</b>").waitFor();
  const button = mail.getByRole("link", { name: "Choose a password" });
  const colorOf = (place: typeof button) =>
    place.evaluate((element) => getComputedStyle(element).backgroundColor);
  expect(await colorOf(mail.locator("body"))).toBe("rgb(243, 244, 245)");
  expect(await colorOf(mail.locator(".button"))).toBe("rgb(31, 95, 74)");

  await page.getByLabel("Appearance").selectOption("dark");
  await mail.locator('meta[name="color-scheme"][content="dark"]').waitFor({ state: "attached" });
  expect(await colorOf(mail.locator("body"))).toBe("rgb(17, 18, 19)");
  expect(await colorOf(mail.locator(".button"))).toBe("rgb(31, 95, 74)");

  await page.getByLabel("Email", { exact: true }).selectOption("dead_letter");
  await page.getByLabel("Language").selectOption("fr");
  await page.getByText("Subject: Des envois vers Système de contenu (CMS)").waitFor();
  await mail.getByText("Tentatives effectuées : 7.").waitFor();

  await page.getByLabel("Your email address").fill("nobody");
  await page.getByRole("button", { name: "Send test" }).click();
  await page.getByText("Enter an email address.").waitFor();
  const to = `desk@${shop}`;
  await page.getByLabel("Your email address").fill(to);
  await page.getByRole("button", { name: "Send test" }).click();
  await page.getByText(`Test sent to ${to}.`).waitFor();
  expect(app.sandbox.email.mailsTo(to).map(({ subject }) => subject)).toEqual([
    "[Test] Des envois vers Système de contenu (CMS) ont échoué pour Tea & <b>Leaves</b>",
  ]);
  expect(await findA11yViolations(page)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await findOverflow(page)).toBe(0);
});
