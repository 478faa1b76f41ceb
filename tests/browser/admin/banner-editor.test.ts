// The banner's editor and its insights by clicks: from a template to the published banner on the store's own
// page, and from a shopper's answer to the merchant's number.
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { writeLoaderMetafield } from "../../../app/domain/tenants/storefront/loader-metafield.ts";
import {
  loaderRequests,
  startLoaderWorker,
} from "../../../app/domain/tenants/storefront/loader-worker.ts";
import { dataOf, getTenant } from "../../../app/domain/tenants/tenant.ts";
import { putKey } from "../../../app/runtime/database/kv.ts";
import { KEYS } from "../../../app/runtime/database/kv-keys.ts";
import { expectHealthyPage, useMerchant } from "../../support/browser/merchant.ts";
import { adminUrl } from "../../support/browser/screens-server.ts";
import { eventually, SHOP } from "../../support/service.ts";

const app = useMerchant();
beforeAll(async () => {
  await app.connect(SHOP, {
    withSystems: true,
    fields: { privacy_url: "https://kestrel.example/privacy" },
  });
  app.sandbox.storefront.furnish(SHOP);
});

const storePage = () => `${app.sandbox.url}/store/${SHOP}`;

/** Writes the values of the theme's pages, as the background work does. */
async function writeMetafields(text: string): Promise<void> {
  const worker = await startLoaderWorker(app.ctx, { retryMs: 50 });
  await eventually("the theme's values", async () =>
    app.sandbox.storefront
      .appMetafields(SHOP)
      .some(({ key, value }) => key === "footer" && value.includes(text)),
  );
  await worker.stop();
}

const pressSave = (page: Page) =>
  page.locator("ui-save-bar[data-open]").getByRole("button", { name: "Save", exact: true }).click();
const save = async (page: Page) => {
  await pressSave(page);
  await page.locator("ui-save-bar[data-open]").waitFor({ state: "detached" });
  await page.getByText("Draft saved").first().waitFor();
};
/** The response to the step after `shown`. */
const answerCounted = (page: Page) =>
  page.waitForResponse(
    (response) =>
      response.url().includes("/embed/banner-events") &&
      !(response.request().postData() ?? "").includes("shown"),
  );
const previews = (page: Page) => page.locator("iframe[sandbox]");

test("a merchant designs a banner, is shown when its preview stands still, publishes it, and shoppers see it without a call to the service; an earlier version returns with one press", async () => {
  const visit = await app.open("/app/consent/banner", { shop: SHOP });
  const { page } = visit;
  await page.getByText("Shoppers don't see the banner yet").waitFor();
  expect(await page.getByText("Draft is published").count()).toBe(0);
  expect(
    await page.getByRole("link", { name: "Open the theme editor" }).getAttribute("href"),
  ).toContain("activateAppId=");
  await putKey(dataOf(app.ctx, await getTenant(app.ctx, SHOP)).sql, KEYS.themeEmbed, {
    by: "merchant",
    at: new Date().toISOString(),
  });
  await page.reload();
  await page.getByText("Shoppers see the standard banner").waitFor();
  await page.getByText("Nothing has been published yet.").waitFor();
  const draft = previews(page).first().contentFrame();
  await draft.locator(".crm-banner").getByText("Reject all").waitFor();

  // The first version is the standard one.
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  await page.getByText("Shoppers see version 1").waitFor();

  await page.getByText("Corner", { exact: true }).click();
  await page.getByLabel("Position").selectOption("right");
  await page.getByLabel("Buttons (Light)", { exact: true }).fill("#999999");
  await page.getByText("Text on buttons 2.84:1, needs 4.5:1").waitFor();
  const frozen = page.getByText("The current draft isn't shown");
  await frozen.waitFor();
  expect(await page.getByText("Draft is published").count()).toBe(0);
  await page.getByLabel("Buttons (Light)", { exact: true }).fill(" #0b57d0 ");
  await page.getByText(/^Text on buttons 6\.\d+:1$/).waitFor();
  await frozen.waitFor({ state: "detached" });
  await page.getByLabel("Language").selectOption("de");
  await page.getByLabel("Title", { exact: true }).fill("Keine Kekse ohne Sie");
  await draft.getByText("Keine Kekse ohne Sie").waitFor();
  const published = previews(page).nth(1).contentFrame();
  await published.getByText("Ihre Privatsphäre").waitFor();
  await expectHealthyPage(visit);
  await save(page);
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  await page.getByText("Shoppers see version 2").waitFor();
  await page.getByText("Version 2", { exact: true }).waitFor();
  expect(
    await app.database.query(
      "SELECT version, published_by IS NOT NULL AS is_named FROM banner_versions WHERE shop = $1 ORDER BY 1",
      [SHOP],
    ),
  ).toEqual([
    { version: 1, is_named: true },
    { version: 2, is_named: true },
  ]);
  await writeMetafields("Keine Kekse");

  const store = await app.browser.visit([app.sandbox.url]);
  const asked: string[] = [];
  store.page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await store.page.goto(storePage());
  const banner = store.page.locator(".crm-banner");
  await banner.waitFor();
  expect(asked.filter((path) => path.endsWith("/embed/footer"))).toEqual([]);
  expect(await banner.getAttribute("class")).toContain("crm-corner crm-right");
  const [refuse, accept] = await Promise.all(
    ["Reject all", "Accept all"].map((name) =>
      banner.getByRole("button", { name }).evaluate((button) => {
        const { width, height } = button.getBoundingClientRect();
        const { backgroundColor, color, fontSize } = getComputedStyle(button);
        return { width, height, backgroundColor, color, fontSize };
      }),
    ),
  );
  expect(refuse).toEqual(accept);
  expect(accept?.backgroundColor).toBe("rgb(11, 87, 208)");
  expect(store.errors).toEqual([]);
  await store.close();

  await page.getByRole("button", { name: "Publish again: version 1" }).click();
  await page.getByText("Shoppers see version 3").waitFor();
  await page.getByText("From version 1").waitFor();
  await expectHealthyPage(visit);
  await visit.close();
  await writeMetafields('data-banner=\\"3\\"');
});

