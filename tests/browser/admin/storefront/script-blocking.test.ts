// Blocking scripts of known vendors by clicks: the switch, a choice per vendor, and what the next check says.
import { beforeAll, expect, test } from "vitest";
import { runScheduledNow } from "../../../../app/domain/scheduled-run/scheduled-run.ts";
import { TENANT_STEPS } from "../../../../app/domain/scheduled-run/steps.ts";
import { getTenant } from "../../../../app/domain/tenants/tenant.ts";
import { findOverflow } from "../../../support/browser/accessibility.ts";
import { expectHealthyPage, useMerchant } from "../../../support/browser/merchant.ts";
import { SHOP } from "../../../support/service.ts";

const PATH = "/app/consent/storefront";
const app = useMerchant();
beforeAll(async () => {
  await app.connect(SHOP, { withSystems: true });
  app.sandbox.storefront.furnish(SHOP);
  app.sandbox.storefront.setActiveBlock(SHOP, "consent", true);
});

const setting = async () => (await getTenant(app.ctx, SHOP)).config.script_blocking;

test("a merchant switches blocking on, lets one vendor run, and the next check shows what is blocked", async () => {
  const visit = await app.open(PATH, { shop: SHOP });
  const { page } = visit;
  const check = page.getByRole("main").getByRole("button", { name: "Check storefront" }).first();
  await check.click();
  await page.getByText("5 scripts load before consent", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Turn on blocking" }).click();
  await page.getByRole("button", { name: "Don't block: Meta" }).waitFor();
  await page.getByText("What isn't blocked").click();
  await expectHealthyPage(visit);
  const [button] = await page.getByRole("button", { name: /^Don't block: (?!Meta)/ }).all();
  const name = await button?.getAttribute("aria-label");
  await button?.click();
  await expect.poll(async () => (await setting()).run.length).toBe(1);
  expect(name).toContain((await setting()).run[0]);
  expect((await setting()).enabled).toBe(true);

  await runScheduledNow(app.ctx, {
    steps: TENANT_STEPS.filter((step) => step.name === "loader"),
  });
  await page.getByRole("button", { name: "Check storefront" }).first().click();
  await page.getByRole("heading", { name: "Blocked until consent", exact: true }).waitFor();
});

test.each([
  ["es", "Bloquear scripts de proveedores conocidos"],
  ["fr", "Bloquer les scripts des fournisseurs connus"],
])("speaks %s, and fits a phone", async (locale, heading) => {
  const visit = await app.open(PATH, {
    shop: SHOP,
    locale,
    viewport: { width: 390, height: 800 },
  });
  await visit.page.getByRole("heading", { name: heading }).waitFor();
  await expectHealthyPage(visit);
  expect(await findOverflow(visit.page)).toBe(0);
  await visit.close();
});
