import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { webAnalyticsChannel } from "../../app/domain/channels/web-analytics/web-analytics.ts";
import { syncCustomers } from "../../app/domain/customers/sync/catch-up.ts";
import { forgetStorefrontCustomer } from "../../app/domain/customers/deleted-customers.ts";
import type { Tenant } from "../../app/domain/tenants/tenant.ts";
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

const users = () =>
  service.database.query(
    `SELECT id, storefront_customer_gid AS gid, first_name, tags, number_of_orders, status
      FROM storefront_users ORDER BY id`,
  );
const freeLease = () => service.database.query("DELETE FROM kv WHERE key = 'lease:sync_customers'");

describe("importing changed customers", () => {
  it("counts created, updated and unchanged customers; an unchanged one enqueues nothing", async () => {
    await setWatermark(service, secondsAgo(900));
    const gids = putCustomers(service, 30, () => secondsAgo(300));
    expect(await syncCustomers(service.ctx, tenant, { pageSize: 10 })).toEqual({
      outcome: "done",
      counts: { processed: 30, created: 30, updated: 0, unchanged: 0, failed: 0 },
    });
    expect(await queued(service)).toEqual({ cms: 30, profile_platform: 30, web_analytics: 30 });
    const times = await service.database.query(
      `SELECT DISTINCT storefront_created_at, last_active_at = storefront_updated_at AS is_active
        FROM storefront_users`,
    );
    const storefront_created_at = new Date("2026-01-01T00:00:00Z");
    expect(times).toEqual([{ storefront_created_at, is_active: true }]);
    await setWatermark(service, secondsAgo(900));
    service.sandbox.storefront.putCustomer(SHOP, {
      gid: gids[3],
      tags: ["vip"],
      numberOfOrders: "4",
    });
    expect(await syncCustomers(service.ctx, tenant, { pageSize: 10 })).toMatchObject({
      counts: { processed: 30, created: 0, updated: 1, unchanged: 29 },
    });
    expect((await users()).find(({ gid }) => gid === gids[3])).toMatchObject({
      tags: ["vip"],
      number_of_orders: 4,
    });
    expect(await queued(service)).toEqual({ cms: 31, profile_platform: 31, web_analytics: 31 });
    const causes = await service.database.query(
      "SELECT DISTINCT payload->>'cause' AS cause FROM integration_queue",
    );
    expect(causes).toEqual([{ cause: "storefront_cron" }]);
  });

  it("records once that a customer objects to the sale of data, new or known", async () => {
    await setWatermark(service, secondsAgo(900));
    const gids = putCustomers(service, 3, () => secondsAgo(300));
    const object = (gid: string | undefined) =>
      service.sandbox.storefront.putCustomer(SHOP, { gid, dataSaleOptOut: true });
    object(gids[0]);
    await syncCustomers(service.ctx, tenant);
    object(gids[1]);
    for (let run = 0; run < 2; run += 1) {
      await setWatermark(service, secondsAgo(900));
      await syncCustomers(service.ctx, tenant);
    }
    const recorded = await service.database.query(
      `SELECT storefront_customer_gid AS gid, consent_type, action, method FROM consent_records
        JOIN storefront_users ON storefront_users.id = user_id ORDER BY seq`,
    );
    const objection = {
      consent_type: "marketing",
      action: "revoked",
      method: "storefront-sale-opt-out",
    };
    expect(recorded).toEqual(gids.slice(0, 2).map((gid) => ({ gid, ...objection })));
  });

  it("marks its analytics events as made by the schedule, not by a webhook", async () => {
    await setWatermark(service, secondsAgo(900));
    putCustomers(service, 1, () => secondsAgo(300));
    await syncCustomers(service.ctx, tenant);
    const [row] = await service.database.query(
      "SELECT entity_id, event_id, payload FROM integration_queue WHERE channel = 'web_analytics'",
    );
    const item = {
      shop: SHOP,
      queueId: 1,
      eventId: row.event_id,
      channel: "web_analytics",
      source: "storefront",
      eventType: "customer.updated",
      entityType: "customer",
      entityId: row.entity_id,
      payload: row.payload,
      priority: 3,
      retryCount: 0,
      maxRetries: 3,
      createdAt: new Date(),
      occurredAt: new Date(),
      isArchiveOnly: false,
      attemptToken: row.event_id,
      traceParent: null,
    };
    const message = await webAnalyticsChannel.transform(service.ctx, tenant, item);
    expect(message.transformed_payload.events).toEqual([
      { name: "crm_sync", params: expect.objectContaining({ source: "storefront_cron" }) },
    ]);
  });

  it.each(["watermark", "window_end"])(
    "reads the last week again after a %s in the future, which only a wrong clock can have written",
    async (name) => {
      await setWatermark(service, secondsAgo(900));
      const [gid] = putCustomers(service, 1, () => secondsAgo(3 * 86_400));
      await service.database.query(
        `UPDATE kv SET value = value || jsonb_build_object($2::text, $1::text)
          WHERE key = 'sync:customers'`,
        [secondsAgo(-3_600), name],
      );
      expect(await syncCustomers(service.ctx, tenant)).toMatchObject({
        outcome: "done",
        counts: { created: 1 },
      });
      expect(await users()).toMatchObject([{ gid }]);
      const { watermark } = await syncState(service);
      expect(Date.parse(watermark)).toBeLessThan(Date.now());
    },
  );

  it("sets the watermark to a minute ago, and only when the window is complete", async () => {
    const before = secondsAgo(900);
    await setWatermark(service, before);
    putCustomers(service, 25, () => secondsAgo(300));
    service.sandbox.failNext("storefront", { status: 503 }, Infinity);
    expect(await syncCustomers(service.ctx, tenant, { pageSize: 10 })).toMatchObject({
      outcome: "failed",
    });
    expect(await syncState(service)).toMatchObject({ watermark: before });
    service.sandbox.clearFaults();
    await syncCustomers(service.ctx, tenant, { pageSize: 10 });
    const { watermark, window_end: end, cursor } = await syncState(service);
    expect(Date.now() - Date.parse(watermark)).toBeGreaterThanOrEqual(60_000);
    expect(Date.now() - Date.parse(watermark)).toBeLessThan(70_000);
    expect([end, cursor]).toEqual([null, null]);
  });

  it("imports all of 500 customers with the same update second", async () => {
    await setWatermark(service, secondsAgo(900));
    const second = secondsAgo(200);
    const gids = putCustomers(service, 500, () => second);
    await syncCustomers(service.ctx, tenant, { pageSize: 7 * 7 });
    expect(new Set((await users()).map(({ gid }) => gid))).toEqual(new Set(gids));
  });

  it("filters by time itself, because the storefront's filter compares whole days", async () => {
    await setWatermark(service, secondsAgo(600));
    // The window begins five minutes before the watermark, for changes that the storefront's index showed late.
    putCustomers(service, 20, (index) => secondsAgo(index < 10 ? 800 : 7_200));
    expect(await syncCustomers(service.ctx, tenant, { pageSize: 5 })).toMatchObject({
      counts: { processed: 10, created: 10 },
    });
  });

  it("reads no further than the window's start, however much else changed that day", async () => {
    await setWatermark(service, secondsAgo(600));
    putCustomers(service, 100, (index) => secondsAgo(index < 5 ? 400 : 3_600));
    await syncCustomers(service.ctx, tenant, { pageSize: 10 });
    expect(storefrontCalls(service, "CustomersPage")).toBe(1);
  });

  it("covers a gap of days in windows of at most a day", async () => {
    await setWatermark(service, secondsAgo(3 * 86_400));
    putCustomers(service, 40, (index) => secondsAgo(120 + index * 6_000));
    expect(await syncCustomers(service.ctx, tenant, { pageSize: 10 })).toMatchObject({
      outcome: "done",
      counts: { created: 40 },
    });
    expect(await queued(service)).toMatchObject({ cms: 40 });
  });

  it("does not restore a deleted customer", async () => {
    await setWatermark(service, secondsAgo(900));
    const gids = putCustomers(service, 4, () => secondsAgo(300));
    await forgetStorefrontCustomer(service.ctx, tenant, gids[1] as string);
    expect(await syncCustomers(service.ctx, tenant)).toMatchObject({
      counts: { processed: 4, created: 3, unchanged: 1 },
    });
    expect(new Set((await users()).map(({ gid }) => gid))).toEqual(
      new Set([gids[0], gids[2], gids[3]]),
    );
  });

  it("links an account with the same address instead of creating a second one", async () => {
    await setWatermark(service, secondsAgo(900));
    await service.database.query(
      `INSERT INTO storefront_users (shop, email, provider, password_hash, email_verified)
        VALUES ($1, $2, 'email', 'x', true)`,
      [SHOP, `customer-1@${SHOP}`],
    );
    const gids = putCustomers(service, 3, () => secondsAgo(300));
    expect(await syncCustomers(service.ctx, tenant)).toMatchObject({
      counts: { created: 2, updated: 1 },
    });
    expect((await users())[0]).toMatchObject({ gid: gids[1], first_name: "Customer 1" });
  });
});

