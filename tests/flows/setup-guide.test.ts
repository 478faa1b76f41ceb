// The setup guide and the sync it starts: each step shows the current state, and a requested sync
// outlives its process.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startSyncWorker } from "../../app/domain/customers/sync/sync-worker.ts";
import { readSetupGuide } from "../../app/domain/merchant/setup-guide/read-guide.ts";
import { runGuideAction, reportEmbed } from "../../app/domain/merchant/setup-guide/run-step.ts";
import { changeTenantRecord } from "../../app/domain/tenants/tenant-record.ts";
import { eventually, OTHER_SHOP, SHOP, startService, type Service } from "../support/service.ts";
import { installStore, putCustomers, secondsAgo } from "../support/storefront/synced-store.ts";

let service: Service;
beforeAll(async () => {
  service = await startService({ env: { RATE_LIMIT_SCALE: "1" } });
});
afterAll(() => service.stop());
beforeEach(async () => {
  await service.database.truncate();
  service.sandbox.clearFaults();
});

const guide = (shop = SHOP) => readSetupGuide(service.ctx, shop);
const states = async (shop = SHOP) =>
  Object.fromEntries((await guide(shop)).steps.map(({ name, state }) => [name, state]));
const act = (intent: Parameters<typeof runGuideAction>[2], shop = SHOP) =>
  runGuideAction(service.ctx, shop, intent);
const BARE = {
  cms_api_token: null,
  cms_customers_collection_id: null,
  analytics_measurement_id: null,
  analytics_api_secret: null,
  profile_platform_enabled: false,
};

test("an unknown store has every step open, and viewing it stores nothing", async () => {
  expect(await guide()).toMatchObject({ done: 0, isDone: false, isRunning: false });
  expect(new Set(Object.values(await states()))).toEqual(new Set(["todo"]));
  expect(await service.database.query("SELECT 1 FROM kv")).toEqual([]);
});

test("each step is done when its state is reached, and another store's guide is unaffected", async () => {
  await installStore(service, OTHER_SHOP, BARE);
  await installStore(service, SHOP, BARE);
  expect(await states()).toEqual({
    connect: "done",
    embed: "todo",
    decision: "todo",
    scripts: "todo",
    tags: "todo",
    sync: "todo",
    systems: "todo",
  });
  expect(await act("init_tags")).toEqual({ outcome: "done", step: "tags" });
  expect(
    await service.database.query("SELECT count(*)::int AS count FROM crm_tags WHERE shop = $1", [
      SHOP,
    ]),
  ).toEqual([{ count: 17 }]);
  expect(await act("confirm_embed")).toEqual({ outcome: "done", step: "embed" });
  await service.call("POST", `/config?shop=${SHOP}`, {
    body: { cms_api_token: "cms-token-0123456789", cms_customers_collection_id: "c-1" },
  });
  expect(await states()).toEqual({
    connect: "done",
    embed: "done",
    decision: "todo",
    scripts: "todo",
    tags: "done",
    sync: "todo",
    systems: "done",
  });
  expect(await states(OTHER_SHOP)).toEqual({
    connect: "done",
    embed: "todo",
    decision: "todo",
    scripts: "todo",
    tags: "todo",
    sync: "todo",
    systems: "todo",
  });
});

test("the first answer to the store's banner completes its step, and no other store's", async () => {
  for (const shop of [SHOP, OTHER_SHOP]) await installStore(service, shop, BARE);
  const tell = (step: string) =>
    service.call("POST", `/embed/banner-events?shop=${SHOP}`, {
      key: null,
      headers: { Origin: `https://${SHOP}` },
      body: { step, version: 0, language: "en", device: "phone", region: "FR" },
    });
  await tell("shown");
  expect((await states()).decision).toBe("todo");
  await tell("refused");
  expect([(await states()).decision, (await states(OTHER_SHOP)).decision]).toEqual([
    "done",
    "todo",
  ]);
});

