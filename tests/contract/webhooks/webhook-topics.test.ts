// Customer and order webhooks: newer wins, a missing field clears nothing, omitted parts are fetched.
// Deletions, merges and uninstalls: webhook-customer-deleted.test.ts.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  CUSTOMER_2024_10,
  CUSTOMER_2026_07,
  customerPayload,
  GID,
} from "../../support/storefront/payloads.ts";
import { connectStore, deliver, send, untilHandled } from "../../support/storefront/storefront.ts";
import { queueIsEmpty } from "../identity/people.ts";
import { eventually, OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";

let service: Service;

beforeAll(async () => {
  service = await startService({ background: true });
});
afterAll(() => service.stop());
// Every test has a customer and, unless it says otherwise, a store that cannot be called.
let gid = GID;
let id = 706405506930370084n;
beforeEach(async () => {
  id += 2n;
  gid = `gid://shopify/Customer/${id}`;
  await service.addTenant(SHOP, {
    storefront_admin_token: null,
    storefront_refresh_token: null,
    storefront_token_expires_at: null,
  });
});
afterEach(() => service.sandbox.clearFaults());

const payload = (values: Record<string, string> = {}, base = CUSTOMER_2024_10) =>
  customerPayload(
    {
      id: String(id),
      admin_graphql_api_id: `"${gid}"`,
      email: `"c${id}@store.example"`,
      ...values,
    },
    base,
  );
const customer = async (of = gid, shop = SHOP) =>
  (
    await service.database.query(
      "SELECT * FROM storefront_users WHERE shop = $1 AND storefront_customer_gid = $2",
      [shop, of],
    )
  )[0];
/** Without what a store that was just connected is asked in the background. */
const customerFetches = () =>
  service.sandbox
    .requests("storefront")
    .filter(({ body }) => JSON.stringify(body).includes("query Customer("));
const EARLIER = "2026-01-01T10:00:00Z";
const LATER = "2026-01-01T11:00:00Z";

describe("customers/create and customers/update", () => {
  test("create one customer and update it", async () => {
    await deliver(service, "customer-create", payload());
    await deliver(
      service,
      "customer-update",
      payload({
        first_name: '"Robert"',
        tags: '"gold"',
        orders_count: "3",
        total_spent: '"250.50"',
      }),
    );
    expect(await customer()).toMatchObject({
      first_name: "Robert",
      last_name: "Biller",
      full_name: "Robert Biller",
      tags: ["gold"],
      number_of_orders: 3,
      amount_spent: 250.5,
      country: "CA",
      provider: "storefront",
      status: "active",
      password_hash: "",
    });
    expect(
      await service.database.query("SELECT 1 FROM storefront_users WHERE email = $1", [
        `c${id}@store.example`,
      ]),
    ).toHaveLength(1);
  });

  test("store ids above 2^53 exactly, also from a payload without a gid", async () => {
    await deliver(
      service,
      "customer-update",
      payload().replace(/"admin_graphql_api_id":"[^"]*",/, ""),
    );
    expect((await customer())?.email).toBe(`c${id}@store.example`);
  });

  test("store the address trimmed, in lower case and in Unicode normal form", async () => {
    await deliver(
      service,
      "customer-update",
      payload({ email: `"  C\uff2d${id}@Store.EXAMPLE "` }),
    );
    expect((await customer())?.email).toBe(`cm${id}@store.example`);
  });

  test("store a customer without an address by its gid", async () => {
    await deliver(service, "customer-create", payload({ email: "null" }));
    expect(await customer()).toMatchObject({ email: null, first_name: "Bob" });
  });

  test("triggered earlier than the stored state change nothing, however late they arrive", async () => {
    await deliver(service, "customer-update", payload({ first_name: '"Newer"' }), { at: LATER });
    await deliver(service, "customer-update", payload({ first_name: '"Older"' }), { at: EARLIER });
    expect((await customer())?.first_name).toBe("Newer");
    await deliver(service, "customer-update", payload({ first_name: '"Newest"' }), {
      at: "2026-01-01T12:00:00Z",
    });
    expect((await customer())?.first_name).toBe("Newest");
  });

  test("never clear fields they omit", async () => {
    await deliver(service, "customer-update", payload());
    await deliver(
      service,
      "customer-update",
      `{"id":${id},"admin_graphql_api_id":"${gid}","first_name":"Robert"}`,
    );
    expect(await customer()).toMatchObject({
      first_name: "Robert",
      last_name: "Biller",
      tags: ["vip", "ice cream"],
      number_of_orders: 1,
      amount_spent: 100,
      country: "CA",
      email: `c${id}@store.example`,
      email_subscription_status: "subscribed",
    });
  });

  test("clear fields that they send empty", async () => {
    await deliver(service, "customer-update", payload());
    await deliver(service, "customer-update", payload({ last_name: "null", tags: '""' }));
    expect(await customer()).toMatchObject({ last_name: null, full_name: "Bob", tags: [] });
  });

  test("link an account with the same verified address to its customer; it keeps its password and address", async () => {
    await service.database.query(
      `INSERT INTO storefront_users (shop, email, password_hash, provider, email_verified)
        VALUES ($1, $2, 'kept', 'email', true)`,
      [SHOP, `c${id}@store.example`],
    );
    await deliver(service, "customer-create", payload());
    await deliver(service, "customer-update", payload({ email: "null" }));
    expect(await customer()).toMatchObject({
      email: `c${id}@store.example`,
      password_hash: "kept",
      provider: "email",
      first_name: "Bob",
    });
  });

  test("never move one account's address to another", async () => {
    await deliver(service, "customer-create", payload());
    const first = gid;
    id += 2n;
    gid = `gid://shopify/Customer/${id}`;
    await deliver(service, "customer-create", payload({ email: `"c${id - 2n}@store.example"` }));
    expect(await customer()).toMatchObject({ email: null, first_name: "Bob" });
    expect((await customer(first))?.email).toBe(`c${id - 2n}@store.example`);
  });

  test("of one store never change the same customer of another", async () => {
    await service.addTenant(OTHER_SHOP);
    await deliver(service, "customer-update", payload());
    await deliver(service, "customer-update", payload({ first_name: '"Other"' }), {
      shop: OTHER_SHOP,
    });
    expect([(await customer())?.first_name, (await customer(gid, OTHER_SHOP))?.first_name]).toEqual(
      ["Bob", "Other"],
    );
  });

  test("that arrive concurrently create one customer", async () => {
    const sent = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        send(
          service,
          index % 2 ? "customer-create" : "customer-update",
          payload({ note: `"${index}"` }),
        ),
      ),
    );
    await Promise.all(sent.map((one) => untilHandled(service, one)));
    expect(
      await service.database.query(
        "SELECT 1 FROM storefront_users WHERE storefront_customer_gid = $1",
        [gid],
      ),
    ).toHaveLength(1);
  });

  test("that name no customer are accepted without effect", async () => {
    const [before] = await service.database.query(
      "SELECT count(*)::int AS n FROM storefront_users",
    );
    for (const raw of [
      "{}",
      '{"id":"x"}',
      '{"admin_graphql_api_id":"gid://shopify/Order/1","id":null}',
      '{"nested":{"id":5}}',
    ])
      await deliver(service, "customer-update", raw);
    expect(await service.database.query("SELECT count(*)::int AS n FROM storefront_users")).toEqual(
      [before],
    );
  });
});

