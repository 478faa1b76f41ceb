// The merchant's screens by keyboard: the focus is always in sight, and never lost with a control that goes away.
import { beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";
import { newClient, newTokens } from "../../../support/agents/agent.ts";
import { useMerchant } from "../../../support/browser/merchant.ts";
import { signUp } from "../../../support/consent.ts";
import { SHOP } from "../../../support/service.ts";
import { putPerson } from "../../../support/storefront/customers.ts";

const LONG = "long-store.myshopify.com";
const app = useMerchant();
let page: Page;

beforeAll(async () => {
  await Promise.all([
    app.connect(SHOP, { withSystems: true }),
    app.connect(LONG, { withSystems: true }),
  ]);
  for (let at = 0; at < 60; at += 1)
    await putPerson(app.database, LONG, {
      full_name: `Person ${at}`,
      email: `p${at}@example.com`,
    });
});

async function open(path: string, shop: string): Promise<void> {
  ({ page } = await app.open(path, { shop }));
}

const press = (...keys: string[]) =>
  keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve());

/** The name of what has the focus, once it is the expected one. */
async function expectFocus(name: string): Promise<void> {
  await expect
    .poll(() =>
      page.evaluate(() => {
        const { activeElement: at } = document;
        const own = at?.getAttribute("aria-label") ?? (at as HTMLElement | null)?.innerText;
        return at === document.body ? "nothing" : own?.replace(/\s+/g, " ").trim();
      }),
    )
    .toContain(name);
}

test("a row of a long list is not behind the bar of its pages when it has the focus", async () => {
  await open("/app/customers", LONG);
  await page.getByRole("checkbox", { name: "Select all customers" }).focus();
  for (let at = 0; at < 50; at += 1) {
    await press("Tab");
    const isCovered = await page.evaluate(() => {
      const control = document.activeElement as HTMLElement;
      const { left, top, width, height } = control.getBoundingClientRect();
      const seen = document.elementFromPoint(left + width / 2, top + height / 2);
      return !(seen && (control.contains(seen) || control.parentElement?.contains(seen)));
    });
    expect(isCovered).toBe(false);
  }
});

test("a dialog that a menu of the selected customers opened returns the focus to the menu's button", async () => {
  await open("/app/customers", LONG);
  await page.getByRole("checkbox", { name: "Person 59" }).press("Space");
  await page.getByRole("button", { name: "More actions" }).press("Enter");
  await page.getByRole("button", { name: "Suspend accounts" }).focus();
  await press("Enter");
  await page.getByRole("dialog").waitFor();

  await press("Escape");

  await expectFocus("More actions");
});

test("a dialog whose name is refused puts the focus into the name, and one whose action is refused keeps it and speaks why", async () => {
  await app.database.query(
    "INSERT INTO crm_tags (shop, name, slug) VALUES ($1, 'Taken', 'taken')",
    [SHOP],
  );
  await open("/app/tags", SHOP);
  await page.getByRole("button", { name: "Create tag" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Taken");
  await dialog.getByRole("button", { name: "Create tag" }).focus();
  await press("Enter");
  await dialog.getByText("A tag with this name already exists.").waitFor();
  await expect
    .poll(() =>
      dialog.getByLabel("Name").evaluate((field) => field.ownerDocument.activeElement === field),
    )
    .toBe(true);
  await press("Escape");
  await dialog.waitFor({ state: "detached" });

  const [customer] = await app.database.query<{ id: number }>(
    "SELECT id FROM storefront_users WHERE shop = $1 LIMIT 1",
    [LONG],
  );
  const visit = await app.open(`/app/customers/${customer?.id}`, { shop: LONG });
  ({ page } = visit);
  await page.getByRole("button", { name: "Suspend account" }).click();
  const question = page.getByRole("dialog");
  await question.waitFor();
  await page.route("**/*.data*", (route) => route.abort());
  await question.getByRole("button", { name: "Suspend account" }).focus();
  await press("Enter");
  await question.getByRole("alert").getByText("We couldn't reach the service").waitFor();
  await expectFocus("Suspend account");
  // With the browser's own line about the request.
  await visit.close();
});

test("a removed filter leaves the focus at its place, and the removal of all filters at the last of them", async () => {
  await signUp(app);
  await open("/app/consent?type=tos&decision=granted", SHOP);
  await page.getByRole("button", { name: "Clear", exact: true }).first().press("Enter");
  await page.waitForURL((url) => !url.searchParams.has("type"));
  await expectFocus("Consent");

  await page.getByRole("button", { name: "Clear all" }).press("Enter");
  await page.waitForURL((url) => !url.searchParams.has("decision"));
  await expectFocus("Customer's email");
});

test("after the action of a row that is gone, the next row has the focus", async () => {
  for (const name of ["Trail Planner", "Peak Finder"]) {
    const client = await newClient(app, { client_name: name });
    await newTokens(app, client, (await signUp(app)).token);
  }
  await open("/app/agents", SHOP);
  const buttons = page.getByRole("button", { name: /^End access: / });
  const [first, second] = await buttons.evaluateAll((all) =>
    all.map((button) => button.getAttribute("aria-label") ?? ""),
  );
  await page.getByRole("button", { name: first }).press("Enter");
  await page.getByRole("dialog").getByRole("button", { name: "End access" }).press("Enter");
  await expect.poll(() => buttons.count()).toBe(1);

  await expectFocus(second ?? "");
});

test("the number of failed events is a link that says what it counts", async () => {
  await app.database.query(
    `INSERT INTO integration_queue (shop, event_id, channel, source, event_type, entity_type,
      entity_id, status, last_error, payload)
     VALUES ($1, 'e1', 'cms', 'backend', 'customer.updated', 'customer', '1', 'dead_letter', 'no', '{}')`,
    [SHOP],
  );
  await open("/app/events", SHOP);
  await page.getByRole("link", { name: "Failed events: 1", exact: true }).waitFor();
});

test.each([375, 550])(
  "in French at %d px, as in a small window at twice its size, the search of customers and its order can be read",
  async (width) => {
    const viewport = { width, height: 700 };
    ({ page } = await app.open("/app/customers", { shop: LONG, locale: "fr", viewport }));
    const search = await page
      .getByPlaceholder("Rechercher par nom, e-mail, téléphone ou numéro")
      .boundingBox();
    expect(search?.width).toBeGreaterThan(300);
    const order = page.locator(".Polaris-Select__SelectedOption").first();
    expect(await order.innerText()).toContain("Récents d'abord");
    expect(await order.evaluate((text) => text.scrollWidth - text.clientWidth)).toBe(0);
  },
);