test("the check of the store's scripts completes its step with their number, and no other store's", async () => {
  for (const shop of [SHOP, OTHER_SHOP]) {
    await installStore(service, shop, BARE);
    service.sandbox.storefront.setPassword(shop, false);
    service.sandbox.storefront.furnish(shop);
  }
  service.sandbox.storefront.setThemeHtml(
    SHOP,
    '<script nomodule src="https://connect.facebook.net/en_US/fbevents.js"></script>',
  );
  const scripts = async () => (await guide()).steps.find(({ name }) => name === "scripts");
  expect(await act("check_scripts")).toEqual({ outcome: "done", step: "scripts" });
  await eventually("the check to end", async () => (await scripts())?.state === "done");
  expect(await scripts()).toMatchObject({ count: 1 });
  expect((await states(OTHER_SHOP)).scripts).toBe("todo");
});

test("a store whose pages could not be read has a failed step until a check reads them, and keeps the result of an earlier one", async () => {
  await installStore(service, SHOP, BARE);
  service.sandbox.storefront.furnish(SHOP);
  const checked = async (state: string) => {
    await act("check_scripts");
    await eventually("the check to end", async () => (await states()).scripts === state);
  };
  service.sandbox.storefront.setPassword(SHOP, true);
  await checked("failed");
  service.sandbox.storefront.setPassword(SHOP, false);
  await checked("done");
  service.sandbox.storefront.setPassword(SHOP, true);
  await checked("done");
  service.sandbox.storefront.setPassword(SHOP, false);
});

test("a check that is in progress is joined, and one that is asked for too often says so at its step", async () => {
  await installStore(service, SHOP, BARE);
  service.sandbox.storefront.setPassword(SHOP, false);
  service.sandbox.failNext("storefront", { hang: 1_000 }, 1);
  const end = () => eventually("the check to end", async () => !(await guide()).isRunning);
  expect(await act("check_scripts")).toMatchObject({ outcome: "done" });
  expect((await guide()).isRunning).toBe(true);
  for (let time = 1; time <= 20; time += 1) {
    expect([time, await act("check_scripts")]).toMatchObject([time, { outcome: "done" }]);
    await end();
  }
  expect(await act("check_scripts")).toMatchObject({ outcome: "failed", problem: "refused" });
});

test("an ended connection is a failed step, and no step that needs it starts", async () => {
  await installStore(service, SHOP, BARE);
  await changeTenantRecord(service.ctx, SHOP, { connection: { token_state: "reauth_required" } });
  expect((await states()).connect).toBe("failed");
  for (const intent of ["init_tags", "start_sync"] as const)
    expect(await act(intent)).toMatchObject({ outcome: "failed", problem: "not_connected" });
  expect(
    await service.database.query("SELECT key FROM kv WHERE key LIKE 'sync_request:%'"),
  ).toEqual([]);
});

test("what the store admin says about the app embed decides its step, and an unknown store is not registered", async () => {
  expect(await reportEmbed(service.ctx, SHOP, true)).toMatchObject({ problem: "not_connected" });
  await installStore(service, SHOP, BARE);
  expect(await reportEmbed(service.ctx, SHOP, true)).toEqual({ outcome: "done", step: "embed" });
  expect((await states()).embed).toBe("done");
  expect(await reportEmbed(service.ctx, SHOP, false)).toMatchObject({ problem: "not_active" });
  expect((await states()).embed).toBe("todo");
});

test("outside the store admin the app embed step is done only when the store's front page contains the embed", async () => {
  await installStore(service, SHOP, BARE);
  service.sandbox.failNext("storefront", {
    status: 200,
    body: '<html><link href="https://cdn.example/extensions/1/consent-footer-3/assets/crm-theme.css"></html>',
  });
  expect(await act("check_embed")).toMatchObject({ outcome: "failed", problem: "not_seen" });
  service.sandbox.failNext("storefront", { reset: true });
  expect(await act("check_embed")).toMatchObject({ outcome: "failed", problem: "refused" });
  expect((await states()).embed).toBe("todo");
  service.sandbox.failNext("storefront", {
    status: 200,
    body: '<script src="/apps/crm/embed/stack-loader.js?locale=en" async></script>',
  });
  expect(await act("check_embed")).toEqual({ outcome: "done", step: "embed" });
  expect((await states()).embed).toBe("done");
});

