// The screen of the region rules, by clicks: from the platform's rules to own ones that the platform has.
import { beforeAll, expect, test } from "vitest";
import { saveTenantConfig } from "../../../app/domain/tenants/settings/configuration.ts";
import { REGION_PRESETS } from "../../../app/domain/tenants/consent-regions.ts";
import { getTenant } from "../../../app/domain/tenants/tenant.ts";
import { findA11yViolations, findOverflow } from "../../support/browser/accessibility.ts";
import { useMerchant } from "../../support/browser/merchant.ts";
import { eventually } from "../../support/service.ts";

const SHOP = "regions-store.myshopify.com";
const PATH = "/app/settings/regions";
const app = useMerchant();

beforeAll(async () => {
  await app.connect(SHOP, { scope: "write_customers" });
});

const rules = async () => (await getTenant(app.ctx, SHOP)).config.consent_regions;

const DESKTOP = { viewport: { width: 1_280, height: 900 } };

test("own rules are chosen and saved, also twice without a reload", async () => {
  const visit = await app.open(PATH, { shop: SHOP, ...DESKTOP });
  const { page } = visit;
  await page.getByText("allow the app to manage privacy settings").waitFor();
  const saveBar = page.getByRole("button", { name: "Save", exact: true });
  await page.getByLabel("Start from").selectOption("recommended");
  await saveBar.click();
  await eventually("the rules", async () => (await rules())?.us_states === "opt_out");
  await saveBar.waitFor({ state: "hidden" });
  await page.getByLabel("Start from").selectOption("strict");
  await saveBar.click();
  await eventually("the next rules", async () => (await rules())?.us_states === "opt_in");
  await saveBar.waitFor({ state: "hidden" });
});

test("with the store's permission own rules replace the platform's banner, and an exception for a region is added", async () => {
  await app.sandbox.storefront.grantScopes(SHOP, ["write_privacy_settings"]);
  const visit = await app.open(PATH, { shop: SHOP, ...DESKTOP });
  const { page } = visit;
  await page.getByRole("button", { name: "Turn off Shopify's banner" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Turn off Shopify's banner" }).click();
  await page.getByText("In sync").waitFor();
  await page.getByLabel("Region code").fill("jp");
  await page.getByRole("button", { name: "Add exception" }).click();
  await page.getByText("Japan: Ask first (opt-in)").waitFor();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await eventually("the exception", async () => (await rules())?.exceptions[0]?.region === "JP");
  expect([await findA11yViolations(page), visit.errors]).toEqual([[], []]);
  await visit.close();
});

test("shows in words what the platform's own rules say, where the store has none", async () => {
  await saveTenantConfig(app.ctx, SHOP, { consent_regions: null }, { by: "store" });
  const visit = await app.open(PATH, { shop: SHOP, viewport: { width: 390, height: 844 } });
  const { page } = visit;
  const rule = page
    .locator("dl > div", { hasText: "European Economic Area" })
    .getByRole("definition");
  await rule.waitFor();
  expect(await rule.innerText()).toBe("Ask first (opt-in)");
  expect(await page.locator("dl").innerText()).not.toMatch(/opt_|undefined|[{}]/);
  expect([await findOverflow(page), await findA11yViolations(page)]).toEqual([0, []]);
  await visit.close();
});

test("a platform that is too slow leaves the rest of the screen usable, and says so in its own card", async () => {
  app.sandbox.failNext("storefront", { delayMs: 9_000, match: "graphql" }, 1);
  const visit = await app.open(PATH, { shop: SHOP, ...DESKTOP });
  const { page } = visit;
  await page.getByText("Shopify didn't respond. Reload the page to try again.").waitFor();
  expect(await page.getByLabel("Start from").isEnabled()).toBe(true);
});

test("the card of a store that Shopify closed says so", async () => {
  const shop = await app.newStore();
  const { storefront } = app.sandbox;
  storefront.closeStore(shop, "frozen");
  const { page } = await app.open(PATH, { shop, ...DESKTOP });
  await page.getByText("Shopify has closed your store to apps (HTTP 402).").waitFor();
  expect(await page.getByText("didn't respond").count()).toBe(0);
});

test("fits a phone, has no accessibility violations there, and tells who saves over somebody else's rules", async () => {
  const visit = await app.open(PATH, { shop: SHOP, viewport: { width: 390, height: 844 } });
  const { page } = visit;
  await page.getByLabel("Start from").selectOption("strict");
  expect([await findOverflow(page), await findA11yViolations(page)]).toEqual([0, []]);
  const theirs = { ...REGION_PRESETS.europe, exceptions: [] };
  await saveTenantConfig(app.ctx, SHOP, { consent_regions: theirs }, { by: "store" });
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Someone else changed this while you were editing").waitFor();
  expect(await rules()).toEqual(theirs);
  await visit.close();
});

test("a store without own rules that turns off the platform's banner does not read that rules were sent", async () => {
  const shop = await app.newStore({ scope: "write_customers,write_privacy_settings" });
  const { page } = await app.open(PATH, { shop, ...DESKTOP });
  await page.getByRole("button", { name: "Turn off Shopify's banner" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Turn off Shopify's banner" }).click();
  await page.getByText("Shopify's cookie banner is off").waitFor();
  expect(await page.getByText("Rules sent to Shopify").count()).toBe(0);
});
