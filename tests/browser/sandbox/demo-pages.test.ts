// The demo in a real browser: the simulated store, its admin around the app, and every link of both.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { findA11yViolations, findOverflow } from "../../support/browser/accessibility.ts";
import { crawl } from "../../support/browser/crawler.ts";
import { openBrowser, type Visit } from "../../support/browser/browser.ts";
import { adminUrl } from "../../support/browser/screens-server.ts";
import { callAdminApi } from "../../../app/domain/tenants/storefront/admin-api.ts";
import { FLOW_TRIGGER_RECEIVE } from "../../../app/integrations/storefront/documents.ts";
import { eventually, SHOP, startService, type Service } from "../../support/service.ts";
import { installStore } from "../../support/storefront/synced-store.ts";

const HOSTILE = `<img src=x onerror="document.title='broken'">`;
const WIDTHS = [1_280, 390];
const ADMIN = `/storefront/${SHOP}/admin`;
const STORE = `/store/${SHOP}`;
const APP = `${ADMIN}/apps/customer-identity`;
const EDITOR = `${ADMIN}/themes/current/editor`;

let service: Service;
let browser: Awaited<ReturnType<typeof openBrowser>>;
let customerId: string;
let productPath: string;

beforeAll(async () => {
  [service, browser] = await Promise.all([
    startService({ withScreens: true, isFramed: true }),
    openBrowser(),
  ]);
  const { storefront, url } = service.sandbox;
  await installStore(service, SHOP, { allowed_origins: [url] });
  storefront.furnish(SHOP);
  const product = storefront.putProduct(SHOP, { title: `Rope ${HOSTILE}`, vendor: HOSTILE });
  productPath = `${STORE}/products/${product.handle}`;
  const customer = storefront.putCustomer(SHOP, {
    firstName: HOSTILE,
    lastName: "Hopper",
    email: "grace@example.com",
    note: `</textarea>${HOSTILE}`,
    tags: [HOSTILE],
  });
  customerId = customer.gid.split("/").at(-1) as string;
  const variantGid = product.variants[0]?.gid as string;
  storefront.putOrder(SHOP, {
    customerGid: customer.gid,
    lines: [{ variantGid, quantity: 2 }],
    attributes: [{ key: HOSTILE, value: HOSTILE }],
  });
  await callAdminApi(service.ctx, SHOP, {
    document: FLOW_TRIGGER_RECEIVE,
    variables: {
      handle: "tag-added",
      payload: { customer_id: customerId, Tag: HOSTILE, "Change id": "c" },
    },
  });
  await fetch(`${url}${ADMIN}/flow`, {
    method: "POST",
    body: new URLSearchParams({ action: "add-tag", customer_id: customerId, tag: HOSTILE }),
  });
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});
beforeEach(() => service.sandbox.storefront.furnish(SHOP));

const origins = () => [service.url, service.sandbox.url];
async function open(path: string, width = 1_280): Promise<Visit> {
  const visit = await browser.visit(origins(), { viewport: { width, height: 800 } });
  await visit.page.goto(service.sandbox.url + path);
  return visit;
}
const banner = ({ page }: Visit) => page.getByRole("region", { name: "Your privacy" });

test("the demo store's script and frame of others wait for the visitor's consent", async () => {
  const visit = await open(STORE);
  const { page } = visit;
  const asked: string[] = [];
  page.on("request", (request) => {
    const [, file] = request.url().split("/partners/");
    if (file) asked.push(file);
  });
  const says = (text: string) => page.getByText(text, { exact: true }).waitFor();
  await banner(visit).waitFor();
  await page.getByText("Data layer and privacy API", { exact: true }).click();
  await says("The script for marketing waits.");
  expect(asked).toEqual([]);
  await page.getByRole("button", { name: "Accept all", exact: true }).click();
  await says("The script for marketing runs.");
  await page.frameLocator("[title='A frame for analytics']").getByText("is loaded").waitFor();
  expect(asked.toSorted()).toEqual(["frame.html", "pixel.js"]);
  await visit.close();
});

