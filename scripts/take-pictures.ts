// `npm run docs:pictures`: takes the README's screenshots from a service running with its sandbox (`npm
// start`); with names as arguments only those.
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { openBrowser } from "../tests/support/browser/browser.ts";
import { joinFrames, type Frame } from "./animated-picture.ts";
import { playScene } from "./picture-scene.ts";

/** The app's own menu: the store admin around it is not in these pictures. */
const WITHOUT_MENU = "ui-nav-menu { display: none !important; }";
/** The change takes about a second; each picture some 100 ms. */
const MAX_MOVING_FRAMES = 20;
/** The demo store has several; their full addresses change with its history. */
const CUSTOMER = "emma";
const root = join(import.meta.dirname, "..");
const service = process.env.BASE_URL ?? "http://127.0.0.1:3000";
const sandbox = process.env.SANDBOX_URL ?? "http://127.0.0.1:4010";
const shop = "demo-store.myshopify.com";
const secrets = JSON.parse(
  readFileSync(resolve(root, process.env.DATA_DIR ?? ".data", "secrets.json"), "utf8"),
) as Record<string, string>;

await fetch(`${sandbox}/_control/customers`, {
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify({
    shop,
    first_name: "Ada",
    last_name: "Lovelace",
    email: `ada-${process.pid}@example.com`,
    tags: ["vip"],
  }),
});
await playScene({ service, sandbox, shop, adminKey: secrets.ADMIN_KEY ?? "" });
const browser = await openBrowser();
const { page, close } = await browser.visit([service, sandbox]);
const pictures = [
  ["app-home", `${sandbox}/storefront/${shop}/admin/apps/${secrets.PLATFORM_CLIENT_ID}`],
  ["onboarding", `${service}/onboarding?shop=${shop}&key=${secrets.ADMIN_KEY}`],
  ["settings", `${service}/settings?shop=${shop}&key=${secrets.ADMIN_KEY}`],
  ["demo-store", `${sandbox}/store/${shop}`],
  ["shopper-dashboard", `${service}/embed/dashboard?shop=${shop}`],
] as const;
const wanted = process.argv.slice(2);
for (const [name, url] of pictures.filter(
  ([picture]) => wanted.length === 0 || wanted.includes(picture),
)) {
  if (name === "shopper-dashboard") await signUpShopper();
  await page.goto(url, { waitUntil: "networkidle" });
  await page.screenshot({ path: join(root, "docs/pictures", `${name}.png`) });
  process.stdout.write(`docs/pictures/${name}.png\n`);
}
// The app's screens from its own menu, in full height and without the admin around them.
const screens = [
  ["app-customers", "Customers", 620],
  ["app-segments", "Segments", 520],
  ["app-consent", "Consent", 1_250],
  ["app-events", "Events", 1_150],
  ["app-agents", "Agents", 780],
] as const;
await page.setViewportSize({ width: 1_100, height: 620 });
await page.goto(`${pictures[0][1]}?frame`, { waitUntil: "networkidle" });
for (const [name, link, height] of screens.filter(
  ([picture]) => wanted.length === 0 || wanted.includes(picture),
)) {
  await page.locator("ui-nav-menu").getByRole("link", { name: link, exact: true }).click();
  await page.getByRole("heading", { name: link, exact: true, level: 1 }).first().waitFor();
  await page.waitForLoadState("networkidle");
  await page.screenshot({
    path: join(root, "docs/pictures", `${name}.png`),
    clip: { x: 0, y: 0, width: 1_100, height },
    fullPage: true,
    style: WITHOUT_MENU,
  });
  process.stdout.write(`docs/pictures/${name}.png\n`);
}
// The tabs of Consent and Agents.
const tabs = [
  ["app-banner", "Consent", "Banner", 1_150],
  ["app-insights", "Consent", "Insights", 1_150],
  ["app-agent-activity", "Agents", "Activity", 1_150],
  ["app-storefront-check", "Consent", "Storefront check", 1_250],
  ["app-cookie-list", "Consent", "Cookie list", 1_150],
] as const;
for (const [name, screen, tab, height] of tabs.filter(
  ([picture]) => wanted.length === 0 || wanted.includes(picture),
)) {
  await page.locator("ui-nav-menu").getByRole("link", { name: screen, exact: true }).click();
  await page.getByRole("link", { name: tab, exact: true }).click();
  await page.getByRole("heading", { name: tab, exact: true, level: 1 }).first().waitFor();
  if (name === "app-storefront-check") {
    await page.getByRole("button", { name: "Check storefront" }).first().click();
    await page.getByText("Reading your storefront").waitFor();
    await page.getByText("Reading your storefront").waitFor({ state: "hidden" });
    await page.getByRole("heading", { name: "Loads before consent" }).waitFor();
    await page.getByText("Show the marked version").first().click();
  }
  await page.waitForLoadState("networkidle");
  await page.screenshot({
    path: join(root, "docs/pictures", `${name}.png`),
    clip: { x: 0, y: 0, width: 1_100, height },
    fullPage: true,
    style: WITHOUT_MENU,
  });
  process.stdout.write(`docs/pictures/${name}.png\n`);
}
// The brand, with colors that are being chosen. A frame is painted in the window only.
if (wanted.length === 0 || wanted.includes("app-brand")) {
  await page.setViewportSize({ width: 1_100, height: 1_250 });
  await page.locator("ui-nav-menu").getByRole("link", { name: "Settings", exact: true }).click();
  await page
    .getByRole("link", { name: /^Brand/ })
    .first()
    .click();
  await page.getByLabel("Brand color", { exact: true }).fill("#1f5f4a");
  await page.getByLabel("Background color", { exact: true }).fill("#f4ecd8");
  await page.locator('iframe[title="Preview"][srcdoc*="f4ecd8"]').waitFor();
  await page.waitForLoadState("networkidle");
  await page.screenshot({
    path: join(root, "docs/pictures/app-brand.png"),
    style: WITHOUT_MENU,
  });
  await page.setViewportSize({ width: 1_100, height: 620 });
  await page.getByRole("button", { name: "Discard", exact: true }).click();
  process.stdout.write("docs/pictures/app-brand.png\n");
}
// What shoppers read of it, after the check of the storefront.
if (wanted.length === 0 || wanted.includes("cookie-list")) {
  const { page: shopper, close: leave } = await browser.visit([service, sandbox]);
  await shopper.setViewportSize({ width: 760, height: 1_180 });
  await shopper.goto(`${service}/embed/cookies?shop=${shop}`, { waitUntil: "networkidle" });
  await shopper.screenshot({ path: join(root, "docs/pictures/cookie-list.png") });
  process.stdout.write("docs/pictures/cookie-list.png\n");
  await leave();
}
// One customer, opened from the list.
if (wanted.length === 0 || wanted.includes("app-customer")) {
  await page.getByRole("link", { name: "Customers", exact: true }).click();
  await page.getByRole("link", { name: "Ada Lovelace", exact: true }).first().click();
  await page.getByRole("heading", { name: "Ada Lovelace", exact: true }).waitFor();
  await page.waitForLoadState("networkidle");
  await page.screenshot({
    path: join(root, "docs/pictures/app-customer.png"),
    clip: { x: 0, y: 0, width: 1_100, height: 1_100 },
    fullPage: true,
    style: WITHOUT_MENU,
  });
  process.stdout.write("docs/pictures/app-customer.png\n");
}
// The app's extensions in the store's own pages, for a customer of the demo store who has used everything.
const customers = `${sandbox}/storefront/${shop}/admin/customers`;
const accounts = `${sandbox}/accounts/${shop}`;
const extensions = [
  ["admin-customer", (id: string) => `${customers}/${id}`, 1_120],
  ["customer-account", (id: string) => `${accounts}/pages/customer-account?customer=${id}`, 1_120],
] as const;
for (const [name, addressOf, height] of extensions.filter(
  ([picture]) => wanted.length === 0 || wanted.includes(picture),
)) {
  await page.setViewportSize({ width: 1_100, height });
  await page.goto(`${customers}?query=${encodeURIComponent(CUSTOMER)}`);
  const link = page.locator(`a[href*="/admin/customers/9"]`).first();
  await page.goto(addressOf((await link.getAttribute("href"))?.split("/").at(-1) ?? ""));
  await page.locator(".ui-extension[data-state=rendered]").waitFor();
  await page.waitForLoadState("networkidle");
  await page.screenshot({ path: join(root, "docs/pictures", `${name}.png`) });
  process.stdout.write(`docs/pictures/${name}.png\n`);
}
if (wanted.length === 0 || wanted.includes("console")) {
  writeFileSync(join(root, "docs/pictures/console.png"), await recordConsole());
  process.stdout.write("docs/pictures/console.png\n");
}
if (wanted.length === 0 || wanted.includes("playground")) {
  await page.setViewportSize({ width: 1_280, height: 1_000 });
  await page.goto(`${sandbox}/playground`);
  await page.getByRole("button", { name: "Run all" }).click();
  await page.locator('.steps li:last-child[data-state="done"]').waitFor();
  await page.locator("#merchant").getByText("invalid_token").first().waitFor();
  await page.screenshot({ path: join(root, "docs/pictures/playground.png") });
  process.stdout.write("docs/pictures/playground.png\n");
}
await close();
await browser.close();
// The browser itself ends with the process.
process.exit();

