import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { syncCustomers } from "../../app/domain/customers/sync/catch-up.ts";
import { callAdminApi } from "../../app/domain/tenants/storefront/admin-api.ts";
import type { Tenant } from "../../app/domain/tenants/tenant.ts";
import { BULK_OPERATION_RUN, bulkCustomers } from "../../app/integrations/storefront/documents.ts";
import { SHOP, startService, type Service } from "../support/service.ts";
import {
  around,
  installStore,
  putCustomers,
  queued,
  secondsAgo,
  setWatermark,
  storefrontCalls,
  syncState,
} from "../support/storefront/synced-store.ts";

let service: Service;
let tenant: Tenant;

beforeEach(async () => {
  service = await startService();
  tenant = await installStore(service);
});
afterEach(() => service.stop());

describe("a failing storefront", () => {
  beforeEach(async () => {
    await setWatermark(service, secondsAgo(900));
    putCustomers(service, 60, () => secondsAgo(200));
  });

  const throttled = {
    status: 200,
    body: {
      errors: [{ message: "Throttled", extensions: { code: "THROTTLED" } }],
      extensions: {
        cost: {
          requestedQueryCost: 10,
          actualQueryCost: null,
          throttleStatus: { maximumAvailable: 1000, currentlyAvailable: 0, restoreRate: 1000 },
        },
      },
    },
  };
  it.each([
    ["THROTTLED", throttled],
    ["429", { status: 429, headers: { "retry-after": "1" } }],
    ["503", { status: 503 }],
    ["a lost connection", { reset: true as const }],
    ["half an answer", { garbage: true as const }],
  ])("%s on every second call delays the sync but loses no customer", async (_name, fault) => {
    let calls = 0;
    around(service, (call) => {
      calls += 1;
      if (call % 2 === 0) service.sandbox.failNext("storefront", fault);
    });
    expect(await syncCustomers(service.ctx, tenant, { pageSize: 20 })).toMatchObject({
      outcome: "done",
      counts: { created: 60 },
    });
    expect(calls).toBe(6);
    expect(await queued(service)).toMatchObject({ cms: 60 });
  });

  it("a token that expires during the run is refreshed once, and the sync continues", async () => {
    service.sandbox.failNext("storefront", {
      status: 401,
      body: { errors: "[API] Invalid API key or access token" },
      match: "graphql",
    });
    expect(await syncCustomers(service.ctx, tenant, { pageSize: 20 })).toMatchObject({
      outcome: "done",
      counts: { created: 60 },
    });
    expect(service.sandbox.storefront.refreshCalls(SHOP)).toHaveLength(1);
  });

  it("a store that uninstalled during the run is reported as such, with the progress and the cursor kept", async () => {
    around(service, async (call) => {
      if (call === 1) await service.sandbox.storefront.uninstall(SHOP, { silent: true });
    });
    expect(await syncCustomers(service.ctx, tenant, { pageSize: 20 })).toMatchObject({
      outcome: "failed",
      counts: { created: 20 },
      error: { code: "not_installed" },
    });
    expect(await syncState(service)).toMatchObject({
      cursor: expect.any(String),
      error: expect.stringContaining("Install the app again"),
    });
  });

  it("of two concurrent runs one runs", async () => {
    // The first must not be done before a busy machine begins the second.
    service.sandbox.failNext("storefront", { delayMs: 500 });
    const results = await Promise.all([
      syncCustomers(service.ctx, tenant, { pageSize: 20 }),
      syncCustomers(service.ctx, tenant, { pageSize: 20 }),
    ]);
    expect(results.map(({ outcome }) => outcome).sort()).toEqual(["busy", "done"]);
    expect(await queued(service)).toMatchObject({ cms: 60 });
  });
});

describe("a first sync", () => {
  beforeEach(() => void putCustomers(service, 30, (index) => secondsAgo(100 + index * 100_000)));
  const startBulk = (times: number) =>
    Promise.all(
      Array.from({ length: times }, () =>
        callAdminApi<{ bulkOperationRunQuery: { userErrors: unknown[] } }>(service.ctx, SHOP, {
          document: BULK_OPERATION_RUN,
          variables: { query: bulkCustomers(null) },
        }),
      ),
    );

  /** The store's bulk file with other lines. */
  const changeBulkFile = (change: (lines: string[]) => string[]) => {
    const { bulkLines } = service.ctx.storefront;
    service.ctx.storefront.bulkLines = async function* (...file) {
      const lines: string[] = [];
      for await (const line of bulkLines(...file)) lines.push(line);
      yield* change(lines);
    };
  };

  it("waits for a later run where the app's bulk operations of the store are all in use", async () => {
    await startBulk(5);
    expect(await syncCustomers(service.ctx, tenant)).toMatchObject({
      outcome: "failed",
      error: { status: 429, retryable: true },
    });
    expect(storefrontCalls(service, "CustomersPage")).toBe(0);
  });

  it("starts its bulk operation beside others of the store", async () => {
    await startBulk(4);
    expect(await syncCustomers(service.ctx, tenant)).toMatchObject({
      outcome: "done",
      counts: { created: 30 },
    });
  });

  it("whose result expired before it was read starts again, and loses no customer", async () => {
    const { bulk } = service.sandbox.storefront;
    const over = new AbortController();
    const restore = around(service, (_call, { document }) => {
      if (document.startsWith("query BulkOperation(")) over.abort();
    });
    expect(await syncCustomers(service.ctx, tenant, { signal: over.signal })).toMatchObject({
      outcome: "unfinished",
    });
    restore();
    bulk.hasExpired = true;
    expect(await syncCustomers(service.ctx, tenant)).toMatchObject({
      outcome: "failed",
      counts: { created: 0 },
      error: { message: expect.stringContaining("expired") },
    });
    bulk.hasExpired = false;
    expect(await syncCustomers(service.ctx, tenant)).toMatchObject({
      outcome: "done",
      counts: { created: 30 },
    });
  });

  it("reads a bulk file with empty lines", async () => {
    changeBulkFile((lines) => lines.flatMap((line) => [line, ""]));
    expect(await syncCustomers(service.ctx, tenant)).toMatchObject({
      outcome: "done",
      counts: { created: 30, failed: 0 },
    });
  });

  it("whose bulk file stays unreadable is read page by page", async () => {
    changeBulkFile((lines) => [...lines.slice(0, 3), "<html>", ...lines.slice(3)]);
    for (let run = 1; run <= 2; run += 1)
      expect(await syncCustomers(service.ctx, tenant, { pageSize: 1 })).toMatchObject({
        outcome: "failed",
        counts: { created: run === 1 ? 3 : 0 },
      });
    expect(await syncCustomers(service.ctx, tenant)).toMatchObject({
      outcome: "done",
      counts: { created: 27, updated: 0, failed: 0 },
    });
    expect(storefrontCalls(service, "BulkOperationRun")).toBe(1);
  });

  it("whose bulk operations end without a result again and again is read page by page", async () => {
    const { bulk } = service.sandbox.storefront;
    for (const code of ["TIMEOUT", "INTERNAL_SERVER_ERROR"] as const) {
      bulk.failWith = code;
      expect(await syncCustomers(service.ctx, tenant)).toMatchObject({
        outcome: "failed",
        error: { message: expect.stringContaining(code) },
      });
    }
    bulk.failWith = "TIMEOUT";
    expect(await syncCustomers(service.ctx, tenant, { pageSize: 10 })).toMatchObject({
      outcome: "done",
      counts: { created: 30 },
    });
    expect(storefrontCalls(service, "BulkOperationRun")).toBe(2);
  });
});
