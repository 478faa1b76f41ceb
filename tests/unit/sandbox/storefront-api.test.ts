import { createHmac } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  APP_INSTALLATION,
  CUSTOMER,
  SHOP as SHOP_QUERY,
  WEBHOOK_SUBSCRIPTION_CREATE,
  WEBHOOK_SUBSCRIPTION_UPDATE,
  WEBHOOK_SUBSCRIPTIONS,
} from "../../../app/integrations/storefront/documents.ts";
import {
  CLIENT_SECRET,
  graphql,
  SHOP,
  startTestApp,
  vendorLibrary,
} from "../../sandbox/sandbox-fixture.ts";
import type { TestApp } from "../../sandbox/sandbox-fixture.ts";

let app: TestApp;
let token: string;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());
beforeEach(async () => {
  app.received.length = 0;
  app.sandbox.storefront.install(SHOP);
  await app.sandbox.storefront.uninstall(SHOP, { silent: true });
  token = app.sandbox.storefront.install(SHOP).access_token;
  app.sandbox.storefront.setAvailableCost(SHOP, 2000);
});

const subscribe = (topic: string, path: string) =>
  graphql(app, token, WEBHOOK_SUBSCRIPTION_CREATE, {
    topic,
    webhookSubscription: { uri: `${app.appUrl}${path}`, format: "JSON" },
  });

describe("GraphQL", () => {
  it.each(["2026-04", "2026-07"])("answers our documents on %s", async (version) => {
    const { gid } = app.sandbox.storefront.putCustomer(SHOP, {
      firstName: "Ada",
      email: "ada@shopper.example",
      tags: ["vip"],
      countryCode: "DE",
      emailMarketingState: "SUBSCRIBED",
    });
    const shop = await graphql(app, token, SHOP_QUERY, {}, version);
    expect(shop.body.data.shop.myshopifyDomain).toBe(SHOP);
    const installation = await graphql(app, token, APP_INSTALLATION, {}, version);
    expect(installation.body.data.currentAppInstallation.accessScopes).toEqual([
      { handle: "read_customers" },
      { handle: "write_customers" },
    ]);
    const customer = await graphql(app, token, CUSTOMER, { id: gid }, version);
    expect(customer.body.errors).toBeUndefined();
    expect(customer.body.data.customer).toMatchObject({
      id: gid,
      numberOfOrders: "0",
      tags: ["vip"],
      amountSpent: { amount: "0.0", currencyCode: "EUR" },
      defaultEmailAddress: { emailAddress: "ada@shopper.example", marketingState: "SUBSCRIBED" },
      defaultPhoneNumber: null,
      defaultAddress: { countryCodeV2: "DE" },
    });
  });

  it("answers an unknown field with 200 and the platform's error", async () => {
    const reply = await graphql(app, token, "{ shop { nickname } }");
    expect(reply).toMatchObject({
      status: 200,
      body: {
        errors: [
          {
            message: "Field 'nickname' doesn't exist on type 'Shop'",
            extensions: { code: "undefinedField" },
          },
        ],
      },
    });
    expect(reply.body.data).toBeUndefined();
  });

  it("answers a missing variable and a syntax error with 200 and errors", async () => {
    expect(await graphql(app, token, CUSTOMER, {})).toMatchObject({
      status: 200,
      body: { errors: [{}] },
    });
    expect(await graphql(app, token, "{ shop {")).toMatchObject({
      status: 200,
      body: { errors: [{}] },
    });
  });

  it("rejects customers without the scope", async () => {
    const narrow = app.sandbox.storefront.install(SHOP, { scope: "read_products" }).access_token;
    const reply = await graphql(app, narrow, CUSTOMER, { id: "gid://shopify/Customer/1" });
    expect(reply.body).toMatchObject({
      data: { customer: null },
      errors: [{ extensions: { code: "ACCESS_DENIED" } }],
    });
  });

  it("answers a retired version in the oldest that is served, and says so", async () => {
    const reply = await graphql(app, token, SHOP_QUERY, {}, "2025-10");
    expect(reply.body.data.shop.myshopifyDomain).toBe(SHOP);
    expect(reply.headers.get("x-shopify-api-version")).toBe("2026-04");
    const newer = await graphql(app, token, SHOP_QUERY, {}, "2026-07");
    expect(newer.headers.get("x-shopify-api-version")).toBe("2026-07");
  });

  it("rejects an unknown token with 401 and a version that never was with 404", async () => {
    expect(await graphql(app, "nope", SHOP_QUERY)).toMatchObject({
      status: 401,
      body: { errors: expect.stringContaining("[API] Invalid API key") },
    });
    for (const version of ["2027-07", "2026-05", "latest"])
      expect((await graphql(app, token, SHOP_QUERY, {}, version)).status).toBe(404);
  });

  it("reports the cost and throttles with 200 once the bucket is empty", async () => {
    const ample = await graphql(app, token, SHOP_QUERY);
    expect(ample.body.extensions.cost).toMatchObject({
      requestedQueryCost: 1,
      throttleStatus: { maximumAvailable: 2000, restoreRate: 100 },
    });
    app.sandbox.storefront.settings.graphqlCost.restoreRate = 0;
    app.sandbox.storefront.setAvailableCost(SHOP, 0);
    const empty = await graphql(app, token, SHOP_QUERY);
    app.sandbox.storefront.settings.graphqlCost.restoreRate = 100;
    expect(empty).toMatchObject({
      status: 200,
      body: {
        errors: [{ extensions: { code: "THROTTLED" } }],
        extensions: { cost: { actualQueryCost: null } },
      },
    });
  });
});

