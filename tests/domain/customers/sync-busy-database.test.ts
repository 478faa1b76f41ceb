// The database gives statements of a sync up, as when a row stays locked for longer than its limits allow.
import { afterAll, beforeAll, expect, test } from "vitest";
import { syncCustomers } from "../../../app/domain/customers/sync/catch-up.ts";
import { startSyncWorker } from "../../../app/domain/customers/sync/sync-worker.ts";
import { requestSync, syncRequests } from "../../../app/domain/customers/sync/sync-request.ts";
import { lockRows } from "../../support/processes/locked-rows.ts";
import { eventually, SHOP, startService, type Service } from "../../support/service.ts";
import {
  installStore,
  putCustomers,
  secondsAgo,
  setWatermark,
  syncState,
} from "../../support/storefront/synced-store.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const names = async () =>
  (
    await service.database.query(
      "SELECT first_name FROM storefront_users WHERE shop = $1 ORDER BY id",
      [SHOP],
    )
  ).map(({ first_name: name }) => name);

test("a customer whose row is locked is not skipped: the sync ends there, and the next one applies the change", async () => {
  const tenant = await installStore(service);
  const gids = putCustomers(service, 2, () => secondsAgo(600));
  await syncCustomers(service.ctx, tenant);
  for (const gid of gids)
    service.sandbox.storefront.putCustomer(SHOP, {
      gid,
      firstName: "Changed",
      updatedAt: secondsAgo(120),
    });
  const before = secondsAgo(900);
  await setWatermark(service, before);
  const rows = await lockRows(
    service.database,
    "SELECT 1 FROM storefront_users WHERE storefront_customer_gid = $1",
    [gids[0]],
  );
  const sync = syncCustomers(service.ctx, tenant);
  await rows.cancelUntil(sync);
  await rows.release();
  await expect(sync).rejects.toMatchObject({ code: "57014" });
  expect((await syncState(service)).watermark).toBe(before);
  expect(await syncCustomers(service.ctx, tenant)).toMatchObject({ counts: { failed: 0 } });
  expect(await names()).toEqual(["Changed", "Changed"]);
});

test("a sync that a merchant requested continues after the database was busy", async () => {
  const tenant = await installStore(service);
  const [gid] = putCustomers(service, 1, () => secondsAgo(300));
  await syncCustomers(service.ctx, tenant);
  await setWatermark(service, secondsAgo(900));
  service.sandbox.storefront.putCustomer(SHOP, {
    gid,
    firstName: "Changed again",
    updatedAt: secondsAgo(100),
  });
  const rows = await lockRows(
    service.database,
    "SELECT 1 FROM storefront_users WHERE storefront_customer_gid = $1",
    [gid],
  );
  await requestSync(service.ctx, SHOP);
  const worker = await startSyncWorker(service.ctx);
  try {
    await rows.cancel();
    await rows.cancel();
    await rows.release();
    await eventually("its end", async () => !(await syncRequests.isOpen(service.ctx, SHOP)));
  } finally {
    await worker.stop();
  }
  expect(await names()).toContain("Changed again");
  expect((await syncState(service)).error).toBeNull();
});