test("two merchants edit at once: the later save of one setting is rejected and keeps its input, other settings keep both", async () => {
  const [one, other] = await Promise.all(
    [1, 2].map(() => app.open("/app/consent/banner", { shop: SHOP })),
  );
  if (!one || !other) throw new Error("no page");
  await one.page.getByLabel("Font").selectOption("serif");
  await save(one.page);
  await other.page.getByLabel("Font").selectOption("rounded");
  await pressSave(other.page);
  await other.page.getByText("Someone else changed this banner").waitFor();
  await other.page.getByText("They changed: Font.").waitFor();
  expect(await other.page.getByLabel("Font").inputValue()).toBe("rounded");
  await expectHealthyPage(other);
  await save(other.page);
  await one.page.getByText("Minimal", { exact: true }).click();
  await save(one.page);
  const [row] = await app.database.query<{ design: Record<string, unknown> }>(
    "SELECT design FROM banner_drafts WHERE shop = $1",
    [SHOP],
  );
  expect([row?.design.font, row?.design.template]).toEqual(["rounded", "minimal"]);
  await one.close();
  await other.close();
});

test("the insights show what shoppers did: by region, device, language and version, as a chart, a table and a file", async () => {
  await app.database.query("DELETE FROM banner_days WHERE shop = $1", [SHOP]);
  const answer = async (act: (page: Page) => Promise<unknown>, phone = false) => {
    const { page, close } = await app.browser.visit([app.sandbox.url], {
      viewport: phone ? { width: 390, height: 800 } : { width: 1_200, height: 800 },
    });
    await page.addInitScript("window.Shopify = { country: 'DE' }");
    await page.goto(storePage());
    await page.locator(".crm-banner").waitFor();
    await act(page);
    await close();
  };
  const press = (name: string) => async (page: Page) => {
    const counted = answerCounted(page);
    await page.locator(".crm-banner").getByRole("button", { name }).click();
    await counted;
  };
  await answer(press("Accept all"));
  await answer(press("Accept all"), true);
  await answer(press("Reject all"));
  await answer(async (page) => {
    await page.locator(".crm-banner").getByRole("button", { name: "Manage preferences" }).click();
    const counted = answerCounted(page);
    await page.getByRole("dialog").getByRole("button", { name: "Save choices" }).click();
    await counted;
  });
  await eventually("the counts of four visits", async () => {
    const [row] = await app.database.query<{ n: number }>(
      "SELECT coalesce(sum(shown + accepted + refused + customised), 0)::int AS n FROM banner_days WHERE shop = $1 AND dimension = 'all'",
      [SHOP],
    );
    return row?.n === 8;
  });

  const visit = await app.open("/app/consent/insights", { shop: SHOP });
  const { page } = visit;
  await page
    .getByRole("application", { name: "2 accepted, 1 customized and 1 rejected" })
    .waitFor();
  await page.getByText("50%", { exact: true }).first().waitFor();
  const firstRow = () => page.locator("tbody tr[id] .row-value").allInnerTexts();
  await expectHealthyPage(visit);
  await page.getByLabel("By", { exact: true }).selectOption("device");
  await expect
    .poll(async () => (await firstRow()).join(" "))
    .toBe("Desktop 3 1 1 1 33.3% – Phone 1 1 0 0 100% –");
  await page.getByLabel("By", { exact: true }).selectOption("version");
  await expect.poll(async () => (await firstRow()).join(" ")).toContain("Version 3 4 2 1 1 50%");
  await page.getByLabel("By", { exact: true }).selectOption("language");
  await expect.poll(async () => (await firstRow()).join(" ")).toContain("English 4 2 1 1 50%");
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Export CSV" }).click(),
  ]);
  const lines = readFileSync(await file.path(), "utf8")
    .trim()
    .split("\r\n");
  expect(lines[0]).toBe("day,version,dimension,value,shown,accepted,refused,customised");
  expect(lines.slice(1).map((line) => line.replace(/^[\d-]+,/, ""))).toContain("3,all,,4,2,1,1");
});

