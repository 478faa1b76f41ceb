import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  METAFIELD_DEFINITION_CREATE,
  METAFIELD_DEFINITIONS,
  METAFIELDS_DELETE,
  METAFIELDS_SET,
} from "../../../app/integrations/storefront/documents.ts";
import { graphql, SHOP, startTestApp } from "../../sandbox/sandbox-fixture.ts";
import type { TestApp } from "../../sandbox/sandbox-fixture.ts";

let app: TestApp;
let token: string;
beforeAll(async () => {
  app = await startTestApp();
  token = app.sandbox.storefront.install(SHOP).access_token;
});
afterAll(() => app.stop());

const ask = async (document: string, variables: unknown, as = token) =>
  (await graphql(app, as, document, variables)).body.data;
const define = async (fields: Record<string, unknown>, as = token) =>
  (
    await ask(
      METAFIELD_DEFINITION_CREATE,
      {
        definition: {
          namespace: "custom",
          key: "crm_status",
          name: "Status",
          type: "single_line_text_field",
          ownerType: "CUSTOMER",
          ...fields,
        },
      },
      as,
    )
  ).metafieldDefinitionCreate;

describe("metafield definitions", () => {
  it("are created once: the second is TAKEN", async () => {
    expect(await define({})).toEqual({
      createdDefinition: { id: expect.stringMatching(/^gid:/) },
      userErrors: [],
    });
    expect(await define({ type: "boolean" })).toMatchObject({
      createdDefinition: null,
      userErrors: [{ code: "TAKEN" }],
    });
    const { metafieldDefinitions } = await ask(METAFIELD_DEFINITIONS, {
      namespace: "custom",
      first: 250,
    });
    expect(metafieldDefinitions.nodes).toEqual([
      { key: "crm_status", type: { name: "single_line_text_field" } },
    ]);
  });

  it.each([
    [{ key: "x" }, "INVALID"],
    [{ key: "fresh", name: " " }, "BLANK"],
    [{ key: "fresh", type: "unheard_of" }, "INCLUSION"],
  ])("reject %j", async (fields, code) => {
    expect(await define(fields)).toMatchObject({ createdDefinition: null, userErrors: [{ code }] });
  });

  it("need the scope to write customers", async () => {
    const reader = app.sandbox.storefront.install("reader.myshopify.com", {
      scope: "read_customers",
    }).access_token;
    const answer = await fetch(
      `${app.sandbox.addresses.storefrontUrlTemplate.replace("{shop}", "reader.myshopify.com")}/admin/api/2026-04/graphql.json`,
      {
        method: "POST",
        headers: { "content-type": "application/json", "x-shopify-access-token": reader },
        body: JSON.stringify({
          query: METAFIELD_DEFINITION_CREATE,
          variables: {
            definition: {
              namespace: "custom",
              key: "crm_tier",
              name: "Tier",
              type: "boolean",
              ownerType: "CUSTOMER",
            },
          },
        }),
      },
    );
    expect(JSON.stringify(await answer.json())).toContain("Access denied");
  });
});

describe("metafieldsDelete", () => {
  it("deletes existing ones and returns null for missing ones", async () => {
    const { gid } = app.sandbox.storefront.putCustomer(SHOP, { email: "bob@shopper.example" });
    await ask(METAFIELDS_SET, {
      metafields: [
        {
          ownerId: gid,
          namespace: "custom",
          key: "crm_status",
          type: "single_line_text_field",
          value: "active",
        },
      ],
    });
    const names = ["crm_status", "crm_tier"].map((key) => ({
      ownerId: gid,
      namespace: "custom",
      key,
    }));
    expect((await ask(METAFIELDS_DELETE, { metafields: names })).metafieldsDelete).toEqual({
      deletedMetafields: [names[0], null],
      userErrors: [],
    });
    expect(app.sandbox.storefront.customer(SHOP, gid)?.metafields).toEqual([]);
  });
});
