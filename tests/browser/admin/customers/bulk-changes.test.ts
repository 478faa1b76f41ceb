// The list of bulk changes in a real browser: a change made by clicks is found the next day, with the file
// of the customers whom it refused.
import { readFileSync } from "node:fs";
import { beforeEach, expect, test } from "vitest";
import { startBulkRunWorker } from "../../../../app/domain/customers/bulk/run-worker.ts";
import { CUSTOMER_ACTIONS } from "../../../../app/domain/merchant/customer-actions.ts";
import {
  findA11yViolations,
  findCellsOutside,
  findOverflow,
} from "../../../support/browser/accessibility.ts";
import {
  useMerchant,
  type ScreenOptions,
  type ScreenVisit,
} from "../../../support/browser/merchant.ts";
import { putPerson } from "../../../support/storefront/customers.ts";

const LIST = "/app/customers/changes";
const app = useMerchant();
let shop: string;
let visit: ScreenVisit;

beforeEach(async () => {
  shop = await app.newStore();
});

const open = async (path: string, options: ScreenOptions = {}) => {
  visit = await app.open(path, { shop, ...options });
  return visit.page;
};
const put = (person: Parameters<typeof putPerson>[2]) => putPerson(app.database, shop, person);
/** Gives the customer as many tags as the store takes. */
const fill = (id: number) =>
  app.database.query(
    `UPDATE storefront_users SET tags = (SELECT jsonb_agg('own ' || n) FROM generate_series(1, 250) AS n)
      WHERE id = $1`,
    [id],
  );
type Stored = { kind?: string; state: string; minutesAgo: number; error?: string; of?: string };
const insert = ({ kind = "tags", state, minutesAgo, error, of = shop }: Stored) =>
  app.database.query(
    `INSERT INTO tag_runs (shop, id, kind, add, last_id, total, processed, changed, state, last_error,
        started_by, chosen, created_at)
      VALUES ($1, gen_random_uuid(), $2, CASE $2 WHEN 'tags' THEN '{gala}' ELSE '{}' END::text[], 1, 4000,
        1200, 1100, $3, $4, '42', '{"filter": {"country": "GB", "active": "365"}, "searched": true}',
        now() - make_interval(mins => $5))`,
    [of, kind, state, error ?? null, minutesAgo],
  );

