// The merchant's list of cookies by clicks: add, change, hide, undo; and the weekly check's switch.
import { beforeAll, beforeEach, expect, test } from "vitest";
import { findOverflow } from "../../../support/browser/accessibility.ts";
import { expectHealthyPage, useMerchant } from "../../../support/browser/merchant.ts";
import { askAs } from "../../../support/browser/screens-server.ts";
import { OTHER_SHOP, SHOP } from "../../../support/service.ts";

const PATH = "/app/consent/cookies";
const app = useMerchant();
beforeAll(async () => {
  for (const shop of [SHOP, OTHER_SHOP]) {
    await app.connect(shop, { withSystems: true });
    app.sandbox.storefront.furnish(shop);
  }
});
beforeEach(async () => {
  await app.database.query("DELETE FROM cookie_entries", []);
  await app.database.query("DELETE FROM kv WHERE key LIKE '%storefront_%'", []);
});

const shoppers = async () => (await fetch(`${app.url}/embed/cookies?shop=${SHOP}`)).text();
const found = (vendors: string[]) =>
  app.database.query("INSERT INTO kv (shop, key, value) VALUES ($1, 'storefront_check', $2)", [
    SHOP,
    JSON.stringify({
      at: "2026-11-20T10:00:00.000Z",
      pages: [],
      scripts: vendors.map((vendor) => ({ vendor, state: "waits" })),
      counts: {},
      hasEmbed: true,
    }),
  ]);

test("a merchant adds, changes, hides and undoes, and shoppers read it", async () => {
  await found(["Meta", "Criteo"]);
  const visit = await app.open("/app/consent", { shop: SHOP });
  const { page } = visit;
  await page.getByRole("link", { name: "Cookie list", exact: true }).click();
  await page.getByText("_fbp", { exact: true }).waitFor();
  await page.getByText("under the same provider: Criteo.", { exact: false }).waitFor();
  await expectHealthyPage(visit);

  await page.getByRole("button", { name: "Add cookie" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("cto_bundle");
  await dialog.getByLabel("Provider").fill("Criteo");
  await dialog.getByLabel("What for").fill("<b>Shows</b> advertisements.");
  await dialog.getByLabel("Duration").fill("13 months");
  await expectHealthyPage(visit);
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText("<b>Shows</b> advertisements.").waitFor();
  await page.getByText("Added by you").waitFor();
  await page.getByText("under the same provider").waitFor({ state: "detached" });
  await expect.poll(shoppers).toContain("cto_bundle");

  await page.getByRole("button", { name: "Edit: _fbp" }).click();
  await expect.poll(() => dialog.getByLabel("Name").isDisabled()).toBe(true);
  await dialog.getByLabel("What for").fill("Our own words.");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText("Changed by you").waitFor();
  await page.getByRole("button", { name: "Hide: _fbc" }).click();
  await page.getByRole("button", { name: "Show: _fbc" }).waitFor();
  const text = await shoppers();
  expect([text.includes("Our own words."), text.includes("_fbc")]).toEqual([true, false]);
  await expectHealthyPage(visit);

  await page.getByRole("button", { name: "Undo change: _fbp" }).click();
  await dialog.getByRole("button", { name: "Undo change" }).click();
  await page.getByText("Changed by you").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Delete: cto_bundle" }).click();
  await dialog.getByRole("button", { name: "Delete" }).click();
  await page.getByText("cto_bundle").waitFor({ state: "detached" });
  expect(await shoppers()).not.toContain("Our own words.");
  await visit.close();
});

test("a second row with the same name is refused beside its field", async () => {
  await app.database.query(
    `INSERT INTO cookie_entries (shop, provider, name, purpose, use, duration)
      VALUES ($1, '', 'mine', 'marketing', 'u', 'd')`,
    [SHOP],
  );
  const visit = await app.open(PATH, { shop: SHOP });
  const { page } = visit;
  await page.getByRole("button", { name: "Add cookie" }).click();
  const dialog = page.getByRole("dialog");
  for (const [label, value] of [
    ["Name", "mine"],
    ["What for", "x"],
    ["Duration", "y"],
  ] as const)
    await dialog.getByLabel(label).fill(value);
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByText("You already have a row with this name and provider.").waitFor();
  await visit.close();
});

test("only the store's own staff see its list", async () => {
  await app.database.query(
    `INSERT INTO cookie_entries (shop, provider, name, purpose, use, duration)
      VALUES ($1, '', 'of_one_store', 'marketing', 'u', 'd')`,
    [SHOP],
  );
  expect((await askAs(app, OTHER_SHOP, PATH)).text).not.toContain("of_one_store");
  expect((await fetch(`${app.url}${PATH}`, { redirect: "manual" })).status).not.toBe(200);
});

test.each([
  ["es", "Lo que leen los compradores", "Recuerda lo que hay en tu carrito."],
  ["fr", "Ce que lisent les acheteurs", "Retient le contenu de votre panier."],
])("speaks %s, and fits a phone", async (locale, heading, use) => {
  const visit = await app.open(PATH, {
    shop: SHOP,
    locale,
    viewport: { width: 390, height: 800 },
  });
  const { page } = visit;
  await page.getByRole("heading", { name: heading }).waitFor();
  await page.getByText(use).first().waitFor();
  expect(await findOverflow(page)).toBe(0);
  await expectHealthyPage(visit);
});

test("the storefront check says when it repeats itself, and has one switch for it", async () => {
  const visit = await app.open("/app/consent/storefront", { shop: SHOP });
  const { page } = visit;
  const card = page.getByRole("main");
  await card.getByText("None yet").waitFor();
  await card.getByRole("button", { name: "Turn on weekly check" }).click();
  await card.getByText("Within 15 minutes").waitFor();
  await expectHealthyPage(visit);
  await card.getByRole("button", { name: "Turn off weekly check" }).click();
  await card.getByRole("button", { name: "Turn on weekly check" }).waitFor();
  await app.database.query("DELETE FROM kv WHERE key = 'storefront_switch'", []);
  await card.getByRole("button", { name: "Check storefront" }).click();
  await card.getByRole("button", { name: "Turn off weekly check" }).waitFor();
  expect(await card.getByText("Within 15 minutes").count()).toBe(0);
  await visit.close();
});
