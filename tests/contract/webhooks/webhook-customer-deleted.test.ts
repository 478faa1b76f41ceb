// Deletions: customers that are deleted or merged in the storefront, and stores that uninstall.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { isDeletedHere, tombstoneOf } from "../../../app/domain/customers/tombstones.ts";
import { getTenant } from "../../../app/domain/tenants/tenant.ts";
import {
  CUSTOMER_2024_10,
  CUSTOMER_2026_07,
  customerPayload,
} from "../../support/storefront/payloads.ts";
import { connectStore, deliver, install } from "../../support/storefront/storefront.ts";
import { eventually, SHOP, startService, type Service } from "../../support/service.ts";

let service: Service;

beforeAll(async () => {
  service = await startService({ background: true });
});
afterAll(() => service.stop());
beforeEach(async () => {
  await service.database.truncate();
  // Without channels: their write-backs into a customer's row are tested elsewhere.
  await service.addTenant(SHOP, { enabled_channels: [] });
});

const gidOf = (id: string) => `gid://shopify/Customer/${id}`;
const REMAINING = "9007199254740993";
const DELETED = "9007199254740995";
const LAST = "9007199254740997";
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
    admin_graphql_api_customer_kept_id: gidOf(REMAINING),
    admin_graphql_api_customer_deleted_id: gidOf(DELETED),
    status: "completed",
    ...fields,
  });

describe("a customer deleted in the storefront", () => {
  test("loses its gid, and its account is deleted when it has no other sign-in method", async () => {
    await deliver(service, "customer-create", payload(DELETED));
    await deliver(service, "customers-delete", deletion(DELETED));
    const user = await userOf(DELETED);
    expect(user).toMatchObject({ storefront_customer_gid: null, status: "deleted" });
    expect(user.sessions_valid_after).toBeInstanceOf(Date);
    // A repeated webhook finds no account any more: a later redaction still does.
    await deliver(service, "customers-delete", deletion(DELETED));
    expect(await service.database.query("SELECT user_id FROM customer_tombstones")).toEqual([
      { user_id: user.id },
    ]);
  });

  test("keeps an account that has a password or a federated identity", async () => {
    for (const [id, columns] of [
      [REMAINING, "password_hash = 'x'"],
      [DELETED, "federated_sub = 'sub'"],
    ] as const) {
      await deliver(service, "customer-create", payload(id));
      await service.database.query(`UPDATE storefront_users SET ${columns} WHERE email = $1`, [
        `c${id}@store.example`,
      ]);
      await deliver(service, "customers-delete", deletion(id));
      expect(await userOf(id)).toMatchObject({
        storefront_customer_gid: null,
        status: "active",
        sessions_valid_after: null,
      });
    }
  });

  test("is found by an id above 2^53 when the payload has no gid", async () => {
    await deliver(service, "customer-create", payload(DELETED));
    await deliver(service, "customers-delete", `{"id":${DELETED}}`);
    expect((await userOf(DELETED))?.status).toBe("deleted");
  });

  test("is never restored, whatever arrives later and whenever it was triggered", async () => {
    await connectStore(service);
    service.sandbox.storefront.putCustomer(SHOP, {
      gid: gidOf(DELETED),
      email: `c${DELETED}@store.example`,
    });
    await deliver(service, "customer-create", payload(DELETED));
    await deliver(service, "customers-delete", deletion(DELETED));
    const before = await service.database.query("SELECT * FROM storefront_users");
    const later = { at: "2030-01-01T00:00:00Z" };
    await deliver(service, "customer-update", payload(DELETED, { first_name: '"Back"' }), later);
    await deliver(
      service,
      "customer-create",
      payload(DELETED, { email: '"another@store.example"' }, CUSTOMER_2026_07),
      later,
    );
    await deliver(
      service,
      "customer-tags-added",
      JSON.stringify({ customerId: gidOf(DELETED), tags: ["back"], occurredAt: later.at }),
      later,
    );
    await deliver(
      service,
      "orders-create",
      JSON.stringify({ id: 1, customer: { admin_graphql_api_id: gidOf(DELETED) } }),
      later,
    );
    expect(await service.database.query("SELECT * FROM storefront_users")).toEqual(before);
  });

  test("is not created by webhooks that arrive after the deletion", async () => {
    await deliver(service, "customers-delete", deletion(DELETED));
    await deliver(service, "customer-create", payload(DELETED));
    expect(await userOf(DELETED)).toBeUndefined();
  });

  test("stays deleted when its account was deleted before by a person who had not verified the address", async () => {
    const { ctx } = service;
    await service.database.query(
      "INSERT INTO customer_tombstones (shop, kind, subject_hmac, unproven) VALUES ($1, 'gid', $2, true)",
      [SHOP, tombstoneOf(ctx, SHOP, "gid", gidOf(DELETED))],
    );
    await deliver(service, "customers-delete", deletion(DELETED));
    expect(await isDeletedHere(ctx, ctx.home.forTenant(SHOP).sql, SHOP, gidOf(DELETED))).toBe(true);
  });

  test("with an unknown gid changes nothing", async () => {
    await deliver(service, "customer-create", payload(REMAINING));
    await deliver(service, "customers-delete", deletion("1"));
    await deliver(service, "customers-delete", "{}");
    expect(await userOf(REMAINING)).toMatchObject({
      status: "active",
      storefront_customer_gid: gidOf(REMAINING),
    });
  });
});