test("a change of tags made by clicks is listed with who made it, whom it meant and its numbers, and the refused customers are downloaded", async () => {
  await put({ full_name: "Ada", country: "GB" });
  const bob = await put({
    full_name: "Bob Byron",
    email: "bob@x.example",
    country: "GB",
    gid: "gid://shopify/Customer/9007199254740993",
  });
  await fill(bob);
  const page = await open("/app/customers?country=GB");
  await page.locator("thead").getByRole("checkbox").last().click();
  await page.getByRole("button", { name: "Add tags" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Tag", { exact: true }).fill("gala");
  await dialog.getByRole("button", { name: "Use this tag" }).click();
  await dialog.getByRole("button", { name: "Preview" }).click();
  await dialog.getByRole("button", { name: "Add tags (2)" }).click();
  await page.getByText("The change is waiting to start").waitFor();
  await visit.leave();

  const list = await open(LIST);
  const row = list.getByRole("row").filter({ hasText: "Add tags: gala" });
  await row.getByText("Waiting").waitFor();
  await row.getByText("Staff member 1").waitFor();
  await row.getByText("Selected: 2").waitFor();
  // The page follows the change without a reload.
  const worker = await startBulkRunWorker(app.ctx, app.ctx.home, CUSTOMER_ACTIONS);
  await row.getByText("Done").waitFor();
  await worker.stop();
  for (const text of ["Changed: 1", "Unchanged: 0", "Refused: 1"])
    await row.getByText(text, { exact: true }).waitFor();
  expect(await findA11yViolations(list)).toEqual([]);

  const button = row.getByRole("button", {
    name: "Download refused customers: Add tags: gala",
  });
  await button.focus();
  const [file] = await Promise.all([list.waitForEvent("download"), list.keyboard.press("Enter")]);
  expect(file.suggestedFilename()).toMatch(/^refused-customers-\d{4}-\d\d-\d\d\.csv$/);
  const text = readFileSync(await file.path(), "utf8");
  expect(text.trimEnd().split("\r\n")).toEqual([
    expect.stringContaining("storefront_customer_gid"),
    expect.stringContaining(`${bob},gid://shopify/Customer/9007199254740993,too_many_tags`),
  ]);
  expect(text).not.toMatch(/byron|@/i);
});

test("the list is reached from the customers, and leads there while it is empty", async () => {
  await put({ full_name: "Ada" });
  const page = await open("/app/customers");
  await page.getByText("Customers: 1").waitFor();
  await page
    .locator("ui-title-bar button", { hasText: "Bulk changes" })
    .or(page.getByRole("button", { name: "Bulk changes" }))
    .first()
    .click();
  await page.getByText("No bulk changes yet").waitFor();
  expect(await findA11yViolations(page)).toEqual([]);
  await page
    .getByRole("button", { name: "Go to customers" })
    .or(page.getByRole("link", { name: "Go to customers" }))
    .first()
    .click();
  await page.getByText("Customers: 1").waitFor();
});

test("each state says what it is: progress, the reason of a failure, what was not reached; a change is stopped here", async () => {
  await insert({ state: "running", minutesAgo: 1 });
  await insert({ kind: "suspend", state: "waiting", minutesAgo: 2 });
  await insert({ kind: "erase", state: "cancelled", minutesAgo: 3 });
  await insert({
    kind: "reactivate",
    state: "failed",
    minutesAgo: 4,
    error: "storefront_unavailable",
  });
  await insert({ kind: "rules", state: "done", minutesAgo: 5 });
  await insert({
    kind: "data_request",
    state: "done",
    minutesAgo: 6,
    of: "elsewhere.myshopify.com",
  });
  const page = await open(LIST);
  const rowOf = (name: string) => page.getByRole("row").filter({ hasText: name });
  const running = rowOf("Add tags: gala");
  await running.getByText("1,200 of 4,000").waitFor();
  await running.getByText("Country: United Kingdom").waitFor();
  await running.getByText("A search, whose words aren't kept").waitFor();
  await running.getByRole("progressbar", { name: "Progress of Add tags: gala" }).waitFor();
  await rowOf("Reactivate accounts").getByText("Your store didn't respond.").waitFor();
  await rowOf("Erase personal data").getByText("Not reached: 2,800").waitFor();
  await rowOf("Apply tag rules").getByText("All customers").waitFor();
  expect(await rowOf("Request data exports").count()).toBe(0);
  expect(await findA11yViolations(page)).toEqual([]);
  await page.getByRole("button", { name: "Stop: Suspend accounts" }).focus();
  await page.keyboard.press("Enter");
  await rowOf("Suspend accounts").getByText("Stopped").waitFor();
  await page.locator(":focus").getByText("Stopped").waitFor();
  expect(
    await app.database.query("SELECT kind FROM tag_runs WHERE shop = $1 AND state = 'waiting'", [
      shop,
    ]),
  ).toEqual([]);
});

test("older changes are on further pages, and the newest are a button away", async () => {
  for (let n = 0; n < 26; n += 1)
    await insert({ kind: n === 25 ? "erase" : "suspend", state: "done", minutesAgo: n });
  const page = await open(LIST);
  await page.getByText("Suspend accounts").first().waitFor();
  expect(await page.getByText("Erase personal data").count()).toBe(0);
  await page.getByRole("button", { name: "Next page" }).click();
  await page.getByText("Erase personal data").waitFor();
  await page.getByRole("button", { name: "Back to newest" }).click();
  await page.getByText("Suspend accounts").first().waitFor();
});

test.each([
  ["en", 390, "Stop"],
  ["fr", 390, "Arrêter"],
  ["es", 768, "Detener"],
  ["fr", 1024, "Arrêter"],
  ["fr", 1440, "Arrêter"],
])("in %s at %i px everything is within the page and has a name", async (locale, width, stop) => {
  await insert({ state: "running", minutesAgo: 1 });
  await insert({ kind: "reactivate", state: "failed", minutesAgo: 4, error: "internal_error" });
  const page = await open(LIST, { locale, viewport: { width, height: 844 } });
  await page.getByRole("button", { name: new RegExp(`^${stop}`) }).waitFor();
  expect(await findOverflow(page)).toBe(0);
  expect(await findCellsOutside(page)).toEqual([]);
  expect(await findA11yViolations(page)).toEqual([]);
});
