// The app's extensions in the store admin, as staff meets them: the block on a customer's page, and the
// segment action, in frames without an origin, with the platform's elements only.
import type { Frame, Page } from "playwright-core";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { changeTenantRecord } from "../../../app/domain/tenants/tenant-record.ts";
import { findA11yViolations, findOverflow } from "../../support/browser/accessibility.ts";
import { useMerchant } from "../../support/browser/merchant.ts";
import { putPerson, tagsOf } from "../../support/storefront/customers.ts";

const SHOP = "extension-store.myshopify.com";
const DESKTOP = { width: 1_280, height: 900 };
const PHONE = { width: 390, height: 844 };
const app = useMerchant({ background: true, isFramed: true });
let admin: string;
let ada: number;
let segment: string;

beforeAll(async () => {
  await app.connect(SHOP, { fields: { enabled_channels: ["cms"] }, scope: "write_customers" });
  admin = `${app.sandbox.url}/storefront/${SHOP}/admin`;
  const { storefront } = app.sandbox;
  const people = ["Ada", "Grace", "Mary"].map((firstName) =>
    storefront.putCustomer(SHOP, { firstName, lastName: "Lovelace", countryCode: "IT" }),
  );
  const query = "customer_countries CONTAINS 'IT'";
  segment = storefront.putSegment(SHOP, { name: "Italy", query }).gid.split("/").at(-1) as string;
  ada = await putPerson(app.database, SHOP, {
    gid: people[0]?.gid ?? "",
    full_name: "Ada Lovelace",
    email: "ada@shopper.example",
    tags: ["gala", "autumn_fair"],
    consents: ["marketing", "tos"],
  });
  await app.database.query(
    "UPDATE storefront_users SET tags = tags || '[\"Wholesale\"]' WHERE id = $1",
    [ada],
  );
  await putPerson(app.database, SHOP, { gid: people[1]?.gid ?? "", full_name: "Grace" });
});
beforeEach(() => app.sandbox.clearFaults());

/** The frame of the only extension of the page, once it shows something. */
async function extension(page: Page): Promise<Frame> {
  const place = page.locator(".ui-extension[data-state=rendered]");
  await place.waitFor();
  // A frame of another origin has its height only once it can be seen.
  await place.scrollIntoViewIfNeeded();
  const frame = page.frames().find((one) => one.url().includes("/ui-extensions/"));
  if (!frame) throw new Error("there is no extension");
  return frame;
}
async function visit(path: string, viewport = DESKTOP) {
  const opened = await app.browser.visitAgain([app.url, app.sandbox.url], { viewport });
  await opened.page.goto(`${admin}${path}`);
  return opened;
}
const isSound = async (page: Page, frame: Frame) => [
  await findOverflow(page),
  await findA11yViolations(page),
  await findA11yViolations(frame),
];

test("staff sees on a customer's page consents, tags, systems and events in three languages, and goes on to the app's page", async () => {
  const { page, errors, foreign, close } = await visit("/customers");
  await page.getByRole("link", { name: "Ada Lovelace" }).click();
  const inAdmin = page.url();
  for (const [locale, heading, granted, link, viewport] of [
    ["en", "Consents and tags", "Granted", "Open the full customer page", DESKTOP],
    ["es", "Consentimientos y etiquetas", "Concedido", "Abrir la página completa", PHONE],
    ["fr", "Consentements et tags", "Accordé", "Ouvrir la page complète", PHONE],
  ] as const) {
    await page.setViewportSize(viewport);
    await page.goto(`${inAdmin}?locale=${locale}`);
    const frame = await extension(page);
    await frame.getByRole("heading", { name: heading }).waitFor();
    await frame.getByRole("link", { name: link }).waitFor();
    expect(await frame.getByText(granted, { exact: true }).count()).toBe(2);
    for (const text of ["GALA", "Wholesale"])
      await frame.getByText(text, { exact: true }).waitFor();
    expect([locale, ...(await isSound(page, frame))]).toEqual([locale, 0, [], []]);
  }
  const [opened] = await Promise.all([
    page.waitForEvent("popup"),
    (await extension(page)).getByRole("link", { name: "Ouvrir la page complète" }).click(),
  ]);
  await opened.waitForURL(new RegExp(`/app/customers/${ada}`));
  expect(
    await app.database.query(
      "SELECT DISTINCT action, user_id FROM access_log WHERE place = 'GET /extensions/admin/customer'",
    ),
  ).toEqual([{ action: "viewed", user_id: ada }]);
  expect([errors, foreign]).toEqual([[], []]);
  await close();
});

test("the block shows times in the store's zone, wherever the reader is", async () => {
  const zone = "Pacific/Kiritimati";
  await changeTenantRecord(app.ctx, SHOP, { connection: { time_zone: zone } });
  const [{ at }] = await app.database.query(
    "SELECT max(assigned_at) AS at FROM user_tag_map WHERE user_id = $1",
    [ada],
  );
  const shown = new Intl.DateTimeFormat("en", {
    dateStyle: "medium",
    timeStyle: "short",
    timeZone: zone,
  }).format(at);
  const { page, close } = await visit("/customers");
  await page.getByRole("link", { name: "Ada Lovelace" }).click();
  await (await extension(page)).getByText(shown).first().waitFor();
  await close();
});

