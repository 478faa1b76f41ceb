import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  CUSTOMER_BY_EMAIL,
  CUSTOMER_CREATE,
  METAFIELDS_SET,
  TAGS_ADD,
  TAGS_REMOVE,
  WEBHOOK_SUBSCRIPTION_CREATE,
} from "../../../app/integrations/storefront/documents.ts";
import { graphql, send, SHOP, startTestApp } from "../../sandbox/sandbox-fixture.ts";
import type { TestApp } from "../../sandbox/sandbox-fixture.ts";

/** Several mutations in one document, as a client may send them. */
const CUSTOMER_TAGS_AND_METAFIELDS = `mutation ($id: ID!, $add: [String!]!, $remove: [String!]!, $metafields: [MetafieldsSetInput!]!) {
  tagsRemove(id: $id, tags: $remove) { userErrors { message } }
  tagsAdd(id: $id, tags: $add) { userErrors { message } }
  metafieldsSet(metafields: $metafields) { userErrors { message } }
}`;
const LONG_AGO = "2020-01-01T00:00:00Z";

let app: TestApp;
let token: string;
let gid: string;
let serial = 0;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());
beforeEach(() => {
  token = app.sandbox.storefront.install(SHOP).access_token;
  app.sandbox.storefront.setAvailableCost(SHOP, 2000);
  serial += 1;
  gid = app.sandbox.storefront.putCustomer(SHOP, {
    email: `person${serial}@shopper.example`,
    tags: ["vip"],
    updatedAt: LONG_AGO,
  }).gid;
});

const customer = () => app.sandbox.storefront.customer(SHOP, gid);
const ask = async (document: string, variables: unknown) =>
  (await graphql(app, token, document, variables)).body.data;
const addTags = async (tags: string[]) => (await ask(TAGS_ADD, { id: gid, tags })).tagsAdd;
const setMetafields = async (...metafields: Record<string, unknown>[]) =>
  (
    await ask(METAFIELDS_SET, {
      metafields: metafields.map((one) => ({ ownerId: gid, namespace: "custom", ...one })),
    })
  ).metafieldsSet;

describe("a customer", () => {
  it("is found by email in any case, or not at all", async () => {
    expect(
      (await ask(CUSTOMER_BY_EMAIL, { email: `PERSON${serial}@shopper.example` }))
        .customerByIdentifier,
    ).toEqual({ id: gid, tags: ["vip"], updatedAt: LONG_AGO });
    expect(
      (await ask(CUSTOMER_BY_EMAIL, { email: "nobody@shopper.example" })).customerByIdentifier,
    ).toBeNull();
  });

  it("is created once per email", async () => {
    const create = async (email: string) =>
      (
        await ask(CUSTOMER_CREATE, {
          input: { email, firstName: "Zoë", lastName: "Q", locale: "de" },
        })
      ).customerCreate;
    const made = await create("zoe@shopper.example");
    expect(made).toEqual({
      customer: { id: expect.stringMatching(/Customer\/\d{16,}$/) },
      userErrors: [],
    });
    expect(app.sandbox.storefront.customer(SHOP, made.customer.id as string)).toMatchObject({
      email: "zoe@shopper.example",
      firstName: "Zoë",
      locale: "de",
    });
    expect(await create("ZOE@shopper.example")).toEqual({
      customer: null,
      userErrors: [{ field: ["email"], message: "Email has already been taken" }],
    });
    expect((await create("no address")).userErrors).toEqual([
      { field: ["email"], message: "Email is invalid" },
    ]);
  });

  it("is not changed without the write scope", async () => {
    const narrow = app.sandbox.storefront.install(SHOP, { scope: "read_customers" }).access_token;
    const reply = await graphql(app, narrow, TAGS_ADD, { id: gid, tags: ["new"] });
    expect(reply.body).toMatchObject({
      data: { tagsAdd: null },
      errors: [{ extensions: { code: "ACCESS_DENIED" } }],
    });
    expect(customer()?.tags).toEqual(["vip"]);
  });

  it("rejects unsupported input instead of ignoring it", async () => {
    const reply = await graphql(app, token, CUSTOMER_CREATE, {
      input: { email: "t@shopper.example", taxExempt: true },
    });
    expect(reply.body.errors[0].message).toContain("taxExempt");
  });
});

describe("tags", () => {
  it("compare without case: an existing one changes nothing, and any case removes it", async () => {
    expect((await addTags(["VIP"])).node).toEqual({ id: gid, tags: ["vip"], updatedAt: LONG_AGO });
    expect((await ask(TAGS_REMOVE, { id: gid, tags: ["Vip"] })).tagsRemove.node.tags).toEqual([]);
    expect(customer()?.updatedAt).not.toBe(LONG_AGO);
  });

  it("are split at commas", async () => {
    expect((await addTags(["a, b", "c"])).node.tags).toEqual(["a", "b", "c", "vip"]);
  });

  it("stay within 250 and 40 characters, or nothing changes", async () => {
    expect(
      (await addTags(Array.from({ length: 250 }, (_, index) => `t${index}`))).userErrors,
    ).toHaveLength(1);
    expect((await addTags(["x".repeat(41)])).userErrors).toHaveLength(1);
    expect(customer()?.tags).toEqual(["vip"]);
  });

  it("of a deleted customer are a user error", async () => {
    app.sandbox.storefront.deleteCustomer(SHOP, gid);
    expect(await addTags(["a"])).toEqual({
      node: null,
      userErrors: [{ field: ["id"], message: "Customer does not exist" }],
    });
  });
});

