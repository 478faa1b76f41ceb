// `npm run docs:listing`: takes the pictures of the App Store listing, 1600 x 900 pixels each, from a
// service running with its sandbox and an empty database; with names as arguments only those, from a
// store that is filled already.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { openBrowser, waitForHydration } from "../tests/support/browser/browser.ts";
import { playListing } from "./listing-scene.ts";

const root = join(import.meta.dirname, "..");
const service = process.env.BASE_URL ?? "http://127.0.0.1:3000";
const sandbox = process.env.SANDBOX_URL ?? "http://127.0.0.1:4010";
const shop = "demo-store.myshopify.com";
const secrets = JSON.parse(
  readFileSync(resolve(root, process.env.DATA_DIR ?? ".data", "secrets.json"), "utf8"),
) as Record<string, string>;
const wanted = process.argv.slice(2);

if (wanted.length === 0)
  await playListing({ service, sandbox, shop, adminKey: secrets.ADMIN_KEY ?? "" });

/** The app without the admin around it (`?frame`): its title bar is shown, its menu is not. */
const ADMIN_LOOK = `
  ui-nav-menu, .sandbox-toast { display: none !important; }
  body { background: #f1f1f1; min-height: 3000px; }
  ui-title-bar { position: sticky; top: 0; z-index: 400; background: #f1f1f1; border: 0;
    padding: 18px 24px 6px; font-family: Inter, sans-serif; }
  ui-title-bar::before { font-size: 20px; font-weight: 700; color: #303030; }
  ui-title-bar section { display: contents; }
  ui-title-bar button { font: 550 12px Inter, sans-serif; padding: 6px 12px; border: 0;
    border-radius: 8px; background: #e3e3e3; color: #303030; }
  ui-title-bar button[variant="primary"] { background: #303030; color: #fff; }
  ui-title-bar button[variant="breadcrumb"] { order: -1; }
`;
const STORE_LOOK = `
  .demo-bar, aside, [aria-label="Language"] { display: none !important; }
  body { background: #fff; }
`;

const browser = await openBrowser();
const { page, close } = await browser.visit([service, sandbox], {
  viewport: { width: 1_280, height: 720 },
  deviceScaleFactor: 1.25,
});

const menu = (name: string) => page.getByRole("link", { name, exact: true }).first();
const settle = async () => {
  await page.waitForLoadState("networkidle");
  await page.addStyleTag({ content: ADMIN_LOOK });
};
async function openApp(): Promise<void> {
  await page.goto(`${sandbox}/storefront/${shop}/admin/apps/${secrets.PLATFORM_CLIENT_ID}?frame`, {
    waitUntil: "networkidle",
  });
  await waitForHydration(page);
}
async function openScreen(name: string): Promise<void> {
  await openApp();
  await menu(name).click();
  await page.getByRole("heading", { name, exact: true, level: 1 }).waitFor();
  await settle();
}
/** Scrolls a card to below the title bar, and waits until it is painted there. */
const scrollTo = (heading: string) =>
  page.evaluate(async (text) => {
    const found = [...document.querySelectorAll("h2")].find((one) => one.textContent === text);
    const card = found?.closest(".Polaris-ShadowBevel") ?? found;
    if (!card) throw new Error(`there is no card ${text}`);
    window.scrollTo(0, card.getBoundingClientRect().top + window.scrollY - 56);
    for (let frame = 0; frame < 30; frame += 1)
      await new Promise((painted) => requestAnimationFrame(painted));
  }, heading);

const PICTURES: Record<string, () => Promise<void>> = {
  async "1-home"() {
    await openApp();
    await settle();
    await page.getByText("Failed deliveries").waitFor();
  },
  async "2-customer"() {
    await openScreen("Customers");
    await page.getByRole("link", { name: "Maya Lindqvist" }).first().click();
    await page.getByRole("heading", { name: "Maya Lindqvist", level: 1 }).waitFor();
    await settle();
  },
  async "3-consent"() {
    await openScreen("Consent");
    await page.getByRole("button", { name: "Verify log" }).click();
    await page.getByText("are complete and unchanged").waitFor();
    await settle();
    await scrollTo("Log integrity");
  },
  async "4-events"() {
    await openScreen("Events");
  },
  async "5-banner"() {
    await page.goto(`${sandbox}/store/${shop}`, { waitUntil: "networkidle" });
    await page.addStyleTag({ content: STORE_LOOK });
  },
  async "6-privacy"() {
    await openScreen("Privacy requests");
    for (let tries = 0; tries < 20 && (await page.getByText("In progress").count()) > 0; tries += 1)
      await openScreen("Privacy requests");
  },
};

for (const [name, take] of Object.entries(PICTURES)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  await take();
  await page.screenshot({ path: join(root, "docs/listing", `${name}.png`) });
  process.stdout.write(`docs/listing/${name}.png\n`);
}
await close();
await browser.close();
// The browser itself ends with the process.
process.exit();
