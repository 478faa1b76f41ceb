// The setting that holds back known vendors: what a merchant saves, what the store's pages get, and whose it is.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { readStorefrontCheck } from "../../../app/domain/storefront-check/storefront-check.ts";
import {
  chooseVendor,
  switchBlocking,
} from "../../../app/domain/storefront-check/blocking-settings.ts";
import { runScheduledNow } from "../../../app/domain/scheduled-run/scheduled-run.ts";
import { TENANT_STEPS } from "../../../app/domain/scheduled-run/steps.ts";
import { changeTenantRecord } from "../../../app/domain/tenants/tenant-record.ts";
import { getTenant } from "../../../app/domain/tenants/tenant.ts";
import { toHeldGroups } from "../../../app/domain/vendors/script-blocking.ts";
import { OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";
import { installStore } from "../../support/storefront/synced-store.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  await service.database.truncate();
  for (const shop of [SHOP, OTHER_SHOP]) {
    await service.sandbox.storefront.uninstall(shop, { silent: true }).catch(() => {});
    await installStore(service, shop);
    service.sandbox.storefront.setActiveBlock(shop, "consent", true);
  }
});

const tenant = (shop = SHOP) => getTenant(service.ctx, shop);
const read = async (shop = SHOP) =>
  (await readStorefrontCheck(service.ctx, await tenant(shop))).blocking;
const turn = async (isOn: boolean, shop = SHOP) =>
  switchBlocking(service.ctx, await tenant(shop), {
    is_on: isOn,
    version: (await read(shop)).version,
  });
const choose = async (vendor: string, waits: boolean) =>
  chooseVendor(service.ctx, await tenant(), { vendor, waits, version: (await read()).version });
const LOADER_STEP = TENANT_STEPS.filter(({ name }) => name === "loader");
const bringInLine = () => runScheduledNow(service.ctx, { steps: LOADER_STEP });
const heldBy = (shop = SHOP): unknown => {
  const field = service.sandbox.storefront.appMetafields(shop).find(({ key }) => key === "held");
  return field && JSON.parse(field.value);
};
const page = async (shop = SHOP) => (await fetch(`${service.sandbox.url}/store/${shop}`)).text();
const found = (vendors: string[]) =>
  service.database.query("INSERT INTO kv (shop, key, value) VALUES ($1, 'storefront_check', $2)", [
    SHOP,
    JSON.stringify({
      at: "2026-11-20T10:00:00.000Z",
      pages: [],
      scripts: vendors.map((vendor) => ({ vendor, state: "before_consent" })),
      counts: {},
      hasEmbed: true,
    }),
  ]);

describe("a store's pages", () => {
  it("hold nothing back until the merchant switches it on, get it then, and lose it again", async () => {
    await bringInLine();
    expect(heldBy()).toBeUndefined();
    expect(await page()).not.toContain("data-crm-held");
    await turn(true);
    await bringInLine();
    expect(heldBy()).toEqual([12, "G-TEST1", toHeldGroups({ enabled: true, run: [], block: [] })]);
    expect(await page()).toContain("data-crm-held");
    expect([heldBy(OTHER_SHOP), await page(OTHER_SHOP)]).toEqual([
      undefined,
      expect.not.stringContaining("data-crm-held"),
    ]);
    await turn(false);
    await bringInLine();
    expect(heldBy()).toBe(false);
    expect(await page()).not.toContain("data-crm-held");
  });

  it("get each change of what they need, once, also of stores whose list is from an older version", async () => {
    await turn(true);
    await bringInLine();
    expect((await bringInLine()).steps.loader).toMatchObject({ skipped: 2 });
    const before = heldBy();
    await service.call("POST", `/config?shop=${SHOP}`, { body: { consent_lifetime_months: 6 } });
    await choose("Meta", false);
    await bringInLine();
    expect(heldBy()).toEqual([6, "G-TEST1", expect.any(Array)]);
    expect(JSON.stringify(heldBy())).not.toContain("facebook");
    expect(JSON.stringify(before)).toContain("facebook");
    // As an older version left it.
    await changeTenantRecord(service.ctx, SHOP, { connection: { held_metafield: "older" } });
    expect((await bringInLine()).steps.loader).toMatchObject({ done: 1 });
  });

  it("are written again after a new installation, because the metafield ended with the old one", async () => {
    await turn(true);
    await bringInLine();
    await service.sandbox.storefront.uninstall(SHOP, { silent: true });
    expect(heldBy()).toBeUndefined();
    await installStore(service, SHOP);
    await bringInLine();
    expect(heldBy()).toEqual([12, "G-TEST1", expect.any(Array)]);
  });
});

