// General behaviour of all screens: input is kept, the back button works, and the focus stays.
import type { Page, Request } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { findOverflow } from "../../support/browser/accessibility.ts";
import {
  useMerchant,
  type ScreenOptions,
  type ScreenVisit,
} from "../../support/browser/merchant.ts";
import { putPerson } from "../../support/storefront/customers.ts";
import { eventually } from "../../support/service.ts";

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
const focused = (page: Page) =>
  page.evaluate(() =>
    (
      document.activeElement?.getAttribute("aria-label") ??
      document.activeElement?.textContent ??
      ""
    ).trim(),
  );
const isFocused = (page: Page, name: string) =>
  eventually(`the keyboard at ${name}`, async () => (await focused(page)) === name);

test.each([
  ["/app/customers", "Search by name, email, phone or number"],
  ["/app/tags", "Search by the beginning of a name"],
])(
  "%s: what is typed while the list is searched stays as it is typed, and going back changes it",
  async (path, name) => {
    await putPerson(app.database, shop, { full_name: "Grace", tags: ["gala"] });
    const page = await open(path);
    const field = page.getByPlaceholder(name);
    let answer = () => {};
    const asked = new Promise<void>((held) => {
      void page.route(
        (url) => url.searchParams.get("q") === "gr",
        async (route) => {
          held();
          await new Promise<void>((go) => (answer = go));
          await route.continue();
        },
        { times: 1 },
      );
    });
    await field.fill("gr");
    await asked;
    const isAsked = (request: Request) => new URL(request.url()).searchParams.get("q") === "gr";
    // The page cancels a search that a newer one replaces.
    const isOver = Promise.any([
      page.waitForEvent("requestfinished", isAsked),
      page.waitForEvent("requestfailed", isAsked),
    ]);
    await field.press("End");
    await field.pressSequentially("a");
    answer();
    await isOver;
    await field.pressSequentially("c");
    await page.waitForURL(/[?&]q=grac\b/);
    expect(await field.inputValue()).toBe("grac");
    await page.goBack();
    await eventually(
      "what was searched for before",
      async () => (await field.inputValue()) === (new URL(page.url()).searchParams.get("q") ?? ""),
    );
    await visit.leave();
  },
);

test("closing a dialog returns the focus to the button that opened it", async () => {
  const id = await putPerson(app.database, shop, {
    full_name: "Ada",
    email: "ada@x.example",
    gid: "gid://shopify/Customer/1",
    tags: ["gala"],
  });
  const page = await open("/app/tags");
  await page.getByRole("button", { name: "Create tag" }).press("Enter");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  // The browser moves the focus before it tells the page that the dialog has closed.
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await isFocused(page, "Create tag");
  await page.getByRole("button", { name: "Rename: GALA" }).press("Enter");
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).press("Enter");
  await isFocused(page, "Rename: GALA");
  await visit.leave();

  const customer = await open(`/app/customers/${id}`, { viewport: { width: 390, height: 844 } });
  await customer.getByRole("button", { name: "Suspend account" }).press("Enter");
  await customer.getByRole("dialog").getByRole("button", { name: "Cancel" }).press("Enter");
  await isFocused(customer, "Suspend account");
});

test("a closing dialog takes the focus from nobody who is already elsewhere", async () => {
  await putPerson(app.database, shop, { full_name: "Ada", tags: ["gala"] });
  const page = await open("/app/tags");
  await page.getByRole("button", { name: "Create tag" }).press("Enter");
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).waitFor();
  await page.evaluate(async () => {
    const dialog = document.querySelector("dialog[open]") as HTMLDialogElement;
    const isClosed = new Promise<void>((closed) =>
      new MutationObserver(() => dialog.isConnected || closed()).observe(document.body, {
        childList: true,
      }),
    );
    [...dialog.querySelectorAll("button")]
      .find(({ textContent }) => textContent === "Cancel")
      ?.click();
    await isClosed;
    document.querySelector<HTMLElement>("[aria-label='Rename: GALA']")?.focus();
    const frame = () => new Promise((drawn) => requestAnimationFrame(drawn));
    await frame();
    await frame();
  });
  expect(await focused(page)).toBe("Rename: GALA");
});

test("paging and filtering keep the focus", async () => {
  await app.database.query(
    `INSERT INTO storefront_users (shop, full_name) SELECT $1, 'Person ' || lpad(n::text, 3, '0')
      FROM generate_series(1, 120) AS n`,
    [shop],
  );
  const page = await open("/app/customers?sort=name+asc");
  await page.getByRole("button", { name: "Next page" }).press("Enter");
  await page.getByRole("link", { name: "Person 051" }).waitFor();
  await isFocused(page, "Next page");
  await visit.leave();
  const privacy = await open("/app/privacy?kind=data_request");
  await privacy.getByRole("button", { name: "Status", exact: true }).press("Enter");
  await privacy.getByRole("radio", { name: "Open" }).press("Space");
  await privacy.waitForURL(/state=open/);
  await privacy.keyboard.press("Escape");
  await isFocused(privacy, "Status: Open");
  await privacy.goBack();
  await privacy.getByRole("button", { name: "Status", exact: true }).waitFor();
});

