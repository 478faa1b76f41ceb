// The merchant's consent screens in a real browser against the whole service.
import { readFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { formatRate } from "../../../app/components/i18n/format-number.ts";
import { toCursor } from "../../../app/http/paging.ts";
import { findCellsOutside } from "../../support/browser/accessibility.ts";
import { checkpoint, signUp, syncAnonymous, syncAs, tamper } from "../../support/consent.ts";
import { expectHealthyPage, useMerchant } from "../../support/browser/merchant.ts";
import { adminUrl, askAs } from "../../support/browser/screens-server.ts";
import { chooseFilter, typeFilter } from "../../support/browser/filters.ts";
import { OTHER_SHOP, SHOP } from "../../support/service.ts";

const EMPTY = "empty-store.myshopify.com";
const app = useMerchant();
beforeAll(async () => {
  await app.connect(SHOP, { withSystems: true });
  await app.connect(OTHER_SHOP, { withSystems: true });
  await app.connect(EMPTY, { withSystems: true });
});

test("a store without consents shows an empty state with one next step", async () => {
  const visit = await app.open("/app/consent", { shop: EMPTY });
  await visit.page.getByText("No consent recorded yet").waitFor();
  await visit.page.getByRole("link", { name: "Set up the banner" }).waitFor();
  await expectHealthyPage(visit);
});

test("the log lists all decisions, newest first; filters and pages are part of the URL", async () => {
  const ada = await signUp(app);
  await syncAs(app, ada, { consent_marketing: true });
  await syncAs(app, ada, { consent_marketing: false, method: "compliance-page" });
  for (let at = 0; at < 26; at += 1)
    await syncAnonymous(app, { visitor_id: `visitor-${at}`, consent_cookie: true });
  await signUp(app, {}, OTHER_SHOP);
  const visit = await app.open("/app/consent", { shop: SHOP });
  const { page } = visit;
  await page.getByText("Visitor", { exact: true }).first().waitFor();
  expect(await page.locator("tbody tr[id]").count()).toBe(25);
  await page.getByRole("button", { name: "Next page" }).click();
  await page.getByText(ada.email).first().waitFor();
  await expect.poll(() => page.locator("tbody tr[id]").count()).toBe(5);
  await expectHealthyPage(visit);
  await page.getByRole("button", { name: "Back to newest" }).click();
  await expect.poll(() => page.locator("tbody tr[id]").count()).toBe(25);
  await typeFilter(page, "Customer's email", ada.email);
  await chooseFilter(page, "Decision", "Withdrawn");
  await page.waitForURL(/decision=withdrawn/);
  // The rows follow the address.
  await expect.poll(() => page.locator("tbody tr[id]").count()).toBe(1);
  await page.getByText("Privacy page", { exact: true }).waitFor();
  await page.goto(await adminUrl(app, SHOP, `/app/consent${new URL(page.url()).search}`));
  await page.getByText("Privacy page", { exact: true }).waitFor();
  expect(await page.locator("tbody tr[id]").count()).toBe(1);
  await typeFilter(page, "Customer's email", "nobody@example.com");
  await page.getByText("Nothing matches these filters").waitFor();
  await page.getByRole("button", { name: "Clear all" }).click();
  await page.getByText("Visitor", { exact: true }).first().waitFor();
});

test("a first refusal reads Declined and a later one Withdrawn: in the log, its filter and on the customer page", async () => {
  const eve = await signUp(app);
  const choose = (value: boolean) =>
    syncAs(app, eve, { consent_cookie: value, consent_marketing: value });
  const logOfEve = `/app/consent?email=${encodeURIComponent(eve.email)}&type=marketing`;
  const visit = await app.open(logOfEve, { shop: SHOP });
  const { page } = visit;
  const show = async (path: string) => page.goto(await adminUrl(app, SHOP, path));
  const rows = page.locator("tbody tr[id]");

  await choose(false);
  await show(logOfEve);
  await rows.getByText("Declined", { exact: true }).waitFor();
  await show(`/app/customers/${eve.id}`);
  await page.getByText("Declined", { exact: true }).first().waitFor();
  await page.getByText("Not asked", { exact: true }).first().waitFor();

  await choose(true);
  await choose(false);
  await show(logOfEve);
  await rows.getByText("Withdrawn", { exact: true }).waitFor();
  expect(await rows.count()).toBe(3);
  await show(`${logOfEve}&decision=declined`);
  await rows.getByText("Declined", { exact: true }).waitFor();
  expect(await rows.count()).toBe(1);
  await show(`/app/customers/${eve.id}`);
  await page.getByText("Withdrawn", { exact: true }).first().waitFor();
  await expectHealthyPage(visit);
});

test("the chart and the opt-in rate show the same numbers to sighted readers and to screen readers", async () => {
  const visit = await app.open("/app/consent", { shop: SHOP });
  const { page } = visit;
  const counts = await app.database.query<{ type: string; outcome: string; n: number }>(
    `SELECT consent_type AS type, outcome, sum(count)::int AS n FROM consent_days
      WHERE shop = $1 GROUP BY 1, 2`,
    [SHOP],
  );
  const sum = (outcome: string, type?: string) =>
    counts
      .filter((row) => row.outcome === outcome && (!type || row.type === type))
      .reduce((total, { n }) => total + n, 0);
  const all = [sum("granted"), sum("declined"), sum("withdrawn")];
  expect(Math.min(...all)).toBeGreaterThan(0);
  await page
    .getByRole("application", {
      name: `${all[0]} granted, ${all[1]} declined and ${all[2]} withdrawn in the last 30 days`,
    })
    .waitFor();
  await page.getByText("Show as table").click();
  expect(await page.locator("details tbody tr").count()).toBe(30);
  expect(await page.locator("details tbody tr").last().locator("td").allInnerTexts()).toEqual(
    all.map(String),
  );
  const [granted, declined] = [sum("granted", "cookie"), sum("declined", "cookie")];
  await page.getByText(formatRate("en", granted / (granted + declined)), { exact: true }).waitFor();
  await page
    .getByText(`${granted} granted, ${declined} declined, ${sum("withdrawn", "cookie")} withdrawn`)
    .waitFor();
  await expectHealthyPage(visit);
});

test.each(["from=0000-01-01&until=9999-12-31", "decision=sold&from=never"])(
  "a filter that makes no sense (%s) is ignored",
  async (filters) => {
    const answer = await askAs(app, SHOP, `/app/consent?${filters}`);
    expect(answer.status).toBe(200);
  },
);

test("a receipt and the filtered log are downloaded; no cell is a spreadsheet formula", async () => {
  const person = await signUp(app);
  await syncAs(app, person, { consent_cookie: true, consent_version: "=1+1" });
  const visit = await app.open(
    `/app/consent?email=${encodeURIComponent(person.email)}&type=cookie`,
    { shop: SHOP },
  );
  const { page } = visit;
  const [proof] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: /^Proof: Analytics/ }).click(),
  ]);
  const receipt = JSON.parse(readFileSync(await proof.path(), "utf8")) as {
    services: { purpose: string; chain: { hash: string } }[];
  };
  const [row] = await app.database.query<{ hash: string }>(
    "SELECT hash FROM consent_records WHERE shop = $1 AND user_id = $2 AND consent_type = 'cookie'",
    [SHOP, person.id],
  );
  expect(receipt.services).toMatchObject([{ purpose: "cookie", chain: { hash: row?.hash } }]);
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: /^Export CSV/ }).click(),
  ]);
  expect(file.suggestedFilename()).toMatch(/^consent-log-\d{4}-\d\d-\d\d\.csv$/);
  const lines = readFileSync(await file.path(), "utf8")
    .trim()
    .split("\r\n");
  expect(lines).toHaveLength(2);
  expect(lines[0]).toMatch(/^id,user_id,email,/);
  expect(lines[1]).toContain(`,${person.email},`);
  expect(lines[1]).toContain(",'=1+1,");
});

