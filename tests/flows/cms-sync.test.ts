import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { syncCms } from "../../app/domain/channels/cms/sync.ts";
import { getTenant, type Tenant } from "../../app/domain/tenants/tenant.ts";
import { eventually, SHOP, startService, type Service } from "../support/service.ts";

let service: Service;
let tenant: Tenant;

beforeEach(async () => {
  service = await startService();
  await service.addTenant(SHOP);
  tenant = await getTenant(service.ctx, SHOP);
});
afterEach(() => service.stop());

async function putUsers(count: number): Promise<void> {
  await service.database.query(
    `INSERT INTO storefront_users (shop, email, full_name, provider)
      SELECT $1, 'person-' || n || '@example.com', 'Person ' || n, 'email' FROM generate_series(1, $2::int) AS n`,
    [SHOP, count],
  );
}
const calls = () => service.sandbox.requests("cms");
const sync = () => syncCms(service.ctx, tenant);

describe("the CMS sync", () => {
  it("creates 250 customers in three calls, none of them live", async () => {
    await putUsers(250);
    expect(await sync()).toEqual({
      outcome: "done",
      counts: { processed: 250, created: 250, updated: 0, unchanged: 0, failed: 0 },
    });
    expect(calls()).toHaveLength(3);
    expect(service.sandbox.cms.items()).toHaveLength(250);
    expect(
      service.sandbox.cms
        .items()
        .every(({ isDraft, lastPublished }) => isDraft && lastPublished === null),
    ).toBe(true);
    expect(service.sandbox.cms.liveCalls()).toEqual([]);
    expect(
      await service.database.query(
        "SELECT 1 FROM storefront_users WHERE cms_item_id IS NULL OR cms_hash IS NULL",
      ),
    ).toEqual([]);
  });

  it("makes no call for an unchanged store, and one call per hundred changed customers", async () => {
    await putUsers(250);
    await sync();
    const before = calls().length;
    expect(await sync()).toMatchObject({ counts: { processed: 250, unchanged: 250 } });
    expect(calls()).toHaveLength(before);
    await service.database.query("UPDATE storefront_users SET country = 'FR' WHERE id % 2 = 0");
    expect(await sync()).toMatchObject({ counts: { updated: 125, unchanged: 125, created: 0 } });
    expect(calls()).toHaveLength(before + 2);
    expect(
      service.sandbox.cms.items().filter(({ fieldData }) => fieldData.country === "FR"),
    ).toHaveLength(125);
  });

  it("takes the ids of items that are returned without their fields in the order they were sent", async () => {
    await putUsers(2);
    const items = [{ id: "item-first" }, { id: "item-second" }];
    service.sandbox.failNext("cms", { status: 200, body: { items }, match: /\/items$/ });
    expect(await sync()).toMatchObject({ counts: { processed: 2, created: 2, failed: 0 } });
    expect(
      await service.database.query("SELECT cms_item_id AS id FROM storefront_users ORDER BY id"),
    ).toEqual(items);
  });

  it("locks customers in the order of their ids, so that others who do cannot deadlock with it", async () => {
    await putUsers(250);
    // The first customer's row now lies behind the others, and the planner reads the rows as they lie.
    await service.database.query("UPDATE storefront_users SET country = 'FR' WHERE id = 1");
    await service.database.query("ANALYZE storefront_users");
    const other = await service.ctx.home.forTenant(SHOP).transaction(async (sql) => {
      const lock = (id: number) =>
        sql("SELECT 1 FROM storefront_users WHERE shop = $1 AND id = $2 FOR NO KEY UPDATE", [id]);
      await lock(1);
      const synced = sync();
      await eventually("the sync waits for the other transaction", async () => {
        const waiting = await service.database.query(
          "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
        );
        return waiting.length > 0;
      });
      await lock(2);
      return { synced };
    });
    expect(await other.synced).toMatchObject({ counts: { created: 250, failed: 0 } });
  });

  it("omits deleted customers", async () => {
    await putUsers(3);
    await service.database.query("UPDATE storefront_users SET status = 'deleted' WHERE id = 2");
    expect(await sync()).toMatchObject({ counts: { processed: 2, created: 2 } });
  });
});

