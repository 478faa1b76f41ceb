// Work that was requested for a store is stored with the platform's rows, and names the store.
import { afterAll, beforeAll, expect, it } from "vitest";
import { startPrivacyWorker } from "../../../app/domain/compliance/requests/privacy-worker.ts";
import type { WorkQueue } from "../../../app/runtime/database/queue/work-queue.ts";
import { privacy, shopBody } from "../../support/privacy.ts";
import { eventually, OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";

let service: Service;
let worker: WorkQueue;

// No other worker runs: the requests stay, as while the platform does not answer.
beforeAll(async () => {
  service = await startService();
  worker = await startPrivacyWorker(service.ctx, service.ctx.home);
});
afterAll(async () => {
  await worker.stop();
  await service.stop();
});

const KINDS = ["loader", "pixel", "registration", "sync"];
const requestedFor = async (shop: string): Promise<string[]> => {
  const rows = await service.database.query(
    "SELECT key FROM kv WHERE shop = '*' AND key LIKE '%\\_request:' || $1 ORDER BY key",
    [shop],
  );
  return rows.map(({ key }) => (key as string).split("_")[0] as string);
};

it("shop/redact deletes the work that waits for the store, and no other store's", async () => {
  for (const shop of [SHOP, OTHER_SHOP]) {
    await service.addTenant(shop);
    await service.database.query(
      `INSERT INTO kv (shop, key, value)
        SELECT '*', kind || '_request:' || $1, jsonb_build_object('shop', $1::text, 'request_id', 'r')
          FROM unnest($2::text[]) AS kind`,
      [shop, KINDS],
    );
  }
  expect(await requestedFor(SHOP)).toEqual(KINDS);

  expect((await privacy(service, "shop-redact", shopBody())).json).toEqual({ ok: true });
  await eventually("the store is deleted", async () => {
    const [request] = await service.database.query("SELECT state FROM privacy_requests");
    return request?.state === "done";
  });

  expect(await requestedFor(SHOP)).toEqual([]);
  expect(await requestedFor(OTHER_SHOP)).toEqual(KINDS);
});
