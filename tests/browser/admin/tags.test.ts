// The screen of tags, in a real browser against the built app.
import { beforeEach, expect, test } from "vitest";
import { getTenant } from "../../../app/domain/tenants/tenant.ts";
import {
  findCellsOutside,
  findA11yViolations,
  findOverflow,
} from "../../support/browser/accessibility.ts";
import {
  useMerchant,
  type ScreenOptions,
  type ScreenVisit,
} from "../../support/browser/merchant.ts";
import { putPerson } from "../../support/storefront/customers.ts";

const OTHER = "other-store.myshopify.com";
const app = useMerchant();
let shop: string;
let visit: ScreenVisit;

beforeEach(async () => {
  app.sandbox.clearFaults();
  shop = await app.newStore();
});

const open = async (path = "/app/tags", options: ScreenOptions = {}) => {
  visit = await app.open(path, { shop, ...options });
  return visit.page;
};
const slugs = async (ofShop = shop) =>
  (
    await app.database.query<{ slug: string }>(
      "SELECT slug FROM crm_tags WHERE shop = $1 ORDER BY slug",
      [ofShop],
    )
  ).map(({ slug }) => slug);

test("a store without tags can set up the default tags, and each step shows its result, also an unconfigured one", async () => {
  const page = await open();
  await page.getByRole("heading", { name: "Start with the default tags" }).waitFor();
  await page.getByRole("button", { name: "Set up tags" }).click();
  await page.getByText("Done: 17 created, 0 already there").waitFor();
  await page.getByText("Done: 6 created, 0 already there").waitFor();
  await page.getByText("Skipped: no CMS connected").waitFor();
  await page.getByText("High Value", { exact: true }).waitFor();
  expect(await slugs()).toHaveLength(17);
  expect(await findA11yViolations(page)).toEqual([]);
});

test("a new store's setup shows a refusal of the store where it was started, above the new tags", async () => {
  app.sandbox.failNext("storefront", { status: 403, match: "graphql" }, 50);
  const page = await open();
  await page.getByRole("button", { name: "Set up tags" }).click();
  const refusal = page.getByText("Your store refused the app's access (HTTP 403).");
  await refusal.waitFor();
  await page.getByText("Skipped: no CMS connected").waitFor();
  const [shown, list] = await Promise.all([
    refusal.boundingBox(),
    page.getByRole("table").first().boundingBox(),
  ]);
  expect(shown?.y).toBeLessThan(list?.y ?? 0);
  app.sandbox.clearFaults();
});

test("the list shows the number of this store's customers per tag and links to them", async () => {
  await putPerson(app.database, shop, { full_name: "Ada", tags: ["gala", "opening"] });
  await putPerson(app.database, shop, { full_name: "Grace", tags: ["gala"] });
  await putPerson(app.database, OTHER, { full_name: "Foreign", tags: ["gala", "theirs"] });
  const page = await open();
  expect(
    await page.getByRole("row").filter({ hasText: "GALA" }).getByRole("link").textContent(),
  ).toBe("2");
  expect(await page.getByText("theirs").count()).toBe(0);
  await page.getByRole("link", { name: "Customers with tag GALA" }).click();
  await page.getByRole("link", { name: "Ada" }).waitFor();
  expect(new URL(page.url()).searchParams.get("tag")).toBe("gala");
});

test("a tag is created, renamed and deleted; a duplicate, one without a letter and one in use are rejected beside the field", async () => {
  await putPerson(app.database, shop, { full_name: "Ada", tags: ["gala"] });
  const page = await open();
  const dialog = page.getByRole("dialog");
  await page.getByRole("button", { name: "Create tag" }).click();
  await dialog.getByLabel("Name").fill("!!!");
  await dialog.getByRole("button", { name: "Create tag" }).click();
  await dialog.getByText("The name needs at least one letter").waitFor();
  await dialog.getByLabel("Name").fill("Gala");
  await dialog.getByRole("button", { name: "Create tag" }).click();
  await dialog.getByText("A tag with this name already exists.").waitFor();
  await dialog.getByLabel("Name").fill("Opening night");
  await dialog.getByLabel("Category").selectOption("segment");
  await dialog.getByRole("button", { name: "Create tag" }).click();
  await page.getByText("opening_night").waitFor();
  expect(
    await app.database.query(
      "SELECT name, slug, category FROM crm_tags WHERE shop = $1 AND slug = 'opening_night'",
      [shop],
    ),
  ).toEqual([{ name: "Opening night", slug: "opening_night", category: "segment" }]);

  await page.getByRole("button", { name: "Rename: Opening night" }).click();
  await dialog.getByLabel("Name").fill("First night");
  await dialog.getByRole("button", { name: "Rename" }).click();
  await page.getByText("First night").waitFor();
  expect(await slugs()).toEqual(["gala", "opening_night"]);

  expect(await page.getByRole("button", { name: "Delete: GALA" }).count()).toBe(0);
  await page.getByRole("button", { name: "Delete: First night" }).click();
  // Assigns the tag while the dialog is open.
  await app.database.query(
    `INSERT INTO user_tag_map (shop, user_id, tag_id, source) SELECT $1, u.id, t.id, 'admin'
      FROM storefront_users u, crm_tags t WHERE u.shop = $1 AND t.shop = $1 AND t.slug = 'opening_night'`,
    [shop],
  );
  await dialog.getByRole("button", { name: "Delete" }).click();
  await dialog.getByText("because customers have it").waitFor();
  await app.database.query(
    `DELETE FROM user_tag_map m USING crm_tags t WHERE m.shop = $1 AND t.shop = $1
      AND t.id = m.tag_id AND t.slug = 'opening_night'`,
    [shop],
  );
  await dialog.getByRole("button", { name: "Delete" }).click();
  await page.getByText("Tag deleted").waitFor();
  expect(await slugs()).toEqual(["gala"]);
});

