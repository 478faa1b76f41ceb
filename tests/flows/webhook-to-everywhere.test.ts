import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CUSTOMER_2024_10, CUSTOMER_2026_07, GID } from "../support/storefront/payloads.ts";
import { eventually, SHOP, startService, type Service } from "../support/service.ts";

let service: Service;

beforeAll(async () => {
  // A worker that is not notified would look for work only after a minute: longer than a test waits.
  service = await startService({
    background: true,
    env: { WORKER_POLL_MS: "60000" },
    // Through a pooler no worker is notified.
    envFrom: (_sandbox, database) => ({ DIRECT_DATABASE_URL: database.directServiceUrl }),
  });
});
afterAll(() => service.stop());

describe("one customer change reaches every system", () => {
  it("arrives in the table, the CMS, analytics, the profile platform and the delivery log at once, without waiting for a worker's next look", async () => {
    await service.addTenant(SHOP);
    const answer = await service.webhook("customer-update", CUSTOMER_2024_10);
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({ ok: true });
    const log = await eventually("three deliveries in the log", async () => {
      const { json } = await service.call("GET", `/admin/events/log?shop=${SHOP}`);
      return json.entries.length === 3 && json.entries;
    });
    expect(
      log
        .map((entry: { channel: string; status: string }) => `${entry.channel} ${entry.status}`)
        .sort(),
    ).toEqual(["cms delivered", "profile_platform delivered", "web_analytics delivered"]);

    const [user] = await service.database.query("SELECT * FROM storefront_users WHERE shop = $1", [
      SHOP,
    ]);
    expect(user).toMatchObject({
      storefront_customer_gid: GID,
      email: "bob@biller.com",
      first_name: "Bob",
      tags: ["vip", "ice cream"],
      number_of_orders: 1,
      amount_spent: 100,
      country: "CA",
      email_subscription_status: "subscribed",
      provider: "storefront",
    });
    expect(service.sandbox.cms.items()).toHaveLength(1);
    expect(service.sandbox.cms.liveCalls()).toEqual([]);
    expect(service.sandbox.analytics.hits()).toHaveLength(1);
    expect(service.sandbox.analytics.violations()).toEqual([]);
    expect(service.sandbox.profilePlatform.messages()).toHaveLength(1);
    expect(JSON.stringify(service.sandbox.requests("profilePlatform"))).not.toContain(
      "bob@biller.com",
    );
  });

  it("writes nothing further when the same state arrives again", async () => {
    await service.webhook("customer-update", CUSTOMER_2024_10, {
      headers: { "X-Shopify-Webhook-Id": "echo-1" },
    });
    await service.webhook("customer-update", CUSTOMER_2026_07, {
      headers: { "X-Shopify-Webhook-Id": "echo-2" },
    });
    await eventually(
      "both handled",
      async () =>
        (await service.database.query("SELECT 1 FROM webhook_inbox WHERE status = 'done'"))
          .length === 3,
    );
    expect(await service.database.query("SELECT 1 FROM integration_queue")).toHaveLength(3);
  });
});
