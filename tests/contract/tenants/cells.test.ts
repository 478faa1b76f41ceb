// CELLS: a process works for the stores of its cells, and goes on while home is away.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runScheduledNow } from "../../../app/domain/scheduled-run/scheduled-run.ts";
import { changeTenantRecord } from "../../../app/domain/tenants/tenant-record.ts";
import { sendEvent } from "../../support/bus/event-load.ts";
import { freshDatabase, type TestDatabase } from "../../support/database.ts";
import { startDatabaseProxy, type DatabaseProxy } from "../../support/processes/database-proxy.ts";
import { postLate } from "../../support/raw-request.ts";
import { eventually, OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";

const US_SHOP = "us-store.myshopify.com";
let service: Service;
let home: DatabaseProxy;
let eu: TestDatabase;

beforeAll(async () => {
  eu = await freshDatabase();
  service = await startService({
    background: true,
    env: {
      DATABASE_URL_EU: eu.serviceUrl,
      // No server answers there: a connection would be noticed.
      DATABASE_URL_US: "postgresql://127.0.0.1:1/us",
      CELLS: "eu",
      WORKER_POLL_MS: "50",
    },
    envFrom: (_sandbox, database) => ({
      DIRECT_DATABASE_URL: database.url,
      DIRECT_DATABASE_URL_EU: eu.url,
    }),
    databaseThrough: async (url) => (home = await startDatabaseProxy(url)).url,
  });
  const cells = { [SHOP]: "eu", [OTHER_SHOP]: "default", [US_SHOP]: "us" };
  for (const [shop, region] of Object.entries(cells)) {
    await service.addTenant(shop);
    await changeTenantRecord(service.ctx, shop, { set: { region } });
  }
});
afterAll(async () => {
  await service.stop();
  await home.stop();
  await eu.drop();
});

const events = (database: TestDatabase) =>
  database.query("SELECT shop FROM event_ledger").then((rows) => rows.map(({ shop }) => shop));

describe("a process with CELLS=eu", () => {
  test("takes and delivers the events of its cell, and refuses those of other cells with what to do", async () => {
    expect((await sendEvent(service.url, { destinations: ["archive"] })).status).toBe(202);
    await eventually("the delivery", async () => {
      const rows = await eu.query("SELECT 1 FROM integration_queue WHERE status = 'delivered'");
      return rows.length === 1;
    });
    for (const [shop, cell] of [
      [OTHER_SHOP, "default"],
      [US_SHOP, "us"],
    ]) {
      const answer = await service.call("GET", `/admin/events/log?shop=${shop}`);
      expect([answer.status, answer.json.code]).toEqual([503, "cell_not_served"]);
      expect(answer.json.message).toContain(`has ${cell} in CELLS`);
      expect((await sendEvent(service.url, { shop: shop as string })).status).toBe(503);
    }
    expect(await events(service.database)).toEqual([]);
  });

  test("answers nothing from its cell about a store that leaves it during the request", async () => {
    const { sendBody, answer } = postLate(`${service.url}/auth/verify-email?shop=${SHOP}`, {
      token: "of-a-link",
    });
    // Answered after the store of the request that was sent first was looked up.
    await service.call("GET", `/config?shop=${SHOP}`);
    await changeTenantRecord(service.ctx, SHOP, { set: { region: "us" } });
    sendBody();
    const { status, text } = await answer;
    await changeTenantRecord(service.ctx, SHOP, { set: { region: "eu" } });
    expect([status, JSON.parse(text).code]).toEqual([503, "cell_not_served"]);
  });

  test("measures and schedules its own cell only", async () => {
    const { text } = await service.call("GET", "/metrics");
    expect(text.match(/^database_up\{.*$/gm)).toEqual(['database_up{region="eu"} 1']);
    const report = await runScheduledNow(service.ctx, { steps: [] });
    expect(report.tenants).toBe(1);
    expect(
      await service.database.query("SELECT key FROM kv WHERE key LIKE 'scheduled_run:%'"),
    ).toEqual([{ key: "scheduled_run:report:eu" }]);
  });

  test("assigns a new store to its own cell and to one of other processes", async () => {
    const shop = "new-store.myshopify.com";
    await service.addTenant(shop);
    for (const region of ["eu", "default", "default"]) {
      const answer = await service.call("POST", `/admin/provision-region?shop=${shop}`, {
        body: { region },
      });
      expect(answer.json).toMatchObject({ ok: true, region, tables: expect.any(Number) });
      const saved = await service.call("GET", `/config?shop=${shop}`);
      expect(saved.json.config.region).toBe(region);
    }
    const away = await service.call("POST", `/admin/provision-region?shop=${shop}`, {
      body: { region: "us" },
    });
    expect([away.status, away.json.code]).toEqual([503, "database_unavailable"]);
  });

  test("shows the settings of every store: they are at home", async () => {
    const { status, json } = await service.call("GET", `/config?shop=${US_SHOP}`);
    expect([status, json.config.region]).toEqual([200, "us"]);
  });
});

describe("while the home database is away", () => {
  test("a cell's stores are served as they were known, what needs home says so, and a store that left is not written", async () => {
    await home.refuse();
    expect((await sendEvent(service.url, { destinations: ["archive"] })).status).toBe(202);
    expect((await events(eu)).length).toBe(2);
    await eventually("the delivery without home", async () => {
      const rows = await eu.query("SELECT 1 FROM integration_queue WHERE status = 'delivered'");
      return rows.length === 2;
    });
    const saved = await service.call("POST", `/config?shop=${SHOP}`, {
      body: { brand_name: "New" },
    });
    expect([saved.status, saved.json.code]).toEqual([503, "database_unavailable"]);
    const moved = await service.call("POST", `/admin/move-tenant?shop=${SHOP}`, {
      body: { to: "us" },
    });
    expect([moved.status, moved.json.code]).toEqual([503, "database_unavailable"]);

    await eu.query(
      "INSERT INTO held_stores (shop, move_id, role, is_held) VALUES ($1, gen_random_uuid(), 'gone', false)",
      [SHOP],
    );
    expect((await sendEvent(service.url)).status).toBe(503);
    expect((await events(eu)).length).toBe(2);

    await eu.query("DELETE FROM held_stores");
    await home.restore();
    await eventually("home", async () => (await sendEvent(service.url)).status === 202);
  });
});
