// Segments in a real browser: saved from the list of customers, counted, tagged, exported, edited.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startBulkRunWorker } from "../../../app/domain/customers/bulk/run-worker.ts";
import { CUSTOMER_ACTIONS } from "../../../app/domain/merchant/customer-actions.ts";
import {
  findA11yViolations,
  findCellsOutside,
  findOverflow,
} from "../../support/browser/accessibility.ts";
import {
  useMerchant,
  type ScreenOptions,
  type ScreenVisit,
} from "../../support/browser/merchant.ts";
import { putPerson, tagsOf } from "../../support/storefront/customers.ts";

const OTHER = "other-store.myshopify.com";
const app = useMerchant();
let worker: { stop(): Promise<void> };
let shop: string;
let visit: ScreenVisit;

beforeAll(async () => {
  worker = await startBulkRunWorker(app.ctx, app.ctx.home, CUSTOMER_ACTIONS);
});
afterAll(async () => {
  await worker?.stop();
});
beforeEach(async () => {
  shop = await app.newStore();
});

const open = async (path: string, options: ScreenOptions = {}) => {
  visit = await app.open(path, { shop, ...options });
  return visit.page;
};
const insert = (ofShop: string, name: string, filter: object) =>
  app.database.query<{ id: string }>(
    `INSERT INTO segments (shop, id, name, filter) VALUES ($1, gen_random_uuid(), $2, $3::jsonb) RETURNING id`,
    [ofShop, name, JSON.stringify(filter)],
  );

test("a segment is saved from the list by clicks, counted as SQL counts, tagged and exported, and then has its run", async () => {
  const ada = await putPerson(app.database, shop, {
    full_name: "Ada",
    country: "GB",
    tags: ["vip"],
  });
  const bob = await putPerson(app.database, shop, { full_name: "Bob", country: "US" });
  await putPerson(app.database, OTHER, { full_name: "Foreign", country: "GB", tags: ["vip"] });
  const page = await open("/app/customers?country=GB");
  const dialog = page.getByRole("dialog");
  await page.getByRole("button", { name: "Save as segment" }).click();
  await dialog.getByLabel("Segment name").fill("The British");
  await dialog.getByRole("button", { name: "Save as segment" }).click();
  await page.getByRole("button", { name: "The British", pressed: true }).waitFor();

  // The filter of the opened segment is changed in the list.
  await page.getByRole("button", { name: "Tag", exact: true }).click();
  await page.getByRole("checkbox", { name: "VIP" }).click({ force: true });
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Save changes: The British" }).click();
  await page.getByText("Segment updated").waitFor();
  await page
    .getByRole("button", { name: "Save changes: The British" })
    .waitFor({ state: "detached" });
  expect(await findA11yViolations(page)).toEqual([]);

  await page.getByRole("link", { name: "All segments" }).click();
  const row = page.getByRole("row").filter({ hasText: "The British" });
  await row.getByText("Country: United Kingdom").waitFor();
  await row.getByText("Tag: VIP").waitFor();
  const [truth] = await app.database.query<{ customers: number }>(
    `SELECT count(*)::int AS customers FROM storefront_users u WHERE shop = $1 AND country = 'GB'
      AND status <> 'deleted'`,
    [shop],
  );
  const number = row.getByRole("link", { name: /^Customers in segment The British: / });
  await number.getByText(String(truth?.customers), { exact: true }).waitFor();
  await row.getByText("None yet").waitFor();

  await row.getByRole("button", { name: "Add tags: The British" }).click();
  await dialog.getByLabel("Tag", { exact: true }).fill("gala");
  await dialog.getByRole("button", { name: "Use this tag" }).click();
  await dialog.getByRole("button", { name: "Preview" }).click();
  await dialog.getByText("Customers that will change: 1 of 1").waitFor();
  await dialog.getByRole("button", { name: "Add tags (1)" }).click();
  await page.getByText("Customers with changed tags: 1.").waitFor();
  await row.getByText("Customers with changed tags: 1").waitFor();
  expect([await tagsOf(app.database, shop, ada), await tagsOf(app.database, shop, bob)]).toEqual([
    ["gala", "vip"],
    [],
  ]);

  await row.getByRole("button", { name: "More: The British" }).click();
  expect(await findA11yViolations(page)).toEqual([]);
  expect(await page.getByRole("menuitem", { name: "Send to customer profiles" }).count()).toBe(0);
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("menuitem", { name: "Export CSV" }).click(),
  ]);
  expect(file.suggestedFilename()).toBe("The British.csv");
  const lines = readFileSync(await file.path(), "utf8")
    .trim()
    .split("\r\n");
  expect(lines).toHaveLength(2);
  expect(lines[1]).toContain("Ada");
  expect(
    await app.database.query(
      `SELECT action, count, place FROM access_log WHERE shop = $1 AND action <> 'listed' ORDER BY id`,
      [shop],
    ),
  ).toEqual([
    { action: "changed", count: 1, place: "/app/segments start_tags" },
    { action: "exported", count: 1, place: "/app/customers/export" },
  ]);
});

