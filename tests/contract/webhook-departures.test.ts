// What leaves: customers that are deleted or merged in the storefront, and stores that uninstall.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { getTenant } from "../../app/domain/tenants/tenant.ts";
import { CUSTOMER_2024_10, CUSTOMER_2026_07, customerPayload } from "../support/payloads.ts";
import { connectStore, deliver, install } from "../support/storefront.ts";
import { eventually, SHOP, startService, type Service } from "../support/service.ts";

let service: Service;

beforeAll(async () => {
  service = await startService({ background: true });
});
afterAll(() => service.stop());
beforeEach(async () => {
  await service.database.truncate();
  // No channels: what they write back into a customer's row later is not the subject here.
  await service.addTenant(SHOP, { enabled_channels: [] });
});

const gidOf = (id: string) => `gid://shopify/Customer/${id}`;
const KEPT = "9007199254740993";
const GONE = "9007199254740995";
const payload = (id: string, values: Record<string, string> = {}, base = CUSTOMER_2024_10) =>
  customerPayload(
    { id, admin_graphql_api_id: `"${gidOf(id)}"`, email: `"c${id}@store.example"`, ...values },
    base,
  );
const userOf = async (id: string) =>
  (
    await service.database.query("SELECT * FROM storefront_users WHERE email = $1", [
      `c${id}@store.example`,
    ])
  )[0];
const deletion = (id: string) =>
  `{"id":${id},"tax_exemptions":[],"admin_graphql_api_id":"${gidOf(id)}"}`;
const merge = (fields: Record<string, unknown> = {}) =>
  JSON.stringify({
    admin_graphql_api_customer_kept_id: gidOf(KEPT),
    admin_graphql_api_customer_deleted_id: gidOf(GONE),
    status: "completed",
    ...fields,
  });

describe("a customer deleted in the storefront", () => {
  test("loses its gid, and its account ends when nothing else can sign in to it", async () => {
    await deliver(service, "customer-create", payload(GONE));
    await deliver(service, "customers-delete", deletion(GONE));
    const user = await userOf(GONE);
    expect(user).toMatchObject({ storefront_customer_gid: null, status: "deleted" });
    expect(user.sessions_valid_after).toBeInstanceOf(Date);
  });

  test("keeps an account that has a password or a federated identity", async () => {
    for (const [id, columns] of [
      [KEPT, "password_hash = 'x'"],
      [GONE, "federated_sub = 'sub'"],
    ] as const) {
      await deliver(service, "customer-create", payload(id));
      await service.database.query(`UPDATE storefront_users SET ${columns} WHERE email = $1`, [
        `c${id}@store.example`,
      ]);
      await deliver(service, "customers-delete", deletion(id));
      expect(await userOf(id)).toMatchObject({ storefront_customer_gid: null, status: "active" });
    }
  });

  test("is found by an id above 2^53 when the payload holds no gid", async () => {
    await deliver(service, "customer-create", payload(GONE));
    await deliver(service, "customers-delete", `{"id":${GONE}}`);
    expect((await userOf(GONE))?.status).toBe("deleted");
  });

  test("is never brought back, whatever arrives later and whenever it was triggered", async () => {
    await connectStore(service);
    service.sandbox.storefront.putCustomer(SHOP, {
      gid: gidOf(GONE),
      email: `c${GONE}@store.example`,
    });
    await deliver(service, "customer-create", payload(GONE));
    await deliver(service, "customers-delete", deletion(GONE));
    const before = await service.database.query("SELECT * FROM storefront_users");
    const later = { at: "2030-01-01T00:00:00Z" };
    await deliver(service, "customer-update", payload(GONE, { first_name: '"Back"' }), later);
    await deliver(
      service,
      "customer-create",
      payload(GONE, { email: '"another@store.example"' }, CUSTOMER_2026_07),
      later,
    );
    await deliver(
      service,
      "customer-tags-added",
      JSON.stringify({ customerId: gidOf(GONE), tags: ["back"], occurredAt: later.at }),
      later,
    );
    await deliver(
      service,
      "orders-create",
      JSON.stringify({ id: 1, customer: { admin_graphql_api_id: gidOf(GONE) } }),
      later,
    );
    expect(await service.database.query("SELECT * FROM storefront_users")).toEqual(before);
  });

  test("is not made by webhooks that arrive after a deletion which came first", async () => {
    await deliver(service, "customers-delete", deletion(GONE));
    await deliver(service, "customer-create", payload(GONE));
    expect(await userOf(GONE)).toBeUndefined();
  });

  test("of no known gid changes nothing", async () => {
    await deliver(service, "customer-create", payload(KEPT));
    await deliver(service, "customers-delete", deletion("1"));
    await deliver(service, "customers-delete", "{}");
    expect(await userOf(KEPT)).toMatchObject({
      status: "active",
      storefront_customer_gid: gidOf(KEPT),
    });
  });
});