describe("a customer merged into another", () => {
  test("loses its gid; the kept one stays", async () => {
    for (const id of [REMAINING, DELETED]) await deliver(service, "customer-create", payload(id));
    await deliver(service, "customers-merge", merge());
    expect(await userOf(REMAINING)).toMatchObject({
      storefront_customer_gid: gidOf(REMAINING),
      status: "active",
    });
    expect(await userOf(DELETED)).toMatchObject({
      storefront_customer_gid: null,
      status: "deleted",
    });
  });

  test("passes its account to a kept customer without one, whose next change is applied", async () => {
    await deliver(service, "customer-create", payload(DELETED), { at: "2026-06-01T00:00:00Z" });
    await service.database.query(
      `UPDATE storefront_users SET storefront_hash = 'written', storefront_slugs = '["vip"]'`,
    );
    await deliver(service, "customers-merge", merge());
    expect(await userOf(DELETED)).toMatchObject({
      storefront_customer_gid: gidOf(REMAINING),
      status: "active",
      // What this service wrote to the merged customer is not known of the kept one.
      storefront_hash: null,
      storefront_slugs: [],
    });
    await deliver(
      service,
      "customer-update",
      payload(REMAINING, { email: `"c${DELETED}@store.example"`, first_name: '"Merged"' }),
      { at: "2026-05-01T00:00:00Z" },
    );
    expect((await userOf(DELETED))?.first_name).toBe("Merged");
  });

  test("is not linked to an account with an unverified address: the customer gets its own, and the sign-up waits", async () => {
    await deliver(service, "customer-create", payload(DELETED));
    const { id } = await userOf(DELETED);
    await service.database.query("UPDATE storefront_users SET password_hash = 'x' WHERE id = $1", [
      id,
    ]);
    await deliver(service, "customers-merge", merge());
    const own = await userOf(DELETED);
    expect(own.id).not.toBe(id);
    expect(own).toMatchObject({ storefront_customer_gid: gidOf(REMAINING), password_hash: "" });
    expect(
      await service.database.query(
        "SELECT email, unproven_email, storefront_customer_gid FROM storefront_users WHERE id = $1",
        [id],
      ),
    ).toEqual([
      { email: null, unproven_email: `c${DELETED}@store.example`, storefront_customer_gid: null },
    ]);
  });

  test("keeps its account, without the storefront link, when that has a password", async () => {
    for (const id of [REMAINING, DELETED]) await deliver(service, "customer-create", payload(id));
    await service.database.query(
      "UPDATE storefront_users SET password_hash = 'x' WHERE email = $1",
      [`c${DELETED}@store.example`],
    );
    await deliver(service, "customers-merge", merge());
    expect(await userOf(DELETED)).toMatchObject({
      storefront_customer_gid: null,
      status: "active",
    });
  });

  test("is not restored, and a repeated merge changes nothing more", async () => {
    for (const id of [REMAINING, DELETED]) await deliver(service, "customer-create", payload(id));
    await deliver(service, "customers-merge", merge());
    const people = () =>
      service.database.query(
        "SELECT to_jsonb(u) - 'updated_at' AS person FROM storefront_users u ORDER BY id",
      );
    const before = await people();
    await deliver(service, "customers-merge", merge());
    await deliver(service, "customer-update", payload(DELETED, { first_name: '"Back"' }), {
      at: "2030-01-01T00:00:00Z",
    });
    expect(await people()).toEqual(before);
  });

  test.each([
    ["deleted", () => deliver(service, "customers-delete", deletion(REMAINING))],
    [
      "merged away",
      () =>
        deliver(
          service,
          "customers-merge",
          merge({
            admin_graphql_api_customer_kept_id: gidOf(LAST),
            admin_graphql_api_customer_deleted_id: gidOf(REMAINING),
          }),
        ),
    ],
  ])(
    "into one that was %s meanwhile, whose webhook came first, ends without the gone gid",
    async (_, goAway) => {
      for (const id of [REMAINING, DELETED, LAST])
        await deliver(service, "customer-create", payload(id));
      await goAway();
      await deliver(service, "customers-merge", merge());
      expect(await userOf(DELETED)).toMatchObject({
        storefront_customer_gid: null,
        status: "deleted",
      });
    },
  );

  test("back into the customer that its account had before ends, and is not merged into itself", async () => {
    await deliver(service, "customer-create", payload(DELETED));
    await deliver(service, "customers-merge", merge());
    await deliver(
      service,
      "customers-merge",
      merge({
        admin_graphql_api_customer_kept_id: gidOf(DELETED),
        admin_graphql_api_customer_deleted_id: gidOf(REMAINING),
      }),
    );
    expect(await userOf(DELETED)).toMatchObject({
      storefront_customer_gid: null,
      status: "deleted",
      merged_into: null,
    });
  });

  test("stays when the merge failed", async () => {
    for (const id of [REMAINING, DELETED]) await deliver(service, "customer-create", payload(id));
    await deliver(service, "customers-merge", merge({ status: "failed" }));
    expect(await userOf(DELETED)).toMatchObject({
      storefront_customer_gid: gidOf(DELETED),
      status: "active",
    });
  });
});