test.each([
  ["es", "Aviso", "Estadísticas"],
  ["fr", "Bandeau", "Statistiques"],
])("both screens speak %s and fit a phone", async (locale, title, insights) => {
  const visit = await app.open("/app/consent/banner", {
    shop: SHOP,
    locale,
    viewport: { width: 390, height: 800 },
  });
  await visit.page.getByRole("heading", { name: title, level: 1 }).waitFor();
  await previews(visit.page).first().contentFrame().locator(".crm-banner").waitFor();
  await expectHealthyPage(visit);
  await visit.page.goto(await adminUrl(app, SHOP, "/app/consent/insights", { locale }));
  await visit.page.getByRole("heading", { name: insights, level: 1 }).waitFor();
  await expectHealthyPage(visit);
  // As at 200 % zoom: the table is wider than its place, and a keyboard scrolls it.
  await visit.page.setViewportSize({ width: 500, height: 800 });
  const scroller = visit.page.locator(".Polaris-IndexTable-ScrollContainer");
  await expect
    .poll(() => scroller.evaluate((table) => table.scrollWidth > table.clientWidth))
    .toBe(true);
  await expect.poll(() => scroller.getAttribute("tabindex")).toBe("0");
  await expectHealthyPage(visit);
});

test("the history says that it lists the newest versions where there are more", async () => {
  const shop = await app.newStore();
  await app.database.query(
    `INSERT INTO banner_versions (shop, version, design, published_at)
      SELECT $1, n, '{}', now() FROM generate_series(1, 51) AS n`,
    [shop],
  );
  const { page } = await app.open("/app/consent/banner", { shop });
  await page.getByText("The newest 50 versions are listed.").waitFor();
  await page.getByText("Version 2", { exact: true }).waitFor();
  expect(await page.getByText("Version 1", { exact: true }).count()).toBe(0);
});

test("a refused draft has the focus on the colour that is wrong, and keeps what was typed", async () => {
  const visit = await app.open("/app/consent/banner", { shop: SHOP });
  const { page } = visit;
  const text = page.getByLabel("Text (Dark)", { exact: true });
  const ground = await page.getByLabel("Background (Dark)", { exact: true }).inputValue();
  await text.fill(ground);
  await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
  await pressSave(page);
  await page.getByText("The draft wasn't saved").waitFor();
  await eventually("the focus", () =>
    text.evaluate((field) => field === document.activeElement && field.ariaInvalid === "true"),
  );
  expect(await text.inputValue()).toBe(ground);
  await expectHealthyPage(visit);
});

