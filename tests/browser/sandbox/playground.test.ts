// The agent playground in a real browser, with the real service behind it: the scripted agent buys within
// its mandate and is refused where it must be, and both views show it.
import { afterAll, beforeAll, expect, test } from "vitest";
import { PLAYGROUND_STEPS } from "../../../app/sandbox/console/playground/playground-steps.ts";
import { seedProducts } from "../../support/agents/checkout.ts";
import { findA11yViolations, findOverflow } from "../../support/browser/accessibility.ts";
import { openBrowser, type Visit } from "../../support/browser/browser.ts";
import { SHOP, startService, type Service } from "../../support/service.ts";

let service: Service;
let browser: Awaited<ReturnType<typeof openBrowser>>;
let visit: Visit;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService({ background: true }), openBrowser()]);
  await seedProducts(service);
  visit = await browser.visit([service.sandbox.url], { viewport: { width: 1280, height: 900 } });
  await visit.page.goto(`${service.sandbox.url}/playground`);
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const LAST = PLAYGROUND_STEPS.at(-1)?.name as string;
const press = (name: string) => visit.page.getByRole("button", { name, exact: true }).click();
const done = (step: string) =>
  visit.page.locator(`[data-step="${step}"][data-state="done"]`).waitFor({ timeout: 30_000 });

test("runs one step, then all; Ada and the merchant see what was done and what was refused", async () => {
  const { page } = visit;
  await press("Next step");
  await done("discover");
  expect(await page.locator('[data-state="done"]').count()).toBe(1);
  await press("Run all");
  await done(LAST);
  expect(await page.locator("#notice").innerText()).toBe("");
  const results = await page.locator(".steps .result").allInnerTexts();
  expect(results).toEqual(
    expect.arrayContaining([
      "Refused: payment_consent_required.",
      expect.stringMatching(/^Order #\d+: 44\.90 EUR of the mandate are spent\.$/),
      "Refused: mandate_used.",
      "Refused with 401. The merchant sees who tried.",
    ]),
  );
  const [mandate] = await service.database.query(
    "SELECT spent_amount::text, status FROM mandates WHERE shop = $1",
    [SHOP],
  );
  expect(mandate).toEqual({ spent_amount: "44.90", status: "used" });

  const merchant = page.locator("#merchant");
  await merchant.getByText("invalid_token").waitFor();
  expect(await merchant.innerText()).toMatch(/refused\s+get_identity/);
  const ada = page.locator("#shopper");
  await ada.getByText("invalid_token").waitFor();
  expect(await ada.innerText()).toMatch(/Linked agents\s+none/);
  expect(await ada.innerText()).toMatch(/44\.90 of 100\.00 EUR spent/);
});

test("shows every request and answer without a credential", async () => {
  const { page } = visit;
  const row = page.locator("#exchanges details", { hasText: "Starts a checkout of the cart" });
  await row.locator("summary").click();
  const text = await row.innerText();
  expect(text).toContain("POST /mcp");
  expect(text).toContain("create_checkout");
  const all = (await (await fetch(`${service.sandbox.url}/_control/playground`)).json()).exchanges;
  expect(all.length).toBeGreaterThan(15);
  const tokens = await service.database.query("SELECT token_hash FROM oauth_tokens");
  expect(tokens.length).toBeGreaterThan(0);
  expect(JSON.stringify(all)).not.toMatch(/agt_\w{5,}|__Host-crm_session=\w|"code=[\w-]{20,}/);
});

test("can be repeated, and has no accessibility violations at 1280 and 390 px", async () => {
  const { page } = visit;
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 900 });
    expect(await findA11yViolations(page, { strict: true })).toEqual([]);
    expect(await findOverflow(page)).toBe(0);
  }
  await press("Start again");
  await page.locator('[data-state="done"]').first().waitFor({ state: "detached" });
  await press("Run all");
  await done(LAST);
  const clients = await service.database.query("SELECT 1 FROM oauth_clients WHERE shop = $1", [
    SHOP,
  ]);
  expect(clients).toHaveLength(1);
  expect(visit.errors).toEqual([]);
  expect(visit.foreign).toEqual([]);
});
