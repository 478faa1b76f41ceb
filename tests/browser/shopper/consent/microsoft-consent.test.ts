// Microsoft's tags in a store that sends them the shopper's choice: stand-ins take their commands as the real ones do.
import { afterAll, beforeAll, expect, it } from "vitest";
import { openBrowser } from "../../../support/browser/browser.ts";
import {
  openStore,
  type StoreOptions,
  type StoreVisit,
} from "../../../support/browser/store-visit.ts";
import { startConsentService, type ConsentService } from "../../../support/consent.ts";
import { SHOP } from "../../../support/service.ts";

const ON = { microsoft_consent: true };
const [DENIED, ADS, ANALYTICS, GRANTED] = ["DD", "GD", "DG", "GG"];
/** The tags run late, take what was kept for them, and replace the lists by functions of their own. */
const TAGS = `<script>
  window.startTags = () => {
    window.received = { uet: [], clarity: [] };
    const kept = window.uetq;
    window.uetq = { push: (...command) => received.uet.push(command) };
    for (let at = 0; at < kept.length; at += 3) uetq.push(...kept.slice(at, at + 3));
    const { q } = window.clarity;
    window.clarity = (...command) => received.clarity.push(command);
    q.forEach((command) => clarity(...command));
  };
</script>`;
let service: ConsentService;
let browser: Awaited<ReturnType<typeof openBrowser>>;
let visit: StoreVisit;

beforeAll(async () => {
  [service, browser] = await Promise.all([startConsentService(), openBrowser()]);
  await service.addTenant(SHOP, { consent_policy_version: "2026-11" });
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

async function enter(options: StoreOptions = {}): Promise<void> {
  visit = await openStore(browser, service, { settings: ON, body: TAGS, ...options });
  await visit.open();
  await visit.settled();
}
const startTags = () => visit.page.evaluate("startTags()");
const letterOf = (word: unknown) => (word === "granted" ? "G" : word === "denied" ? "D" : "?");
/** What the tags received in order: ads and analytics of each, of UET the command and ads. */
async function received(): Promise<{ uet: string[]; clarity: string[] }> {
  const { uet, clarity } = (await visit.page.evaluate("received")) as Record<
    "uet" | "clarity",
    any[]
  >;
  return {
    uet: uet.map(([name, command, { ad_storage: ads, ...rest }]) =>
      [name, command, letterOf(ads), ...Object.keys(rest)].join(" "),
    ),
    clarity: clarity.map(([name, { ad_Storage: ads, analytics_Storage: analytics, ...rest }]) =>
      [name, letterOf(ads) + letterOf(analytics), ...Object.keys(rest)].join(" "),
    ),
  };
}
async function expectReceived(uet: string[], clarity: string[]): Promise<void> {
  await expect.poll(received).toEqual({
    uet: uet.map((word) => `consent ${word}`),
    clarity: clarity.map((words) => `consentv2 ${words}`),
  });
}
const choose = (flags: Record<string, boolean>) =>
  visit.page.evaluate(
    (chosen) => void (window as any)._crmConsent.choose(chosen) as unknown,
    flags,
  );

it("they are denied before a choice, and get each change of it once, before and after they run", async () => {
  await enter();
  await startTags();
  await expectReceived(["default D"], [DENIED]);
  await visit.page.getByRole("button", { name: "Accept all" }).click();
  await expectReceived(["default D", "update G"], [DENIED, GRANTED]);
  await choose({ cookie: true, marketing: true });
  await choose({ cookie: true, marketing: false });
  await expectReceived(["default D", "update G", "update D"], [DENIED, GRANTED, ANALYTICS]);
  expect(visit.errors).toEqual([]);
  await visit.close();
});

it("a choice of before is sent as soon as the page has it, whatever the tags do meanwhile", async () => {
  const at = new Date().toISOString();
  await enter({
    kept: { crm_consent: { cookie: false, marketing: true, version: "2026-11", at } },
  });
  await startTags();
  await expectReceived(["default D", "update G"], [DENIED, ADS]);
  await visit.close();
});

it("where nobody is asked they follow the region's rule, and the browser's signal denies advertising", async () => {
  await enter({ region: "JP13" });
  await startTags();
  await expectReceived(["default D", "update G"], [DENIED, GRANTED]);
  await visit.close();
  await enter({ region: "USCA", gpc: true });
  await startTags();
  await expectReceived(["default D", "update D"], [DENIED, ANALYTICS]);
  await visit.close();
});

it("a page without the setting has nothing of theirs", async () => {
  await enter({ settings: {} });
  expect(await visit.page.evaluate("[typeof uetq, typeof clarity]")).toEqual([
    "undefined",
    "undefined",
  ]);
  await visit.close();
});
