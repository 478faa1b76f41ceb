// Work that was requested for stores: one store's failures hold up no other store.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
  startRequestWorker,
  storeRequests,
  trySettle,
} from "../../app/domain/tenants/store-requests.ts";
import { changeTenantRecord, registerTenant } from "../../app/domain/tenants/tenant-record.ts";
import { PLATFORM_KEYS } from "../../app/runtime/database/kv-keys.ts";
import { startTestApp, type TestApp } from "../support/browser/screens-server.ts";
import { lockRows } from "../support/processes/locked-rows.ts";
import { eventually } from "../support/service.ts";

const requests = storeRequests(PLATFORM_KEYS.registrationRequest);
let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());
beforeEach(() => app.database.truncate());

test("a store is served although the requests of many older stores fail again and again", async () => {
  const failing = Array.from({ length: 60 }, (_, index) => `failing-${index}.myshopify.com`);
  for (const shop of [...failing, "late.myshopify.com"]) await requests.add(app.ctx, shop);
  const served = new Set<string>();
  const worker = await startRequestWorker(app.ctx, {
    name: "test_requests",
    requests,
    concurrency: 8,
    retryMs: 60_000,
    work: async (shop) => {
      served.add(shop);
      return !failing.includes(shop);
    },
  });
  try {
    await eventually("the late store", async () => served.has("late.myshopify.com"));
    await eventually(
      "its end",
      async () => !(await requests.isOpen(app.ctx, "late.myshopify.com")),
    );
    expect(served.size).toBe(61);
    expect(await requests.isOpen(app.ctx, failing[0] as string)).toBe(true);
  } finally {
    await worker.stop();
  }
});

test("what is requested while the request before is worked on is worked on after it", async () => {
  const shop = "busy.myshopify.com";
  const begun: (() => void)[] = [];
  const worker = await startRequestWorker(app.ctx, {
    name: "test_requests",
    requests,
    concurrency: 8,
    retryMs: 60_000,
    work: async () => {
      await new Promise<void>((end) => begun.push(end));
      return true;
    },
  });
  try {
    await requests.add(app.ctx, shop);
    await eventually("the first", async () => begun.length === 1);
    // The store's settings have changed again: what the first has read is old.
    expect(await requests.add(app.ctx, shop)).toBe(false);
    begun[0]?.();
    await eventually("the second", async () => begun.length === 2);
    begun[1]?.();
    await eventually("the end", async () => !(await requests.isOpen(app.ctx, shop)));
    expect(begun).toHaveLength(2);
  } finally {
    for (const end of begun) end();
    await worker.stop();
  }
});

test("a request whose statement the database gives up is not settled", async () => {
  const shop = "locked.myshopify.com";
  await registerTenant(app.ctx, shop);
  const rows = await lockRows(app.database, "SELECT 1 FROM kv WHERE key = $1", [`tenant:${shop}`]);
  const settled = trySettle(app.ctx, shop, "test.not_written", async (ctx) => {
    await changeTenantRecord(ctx, shop, { connection: { web_pixel: null } });
    return "written";
  });
  await rows.cancelUntil(settled);
  await rows.release();
  await expect(settled).rejects.toMatchObject({ code: "57014" });
});