describe("a customer merged into another", () => {
  test("gives its gid up; the kept one goes on", async () => {
    for (const id of [KEPT, GONE]) await deliver(service, "customer-create", payload(id));
    await deliver(service, "customers-merge", merge());
    expect(await userOf(KEPT)).toMatchObject({
      storefront_customer_gid: gidOf(KEPT),
      status: "active",
    });
    expect(await userOf(GONE)).toMatchObject({ storefront_customer_gid: null, status: "deleted" });
  });

  test("hands its account over to a kept one that has none here, and that one's next change is applied", async () => {
    await deliver(service, "customer-create", payload(GONE), { at: "2026-06-01T00:00:00Z" });
    await deliver(service, "customers-merge", merge());
    expect(await userOf(GONE)).toMatchObject({
      storefront_customer_gid: gidOf(KEPT),
      status: "active",
    });
    await deliver(
      service,
      "customer-update",
      payload(KEPT, { email: `"c${GONE}@store.example"`, first_name: '"Merged"' }),
      { at: "2026-05-01T00:00:00Z" },
    );
    expect((await userOf(GONE))?.first_name).toBe("Merged");
  });

  test("comes to no account whose address nobody has proven: the customer gets its own, and the sign-up waits", async () => {
    await deliver(service, "customer-create", payload(GONE));
    const { id } = await userOf(GONE);
    await service.database.query("UPDATE storefront_users SET password_hash = 'x' WHERE id = $1", [
      id,
    ]);
    await deliver(service, "customers-merge", merge());
    const own = await userOf(GONE);
    expect(own.id).not.toBe(id);
    expect(own).toMatchObject({ storefront_customer_gid: gidOf(KEPT), password_hash: "" });
    expect(
      await service.database.query(
        "SELECT email, unproven_email, storefront_customer_gid FROM storefront_users WHERE id = $1",
        [id],
      ),
    ).toEqual([
      { email: null, unproven_email: `c${GONE}@store.example`, storefront_customer_gid: null },
    ]);
  });

  test("keeps its account when that has a password, without the storefront", async () => {
    for (const id of [KEPT, GONE]) await deliver(service, "customer-create", payload(id));
    await service.database.query(
      "UPDATE storefront_users SET password_hash = 'x' WHERE email = $1",
      [`c${GONE}@store.example`],
    );
    await deliver(service, "customers-merge", merge());
    expect(await userOf(GONE)).toMatchObject({ storefront_customer_gid: null, status: "active" });
  });

  test("does not come back, and a merge told twice changes nothing more", async () => {
    for (const id of [KEPT, GONE]) await deliver(service, "customer-create", payload(id));
    await deliver(service, "customers-merge", merge());
    const people = () =>
      service.database.query(
        "SELECT to_jsonb(u) - 'updated_at' AS person FROM storefront_users u ORDER BY id",
      );
    const before = await people();
    await deliver(service, "customers-merge", merge());
    await deliver(service, "customer-update", payload(GONE, { first_name: '"Back"' }), {
      at: "2030-01-01T00:00:00Z",
    });
    expect(await people()).toEqual(before);
  });

  test("stays when the merge failed", async () => {
    for (const id of [KEPT, GONE]) await deliver(service, "customer-create", payload(id));
    await deliver(service, "customers-merge", merge({ status: "failed" }));
    expect(await userOf(GONE)).toMatchObject({
      storefront_customer_gid: gidOf(GONE),
      status: "active",
    });
  });
});