test("a sync requested twice is one, shows as running, and imports the customers", async () => {
  await installStore(service, SHOP, BARE);
  putCustomers(service, 30, () => secondsAgo(600));
  await Promise.all([act("start_sync"), act("start_sync")]);
  expect((await guide()).isRunning).toBe(true);
  // No worker runs yet: a reloaded page still shows it as running.
  expect((await states()).sync).toBe("running");
  const worker = await startSyncWorker(service.ctx);
  await eventually("the sync to end", async () => (await states()).sync === "done");
  await worker.stop();
  expect(
    await service.database.query(
      "SELECT count(*)::int AS count FROM storefront_users WHERE shop = $1",
      [SHOP],
    ),
  ).toEqual([{ count: 30 }]);
  expect(
    await service.database.query("SELECT key FROM kv WHERE key LIKE 'sync_request:%'"),
  ).toEqual([]);
});

test("a requested sync whose process stopped halfway is completed by the next one", async () => {
  const shop = "stopped-store.myshopify.com";
  await installStore(service, shop, BARE);
  putCustomers(service, 30, () => secondsAgo(600), shop);
  service.sandbox.failNext("storefront", { hang: 1_500, match: "graphql" }, 1);
  await act("start_sync", shop);
  const first = await startSyncWorker(service.ctx);
  await eventually(
    "the sync to begin",
    async () =>
      (await service.database.query("SELECT 1 FROM kv WHERE key = 'lease:sync_customers'")).length >
      0,
  );
  await first.stop();
  expect((await states(shop)).sync).toBe("running");
  const second = await startSyncWorker(service.ctx);
  await eventually("the sync to end", async () => (await states(shop)).sync === "done");
  await second.stop();
  expect(
    await service.database.query(
      "SELECT count(*)::int AS count FROM storefront_users WHERE shop = $1",
      [shop],
    ),
  ).toEqual([{ count: 30 }]);
});

test("a sync that the storefront rejects is a failed step with its reason, and can be requested again", async () => {
  await installStore(service, SHOP, BARE);
  putCustomers(service, 3, () => secondsAgo(600));
  // The bulk operation and then the first page.
  service.sandbox.failNext("storefront", { status: 403, match: "graphql" }, 2);
  await act("start_sync");
  const worker = await startSyncWorker(service.ctx);
  await eventually("the sync to fail", async () => (await states()).sync === "failed");
  expect((await guide()).steps.find(({ name }) => name === "sync")).toMatchObject({
    reason: expect.stringContaining("403"),
    failure: { kind: "access_refused", http_status: 403 },
  });
  await act("start_sync");
  await eventually("the sync to end", async () => (await states()).sync === "done");
  await worker.stop();
});

test("the embed is found on the primary domain, to which the platform's domain redirects", async () => {
  await installStore(service, SHOP, BARE);
  service.sandbox.storefront.setActiveBlock(SHOP, "consent", true);
  expect(await act("check_embed")).toEqual({ outcome: "done", step: "embed" });
});

test("a store with a password, and one that keeps programs out, say who must look at the page", async () => {
  await installStore(service, SHOP, BARE);
  service.sandbox.storefront.setPassword(SHOP, true);
  expect(await act("check_embed")).toMatchObject({ problem: "has_password", reason: null });
  service.sandbox.storefront.setPassword(SHOP, false);
  for (const fault of [
    { status: 403, body: "<html>Are you a robot?</html>" },
    { status: 429 },
    { status: 302, headers: { location: "ftp://files.example/" } },
    { status: 200, headers: { location: "/elsewhere" }, body: "<html></html>" },
  ]) {
    service.sandbox.failNext("storefront", fault);
    const problem = fault.status === 200 ? "not_seen" : "page_closed";
    expect(await act("check_embed")).toMatchObject({ outcome: "failed", step: "embed", problem });
  }
  // A page that redirects for ever, and one that leads into a private network.
  service.sandbox.failNext(
    "storefront",
    { status: 302, headers: { location: `/storefront/${SHOP}/` } },
    9,
  );
  expect(await act("check_embed")).toMatchObject({ problem: "page_closed", reason: "HTTP 302" });
  service.sandbox.clearFaults();
  service.sandbox.failNext("storefront", {
    status: 302,
    headers: { location: "https://10.0.0.1/" },
  });
  expect(await act("check_embed")).toMatchObject({ problem: "refused" });
  expect((await states()).embed).toBe("todo");
});