test("no link of the demo, the admin and the store leads to a missing page, and no page logs an error", async () => {
  const found = await crawl(browser, { start: service.sandbox.url, origins: origins() });
  expect(found.problems).toEqual([]);
  const paths = found.visited.map((address) => new URL(address).pathname);
  for (const path of [
    STORE,
    `${STORE}/cart`,
    `${STORE}/pages/account`,
    `${STORE}/policies/refund-policy`,
    `${ADMIN}/customers/${customerId}`,
    `${ADMIN}/settings`,
    EDITOR,
    `${APP}/app/consent`,
    `${APP}/app/settings`,
  ])
    expect(paths).toContain(path);
  // Every page of the demo.
}, 240_000);

test.each(WIDTHS)(
  "the pages of store and admin are accessible and fit a window of %i px, and hostile names stay text",
  async (width) => {
    const visit = await open(STORE, width);
    const { page, errors } = visit;
    for (const path of [
      STORE,
      productPath,
      `${STORE}/pages/account`,
      ADMIN,
      `${ADMIN}/customers`,
      `${ADMIN}/customers/${customerId}`,
      `${ADMIN}/orders`,
      `${ADMIN}/products`,
      `${ADMIN}/flow`,
      `${EDITOR}?addAppBlockId=client/account`,
    ]) {
      await page.goto(service.sandbox.url + path);
      expect([path, await findA11yViolations(page, { strict: true })]).toEqual([path, []]);
      expect([path, await findOverflow(page)]).toEqual([path, 0]);
      expect(await page.title()).not.toBe("broken");
    }
    expect(errors).toEqual([]);
    await visit.close();
  },
);

test("the admin shows the app in a frame, its menu at the side and its address in the window", async () => {
  const { page, errors, foreign, close } = await open(`${APP}/app/customers?status=active`);
  const frame = page.frameLocator("iframe");
  await frame.getByRole("heading", { name: "Customers", level: 1 }).waitFor();
  const menu = page.getByRole("navigation", { name: "Store admin" });
  const entry = (name: string) => menu.locator("[data-app-menu]").getByRole("link", { name });
  await expect.poll(() => entry("Customers").getAttribute("aria-current")).toBe("page");
  expect(await frame.locator("ui-nav-menu").isVisible()).toBe(false);
  await entry("Consent").click();
  await frame.getByRole("heading", { name: "Consent", level: 1 }).waitFor();
  await expect.poll(() => page.url()).toBe(`${service.sandbox.url}${APP}/app/consent`);
  await page.reload();
  await frame.getByRole("heading", { name: "Consent", level: 1 }).waitFor();
  expect([errors, foreign]).toEqual([[], []]);
  await close();
});

test("only the simulated admin frames the app there", async () => {
  const answer = await fetch(await adminUrl(service, SHOP, "/app"), {
    redirect: "manual",
    headers: { "User-Agent": "Mozilla/5.0 Chrome/153.0.0.0" },
  });
  expect(answer.headers.get("content-security-policy")).toContain(
    `frame-ancestors https://${SHOP} ${service.sandbox.url};`,
  );
});

test("a switch of the theme editor changes the store once it is saved", async () => {
  const visit = await open(EDITOR);
  const { page } = visit;
  const press = (name: string) => page.getByRole("switch", { name }).click();
  await press("Consent and analytics");
  await press("Customer account");
  await page.getByText("Settings of Privacy links").click();
  await page.getByLabel("Alignment").selectOption("center");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved").waitFor();
  await page.goto(`${service.sandbox.url}${STORE}/pages/account`, { waitUntil: "networkidle" });
  expect(await page.content()).not.toContain("data-crm-theme");
  expect(await page.content()).toContain("--crm-align: center");
  await page.getByText("has not added the account block").waitFor();

  // As the setup guide links to it: prepared, shown in the preview, and not saved.
  const link = `${EDITOR}?context=apps&template=index&activateAppId=client%2Fconsent`;
  await page.goto(service.sandbox.url + link);
  await page.getByText("Unsaved changes").waitFor();
  const preview = page.frameLocator("iframe");
  await preview.getByRole("region", { name: "Your privacy" }).waitFor();
  const consent = () =>
    JSON.stringify(service.sandbox.storefront.extensions(SHOP)).includes(
      '"target":"compliance_head","status":"active"',
    );
  expect(consent()).toBe(false);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved").waitFor();
  expect(consent()).toBe(true);
  await page.goto(service.sandbox.url + STORE);
  await banner(visit).waitFor();
  await visit.close();
});

