// The merchant's pages of one customer and of one event, on a real database.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { readCustomer } from "../../../app/domain/merchant/customer-screen.ts";
import { readEventScreen, replayEvent } from "../../../app/domain/merchant/event-screen.ts";
import { getTenant, type Tenant } from "../../../app/domain/tenants/tenant.ts";
import { OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";
import { putPerson } from "../../support/storefront/customers.ts";

let service: Service;
let tenant: Tenant;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  await service.database.truncate();
  for (const shop of [SHOP, OTHER_SHOP]) await service.addTenant(shop);
  tenant = await getTenant(service.ctx, SHOP);
});

const pageOf = async (id: number) => {
  const page = await readCustomer(service.ctx, tenant, id, { kind: null, before: null });
  if (!page) throw new Error("the customer is not found");
  return page;
};

test.each<[email: string | null, hasMarketing: boolean, state: string | null, differs: boolean]>([
  ["SUBSCRIBED", true, "subscribed", false],
  ["SUBSCRIBED", false, "subscribed", true],
  ["UNSUBSCRIBED", true, "unsubscribed", true],
  ["UNSUBSCRIBED", false, "unsubscribed", false],
  [null, true, null, false],
])(
  "a subscription at the store that is %s beside the consent %s is shown as %s, contradicting: %s",
  async (email, hasMarketing, state, differs) => {
    const id = await putPerson(service.database, SHOP, {
      gid: "gid://shopify/Customer/1",
      email: "ada@example.com",
      consents: hasMarketing ? ["marketing"] : [],
    });
    await service.database.query(
      "UPDATE storefront_users SET email_subscription_status = $1 WHERE id = $2",
      [email, id],
    );
    expect((await pageOf(id)).subscriptions[0]).toEqual({ channel: "email", state, differs });
  },
);

test("the agents of a customer are those whose access has not ended, of this store and customer alone", async () => {
  const ids = await Promise.all(
    [SHOP, SHOP, OTHER_SHOP].map((shop, n) =>
      putPerson(service.database, shop, { email: `ada${n}@example.com` }),
    ),
  );
  const grant = (shop: string, userId: number | undefined, name: string, ended: Date | null) =>
    service.database.query(
      `INSERT INTO oauth_grants (shop, id, user_id, client_id, client_name, scopes, ended_at)
        VALUES ($1, gen_random_uuid(), $2, $3, $3, '{}', $4)`,
      [shop, userId, name, ended],
    );
  await grant(SHOP, ids[0], "helper", null);
  await grant(SHOP, ids[0], "former", new Date());
  await grant(SHOP, ids[1], "of-another-customer", null);
  await grant(OTHER_SHOP, ids[0], "of-another-store", null);
  const { related } = await pageOf(ids[0] as number);
  expect(related.agents.map(({ client_name }) => client_name)).toEqual(["helper"]);
});

const addDead = async (event: string, source: string, shop = SHOP): Promise<number> => {
  const [row] = await service.database.query<{ id: string }>(
    `INSERT INTO integration_queue (shop, event_id, channel, source, event_type, entity_type,
      entity_id, status, dead_lettered_at)
      VALUES ($1, $2, 'cms', $3, 'order.created', 'order', '501', 'dead_letter', now()) RETURNING id`,
    [shop, event, source],
  );
  return Number(row?.id);
};

test("an event's page replays deliveries of that event and store alone", async () => {
  const own = await addDead("one", "storefront");
  const others = [
    await addDead("two", "storefront"),
    await addDead("one", "storefront", OTHER_SHOP),
  ];
  for (const id of others)
    await expect(replayEvent(service.ctx, tenant, "one", { queue_id: id })).rejects.toMatchObject({
      code: "not_found",
    });
  const dead = () =>
    service.database.query("SELECT 1 FROM integration_queue WHERE status = 'dead_letter'");
  expect(await dead()).toHaveLength(3);
  expect(await replayEvent(service.ctx, tenant, "one", { queue_id: own })).toEqual({ requeued: 1 });
  expect(await dead()).toHaveLength(2);
  for (const id of ["none", "a\u0000b", "x".repeat(201)])
    await expect(readEventScreen(service.ctx, tenant, id, null)).rejects.toMatchObject({
      code: "not_found",
    });
});

test("an order's page in the admin is linked for orders of the store, not for those of another system", async () => {
  const urlOf = async (source: string) => {
    await addDead(source, source);
    return (await readEventScreen(service.ctx, tenant, source, null)).orderUrl;
  };
  expect(await urlOf("storefront")).toMatch(/\/admin\/orders\/501$/);
  for (const source of ["erpsys", "cms"]) expect(await urlOf(source)).toBeNull();
});