describe("a run that ends at any point loses no customer and repeats no effect", () => {
  it.each([0, 1, 2, 3, 4])("after page %i", async (page) => {
    await setWatermark(service, secondsAgo(900));
    const gids = putCustomers(service, 50, (index) => secondsAgo(200 + index));
    // The process ends between the response and its effect, so the response is lost.
    const restore = around(
      service,
      () => {},
      (call) => {
        if (call === page) throw new Error("killed");
      },
    );
    await expect(syncCustomers(service.ctx, tenant, { pageSize: 10 })).rejects.toThrow("killed");
    restore();
    await freeLease();
    expect(await users()).toHaveLength(page * 10);
    const second = await syncCustomers(service.ctx, tenant, { pageSize: 10 });
    expect(second).toMatchObject({
      outcome: "done",
      counts: { created: 50 - page * 10, updated: 0, failed: 0 },
    });
    expect(new Set((await users()).map(({ gid }) => gid))).toEqual(new Set(gids));
    expect(await queued(service)).toEqual({ cms: 50, profile_platform: 50, web_analytics: 50 });
  });

  it("a customer who changes between two pages is not lost", async () => {
    await setWatermark(service, secondsAgo(900));
    const gids = putCustomers(service, 30, (index) => secondsAgo(200 + index));
    const stop = new AbortController();
    const restore = around(
      service,
      () => {},
      () => stop.abort(),
    );
    expect(
      await syncCustomers(service.ctx, tenant, { pageSize: 10, signal: stop.signal }),
    ).toMatchObject({ outcome: "unfinished", counts: { created: 10 } });
    restore();
    // One customer of a later page moves to the front, behind the cursor; one of an earlier page is
    // deleted.
    service.sandbox.storefront.putCustomer(SHOP, { gid: gids[20], firstName: "Moved" });
    service.sandbox.storefront.deleteCustomer(SHOP, gids[9] as string);
    await syncCustomers(service.ctx, tenant, { pageSize: 10 });
    await syncCustomers(service.ctx, tenant, { pageSize: 10 });
    const found = await users();
    expect(new Set(found.map(({ gid }) => gid))).toEqual(new Set(gids));
    expect(found.find(({ gid }) => gid === gids[20])).toMatchObject({ first_name: "Moved" });
    expect(await queued(service)).toMatchObject({ cms: 30 });
  });
});

