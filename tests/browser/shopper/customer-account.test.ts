// The extension in the store's customer accounts, in its simulated host: from the profile to the page, a decision
// in the log, an agent and a mandate revoked, the export, and the deletion.
import { readFileSync } from "node:fs";
import type { Download, Frame, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { syncOwnConsent } from "../../../app/domain/identity/visitor-consent.ts";
import { getTenant } from "../../../app/domain/tenants/tenant.ts";
import { findA11yViolations, findOverflow } from "../../support/browser/accessibility.ts";
import { openBrowser } from "../../support/browser/browser.ts";
import { connectStore, startTestApp, type TestApp } from "../../support/browser/screens-server.ts";
import { eventually } from "../../support/service.ts";
import {
  addStoreCustomer,
  findAccountId,
  giveAgentAndMandate,
} from "../../support/storefront/account-customer.ts";

const SHOP = "accounts-store.myshopify.com";
const EMAIL = "ada@accounts.example";
let app: TestApp;
let browser: Awaited<ReturnType<typeof openBrowser>>;
let customer: { gid: string; number: string };

beforeAll(async () => {
  [app, browser] = await Promise.all([startTestApp(), openBrowser()]);
  await connectStore(app, SHOP);
  customer = addStoreCustomer(app, SHOP, EMAIL);
});
afterAll(async () => {
  await browser?.close();
  await app?.stop();
});

/** The frame of the extension, once it is drawn. */
async function extensionOf(page: Page): Promise<Frame> {
  const frame = await (await page.waitForSelector(".ui-extension iframe")).contentFrame();
  await page.waitForSelector('.ui-extension[data-state="rendered"]');
  if (!frame) throw new Error("the extension has no frame");
  return frame;
}

async function visit(
  path: string,
  viewport = { width: 1_280, height: 900 },
  number = customer.number,
) {
  const opened = await browser.visit([app.url, app.sandbox.url], { viewport });
  await opened.page.goto(
    `${app.sandbox.url}/accounts/${SHOP}${path}${path.includes("?") ? "&" : "?"}customer=${number}`,
  );
  return { ...opened, frame: await extensionOf(opened.page) };
}

const logged = async () =>
  app.database.query(
    "SELECT consent_type, action, method FROM consent_records WHERE shop = $1 ORDER BY seq",
    [SHOP],
  );

test("a customer changes a consent, sees it in the history with its receipt, and ends an agent and a mandate", async () => {
  const { page, frame: block, errors, foreign, close } = await visit("/profile");
  const marketing = block.getByRole("switch", { name: "News and offers" });
  await marketing.click();
  await block.getByText("Granted, ").waitFor();
  await page.getByText("News and offers: granted").waitFor();
  expect([await findA11yViolations(page), await findA11yViolations(block)]).toEqual([[], []]);
  const userId = (await findAccountId(app, SHOP, customer.gid)) as number;
  await giveAgentAndMandate(app, SHOP, userId);

  await block.getByRole("link", { name: "All choices" }).click();
  await page.waitForURL("**/pages/customer-account**");
  const frame = await extensionOf(page);
  await frame.getByRole("switch", { name: "News and offers" }).click();
  await frame.getByText("Withdrawn, ").waitFor();
  await frame
    .getByRole("button", { name: /^Receipt of News and offers/ })
    .nth(1)
    .waitFor();
  await frame
    .getByRole("button", { name: /^Receipt of News and offers/ })
    .first()
    .click();
  await frame.getByText("Entry 2 of the store").waitFor();
  expect(await logged()).toEqual([
    { consent_type: "marketing", action: "granted", method: "account_extension" },
    { consent_type: "marketing", action: "revoked", method: "account_extension" },
  ]);
  const proof = await app.call("GET", `/admin/consent/verify?shop=${SHOP}`);
  expect(proof.json).toMatchObject({ ok: true, rows: 2 });
  expect([await findA11yViolations(page), await findA11yViolations(frame)]).toEqual([[], []]);

  await frame.getByRole("button", { name: "End access: Trail Planner" }).click();
  // What stands in the dialog is slotted into it.
  const dialog = frame.locator("s-modal[id^=agent]");
  await dialog.getByText("The agent can no longer see your data").waitFor();
  await dialog.getByRole("button", { name: "End access" }).click();
  await frame.getByText("No agent can act for you.").waitFor();
  await frame.getByRole("button", { name: "Revoke the mandate of" }).click();
  await frame.locator("s-modal[id^=mandate]").getByRole("button", { name: "Revoke" }).click();
  await frame.getByText("revoked", { exact: true }).waitFor();
  const [grant] = await app.database.query(
    "SELECT end_reason FROM oauth_grants WHERE user_id = $1",
    [userId],
  );
  const [mandate] = await app.database.query("SELECT status FROM mandates WHERE customer_id = $1", [
    userId,
  ]);
  expect([grant?.end_reason, mandate?.status]).toEqual(["revoked", "revoked"]);
  expect([errors, foreign]).toEqual([[], []]);
  await close();
});

test("a customer withdraws in the history what a form granted", async () => {
  const ben = addStoreCustomer(app, SHOP, "ben@accounts.example");
  const { frame, errors, close } = await visit("/pages/customer-account", undefined, ben.number);
  await frame.getByRole("switch", { name: "News and offers" }).waitFor();
  const userId = (await findAccountId(app, SHOP, ben.gid)) as number;
  const tenant = await getTenant(app.ctx, SHOP);
  const form = { form_type: "trail_news", method: "trail_news_form" };
  await syncOwnConsent(app.ctx, tenant, { userId }, form, { userAgent: null, gpc: false });
  await frame.page().reload();
  const page = await extensionOf(frame.page());
  await page.getByRole("button", { name: "Withdraw: Trail news" }).click();
  await page.getByText("Withdrawn", { exact: true }).waitFor();
  expect(await page.getByRole("button", { name: "Withdraw: Trail news" }).count()).toBe(0);
  expect(await findA11yViolations(page)).toEqual([]);
  expect(errors).toEqual([]);
  await close();
});

test("the host is as strict as the platform: no page, no storage, and no attribute that the vendor does not have", async () => {
  const { frame, close } = await visit("/pages/customer-account");
  const refused = await frame.evaluate(() => {
    const tried = (attempt: () => unknown) => {
      try {
        attempt();
        return "allowed";
      } catch (error) {
        return (error as Error).message;
      }
    };
    const button = document.createElement("s-button");
    return [
      window.origin,
      tried(() => localStorage.getItem("x")),
      tried(() => window.parent.document.title),
      tried(() => button.setAttribute("colour", "red")),
      tried(() => button.setAttribute("tone", "pink")),
      tried(() => (button.className = "x")),
    ];
  });
  expect(refused).toEqual([
    "null",
    expect.stringContaining("sandboxed"),
    expect.stringContaining("cross-origin"),
    "<s-button> has no attribute colour",
    '<s-button tone="pink">: the platform knows auto, critical, neutral',
    "<s-button> has no className",
  ]);
  await close();
});

test("the page fits a phone in three languages, with each one's punctuation", async () => {
  const userId = (await findAccountId(app, SHOP, customer.gid)) as number;
  await app.database.query("UPDATE user_claims SET consent_tos = true WHERE user_id = $1", [
    userId,
  ]);
  for (const [locale, name, terms] of [
    ["en", "Privacy and permissions", "Terms: "],
    ["es", "Privacidad y permisos", "Condiciones: "],
    ["fr", "Confidentialité et autorisations", "Conditions\u00a0: "],
  ] as const) {
    const { page, frame, errors, close } = await visit(`/pages/customer-account?locale=${locale}`, {
      width: 390,
      height: 844,
    });
    await frame.getByRole("heading", { name, level: 1 }).waitFor();
    await frame.getByRole("switch").first().waitFor();
    await frame
      .getByRole("button", { name: /^(Receipt of|Recibo de|Reçu de)/ })
      .first()
      .waitFor();
    expect(await frame.locator("s-text", { hasText: terms }).first().textContent()).toContain(
      terms,
    );
    expect([locale, await findOverflow(page), await findOverflow(frame)]).toEqual([locale, 0, 0]);
    expect([await findA11yViolations(page), await findA11yViolations(frame)]).toEqual([[], []]);
    expect(errors).toEqual([]);
    await close();
  }
});

test("the customer downloads everything, and deletes it by typing the address", async () => {
  const { page, frame, errors, close } = await visit("/pages/customer-account");
  await frame.getByRole("button", { name: "Prepare the file" }).click();
  const link = frame.getByRole("link", { name: "Download" });
  await link.waitFor();
  const downloaded = new Promise<Download>((resolve) => {
    page.on("download", resolve);
    page.context().on("page", (opened) => opened.on("download", resolve));
  });
  await link.click();
  const download = await downloaded;
  const file = readFileSync(await download.path(), "utf8");
  expect(JSON.parse(file)).toMatchObject({ store: SHOP, is_complete: true });
  expect(file).toContain(EMAIL);

  await frame.getByRole("button", { name: "Delete my data" }).click();
  const dialog = frame.locator("s-modal#delete");
  const confirm = dialog.getByRole("button", { name: "Delete permanently" });
  await dialog.getByLabel(`Type ${EMAIL} to confirm`).fill("yes");
  expect(await confirm.isDisabled()).toBe(true);
  await dialog.getByLabel(`Type ${EMAIL} to confirm`).fill(EMAIL);
  expect(await findA11yViolations(frame)).toEqual([]);
  await confirm.click();
  await frame.getByText("Your data was deleted").waitFor();
  await eventually("the deletion", async () => {
    const rows = await app.database.query(
      "SELECT 1 FROM storefront_users WHERE shop = $1 AND email = $2",
      [SHOP, EMAIL],
    );
    return rows.length === 0;
  });
  await page.reload();
  await (await extensionOf(page)).getByText("Your data was deleted").waitFor();
  // The browser says of a refused answer what the page shows in words.
  expect(errors.filter((text) => !text.includes("403"))).toEqual([]);
  await close();
});