test("the verification passes for an intact log, and names a changed row, also after a reload", async () => {
  await checkpoint(app);
  const visit = await app.open("/app/consent", { shop: SHOP });
  const { page } = visit;
  await page.getByRole("button", { name: "Verify log" }).click();
  await page.getByText(/^All \d+ entries are complete and unchanged\.$/).waitFor();
  const [row] = await app.database.query<{ seq: string }>(
    "SELECT seq FROM consent_records WHERE shop = $1 AND consent_type = 'cookie' ORDER BY seq LIMIT 1",
    [SHOP],
  );
  await tamper(
    app,
    `UPDATE consent_records SET action = 'revoked' WHERE shop = '${SHOP}' AND seq = ${row?.seq}`,
  );
  await page.getByRole("button", { name: "Verify log" }).click();
  await page.getByText(`Entry ${row?.seq} was changed after it was written`).waitFor();
  await page.goto(await adminUrl(app, SHOP, "/app/consent"));
  await page.getByText(`Entry ${row?.seq} was changed after it was written`).waitFor();
  await expectHealthyPage(visit);
  await tamper(
    app,
    `UPDATE consent_records SET action = 'granted' WHERE shop = '${SHOP}' AND seq = ${row?.seq}`,
  );
  await visit.close();
});

test("a policy version is published and made current; the same version with another text is rejected beside the form", async () => {
  const visit = await app.open("/app/consent/policies", { shop: SHOP });
  const { page } = visit;
  await page.getByText("No version is published yet").waitFor();
  await page.getByRole("button", { name: "Add a version" }).click();
  await page.getByRole("button", { name: "Publish version" }).click();
  await page.getByText("Enter 1 to 40 characters.").waitFor();
  await page.getByText("Paste the text, at most 500,000 characters.").waitFor();
  await page.getByLabel("Version", { exact: true }).fill("2026-11");
  await page.getByLabel("Text of the policy").fill("We keep\nlittle.");
  await page.getByRole("button", { name: "Publish version" }).click();
  await page.getByText("Current", { exact: true }).waitFor();
  const answer = await app.call("GET", `/config?shop=${SHOP}`);
  expect(answer.json.config.consent_policy_version).toBe("2026-11");
  const stored = () =>
    app.database.query("SELECT version, locale, body FROM consent_policies WHERE shop = $1", [
      SHOP,
    ]);
  expect(await stored()).toEqual([{ version: "2026-11", locale: "en", body: "We keep\nlittle." }]);
  await page.getByRole("button", { name: "Add a version" }).click();
  await page.getByLabel("Version", { exact: true }).fill("2026-11");
  await page.getByLabel("Text of the policy").fill("We keep everything.");
  await page.getByRole("button", { name: "Publish version" }).click();
  await page.getByText("This version was already published with a different text.").waitFor();
  await expectHealthyPage(visit);
  await page.keyboard.press("Escape");
  await page.getByText("Discard this version?").waitFor();
  await page.getByRole("button", { name: "Keep editing" }).click();
  expect(await page.getByLabel("Text of the policy").inputValue()).toBe("We keep everything.");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Discard", exact: true }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  expect(await stored()).toHaveLength(1);
  await expectHealthyPage(visit);
});