describe("metafields", () => {
  it("are written with their type and a digest, and shown on the customer and the overview", async () => {
    const reply = await setMetafields(
      { key: "crm_status", value: "active" },
      { key: "crm_tags", type: "list.single_line_text_field", value: '["vip"]' },
    );
    expect(reply.userErrors).toEqual([]);
    expect(reply.metafields[0]).toMatchObject({
      namespace: "custom",
      key: "crm_status",
      type: "single_line_text_field",
      value: "active",
      compareDigest: expect.any(String),
    });
    expect(customer()?.metafields.map(({ key }) => key)).toEqual(["crm_status", "crm_tags"]);
    expect((await send("GET", `${app.sandbox.url}/?tab=customers`, undefined)).body).toContain(
      "custom.crm_status",
    );
  });

  it("hold 64 kB, and 128 kB of JSON", async () => {
    const reply = await setMetafields(
      { key: "crm_tier", value: "x".repeat(65_536) },
      { key: "notes", type: "json", value: `"${"x".repeat(131_070)}"` },
    );
    expect(reply.userErrors).toEqual([]);
  });

  it.each([
    [
      "a boolean that is none",
      { key: "crm_consent_tos", type: "boolean", value: "yes" },
      "INVALID_VALUE",
    ],
    [
      "another type than defined",
      { key: "crm_consent_tos", type: "single_line_text_field", value: "true" },
      "INVALID_TYPE",
    ],
    ["a list that is not JSON", { key: "crm_tags", value: "vip" }, "INVALID_VALUE"],
    ["a line break", { key: "crm_tier", value: "a\nb" }, "INVALID_VALUE"],
    ["an empty value", { key: "crm_tier", value: "" }, "BLANK"],
    ["no type and no definition", { key: "unheard_of", value: "x" }, "BLANK"],
    [
      "an unknown owner",
      { ownerId: "gid://shopify/Customer/1", key: "crm_tier", value: "x" },
      "INVALID",
    ],
    ["more than 64 kB", { key: "crm_tier", value: "x".repeat(65_537) }, "TOO_LONG"],
    [
      "JSON of more than 128 kB",
      { key: "notes", type: "json", value: `"${"x".repeat(131_071)}"` },
      "TOO_LONG",
    ],
    [
      "a stale digest",
      { key: "crm_tier", value: "x", compareDigest: "0".repeat(64) },
      "STALE_OBJECT",
    ],
  ])("with %s are rejected, and none of the call is written", async (_case, bad, code) => {
    const reply = await setMetafields({ key: "crm_status", value: "active" }, bad);
    expect(reply).toMatchObject({ metafields: [], userErrors: [{ code, elementIndex: 1 }] });
    expect(customer()?.metafields).toEqual([]);
  });

  it("are limited to 25 per call", async () => {
    const many = Array.from({ length: 26 }, (_, index) => ({
      key: `key_${index}`,
      type: "boolean",
      value: "true",
    }));
    expect((await setMetafields(...many)).userErrors).toMatchObject([
      { code: "LESS_THAN_OR_EQUAL_TO" },
    ]);
  });

  it("compare and set by the digest read last", async () => {
    const digest = (await setMetafields({ key: "crm_tier", value: "gold", compareDigest: null }))
      .metafields[0].compareDigest;
    expect(
      (await setMetafields({ key: "crm_tier", value: "silver", compareDigest: null })).userErrors,
    ).toMatchObject([{ code: "STALE_OBJECT" }]);
    expect(
      (await setMetafields({ key: "crm_tier", value: "silver", compareDigest: digest })).userErrors,
    ).toEqual([]);
  });
});

describe("a change through the API", () => {
  const subscribe = (topic: string) =>
    ask(WEBHOOK_SUBSCRIPTION_CREATE, {
      topic,
      webhookSubscription: { uri: `${app.appUrl}/${topic}` },
    });
  const change = () =>
    ask(CUSTOMER_TAGS_AND_METAFIELDS, {
      id: gid,
      add: ["new"],
      remove: ["vip"],
      metafields: [
        {
          ownerId: gid,
          namespace: "custom",
          key: "crm_consent_marketing",
          type: "boolean",
          value: "true",
        },
      ],
    });
  const echoes = async (): Promise<string[]> => {
    app.received.length = 0;
    await change();
    await app.sandbox.storefront.echoesSent();
    return app.received.map(({ path }) => path).sort();
  };
  beforeEach(async () => {
    for (const topic of ["CUSTOMERS_UPDATE", "CUSTOMER_TAGS_ADDED", "CUSTOMER_TAGS_REMOVED"])
      await subscribe(topic);
  });

  it("sends webhooks once, and a repeated one sends none", async () => {
    expect(await echoes()).toEqual([
      "/CUSTOMERS_UPDATE",
      "/CUSTOMERS_UPDATE",
      "/CUSTOMERS_UPDATE",
      "/CUSTOMER_TAGS_ADDED",
      "/CUSTOMER_TAGS_REMOVED",
    ]);
    expect(customer()).toMatchObject({
      tags: ["new"],
      metafields: [{ key: "crm_consent_marketing", value: "true" }],
    });
    expect(await echoes()).toEqual([]);
  });

  it("sends none when echoWebhooks is off", async () => {
    app.sandbox.storefront.settings.echoWebhooks = false;
    const heard = await echoes();
    app.sandbox.storefront.settings.echoWebhooks = true;
    expect(heard).toEqual([]);
    expect(customer()?.tags).toEqual(["new"]);
  });
});
