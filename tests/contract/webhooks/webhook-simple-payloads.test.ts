// The topics about a part of a customer, in other spellings: the customer by number or gid, states in capitals,
// and parts left out, which are fetched.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  CUSTOMER_2024_10,
  CUSTOMER_2026_07,
  customerPayload,
} from "../../support/storefront/payloads.ts";
import { connectStore, deliver, send, untilHandled } from "../../support/storefront/storefront.ts";
import { around } from "../../support/storefront/synced-store.ts";
import { eventually, SHOP, startService, type Service } from "../../support/service.ts";

let service: Service;
let restore = () => {};
let id = 706405506930470084n;
const gidOf = () => `gid://shopify/Customer/${id}`;

beforeAll(async () => {
  service = await startService({ background: true });
  await connectStore(service);
});
afterAll(() => service.stop());
afterEach(() => restore());
beforeEach(async () => {
  id += 2n;
  const email = `c${id}@store.example`;
  service.sandbox.storefront.putCustomer(SHOP, {
    gid: gidOf(),
    email,
    tags: ["at-store"],
    numberOfOrders: "12",
    amountSpent: "1234.56",
  });
  await deliver(
    service,
    "customer-update",
    customerPayload(
      {
        id: String(id),
        admin_graphql_api_id: `"${gidOf()}"`,
        email: `"${email}"`,
        tags: '""',
        orders_count: "0",
        total_spent: '"0.00"',
      },
      CUSTOMER_2024_10,
    ),
  );
});

const customer = async () =>
  (
    await service.database.query(
      "SELECT * FROM storefront_users WHERE shop = $1 AND storefront_customer_gid = $2",
      [SHOP, gidOf()],
    )
  )[0];

describe("a marketing state", () => {
  test.each([
    ["customers-email-marketing-consent-update", "customer_id", "email"],
    ["customers-email-marketing-consent-update", "id", "email"],
    ["customers-marketing-consent-update", "id", "sms"],
    ["customers-marketing-consent-update", "customer_id", "sms"],
  ])("of %s with the customer as %s is stored in lower case", async (slug, name, kind) => {
    await deliver(
      service,
      slug,
      `{"${name}":${id},"${kind}_marketing_consent":{"state":"UNSUBSCRIBED"}}`,
    );
    expect((await customer())[`${kind}_subscription_status`]).toBe("unsubscribed");
  });

  test("counts wherever the payload has the customer's number", async () => {
    await deliver(
      service,
      "customers-email-marketing-consent-update",
      `{"email_marketing_consent":{"state":"pending"},"of":{"id":1},"customer_id":${id}}`,
    );
    expect((await customer()).email_subscription_status).toBe("pending");
  });

  test("of a whole customer is stored in lower case", async () => {
    await deliver(
      service,
      "customer-update",
      customerPayload(
        {
          id: String(id),
          admin_graphql_api_id: `"${gidOf()}"`,
          email: `"c${id}@store.example"`,
          email_marketing_consent: '{"state":"SUBSCRIBED"}',
          sms_marketing_consent: '{"state":"UNSUBSCRIBED"}',
        },
        CUSTOMER_2024_10,
      ),
    );
    expect(await customer()).toMatchObject({
      email_subscription_status: "subscribed",
      sms_subscription_status: "unsubscribed",
    });
  });
});

describe("totals and tags", () => {
  test.each([
    ["the customer alone", () => `{"customer_id":${id}}`],
    ["the number of orders alone", () => `{"customerId":"${gidOf()}","numberOfOrders":"3"}`],
  ])("a purchasing summary with %s has its totals fetched", async (_what, raw) => {
    await deliver(service, "customers-purchasing-summary", raw());
    expect(await customer()).toMatchObject({ number_of_orders: 12, amount_spent: 1234.56 });
  });

  test("a purchasing summary may write numbers as texts", async () => {
    await deliver(
      service,
      "customers-purchasing-summary",
      `{"customerId":${id},"numberOfOrders":"4","amountSpent":{"amount":"9.50"}}`,
    );
    expect(await customer()).toMatchObject({ number_of_orders: 4, amount_spent: 9.5 });
  });

  test("a change of tags may name the customer by number, and no tags", async () => {
    await deliver(service, "customer-tags-added", `{"customer_id":${id}}`);
    expect((await customer()).tags).toContain("at-store");
  });

  test("an order names its customer also behind the customer's address", async () => {
    const customerOf = `{"default_address":{"id":1,"country_code":"NL"},"id":${id}}`;
    await deliver(service, "orders-create", `{"customer":${customerOf},"id":${id}8}`);
    expect(await customer()).toMatchObject({ number_of_orders: 12, amount_spent: 1234.56 });
  });

  test("an order without gids is put on the bus, and its customer's totals are fetched", async () => {
    await deliver(service, "orders-create", `{"id":${id}7,"customer":{"id":${id}}}`);
    expect(await customer()).toMatchObject({ number_of_orders: 12, amount_spent: 1234.56 });
    expect(
      await service.database.query(
        "SELECT event_type FROM event_ledger WHERE shop = $1 AND entity_id = $2",
        [SHOP, `gid://shopify/Order/${id}7`],
      ),
    ).toEqual([{ event_type: "order.created" }]);
  });
});

describe("what the storefront names of a customer", () => {
  const known = { tags: ["gold"], numberOfOrders: "3", amountSpent: { amount: "5.0" } };
  test.each<[what: string, fetched: () => object]>([
    ["neither time nor id", () => known],
    ["no readable time", () => ({ ...known, id: gidOf(), updatedAt: "soon" })],
    ["no readable id", () => ({ ...known, id: 7, updatedAt: new Date().toISOString() })],
  ])("completes a webhook also with %s, at the webhook's own time", async (_what, fetched) => {
    await eventually("no delivery to the store under way", async () => {
      const waiting = "SELECT 1 FROM integration_queue WHERE status <> 'delivered'";
      return (await service.database.query(waiting)).length === 0;
    });
    restore = around(service, (_call, { document }) => {
      if (document.startsWith("query Customer("))
        service.sandbox.failNext("storefront", {
          status: 200,
          body: { data: { customer: fetched() } },
          match: "graphql",
        });
    });
    const sent = await send(
      service,
      "customer-update",
      customerPayload(
        { id: String(id), admin_graphql_api_id: `"${gidOf()}"`, email: `"c${id}@store.example"` },
        CUSTOMER_2026_07,
      ),
    );
    await untilHandled(service, sent);
    expect(await customer()).toMatchObject({ number_of_orders: 3, amount_spent: 5 });
    expect((await customer()).tags).toContain("gold");
    expect(
      await service.database.query(
        "SELECT status, attempts FROM webhook_inbox WHERE delivery_id = $1",
        [sent],
      ),
    ).toEqual([{ status: "done", attempts: 0 }]);
  });
});