describe("what the other systems have of a customer", () => {
  const item = (email: string) =>
    service.sandbox.cms.items().find(({ fieldData }) => fieldData.email === email)?.fieldData;
  const mailOf = (id: string) => `c${id}@store.example`;
  const untilItem = (id: string) =>
    eventually(`the CMS item of ${id}`, async () => item(mailOf(id)));
  const profiles = () => service.sandbox.requests("profilePlatform").length;

  beforeEach(() => service.addTenant(SHOP, { enabled_channels: ["cms", "profile_platform"] }));

  test("goes from the CMS with an account that ends, once, and the profile platform is told nothing", async () => {
    await deliver(service, "customer-create", payload(GONE));
    await untilItem(GONE);
    await eventually(
      "the queue empty",
      async () =>
        (
          await service.database.query(
            "SELECT 1 FROM integration_queue WHERE status <> 'delivered' AND channel <> 'email'",
          )
        ).length === 0,
    );
    const before = profiles();
    for (let time = 1; time <= 2; time += 1)
      await deliver(service, "customers-delete", deletion(GONE));
    await eventually("the item gone", async () => item(mailOf(GONE)) === undefined);
    expect(
      await service.database.query(
        "SELECT channel FROM integration_queue WHERE event_type = 'customer.deleted'",
      ),
    ).toEqual([{ channel: "cms" }]);
    expect(profiles()).toBe(before);
  });

  test("loses the storefront's id where the account goes on", async () => {
    await deliver(service, "customer-create", payload(KEPT));
    expect(await untilItem(KEPT)).toMatchObject({ "storefront-customer-id": gidOf(KEPT) });
    await service.database.query(
      "UPDATE storefront_users SET password_hash = 'x' WHERE email = $1",
      [mailOf(KEPT)],
    );
    await deliver(service, "customers-delete", deletion(KEPT));
    await eventually("the id gone", async () => !item(mailOf(KEPT))?.["storefront-customer-id"]);
  });

  test("follows a merge", async () => {
    for (const id of [KEPT, GONE]) await deliver(service, "customer-create", payload(id));
    for (const id of [KEPT, GONE]) await untilItem(id);
    await deliver(service, "customers-merge", merge());
    await eventually("the merged one's item gone", async () => item(mailOf(GONE)) === undefined);
    expect(item(mailOf(KEPT))).toMatchObject({ "storefront-customer-id": gidOf(KEPT) });
  });
});

describe("a store that uninstalls", () => {
  const uninstalled = (at = new Date()) =>
    deliver(service, "app-uninstalled", JSON.stringify({ id: 954889, myshopify_domain: SHOP }), {
      at: at.toISOString(),
    });
  const state = async () =>
    (await service.call("GET", `/admin/tenants?shop=${SHOP}`)).json.tenants[0].token
      .state as string;
  const storefrontCalls = () => service.sandbox.requests("storefront").length;

  test("is not called any more; its webhooks are still taken at their word", async () => {
    await install(service);
    await uninstalled();
    expect(await state()).toBe("none");
    const row = JSON.stringify(
      (
        await service.database.query("SELECT value FROM kv WHERE shop = $1 AND key = $2", [
          SHOP,
          `tenant:${SHOP}`,
        ])
      )[0],
    );
    for (const name of [
      "storefront_admin_token",
      "storefront_refresh_token",
      "previous_refresh_token",
    ])
      expect(row).not.toContain(name);
    const before = storefrontCalls();
    await deliver(service, "customer-update", payload(KEPT, {}, CUSTOMER_2026_07));
    expect((await service.call("POST", `/admin/storefront-refresh?shop=${SHOP}`)).status).toBe(502);
    expect(storefrontCalls()).toBe(before);
    expect((await userOf(KEPT))?.first_name).toBe("Bob");
  });

  test("and installs again is not disconnected by the notice of the old uninstall that comes late", async () => {
    await install(service);
    const before = new Date(Date.now() - 5_000);
    await install(service);
    await uninstalled(before);
    expect(await state()).toBe("valid");
    expect((await service.call("GET", `/admin/storefront-test?shop=${SHOP}`)).json.ok).toBe(true);
  });

  test("and installs again is connected again", async () => {
    await install(service);
    await uninstalled();
    await install(service);
    expect(await state()).toBe("valid");
    expect((await getTenant(service.ctx, SHOP)).connection).not.toHaveProperty("uninstalled_at");
  });

  test("keeps its configuration", async () => {
    await install(service);
    await uninstalled();
    expect(
      (await service.call("GET", `/config?shop=${SHOP}`)).json.config.analytics_measurement_id,
    ).toBe("G-TEST1");
  });
});

test("app/scopes_update stores the scopes that were granted", async () => {
  await install(service);
  await deliver(
    service,
    "app-scopes-update",
    JSON.stringify({
      id: 1,
      previous: [],
      current: ["read_customers"],
      updated_at: new Date().toISOString(),
    }),
  );
  expect((await getTenant(service.ctx, SHOP)).connection.granted_scopes).toEqual([
    "read_customers",
  ]);
});

describe("somebody who registers again after a deletion", () => {
  test("is a new customer here, with the same address, and the deleted one stays as it is", async () => {
    await deliver(service, "customer-create", payload(GONE));
    await deliver(service, "customers-delete", deletion(GONE));
    const address = `"c${GONE}@store.example"`;
    await deliver(
      service,
      "customer-create",
      payload("9007199254740999", {
        email: address,
        created_at: '"2030-01-01T00:00:00Z"',
        updated_at: '"2030-01-01T00:00:00Z"',
      }),
    );
    const people = await service.database.query(
      "SELECT status, storefront_customer_gid FROM storefront_users WHERE email = $1 ORDER BY id",
      [`c${GONE}@store.example`],
    );
    expect(people).toEqual([
      { status: "deleted", storefront_customer_gid: null },
      { status: "active", storefront_customer_gid: gidOf("9007199254740999") },
    ]);
  });
});
