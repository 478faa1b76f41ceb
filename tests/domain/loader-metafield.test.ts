// The loader's values in the metafield of the app's installation: written once per change, for connected
// stores only.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { BANNER_LANGUAGES } from "../../app/domain/tenants/banner/banner-texts.ts";
import { runScheduledNow } from "../../app/domain/scheduled-run/scheduled-run.ts";
import { TENANT_STEPS } from "../../app/domain/scheduled-run/steps.ts";
import {
  loaderRequests,
  startLoaderWorker,
} from "../../app/domain/tenants/storefront/loader-worker.ts";
import { changeTenantRecord } from "../../app/domain/tenants/tenant-record.ts";
import { getTenant } from "../../app/domain/tenants/tenant.ts";
import { eventually, OTHER_SHOP, SHOP, startService, type Service } from "../support/service.ts";
import { around, installStore, storefrontCalls } from "../support/storefront/synced-store.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  await service.database.truncate();
  service.sandbox.clearFaults();
  for (const shop of [SHOP, OTHER_SHOP]) {
    await service.sandbox.storefront.uninstall(shop, { silent: true }).catch(() => {});
    await installStore(service, shop, { consent_policy_version: "2026-11" });
  }
});

const metafields = (shop = SHOP) =>
  service.sandbox.storefront
    .appMetafields(shop)
    .filter(({ key }) => key === "loader")
    .map(({ namespace, key, type, value }) => [namespace, key, type, JSON.parse(value) as unknown]);
const written = (shop: string, tag = "G-TEST1", isBasic = true) => [
  ["crm", "loader", "json", [shop, service.url, isBasic, tag, "2026-11"]],
];
const calls = () => storefrontCalls(service, "MetafieldsSet");
const save = (fields: Record<string, unknown>, shop = SHOP) =>
  service.call("POST", `/config?shop=${shop}`, { body: fields });
const openRequests = async () =>
  (await loaderRequests.list(service.ctx, 10)).map(({ shop }) => shop);

/** Runs the worker until no request is open. */
async function work(): Promise<void> {
  const worker = await startLoaderWorker(service.ctx, { retryMs: 50 });
  await eventually("the end of the requests", async () => (await openRequests()).length === 0);
  await worker.stop();
}
const LOADER_STEP = TENANT_STEPS.filter(({ name }) => name === "loader");
const runStep = () => runScheduledNow(service.ctx, { steps: LOADER_STEP });

test("a changed measurement id is written once, and no other store is written", async () => {
  const before = calls();
  await save({ analytics_measurement_id: "G-NEW1" });
  expect(await openRequests()).toEqual([SHOP]);
  await work();
  expect(metafields()).toEqual(written(SHOP, "G-NEW1"));
  expect(metafields(OTHER_SHOP)).toEqual([]);
  expect(calls() - before).toBe(1);
});

test("each value that the loader needs is written when it changes, as the script from the service has it", async () => {
  await save({ consent_mode: "advanced" });
  await work();
  expect(metafields()).toEqual(written(SHOP, "G-TEST1", false));
  await save({ analytics_measurement_id: null, consent_policy_version: null });
  await work();
  expect(metafields()).toEqual([["crm", "loader", "json", [SHOP, service.url, false, ""]]]);
  const script = await service.call("GET", `/embed/stack-loader.js?shop=${SHOP}`, { key: null });
  expect(script.text).toContain(JSON.stringify(metafields()[0]?.[3]));
});

test("the footer is written in every language, again when what it shows changes, and fits a metafield", async () => {
  await work();
  const footerOf = () => {
    const { value = "{}" } =
      service.sandbox.storefront.appMetafields(SHOP).find(({ key }) => key === "footer") ?? {};
    expect(Buffer.byteLength(value)).toBeLessThan(128_000);
    return JSON.parse(value) as { locale: string; parts: Record<string, string> };
  };
  await save({ privacy_url: "https://kestrel.example/privacy-2" });
  await work();
  const { locale, parts } = footerOf();
  expect([locale, Object.keys(parts).length]).toEqual(["en", BANNER_LANGUAGES.length]);
  for (const part of Object.values(parts))
    expect(part).toContain("https://kestrel.example/privacy-2");
  const before = calls();
  await save({ support_email: "help@kestrel.example" });
  await work();
  expect([footerOf().parts.ja?.includes("help@kestrel.example"), calls() - before]).toEqual([
    true,
    1,
  ]);
});

