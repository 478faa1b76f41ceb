// Forms of the theme with `data-crm-form`, and choices during a network or session failure.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeLoaderMetafield } from "../../../app/domain/tenants/storefront/loader-metafield.ts";
import { openBrowser } from "../../support/browser/browser.ts";
import {
  logOf,
  logOfVisitor,
  signUp,
  startConsentService,
  type ConsentService,
} from "../../support/consent.ts";
import { eventually, SHOP } from "../../support/service.ts";
import { installStore } from "../../support/storefront/synced-store.ts";
import {
  openStore,
  type StoreOptions,
  type StoreVisit,
} from "../../support/browser/store-visit.ts";

let service: ConsentService;
let browser: Awaited<ReturnType<typeof openBrowser>>;
let visit: StoreVisit;
let shoppers = 0;

beforeAll(async () => {
  [service, browser] = await Promise.all([
    startConsentService({ background: true }),
    openBrowser(),
  ]);
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const FORM = `<form action="/contact" method="get" data-crm-form="newsletter"><label>Email <input type="email" name="contact[email]" required></label><label><input type="checkbox" name="consent_marketing"> Offers</label><button>Join</button></form>`;
const enter = async (options: StoreOptions = {}) => {
  visit = await openStore(browser, service, { body: FORM, ...options });
  await visit.open();
};
const newAddress = () => `shopper-${(shoppers += 1)}@example.com`;
const posted = (count: number) =>
  eventually(
    `${count} posts`,
    () =>
      visit.sent.filter(({ method }) => method === "POST").length >= count &&
      visit.sent.filter(({ method }) => method === "POST"),
  );
/**
 * The first of each: a request that was in progress when the page was left is sent again, without a
 * second effect.
 */
const bridged = async () => {
  const to = (path: string) =>
    eventually(`a post to ${path}`, () => visit.sent.find((one) => one.path === path));
  const answers = [await to("/ucp/tags"), await to("/auth/consent-sync")] as const;
  expect(visit.sent.indexOf(answers[0])).toBeLessThan(visit.sent.indexOf(answers[1]));
  return answers;
};
const today = () => new Date().toISOString().slice(0, 10);

async function join(email: string, wantsOffers = true): Promise<void> {
  await visit.page.getByLabel("Email", { exact: true }).fill(email);
  if (wantsOffers) await visit.page.getByLabel("Offers", { exact: true }).check();
  await visit.page.getByRole("button", { name: "Join" }).click();
}

describe("a form with data-crm-form", () => {
  it("is recorded in a theme whose library replaces Array.from with its own", async () => {
    await enter({
      // As Prototype and MooTools do: a copy, and no second argument.
      head: "<script>Array.from = (list) => (list ? Array.prototype.slice.call(list) : [])</script>",
    });
    const email = newAddress();
    await join(email);
    const [, consent] = await bridged();
    expect(consent).toMatchObject({ status: 200, body: { email, consent_marketing: true } });
    expect(visit.errors.filter((one) => !one.includes("401"))).toEqual([]);
    await visit.close();
  });

  it("sends its event, then its tags, then its consent, and submits to its own page", async () => {
    await enter({
      head: "<script>addEventListener('pagehide', () => sessionStorage.setItem('layer', JSON.stringify(window.dataLayer)))</script>",
    });
    await visit.page.evaluate(() => (document.cookie = "_ga=GA1.1.111.222; path=/"));
    await visit.page.evaluate(
      () => (document.cookie = "_ga_TEST1=GS2.1.s1746825440$o2$g1$t1746825500; path=/"),
    );
    const email = newAddress();
    await join(email);
    await visit.page.waitForURL("**/contact**");
    const [tags, consent] = await bridged();
    expect([tags.path, tags.body]).toEqual([
      "/ucp/tags",
      {
        add: ["newsletter_subscribed", `newsletter_${today()}`],
        remove: [],
        ga_session_id: "1746825440",
        acted_by: "",
      },
    ]);
    expect(consent).toMatchObject({
      path: "/auth/consent-sync",
      status: 200,
      body: {
        method: "newsletter_form",
        form_type: "newsletter",
        email,
        consent_marketing: true,
        ga_session_id: "1746825440",
        ga_client_id: "111.222",
        source_page: `https://${SHOP}/`,
      },
    });
    const pushed = (await visit.page.evaluate(() =>
      JSON.parse(sessionStorage.getItem("layer") ?? "[]"),
    )) as any[];
    const at = pushed.findIndex(({ event }) => event === "crm_form_submit");
    expect(pushed[at]).toEqual({
      event: "crm_form_submit",
      form_type: "newsletter",
      email,
      session_id: "1746825440",
      submit_timestamp: consent.body.timestamp,
      consent_marketing: "granted",
      source_page: `https://${SHOP}/`,
    });
    await visit.close();
  });

  it("is recorded with the analytics cookie's session, as a form submission and not as a consent change", async () => {
    await enter();
    await visit.page.evaluate(
      () => (document.cookie = "_ga_TEST1=GS1.1.1699999999.3.1.1699999999.0.0.0; path=/"),
    );
    await visit.page.evaluate(
      (email) => (window as any)._crmForms.submit("waitlist", email),
      newAddress(),
    );
    const [, consent] = await bridged();
    expect(
      (await logOfVisitor(service, consent.body.visitor_id)).map(
        ({ consent_type, method, form_type, ga_session_id }) => [
          consent_type,
          method,
          form_type,
          ga_session_id,
        ],
      ),
    ).toEqual([["waitlist", "waitlist_form", "waitlist", "1699999999"]]);
    await visit.close();
  });

  it("never exposes the address to a tag: no command contains it, and the data layer resets it", async () => {
    await enter({ kept: { crm_consent: { cookie: true, marketing: true } } });
    const email = newAddress();
    await visit.page.evaluate(
      (address) => (window as any)._crmForms.submit("newsletter", address),
      email,
    );
    const layer = await visit.layer();
    expect(JSON.stringify(layer.filter(({ command }) => command))).not.toContain(email);
    // As a tag manager reads it: later objects overwrite earlier ones.
    expect(Object.assign({}, ...layer.filter(({ command }) => !command)).email).toBeUndefined();
    expect(visit.foreign.filter((url) => url.includes("example.com"))).toEqual([]);
    await visit.close();
  });

  it("records no marketing consent without a checkbox, and a denial when the checkbox is empty", async () => {
    await enter({ body: FORM.replace(/<label><input type="checkbox".*?<\/label>/, "") });
    await join(newAddress(), false);
    expect(Object.keys((await bridged())[1].body as object)).not.toContain("consent_marketing");
    await visit.close();
    await enter();
    await join(newAddress(), false);
    expect((await bridged())[1].body.consent_marketing).toBe(false);
    await visit.close();
  });
});

describe("what a form's fields say", () => {
  const HIDDEN =
    '<input type="hidden" name="email_source" value="popup"><input type="checkbox" name="accepts_email_marketing" value="yes"><input type="hidden" name="consent_marketing" value="1">';

  it.each([
    ["of type email", `${HIDDEN}<label>Address <input type="email" name="who"></label>`],
    ["named so", `${HIDDEN}<label>Address <input name="contact[email]"></label>`],
  ])(
    "the address is in the field %s, whatever hidden fields and boxes are named",
    async (_, part) => {
      await enter({
        body: `<form action="/contact" method="get" data-crm-form="newsletter">${part}<button>Join</button></form>`,
      });
      const email = newAddress();
      await visit.page.getByLabel("Address").fill(email);
      await visit.page.getByRole("button", { name: "Join" }).click();
      const [, { body, status }] = await bridged();
      expect([status, body.email, body.consent_marketing]).toEqual([200, email, undefined]);
      await visit.close();
    },
  );

  it.each([
    ["yes", true],
    ["no", false],
    [null, undefined],
  ])("a consent asked by radio buttons is the chosen one: %s", async (choice, flag) => {
    const radios = ["yes", "no"]
      .map(
        (value) =>
          `<label><input type="radio" name="consent_marketing" value="${value}">${value}</label>`,
      )
      .join("");
    await enter({ body: FORM.replace(/<label><input type="checkbox".*?<\/label>/, radios) });
    if (choice) await visit.page.getByLabel(choice, { exact: true }).check();
    await join(newAddress(), false);
    expect((await bridged())[1].body.consent_marketing).toBe(flag);
    await visit.close();
  });

  it.each([
    ["VIP List!", "vip_list"],
    ["Grüße & Neuigkeiten", "gr_e_neuigkeiten"],
    ["x".repeat(60), "x".repeat(29)],
    ["back-in-stock", "back-in-stock"],
  ])("a form named %s is recorded as %s", async (name, slug) => {
    await enter();
    await visit.page.evaluate(
      ([type, email]) => (window as any)._crmForms.submit(type, email),
      [name, newAddress()],
    );
    const [, { body, status }] = await bridged();
    expect([status, body.form_type, body.method]).toEqual([200, slug, `${slug}_form`]);
    await visit.close();
  });
});

it.each(["marketing", "お知らせ"])(
  "a form whose name the service refuses is named in the console: %s",
  async (name) => {
    await enter();
    const warned = visit.page.waitForEvent("console", (message) => message.type() === "warning");
    await visit.page.evaluate(
      ([type, email]) => void (window as any)._crmForms.submit(type, email),
      [name, newAddress()],
    );
    expect((await warned).text()).toContain(name);
    await visit.close();
  },
);

describe("a form that is submitted before the loader is there", () => {
  /** The page's text is there, its picture is not, and no script of ours has begun. */
  const enterEarly = async (body: string) => {
    await installStore(service, SHOP, {});
    await writeLoaderMetafield(service.ctx, SHOP);
    visit = await openStore(browser, service, {
      body: `${body}<img src="/never.png" alt="">`,
      metafields: service.sandbox.storefront.appMetafields(SHOP),
    });
    const state = { isHeld: true };
    await visit.page.route("**/never.png", () => {});
    await visit.page.route("**/assets/crm-loader.js", (route) =>
      state.isHeld ? undefined : route.fallback(),
    );
    await visit.page.goto(`https://${SHOP}/`, { waitUntil: "commit" });
    await visit.page.getByRole("button", { name: "Join" }).waitFor();
    return state;
  };

  it("and leads to another page is recorded from there", async () => {
    const state = await enterEarly(FORM);
    const email = newAddress();
    await visit.page.getByLabel("Email", { exact: true }).fill(email);
    await visit.page.getByLabel("Offers", { exact: true }).check();
    state.isHeld = false;
    await visit.page.getByLabel("Email", { exact: true }).press("Enter", { noWaitAfter: true });
    const [, { body, status }] = await bridged();
    expect([status, body.email, body.consent_marketing]).toEqual([200, email, true]);
    await visit.close();
  });

  it("and is sent by the page's own script starts the loader, and is recorded once", async () => {
    const state = await enterEarly(
      FORM.replace("<form", '<form onsubmit="event.preventDefault(); this.reset()"'),
    );
    const asked = visit.page.waitForRequest("**/assets/crm-loader.js");
    state.isHeld = false;
    const email = newAddress();
    await join(email);
    await visit.page.evaluate(
      (address) => void (window as any)._crmForms.submit("waitlist", address),
      email,
    );
    await asked;
    await eventually(
      "both forms",
      () => visit.sent.filter(({ path }) => path === "/auth/consent-sync").length === 2 || null,
    );
    expect(
      visit.sent
        .filter(({ path }) => path === "/auth/consent-sync")
        .map(({ body }) => [body.form_type, body.email, body.consent_marketing]),
    ).toEqual([
      ["newsletter", email, true],
      ["waitlist", email, undefined],
    ]);
    await visit.close();
  });

  it("outside a theme waits for the loader's second part", async () => {
    visit = await openStore(browser, service, {
      blocks: [],
      head: '<script src="/apps/crm/embed/stack-loader.js"></script>',
      body: FORM.replace("<form", '<form onsubmit="event.preventDefault(); this.reset()"'),
    });
    const { page } = visit;
    const held = new Promise<Parameters<Parameters<typeof page.route>[1]>[0]>(
      (done) => void page.route("**/embed/stack-bridge.js*", done),
    );
    await visit.page.goto(`https://${SHOP}/`, { waitUntil: "commit" });
    const email = newAddress();
    await join(email);
    await (await held).fallback();
    const [, { body, status }] = await bridged();
    expect([status, body.email, body.consent_marketing]).toEqual([200, email, true]);
    await visit.close();
  });
});

describe("a signed-in shopper", () => {
  it("with a token in this tab gets tags and consents on the account", async () => {
    const ada = await signUp(service);
    await enter();
    await visit.page.evaluate((token) => sessionStorage.setItem("crm_session", token), ada.token);
    await visit.page.evaluate(
      (email) => (window as any)._crmForms.submit("newsletter", email),
      ada.email,
    );
    const [tags, consent] = await bridged();
    expect([tags.status, consent.status]).toEqual([200, 200]);
    expect((await visit.layer()).find(({ event }) => event === "crm_form_submit").crm_user_id).toBe(
      String(ada.id),
    );
    expect(
      (await logOf(service, ada)).map(({ consent_type, method }) => [consent_type, method]),
    ).toContainEqual(["newsletter", "newsletter_form"]);
    await visit.close();
  });

  it("with a token on a page that cannot reach the service directly has the choice recorded for the browser, and kept for the account", async () => {
    const dan = await signUp(service);
    await enter();
    await visit.page.route(`${service.url}/**`, (route) => route.abort());
    await visit.page.evaluate((token) => sessionStorage.setItem("crm_session", token), dan.token);
    await visit.page.getByRole("button", { name: "Reject all" }).click();
    const [refused, taken] = await posted(2);
    expect([refused?.status, taken?.status]).toEqual([409, 200]);
    expect(await logOfVisitor(service, taken?.body.visitor_id)).toHaveLength(2);
    expect(await visit.page.evaluate("JSON.parse(localStorage.crm_outbox).length")).toBe(1);
    await visit.close();
  });

  it("at the storefront is recorded as the customer that the proxy authenticates", async () => {
    const bob = await signUp(service);
    await service.database.query(
      `UPDATE storefront_users SET storefront_customer_gid = 'gid://shopify/Customer/5001',
        email_verified = true WHERE id = $1`,
      [bob.id],
    );
    await enter({ customerId: "5001" });
    await visit.page.getByRole("button", { name: "Accept all" }).click();
    await posted(1);
    expect(
      (await logOf(service, bob))
        .slice(-2)
        .map(({ consent_type, action, method }) => [consent_type, action, method]),
    ).toEqual([
      ["cookie", "granted", "banner"],
      ["marketing", "granted", "banner"],
    ]);
    await visit.close();
  });

  it("with an ended session still has the choice recorded for this browser", async () => {
    const eve = await signUp(service);
    await service.call("POST", "/auth/logout", { key: eve.token, body: {} });
    await enter();
    await visit.page.evaluate((token) => sessionStorage.setItem("crm_session", token), eve.token);
    await visit.page.getByRole("button", { name: "Reject all" }).click();
    const [refused, taken] = await posted(2);
    expect([refused?.status, taken?.status]).toEqual([401, 200]);
    expect(await logOfVisitor(service, taken?.body.visitor_id)).toHaveLength(2);
    await visit.close();
  });
});

describe("a sign-in that returns with a code", () => {
  const code = async (challenge: string) => {
    const { token } = await signUp(service);
    const { createSessionCode } =
      await import("../../../app/domain/identity/session/session-exchange.ts");
    const { checkSession } = await import("../../../app/domain/identity/session/sessions.ts");
    const { getTenant } = await import("../../../app/domain/tenants/tenant.ts");
    const tenant = await getTenant(service.ctx, SHOP);
    const check = await checkSession(service.ctx, tenant, token);
    if (check.outcome !== "valid") throw new Error("no session");
    return createSessionCode(service.ctx, tenant, check.session.account, challenge);
  };

  it("is completed by the tab that started it, and the code is removed from the URL", async () => {
    await enter({ body: '<a href="/away?handoff=fragment">Sign in</a>' });
    await visit.page.getByRole("link", { name: "Sign in" }).click();
    const challenge = new URL(visit.page.url()).searchParams.get("handoff_challenge") ?? "";
    expect(challenge).toMatch(/^[\w-]{43}$/);
    await visit.open(`/account#session_code=${await code(challenge)}`);
    await visit.page.waitForFunction("sessionStorage.getItem('crm_session')");
    expect(visit.page.url()).toBe(`https://${SHOP}/account`);
    await visit.close();
  });

  it("is ignored in another tab, so that a link cannot sign in as another person", async () => {
    await enter();
    await visit.open(`/account#session_code=${await code("x".repeat(43))}`);
    expect(await visit.page.evaluate(() => sessionStorage.getItem("crm_session"))).toBeNull();
    expect(visit.sent.filter(({ path }) => path === "/auth/session")).toEqual([]);
    await visit.close();
  });
});

describe("a choice made offline", () => {
  it("applies at once in the browser, and is recorded once when the network is back", async () => {
    await enter();
    await visit.page.context().setOffline(true);
    let isAway = true;
    await visit.page.route("**/apps/crm/auth/**", (route) =>
      isAway ? route.abort("internetdisconnected") : route.fallback(),
    );
    await visit.page.getByRole("button", { name: "Reject all" }).click();
    const waiting = () =>
      visit.page.evaluate(() => JSON.parse(localStorage.getItem("crm_outbox") ?? "[]") as string[]);
    expect(await waiting()).toHaveLength(1);
    isAway = false;
    await visit.page.context().setOffline(false);
    const [sent] = await posted(1);
    await eventually("an empty outbox", async () => (await waiting()).length === 0);
    expect(await logOfVisitor(service, sent?.body.visitor_id)).toHaveLength(2);
    await visit.close();
  });

  it("is stored when the service fails, and sent from the next page", async () => {
    await enter();
    let isUnwell = true;
    await visit.page.route("**/apps/crm/auth/**", (route) =>
      isUnwell ? route.fulfill({ status: 503 }) : route.fallback(),
    );
    await visit.page.getByRole("button", { name: "Accept all" }).click();
    await visit.page.waitForFunction("JSON.parse(localStorage.getItem('crm_outbox')).length === 1");
    isUnwell = false;
    // The browser never counts a keepalive request of a closed page as finished.
    await visit.open("/next", "load");
    await posted(1);
    await visit.page.waitForFunction("JSON.parse(localStorage.getItem('crm_outbox')).length === 0");
    await visit.close();
  });
});