describe("payloads of 2026-07, which have neither tags nor totals", () => {
  beforeEach(async () => {
    await connectStore(service);
    service.sandbox.storefront.putCustomer(SHOP, {
      gid,
      firstName: "Fetched",
      lastName: "Whole",
      email: `c${id}@store.example`,
      tags: ["gold", "vip"],
      numberOfOrders: "7",
      amountSpent: "420.5",
      countryCode: "FR",
      emailMarketingState: "SUBSCRIBED",
      locale: "fr",
    });
  });

  test("are completed by fetching the customer", async () => {
    const before = customerFetches().length;
    await deliver(service, "customer-update", payload({}, CUSTOMER_2026_07));
    expect(customerFetches().length).toBeGreaterThan(before);
    expect(await customer()).toMatchObject({
      first_name: "Fetched",
      tags: ["gold", "vip"],
      number_of_orders: 7,
      amount_spent: 420.5,
      country: "FR",
      email_subscription_status: "subscribed",
      language_pref: "fr",
    });
  });

  const serverFault = (code: string) => ({
    status: 200,
    body: { errors: [{ message: "Internal error", extensions: { code } }] },
  });
  test.each<[string, { status: number; body?: unknown }]>([
    ["503", { status: 503 }],
    ["INTERNAL_SERVER_ERROR", serverFault("INTERNAL_SERVER_ERROR")],
    ["no data", { status: 200, body: { data: null } }],
    ["no customer", { status: 200, body: { data: {} } }],
  ])(
    "are applied as they are when the storefront is down (%s), and completed once it is back",
    async (_, fault) => {
      service.sandbox.failNext("storefront", { ...fault, match: "graphql" }, Infinity);
      const sent = await send(service, "customer-update", payload({}, CUSTOMER_2026_07));
      expect(await eventually("the payload's own words", customer)).toMatchObject({
        first_name: "Bob",
        tags: [],
        number_of_orders: 0,
      });
      await eventually(
        "the delivery to wait",
        async () =>
          (
            await service.database.query(
              "SELECT 1 FROM webhook_inbox WHERE delivery_id = $1 AND status = 'pending' AND attempts = 1",
              [sent],
            )
          ).length === 1,
      );
      service.sandbox.clearFaults();
      await service.database.query(
        "UPDATE webhook_inbox SET next_attempt_at = now() WHERE delivery_id = $1",
        [sent],
      );
      await untilHandled(service, sent);
      expect(await customer()).toMatchObject({
        first_name: "Fetched",
        tags: ["gold", "vip"],
        number_of_orders: 7,
      });
    },
  );

  test("of a customer that the storefront does not return are applied as they are", async () => {
    service.sandbox.storefront.deleteCustomer(SHOP, gid);
    await deliver(service, "customer-update", payload({}, CUSTOMER_2026_07));
    expect(await customer()).toMatchObject({ first_name: "Bob", tags: [], number_of_orders: 0 });
  });

  test("are not completed when they have every field", async () => {
    await deliver(service, "customer-update", payload({}, CUSTOMER_2024_10), { at: EARLIER });
    // What follows for the store, such as tags, is sent before the second delivery, which changes nothing.
    await queueIsEmpty(service);
    const before = customerFetches().length;
    await deliver(service, "customer-update", payload({}, CUSTOMER_2024_10), { at: LATER });
    expect(customerFetches()).toHaveLength(before);
  });
});