test("a customer who is changed in the admin, and an order from the store's cart, reach the app as webhooks", async () => {
  const { storefront } = service.sandbox;
  for (const topic of ["customers/update", "orders/create"])
    storefront.subscribe(SHOP, topic, `${service.url}/health?${topic}`);
  const visit = await open(`${ADMIN}/customers/${customerId}`);
  const { page } = visit;
  await page.getByLabel("Last name").fill("Murray");
  await page.getByLabel("Subscribed to email marketing").check();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("The store sends its webhooks now").waitFor();
  expect(storefront.customer(SHOP, `gid://shopify/Customer/${customerId}`)).toMatchObject({
    firstName: HOSTILE,
    lastName: "Murray",
    tags: [HOSTILE],
    emailMarketingState: "SUBSCRIBED",
  });

  await page.getByRole("link", { name: "Visit the store as this customer" }).click();
  await page.getByRole("button", { name: "Reject all" }).click();
  await page.goto(service.sandbox.url + productPath);
  await page.getByLabel("Quantity").fill("3");
  await page.getByRole("button", { name: "Add to cart" }).click();
  await page.getByRole("button", { name: "Check out" }).click();
  await page.getByRole("button", { name: "Pay now" }).click();
  await page.getByRole("heading", { name: "Thank you for your order" }).waitFor();
  await storefront.echoesSent();
  const topics = storefront.deliveries().map(({ topic }) => topic);
  expect(topics).toEqual(expect.arrayContaining(["customers/update", "orders/create"]));
  await page.goto(`${service.sandbox.url}${ADMIN}/orders`);
  await page.getByRole("link", { name: "#1002" }).click();
  await page.getByRole("link", { name: `${HOSTILE} Murray` }).waitFor();
  await page.getByRole("cell", { name: `Rope ${HOSTILE}` }).waitFor();
  await visit.close();
});

test("an action of Flow is run with a signed request, and sent again it changes nothing", async () => {
  const visit = await open(`${ADMIN}/flow`);
  const { page } = visit;
  const form = page.locator("section", { hasText: "Add customer tag" }).first();
  await form.locator("[name=customer_id]").fill("5");
  await form.locator("[name=tag]").fill("vip");
  await form.getByRole("button", { name: "Run action" }).click();
  const row = page.getByRole("row").filter({ hasText: "404, failed" }).first();
  await row.getByText("The app does not know this customer.").waitFor();
  const before = await page.getByRole("button", { name: /again/ }).count();
  await row.getByRole("button", { name: /again/ }).click();
  await eventually(
    "the second answer",
    async () => (await page.getByRole("button", { name: /again/ }).count()) === before + 1,
  );
  await visit.close();
});

test("no other site posts to the store or its admin", async () => {
  const before = JSON.stringify(service.sandbox.stateOf("storefront"));
  const forms = [`${ADMIN}/customers/${customerId}`, `${ADMIN}/flow`, EDITOR, `${STORE}/checkout`];
  for (const path of forms) {
    const answer = await fetch(service.sandbox.url + path, {
      method: "POST",
      headers: { origin: "https://elsewhere.example", "sec-fetch-site": "cross-site" },
      body: new URLSearchParams({ first_name: "Eve", email: "eve@example.com" }),
    });
    expect([path, answer.status]).toEqual([path, 403]);
  }
  expect(JSON.stringify(service.sandbox.stateOf("storefront"))).toBe(before);
});