describe("webhook subscriptions", () => {
  it("reject a second one for the same topic and address", async () => {
    const first = await subscribe("CUSTOMERS_UPDATE", "/webhooks/customer-update");
    expect(first.body.data.webhookSubscriptionCreate.userErrors).toEqual([]);
    const second = await subscribe("CUSTOMERS_UPDATE", "/webhooks/customer-update");
    expect(second.body.data.webhookSubscriptionCreate).toMatchObject({
      webhookSubscription: null,
      userErrors: [{ message: "Address for this topic has already been taken" }],
    });
  });

  it("reject an address that is neither https nor loopback", async () => {
    const reply = await graphql(app, token, WEBHOOK_SUBSCRIPTION_CREATE, {
      topic: "CUSTOMERS_UPDATE",
      webhookSubscription: { uri: "http://app.example/hook" },
    });
    expect(reply.body.data.webhookSubscriptionCreate.userErrors).toHaveLength(1);
  });

  it("page to the end without repeating one", async () => {
    const topics = ["CUSTOMERS_CREATE", "CUSTOMERS_UPDATE", "CUSTOMERS_DELETE"];
    for (const topic of topics) await subscribe(topic, "/hook");
    const seen: string[] = [];
    let after: string | null = null;
    do {
      const reply = await graphql(app, token, WEBHOOK_SUBSCRIPTIONS, { first: 2, after });
      const { nodes, pageInfo } = reply.body.data.webhookSubscriptions;
      seen.push(...nodes.map((node: { topic: string }) => node.topic));
      after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
    } while (after !== null);
    expect(seen).toEqual(topics);
  });

  it("move to another address by id", async () => {
    const created = await subscribe("CUSTOMERS_UPDATE", "/old");
    const { id } = created.body.data.webhookSubscriptionCreate.webhookSubscription;
    const reply = await graphql(app, token, WEBHOOK_SUBSCRIPTION_UPDATE, {
      id,
      webhookSubscription: { uri: `${app.appUrl}/new` },
    });
    expect(reply.body.data.webhookSubscriptionUpdate.webhookSubscription).toMatchObject({
      id,
      uri: `${app.appUrl}/new`,
      apiVersion: { handle: "2026-07" },
    });
  });
});