test("the screen without segments leads to the customers; a segment is renamed and deleted, and who edits an older version is asked to look again", async () => {
  const page = await open("/app/segments");
  await page.getByText("Save a filter as a segment").waitFor();
  await page.getByRole("button", { name: "Filter customers" }).waitFor();
  expect(await findA11yViolations(page)).toEqual([]);
  await visit.leave();

  await insert(shop, "Everybody", {});
  await insert(shop, "Second", { active: "-365" });
  const again = await open("/app/segments");
  const named = again.getByRole("dialog");
  const ask = async (name: string, item: string) => {
    await again.getByRole("button", { name: `More: ${name}` }).click();
    await again.getByRole("menuitem", { name: item }).click();
  };
  await ask("Everybody", "Rename");
  await named.getByLabel("Segment name").fill("second");
  await named.getByRole("button", { name: "Rename" }).click();
  await named.getByText("A segment with this name already exists.").waitFor();
  // Somebody else is faster.
  await app.database.query(
    "UPDATE segments SET name = 'Faster', version = version + 1 WHERE shop = $1 AND name = 'Everybody'",
    [shop],
  );
  await named.getByLabel("Segment name").fill("Slower");
  await named.getByRole("button", { name: "Rename" }).click();
  await named.getByText("Someone else changed this segment.").waitFor();
  await named.getByRole("button", { name: "Cancel" }).click();
  await again.getByRole("link", { name: "Faster", exact: true }).waitFor();
  await ask("Faster", "Rename");
  await named.getByLabel("Segment name").fill("First");
  await named.getByRole("button", { name: "Rename" }).click();
  await again.getByRole("link", { name: "First", exact: true }).waitFor();
  await ask("Second", "Delete");
  await named.getByText("Customers and their tags stay.").waitFor();
  await named.getByRole("button", { name: "Delete" }).click();
  await again.getByText("Segment deleted").waitFor();
  expect(await app.database.query("SELECT name FROM segments WHERE shop = $1", [shop])).toEqual([
    { name: "First" },
  ]);
});

test("another store's segments are not shown, edited, exported or used, and nothing works without a session", async () => {
  const [theirs] = await insert(OTHER, "Theirs alone", {});
  await putPerson(app.database, OTHER, { full_name: "Foreign" });
  const id = theirs?.id as string;
  const page = await open("/app/segments");
  expect(await page.getByText("Theirs alone").count()).toBe(0);
  const answers = await page.evaluate(async (segment) => {
    const send = async (path: string, body: object) =>
      (
        await fetch(path, {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify(body),
        })
      ).text();
    const selection = { segment };
    return [
      await send("/app/segments.data?index", {
        intent: "rename",
        id: segment,
        version: 1,
        name: "M",
      }),
      await send("/app/segments.data?index", { intent: "start_tags", selection, add: ["mine"] }),
      await send("/app/segments.data?index", { intent: "start_action", kind: "erase", selection }),
      await send("/app/segments.data?index", {
        intent: "start_action",
        kind: "profile",
        selection: { filter: {} },
      }),
      await send("/app/customers.data?index", {
        intent: "change_segment",
        id: segment,
        version: 1,
        filter: {},
        sort: "name asc",
      }),
      await send("/app/customers.data?index", {
        intent: "create_segment",
        name: "Bad",
        filter: { country: ["FR"] },
      }),
      String((await fetch(`/app/customers/export?segment=${segment}`)).status),
      String((await fetch("/app/customers/export?segment=x")).status),
    ];
  }, id);
  expect(answers.map((text) => /not_found|invalid_request|40\d/.exec(text)?.[0])).toEqual([
    "not_found",
    "not_found",
    "invalid_request",
    "invalid_request",
    "not_found",
    "invalid_request",
    "404",
    "400",
  ]);
  const plain = await fetch(`${app.url}/app/segments?shop=${shop}`, {
    headers: { "User-Agent": "Mozilla/5.0" },
    redirect: "manual",
  });
  expect(plain.status).toBe(302);
  expect(
    await app.database.query("SELECT name, version FROM segments WHERE shop = $1", [OTHER]),
  ).toEqual([{ name: "Theirs alone", version: 1 }]);
  expect(
    await app.database.query("SELECT 1 FROM tag_runs WHERE shop = ANY($1)", [[shop, OTHER]]),
  ).toEqual([]);
  await visit.close();
});

test("at 390 px and in French and Spanish everything is there, also where customer profiles are connected", async () => {
  await app.connect(shop, {
    fields: {
      profile_platform_enabled: true,
      profile_platform_url: app.sandbox.addresses.profilePlatformUrl,
    },
  });
  await putPerson(app.database, shop, {
    full_name: "Ada",
    email: "a@x.example",
    country: "FR",
    consents: ["marketing"],
    tags: ["vip", "gala"],
  });
  await insert(shop, "Un segment dont le nom est assez long", {
    tag: ["vip", "gala"],
    consent: ["marketing"],
    active: "365",
    country: "FR",
  });
  const page = await open("/app/segments", { locale: "fr", viewport: { width: 390, height: 844 } });
  await page
    .getByText("Tag\u00a0: GALA et VIP")
    .or(page.getByText("Tag\u00a0: VIP et GALA"))
    .waitFor();
  await page.getByRole("link", { name: /^Clients du segment/ }).waitFor();
  expect(await findOverflow(page)).toBe(0);
  expect(await findCellsOutside(page)).toEqual([]);
  await page.getByRole("button", { name: /^Plus/ }).click();
  await page.getByRole("menuitem", { name: "Envoyer aux profils clients" }).click();
  const dialog = page.getByRole("dialog");
  expect(await findA11yViolations(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Envoyer (1)" }).click();
  await page.getByText("Clients remis pour livraison\u00a0: 1.").waitFor();
  expect(
    await app.database.query(
      "SELECT channel FROM integration_queue WHERE shop = $1 AND event_type = 'customer.segment_sent'",
      [shop],
    ),
  ).toEqual([{ channel: "profile_platform" }]);
  await visit.leave();
  const spanish = await open("/app/segments", { locale: "es" });
  await spanish.getByRole("columnheader", { name: "Última ejecución" }).last().waitFor();
});