test("a policy of 450,000 Chinese characters is published, and one that is too long stays in the form", async () => {
  const shop = await app.newStore();
  const { page } = await app.open("/app/consent/policies", { shop });
  await page.getByRole("button", { name: "Add a version" }).click();
  await page.getByLabel("Version", { exact: true }).fill("long");
  const text = page.getByLabel("Text of the policy");
  const publish = page.getByRole("button", { name: "Publish version" });
  const enter = (body: string) => text.evaluate(fillAtOnce, body);
  await enter("字".repeat(500_001));
  await page.getByText("Paste the text, at most 500,000 characters.").waitFor();
  expect(await publish.isEnabled()).toBe(false);
  expect(await text.evaluate((field: HTMLTextAreaElement) => field.value.length)).toBe(500_001);
  await enter("字".repeat(450_000));
  await publish.click();
  await page.getByRole("link", { name: "long", exact: true }).waitFor();
  const stored = await app.database.query(
    "SELECT version, length(body) AS length FROM consent_policies WHERE shop = $1",
    [shop],
  );
  expect(stored).toEqual([{ version: "long", length: 450_000 }]);
});

test("a published version is put in force again by a button, whose question says that all shoppers are asked again", async () => {
  const shop = "two-policies.myshopify.com";
  await app.connect(shop, { withSystems: true });
  for (const version of ["first", "second"])
    await app.call("POST", `/admin/consent/policies?shop=${shop}`, {
      body: { version, body: `The ${version} text.` },
    });
  const inForce = async () =>
    (await app.call("GET", `/config?shop=${shop}`)).json.config.consent_policy_version;
  const setVersion = (version: string) =>
    app.call("POST", `/config?shop=${shop}`, { body: { consent_policy_version: version } });
  await setVersion("second");
  const visit = await app.open("/app/consent/policies", { shop });
  const { page } = visit;
  await page.getByRole("button", { name: "Add a version" }).click();
  await page.getByText("All shoppers are asked again.").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  expect(await page.getByRole("button", { name: "Make current: second" }).count()).toBe(0);
  await page.getByRole("button", { name: "Make current: first" }).click();
  const question = page.getByRole("dialog");
  await question.getByText("All shoppers are asked again.").waitFor();
  expect(await inForce()).toBe("second");
  await question.getByRole("button", { name: "Make current" }).click();
  await page.getByRole("button", { name: "Make current: second" }).waitFor();
  expect(await inForce()).toBe("first");
  await expectHealthyPage(visit);

  await setVersion("written by hand");
  await page.goto(await adminUrl(app, shop, "/app/settings/consent"));
  const select = page.getByLabel("Policy version");
  expect(await select.inputValue()).toBe("written by hand");
  expect(await select.locator("option").allInnerTexts()).toEqual([
    "Not selected",
    "second",
    "first",
    "written by hand",
  ]);
  await select.selectOption("second");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect.poll(inForce).toBe("second");
  await expectHealthyPage(visit);
});