describe("webhooks", () => {
  it.each(["2026-07", "2024-10"] as const)(
    "have an id above 2^53 digit by digit in a %s payload, and sign those bytes",
    async (apiVersion) => {
      await subscribe("CUSTOMERS_UPDATE", "/webhooks/customer-update");
      const { gid } = app.sandbox.storefront.putCustomer(SHOP, {
        firstName: "Zoë",
        email: "zoe@shopper.example",
        tags: ["b", "a"],
        countryCode: "FR",
      });
      const id = gid.split("/").at(-1) ?? "";
      expect(String(Number(id))).not.toBe(id);
      const [delivery] = await app.sandbox.storefront.sendWebhook(SHOP, "customers/update", gid, {
        apiVersion,
      });
      expect(delivery).toMatchObject({ status: 200, topic: "customers/update" });
      const [webhook] = app.received;
      expect(webhook?.text).toContain(`"id":${id},`);
      expect(webhook?.text).toContain(`"admin_graphql_api_id":"${gid}"`);
      expect(webhook?.text.includes('"tags":"a, b"')).toBe(apiVersion === "2024-10");
      expect(webhook?.headers).toMatchObject({
        "x-shopify-hmac-sha256": createHmac("sha256", CLIENT_SECRET)
          .update(webhook?.text ?? "")
          .digest("base64"),
        "x-shopify-topic": "customers/update",
        "x-shopify-shop-domain": SHOP,
        "x-shopify-api-version": apiVersion,
        "x-shopify-webhook-id": delivery?.webhookId,
        "x-shopify-event-id": delivery?.eventId,
        "x-shopify-triggered-at": delivery?.triggeredAt,
      });
      const rawRequest = new Request(app.appUrl, {
        method: "POST",
        headers: webhook?.headers as Record<string, string>,
      });
      expect(
        await vendorLibrary().webhooks.validate({ rawBody: webhook?.text ?? "", rawRequest }),
      ).toMatchObject({ valid: true });
    },
  );

  it("announce all parts of one change under one event id", async () => {
    for (const topic of [
      "CUSTOMERS_UPDATE",
      "CUSTOMER_TAGS_ADDED",
      "CUSTOMER_TAGS_REMOVED",
      "CUSTOMERS_EMAIL_MARKETING_CONSENT_UPDATE",
    ])
      await subscribe(topic, "/hook");
    const { gid } = app.sandbox.storefront.putCustomer(SHOP, {
      email: "t@shopper.example",
      tags: ["old"],
    });
    const deliveries = await app.sandbox.storefront.changeCustomer(SHOP, gid, {
      tags: ["new"],
      emailMarketingState: "SUBSCRIBED",
    });
    expect(deliveries.map(({ topic }) => topic)).toEqual([
      "customers/update",
      "customer.tags_added",
      "customer.tags_removed",
      "customers_email_marketing_consent/update",
    ]);
    expect(new Set(deliveries.map(({ eventId }) => eventId)).size).toBe(1);
    expect(deliveries[1]?.payload).toContain('"tags":["new"]');
    expect(deliveries[2]?.payload).toContain('"tags":["old"]');
  });

  it("of the compliance topics go to the app's configured addresses without a subscription", async () => {
    const { gid } = app.sandbox.storefront.putCustomer(SHOP, { email: "gone@shopper.example" });
    await app.sandbox.storefront.sendWebhook(SHOP, "customers/redact", gid);
    await app.sandbox.storefront.sendWebhook(SHOP, "shop/redact");
    expect(app.received.map(({ path }) => path)).toEqual([
      "/gdpr/customer-redact",
      "/gdpr/shop-redact",
    ]);
  });

  it("announce an uninstall after the tokens are deleted", async () => {
    await subscribe("APP_UNINSTALLED", "/webhooks/app-uninstalled");
    await app.sandbox.storefront.uninstall(SHOP);
    expect(app.received[0]?.path).toBe("/webhooks/app-uninstalled");
    expect((await graphql(app, token, SHOP_QUERY)).status).toBe(401);
  });
});