describe("a merchant", () => {
  it("sees the vendors that were found, and decides about each", async () => {
    await found(["Meta", "Google Tag Manager", "PayPal", "some-app", "constructor"]);
    const states = async () => (await read()).vendors.map(({ name, waits }) => [name, waits]);
    await turn(true);
    expect(await states()).toEqual([
      ["Google Tag Manager", false],
      ["Meta", true],
    ]);
    await choose("Meta", false);
    await choose("Google Tag Manager", true);
    expect(await states()).toEqual([
      ["Google Tag Manager", true],
      ["Meta", false],
    ]);
    expect((await tenant()).config.script_blocking).toEqual({
      enabled: true,
      run: ["Meta"],
      block: ["Google Tag Manager"],
    });
    // Also once the check finds them no more.
    await service.database.query("DELETE FROM kv WHERE key = 'storefront_check'", []);
    expect(await states()).toEqual([
      ["Google Tag Manager", true],
      ["Meta", false],
    ]);
    await choose("Meta", true);
    await choose("Google Tag Manager", false);
    expect((await tenant()).config.script_blocking).toEqual({ enabled: true, run: [], block: [] });
    expect(await read(OTHER_SHOP)).toMatchObject({ isOn: false, vendors: [] });
  });

  it.each(["PayPal", "nobody", "constructor", ""])("cannot decide about %j", async (vendor) => {
    await expect(choose(vendor, true)).rejects.toMatchObject({ code: "invalid_request" });
    expect((await tenant()).saved.script_blocking).toBeUndefined();
  });

  it("gets a conflict when somebody else changed it meanwhile, and nothing is saved", async () => {
    const { version } = await read();
    await turn(true);
    await expect(
      chooseVendor(service.ctx, await tenant(), { vendor: "Meta", waits: false, version }),
    ).rejects.toMatchObject({ code: "conflict" });
    expect((await tenant()).config.script_blocking).toEqual({ enabled: true, run: [], block: [] });
  });
});

describe("POST /config", () => {
  const post = (value: unknown, key?: string | null, shop = SHOP) =>
    service.call("POST", `/config?shop=${shop}`, {
      body: { script_blocking: value },
      ...(key !== undefined && { key }),
    });

  it("saves the setting, shows it, and ends it with null", async () => {
    expect((await post({ enabled: true, run: ["Meta"] })).status).toBe(200);
    const shown = await service.call("GET", `/config?shop=${SHOP}`);
    expect(shown.json.config.script_blocking).toEqual({ enabled: true, run: ["Meta"], block: [] });
    expect((await post(null)).status).toBe(200);
    expect((await tenant()).config.script_blocking.enabled).toBe(false);
  });

  it.each([true, { enabled: "yes" }, { enabled: true, run: "Meta" }, { enabled: true, other: 1 }])(
    "refuses %j and saves nothing",
    async (value) => {
      expect((await post(value)).json).toMatchObject({
        code: "invalid_request",
        fields: { script_blocking: expect.any(String) as string },
      });
      expect((await tenant()).saved.script_blocking).toBeUndefined();
    },
  );

  it("answers 401 without a key and saves nothing", async () => {
    expect((await post({ enabled: true }, null)).status).toBe(401);
    expect((await tenant()).config.script_blocking.enabled).toBe(false);
  });
});