test("a list that ends before all published texts says so, and names the version in force", async () => {
  const shop = await app.newStore({ fields: { consent_policy_version: "v250" } });
  await app.database.query(
    `INSERT INTO consent_policies (shop, version, locale, sha256, body, effective_from)
      SELECT $1, 'v' || place, 'en', encode(sha256(place::text::bytea), 'hex'), 'Text',
        now() - make_interval(days => place) FROM generate_series(1, 250) AS place`,
    [shop],
  );
  const { page } = await app.open("/app/consent/policies", { shop });
  await page.getByText("The newest 200 texts are listed.").waitFor();
  await page.getByText("Current: v250").waitFor();
  await app.database.query(
    "DELETE FROM consent_policies WHERE shop = $1 AND version NOT IN ('v1', 'v250')",
    [shop],
  );
  await page.reload();
  await page.getByText("v250").waitFor();
  expect(await page.getByText("texts are listed").count()).toBe(0);
});

test("a version is started from the store's own policy, read, and compared with the one before", async () => {
  const { storefront } = app.sandbox;
  storefront.putPolicy(
    SHOP,
    "PRIVACY_POLICY",
    `<h2>What we collect</h2><script>document.title = "changed"</script><p>Your name<img src=x onerror="document.title='changed'">.</p><ul><li>Orders</li></ul>`,
  );
  const visit = await app.open("/app/consent/policies", { shop: SHOP });
  const { page } = visit;
  await page.getByRole("button", { name: "Add a version" }).click();
  await page.getByText("allow the app to read policies (read_legal_policies)").waitFor();
  await expectHealthyPage(visit);
  page.once("dialog", (question) => void question.dismiss());
  await page.getByRole("button", { name: "Allow" }).click();
  await page.getByText("Not allowed. You can paste the text instead.").waitFor();
  page.once("dialog", (question) => void question.accept());
  await page.getByRole("button", { name: "Allow" }).click();
  await page.getByLabel("Start from").selectOption({ index: 1 });
  const text = page.getByLabel("Text of the policy");
  expect(await text.inputValue()).toBe("What we collect\n\nYour name.\n\n• Orders");
  await page.getByLabel("Version", { exact: true }).fill("v 2&new?");
  await text.fill("What we collect\n\nYour name and your city.\n\n• Orders");
  await page.getByRole("button", { name: "Publish version" }).click();
  await page.getByRole("link", { name: "v 2&new?" }).click();

  await page.getByRole("region", { name: "Text of the policy" }).waitFor();
  expect(await page.getByRole("region", { name: "Text of the policy" }).innerText()).toBe(
    "What we collect\n\nYour name and your city.\n\n• Orders",
  );
  await app.call("POST", `/admin/consent/policies?shop=${SHOP}`, {
    body: {
      version: "html",
      body: "<h1>What we collect</h1><p>Your name.</p><ul><li>Orders</li></ul><script>alert(1)</script>",
    },
  });
  const { pathname, search } = new URL(page.url());
  // A staff member whose admin is in another language opens the same address.
  await page.goto(await adminUrl(app, SHOP, pathname + search, { locale: "fr" }));
  await page.getByText("Anglais").waitFor();
  await page.goto(await adminUrl(app, SHOP, pathname + search));
  await page.getByLabel("Compare with").selectOption("html");
  await page.getByText("Changes from v 2&new? to html").waitFor();
  const removed = page.locator("del");
  await removed.waitFor();
  expect(await removed.innerText()).toContain("and your city");
  expect(await page.locator("ins").count()).toBe(0);
  await expectHealthyPage(visit);
  await page.goto(
    await adminUrl(app, SHOP, "/app/consent/policies/text?version=html&locale=en&against=gone"),
  );
  await page.getByRole("region", { name: "Text of the policy" }).waitFor();
  expect(await page.title()).not.toBe("changed");
  await expectHealthyPage(visit);
  await visit.close();
  for (const query of ["version=gone", "version=html&locale=..", ""])
    expect((await askAs(app, SHOP, `/app/consent/policies/text?${query}`)).status).toBe(404);
  expect((await askAs(app, EMPTY, "/app/consent/policies/text?version=html")).status).toBe(404);
});