test("changed rules are saved with the save bar and show their run, and of two who change them the later one keeps the input and overwrites nothing", async () => {
  await putPerson(app.database, shop, { full_name: "Ada", tags: ["vip"] });
  await app.database.query("UPDATE crm_tags SET matched_to = NULL WHERE shop = $1", [shop]);
  const page = await open();
  const ours = visit;
  const other = await open();
  const amount = (of: typeof page) => of.getByLabel("VIP: minimum amount spent");
  const save = (of: typeof page) => of.getByRole("button", { name: "Save", exact: true }).click();
  const shownRun = page.getByText("The change is waiting to start");
  await amount(page).fill("650");
  page.once("dialog", (dialog) => void dialog.dismiss());
  await page.getByRole("link", { name: "Customers", exact: true }).press("Enter");
  expect(await amount(page).inputValue()).toBe("650");
  await save(page);
  await page.getByText("Rules saved").first().waitFor();
  await shownRun.waitFor();
  expect(await page.locator("ui-save-bar[data-open]").count()).toBe(0);
  // A save of one's own is not somebody else's change.
  await amount(page).fill("660");
  await save(page);
  await page.locator("ui-save-bar:not([data-open])").waitFor({ state: "attached" });
  await shownRun.waitFor();

  await amount(other).fill("550");
  await save(other);
  await other.getByText("Someone else changed this while you were editing.").waitFor();
  expect(await amount(other).inputValue()).toBe("550");
  expect(await findA11yViolations(other)).toEqual([]);
  expect((await getTenant(app.ctx, shop)).config.tag_rules.vip_amount).toBe(660);
  await other.getByRole("button", { name: "Show the saved version" }).click();
  expect(await amount(other).inputValue()).toBe("660");
  await other
    .getByText("Someone else changed this while you were editing.")
    .waitFor({ state: "detached" });
  await visit.leave();
  await ours.leave();
});

test("another store's tags cannot be renamed or deleted from here", async () => {
  await app.database.query(
    "INSERT INTO crm_tags (shop, name, slug) VALUES ($1, 'Theirs alone', 'theirs_alone')",
    [OTHER],
  );
  const page = await open();
  const texts = await page.evaluate(async () => {
    const send = async (body: object) =>
      (
        await fetch("/app/tags.data", {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify(body),
        })
      ).text();
    return [
      await send({ intent: "rename", slug: "theirs_alone", name: "Mine" }),
      await send({ intent: "delete", slug: "theirs_alone" }),
      await send({ intent: "delete", slug: "vip" }),
      await send({ intent: "drop" }),
    ];
  });
  expect(texts.map((text) => /not_found|conflict|invalid_request/.exec(text)?.[0])).toEqual([
    "not_found",
    "not_found",
    "conflict",
    "not_found",
  ]);
  expect(
    await app.database.query(
      "SELECT name FROM crm_tags WHERE shop = $1 AND slug = 'theirs_alone'",
      [OTHER],
    ),
  ).toEqual([{ name: "Theirs alone" }]);
  await visit.close();
});

test("tags are filtered by category and name prefix, in Spanish, on a phone", async () => {
  await app.database.query(
    `INSERT INTO crm_tags (shop, name, slug, category)
      VALUES ($1, 'Gala', 'gala', 'segment'), ($1, 'VIP', 'vip', 'tier')`,
    [shop],
  );
  const page = await open("/app/tags?category=tier", {
    locale: "es",
    viewport: { width: 390, height: 844 },
  });
  await page.getByText("VIP", { exact: true }).waitFor();
  expect(await page.getByText("Gala", { exact: true }).count()).toBe(0);
  expect([await findOverflow(page), await findCellsOutside(page)]).toEqual([0, []]);
  await page.getByLabel("Categoría").selectOption("");
  await page.getByLabel("Busca por el principio de un nombre").fill("ga");
  await page.getByText("Gala", { exact: true }).waitFor();
  await page.getByText("VIP", { exact: true }).waitFor({ state: "detached" });
});