/** The demo console while a change travels. Its stream never lets the network be idle. */
async function recordConsole(): Promise<Buffer> {
  const frames: Frame[] = [];
  const take = async (ms: number) => void frames.push({ png: await page.screenshot(), ms });
  await page.setViewportSize({ width: 1_120, height: 700 });
  await page.goto(`${sandbox}/`);
  await page.locator("#service-state", { hasNotText: "Connecting" }).waitFor();
  await take(1_500);
  const verdict = page.locator(".verdict", { hasText: "systems have it" });
  await page.getByRole("button", { name: "Ada changes her name" }).click();
  await verdict.waitFor({ state: "hidden" });
  for (let number = 0; number < MAX_MOVING_FRAMES && !(await verdict.isVisible()); number += 1)
    await take(400);
  await page.locator('[data-node="profilePlatform"] .good').waitFor();
  await take(4_000);
  return joinFrames(frames);
}

/** On the service's own host, so that the browser keeps the cookie. */
async function signUpShopper(): Promise<void> {
  await page.setViewportSize({ width: 760, height: 1_180 });
  await page.goto(`${service}/embed/account.js`);
  const body = {
    email: `grace-${process.pid}@example.com`,
    password: "correct horse battery",
    first_name: "Grace",
    last_name: "Hopper",
    consent_tos: true,
    consent_privacy: true,
    consent_cookie: true,
  };
  await page.evaluate(
    ([path, fields]) =>
      fetch(path as string, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(fields),
      }),
    [`/auth/signup?shop=${shop}`, body] as const,
  );
}