test("a new version of a store that Shopify closed says why it can't start from the store's own policy", async () => {
  const shop = await app.newStore();
  app.sandbox.storefront.closeStore(shop, "frozen");
  const { page } = await app.open("/app/consent/policies", { shop });
  await page.getByRole("button", { name: "Add a version" }).click();
  await page.getByText("Shopify has closed your store to apps (HTTP 402).").waitFor();
  expect(await page.getByText("didn't respond").count()).toBe(0);
});

test("a receipt and a page of another store's log are not found, and its log is not in the export", async () => {
  await signUp(app);
  await signUp(app, {}, OTHER_SHOP);
  const [other] = await app.database.query<{ seq: string }>(
    "SELECT max(seq) AS seq FROM consent_records WHERE shop = $1",
    [OTHER_SHOP],
  );
  expect((await askAs(app, SHOP, `/app/consent/receipt/${other?.seq}`)).text).not.toContain(
    OTHER_SHOP,
  );
  expect((await askAs(app, EMPTY, `/app/consent/receipt/${other?.seq}`)).status).toBe(404);
  expect((await askAs(app, EMPTY, "/app/consent/export")).text.trim().split("\r\n")).toHaveLength(
    1,
  );
  const cursor = toCursor(app.ctx.secrets, `screen/consent/${SHOP}`, Number(other?.seq));
  const pageIn = async (shop: string) =>
    (await askAs(app, shop, `/app/consent?cursor=${cursor}`)).status;
  expect([await pageIn(SHOP), await pageIn(EMPTY)]).toEqual([200, 400]);
  for (const path of [
    "/app/consent/export",
    "/app/consent/receipt/1",
    "/app/consent/verification",
  ]) {
    const answer = await fetch(app.url + path, {
      redirect: "manual",
      headers: { "User-Agent": "Mozilla/5.0 (X11; Linux x86_64) Chrome/153.0.0.0" },
    });
    expect([path, answer.status]).toEqual([path, 302]);
  }
});

test.each([
  ["es", "Integridad del registro", "Exportar CSV"],
  ["fr", "Intégrité du journal", "Exporter en CSV"],
])("speaks %s, and fits a phone", async (locale, heading, button) => {
  const visit = await app.open("/app/consent", {
    shop: SHOP,
    locale,
    viewport: { width: 390, height: 800 },
  });
  await visit.page.getByRole("heading", { name: heading }).waitFor();
  await visit.page
    .getByRole("button", { name: new RegExp(`^${button}`) })
    .first()
    .waitFor();
  expect(await findCellsOutside(visit.page)).toEqual([]);
  await expectHealthyPage(visit);
});

/** What pasting does: one change of the whole text. */
function fillAtOnce(field: Element, text: string): void {
  const { set } = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value")!;
  set!.call(field, text);
  field.dispatchEvent(new Event("input", { bubbles: true }));
}
