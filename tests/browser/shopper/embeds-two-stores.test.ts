// Pages of two stores on their shared origin, the service's own; and two frames of one store.
import type { Page, Route } from "playwright-core";
import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, it } from "vitest";
import { openBrowser, type Visit } from "../../support/browser/browser.ts";
import { startConsentService, type ConsentService } from "../../support/consent.ts";
import { eventually, OTHER_SHOP, SHOP } from "../../support/service.ts";

type Post = { path: string; shop: string | null; body: string; headers: Record<string, string> };
let service: ConsentService;
let browser: Awaited<ReturnType<typeof openBrowser>>;
let visit: Visit;
let page: Page;
let posts: Post[];
/** The handler of a page's POST requests; they reach the service by default. */
let onPost: (route: Route) => Promise<void>;

beforeAll(async () => {
  [service, browser] = await Promise.all([startConsentService(), openBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});
beforeEach(async () => {
  visit = await browser.visit([service.url]);
  page = visit.page;
  posts = [];
  onPost = (route) => route.fallback();
  await page.context().route(`${service.url}/**`, async (route) => {
    const request = route.request();
    const url = new URL(request.url());
    // What the banner counts is stored nowhere and sent once.
    if (request.method() !== "POST" || url.pathname === "/embed/banner-events")
      return route.fallback();
    posts.push({
      path: url.pathname,
      shop: url.searchParams.get("shop"),
      body: request.postData() ?? "",
      headers: request.headers(),
    });
    return onPost(route);
  });
});
afterEach(() => visit.close());

const open = (shop: string, on = page) => on.goto(`${service.url}/embed/footer?shop=${shop}`);
const choice = (on = page) => on.evaluate("window._crmConsent.read()");
const banner = () => page.getByRole("region", { name: "Your privacy" });
const fail = (route: Route) => route.abort("internetdisconnected");
const join = (email: string, form = "newsletter") =>
  page.evaluate(`window._crmForms.submit(${JSON.stringify(form)}, ${JSON.stringify(email)})`);

describe("a page of another store", () => {
  it("ignores the first store's choice and shows the banner; the first store keeps its choice", async () => {
    await open(SHOP);
    await page.getByRole("button", { name: "Accept all" }).click();
    expect(await choice()).toMatchObject({ cookie: true, marketing: true });
    await eventually("the first store's tag", () => visit.foreign.length === 1);
    visit.foreign.length = 0;
    await open(OTHER_SHOP);
    await banner().waitFor();
    expect([await choice(), visit.foreign]).toEqual([null, []]);
    await page.getByRole("button", { name: "Reject all" }).click();
    expect(await choice()).toMatchObject({ cookie: false, marketing: false });
    await open(SHOP);
    expect(await choice()).toMatchObject({ cookie: true, marketing: true });
    expect(await banner().count()).toBe(0);
  });

  it("does not send the first store's stored requests, which the first store's next page sends", async () => {
    await open(SHOP);
    onPost = fail;
    await join("ada@example.com");
    posts.length = 0;
    onPost = (route) => route.fallback();
    await open(OTHER_SHOP);
    await page.getByRole("button", { name: "Reject all" }).click();
    await eventually("the other store's own choice", () => posts.length > 0);
    expect(
      posts.filter(({ body }) => body.includes("ada@") || body.includes("newsletter")),
    ).toEqual([]);
    expect(new Set(posts.map(({ shop }) => shop))).toEqual(new Set([OTHER_SHOP]));
    posts.length = 0;
    await open(SHOP);
    await eventually("both items of the form", () => posts.length === 2);
    expect(posts.map(({ path, shop }) => [path, shop])).toEqual([
      ["/ucp/tags", SHOP],
      ["/auth/consent-sync", SHOP],
    ]);
    expect(posts[1]?.body).toContain("ada@example.com");
  });

  it("uses another browser id", async () => {
    const ids: string[] = [];
    for (const shop of [SHOP, OTHER_SHOP, SHOP]) {
      posts.length = 0;
      await open(shop);
      await page.evaluate("window._crmConsent.choose({ cookie: false })");
      const { body } = await eventually("the choice", () => posts[0]);
      ids.push((JSON.parse(body) as { visitor_id: string }).visitor_id);
    }
    expect(ids[2]).toBe(ids[0]);
    expect(ids[1]).not.toBe(ids[0]);
  });

  it("does not use the first store's session token", async () => {
    const email = "grace@example.com";
    const { json } = await service.call("POST", `/auth/signup?shop=${SHOP}`, {
      body: { email, password: "correct horse", consent_tos: true, consent_privacy: true },
      key: null,
    });
    expect(json.user.email).toBe(email);
    // The browser blocks our cookie, as in a frame of the store: the token is in sessionStorage.
    await page.context().route(`${service.url}/**`, async (route) => {
      await page.context().clearCookies({ name: "__Host-crm_session" });
      return route.fallback();
    });
    await page.goto(`${service.url}/embed/account?shop=${SHOP}`);
    await page.getByLabel("Email address").fill(email);
    await page.getByLabel("Password", { exact: true }).fill("correct horse");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByText(email).waitFor();
    const asked: string[] = [];
    page.on("request", (request) => void asked.push(request.headers().authorization ?? ""));
    await page.goto(`${service.url}/embed/account?shop=${OTHER_SHOP}`);
    await page.getByLabel("Email address").waitFor();
    await open(OTHER_SHOP);
    await join("grace@example.com");
    expect(asked.filter(Boolean)).toEqual([]);
    await page.goto(`${service.url}/embed/account?shop=${SHOP}`);
    await page.getByText(email).waitFor();
  });
});

/**
 * Opens two more pages of a store with six stored items. The first call is answered once another
 * page wants to send too. @returns the maximum number of concurrent calls.
 */
async function sendFromThreePages(
  script: string,
  wantsToSend: (callsUnderWay: number) => Promise<boolean> | boolean,
): Promise<number> {
  await page.context().addInitScript(script);
  await open(SHOP);
  onPost = fail;
  for (const name of ["ada", "bob", "cleo"]) await join(`${name}@example.com`, name);
  posts.length = 0;
  let [underWay, most] = [0, 0];
  let another: Promise<unknown> | undefined;
  onPost = async (route) => {
    most = Math.max(most, (underWay += 1));
    another ??= eventually("another page that wants to send", () => wantsToSend(underWay));
    await another;
    underWay -= 1;
    return route.fallback();
  };
  const others = await Promise.all([page.context().newPage(), page.context().newPage()]);
  await Promise.all(others.map((other) => open(SHOP, other)));
  await eventually(
    "an empty outbox",
    async () => (await page.evaluate(`localStorage.getItem("crm_outbox:${SHOP}")`)) === "[]",
  );
  return most;
}

const waitsForLock = async () =>
  (await page.evaluate<number>("navigator.locks.query().then(({ pending }) => pending.length)")) >
  0;

/** A repeated item has waited longer, and is else the same. */
const differentItems = () =>
  new Set(posts.map(({ body }) => body.replace(/,?"waited_seconds":\d+/, ""))).size;

describe("frames of one store", () => {
  it("send each stored item once, one frame at a time", async () => {
    const most = await sendFromThreePages("", waitsForLock);
    expect(posts).toHaveLength(6);
    expect(differentItems()).toBe(6);
    expect(most).toBe(1);
  });

  it.each([
    [
      "has no Web Locks",
      "Object.defineProperty(Navigator.prototype, 'locks', { value: undefined })",
    ],
    [
      "refuses them",
      "LockManager.prototype.request = () => Promise.reject(new DOMException('no', 'SecurityError'))",
    ],
  ])("lose no waiting item where the browser %s", async (_, script) => {
    const most = await sendFromThreePages(script, (callsUnderWay) => callsUnderWay > 1);
    expect(most).toBeGreaterThan(1);
    expect(differentItems()).toBe(6);
  });
});