test("what was wrong with a refused draft is no longer shown once it is corrected or discarded", async () => {
  const visit = await app.open("/app/consent/banner", { shop: SHOP });
  const { page } = visit;
  await page.getByLabel("Language").selectOption("en");
  const title = page.getByLabel("Title", { exact: true });
  const logo = page.getByLabel("Logo address", { exact: true });
  const problems = page.getByText(/^(Correct these settings|Enter at least two letters)/);
  const refused = page.getByText("The draft wasn't saved");

  await title.fill("x");
  await logo.fill("kestrel");
  await pressSave(page);
  await page.getByText("Correct these settings: Logo address, Texts (English).").waitFor();
  await title.fill("Your choice");
  await page.getByText("Correct these settings: Logo address.").waitFor();
  await page.getByText("Enter at least two letters").waitFor({ state: "detached" });
  await logo.fill("");
  await refused.waitFor({ state: "detached" });

  await title.fill("x");
  await pressSave(page);
  await refused.waitFor();
  await page.locator("ui-save-bar").getByRole("button", { name: "Discard" }).click();
  await eventually("no problem", async () => (await problems.count()) === 0);
  expect(await refused.count()).toBe(0);
  expect(await title.inputValue()).toBe("");
  await expectHealthyPage(visit);
});

test("the store's front page stands behind the preview where it can be framed, without its scripts", async () => {
  const { storefront } = app.sandbox;
  await app.database.query("DELETE FROM kv WHERE key = 'front_page'", []);
  storefront.setFrameable(SHOP, true);
  const visit = await app.open("/app/consent/banner", { shop: SHOP });
  const { page } = visit;
  const store = previews(page).first().contentFrame().locator("iframe").contentFrame();
  await store.getByRole("link", { name: "Cart" }).first().waitFor();
  expect(await store.locator(".crm-banner").count()).toBe(0);
  // The banner's own frame lies above.
  await previews(page).nth(1).contentFrame().locator(".crm-banner").waitFor();
  // The store's own pixels for browsers without scripts, which the sandbox's page blocks.
  const ofStore = /^(Blocked script execution|Framing 'https:|Loading the image 'https:)/;
  expect(visit.errors.filter((error) => !ofStore.test(error))).toEqual([]);
  const foreign = visit.foreign.filter((url) => !url.startsWith("https://www.facebook.com/tr?"));
  await expectHealthyPage({ ...visit, errors: [], foreign });
  await page.getByRole("button", { name: "Blank page" }).click();
  await expect.poll(() => previews(page).count()).toBe(2);
  await visit.close();
  storefront.setFrameable(SHOP, false);
});

test("a merchant whose store does not accept the published banner reads that shoppers still see the former one, until the store has it", async () => {
  const shop = await app.newStore();
  await putKey(dataOf(app.ctx, await getTenant(app.ctx, shop)).sql, KEYS.themeEmbed, {
    by: "merchant",
    at: new Date().toISOString(),
  });
  // Home looks at the theme, too.
  app.sandbox.storefront.setActiveBlock(shop, "consent", true);
  const { page } = await app.open("/app/consent/banner", { shop });
  app.sandbox.storefront.closeStore(shop, "frozen");
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  await page.getByText("Version 1 is published").waitFor();
  const worker = await startLoaderWorker(app.ctx, { retryMs: 50 });
  await eventually("the refused write", async () => !(await loaderRequests.isOpen(app.ctx, shop)));
  await page.reload();
  await page.getByText("Version 1 hasn't reached your store yet").waitFor();
  await page.getByText("shoppers still see the former banner").waitFor();
  expect(await page.getByText("Shoppers see version 1").count()).toBe(0);
  expect(await page.getByRole("link", { name: "Check the store connection" }).count()).toBe(1);
  const need = page.getByRole("link", {
    name: "Review: Your banner hasn't reached your store yet",
  });
  await page.goto(await adminUrl(app, shop));
  expect(await need.getAttribute("href")).toBe("/app/consent/banner");
  app.sandbox.storefront.closeStore(shop, null);
  await writeLoaderMetafield(app.ctx, shop);
  await worker.stop();
  await page.goto(await adminUrl(app, shop));
  await page.getByRole("heading", { name: "Setup guide" }).waitFor();
  expect(await need.count()).toBe(0);
  await page.goto(await adminUrl(app, shop, "/app/consent/banner"));
  await page.getByText("Shoppers see version 1").waitFor();
});
