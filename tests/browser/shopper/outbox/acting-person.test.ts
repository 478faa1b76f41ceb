// A page that was opened by one person is still there when another one is signed in at the store, or
// nobody: what is done on it belongs to the person it was opened for.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeLoaderMetafield } from "../../../../app/domain/tenants/storefront/loader-metafield.ts";
import { openBrowser } from "../../../support/browser/browser.ts";
import {
  openStore,
  outboxIsEmpty,
  outboxOf,
  type StoreOptions,
  type StoreVisit,
} from "../../../support/browser/store-visit.ts";
import {
  inShort,
  logOfVisitor,
  saidLater,
  signUp,
  startConsentService,
  type ConsentService,
  type Person,
} from "../../../support/consent.ts";
import { eventually, SHOP } from "../../../support/service.ts";
import { installStore } from "../../../support/storefront/synced-store.ts";

let service: ConsentService;
let browser: Awaited<ReturnType<typeof openBrowser>>;
let visit: StoreVisit;
let customers = 5_000;

beforeAll(async () => {
  [service, browser] = await Promise.all([startConsentService(), openBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

async function signUpCustomer(): Promise<Person & { customerId: string }> {
  const person = await signUp(service);
  const customerId = String((customers += 1));
  await service.database.query(
    `UPDATE storefront_users SET storefront_customer_gid = 'gid://shopify/Customer/' || $2,
      email_verified = true WHERE id = $1`,
    [person.id, customerId],
  );
  return { ...person, customerId };
}
/** The customer of `options` is who is signed in at the store now. */
const enter = async (options: StoreOptions) => {
  visit = await openStore(browser, service, options);
  await visit.open();
};
const choose = (isGranted: boolean) =>
  visit.page.evaluate(
    (flag) => (window as any)._crmConsent.choose({ cookie: flag, marketing: flag }),
    isGranted,
  );
const statuses = () =>
  visit.sent.filter(({ path }) => path === "/auth/consent-sync").map(({ status }) => status);
const decisions = async (person: Person) => inShort(await saidLater(service, person));
const visitorLog = async () =>
  logOfVisitor(
    service,
    await visit.page.evaluate(
      () => JSON.parse(localStorage.getItem("crm_visitor") ?? "") as string,
    ),
  );

describe("a choice on a page that was opened before", () => {
  it("another customer signed in is not that customer's, and waits for its own", async () => {
    const [ada, bob] = [await signUpCustomer(), await signUpCustomer()];
    const options: StoreOptions = { customerId: ada.customerId };
    await enter(options);
    options.customerId = bob.customerId;
    await choose(true);
    await eventually("the copy", async () => (await outboxOf(visit))[0]?.isCopied);
    expect(statuses()).toEqual([409, 200]);
    expect(await decisions(bob)).toEqual([]);
    expect(inShort(await visitorLog())).toEqual(["cookie granted", "marketing granted"]);
    options.customerId = ada.customerId;
    await visit.open("/next");
    expect(await outboxOf(visit)).toEqual([]);
    expect(await decisions(ada)).toEqual(["cookie granted", "marketing granted"]);
    expect(await decisions(bob)).toEqual([]);
    await visit.close();
  });

  it("the customer signed out is recorded for the browser, and for the account when it is back", async () => {
    const ada = await signUpCustomer();
    const options: StoreOptions = { customerId: ada.customerId };
    await enter(options);
    await choose(true);
    await outboxIsEmpty(visit);
    options.customerId = "";
    await choose(false);
    await eventually("the copy", async () => (await outboxOf(visit))[0]?.isCopied);
    expect(inShort(await visitorLog())).toEqual(["cookie revoked", "marketing revoked"]);
    options.customerId = ada.customerId;
    await visit.open("/next");
    expect(await outboxOf(visit)).toEqual([]);
    expect((await decisions(ada)).slice(-2)).toEqual(["cookie revoked", "marketing revoked"]);
    await visit.close();
  });

  it("somebody signed in is the browser's", async () => {
    const bob = await signUpCustomer();
    const options: StoreOptions = {};
    await enter(options);
    options.customerId = bob.customerId;
    await choose(true);
    await outboxIsEmpty(visit);
    expect(statuses()).toEqual([409, 200]);
    expect(await decisions(bob)).toEqual([]);
    expect(await visitorLog()).toHaveLength(2);
    await visit.close();
  });

  it("with a token, which only the proxy can take, is not the choice of the store's customer", async () => {
    const [ada, bob] = [await signUp(service), await signUpCustomer()];
    await enter({ customerId: bob.customerId });
    await visit.page.evaluate((token) => sessionStorage.setItem("crm_session", token), ada.token);
    await visit.page.route(`${service.url}/**`, (route) => route.abort());
    await choose(true);
    await eventually("the copy", async () => (await outboxOf(visit))[0]?.isCopied);
    expect(await decisions(bob)).toEqual([]);
    await visit.page.unroute(`${service.url}/**`);
    await visit.open("/next");
    expect(await outboxOf(visit)).toEqual([]);
    expect([await decisions(ada), await decisions(bob)]).toEqual([
      ["cookie granted", "marketing granted"],
      [],
    ]);
    await visit.close();
  });
});

describe("a form that is submitted before the loader is there", () => {
  const FORM = `<form action="/contact" method="get" data-crm-form="newsletter"><label>Email <input type="email" name="contact[email]" required></label><label><input type="checkbox" name="consent_marketing"> Offers</label><button>Join</button></form>`;
  /** No script of ours begins on the form's page. */
  const submitEarly = async (options: StoreOptions, token: string | null = null) => {
    await installStore(service, SHOP, {});
    await writeLoaderMetafield(service.ctx, SHOP);
    Object.assign(options, {
      body: FORM,
      metafields: service.sandbox.storefront.appMetafields(SHOP),
    });
    visit = await openStore(browser, service, options);
    const { page } = visit;
    const state = { isHeld: true };
    await page.route("**/assets/crm-loader.js", (route) =>
      state.isHeld ? route.abort() : route.fallback(),
    );
    await visit.open("/", "load");
    if (token) await page.evaluate((given) => sessionStorage.setItem("crm_session", given), token);
    await page.getByLabel("Email", { exact: true }).fill("somebody.else@example.com");
    await page.getByLabel("Offers", { exact: true }).check();
    state.isHeld = false;
    return () => page.getByRole("button", { name: "Join" }).click();
  };
  const consent = () =>
    eventually("the consent", () => visit.sent.find(({ path }) => path === "/auth/consent-sync"));

  it("by nobody is not of the customer who signs in then: the address has to confirm it", async () => {
    const bob = await signUpCustomer();
    const options: StoreOptions = {};
    const submit = await submitEarly(options);
    options.customerId = bob.customerId;
    await submit();
    const { status, body } = await consent();
    expect([status, body.email, body.consent_marketing]).toEqual([
      200,
      "somebody.else@example.com",
      true,
    ]);
    await outboxIsEmpty(visit);
    expect(await decisions(bob)).toEqual([]);
    expect(
      visit.sent.filter(({ path }) => path === "/ucp/tags").map((sent) => sent.status),
    ).toEqual([401]);
    await visit.close();
  });

  it("by a customer is not of the one who signs in then", async () => {
    const [ada, bob] = [await signUpCustomer(), await signUpCustomer()];
    const options: StoreOptions = { customerId: ada.customerId };
    const submit = await submitEarly(options);
    options.customerId = bob.customerId;
    await submit();
    await consent();
    expect((await outboxOf(visit)).map(({ by }) => by)).toEqual([
      `customer ${ada.customerId}`,
      `customer ${ada.customerId}`,
    ]);
    expect(await decisions(bob)).toEqual([]);
    await visit.close();
  });

  it("by a person with a token in this tab is that person's", async () => {
    const ada = await signUp(service);
    const submit = await submitEarly({}, ada.token);
    await submit();
    expect((await consent()).status).toBe(200);
    expect(await decisions(ada)).toEqual(["marketing granted", "newsletter granted"]);
    expect(await visit.page.evaluate("sessionStorage.crm_forms")).toBeUndefined();
    await visit.close();
  });
});