describe("a customer's data in other systems", () => {
  const item = (email: string) =>
    service.sandbox.cms.items().find(({ fieldData }) => fieldData.email === email)?.fieldData;
  const mailOf = (id: string) => `c${id}@store.example`;
  const untilItem = (id: string) =>
    eventually(`the CMS item of ${id}`, async () => item(mailOf(id)));
  const profiles = () => service.sandbox.requests("profilePlatform").length;

  beforeEach(() => service.addTenant(SHOP, { enabled_channels: ["cms", "profile_platform"] }));

  test("is deleted from the CMS once with its account, and the profile platform is not called", async () => {
    await deliver(service, "customer-create", payload(DELETED));
    await untilItem(DELETED);
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
      await deliver(service, "customers-delete", deletion(DELETED));
    await eventually("the item gone", async () => item(mailOf(DELETED)) === undefined);
    expect(
      await service.database.query(
        "SELECT channel FROM integration_queue WHERE event_type = 'customer.deleted'",
      ),
    ).toEqual([{ channel: "cms" }]);
    expect(profiles()).toBe(before);
  });

  test("loses the storefront's id when the account stays", async () => {
    await deliver(service, "customer-create", payload(REMAINING));
    expect(await untilItem(REMAINING)).toMatchObject({
      "storefront-customer-id": gidOf(REMAINING),
    });
    await service.database.query(
      "UPDATE storefront_users SET password_hash = 'x' WHERE email = $1",
      [mailOf(REMAINING)],
    );
    await deliver(service, "customers-delete", deletion(REMAINING));
    await eventually(
      "the id gone",
      async () => !item(mailOf(REMAINING))?.["storefront-customer-id"],
    );
  });

  test("follows a merge", async () => {
    for (const id of [REMAINING, DELETED]) await deliver(service, "customer-create", payload(id));
    for (const id of [REMAINING, DELETED]) await untilItem(id);
    await deliver(service, "customers-merge", merge());
    await eventually("the merged one's item gone", async () => item(mailOf(DELETED)) === undefined);
    expect(item(mailOf(REMAINING))).toMatchObject({ "storefront-customer-id": gidOf(REMAINING) });
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

  test("is not called any more; its webhooks are applied without fetching", async () => {
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
    await deliver(service, "customer-update", payload(REMAINING, {}, CUSTOMER_2026_07));
    expect((await service.call("POST", `/admin/storefront-refresh?shop=${SHOP}`)).status).toBe(502);
    expect(storefrontCalls()).toBe(before);
    expect((await userOf(REMAINING))?.first_name).toBe("Bob");
  });

  test("and installs again is not disconnected by a late webhook of the old uninstall", async () => {
    await install(service);
    const before = new Date(Date.now() - 5_000);
    await install(service);
    await uninstalled(before);
    expect(await state()).toBe("valid");
    expect((await service.call("GET", `/admin/storefront-test?shop=${SHOP}`)).json.ok).toBe(true);
  });

  test("is disconnected by the store's own body only: one of a customer, sent again to this address, changes nothing", async () => {
    await install(service);
    await deliver(service, "app-uninstalled", payload(REMAINING));
    expect(await state()).toBe("valid");
    expect(service.logged.findLast(({ event }) => event === "webhook.handled")).toMatchObject({
      outcome: "ignored",
      reason: "unreadable_payload",
    });
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

test("app/scopes_update stores the granted scopes", async () => {
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

describe("a person who registers again after a deletion", () => {
  test("is a new customer here with the same address, and the deleted row stays as it is", async () => {
    await deliver(service, "customer-create", payload(DELETED));
    await deliver(service, "customers-delete", deletion(DELETED));
    const address = `"c${DELETED}@store.example"`;
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
      [`c${DELETED}@store.example`],
    );
    expect(people).toEqual([
      { status: "deleted", storefront_customer_gid: null },
      { status: "active", storefront_customer_gid: gidOf("9007199254740999") },
    ]);
  });
});
