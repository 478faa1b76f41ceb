// A store for which the app is not approved for (all) customer data: what comes is taken, what is
// withheld overwrites nothing, and the tenant keeps what is missing until it comes again.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { syncCustomers } from "../../../app/domain/customers/sync/catch-up.ts";
import { runScheduledNow } from "../../../app/domain/scheduled-run/scheduled-run.ts";
import { readHome } from "../../../app/domain/merchant/home/read-home.ts";
import { readConnectionState } from "../../../app/domain/tenants/connection-state.ts";
import { callAdminApi } from "../../../app/domain/tenants/storefront/admin-api.ts";
import { getTenant } from "../../../app/domain/tenants/tenant.ts";
import { CUSTOMER } from "../../../app/integrations/storefront/documents.ts";
import { OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";
import { deliver } from "../../support/storefront/storefront.ts";
import { installStore, secondsAgo, setWatermark } from "../../support/storefront/synced-store.ts";

const ALL_FIELDS = ["name", "email", "phone", "address"] as const;
const WITHHELD = ["MailingAddress", "emailAddress", "firstName", "lastName", "phoneNumber"];
let service: Service;
let gid: string;

beforeAll(async () => {
  service = await startService({ background: true });
});
afterAll(() => service.stop());
beforeEach(async () => {
  await service.database.truncate();
  await installStore(service);
  const { storefront } = service.sandbox;
  storefront.withholdData(SHOP, []);
  for (const { gid: known } of storefront.customers(SHOP)) storefront.deleteCustomer(SHOP, known);
  gid = storefront.putCustomer(SHOP, {
    gid: "gid://shopify/Customer/41",
    firstName: "Ada",
    lastName: "Byron",
    email: "ada@shopper.example",
    phone: "+4915112345678",
    countryCode: "DE",
    tags: [],
    updatedAt: secondsAgo(300),
  }).gid;
});

const withhold = (parts: readonly ("customers" | (typeof ALL_FIELDS)[number])[]) =>
  service.sandbox.storefront.withholdData(SHOP, [...parts]);
const tenant = () => getTenant(service.ctx, SHOP);
const syncError = async () =>
  (await readHome(service.ctx, SHOP, await getTenant(service.ctx, SHOP))).health.syncError;
const names = async () => (await readConnectionState(service.ctx, SHOP)).withheld?.names;
const people = () =>
  service.database.query(
    "SELECT email, first_name, last_name, country, tags, phone_hash IS NOT NULL AS has_phone FROM storefront_users",
  );
const sync = async () => syncCustomers(service.ctx, await tenant());
const whole = {
  email: "ada@shopper.example",
  first_name: "Ada",
  last_name: "Byron",
  country: "DE",
  has_phone: true,
};
const customer = (patch: Record<string, unknown>) =>
  service.sandbox.storefront.putCustomer(SHOP, { gid, ...patch });
const webhook = async (slug = "customer-update") => {
  const topic = slug === "customer-update" ? "customers/update" : "customers/create";
  const [{ payload } = { payload: "" }] = await service.sandbox.storefront.sendWebhook(
    SHOP,
    topic,
    gid,
    { uri: `${service.url}/nowhere` },
  );
  await deliver(service, slug, payload, { at: new Date().toISOString() });
};

describe("an answer with withheld fields", () => {
  test("is data without them, never null, and the tenant keeps each name once with the first time", async () => {
    withhold(ALL_FIELDS);
    const read = () =>
      callAdminApi<{ customer: object }>(service.ctx, SHOP, {
        document: CUSTOMER,
        variables: { id: gid },
      });
    const { customer: answered } = await read();
    expect(answered).toMatchObject({ id: gid, numberOfOrders: "0" });
    for (const name of ["firstName", "lastName", "defaultEmailAddress", "defaultAddress"])
      expect(answered).not.toHaveProperty(name);
    const first = (await tenant()).connection.withheld_data;
    expect(first?.parts.map(({ name }) => name)).toEqual(WITHHELD);
    await read();
    expect((await tenant()).connection.withheld_data).toEqual(first);
    await installStore(service, OTHER_SHOP);
    expect((await getTenant(service.ctx, OTHER_SHOP)).connection.withheld_data).toBeUndefined();
  });

  test("in a sync overwrites nothing that is stored, and what is not withheld is taken", async () => {
    await sync();
    withhold(ALL_FIELDS);
    await setWatermark(service, secondsAgo(900));
    customer({ tags: ["vip"], updatedAt: secondsAgo(100) });
    expect(await sync()).toMatchObject({ outcome: "done", counts: { updated: 1, failed: 0 } });
    expect(await people()).toEqual([{ ...whole, tags: ["vip"] }]);
    expect(await names()).toEqual(WITHHELD);
    expect(await syncError()).toBeNull();
  });

  test("in a first sync, which is in bulk, leaves out only those fields", async () => {
    withhold(ALL_FIELDS);
    customer({ tags: ["vip"] });
    expect(await sync()).toMatchObject({ outcome: "done", counts: { created: 1 } });
    expect(await people()).toMatchObject([{ email: null, first_name: null, tags: ["vip"] }]);
    expect(await names()).toEqual(WITHHELD);
  });

  test("after a webhook with empty fields overwrites nothing", async () => {
    await sync();
    withhold(ALL_FIELDS);
    customer({ tags: ["vip"] });
    await webhook();
    expect(await people()).toEqual([{ ...whole, tags: ["vip"] }]);
    expect(await names()).toEqual(WITHHELD);
  });

  test("is not needed to see that a webhook's empty fields are withheld", async () => {
    await sync();
    withhold(ALL_FIELDS);
    service.sandbox.failNext("storefront", { status: 422, match: "graphql" }, Infinity);
    await webhook();
    service.sandbox.clearFaults();
    expect(await people()).toMatchObject([whole]);
    expect(await names()).toBeUndefined();
  });

  test("of one part leaves the others to be changed", async () => {
    await sync();
    withhold(["email"]);
    await setWatermark(service, secondsAgo(900));
    customer({ lastName: "King", updatedAt: secondsAgo(100) });
    await sync();
    expect(await people()).toMatchObject([{ ...whole, last_name: "King" }]);
    expect(await names()).toEqual(["emailAddress"]);
  });
});

describe("once the fields come again", () => {
  test("the tenant forgets them, and the next run reads all customers from the beginning", async () => {
    withhold(ALL_FIELDS);
    await sync();
    await webhook();
    expect(await people()).toMatchObject([{ email: null, first_name: null }]);
    withhold([]);
    const other = service.sandbox.storefront.putCustomer(SHOP, {
      firstName: "Grace",
      lastName: "Hopper",
      email: "grace@shopper.example",
      phone: "+4915112345679",
      countryCode: "FR",
      updatedAt: secondsAgo(100),
    });
    await sync();
    expect(await names()).toBeUndefined();
    await sync();
    expect(await people()).toMatchObject(
      expect.arrayContaining([
        expect.objectContaining(whole),
        expect.objectContaining({ email: other.email }),
      ]) as object,
    );
  });

  test("a later answer without customers does not count as one", async () => {
    withhold(ALL_FIELDS);
    await sync();
    const before = await names();
    service.sandbox.storefront.deleteCustomer(SHOP, gid);
    await setWatermark(service, secondsAgo(900));
    await sync();
    expect(await names()).toEqual(before);
  });
});

describe("a store without any approval for customers", () => {
  test("keeps what it has; Home says why and not that the sync failed; the run repairs it after the approval", async () => {
    await sync();
    withhold(["customers"]);
    await setWatermark(service, secondsAgo(900));
    customer({ tags: ["vip"], updatedAt: secondsAgo(100) });
    expect(await sync()).toMatchObject({
      outcome: "failed",
      error: { message: expect.stringContaining("not approved to access the Customer object") },
    });
    expect(await people()).toMatchObject([whole]);
    expect(await names()).toEqual(["Customer"]);
    expect(await syncError()).toBeNull();
    withhold([]);
    await runScheduledNow(service.ctx);
    expect(await names()).toBeUndefined();
    expect(await people()).toMatchObject([{ ...whole, tags: ["vip"] }]);
  });
});
