// A page of the store's customers in which some are not what the platform's schema says.
import { afterAll, beforeAll, expect, test } from "vitest";
import { syncCustomers } from "../../../app/domain/customers/sync/catch-up.ts";
import { SHOP, startService, type Service } from "../../support/service.ts";
import { installStore, secondsAgo, setWatermark } from "../../support/storefront/synced-store.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const customer = (id: unknown, fields: Record<string, unknown> = {}) => ({
  id,
  createdAt: "2026-01-01T00:00:00Z",
  updatedAt: secondsAgo(60),
  firstName: "Ada",
  lastName: "King",
  locale: "en",
  tags: [],
  numberOfOrders: "0",
  amountSpent: { amount: "0" },
  defaultEmailAddress: null,
  defaultPhoneNumber: null,
  defaultAddress: null,
  ...fields,
});

test("an odd customer stops no other, is stored without the odd part, and is no newer than now", async () => {
  const tenant = await installStore(service);
  await setWatermark(service, secondsAgo(900));
  const gid = (n: number) => `gid://shopify/Customer/${n}`;
  const nodes = [
    customer(gid(1)),
    customer(gid(2), { firstName: ["x"] }),
    customer(gid(3), { defaultAddress: [] }),
    customer(7),
    customer(gid(5), { updatedAt: "9999-12-31T00:00:00Z" }),
  ];
  service.sandbox.failNext("storefront", {
    status: 200,
    body: { data: { customers: { nodes, pageInfo: { hasNextPage: false, endCursor: null } } } },
    match: "graphql",
  });
  expect(await syncCustomers(service.ctx, tenant)).toMatchObject({
    outcome: "done",
    counts: { processed: 5, created: 4, failed: 1 },
  });
  const rows = await service.database.query(
    `SELECT storefront_customer_gid AS gid, first_name,
      storefront_updated_at <= clock_timestamp() + interval '10 minutes' AS is_past
     FROM storefront_users WHERE shop = $1 ORDER BY storefront_customer_gid`,
    [SHOP],
  );
  expect(rows).toEqual([
    { gid: gid(1), first_name: "Ada", is_past: true },
    { gid: gid(2), first_name: null, is_past: true },
    { gid: gid(3), first_name: "Ada", is_past: true },
    { gid: gid(5), first_name: "Ada", is_past: true },
  ]);
});

test("a customer that is null or has no readable time ends neither its page nor the window", async () => {
  const tenant = await installStore(service);
  await setWatermark(service, secondsAgo(900));
  const gid = (n: number) => `gid://shopify/Customer/${n}`;
  const pages = [
    {
      nodes: [null, customer(gid(11)), customer(gid(12), { updatedAt: "soon" })],
      pageInfo: { hasNextPage: true, endCursor: "second" },
    },
    { nodes: [customer(gid(13)), null], pageInfo: { hasNextPage: false, endCursor: null } },
  ];
  for (const customers of pages)
    service.sandbox.failNext("storefront", {
      status: 200,
      body: { data: { customers } },
      match: "graphql",
    });
  expect(await syncCustomers(service.ctx, tenant)).toMatchObject({
    outcome: "done",
    counts: { processed: 5, created: 2, failed: 3 },
  });
  expect(
    await service.database.query(
      `SELECT storefront_customer_gid AS gid FROM storefront_users WHERE shop = $1
        AND storefront_customer_gid LIKE '%/1_' ORDER BY 1`,
      [SHOP],
    ),
  ).toEqual([{ gid: gid(11) }, { gid: gid(13) }]);
});

test("a full page that does not say whether more follow leaves the window open; a part of one is the last", async () => {
  const tenant = await installStore(service);
  await setWatermark(service, secondsAgo(900));
  const watermark = () =>
    service.database.query(
      "SELECT value->>'watermark' AS at FROM kv WHERE shop = $1 AND key = 'sync:customers'",
      [SHOP],
    );
  const before = await watermark();
  const answer = (customers: object) =>
    service.sandbox.failNext("storefront", {
      status: 200,
      body: { data: { customers } },
      match: "graphql",
    });
  const nodes = [21, 22].map((n) => customer(`gid://shopify/Customer/${n}`));
  for (const pageInfo of [undefined, { hasNextPage: true }]) {
    answer({ nodes, pageInfo });
    expect(await syncCustomers(service.ctx, tenant, { pageSize: 2 })).toMatchObject({
      outcome: "failed",
      error: { kind: "malformed" },
    });
  }
  expect(await watermark()).toEqual(before);
  answer({ nodes });
  expect(await syncCustomers(service.ctx, tenant, { pageSize: 3 })).toMatchObject({
    outcome: "done",
    counts: { processed: 2, created: 2 },
  });
});
