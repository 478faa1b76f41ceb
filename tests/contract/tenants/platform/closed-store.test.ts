// A store that the platform has closed for a while: what changes meanwhile reaches it once it is open again.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { callAdminApi } from "../../../../app/domain/tenants/storefront/admin-api.ts";
import { registerWebhooks } from "../../../../app/domain/tenants/storefront/webhook-registration.ts";
import { getTenant } from "../../../../app/domain/tenants/tenant.ts";
import { SHOP as SHOP_QUERY } from "../../../../app/integrations/storefront/documents.ts";
import { letRetriesComeDue } from "../../../support/bus/queue.ts";
import { eventually, SHOP, startService, type Service } from "../../../support/service.ts";
import { taggedStore, type TaggedStore } from "../../../support/storefront/tagged-store.ts";

let service: Service;
let store: TaggedStore;

beforeAll(async () => {
  service = await startService({ background: true });
  store = taggedStore(service);
});
afterAll(() => service.stop());
beforeEach(async () => {
  service.sandbox.storefront.closeStore(SHOP, null);
  await service.database.truncate();
  await store.install(SHOP);
});

const readShop = () => callAdminApi(service.ctx, SHOP, { document: SHOP_QUERY });

describe.each(["locked", "inactive"] as const)("a store that the platform calls %s", (closure) => {
  it("is called again once it is open", async () => {
    service.sandbox.storefront.closeStore(SHOP, closure);
    await expect(readShop()).rejects.toMatchObject({ status: 423, retryable: true });
    service.sandbox.storefront.closeStore(SHOP, null);
    expect(await readShop()).toMatchObject({ shop: { myshopifyDomain: SHOP } });
  });

  it("does not count as having refused its webhooks", async () => {
    service.sandbox.storefront.closeStore(SHOP, closure);
    await expect(registerWebhooks(service.ctx, SHOP)).rejects.toMatchObject({ status: 423 });
    expect((await getTenant(service.ctx, SHOP)).connection.refused_webhooks).toBeUndefined();
  });

  it("gets a shopper's decision of the meantime once it is open", async () => {
    const ada = await store.signUp(SHOP, `ada-${closure}@example.com`);
    await service.database.query("UPDATE storefront_users SET email_verified = true");
    const decide = (isGranted: boolean) =>
      service.call("POST", "/auth/consent-sync", {
        key: ada.token,
        body: { consent_marketing: isGranted, method: "account" },
      });
    const state = () => service.sandbox.storefront.customer(SHOP, ada.gid)?.emailMarketingState;
    await decide(true);
    await store.delivered();
    expect(state()).toBe("SUBSCRIBED");

    service.sandbox.storefront.closeStore(SHOP, closure);
    expect((await decide(false)).status).toBe(200);
    const rows = () =>
      service.database.query(
        "SELECT status FROM integration_queue WHERE channel = 'storefront' AND retry_count > 0",
      );
    await eventually("the store was tried", async () => (await rows()).length > 0);
    expect(await rows()).toEqual([{ status: "pending" }]);

    service.sandbox.storefront.closeStore(SHOP, null);
    await letRetriesComeDue(service.database);
    await store.delivered();
    expect(state()).toBe("UNSUBSCRIBED");
  });
});
