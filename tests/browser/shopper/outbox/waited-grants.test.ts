// A grant waits in this browser while its person refuses in another one.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openBrowser } from "../../../support/browser/browser.ts";
import {
  keptChoice,
  openStore,
  outboxIsEmpty,
  outboxOf,
  type StoreVisit,
} from "../../../support/browser/store-visit.ts";
import {
  consentsOf,
  inShort,
  saidLater,
  signUp,
  startConsentService,
  syncAs,
  type ConsentService,
  type Person,
} from "../../../support/consent.ts";
import { eventually } from "../../../support/service.ts";

let service: ConsentService;
let browser: Awaited<ReturnType<typeof openBrowser>>;
let visit: StoreVisit;
let ada: Person;

beforeAll(async () => {
  [service, browser] = await Promise.all([startConsentService(), openBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const REFUSAL = { consent_cookie: false, consent_marketing: false };
const consents = () => visit.sent.filter(({ path }) => path === "/auth/consent-sync");

/** What `act` does in a page that cannot reach the service has waited for an hour on the next page. */
async function wait(act: () => Promise<unknown>, count = 1): Promise<void> {
  ada = await signUp(service);
  visit = await openStore(browser, service, {});
  await visit.open();
  const { page } = visit;
  await page.evaluate((token) => sessionStorage.setItem("crm_session", token), ada.token);
  const addresses = [
    "**/apps/crm/auth/*",
    "**/apps/crm/ucp/*",
    `${service.url}/auth/*`,
    `${service.url}/ucp/*`,
  ];
  for (const address of addresses)
    await page.route(address, (route) =>
      route.request().method() === "OPTIONS" ? route.fallback() : route.fulfill({ status: 503 }),
    );
  await act();
  await eventually("what waits", async () => (await outboxOf(visit)).length === count || null);
  // Without the page nothing is sent.
  await page.goto("about:blank");
  await page.addInitScript(() => {
    const items = JSON.parse(localStorage.getItem("crm_outbox") ?? "[]") as { at: number }[];
    for (const item of items) item.at -= 3_600_000;
    localStorage.setItem("crm_outbox", JSON.stringify(items));
  });
  for (const address of addresses) await page.unroute(address);
}
const nextPage = async () => {
  await visit.open("/next");
  await outboxIsEmpty(visit);
};
const choose = (flags: object) =>
  visit.page.evaluate((chosen) => void (window as any)._crmConsent.choose(chosen), flags);
/** A form whose box about marketing is ticked. */
const submitForm = () =>
  visit.page.evaluate((email) => {
    const form = document.createElement("form");
    form.innerHTML = '<input type="checkbox" name="consent_marketing" checked>';
    void (window as any)._crmForms.submit("newsletter", email, form);
  }, ada.email);

describe("a grant that waited", () => {
  it("does not undo the refusal, which then holds in this browser, for its tags and at the store", async () => {
    await wait(() => choose({ cookie: true, marketing: true }));
    await syncAs(service, ada, REFUSAL);
    await nextPage();
    expect(consents().map(({ status }) => status)).toEqual([200]);
    expect(consents()[0]?.body.waited_seconds).toBeGreaterThanOrEqual(3_600);
    expect(await consentsOf(service, ada)).toMatchObject({ cookie: false, marketing: false });
    expect(await keptChoice(visit.page)).toMatchObject({ cookie: false, marketing: false });
    const layer = await visit.layer();
    expect(layer.findLast(({ command }) => command?.[1] === "update").command[2]).toMatchObject({
      analytics_storage: "denied",
      ad_storage: "denied",
    });
    expect(layer.find(({ event }) => event === "consent_update")).toMatchObject({
      consent_method: "account",
      consent_cookie: "denied",
    });
    expect((await visit.privacyCalls()).at(-1)).toMatchObject({
      analytics: false,
      marketing: false,
    });
    await visit.close();
  });

  it("leaves what the person did not refuse as it was chosen here", async () => {
    await wait(() => choose({ cookie: true, marketing: true }));
    await syncAs(service, ada, { consent_marketing: false });
    await nextPage();
    expect(await consentsOf(service, ada)).toMatchObject({ cookie: true, marketing: false });
    expect(await keptChoice(visit.page)).toMatchObject({ cookie: true, marketing: false });
    await visit.close();
  });

  it("is recorded where nobody refused", async () => {
    await wait(() => choose({ cookie: true, marketing: true }));
    await nextPage();
    expect(await consentsOf(service, ada)).toMatchObject({ cookie: true, marketing: true });
    expect(await keptChoice(visit.page)).toMatchObject({ cookie: true, marketing: true });
    await visit.close();
  });

  it("in a form subscribes nobody who refused meanwhile", async () => {
    await wait(submitForm, 2);
    await syncAs(service, ada, REFUSAL);
    await nextPage();
    expect(inShort(await saidLater(service, ada))).toEqual([
      "cookie revoked",
      "marketing revoked",
      "newsletter granted",
    ]);
    await visit.close();
  });

  it("in a form counts after this browser's own refusal, which waited before it", async () => {
    await wait(async () => {
      await choose({ marketing: false });
      await submitForm();
    }, 3);
    await nextPage();
    expect(inShort(await saidLater(service, ada))).toEqual([
      "marketing revoked",
      "marketing granted",
      "newsletter granted",
    ]);
    await visit.close();
  });
});
