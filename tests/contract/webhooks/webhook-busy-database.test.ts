// A webhook whose statement the database gives up, as when the customer's row stays locked.
import { afterAll, beforeAll, expect, test } from "vitest";
import { queueIsEmpty } from "../identity/people.ts";
import { lockRows } from "../../support/processes/locked-rows.ts";
import { eventually, SHOP, startService, type Service } from "../../support/service.ts";
import { secondsAgo } from "../../support/storefront/synced-store.ts";
import { CUSTOMER_2026_07, customerPayload, GID } from "../../support/storefront/payloads.ts";
import { connectStore, deliver } from "../../support/storefront/storefront.ts";

let service: Service;
beforeAll(async () => {
  service = await startService({ background: true });
  await connectStore(service);
});
afterAll(() => service.stop());

test("a webhook whose statement the database gave up is handled again, with what the store's API adds to the payload", async () => {
  const payload = (time: string) =>
    customerPayload({ updated_at: JSON.stringify(time) }, CUSTOMER_2026_07);
  service.sandbox.storefront.putCustomer(SHOP, { gid: GID, email: "bob@biller.com" });
  await deliver(service, "customer-update", payload(secondsAgo(600)));
  // No delivery waits for the row beside the webhook.
  await queueIsEmpty(service);
  // After what the service itself has written there.
  const updatedAt = secondsAgo(-5);
  service.sandbox.storefront.putCustomer(SHOP, { gid: GID, tags: ["gold"], updatedAt });
  const rows = await lockRows(
    service.database,
    "SELECT 1 FROM storefront_users WHERE storefront_customer_gid = $1",
    [GID],
  );
  await service.webhook("customer-update", payload(updatedAt), {
    headers: { "X-Shopify-Webhook-Id": "locked" },
  });
  await rows.cancel();
  await rows.release();
  const row = () =>
    service.database.query(
      "SELECT status, attempts FROM webhook_inbox WHERE delivery_id = 'locked' AND (attempts > 0 OR status = 'done')",
    );
  expect(await eventually("its attempt", async () => (await row())[0])).toEqual({
    status: "pending",
    attempts: 1,
  });
  await service.database.query("UPDATE webhook_inbox SET next_attempt_at = now()");
  await eventually("the second attempt", async () => (await row())[0].status === "done");
  const [customer] = await service.database.query(
    "SELECT tags FROM storefront_users WHERE storefront_customer_gid = $1",
    [GID],
  );
  expect(customer.tags).toEqual(["gold"]);
});
