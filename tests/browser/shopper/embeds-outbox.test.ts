// What a browser still has to tell the service: in which order, for whom, and where storage or network
// do not play along.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openBrowser } from "../../support/browser/browser.ts";
import {
  openStore,
  outboxIsEmpty,
  outboxOf,
  type StoreVisit,
} from "../../support/browser/store-visit.ts";
import {
  inShort,
  logOf,
  logOfVisitor,
  saidLater,
  signUp,
  startConsentService,
  type ConsentService,
} from "../../support/consent.ts";
import { eventually, SHOP } from "../../support/service.ts";

type Fault = Parameters<Parameters<StoreVisit["page"]["route"]>[1]>[0];
let service: ConsentService;
let browser: Awaited<ReturnType<typeof openBrowser>>;
let visit: StoreVisit;

beforeAll(async () => {
  [service, browser] = await Promise.all([startConsentService(), openBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const enter = async (options: Parameters<typeof openStore>[2] = {}) => {
  visit = await openStore(browser, service, options);
  await visit.open("/", "load");
  await visit.settled();
};
const press = (name: string) => visit.page.getByRole("button", { name, exact: true }).click();
const choose = (flags: object) =>
  visit.page.evaluate((chosen) => void (window as any)._crmConsent.choose(chosen), flags);
const signIn = (token: string | null) =>
  visit.page.evaluate(
    (given) =>
      given
        ? sessionStorage.setItem("crm_session", given)
        : sessionStorage.removeItem("crm_session"),
    token,
  );
const consents = () => visit.sent.filter(({ path }) => path === "/auth/consent-sync");
const decisions = async (user: Parameters<typeof logOf>[1]) =>
  (await logOf(service, user))
    .filter(({ method }) => method === "banner")
    .map(({ consent_type, action }) => [consent_type, action]);
/** Both ways to the service answer `fault` while `isAway` holds. */
async function breakService(fault: (route: Fault) => unknown) {
  const state = { isAway: true, asked: 0 };
  const act = (route: Fault) => {
    if (!state.isAway || route.request().method() === "OPTIONS") return route.fallback();
    state.asked += 1;
    return fault(route);
  };
  await visit.page.route("**/apps/crm/auth/consent-sync*", act);
  await visit.page.route(`${service.url}/auth/consent-sync*`, act);
  return state;
}
const failing = (route: Fault) => route.fulfill({ status: 503 });
const asked = (state: { asked: number }, count: number) =>
  eventually(`${count} requests`, () => state.asked >= count || null);
/** Cookies, storage and the network are as they are; the scripts are new. */
const nextPage = () => visit.open("/next", "load");

describe("choices that wait", () => {
  it("keep their order: nothing is sent after a request that failed, and what a newer choice overrules is left out", async () => {
    await enter();
    const state = await breakService(failing);
    await choose({ cookie: true, marketing: true });
    await asked(state, 1);
    await choose({ marketing: false });
    await asked(state, 2);
    await eventually("two that wait", async () => (await outboxOf(visit)).length === 2 || null);
    expect(await outboxOf(visit)).toMatchObject([
      { body: { consent_cookie: true } },
      { body: { consent_marketing: false } },
    ]);
    state.isAway = false;
    await nextPage();
    await outboxIsEmpty(visit);
    const bodies = consents().map(({ body }) => [body.consent_cookie, body.consent_marketing]);
    expect(bodies).toEqual([
      [true, undefined],
      [undefined, false],
    ]);
    await visit.close();
  });

  it("of an account are sent with its own session only: a withdrawal waits until that account is back", async () => {
    const [ada, bob] = [await signUp(service), await signUp(service)];
    await enter();
    await signIn(ada.token);
    const state = await breakService(failing);
    await choose({ cookie: false, marketing: false });
    await asked(state, 1);
    state.isAway = false;
    for (const token of [null, bob.token]) {
      await signIn(token);
      await nextPage();
      await eventually("the copy", async () => (await outboxOf(visit))[0]?.isCopied);
    }
    expect(await decisions(bob)).toEqual([]);
    expect(await decisions(ada)).toEqual([]);
    expect(await logOfVisitor(service, consents()[0]?.body.visitor_id)).toHaveLength(2);
    await signIn(ada.token);
    await nextPage();
    await outboxIsEmpty(visit);
    expect(await decisions(ada)).toEqual([
      ["cookie", "revoked"],
      ["marketing", "revoked"],
    ]);
    expect(await decisions(bob)).toEqual([]);
    await visit.close();
  });

  it("of an account whose session has ended are not done with the answer 401", async () => {
    const ada = await signUp(service);
    await service.call("POST", "/auth/logout", { key: ada.token, body: {} });
    await enter();
    await signIn(ada.token);
    await choose({ marketing: false });
    await eventually("the copy", async () => (await outboxOf(visit))[0]?.isCopied);
    expect(consents().map(({ status }) => status)).toEqual([401, 200]);
    const { token } = (
      await service.call("POST", `/auth/login?shop=${SHOP}`, {
        key: null,
        body: { email: ada.email, password: "correct horse" },
      })
    ).json;
    await signIn(token as string);
    await nextPage();
    await outboxIsEmpty(visit);
    expect(await decisions(ada)).toEqual([["marketing", "revoked"]]);
    await visit.close();
  });

  it("of a visitor are never sent with a session that began later", async () => {
    const ada = await signUp(service);
    await service.database.query(
      `UPDATE storefront_users SET storefront_customer_gid = 'gid://shopify/Customer/5001',
        email_verified = true WHERE id = $1`,
      [ada.id],
    );
    const options: NonNullable<Parameters<typeof openStore>[2]> = {};
    await enter(options);
    const state = await breakService(failing);
    await choose({ cookie: true, marketing: true });
    await asked(state, 1);
    state.isAway = false;
    options.customerId = "5001";
    await signIn(ada.token);
    await nextPage();
    await outboxIsEmpty(visit);
    expect(await decisions(ada)).toEqual([]);
    expect(await logOfVisitor(service, consents()[0]?.body.visitor_id)).toHaveLength(2);
    await visit.close();
  });

  it.each([
    ["a page instead of an answer", { status: 200, contentType: "text/html", body: "<p>Password" }],
    ["a missing page", { status: 404, contentType: "text/html", body: "<p>Not found" }],
    ["a locked request", { status: 423, json: { error: "Locked", code: "locked" } }],
  ])("stay after %s", async (_, answer) => {
    await enter();
    const state = await breakService((route) => route.fulfill(answer));
    await choose({ marketing: false });
    await asked(state, 1);
    expect(await outboxOf(visit)).toHaveLength(1);
    state.isAway = false;
    await nextPage();
    await outboxIsEmpty(visit);
    expect(consents().map(({ status }) => status)).toEqual([200]);
    await visit.close();
  });

  it("are given up after 20 answers that are not the service's, and after 30 days", async () => {
    const body = { method: "banner", consent_marketing: false, visitor_id: "a-visitor" };
    const item = { id: "1", by: "", at: Date.now(), body };
    await enter({
      kept: {
        crm_outbox: [
          { ...item, foreign: 19 },
          { ...item, id: "2", at: 1 },
        ],
      },
    });
    await outboxIsEmpty(visit);
    expect(consents().filter(({ status }) => status === 200).length).toBeLessThan(2);
    await visit.close();
  });

  it("wait as long as a limit says, and are sent then without another page", async () => {
    visit = await openStore(browser, service, {});
    await visit.page.clock.install();
    await visit.open("/", "load");
    await visit.page.clock.runFor(3_000);
    await visit.banner().waitFor();
    const state = await breakService((route) =>
      route.fulfill({
        status: 429,
        headers: { "Retry-After": "30" },
        json: { error: "TooManyRequests", code: "too_many_requests" },
      }),
    );
    await press("Reject all");
    await asked(state, 1);
    await choose({ cookie: true });
    await visit.page.clock.runFor(29_000);
    expect(state.asked).toBe(1);
    state.isAway = false;
    await visit.page.clock.runFor(2_000);
    await outboxIsEmpty(visit);
    await visit.close();
  });

  it.each([{}, [null], 5, "x", [{ id: "1" }], ["{"]])(
    "are repaired where the storage is damaged: %j",
    async (damage) => {
      await enter({ kept: { crm_outbox: damage, crm_visitor: 5 } });
      await press("Reject all");
      await outboxIsEmpty(visit);
      const [sent] = consents();
      expect([sent?.status, sent?.body.visitor_id]).toEqual([
        200,
        expect.stringMatching(/^[\w-]{36}$/),
      ]);
      expect(visit.errors).toEqual([]);
      await visit.close();
    },
  );
});

describe("a browser without storage", () => {
  const FORBIDDEN = `Object.defineProperty(window, "localStorage", { get() { throw new DOMException("no", "SecurityError") } })`;
  const FULL = `Object.defineProperty(window, "localStorage", { value: new Proxy(window.localStorage, {
      get: (store, key) => store[key],
      set() { throw new DOMException("full", "QuotaExceededError") },
      deleteProperty: (store, key) => delete store[key],
    }) })`;
  /** Takes no value that needs more room than the one before. */
  const FILLED = FULL.replace(
    "set() {",
    "set(store, key, value) { if (value.length <= (store[key] ?? '').length) return Reflect.set(store, key, value);",
  );

  it.each([
    ["forbidden", FORBIDDEN],
    ["full", FULL],
  ])("(%s) has the choice for the page, and records it", async (_, script) => {
    visit = await openStore(browser, service, {});
    await visit.page.addInitScript(script);
    await visit.open("/", "load");
    await visit.banner().waitFor();
    await press("Accept all");
    await visit.page.waitForFunction("window.seenByTag");
    expect(await visit.banner().count()).toBe(0);
    await press("Withdraw consent");
    await visit.page.getByText("Your choice is saved").waitFor();
    const rows = await eventually("both choices", async () => {
      const found = await logOfVisitor(service, consents()[0]?.body.visitor_id);
      return found.length === 4 && found;
    });
    expect(rows.map(({ consent_type, action }) => [consent_type, action])).toEqual([
      ["cookie", "granted"],
      ["marketing", "granted"],
      ["cookie", "revoked"],
      ["marketing", "revoked"],
    ]);
    await visit.close();
  });

  it("does not say that a choice is saved which is neither stored nor sent", async () => {
    visit = await openStore(browser, service, {});
    await visit.page.addInitScript(FORBIDDEN);
    await visit.open("/", "load");
    await visit.banner().waitFor();
    const state = await breakService(failing);
    await press("Reject all");
    await asked(state, 1);
    expect(await visit.banner().count()).toBe(0);
    expect(await visit.page.getByText("Your choice is saved").count()).toBe(0);
    await visit.close();
  });

  it("that is full forgets an older grant which a withdrawal could not replace", async () => {
    visit = await openStore(browser, service, {
      kept: { crm_consent: { cookie: true, marketing: true }, crm_outbox: [] },
    });
    await visit.open("/", "load");
    await visit.page.evaluate(FULL);
    await press("Withdraw consent");
    await eventually("the withdrawal", () => consents().length > 0 || null);
    expect(await visit.page.evaluate("localStorage.crm_consent")).toBeUndefined();
    await visit.close();
  });

  it("that is full keeps what waits already, and holds what it cannot store for the page", async () => {
    const ada = await signUp(service);
    await enter();
    await signIn(ada.token);
    const state = await breakService(failing);
    await choose({ cookie: false, marketing: false });
    await asked(state, 1);
    await visit.page.evaluate(FILLED);
    await choose({ privacy: false });
    await asked(state, 2);
    expect(await visit.page.evaluate("JSON.parse(localStorage.crm_outbox).length")).toBe(1);
    state.isAway = false;
    await choose({ tos: false });
    await eventually(
      "all three choices",
      async () => (await saidLater(service, ada)).length === 4 || null,
    );
    expect(inShort(await saidLater(service, ada))).toEqual([
      "cookie revoked",
      "marketing revoked",
      "privacy revoked",
      "tos revoked",
    ]);
    expect(await visit.page.evaluate("localStorage.crm_outbox")).toBe("[]");
    await visit.close();
  });

  it("that is full sends what waited before from the next page", async () => {
    const ada = await signUp(service);
    await enter();
    await signIn(ada.token);
    const state = await breakService(failing);
    await choose({ cookie: false, marketing: false });
    await asked(state, 1);
    await visit.page.evaluate(FILLED);
    await choose({ tos: true });
    await asked(state, 2);
    state.isAway = false;
    await nextPage();
    await outboxIsEmpty(visit);
    expect(await decisions(ada)).toEqual([
      ["cookie", "revoked"],
      ["marketing", "revoked"],
    ]);
    await visit.close();
  });
});

it("a page that comes back from the back/forward cache follows a choice that was made meanwhile", async () => {
  await enter({ kept: { crm_consent: { cookie: true, marketing: true } } });
  await visit.page.evaluate(() => {
    localStorage.setItem("crm_consent", JSON.stringify({ cookie: false, marketing: false }));
    dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }));
  });
  expect((await visit.layer()).at(-1).command[2]).toMatchObject({
    analytics_storage: "denied",
    ad_storage: "denied",
  });
  expect(await visit.page.getByRole("button", { name: "Withdraw consent" }).count()).toBe(0);
  await visit.close();
});