type PageAnswer = {
  data: {
    customers?: { nodes: unknown[]; pageInfo: { hasNextPage: boolean; endCursor: unknown } };
  };
};

/** Changes what the storefront answers to the questions for a page; returns the function that ends it. */
function changePages(change: (answer: PageAnswer, after: unknown) => void): () => void {
  const { storefront } = service.ctx;
  const { graphql } = storefront;
  storefront.graphql = async (...args) => {
    const answer = await graphql<any>(...args);
    if (answer.data?.customers) change(answer, args[2].variables?.after ?? null);
    return answer;
  };
  return () => void (storefront.graphql = graphql);
}

describe("a page that says that more customers follow", () => {
  beforeEach(async () => {
    await setWatermark(service, secondsAgo(900));
    putCustomers(service, 30, (index) => secondsAgo(200 + index));
  });

  it("and is empty is no end: the customers behind it are read", async () => {
    let isFirst = true;
    changePages(({ data }) => {
      // The cursor leads behind the ten customers that are taken out, which the next run would read.
      if (isFirst) data.customers?.nodes.splice(0);
      isFirst = false;
    });
    expect(await syncCustomers(service.ctx, tenant, { pageSize: 10 })).toMatchObject({
      outcome: "done",
      counts: { created: 20 },
    });
    expect(storefrontCalls(service, "CustomersPage")).toBe(3);
  });

  it.each([
    ["names no cursor", () => null],
    ["names the cursor of the page before", (after: unknown) => after],
  ])("and %s ends the run as malformed, and the next run reads the rest", async (_, cursorOf) => {
    const restore = changePages(({ data }, after) => {
      if (data.customers && after !== null) data.customers.pageInfo.endCursor = cursorOf(after);
    });
    expect(await syncCustomers(service.ctx, tenant, { pageSize: 10 })).toMatchObject({
      outcome: "failed",
      counts: { created: 10 },
      error: { system: "storefront", kind: "malformed" },
    });
    expect(storefrontCalls(service, "CustomersPage")).toBe(2);
    restore();
    expect(await syncCustomers(service.ctx, tenant, { pageSize: 10 })).toMatchObject({
      outcome: "done",
      counts: { created: 20 },
    });
  });

  it.each([
    ["the storefront's own failure", "INTERNAL_SERVER_ERROR", null],
    ["too few points", "THROTTLED", expect.any(String)],
  ])(
    "and whose cursor is answered with %s: the cursor stays only where a later try may succeed",
    async (_, code, kept) => {
      const restore = changePages((answer, after) => {
        if (after === null) return;
        Object.assign(answer, {
          data: null,
          errors: [{ message: "Internal error", extensions: { code } }],
          throttle: { requested: 1, available: 0, restorePerSecond: 100 },
        });
      });
      expect(await syncCustomers(service.ctx, tenant, { pageSize: 10 })).toMatchObject({
        outcome: "failed",
        counts: { created: 10 },
        error: { kind: "graphql" },
      });
      expect((await syncState(service)).cursor).toEqual(kept);
      restore();
      expect(await syncCustomers(service.ctx, tenant, { pageSize: 10 })).toMatchObject({
        outcome: "done",
        counts: { created: 20 },
      });
    },
  );
});

