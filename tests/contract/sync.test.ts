import { afterAll, beforeAll, describe, expect, it, onTestFinished, test } from "vitest";
import { cmsChannel } from "../../app/domain/channels/cms/cms.ts";
import { getTenant } from "../../app/domain/tenants/tenant.ts";
import { runStep } from "../support/processes/scheduled-step.ts";
import { OTHER_SHOP, SHOP, startService, type Service } from "../support/service.ts";
import {
  installStore,
  putCustomers,
  secondsAgo,
  setWatermark,
} from "../support/storefront/synced-store.ts";

let service: Service;
const OTHER_KEY = "other-tenant-key-0123456789";

beforeAll(async () => {
  service = await startService();
  await installStore(service);
  await service.addTenant(OTHER_SHOP, { admin_key: OTHER_KEY });
});
afterAll(() => service.stop());

describe.each(["customers", "cms"])("POST /sync/%s", (kind) => {
  it("answers counts of the customers by result", async () => {
    putCustomers(service, 3, () => secondsAgo(120));
    const { status, json } = await service.call("POST", `/sync/${kind}?shop=${SHOP}`);
    expect(status).toBe(200);
    expect(json).toEqual({
      ok: true,
      processed: 3,
      created: 3,
      updated: 0,
      unchanged: 0,
      failed: 0,
    });
  });

  it("answers 401 without a key and with another tenant's", async () => {
    for (const key of [null, "wrong-key-0123456789", OTHER_KEY])
      expect((await service.call("POST", `/sync/${kind}?shop=${SHOP}`, { key })).status).toBe(401);
  });

  it("answers 404 for an unknown store, 400 without one, 405 for GET", async () => {
    expect((await service.call("POST", `/sync/${kind}?shop=nobody.myshopify.com`)).status).toBe(
      404,
    );
    expect((await service.call("POST", `/sync/${kind}`)).json.code).toBe("tenant_required");
    expect((await service.call("GET", `/sync/${kind}?shop=${SHOP}`)).status).toBe(405);
  });

  it("answers 409 while another run of this store is in progress", async () => {
    await service.database.query(
      "INSERT INTO kv (shop, key, value, expires_at) VALUES ($1, $2, '\"another process\"', now() + interval '1 minute')",
      [SHOP, `lease:sync_${kind}`],
    );
    const { status, json } = await service.call("POST", `/sync/${kind}?shop=${SHOP}`);
    expect([status, json.code]).toEqual([409, "sync_running"]);
    await service.database.query("DELETE FROM kv WHERE key = $1", [`lease:sync_${kind}`]);
  });
});

describe("a failing system", () => {
  it("storefront: 502 with the progress so far", async () => {
    await setWatermark(service, secondsAgo(900));
    service.sandbox.failNext("storefront", { status: 500 }, Infinity);
    const { status, json } = await service.call("POST", `/sync/customers?shop=${SHOP}`);
    service.sandbox.clearFaults();
    expect(status).toBe(502);
    expect(json).toMatchObject({
      error: "BadGateway",
      code: "storefront_unavailable",
      ok: false,
      processed: 0,
      created: 0,
      request_id: expect.any(String),
    });
  });

  it("storefront without a token: 502 that says to install the app", async () => {
    const { status, json } = await service.call("POST", `/sync/customers?shop=${OTHER_SHOP}`);
    expect([status, json.code, json.ok]).toEqual([502, "not_installed", false]);
  });

  it("CMS: 502 with the progress so far", async () => {
    await service.database.query("UPDATE storefront_users SET country = 'IT'");
    service.sandbox.failNext("cms", { status: 403 }, Infinity);
    const { status, json } = await service.call("POST", `/sync/cms?shop=${SHOP}`);
    service.sandbox.clearFaults();
    expect(status).toBe(502);
    expect(json).toMatchObject({ code: "cms_unavailable", ok: false, processed: 3, updated: 0 });
  });

  it("a store without a CMS: 409", async () => {
    await service.call("POST", `/config?shop=bare.myshopify.com`, { body: {} });
    const { status, json } = await service.call("POST", `/sync/cms?shop=bare.myshopify.com`);
    expect([status, json.code]).toEqual([409, "cms_not_configured"]);
    // Enabled by name alone: the scheduled run does not report it each time.
    const body = { enabled_channels: ["cms"] };
    await service.call("POST", `/config?shop=bare.myshopify.com`, { body });
    const tenant = await getTenant(service.ctx, "bare.myshopify.com");
    expect(cmsChannel.isEnabled(tenant)).toBe(true);
    expect(await runStep(service.ctx, tenant, "cms")).toBe("skipped");
  });
});

test("a sync that was asked for ends when the process stops, and says that it is unfinished", async () => {
  const stopping = await startService();
  onTestFinished(() => stopping.stop());
  await installStore(stopping);
  stopping.ctx.beginStop();
  for (const kind of ["customers", "cms"]) {
    const { status, json } = await stopping.call("POST", `/sync/${kind}?shop=${SHOP}`);
    expect([status, json.processed, json.unfinished]).toEqual([200, 0, true]);
  }
});

describe("/admin/scheduled-run", () => {
  it("runs now and returns the report, which GET returns afterwards", async () => {
    const { status, json } = await service.call("POST", "/admin/scheduled-run");
    expect(status).toBe(200);
    expect(json).toMatchObject({
      ok: true,
      report: {
        state: "finished",
        cause: "manual",
        tenants: 3,
        errors_total: 0,
        steps: {
          token: { done: 1, skipped: 2, failed: 0 },
          customers: { done: 1 },
          cms: { done: 2 },
        },
      },
    });
    expect((await service.call("GET", "/admin/scheduled-run")).json).toEqual({
      report: json.report,
    });
  });

  it("requires the platform's key", async () => {
    for (const method of ["GET", "POST"])
      for (const key of [null, OTHER_KEY])
        expect(
          (await service.call(method, `/admin/scheduled-run?shop=${OTHER_SHOP}`, { key })).status,
        ).toBe(401);
  });

  it("answers 409 while a run is in progress", async () => {
    await service.database.query(
      "INSERT INTO kv (shop, key, value, expires_at) VALUES ('*', 'lease:scheduled_run', '\"another process\"', now() + interval '1 minute')",
    );
    const { status, json } = await service.call("POST", "/admin/scheduled-run");
    expect([status, json.code]).toEqual([409, "scheduled_run_running"]);
    await service.database.query("DELETE FROM kv WHERE key = 'lease:scheduled_run'");
  });
});