describe("a failing CMS", () => {
  it("a lost response creates no second item", async () => {
    await putUsers(150);
    service.sandbox.failNext("cms", { dropReply: true });
    expect(await sync()).toMatchObject({ outcome: "done", counts: { failed: 0 } });
    expect(service.sandbox.cms.items()).toHaveLength(150);
    expect(new Set(service.sandbox.cms.items().map(({ fieldData }) => fieldData.slug)).size).toBe(
      150,
    );
    expect(await sync()).toMatchObject({ counts: { unchanged: 150 } });
  });

  it("429 waits for Retry-After", async () => {
    await putUsers(5);
    service.sandbox.failNext("cms", { status: 429, headers: { "retry-after": "1" } });
    const started = performance.now();
    expect(await sync()).toMatchObject({ outcome: "done", counts: { created: 5 } });
    expect(performance.now() - started).toBeGreaterThan(990);
    expect(calls()).toHaveLength(2);
  });

  it("one rejected item does not block the others", async () => {
    await putUsers(120);
    await service.database.query(
      "UPDATE storefront_users SET email = 'not an address' WHERE id = 50",
    );
    expect(await sync()).toMatchObject({ outcome: "done", counts: { created: 119, failed: 1 } });
    expect(service.sandbox.cms.items()).toHaveLength(119);
  });

  it("an item that was deleted by hand is created again", async () => {
    await putUsers(20);
    await sync();
    const [row] = await service.database.query(
      "SELECT cms_item_id FROM storefront_users WHERE id = 7",
    );
    await fetch(
      `${service.sandbox.addresses.cmsApiUrl}/collections/${service.sandbox.cms.customersCollectionId}/items/${row.cms_item_id}`,
      { method: "DELETE", headers: { Authorization: "Bearer by-hand" } },
    );
    await service.database.query("UPDATE storefront_users SET country = 'FR'");
    expect(await sync()).toMatchObject({ counts: { updated: 19, created: 1, failed: 0 } });
    expect(service.sandbox.cms.items()).toHaveLength(20);
  });

  it("a rejected token is reported at once, with the progress", async () => {
    await putUsers(300);
    service.sandbox.failNext("cms", { delayMs: 0 });
    service.sandbox.failNext("cms", { status: 401, body: { code: "not_authorized" } }, Infinity);
    expect(await sync()).toMatchObject({
      outcome: "failed",
      counts: { created: 100 },
      error: { status: 401 },
    });
    expect(calls()).toHaveLength(2);
    service.sandbox.clearFaults();
    expect(await sync()).toMatchObject({
      outcome: "done",
      counts: { created: 200, unchanged: 100 },
    });
  });

  it("of two concurrent runs one runs", async () => {
    await putUsers(30);
    service.sandbox.failNext("cms", { delayMs: 500 });
    expect((await Promise.all([sync(), sync()])).map(({ outcome }) => outcome).sort()).toEqual([
      "busy",
      "done",
    ]);
    expect(service.sandbox.cms.items()).toHaveLength(30);
  });

  it("a customer that the channel is writing at the moment is skipped", async () => {
    await putUsers(3);
    await service.database.query(
      "INSERT INTO kv (shop, key, value, expires_at) VALUES ($1, 'lease:cms_customer:2', '\"delivery\"', now() + interval '1 minute')",
      [SHOP],
    );
    expect(await sync()).toMatchObject({ counts: { created: 2, unchanged: 1 } });
    expect(service.sandbox.cms.items().map(({ fieldData }) => fieldData.slug)).toEqual([
      "customer-1",
      "customer-3",
    ]);
  });
});
