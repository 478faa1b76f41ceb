// A form of the settings inside the store admin: the save bar, and the store from the session only.
import { beforeAll, beforeEach, expect, test } from "vitest";
import { saveTenantConfig } from "../../../app/domain/tenants/settings/configuration.ts";
import { getTenant } from "../../../app/domain/tenants/tenant.ts";
import { findA11yViolations, findOverflow } from "../../support/browser/accessibility.ts";
import { eventually } from "../../support/service.ts";
import { useMerchant } from "../../support/browser/merchant.ts";
import { adminUrl } from "../../support/browser/screens-server.ts";

const AGENT = { "User-Agent": "Mozilla/5.0 (X11; Linux x86_64) Chrome/153.0.0.0 Safari/537.36" };
const OTHER = "other-store.myshopify.com";
const app = useMerchant();
let shop: string;
let count = 0;
beforeAll(async () => {
  await saveTenantConfig(app.ctx, OTHER, { brand_name: "Other" }, { by: "operator" });
});
beforeEach(async () => {
  app.sandbox.clearFaults();
  shop = `merchant-${(count += 1)}.myshopify.com`;
  app.sandbox.storefront.install(shop);
  await saveTenantConfig(
    app.ctx,
    shop,
    { cms_api_token: "cms-token-0123456789" },
    { by: "operator" },
  );
});

const saved = async (of = shop) => (await getTenant(app.ctx, of)).saved;

test("a merchant saves a setting with the admin's own save bar, whose toast says so wherever the page stands", async () => {
  const { page } = await app.open("/app/settings/brand", { shop });
  await page.getByLabel("Brand name").fill("Kestrel");
  await page.locator("ui-save-bar[data-open]").waitFor();
  await page.getByLabel("Support email").fill("nobody");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Enter an email address.").waitFor();
  await page.getByLabel("Support email").fill("help@store.example");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Saved.", { exact: true }).waitFor();
  expect(await page.getByText("Saved.", { exact: true }).getAttribute("role")).toBe("status");
  expect(await page.locator("ui-save-bar[data-open]").count()).toBe(0);
  expect(await saved()).toMatchObject({
    brand_name: "Kestrel",
    support_email: "help@store.example",
    cms_api_token: "cms-token-0123456789",
  });
  expect(await findA11yViolations(page)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await findOverflow(page)).toBe(0);
});

test("discarding restores the saved values", async () => {
  const { page, close } = await app.open("/app/settings/brand", { shop });
  await page.getByLabel("Brand name").fill("Kestrel");
  await page.getByRole("button", { name: "Discard" }).click();
  expect(await page.getByLabel("Brand name").inputValue()).toBe("");
  expect(await page.locator("ui-save-bar[data-open]").count()).toBe(0);
  await close();
});

test("a link or the menu leaves unsaved changes only after the admin's confirmation", async () => {
  const { page } = await app.open("/app/settings/brand", { shop });
  await page.getByLabel("Brand name").fill("Kestrel");
  const asked: string[] = [];
  const answers = ["dismiss", "accept"] as const;
  page.on("dialog", (dialog) => {
    const answer = answers[asked.length] ?? "dismiss";
    asked.push(dialog.message());
    void dialog[answer]();
  });
  const menu = page.getByRole("link", { name: "Customers", exact: true });
  await menu.press("Enter");
  await eventually("the question", () => asked.length === 1);
  expect(new URL(page.url()).pathname).toBe("/app/settings/brand");
  expect(await page.getByLabel("Brand name").inputValue()).toBe("Kestrel");
  await menu.press("Enter");
  await page.waitForURL(/\/app\/customers/);
  expect(asked).toEqual(["Leave without saving?", "Leave without saving?"]);
  expect((await saved()).brand_name).toBeUndefined();
});

test("operator settings are read-only, also for a handcrafted request", async () => {
  const { page, close } = await app.open("/app/settings/advanced", { shop });
  expect(await page.getByLabel("Access role").isDisabled()).toBe(true);
  await close();
  const post = async (fields: object, query = "") =>
    (
      await fetch(`${app.url}/app/settings/brand.data${query}`, {
        method: "POST",
        headers: {
          ...AGENT,
          Authorization: `Bearer ${await app.sandbox.storefront.sessionToken(shop)}`,
        },
        body: new URLSearchParams({ intent: "save", fields: JSON.stringify(fields), shop: OTHER }),
      })
    ).text();
  expect(await post({ access_role: "creator" })).toContain("is set by the platform");
  expect((await saved()).access_role).toBeUndefined();
  // Neither the form nor the URL sets the store of these settings.
  expect(await post({ brand_name: "Mine" }, `?shop=${OTHER}`)).toContain('"ok",true');
  expect((await saved()).brand_name).toBe("Mine");
  expect((await saved(OTHER)).brand_name).toBe("Other");
});

test("a store with the role shared neither sees nor saves an ERP and event routes", async () => {
  await saveTenantConfig(app.ctx, shop, { access_role: "shared" }, { by: "operator" });
  const { page, close } = await app.open("/app/settings/integrations", { shop });
  await page.getByRole("link", { name: /^CMS/ }).waitFor();
  expect(await page.getByRole("link", { name: /^ERP|^Destinations/ }).count()).toBe(0);
  await page.goto(await adminUrl(app, shop, "/app/settings/advanced"));
  await page.getByLabel("Tenant API key").waitFor();
  expect(await page.getByLabel("Phase of the move").count()).toBe(0);
  const erp = await adminUrl(app, shop, "/app/settings/integrations/erp");
  expect((await page.goto(erp))?.status()).toBe(404);
  await close();
  const token = await app.sandbox.storefront.sessionToken(shop);
  for (const fields of [
    { event_routes: [{ event_type: "*", channels: ["cms"] }] },
    { erp_base_url: "https://erp.example.com" },
  ])
    expect(
      await (
        await fetch(`${app.url}/app/settings/brand.data`, {
          method: "POST",
          headers: { ...AGENT, Authorization: `Bearer ${token}` },
          body: new URLSearchParams({ intent: "save", fields: JSON.stringify(fields) }),
        })
      ).text(),
    ).toContain("is not for shared stores");
  expect(Object.keys(await saved())).not.toContain("event_routes");
});

test("requests without a session token read and change nothing", async () => {
  expect(
    (
      await fetch(`${app.url}/app/settings/brand.data`, {
        headers: { ...AGENT, Authorization: "Bearer nothing" },
        redirect: "manual",
      })
    ).status,
  ).toBe(401);
  const post = await fetch(`${app.url}/app/settings/brand.data?shop=${shop}`, {
    method: "POST",
    headers: AGENT,
    redirect: "manual",
    body: new URLSearchParams({ intent: "save", fields: '{"brand_name":"Mallory"}' }),
  });
  // Remix sends a redirect inside its own response.
  expect(post.status).toBe(202);
  expect((await saved()).brand_name).toBeUndefined();
});
