// The check of the storefront that repeats itself each week, and its mail.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { runScheduledNow } from "../../../app/domain/scheduled-run/scheduled-run.ts";
import { TENANT_STEPS } from "../../../app/domain/scheduled-run/steps.ts";
import {
  readStorefrontCheck,
  repeatStorefrontCheck,
  startStorefrontCheck,
} from "../../../app/domain/storefront-check/storefront-check.ts";
import { switchWeeklyCheck } from "../../../app/domain/storefront-check/weekly-check.ts";
import { changeTenantRecord } from "../../../app/domain/tenants/tenant-record.ts";
import { getTenant } from "../../../app/domain/tenants/tenant.ts";
import { eventually, OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";
import { installStore } from "../../support/storefront/synced-store.ts";

const DESK = "alerts@test-store.example";
/** In the language of one test alone. */
const SUBJECT = "Novedad en la tienda de Kestrel antes del consentimiento";
const OPERATOR = "operator@service.example";
const DAY = 86_400_000;
const FRONT = /^\/[^/]+\/$/;
const script = (host: string) => `<script nomodule src="https://${host}/a.js"></script>`;
const [META, TIKTOK] = [script("connect.facebook.net"), script("analytics.tiktok.com")];
let service: Service;
beforeAll(async () => {
  service = await startService({ background: true, env: { ADMIN_EMAILS: OPERATOR } });
});
afterAll(() => service.stop());
beforeEach(async () => {
  await service.database.truncate();
  service.sandbox.clearFaults();
  for (const shop of [SHOP, OTHER_SHOP]) {
    await installStore(service, shop);
    service.sandbox.storefront.setPassword(shop, false);
    service.sandbox.storefront.setThemeHtml(shop, "");
    service.sandbox.storefront.furnish(shop);
  }
  await service.addTenant(SHOP, { alert_emails: [DESK] });
});

const at = (days: number) => ({
  ...service.ctx,
  clock: { now: () => new Date(Date.now() + days * DAY) },
});
const tenant = (shop = SHOP) => getTenant(service.ctx, shop);
const theme = (html: string, shop = SHOP) => service.sandbox.storefront.setThemeHtml(shop, html);
const signal = () => AbortSignal.timeout(60_000);
/** The step of the scheduled run, so many days from now. */
const repeat = async (days: number, shop = SHOP) =>
  repeatStorefrontCheck(at(days), await tenant(shop), signal());
const read = async (days = 0, shop = SHOP) => readStorefrontCheck(at(days), await tenant(shop));
const check = async (shop = SHOP) => {
  await startStorefrontCheck(service.ctx, await tenant(shop));
  await eventually("the end of the check", async () => (await read(0, shop)).run?.state === "done");
};
const switchTo = async (isOn: boolean, shop = SHOP) =>
  switchWeeklyCheck(service.ctx, await tenant(shop), isOn);
const mails = () =>
  service.database.query<{ shop: string; payload: { finding: { vendors: string[] } } }>(
    "SELECT shop, payload FROM integration_queue WHERE event_type = 'mail.storefront_finding' ORDER BY id",
    [],
  );
const mailed = async () => (await mails()).map(({ payload }) => payload.finding.vendors);

describe("the weekly check", () => {
  it("is off until the store has checked once, then a week after that check", async () => {
    expect((await read()).weekly).toMatchObject({ isOn: false, isDue: false, nextAt: null });
    expect(await repeat(30)).toBeNull();
    await check();
    const { weekly, result } = await read();
    expect(weekly).toMatchObject({ isOn: true, lastAt: null, isDue: false });
    expect(Date.parse(weekly.nextAt ?? "")).toBeCloseTo(Date.parse(result?.at ?? "") + 7 * DAY, -4);
    expect(await repeat(6.9)).toBeNull();
    expect((await read(7.1)).weekly).toMatchObject({ isDue: true, nextAt: null });
    expect(await repeat(7.1)).toEqual({ checked: 1, closed: 0, new_vendors: 0 });
    const after = (await read(7.1)).weekly;
    expect(after).toMatchObject({ isDue: false, problem: null });
    expect(Date.parse(after.nextAt ?? "") - Date.parse(after.lastAt ?? "")).toBe(7 * DAY);
    expect(await repeat(7.2)).toBeNull();
    expect(await repeat(14.2)).toMatchObject({ checked: 1 });
  });

  it("can be switched on before any check, and stays off after it is switched off", async () => {
    await switchTo(true);
    expect((await read()).weekly).toMatchObject({ isOn: true, isDue: true });
    expect(await repeat(0)).toMatchObject({ checked: 1 });
    await switchTo(false);
    expect((await read(30)).weekly).toMatchObject({ isOn: false, isDue: false, nextAt: null });
    expect(await repeat(30)).toBeNull();
    await check();
    expect((await read(30)).weekly.isOn).toBe(false);
  });

  it("is repeated a day after it found the store closed; the last result stays", async () => {
    theme(META);
    await check();
    const before = (await read()).result;
    service.sandbox.storefront.setPassword(SHOP, true);
    expect(await repeat(8)).toEqual({ checked: 0, closed: 1, new_vendors: 0 });
    const { weekly, result } = await read(8);
    expect(weekly).toMatchObject({ problem: "password", isDue: false });
    expect(result).toEqual(before);
    expect(await repeat(8.9)).toBeNull();
    service.sandbox.storefront.setPassword(SHOP, false);
    // The merchant's own check changes nothing of it.
    theme("");
    await check();
    expect((await read(8)).weekly).toEqual(weekly);
    theme(META);
    expect(await repeat(9.1)).toMatchObject({ checked: 1, new_vendors: 0 });
    expect((await read(9.1)).weekly.problem).toBeNull();
  });

  it("runs once where two look at the same time, and not beside the merchant's own", async () => {
    await switchTo(true);
    service.sandbox.failNext("storefront", { delayMs: 500, match: FRONT });
    const results = await Promise.all([repeat(0), repeat(0), repeat(0)]);
    expect(results.filter((one) => one !== null)).toHaveLength(1);
    service.sandbox.failNext("storefront", { delayMs: 1_000, match: FRONT });
    await startStorefrontCheck(service.ctx, await tenant());
    expect(await repeat(30)).toBeNull();
    await eventually("the end", async () => (await read()).run?.state === "done");
  });

  it("ends with the scheduled run, keeps nothing then, and is due again", async () => {
    await switchTo(true);
    await expect(
      repeatStorefrontCheck(service.ctx, await tenant(), AbortSignal.abort()),
    ).rejects.toThrow(/abort/i);
    expect(await read()).toMatchObject({ result: null, weekly: { isDue: true, lastAt: null } });
  });

  it("is a step of the scheduled run, for each store by itself; one that uninstalled the app is left alone", async () => {
    const steps = TENANT_STEPS.filter(({ name }) => name === "storefront_check");
    await switchTo(true);
    expect(await runScheduledNow(service.ctx, { steps })).toMatchObject({
      steps: { storefront_check: { done: 1, skipped: 1, counts: { checked: 1 } } },
    });
    expect((await read(0, OTHER_SHOP)).result).toBeNull();
    await switchTo(true, OTHER_SHOP);
    await changeTenantRecord(service.ctx, OTHER_SHOP, {
      connection: { uninstalled_at: new Date().toISOString() },
    });
    expect(await repeat(0, OTHER_SHOP)).toBeNull();
  });
});

describe("the mail", () => {
  it("names what is new before consent, and never the same twice", async () => {
    theme(META);
    await check();
    expect(await repeat(8)).toMatchObject({ new_vendors: 0 });
    theme(META + TIKTOK);
    expect(await repeat(16)).toMatchObject({ new_vendors: 1 });
    expect(await repeat(24)).toMatchObject({ new_vendors: 0 });
    theme("");
    await repeat(32);
    theme(META + TIKTOK);
    await repeat(40);
    expect(await mailed()).toEqual([["TikTok"]]);
  });

  it("is about all that a first check finds when nobody looked before", async () => {
    theme(META + TIKTOK);
    await switchTo(true);
    await repeat(0);
    expect(await mailed()).toEqual([["Meta", "TikTok"]]);
  });

  it("is not sent about what the merchant's own check showed, also one from before the weekly checks", async () => {
    theme(META);
    await check();
    await service.database.query("DELETE FROM kv WHERE key = 'storefront_weekly'", []);
    theme(META + TIKTOK);
    await repeat(8);
    expect(await mailed()).toEqual([["TikTok"]]);
    theme(META + TIKTOK + script("static.hotjar.com"));
    await check();
    await repeat(30);
    expect(await mailed()).toHaveLength(1);
  });

  it("reaches the store in its language, with the vendors and the way to the page", async () => {
    await service.addTenant(SHOP, { locale: "es", brand_name: "Kestrel", alert_emails: [DESK] });
    theme(META + TIKTOK);
    await switchTo(true);
    await repeat(0);
    const mail = await eventually("the mail", async () =>
      service.sandbox.email.mailsTo(DESK).find(({ subject }) => subject === SUBJECT),
    );
    expect(mail.text).toContain("antes del consentimiento: Meta y TikTok.");
    expect(mail.text).toMatch(/https?:\/\/\S+\/apps\/\S+\/app\/consent\/storefront/);
  });

  it("waits until the store has a mail provider and an address, and never goes to the operators", async () => {
    theme(META);
    await switchTo(true);
    const { config, ...rest } = await tenant();
    const without = (changes: object) => ({ ...rest, config: { ...config, ...changes } });
    for (const [days, mute] of [
      [0, without({ email_api_key: undefined })],
      [8, without({ alert_emails: undefined, storefront_admin_token: undefined })],
    ] as const) {
      expect(await repeatStorefrontCheck(at(days), mute, signal())).toMatchObject({ checked: 1 });
      expect(await mailed()).toEqual([]);
    }
    await repeat(16);
    expect(await mailed()).toEqual([["Meta"]]);
    expect(service.sandbox.email.mailsTo(OPERATOR)).toEqual([]);
  });

  it("is dropped where the store's address is gone by then", async () => {
    theme(META);
    await switchTo(true);
    await service.addTenant(SHOP, { alert_emails: [] });
    await service.call("POST", `/config?shop=${SHOP}`, { body: { storefront_admin_token: null } });
    const { config, ...rest } = await tenant();
    const tenantBefore = { ...rest, config: { ...config, alert_emails: [DESK] } };
    await repeatStorefrontCheck(service.ctx, tenantBefore, signal());
    expect(await mailed()).toEqual([["Meta"]]);
    await eventually("the end of the delivery", async () => {
      const [row] = await service.database.query<{ status: string }>(
        "SELECT status FROM integration_queue WHERE event_type = 'mail.storefront_finding'",
        [],
      );
      return row?.status === "delivered";
    });
    expect(service.sandbox.email.mailsTo(OPERATOR)).toEqual([]);
  });

  it("is of one store alone", async () => {
    await service.addTenant(OTHER_SHOP, { alert_emails: ["desk@other.example"] });
    theme(META);
    theme(TIKTOK, OTHER_SHOP);
    for (const shop of [SHOP, OTHER_SHOP]) await switchTo(true, shop);
    await repeat(0, SHOP);
    await repeat(0, OTHER_SHOP);
    expect((await mails()).map(({ shop, payload }) => [shop, payload.finding.vendors])).toEqual([
      [SHOP, ["Meta"]],
      [OTHER_SHOP, ["TikTok"]],
    ]);
  });
});