describe("many customers", () => {
  it("paging that reaches its limit restarts below the last day", async () => {
    service.sandbox.storefront.settings.maxPagedObjects = 20;
    await setWatermark(service, secondsAgo(6 * 86_400));
    putCustomers(service, 60, (index) => secondsAgo(120 + index * 7_000));
    expect(await syncCustomers(service.ctx, tenant, { pageSize: 5, maxObjects: 20 })).toMatchObject(
      { outcome: "done" },
    );
    expect(await users()).toHaveLength(60);
    expect(await queued(service)).toMatchObject({ cms: 60 });
  });

  it("more customers in one day than paging reaches are imported in bulk", async () => {
    service.sandbox.storefront.settings.maxPagedObjects = 20;
    await setWatermark(service, secondsAgo(900));
    putCustomers(service, 60, () => secondsAgo(200));
    expect(await syncCustomers(service.ctx, tenant, { pageSize: 5, maxObjects: 20 })).toMatchObject(
      { outcome: "done", counts: { created: 60 } },
    );
    expect(await queued(service)).toMatchObject({ cms: 60 });
    expect(storefrontCalls(service, "BulkOperationRun")).toBe(1);
  });

  it("a first sync imports all 2,000 in bulk, whenever they changed", async () => {
    const gids = putCustomers(service, 2_000, (index) => secondsAgo(100 + index * 100_000));
    expect(await syncCustomers(service.ctx, tenant)).toMatchObject({
      outcome: "done",
      counts: { processed: 2_000, created: 2_000 },
    });
    expect(new Set((await users()).map(({ gid }) => gid))).toEqual(new Set(gids));
    expect(storefrontCalls(service, "CustomersPage")).toBe(0);
    await syncCustomers(service.ctx, tenant);
    expect(storefrontCalls(service, "CustomersPage")).toBe(1);
    expect(await queued(service)).toMatchObject({ cms: 2_000 });
  });

  it("refresh the planner's statistics: plans made while the table was empty would scan all of it for every row", async () => {
    putCustomers(service, 300, () => secondsAgo(5_000));
    await syncCustomers(service.ctx, tenant, { pageSize: 50 });
    const [table] = await service.database.query<{ rows: number }>(
      "SELECT reltuples::int AS rows FROM pg_class WHERE oid = 'storefront_users'::regclass",
    );
    expect(table?.rows).toBeGreaterThanOrEqual(100);
  });

  it("a bulk file that breaks off is continued from the committed line", async () => {
    putCustomers(service, 100, () => secondsAgo(5_000));
    const { bulkLines } = service.ctx.storefront;
    service.ctx.storefront.bulkLines = async function* (shop, url, signal) {
      let line = 0;
      for await (const text of bulkLines(shop, url, signal)) {
        if (line++ === 47) throw new Error("killed");
        yield text;
      }
    };
    await expect(syncCustomers(service.ctx, tenant, { pageSize: 10 })).rejects.toThrow("killed");
    service.ctx.storefront.bulkLines = bulkLines;
    expect(await users()).toHaveLength(40);
    expect(await syncCustomers(service.ctx, tenant, { pageSize: 10 })).toMatchObject({
      outcome: "done",
      counts: { created: 60, updated: 0 },
    });
    expect(storefrontCalls(service, "BulkOperationRun")).toBe(1);
    expect(await queued(service)).toMatchObject({ cms: 100 });
  });

  it("a bulk file that does not end within the run's time is continued by the next run", async () => {
    putCustomers(service, 30, () => secondsAgo(5_000));
    const over = new AbortController();
    const { bulkLines } = service.ctx.storefront;
    service.ctx.storefront.bulkLines = async function* (shop, url, signal) {
      let line = 0;
      for await (const text of bulkLines(shop, url, signal)) {
        if (line++ === 17) {
          over.abort();
          return;
        }
        yield text;
      }
    };
    expect(
      await syncCustomers(service.ctx, tenant, { pageSize: 10, signal: over.signal }),
    ).toMatchObject({ outcome: "unfinished", counts: { created: 17 } });
    service.ctx.storefront.bulkLines = bulkLines;
    expect(await syncCustomers(service.ctx, tenant, { pageSize: 10 })).toMatchObject({
      outcome: "done",
      counts: { created: 13, unchanged: 0 },
    });
  });

  it("a failed bulk operation is reported, and started again by the next run", async () => {
    putCustomers(service, 10, () => secondsAgo(5_000));
    service.sandbox.storefront.bulk.failWith = "INTERNAL_SERVER_ERROR";
    expect(await syncCustomers(service.ctx, tenant)).toMatchObject({
      outcome: "failed",
      error: { message: expect.stringContaining("INTERNAL_SERVER_ERROR") },
    });
    expect(await syncCustomers(service.ctx, tenant)).toMatchObject({
      outcome: "done",
      counts: { created: 10 },
    });
  });

  it.each([
    ["does not know the call", { errors: [{ message: "No such field." }] }, 1],
    ["answers without data", { data: {} }, 3],
    ["answers something else", { data: { customers: { nodes: [] } } }, 1],
    [
      "refuses the query",
      { data: { bulkOperationRunQuery: { userErrors: [{ message: "No." }] } } },
      1,
    ],
  ])("a store that starts no bulk operation is read by pages: it %s", async (_, body, times) => {
    putCustomers(service, 30, (index) => secondsAgo(100 + index * 100_000));
    service.sandbox.failNext("storefront", { delayMs: 1, match: "graphql" });
    service.sandbox.failNext("storefront", { status: 200, body, match: "graphql" }, times);
    expect(await syncCustomers(service.ctx, tenant, { pageSize: 10 })).toMatchObject({
      outcome: "done",
      counts: { created: 30, failed: 0 },
    });
    expect(storefrontCalls(service, "CustomersPage")).toBe(3);
  });
});
