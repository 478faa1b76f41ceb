// However often a customer is created and deleted, one address gets few welcome mails.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { mayWelcome } from "../../../app/domain/identity/welcome-limit.ts";
import { dataOf, getTenant } from "../../../app/domain/tenants/tenant.ts";
import { CUSTOMER_2024_10, customerPayload } from "../../support/storefront/payloads.ts";
import { deliver } from "../../support/storefront/storefront.ts";
import { eventually, OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";

const MAIL = {
  email_api_key: "store-mail-key-0123456789",
  email_from: "Test Store <hello@test-store.example>",
};
const INFO = 30;
// A fixed clock, so that no count ends in the middle of a test.
const clock = { at: Date.UTC(2026, 10, 20, 12, 0, 1), now: () => new Date(clock.at) };
let service: Service;
let id = 9_000;

beforeAll(async () => {
  service = await startService({ background: true, clock, env: { RATE_LIMIT_SCALE: "1" } });
  await service.addTenant(SHOP, MAIL);
  await service.addTenant(OTHER_SHOP, MAIL);
});
afterAll(() => service.stop());
beforeEach(() => {
  clock.at += 3_600_000;
});

async function createCustomer(email: string, shop = SHOP): Promise<void> {
  id += 1;
  const payload = customerPayload(
    {
      id: String(id),
      admin_graphql_api_id: `"gid://shopify/Customer/${id}"`,
      email: `"${email}"`,
    },
    CUSTOMER_2024_10,
  );
  await deliver(service, "customer-create", payload, { shop });
}
const deleteCustomer = (shop = SHOP) =>
  deliver(service, "customers-delete", JSON.stringify({ id }), { shop });
async function createOften(email: string, times: number): Promise<void> {
  for (let at = 0; at < times; at += 1) {
    await createCustomer(email);
    await deleteCustomer();
  }
}
const welcomed = async (shop = SHOP) =>
  (
    await service.database.query(
      "SELECT 1 FROM integration_queue WHERE shop = $1 AND event_type = 'customer.welcomed'",
      [shop],
    )
  ).length;

describe("welcome mails to one address", () => {
  test("are limited to 5 an hour, in any spelling; the customer is created anyway", async () => {
    const before = await welcomed();
    await createOften("ada@store.example", 4);
    await createOften("Ada@Store.example", 2);
    await createCustomer("ada@store.example");
    expect((await welcomed()) - before).toBe(5);
    const [user] = await service.database.query(
      "SELECT status, email FROM storefront_users WHERE storefront_customer_gid = $1",
      [`gid://shopify/Customer/${id}`],
    );
    expect(user).toEqual({ status: "active", email: "ada@store.example" });
    await deleteCustomer();
    clock.at += 3_600_000;
    await createCustomer("ada@store.example");
    expect((await welcomed()) - before).toBe(6);
  });

  test("that are left out are logged without the address", async () => {
    await createOften("bob@store.example", 6);
    const skipped = service.logged.filter(({ event }) => event === "welcome_mail.skipped");
    expect(skipped.at(-1)).toMatchObject({ level: INFO, shop: SHOP });
    expect(JSON.stringify(service.logged)).not.toContain("bob@store.example");
  });

  test("do not count for another address, another store, or a mail to reset a password", async () => {
    await createOften("cy@store.example", 6);
    const before = [await welcomed(), await welcomed(OTHER_SHOP)];
    await createCustomer("dan@store.example");
    await createCustomer("cy@store.example", OTHER_SHOP);
    expect([await welcomed(), await welcomed(OTHER_SHOP)]).toEqual(before.map((n) => n + 1));
    await createCustomer("cy@store.example");
    await service.call("POST", `/auth/password/forgot?shop=${SHOP}`, {
      key: null,
      body: { email: "cy@store.example" },
    });
    await eventually("the mail to reset the password", async () => {
      const mails = await service.database.query(
        `SELECT 1 FROM integration_queue q JOIN storefront_users u ON u.id::text = q.entity_id
          WHERE q.event_type = 'mail.reset_password' AND u.email = 'cy@store.example'`,
      );
      return mails.length === 1;
    });
  });

  test("are not counted by a transaction that fails, so a retry counts once", async () => {
    await createCustomer("eve@store.example");
    const tenant = await getTenant(service.ctx, SHOP);
    const { transaction, sql } = dataOf(service.ctx, tenant);
    const [user] = await sql<{ id: number }>(
      "SELECT id FROM storefront_users WHERE shop = $1 AND email = 'eve@store.example'",
    );
    for (let at = 0; at < 6; at += 1)
      await expect(
        transaction(async (within) => {
          await mayWelcome(service.ctx, tenant, within, user?.id as number);
          throw new Error("conflict");
        }),
      ).rejects.toThrow("conflict");
    const tries = [];
    for (let at = 0; at < 5; at += 1)
      tries.push(
        await transaction((within) => mayWelcome(service.ctx, tenant, within, user?.id as number)),
      );
    // The first of the five was the mail at the start.
    expect(tries).toEqual([true, true, true, true, false]);
  });
});