test("a selection on one page of the list does not carry over to the next", async () => {
  await app.database.query(
    `INSERT INTO storefront_users (shop, full_name) SELECT $1, 'Person ' || lpad(n::text, 3, '0')
      FROM generate_series(1, 60) AS n`,
    [shop],
  );
  const page = await open("/app/customers?sort=name+asc");
  await page.getByRole("checkbox", { name: "Person 001" }).click();
  await page.getByText("1 selected").first().waitFor();
  await page.getByRole("button", { name: "Next page" }).press("Enter");
  await page.getByRole("link", { name: "Person 051" }).waitFor();
  expect(await page.getByRole("checkbox", { checked: true }).count()).toBe(0);
});

test("a very long name and address wrap, without narrowing other columns or scrolling sideways on a phone", async () => {
  const [name, email] = [
    "Wolfeschlegelsteinhausenbergerdorff-Featherstonehaugh-von-und-zu",
    `${"averylongaddress".repeat(4)}@${"subdomain.".repeat(6)}example`,
  ];
  const id = await putPerson(app.database, shop, { full_name: name, email, country: "GB" });
  const page = await open("/app/customers");
  const cell = await page.getByRole("cell", { name: "United Kingdom" }).boundingBox();
  expect((cell?.x ?? 9_999) + (cell?.width ?? 0)).toBeLessThan(1_100);
  await visit.leave();
  for (const path of ["/app/customers", `/app/customers/${id}`]) {
    const phone = await open(path, { viewport: { width: 390, height: 844 } });
    expect(await findOverflow(phone)).toBe(0);
    expect(
      await phone
        .getByText(email)
        .first()
        .evaluate((text) => text.getBoundingClientRect().right <= window.innerWidth),
    ).toBe(true);
    await visit.leave();
  }
});

test("the filter for one destination does not hide that another has dead letters", async () => {
  await app.database.query(
    `INSERT INTO integration_queue (shop, event_id, channel, source, event_type, entity_type,
      entity_id, status, dead_lettered_at)
      VALUES ($1, 'e1', 'cms', 'backend', 't', 'customer', '1', 'dead_letter', now())`,
    [shop],
  );
  const page = await open("/app/events/dead-letters?channel=email");
  await page.getByText("Clear all").waitFor();
  expect(await page.getByText("No failed events").count()).toBe(0);
});

test("an unreachable service is reported beside the button and polled again for a run; the page keeps its input", async () => {
  const id = await putPerson(app.database, shop, { full_name: "Ada", tags: ["gala"] });
  const isUnreached = (text: string) => text.includes("Failed to load resource");
  const page = await open("/app/tags");
  await page.getByRole("button", { name: "Rename: GALA" }).click();
  await page.getByRole("dialog").getByLabel("Name").fill("Night of galas");
  await page.route("**/app/tags.data**", (route) => route.abort(), { times: 1 });
  await page.getByRole("dialog").getByRole("button", { name: "Rename" }).click();
  await page.getByText("We couldn't reach the service.").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Rename" }).click();
  await page.getByText("Night of galas").waitFor();
  expect(visit.errors.filter((text) => !isUnreached(text))).toEqual([]);
  await visit.close();

  await app.database.query(
    `INSERT INTO tag_runs (shop, id, add, last_id, total, state)
      VALUES ($1, gen_random_uuid(), '{vip}', $2, 1, 'waiting')`,
    [shop, id],
  );
  const list = await open("/app/customers");
  await list.getByText("The change is waiting to start").waitFor();
  for (const answer of ["abort", "starting"]) {
    const asked = list.waitForRequest("**/app/customers/tag-run?**");
    await list.route(
      "**/app/customers/tag-run?**",
      (route) =>
        answer === "abort" ? route.abort() : route.fulfill({ status: 503, body: answer }),
      { times: 1 },
    );
    await asked;
  }
  await app.database.query(
    "UPDATE tag_runs SET state = 'done', finished_at = now(), changed = 1 WHERE shop = $1",
    [shop],
  );
  await list.getByText("Customers with changed tags: 1.").waitFor();
  expect(visit.errors.filter((text) => !isUnreached(text))).toEqual([]);
  await visit.close();
});

test("during the first import an unreachable service makes the page wait, and it shows the customers afterwards", async () => {
  const page = await open("/app/customers");
  await page.getByRole("button", { name: "Sync customers now" }).click();
  await page.getByText("Customers are being imported").waitFor();
  const away = ["**/health", "**/app/customers.data**"];
  for (const address of away) await page.route(address, (route) => route.abort());
  await page.waitForRequest("**/health");
  await page.waitForRequest("**/health");
  await page.getByText("Customers are being imported").waitFor();
  for (const address of away) await page.unroute(address);
  await putPerson(app.database, shop, { full_name: "Ada" });
  await page.getByRole("link", { name: "Ada" }).waitFor();
  expect(visit.errors.filter((text) => !text.includes("Failed to load resource"))).toEqual([]);
  await visit.close();
});
