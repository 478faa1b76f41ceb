// The service within the storefront's limits: it waits for points, store by store, and makes a page
// smaller that costs too much.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { syncCustomers } from "../../../app/domain/customers/sync/catch-up.ts";
import { callAdminApi } from "../../../app/domain/tenants/storefront/admin-api.ts";
import type { Tenant } from "../../../app/domain/tenants/tenant.ts";
import { CUSTOMERS_PAGE, TAGS_ADD } from "../../../app/integrations/storefront/documents.ts";
import { OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";
import {
  installStore,
  putCustomers,
  secondsAgo,
  setWatermark,
} from "../../support/storefront/synced-store.ts";

let service: Service;
let tenant: Tenant;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  await service.database.truncate();
  tenant = await installStore(service);
  const { storefront } = service.sandbox;
  Object.assign(storefront.settings.graphqlCost, { restoreRate: 100, connections: "measured" });
  storefront.setAvailableCost(SHOP, 2_000);
  for (const { gid } of storefront.customers(SHOP)) storefront.deleteCustomer(SHOP, gid);
});

const addTag = (tag: string, id: string, shop = SHOP) =>
  callAdminApi<{ tagsAdd: { userErrors: unknown[] } }>(service.ctx, shop, {
    document: TAGS_ADD,
    variables: { id, tags: [tag] },
  });
const page = (first: number) =>
  callAdminApi<{ customers: { nodes: unknown[] } }>(service.ctx, SHOP, {
    document: CUSTOMERS_PAGE,
    variables: { first, after: null, query: null },
  });

test("forty calls at once with an empty bucket all succeed, each after its points are back", async () => {
  const [gid = ""] = putCustomers(service, 1, () => secondsAgo(100));
  service.sandbox.storefront.settings.graphqlCost.restoreRate = 500;
  service.sandbox.storefront.setAvailableCost(SHOP, 0);
  const started = performance.now();
  await Promise.all(Array.from({ length: 40 }, (_, index) => addTag(`tag-${index}`, gid)));
  // 400 points at 500 a second.
  expect(performance.now() - started).toBeGreaterThan(750);
  expect(service.sandbox.storefront.customer(SHOP, gid)?.tags).toHaveLength(40);
});

test("a store without points delays no other store", async () => {
  await installStore(service, OTHER_SHOP);
  const [own = ""] = putCustomers(service, 1, () => secondsAgo(100));
  const [other = ""] = putCustomers(service, 1, () => secondsAgo(100), OTHER_SHOP);
  service.sandbox.storefront.setAvailableCost(SHOP, 0);
  const waiting = addTag("late", own);
  await addTag("at-once", other, OTHER_SHOP);
  expect(service.sandbox.storefront.customer(SHOP, own)?.tags).toEqual([]);
  await waiting;
  expect(service.sandbox.storefront.customer(SHOP, own)?.tags).toEqual(["late"]);
});

test("points that never come back end a call as an error that time resolves", async () => {
  service.sandbox.storefront.settings.graphqlCost.restoreRate = 1_000_000;
  service.sandbox.failNext(
    "storefront",
    {
      status: 200,
      body: {
        errors: [{ message: "Throttled", extensions: { code: "THROTTLED" } }],
        extensions: {
          cost: {
            requestedQueryCost: 10,
            actualQueryCost: null,
            throttleStatus: { maximumAvailable: 1, currentlyAvailable: 0, restoreRate: 1_000 },
          },
        },
      },
    },
    Infinity,
  );
  await expect(page(1)).rejects.toMatchObject({ status: 429, retryable: true });
  service.sandbox.clearFaults();
  expect((await page(1)).customers.nodes).toEqual([]);
});

test("a page above the limit of one query comes smaller, and a sync of such pages misses nobody", async () => {
  putCustomers(service, 300, () => secondsAgo(200));
  Object.assign(service.sandbox.storefront.settings.graphqlCost, {
    connections: "page",
    restoreRate: 100_000,
  });
  expect((await page(250)).customers.nodes).toHaveLength(125);
  await setWatermark(service, secondsAgo(900));
  expect(await syncCustomers(service.ctx, tenant)).toMatchObject({
    outcome: "done",
    counts: { created: 300, failed: 0 },
  });
});