test("the block says that a customer is not known, and that the app is not reached, and asks again", async () => {
  const unknown = app.sandbox.storefront
    .customers(SHOP)
    .find(({ firstName }) => firstName === "Mary");
  const { page, errors, close } = await visit(`/customers/${unknown?.gid.split("/").at(-1)}`);
  const frame = await extension(page);
  await frame.getByText("The app doesn't know this customer yet.").waitFor();
  await app.database.query("ALTER TABLE storefront_users RENAME TO away");
  try {
    await page.reload();
    await (await extension(page)).getByText("The app couldn't be reached.").waitFor();
  } finally {
    await app.database.query("ALTER TABLE away RENAME TO storefront_users");
  }
  const again = await extension(page);
  expect(await isSound(page, again)).toEqual([0, [], []]);
  await again.getByRole("button", { name: "Try again" }).click();
  await again.getByText("The app doesn't know this customer yet.").waitFor();
  // The answer that failed is the browser's own line.
  expect(errors.filter((text) => !text.includes("500"))).toEqual([]);
  await close();
});

test("a segment's customers get a tag from the admin, with the keyboard, and staff sees what happened", async () => {
  const { page, errors, foreign, close } = await visit("/customers/segments");
  await page.getByRole("link", { name: "Italy" }).click();
  await page.getByRole("button", { name: "Use segment" }).click();
  await page.getByRole("link", { name: "Assign a tag" }).click();
  const frame = await extension(page);
  await frame.getByText("3 customers in “Italy”").waitFor();
  expect(await frame.getByRole("button", { name: "Assign tag" }).isDisabled()).toBe(true);
  await frame.getByLabel("Tag").selectOption({ label: "AUTUMN_FAIR" });
  expect(await isSound(page, frame)).toEqual([0, [], []]);
  await frame.getByRole("button", { name: "Assign tag" }).focus();
  await page.keyboard.press("Enter");
  await frame.getByText("Done: 1 customer got the tag “AUTUMN_FAIR”.").waitFor();
  await frame.getByText("1 customer already had it.").waitFor();
  await frame.getByText("The app doesn't know 1 customer yet").waitFor();
  expect(await isSound(page, frame)).toEqual([0, [], []]);
  expect(await tagsOf(app.database, SHOP, ada + 1)).toContain("autumn_fair");
  await frame.getByRole("button", { name: "Close" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  for (const [locale, tag, button] of [
    ["es", "3 clientes en «Italy»", "Asignar etiqueta"],
    ["fr", "3 clients dans « Italy »", "Attribuer le tag"],
  ] as const) {
    await page.setViewportSize(PHONE);
    await page.goto(`${admin}/customers/segments/${segment}?locale=${locale}&action`);
    const opened = await extension(page);
    await opened.getByText(tag).waitFor();
    await opened.getByRole("button", { name: button }).waitFor();
    expect([locale, ...(await isSound(page, opened))]).toEqual([locale, 0, [], []]);
  }
  expect([errors, foreign]).toEqual([[], []]);
  await close();
});

test("staff who follows a run while the app is uninstalled reads that, and follows it again after an install", async () => {
  const changeUninstalledAt = (at: string | null) =>
    changeTenantRecord(app.ctx, SHOP, { connection: { uninstalled_at: at } });
  await app.database.query(
    `INSERT INTO tag_runs (shop, id, store_segment, add, remove, state, total, last_id, processed, locked_until)
      VALUES ($1, gen_random_uuid(), $2, '{autumn_fair}', '{}', 'running', 3, 0, 1, now() + interval '1 hour')`,
    [SHOP, `gid://shopify/Segment/${segment}`],
  );
  const { page, close } = await visit(`/customers/segments/${segment}?action`);
  const frame = await extension(page);
  await frame.getByText("1 of 3 customers done").waitFor();
  await changeUninstalledAt(new Date().toISOString());
  await frame.getByText("The app didn't accept the request.").waitFor();
  expect(await frame.getByText("1 of 3 customers done").count()).toBe(0);
  expect(await isSound(page, frame)).toEqual([0, [], []]);
  await changeUninstalledAt(null);
  await frame.getByRole("button", { name: "Try again" }).click();
  await frame.getByText("1 of 3 customers done").waitFor();
  await app.database.query("DELETE FROM tag_runs WHERE shop = $1 AND state = 'running'", [SHOP]);
  // A run that is gone is not asked for again.
  await frame.getByText("3 customers in “Italy”").waitFor();
  await close();
});

test("the screen of places says that the block was shown", async () => {
  const merchant = await app.open("/app/settings/places", { shop: SHOP, viewport: DESKTOP });
  const { page } = merchant;
  await page.getByRole("button", { name: "Test: Store admin: customers and segments" }).click();
  await page.getByText("The block was shown to your staff.").waitFor();
  expect(await findA11yViolations(page)).toEqual([]);
  await merchant.leave();
});