describe("topics about one part of a customer", () => {
  test("customers/purchasing_summary changes only orders and amount", async () => {
    await deliver(service, "customer-update", payload());
    await deliver(
      service,
      "customers-purchasing-summary",
      JSON.stringify({
        customerId: gid,
        numberOfOrders: 12,
        amountSpent: { amount: "1234.56", currencyCode: "EUR" },
        occurredAt: new Date().toISOString(),
      }),
    );
    expect(await customer()).toMatchObject({
      number_of_orders: 12,
      amount_spent: 1234.56,
      tags: ["vip", "ice cream"],
      first_name: "Bob",
    });
  });

  test.each([
    [
      "customers-email-marketing-consent-update",
      "email_subscription_status",
      () =>
        `{"customer_id":${id},"email_address":"x@y.example","email_marketing_consent":{"state":"unsubscribed"}}`,
    ],
    [
      "customers-marketing-consent-update",
      "sms_subscription_status",
      () => `{"id":${id},"phone":"+1","sms_marketing_consent":{"state":"subscribed"}}`,
    ],
  ])("%s changes only %s", async (slug, column, raw) => {
    await deliver(service, "customer-update", payload());
    const before = await customer();
    await deliver(service, slug, raw());
    const after = await customer();
    expect(after[column]).toBe(column.startsWith("email") ? "unsubscribed" : "subscribed");
    for (const name of ["tags", "number_of_orders", "first_name", "email", "country"])
      expect(after[name]).toEqual(before[name]);
  });

  test("customer.tags_added and tags_removed change the list, ignoring case, when it cannot be fetched", async () => {
    await deliver(service, "customer-update", payload({ updated_at: '"2026-01-01T09:00:00Z"' }), {
      at: "2026-01-01T09:00:00Z",
    });
    await deliver(
      service,
      "customer-tags-added",
      JSON.stringify({ customerId: gid, tags: ["gold", "VIP"], occurredAt: EARLIER }),
      { at: EARLIER },
    );
    expect((await customer())?.tags).toEqual(["ice cream", "gold", "VIP"]);
    await deliver(
      service,
      "customer-tags-removed",
      JSON.stringify({ customerId: gid, tags: ["Gold"], occurredAt: LATER }),
      { at: LATER },
    );
    expect((await customer())?.tags).toEqual(["ice cream", "VIP"]);
  });

  test("a change of tags fetches the whole list when the storefront can be called", async () => {
    await connectStore(service);
    service.sandbox.storefront.putCustomer(SHOP, {
      gid,
      email: `c${id}@store.example`,
      tags: ["current"],
    });
    await deliver(service, "customer-update", payload());
    await deliver(
      service,
      "customer-tags-added",
      JSON.stringify({ customerId: gid, tags: ["old-news"], occurredAt: new Date().toISOString() }),
    );
    expect((await customer())?.tags).toEqual(["current"]);
  });

  test("orders/create updates its customer's totals", async () => {
    await connectStore(service);
    service.sandbox.storefront.putCustomer(SHOP, {
      gid,
      email: `c${id}@store.example`,
      numberOfOrders: "2",
      amountSpent: "80.00",
    });
    await deliver(
      service,
      "orders-create",
      JSON.stringify({
        id: 1,
        admin_graphql_api_id: "gid://shopify/Order/1",
        customer: { admin_graphql_api_id: gid },
      }),
    );
    expect(await customer()).toMatchObject({ number_of_orders: 2, amount_spent: 80 });
  });

  test.each(["cannot be asked", "does not show the customer", "does not answer"])(
    "do not create a customer when the store %s",
    async (why) => {
      if (why !== "cannot be asked") await connectStore(service);
      if (why === "does not answer")
        service.sandbox.failNext("storefront", { status: 400, match: "graphql" }, Infinity);
      await deliver(
        service,
        "customers-purchasing-summary",
        JSON.stringify({
          customerId: gid,
          numberOfOrders: 1,
          amountSpent: { amount: "1" },
          occurredAt: LATER,
        }),
      );
      await deliver(
        service,
        "customer-tags-added",
        JSON.stringify({ customerId: gid, tags: ["x"], occurredAt: LATER }),
      );
      await deliver(
        service,
        "orders-create",
        JSON.stringify({ id: 2, customer: { admin_graphql_api_id: gid } }),
      );
      expect(await customer()).toBeUndefined();
    },
  );

  test("for an unknown customer fetch it completely", async () => {
    await connectStore(service);
    service.sandbox.storefront.putCustomer(SHOP, {
      gid,
      firstName: "Whole",
      email: `c${id}@store.example`,
      tags: ["vip"],
    });
    await deliver(
      service,
      "customers-email-marketing-consent-update",
      `{"customer_id":${id},"email_marketing_consent":{"state":"subscribed"}}`,
    );
    expect(await customer()).toMatchObject({ first_name: "Whole", tags: ["vip"] });
  });
});
