// The platform's releases: a version that it has retired is answered in another one, without an error.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { callAdminApi } from "../../../../app/domain/tenants/storefront/admin-api.ts";
import { CUSTOMER, SHOP as SHOP_QUERY } from "../../../../app/integrations/storefront/documents.ts";
import { connectStore } from "../../../support/storefront/storefront.ts";
import { OTHER_SHOP, SHOP, startService, type Service } from "../../../support/service.ts";

let service: Service;

beforeAll(async () => {
  service = await startService();
  await connectStore(service, SHOP);
  await connectStore(service, OTHER_SHOP);
});
afterAll(() => service.stop());
beforeEach(() => {
  service.logged.length = 0;
});

const logged = (name: string) => service.logged.filter(({ event }) => event === name);
const readShop = (shop = SHOP) =>
  callAdminApi<{ shop: { myshopifyDomain: string } }>(service.ctx, shop, { document: SHOP_QUERY });

test("a call in a version that is served says nothing about it", async () => {
  await readShop();
  expect(logged("storefront_api.version_retired")).toEqual([]);
});

test("a call in a retired version still works, and the log names once which one answers", async () => {
  const { settings } = service.sandbox.storefront;
  settings.apiVersions = ["2026-07"];
  expect(await readShop()).toEqual({ shop: expect.objectContaining({ myshopifyDomain: SHOP }) });
  await readShop(OTHER_SHOP);
  await readShop();
  settings.apiVersions = ["2026-04", "2026-07"];
  expect(logged("storefront_api.version_retired")).toEqual([
    expect.objectContaining({ asked: "2026-04", served: "2026-07" }),
  ]);
});

test("fields that the platform will remove are named once each", async () => {
  const { gid } = service.sandbox.storefront.putCustomer(SHOP, { phone: "+4915112345678" });
  const readCustomer = () =>
    callAdminApi(service.ctx, SHOP, { document: CUSTOMER, variables: { id: gid } });
  await readCustomer();
  await readCustomer();
  expect(logged("storefront_api.fields_deprecated")).toEqual([
    expect.objectContaining({
      version: "2026-04",
      fields: ["CustomerPhoneNumber.marketingState", "CustomerPhoneNumber.marketingUpdatedAt"],
    }),
  ]);
});