test("the sandbox's store has the values in its page, and another store loads them from the service", async () => {
  await save({ analytics_measurement_id: "G-NEW1" });
  await work();
  const page = async (shop: string) => {
    service.sandbox.storefront.setActiveBlock(shop, "consent", true);
    return (await fetch(`${service.sandbox.url}/store/${shop}`)).text();
  };
  expect(await page(SHOP)).toMatch(/assets\/crm-loader\.js"\s+data-crm-config="[^"]*G-NEW1/);
  expect(await page(SHOP)).not.toContain("stack-loader.js");
  expect(await page(OTHER_SHOP)).toContain("/apps/crm/embed/stack-loader.js");
});

test("settings that the loader does not need, and unchanged values, cause no request and no call", async () => {
  await runStep();
  const before = service.sandbox.requests("storefront").length;
  await save({ brand_name: "Another name", analytics_measurement_id: "G-TEST1" });
  expect(await openRequests()).toEqual([]);
  await work();
  expect((await runStep()).steps.loader).toMatchObject({ skipped: 2, failed: 0 });
  expect(service.sandbox.requests("storefront")).toHaveLength(before);
});

test("the scheduled run writes stores that were connected before, each with its own values", async () => {
  await save({ analytics_measurement_id: "G-OTHER" }, OTHER_SHOP);
  expect((await runStep()).steps.loader).toMatchObject({ done: 2, counts: { written: 2 } });
  expect([metafields(), metafields(OTHER_SHOP)]).toEqual([
    written(SHOP),
    written(OTHER_SHOP, "G-OTHER"),
  ]);
});

test("a store that is not connected, or not any more, gets no request and no call", async () => {
  await runStep();
  await save({ analytics_measurement_id: "G-LATE" });
  await changeTenantRecord(service.ctx, SHOP, { connection: { token_state: "reauth_required" } });
  await changeTenantRecord(service.ctx, OTHER_SHOP, { remove: ["storefront_admin_token"] });
  const before = service.sandbox.requests("storefront").length;
  await work();
  await save({ analytics_measurement_id: "G-LATER" }, OTHER_SHOP);
  expect(await openRequests()).toEqual([]);
  expect((await runStep()).steps.loader).toMatchObject({ skipped: 2, failed: 0 });
  expect(service.sandbox.requests("storefront")).toHaveLength(before);
});

test("a new installation is written again, because the metafield ended with the old one", async () => {
  await runStep();
  const { token_generation: generation = 0 } = (await getTenant(service.ctx, SHOP)).connection;
  await service.sandbox.storefront.uninstall(SHOP, { silent: true });
  expect(metafields()).toEqual([]);
  await installStore(service, SHOP);
  expect((await getTenant(service.ctx, SHOP)).connection.token_generation).toBe(generation + 1);
  await runStep();
  expect(metafields()).toEqual(written(SHOP));
});

test("while the platform does not answer, the request stays and is tried again", async () => {
  await save({ analytics_measurement_id: "G-NEW1" });
  service.sandbox.failNext("storefront", { status: 503, match: "graphql" }, 2);
  await work();
  expect(metafields()).toEqual(written(SHOP, "G-NEW1"));
});

test("a value that the platform rejects is reported by the scheduled run, which tries again", async () => {
  const rejection = {
    status: 200,
    body: JSON.stringify({
      data: {
        currentAppInstallation: { id: "gid://shopify/AppInstallation/1" },
        metafieldsSet: { metafields: [], userErrors: [{ message: "Value is too long." }] },
      },
    }),
  };
  await save({ analytics_measurement_id: "G-NEW1" });
  service.sandbox.failNext("storefront", { ...rejection, match: SHOP }, 4);
  await work();
  expect(metafields()).toEqual([]);
  const report = await runStep();
  expect(report.steps.loader).toMatchObject({ failed: 1, done: 1 });
  expect(report.errors).toEqual([
    {
      shop: SHOP,
      step: "loader",
      message: "metafieldsSet: Value is too long.",
      system: "storefront",
    },
  ]);
  await runStep();
  expect(metafields()).toEqual(written(SHOP, "G-NEW1"));
});

test("a value that changes while it is written is written too", async () => {
  await save({ analytics_measurement_id: "G-FIRST" });
  const restore = around(service, async (call) => {
    if (call === 1) await save({ analytics_measurement_id: "G-SECOND" });
  });
  await work();
  restore();
  expect(metafields()).toEqual(written(SHOP, "G-SECOND"));
});

test("ten requests at once write a value once", async () => {
  const before = calls();
  await Promise.all(Array.from({ length: 10 }, () => save({ analytics_measurement_id: "G-NEW1" })));
  const workers = await Promise.all(
    [1, 2, 3].map(() => startLoaderWorker(service.ctx, { retryMs: 50 })),
  );
  await eventually("the end of the requests", async () => (await openRequests()).length === 0);
  await Promise.all(workers.map((worker) => worker.stop()));
  expect(metafields()).toEqual(written(SHOP, "G-NEW1"));
  expect(calls() - before).toBe(1);
});
