// Customers of a store whose addresses moved from one to another before this service read any of them.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { syncCustomers } from "../../../app/domain/customers/sync/catch-up.ts";
import { SHOP, startService, type Service } from "../../support/service.ts";
import { putPerson } from "../../support/storefront/customers.ts";
import { installStore, secondsAgo, setWatermark } from "../../support/storefront/synced-store.ts";

const [FIRST, SECOND] = ["gid://shopify/Customer/1", "gid://shopify/Customer/2"] as const;
const [ONE, TWO] = ["one@example.com", "two@example.com"] as const;
let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());
beforeEach(() => service.database.truncate());

/** The catch-up reads these customers, in this order. */
async function readPage(customers: [gid: string, email: string | null][]): Promise<void> {
  const tenant = await installStore(service);
  await setWatermark(service, secondsAgo(900));
  const nodes = customers.map(([id, emailAddress]) => ({
    id,
    createdAt: "2026-01-01T00:00:00Z",
    updatedAt: secondsAgo(120),
    tags: [],
    defaultEmailAddress: emailAddress && { emailAddress, marketingState: "NOT_SUBSCRIBED" },
  }));
  service.sandbox.failNext("storefront", {
    status: 200,
    body: { data: { customers: { nodes, pageInfo: { hasNextPage: false, endCursor: null } } } },
    match: "graphql",
  });
  expect(await syncCustomers(service.ctx, tenant)).toMatchObject({
    outcome: "done",
    counts: { processed: 2 },
  });
}

const addresses = async (): Promise<Record<string, string | null>> =>
  Object.fromEntries(
    (
      await service.database.query(
        "SELECT storefront_customer_gid AS gid, email FROM storefront_users WHERE shop = $1",
        [SHOP],
      )
    ).map(({ gid, email }) => [gid, email]),
  );

const putCustomer = (gid: string, email: string) =>
  putPerson(service.database, SHOP, { gid, email, provider: "storefront" });

test("two customers who exchanged their addresses have each their own after one reading", async () => {
  await putCustomer(FIRST, ONE);
  await putCustomer(SECOND, TWO);
  await readPage([
    [FIRST, TWO],
    [SECOND, ONE],
  ]);
  expect(await addresses()).toEqual({ [FIRST]: TWO, [SECOND]: ONE });
});

test("an address that another customer still has here stays theirs, and the customer's former one is given up", async () => {
  await putCustomer(FIRST, ONE);
  await putCustomer(SECOND, TWO);
  await readPage([
    [FIRST, TWO],
    [SECOND, TWO],
  ]);
  expect(await addresses()).toEqual({ [FIRST]: null, [SECOND]: TWO });
});

test("an account with a password keeps the address that it signs in with while another customer has the new one", async () => {
  const id = await putCustomer(FIRST, ONE);
  await service.database.query(
    "UPDATE storefront_users SET password_hash = 'x', email_verified = true WHERE shop = $1 AND id = $2",
    [SHOP, id],
  );
  await putCustomer(SECOND, TWO);
  await readPage([
    [FIRST, TWO],
    [SECOND, TWO],
  ]);
  expect(await addresses()).toEqual({ [FIRST]: ONE, [SECOND]: TWO });
});
